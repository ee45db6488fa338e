#pragma once

#include "elastic/model.hpp"

namespace turgor {

/// Cells that keep their volume (docs/methods.md, "Cells").
const ElasticModel& cells_model();

}  // namespace turgor
