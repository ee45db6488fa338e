// Read by C++ and by OpenCL C alike: what the host tells the kernels of bake/detail.cl about bodies
// that are to be shown.
#ifndef TURGOR_DISPLAY_INPUT_H
#define TURGOR_DISPLAY_INPUT_H

#ifndef __OPENCL_VERSION__
#include "device/shared/device_body.h"

namespace turgor::device {
#endif

/// One of the bodies that are evaluated together. What is found out about its vertices stands in
/// the order of the mesh, and behind it what is found out about those of its display mesh.
typedef struct {
    double3 origin;         ///< [m]
    uint first;             ///< its first particle in the arrays of all bodies
    uint asset;             ///< likewise of all assets
    uint vertex;            ///< likewise in vertex_of_particle
    uint binding;           ///< its first in the tables of display meshes
    uint particles, bound;  ///< vertices of the mesh and of the display mesh
    uint shown;             ///< its first vertex in the results
    uint point;             ///< its first display vertex relative to the origin
} DisplayBody;

/// One work-group's vertices.
typedef struct {
    uint body;
    uint begin, end;
} DisplayBlock;

/// A DetailBinding with the corners of its triangle.
typedef struct {
    uint particle[3], vertex[3];
    uint edge;
    float offset;
    float b, c;  ///< barycentric coordinates of the second and the third corner
    float rest_error[3];
} BindingInput;

#ifndef __OPENCL_VERSION__
static_assert(sizeof(DisplayBody) == 64);
}  // namespace turgor::device
#endif
#endif
