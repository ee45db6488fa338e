// The ten lines of bindings/web/README.md, checked with every build of the page.
import {BufferGeometry, Camera, Mesh, Scene, WebGLRenderer} from 'three';
import {createWorld} from 'turgor-web';

export async function tenLines(
    mesh: Mesh<BufferGeometry>, scene: Scene, camera: Camera, renderer: WebGLRenderer): Promise<void> {
    const world = await createWorld();
    await world.addGround();
    await world.addBody(mesh.geometry, {material: 'gummy', position: [0, 1, 0]});
    renderer.setAnimationLoop(() => {
        world.update();
        renderer.render(scene, camera);
    });
}
