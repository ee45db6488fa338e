import {Plane, Raycaster, Vector3} from 'three';
import type {Grip, Vector3 as Point, World} from 'turgor-web';
import type {Stage} from './stage.js';

const toPoint = ({x, y, z}: Vector3): Point => [x, y, z];

/** Pulls bodies with the mouse or a finger; what misses them all is left to the camera. */
export class Hand {
    private readonly ray = new Raycaster();
    private readonly plane = new Plane();
    private lastHover = 0;
    private pulling: {pointer: number; grip: Promise<Grip | null>; size: number; at: Vector3} | null = null;

    constructor(private readonly canvas: HTMLCanvasElement, private readonly stage: Stage,
        private readonly world: () => World) {
        // Before the camera's own listeners, which must not turn the view meanwhile.
        canvas.addEventListener('pointerdown', (event) => this.begin(event), {capture: true});
        canvas.addEventListener('pointermove', (event) => this.move(event));
        for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
            canvas.addEventListener(end, (event) => this.end(event.pointerId));
    }

    /** Lets go of whatever it holds. */
    letGo(): void {
        if (this.pulling) this.end(this.pulling.pointer);
    }

    private aim(event: PointerEvent): void {
        this.ray.setFromCamera(this.stage.pointer(event), this.stage.camera);
    }

    private hit(event: PointerEvent) {
        this.aim(event);
        // How far from a point of a cloud still hits it; what it grabs is the cage around it.
        this.ray.params.Points.threshold = 0.01 * this.stage.camera.position.distanceTo(this.stage.controls.target);
        return this.ray.intersectObjects(this.stage.bodyMeshes.map(({mesh}) => mesh), false)[0];
    }

    private begin(event: PointerEvent): void {
        if (this.pulling || event.button !== 0) return;
        const hit = this.hit(event);
        if (!hit) return;
        this.stage.controls.enabled = false;
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.classList.add('pulling');
        const towardsEye = this.stage.camera.getWorldDirection(new Vector3()).negate();
        this.plane.setFromNormalAndCoplanarPoint(towardsEye, hit.point);
        const {origin, direction} = this.ray.ray;
        const size = this.stage.camera.position.distanceTo(hit.point) / 4;
        const grip = this.world().grab(toPoint(origin), toPoint(direction)).catch(() => null);
        this.pulling = {pointer: event.pointerId, grip, size, at: hit.point};
        this.stage.showTarget(hit.point, size);
    }

    private move(event: PointerEvent): void {
        const pulling = this.pulling;
        if (!pulling) {
            if (event.pointerType === 'mouse' && event.buttons === 0) this.hover(event);
            return;
        }
        if (event.pointerId !== pulling.pointer) return;
        this.aim(event);
        const at = this.ray.ray.intersectPlane(this.plane, new Vector3());
        if (!at) return;
        pulling.at = at;
        this.stage.showTarget(at, pulling.size);
        void pulling.grip.then((grip) => {
            if (this.pulling === pulling) grip?.moveTo(toPoint(pulling.at));
        });
    }

    /** A pointer over a body looks different. Looking for it asks every triangle, so not at each move. */
    private hover(event: PointerEvent): void {
        if (event.timeStamp - this.lastHover < 100) return;
        this.lastHover = event.timeStamp;
        this.canvas.classList.toggle('over', this.hit(event) !== undefined);
    }

    private end(pointer: number): void {
        if (this.pulling?.pointer !== pointer) return;
        void this.pulling.grip.then((grip) => grip?.release());
        this.pulling = null;
        this.stage.controls.enabled = true;
        this.canvas.classList.remove('pulling');
        this.stage.showTarget(null);
    }
}
