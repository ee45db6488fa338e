#pragma once

namespace turgor {

inline constexpr double papers_step = 0.005;  ///< [s], what rates in the papers are for

}  // namespace turgor
