// Read by C++ and by OpenCL C alike: what the host and the kernels of the opencl back end tell each
// other about bodies that meet others or themselves.
#ifndef TURGOR_DEVICE_CONTACT_H
#define TURGOR_DEVICE_CONTACT_H

#ifndef __OPENCL_VERSION__
#include "device/shared/device_body.h"

namespace turgor::device {
struct uint4 {
    uint x = 0, y = 0, z = 0, w = 0;
};
#endif

#define NONE 0xffffffffu

/// The leaves of a tree over a surface (CollisionLeaves): leaf k of n has the items
/// [k·count/n, (k+1)·count/n) from `first` on, and n is a power of two from 8 on, or 0 for no tree.
typedef struct {
    uint first, count, leaves;
    uint group;  ///< the first of the body's BoxGroups for it
} LeavesInput;

/// A body's surface; by the slot of the body.
typedef struct {
    LeavesInput triangles, vertices, edges;  ///< those of vertices have boxes instead of groups
    uint around;        ///< the first particle's place in the lists of triangles around particles
    uint cluster;       ///< the first leaf of vertices in the arrays of all bodies
    uint island;        ///< or NONE: it meets nobody in this step, not even itself
    uint pair_first, pair_count;  ///< in the list of pairs by bodies
    uint looks_ahead;   ///< for the next step, whether it may touch itself then
    double least_edge;  ///< of all bodies of its island [m]
} CollisionSurfaceInput;

/// Two bodies that may meet in a step; or a body and itself.
typedef struct {
    uint body[2];  ///< slots
    uint island;   ///< NONE: a body and itself that only looks ahead
    uint sub_steps;
    uint first_cell;
    uint cells[3];  ///< leaves of vertices of the first, of the second, of edges of the first
    uint number;    ///< for a direction where nothing else gives one
    float friction, static_friction, restitution;
    double edge;    ///< the smaller mean edge [m]
    double motion;  ///< how far they may move towards each other in a sub-step [m]
    double size;    ///< of the smaller one [m]
    double sticking_speed, least_bounce;  ///< [m/s]
    double first_share;  ///< of the way apart that the first goes
} PairInput;

/// What is known about a pair from sub-step to sub-step, and what a sub-step found out.
typedef struct {
    double3 push;  ///< Σ of how the first was pushed away, fading [kg m]
    double3 separation_direction;
    double3 point, normal;  ///< of the first touch; the point in the world
    double3 points[2];      ///< Σ of where they touch, relative to the origin of each
    double3 pushed;         ///< of this sub-step [kg m]
    double impulse;         ///< [N s]
    uint known;             ///< they were near each other before
    uint separating;           ///< they overlap too far and are being separated as wholes
    uint touched;
    uint look;  ///< PAIR_…
    uint deep, near;
    uint contact_points;
    uint constraint_first, constraints;
    uint padding;
} PairState;
/// How closely the two have to be looked at.
enum { PAIR_FAR, PAIR_NEAR, PAIR_SAME_PLACE, PAIR_OVERLAPS };

/// Some leaves of a surface that are looked at for one pair.
typedef struct {
    uint pair, kind, begin, end;  ///< kind: which of PairInput::cells
} CellRange;
/// Leaves of a CellRange at most.
#define CELLS_AT_ONCE 32u

/// What lies near something else (NearVertex, NearEdgePair): the particles of one side with positive,
/// those of the other with negative weights.
typedef struct {
    uint particle[4];  ///< of all bodies
    float weight[4];
    float normal[3];   ///< towards the first side
    float distance;    ///< [m], negative inside
    uint of_first;     ///< how many of the particles are of the first side
    uint side;         ///< of the pair, that the first side is
    uint same_side;    ///< 1: the surfaces coincide and their bodies are on the same side
    uint padding;
} NearFeature;

/// A contact between two bodies, or of one with itself (ContactConstraint). Its sides keep
/// normal · Σ weight x ≥ thickness.
typedef struct {
    uint particle[4];
    float weight[4];
    float pull[4];  ///< weight / mass
    float4 normal;  ///< w: slack, how much closer they were when the step began [m]
    float4 push;     ///< friction so far; w: along the normal [kg m]
    float4 no_slip_offset;  ///< Σ weight x where nothing has slipped since the step began; w: friction
    float4 impulse;    ///< the same for velocities [kg m/s]
    float normal_mass;  ///< effective mass along the normal, 1 / Σ weight²/m [kg]
    float approach;    ///< normal velocity before, negative: closing [m/s]
    float wanted_velocity;      ///< normal velocity after [m/s]
    float distance;
    uint of_first, side;
    uint padding[2];
} ConstraintState;

/// What the bodies of an island have in common in a sub-step.
typedef struct {
    uint pair_first, pair_count;  ///< in the list of pairs by islands
    uint sub_steps;
    uint overlaps;   ///< something is too close when the sub-step begins
    uint grounded;   ///< somebody touches a collider
    float enough;    ///< a sweep that moves nothing by more is the last one [m]
    uint moved[10];  ///< by each sweep at most, as bits of a float, after what to begin with
} IslandState;

/// A cluster of vertices and when it was last looked at (SelfContact::Cluster).
typedef struct {
    double gap, seen;
} ClusterState;

/// A body as the search for pairs needs it, and where it may come during the next step.
typedef struct {
    double3 fall;   ///< change of its velocity in the step [m/s]
    double margin;  ///< around its particles [m]
    uint slot, asleep;
    uint layers, collides_with;
    uint padding[2];
} SweptInput;
typedef struct {
    double3 lower, upper;
    long cell[3];
    int grid;
    uint hash;
} SweptBox;

#ifndef __OPENCL_VERSION__
struct Two {
    uint first = 0, second = 0;
};
static_assert(sizeof(SweptInput) == 64 && sizeof(SweptBox) == 96);
static_assert(sizeof(CollisionSurfaceInput) == 80 && sizeof(PairInput) == 96 && sizeof(NearFeature) == 64 &&
              sizeof(ConstraintState) == 144 && sizeof(IslandState) == 64 &&
              sizeof(PairState) % 32 == 0);
}  // namespace turgor::device
#endif
#endif
