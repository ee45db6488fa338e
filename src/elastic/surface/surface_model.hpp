#pragma once

#include "elastic/model.hpp"

namespace turgor {

/// Method A: shape matching over the overlapping regions of a surface mesh (paper 000).
const ElasticModel& surface_model();

}  // namespace turgor
