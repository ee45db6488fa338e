import {
    BoxGeometry, CapsuleGeometry, CircleGeometry, Color, DirectionalLight, DoubleSide, Fog, Group,
    HemisphereLight, LatheGeometry, Mesh, MeshPhysicalMaterial, MeshStandardMaterial, NeutralToneMapping,
    PCFSoftShadowMap, PerspectiveCamera, PMREMGenerator, Points, PointsMaterial, Scene,
    SphereGeometry, Vector2, Vector3, WebGLRenderer, BufferGeometry, BufferAttribute, Box3,
} from 'three';
import {RoomEnvironment} from 'three/addons/environments/RoomEnvironment.js';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import type {Body, ColliderDescription, Rigid, World} from 'turgor-web';
import {bodyMaterial, fixGrain, lookOf, pointsMaterial} from './looks.js';

const looks = {
    light: {back: 0xf4ece4, ground: 0xefe4d9, sky: 0xfff4ea, earth: 0xcfae9b, sun: 2.1, fill: 0.75, around: 0.32},
    dark: {back: 0x15131c, ground: 0x2b2636, sky: 0xb9b3e0, earth: 0x2c2030, sun: 1.9, fill: 0.4, around: 0.3},
};

type ThingMesh = Mesh<BufferGeometry, MeshStandardMaterial>;
/** A cloud, which has no triangles. */
type ThingPoints = Points<BufferGeometry, PointsMaterial>;

/** A mesh that follows a body of the world. */
interface Follower {
    drawn: Body | Rigid;
    mesh: ThingMesh | ThingPoints;
    /** Of a soft body. */
    look?: string;
}

/** Camera, light, ground, and what stands on it. */
export class Stage {
    readonly camera = new PerspectiveCamera(35, 1, 0.01, 400);
    readonly controls: OrbitControls;
    private readonly renderer: WebGLRenderer;
    private readonly scene = new Scene();
    private readonly sun = new DirectionalLight(0xfff2e2, 2);
    private readonly sky = new HemisphereLight(0xffffff, 0xffffff, 1);
    private readonly ground: Mesh<CircleGeometry, MeshStandardMaterial>;
    private readonly things = new Group();
    private followers: Follower[] = [];
    private colliders: {mesh: ThingMesh; index: number}[] = [];
    /** Of the scene before. They go once the new one is drawn: shaders which both use are not compiled again. */
    private leaving: (ThingMesh | ThingPoints)[] = [];
    /** Pixels drawn for each of the page's. */
    private sharpness = Math.min(devicePixelRatio, 2);
    /** Width and height of what the controls do not cover [pixels]. */
    private free: [number, number] = [1, 1];
    private interval = 30;
    private lastPicture = 0;
    private lastChange = 0;
    private readonly target = new Mesh(new SphereGeometry(1, 24, 16),
        new MeshStandardMaterial({color: 0xffffff, emissive: 0xffffff, emissiveIntensity: 0.6}));

    constructor(private readonly canvas: HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({canvas, antialias: true, powerPreference: 'high-performance'});
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFSoftShadowMap;
        const environment = new PMREMGenerator(this.renderer);
        this.scene.environment = environment.fromScene(new RoomEnvironment(), 0.04).texture;
        environment.dispose();
        this.ground = new Mesh(new CircleGeometry(1, 96), new MeshStandardMaterial({roughness: 0.95, metalness: 0}));
        this.ground.rotation.x = -Math.PI / 2;
        this.ground.receiveShadow = true;
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.radius = 5;
        this.sun.shadow.normalBias = 0.02;
        this.target.visible = false;
        this.scene.add(this.sun, this.sun.target, this.sky, this.ground, this.things, this.target);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = !matchMedia('(prefers-reduced-motion: reduce)').matches;
        this.controls.dampingFactor = 0.08;
        this.controls.maxPolarAngle = Math.PI / 2 - 0.02;
        this.controls.enablePan = false;
        const dark = matchMedia('(prefers-color-scheme: dark)');
        dark.addEventListener('change', () => this.look(dark.matches));
        this.look(dark.matches);
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.resize();
    }

    private look(dark: boolean): void {
        const look = dark ? looks.dark : looks.light;
        this.scene.background = new Color(look.back);
        this.scene.fog = new Fog(look.back, 10, 40);
        this.ground.material.color.set(look.ground);
        this.sky.color.set(look.sky);
        this.sky.groundColor.set(look.earth);
        this.sky.intensity = look.fill;
        this.sun.intensity = look.sun;
        this.scene.environmentIntensity = look.around;
        this.renderer.toneMappingExposure = dark ? 0.95 : 0.9;
    }

    /** Fewer pixels where pictures take long, more where there is time. */
    private adapt(now: number): void {
        this.interval += 0.1 * (Math.min(now - this.lastPicture, 500) - this.interval);
        this.lastPicture = now;
        if (now - this.lastChange < 1000) return;
        const finest = Math.min(devicePixelRatio, 2);
        let {sharpness} = this;
        if (this.interval > 40) sharpness = Math.max(0.5, 0.8 * sharpness);
        if (this.interval < 20) sharpness = Math.min(finest, 1.15 * sharpness);
        if (sharpness === this.sharpness) return;
        this.sharpness = sharpness;
        this.lastChange = now;
        this.resize();
    }

    private resize(): void {
        const {clientWidth: width, clientHeight: height} = this.canvas;
        this.renderer.setPixelRatio(this.sharpness);
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(1, height);
        // The middle of the picture is the middle of what the controls leave free.
        const [right, bottom] = width > 720 ? [320, 0] : [0, 96];
        this.free = [Math.max(1, width - right), Math.max(1, height - bottom)];
        this.camera.setViewOffset(width, height, right / 2, bottom / 2, width, height);
    }

    /** Everything that the world has, from the beginning. */
    show(world: World): void {
        this.leaving.push(...[...this.followers, ...this.colliders].map(({mesh}) => mesh));
        this.things.clear();
        this.followers = [];
        this.colliders = [];
        world.colliders.forEach((collider, index) => this.addCollider(collider, index));
        this.addNew(world);
        this.ground.visible = world.colliders.some(({shape}) => shape === 'plane');
        this.follow(world);
    }

    /** What came since. */
    addNew(world: World): void {
        const known = new Set(this.followers.map(({drawn}) => drawn));
        for (const drawn of [...world.bodies, ...world.rigids])
            if (!known.has(drawn)) this.addFollower(drawn, world.rigids.includes(drawn as Rigid));
        this.showMaterials(world);
    }

    private addFollower(drawn: Body | Rigid, rigid: boolean): void {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(drawn.positions, 3));
        geometry.setAttribute('normal', new BufferAttribute(drawn.normals, 3));
        const color = drawn.color as [number, number, number];
        const points = drawn.indices.length === 0 && 'description' in drawn;
        if (!points) geometry.setIndex(new BufferAttribute(drawn.indices, 1));
        const material = rigid
            ? new MeshStandardMaterial({
                color: new Color().setRGB(...color), roughness: 0.35, metalness: 0.6, flatShading: true,
            })
            : new MeshStandardMaterial();  // until showMaterials
        const mesh = points
            ? new Points(geometry, pointsMaterial(color, drawn.description.size, drawn.positions.length / 3))
            : new Mesh(geometry, material);
        mesh.castShadow = true;
        mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        this.things.add(mesh);
        this.followers.push({drawn, mesh});
        drawn.attach(geometry);
        if (!rigid) fixGrain(geometry);
    }

    /** Bodies look like their materials, which may have changed. */
    showMaterials(world: World): void {
        for (const follower of this.followers) {
            const body = world.bodies.find((candidate) => candidate === follower.drawn);
            if (!body || follower.mesh instanceof Points) continue;
            const {size, material: {surface}} = body.description;
            if (follower.look === lookOf(surface)) continue;
            follower.look = lookOf(surface);
            follower.mesh.material.dispose();
            follower.mesh.material =
                bodyMaterial(surface, body.color as [number, number, number], size, this.scene.environment);
        }
    }

    private addCollider(collider: ColliderDescription, index: number): void {
        const geometry = colliderGeometry(collider);
        if (!geometry || collider.sensor) return;
        const glass = collider.shape === 'cup' || collider.shape === 'box';
        const material = glass
            ? new MeshPhysicalMaterial({
                color: 0xdfe9f2, transparent: true, opacity: 0.15, roughness: 0.12, side: DoubleSide, depthWrite: false,
            })
            : new MeshStandardMaterial({color: 0xcdbfb8, roughness: 0.95, side: DoubleSide});
        const mesh = new Mesh(geometry, material);
        mesh.castShadow = !glass;
        mesh.receiveShadow = !glass;
        this.things.add(mesh);
        this.colliders.push({mesh, index});
    }

    private follow(world: World): void {
        for (const {mesh, index} of this.colliders) {
            const [x, y, z, qx, qy, qz, qw] = world.colliderPose(index);
            mesh.position.set(x!, y!, z!);
            mesh.quaternion.set(qx!, qy!, qz!, qw!);
        }
        if (this.ground.visible) this.placeGround(world);
    }

    private placeGround(world: World): void {
        const plane = world.colliders.findIndex(({shape}) => shape === 'plane');
        const [x, y, z, qx, qy, qz, qw] = world.colliderPose(plane);
        this.ground.position.set(x!, y!, z!);
        this.ground.quaternion.set(qx!, qy!, qz!, qw!);
        this.ground.rotateX(-Math.PI / 2);
    }

    /** Puts the camera where bodies and the place they will fall to fill the picture: in front, right and above. */
    frame(world: World): void {
        const box = new Box3();
        let largest = 0.1;
        for (const {mesh} of this.followers) {
            mesh.geometry.computeBoundingBox();
            box.union(mesh.geometry.boundingBox!);
        }
        for (const {description} of world.bodies) largest = Math.max(largest, description.size);
        for (const {mesh} of this.colliders) box.expandByObject(mesh);
        if (box.isEmpty()) box.set(new Vector3(-1, 0, -1), new Vector3(1, 1, 1));
        if (this.ground.visible && box.min.y > 0 && box.min.y < 20 * largest)
            box.min.y = Math.min(0, this.ground.position.y);
        const size = box.getSize(new Vector3());
        // As wide and high as the box looks from there. What is high up will fall into the picture.
        const width = Math.max(0.9 * size.x + 0.44 * size.z, 3 * largest);
        const height = Math.min(size.y, 1.2 * width) + 0.25 * (0.44 * size.x + 0.9 * size.z);
        const middle = box.getCenter(new Vector3()).setY(box.min.y + 0.38 * height);
        const [across, down] = this.free;
        const high = this.canvas.clientHeight;
        const needed = 1.25 * Math.max(height * high / down, 1.1 * width * high / across);
        const distance = needed / (2 * Math.tan(this.camera.fov * Math.PI / 360)) + 0.3 * width;
        this.controls.target.copy(middle);
        this.camera.position.copy(middle).add(new Vector3(0.42, 0.3, 0.86).normalize().multiplyScalar(distance));
        this.controls.minDistance = 0.3 * distance;
        this.controls.maxDistance = 4 * distance;
        this.camera.near = distance / 200;
        this.camera.far = distance * 30;
        this.camera.updateProjectionMatrix();
        this.light(middle, Math.max(width, height), distance);
    }

    private light(middle: Vector3, reach: number, distance: number): void {
        this.sun.target.position.copy(middle);
        this.sun.position.copy(middle).add(new Vector3(0.55, 1.15, 0.5).multiplyScalar(2.2 * reach));
        const {camera} = this.sun.shadow;
        camera.left = camera.bottom = -1.4 * reach;
        camera.right = camera.top = 1.4 * reach;
        camera.near = 0.1 * reach;
        camera.far = 7 * reach;
        camera.updateProjectionMatrix();
        const fog = this.scene.fog as Fog;
        fog.near = 1.5 * distance;
        fog.far = 7 * distance;
        this.ground.scale.setScalar(8 * distance);
    }

    get bodyMeshes(): Follower[] {
        return this.followers.filter(({drawn}) => 'description' in drawn);
    }

    showTarget(at: Vector3 | null, size = 1): void {
        this.target.visible = at !== null;
        if (at) this.target.position.copy(at);
        this.target.scale.setScalar(0.035 * size);
    }

    /** Where a pointer is, as the camera has it. */
    pointer(event: {clientX: number; clientY: number}): Vector2 {
        const {left, top, width, height} = this.canvas.getBoundingClientRect();
        return new Vector2((event.clientX - left) / width * 2 - 1, 1 - (event.clientY - top) / height * 2);
    }

    /** Radians about the middle, and a factor of the distance. */
    turn(around: number, up: number, zoom = 1): void {
        const offset = this.camera.position.clone().sub(this.controls.target);
        const {minDistance, maxDistance} = this.controls;
        const distance = Math.min(maxDistance, Math.max(minDistance, offset.length() * zoom));
        const angle = Math.atan2(offset.x, offset.z) + around;
        const height = Math.min(1.5, Math.max(0.02, Math.asin(offset.y / offset.length()) + up));
        offset.set(Math.sin(angle) * Math.cos(height), Math.sin(height), Math.cos(angle) * Math.cos(height));
        this.camera.position.copy(this.controls.target).addScaledVector(offset, distance);
    }

    draw(world: World, now: number): void {
        this.adapt(now);
        this.follow(world);
        this.controls.update();
        this.renderer.render(this.scene, this.camera);
        for (const {geometry, material} of this.leaving.splice(0)) {
            geometry.dispose();
            material.dispose();
        }
    }
}

function colliderGeometry(c: ColliderDescription): BufferGeometry | null {
    if (c.shape === 'sphere') return new SphereGeometry(c.radius, 48, 32);
    if (c.shape === 'box') return new BoxGeometry(...c.halfExtent.map((half) => 2 * half) as [number, number, number]);
    if (c.shape === 'capsule') return new CapsuleGeometry(c.radius, Math.max(0.001, c.height - 2 * c.radius), 12, 32);
    if (c.shape === 'cup') return cupGeometry(c);
    if (!c.mesh) return null;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from(c.mesh.positions), 3));
    geometry.setIndex(c.mesh.indices);
    geometry.computeVertexNormals();
    return geometry;
}

function cupGeometry({radius, height, wall}: ColliderDescription): BufferGeometry {
    const outer = radius + wall;
    const bottom = -0.97 * wall;  // just above a ground that it stands on
    const profile = [[0, 0], [radius, 0], [radius, height], [outer, height], [outer, bottom], [0, bottom]] as const;
    return new LatheGeometry(profile.map(([x, y]) => new Vector2(x, y)), 96);
}
