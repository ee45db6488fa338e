#pragma once

#include "elastic/model.hpp"

namespace turgor {

/// Method A: shape matching over the overlapping regions of a surface mesh (Diziol et al. 2011).
const ElasticModel& surface_model();

/// Its form on a device; defined in builds that have OpenCL.
std::unique_ptr<device::DeviceElasticity> make_surface_device(device::Queue& queue);

}  // namespace turgor
