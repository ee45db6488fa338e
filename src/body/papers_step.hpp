#pragma once

#include "device/shared/constants.h"

namespace turgor {

inline constexpr double papers_step =
    TURGOR_PAPERS_STEP;  ///< [s], what rates in the papers are for

}  // namespace turgor
