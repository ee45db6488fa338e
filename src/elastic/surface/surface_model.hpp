#pragma once

#include "elastic/model.hpp"

namespace turgor {

/// Method A: shape matching over the overlapping regions of a surface mesh (Diziol et al. 2011).
const ElasticModel& surface_model();

}  // namespace turgor
