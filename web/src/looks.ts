import {
    BufferAttribute, CanvasTexture, Color, MeshPhysicalMaterial, PointsMaterial, type BufferGeometry, type Texture,
} from 'three';

type Rgb = readonly [number, number, number];

/** How bodies of one material look, by the name of its surface; `color` is of bodies that were given none. */
interface Look {
    color: Rgb;
    roughness: number;
    metalness?: number;
    /** Bumps: how high in parts of their width, how wide in parts of the body's size, how much darker in dips. */
    grain?: Rgb;
}

const looks: Record<string, Look> = {
    clay: {color: [0.42, 0.17, 0.08], roughness: 1, grain: [0.16, 0.08, 0.25]},
    dough: {color: [0.80, 0.66, 0.44], roughness: 0.95, grain: [0.07, 0.14, -0.35]},
    metal: {color: [0.56, 0.57, 0.58], roughness: 0.22, metalness: 1},
    foam: {color: [0.80, 0.66, 0.30], roughness: 1, grain: [0.12, 0.016, 0.6]},
};

/** What bodies have that were given no colour. */
const noColor = (color: Rgb): boolean => color.every((channel) => Math.abs(channel - 0.8) < 1e-6);

/** Names a look: bodies with the same one need no other material. */
export const lookOf = (surface: string): string => (Object.hasOwn(looks, surface) ? surface : 'gummy');

/** Fixes the grain to the body: to where its vertices are now. */
export function fixGrain(geometry: BufferGeometry): void {
    geometry.setAttribute('first', new BufferAttribute(geometry.attributes.position!.array.slice(), 3));
}

/** Discs at the points of a cloud on a body of that size [m], which nearly hide what is behind them. */
export function pointsMaterial(color: Rgb, size: number, points: number): PointsMaterial {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 32;
    const paper = canvas.getContext('2d')!;
    const light = paper.createRadialGradient(12, 10, 2, 16, 16, 16);
    light.addColorStop(0, '#ffffff');
    light.addColorStop(1, '#8a8a8a');
    paper.fillStyle = light;
    paper.arc(16, 16, 15, 0, 2 * Math.PI);
    paper.fill();
    // A ball of that size has π size² of surface for them.
    return new PointsMaterial({
        color: new Color().setRGB(...color), size: size * Math.sqrt(Math.PI / points),
        map: new CanvasTexture(canvas), alphaTest: 0.5,
    });
}

/** Of a body of that size [m] with fixGrain's attribute; `around` is what metal mirrors. */
export function bodyMaterial(
    surface: string, color: Rgb, size: number, around: Texture | null): MeshPhysicalMaterial {
    const look = Object.hasOwn(looks, surface) ? looks[surface] : undefined;
    if (!look) return gummyMaterial(color);
    const material = roughMaterial(look, noColor(color) ? look.color : color, size);
    // With a map of its own it is as bright as it is, whatever the scene does to it.
    if (look.metalness) material.envMap = around;
    return material;
}

const noise = `
    varying vec3 vGrain;
    uniform vec3 grain;
    float grainAt(vec3 cell) {
        cell = 17.0 * fract(0.3183099 * cell + vec3(0.71, 0.113, 0.419));
        return fract(cell.x * cell.y * cell.z * (cell.x + cell.y + cell.z));
    }
    float smoothGrain(vec3 at) {
        vec3 cell = floor(at), f = fract(at);
        f = f * f * (3.0 - 2.0 * f);
        vec2 e = vec2(0.0, 1.0);
        vec4 low = vec4(grainAt(cell), grainAt(cell + e.yxx), grainAt(cell + e.xyx), grainAt(cell + e.yyx));
        vec4 high = vec4(grainAt(cell + e.xxy), grainAt(cell + e.yxy), grainAt(cell + e.xyy), grainAt(cell + e.yyy));
        vec4 mixed = mix(low, high, f.z);
        vec2 rows = mix(mixed.xz, mixed.yw, f.x);
        return mix(rows.x, rows.y, f.y);
    }
    float grainHere() {
        vec3 finer = 2.7 * vGrain + 5.0, finest = 7.1 * vGrain + 9.0;
        return 0.6 * smoothGrain(vGrain) + 0.27 * smoothGrain(finer) + 0.13 * smoothGrain(finest);
    }`;

function roughMaterial({roughness, metalness, grain}: Look, color: Rgb, size: number): MeshPhysicalMaterial {
    const material = new MeshPhysicalMaterial({
        color: new Color().setRGB(...color), roughness, metalness: metalness ?? 0,
    });
    if (!grain) return material;
    const [height, width, speckle] = grain;
    material.onBeforeCompile = (shader) => {
        shader.uniforms.grain = {value: [height * width * size, width * size, speckle]};
        shader.vertexShader = `attribute vec3 first; uniform vec3 grain; varying vec3 vGrain;\n${shader.vertexShader}`
            .replace('#include <begin_vertex>', '#include <begin_vertex>\nvGrain = first / grain.y;');
        const color = '#include <color_fragment>', normal = '#include <normal_fragment_maps>';
        shader.fragmentShader = shader.fragmentShader
            .replace('void main() {', `${noise}\nvoid main() {`)
            .replace(color, `${color}
                float bump = grainHere();
                diffuseColor.rgb *= 1.0 - grain.z *
                    (grain.z > 0.0 ? smoothstep(0.42, 0.30, bump) : smoothstep(0.45, 0.75, bump));`)
            .replace(normal, `${normal}
            {
                vec3 across = dFdx(-vViewPosition), down = dFdy(-vViewPosition);
                vec3 r1 = cross(down, normal), r2 = cross(normal, across);
                float area = dot(across, r1);
                vec3 slope = sign(area) * grain.x * (dFdx(bump) * r1 + dFdy(bump) * r2);
                normal = normalize(abs(area) * normal - slope);
            }`);
    };
    return material;
}

/**
 * A material that light goes into: smooth and moist on top, glowing where it is thin, with shadows that keep its
 * colour. Three.js shades it as ever; the light that comes out again is added to what it emits.
 */
function gummyMaterial(color: Rgb): MeshPhysicalMaterial {
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
