import {Color, MeshPhysicalMaterial} from 'three';

/**
 * A material that light goes into: smooth and moist on top, glowing where it is thin, with shadows that keep its
 * colour. Three.js shades it as ever; the light that comes out again is added to what it emits.
 */
export function gummyMaterial(color: readonly [number, number, number]): MeshPhysicalMaterial {
    const material = new MeshPhysicalMaterial({
        color: new Color().setRGB(...color),
        roughness: 0.34,
        clearcoat: 0.55,
        clearcoatRoughness: 0.22,
        envMapIntensity: 0.6,
    });
    material.onBeforeCompile = (shader) => {
        const place = '#include <emissivemap_fragment>';
        shader.fragmentShader = shader.fragmentShader.replace(place, `${place}
            {
                vec3 towardsEye = normalize(vViewPosition);
                float grazing = 1.0 - clamp(dot(normal, towardsEye), 0.0, 1.0);
                float above = 0.5 + 0.5 * dot(normal, normalize((viewMatrix * vec4(0.35, 1.0, 0.25, 0.0)).xyz));
                vec3 deep = diffuseColor.rgb * diffuseColor.rgb + 0.25 * diffuseColor.rgb;
                totalEmissiveRadiance += deep * (0.1 + 0.42 * grazing * grazing) * (0.3 + 0.7 * above);
            }`);
    };
    return material;
}
