#pragma once

#include "elastic/model.hpp"

namespace turgor {

const ElasticModel& meshless_model();

}  // namespace turgor
