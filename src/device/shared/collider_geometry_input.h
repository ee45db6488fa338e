// Read by C++ and by OpenCL C alike, after world/device_body.h: the surfaces of colliders of
// triangles (contact/collider_geometry.hpp) in a device's memory, all in one set of arrays.
#ifndef TURGOR_COLLIDER_GEOMETRY_INPUT_H
#define TURGOR_COLLIDER_GEOMETRY_INPUT_H

#ifndef __OPENCL_VERSION__
#include "device/shared/device_body.h"

namespace turgor::device {
#endif

/// A node of a TriangleTree, and what its triangles look like from afar.
typedef struct {
    double lower[3], upper[3];
    double normal[3];  ///< Σ area × normal
    double area;
    uint first, count;  ///< of a leaf's triangles; where count is 0 the children are first, first+1
} NodeInput;

/// In the order of the tree.
typedef struct {
    double corner[9];
    uint triangle;  ///< its place in the mesh
    uint padding;
} TriangleInput;

/// Normals of a triangle; those of edges and vertices are of a closed mesh (MeshGeometry::outward).
typedef struct {
    double face[3], edge[9], vertex[9];
} NormalsInput;

/// Of the heights within a node of a HeightGrid.
typedef struct {
    double low, high;
} RangeInput;

/// A surface: where its parts begin in the arrays of all.
typedef struct {
    double spacing_x, spacing_z, half_x, half_z;  ///< of a height field
    uint columns, rows;                           ///< likewise; a mesh has none
    uint node, triangle;                          ///< of a mesh
    uint height, range;                           ///< of a height field
} ColliderGeometryInput;

#ifndef __OPENCL_VERSION__
}  // namespace turgor::device
#endif
#endif
