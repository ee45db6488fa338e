// Read by C++ and by OpenCL C alike: BodyInput::elastic of the surface model.
#ifndef TURGOR_SURFACE_INPUT_H
#define TURGOR_SURFACE_INPUT_H

enum {
    SURFACE_DAMPING,           ///< k
    SURFACE_STIFFNESS,         ///< s
    SURFACE_WEIGHT_STIFFNESS,  ///< of a reference step, for |c|
    SURFACE_SPIN_LIMIT         ///< RegionCpuRest::spin_limit
};

#endif
