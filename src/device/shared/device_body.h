// Read by C++ and by OpenCL C alike: what the host and the kernels of the opencl back end tell each
// other about bodies. OpenCL's double3 has the size of four doubles.
#ifndef TURGOR_DEVICE_BODY_H
#define TURGOR_DEVICE_BODY_H

#ifndef __OPENCL_VERSION__
#include <cstdint>

#include "base/quad.hpp"

namespace turgor::device {
using uint = std::uint32_t;
struct alignas(32) double3 {
    double x = 0, y = 0, z = 0;
};
using float4 = Quad;
#endif

/// One work-group's particles: a block of a body (body/cpu_asset.hpp).
typedef struct {
    uint body;
    uint begin, end;  ///< of the body's particles, padding included
    uint row;         ///< of `begin` in the prefix arrays of all bodies
} BlockInput;

/// What a body is and what it is to do in this step; the host writes it.
typedef struct {
    uint first;               ///< its first particle in the arrays of all bodies
    uint asset;               ///< its first particle in the arrays of all assets
    uint first_row;           ///< in the prefix arrays
    uint first_block, blocks;
    uint count;               ///< particles, without padding
    uint volume_mode;         ///< as VolumeMode
    uint sub_steps;
    uint handle_first, handle_count;      ///< HandleInput of its first sub-step; of each
    uint obstacle_first, obstacle_count;  ///< ObstacleInput
    uint collider_first, colliders;  ///< ColliderInput of its first sub-step; of each sub-step
    uint may_recover;
    uint settles;
    uint model;  ///< its elastic model's number (DeviceStep::models)
    float h;     ///< of a sub-step [s]
    float alpha, beta;
    float rounding;        ///< of local weights (measure_shape)
    float reach;           ///< of its CpuAsset
    float largest_region;  ///< particles of the largest of its CpuRegions
    float elastic[8];      ///< what its model tells its own kernels (DeviceElasticity::describe)
    uint padding;
    double whole_mass;  ///< for density 1
    double density;
    double rest_volume, size, mean_edge;
    double comfortable;  ///< push of a volume correction [m]
    double depenetration_share;   ///< of the way out of a collider, in a sub-step
    double least_bounce, sticking_speed;
    double keep;  ///< of velocities that are not rigid, in a sub-step
    double roll;  ///< of turning, taken off where it touches
    double settling_speed;  ///< below which a supported body is damped [m/s]
    double fade;  ///< gap at which contacts no longer hold against a correction [m]
    double step, time;  ///< of a sub-step, and when the first begins [s]
    double mass;        ///< with its density [kg]
    double3 acceleration;
} BodyInput;

/// Where something is.
typedef struct {
    double3 position;
    double rotation[4];  ///< w, x, y, z
} PoseInput;

/// A collider during one sub-step.
typedef struct {
    PoseInput start, end;
    double3 half_extent;
    double radius, height, wall;
    double thickness;  ///< of a shell; 0: solid
    uint shape;        ///< as ColliderShape
    uint moves;
    uint surface;  ///< of one of triangles
    uint padding;
} ColliderInput;

/// A collider that a body may come near, and the friction with it.
typedef struct {
    uint collider;  ///< its index among those of a sub-step
    uint sensor;
    float friction, static_friction, restitution;
} ObstacleInput;

/// A particle that something outside holds or pulls, in the order in which it is done.
typedef struct {
    double3 target, target_velocity;  ///< at the end of the sub-step
    double3 force;                    ///< [N], of a force
    double rate;                      ///< of the spring [rad/s]
    uint particle;
    uint kind;   ///< HANDLE_…
    uint count;  ///< of a drag: how many particles it has, this one and the next ones
    uint padding;
} HandleInput;
enum { HANDLE_DRAG, HANDLE_FOLLOW, HANDLE_FORCE, HANDLE_PIN };

enum { BODY_IN_STAGES, BODY_LOST_ITS_SHAPE, BODY_OVERFLOWED };

/// A particle at or near a collider (contact/contact.hpp), relative to the body's origin.
typedef struct {
    float point[3];
    uint obstacle;
    float normal[3];
    uint flags;  ///< CONTACT_…
    float surface_motion[3];
    float friction;
    float depth, push, approach, restitution;
    uint particle;  ///< of all bodies
    uint next;      ///< of the same particle, or NO_CONTACT
    uint padding[2];
    // Solved for once more where the body meets others (contact_constraint.cl).
    float friction_push[3], solved;
    float friction_impulse[3], normal_impulse;
    float4 x;  ///< the particle, after the step
} ContactState;
enum { CONTACT_TOUCHING = 1, CONTACT_SENSOR = 2, CONTACT_INSIDE = 4 };
#define NO_CONTACT 0xffffffffu

/// Sums over a body's motion (base/motion_sums.hpp).
typedef struct {
    double mass;
    double energy;
    double3 first, second, mixed, linear, angular;
} MotionState;

/// A body between steps, which the host can read; and between the stages of a step.
typedef struct {
    // Between steps: a CpuBody without its particles.
    double3 origin, drift;
    double3 mean_x, mean_v;
    float reach, speed, deforming;
    uint stage;  ///< BODY_…
    // What the last step found out.
    double3 low, high;  ///< the box around its particles, relative to the origin
    double volume;
    double rms, rigid;  ///< BodySpeed [m/s]
    double spread;      ///< fastest velocity relative to the mean [m/s]
    uint contacts;      ///< near colliders
    uint touching;
    // Of self contact (SelfContact).
    double clearance, travelled;
    uint self_intersecting;
    float closing;  ///< how fast parts of it that may touch close [m/s]; negative: none do
    // Between the stages.
    double3 origin_start;
    float position_scale, speed_scale;  ///< powers of two
    float predicted_reach;
    uint pinned;
    float4 shift, velocity;  ///< of the frame
    float4 depenetration;             ///< out of a collider that it was put into
    double3 angular_momentum_error;            ///< angular momentum that stage 2 added
    double off;              ///< missing volume
    double raw_weight, slip;
    double keep, pressure;     ///< of local weights; of supports
    double factor, pending;    ///< of the correction: made, and to be made in stage 5
    double largest;            ///< |D|
    double effect, divergence;
    double last_velocity;
    double slope_pins, largest_pins;
    float4 a, b;  ///< the field of the correction's direction
    uint round;   ///< 1: contacts want another correction
    uint found;   ///< 0: the cubic has no root that is near
    float last_keep;
    uint dither;
    MotionState free, held;
    double change_keep;
    double3 change_a, change_b;
    double3 rigid_a, rigid_b;
    // Of constraints with other bodies and with itself.
    float4 box_lower, box_upper;  ///< around x_start
    double compliance;            ///< how the volume grows with the pressure
    double missing_volume;               ///< volume [m³]
    double pressure_impulse, max_pressure;  ///< of the contact solver
    uint has_constraints;
    uint padding[7];
} BodyState;

#ifndef __OPENCL_VERSION__
static_assert(sizeof(BodyInput) % 32 == 0 && sizeof(BodyState) % 32 == 0);
}  // namespace turgor::device
#endif
#endif
