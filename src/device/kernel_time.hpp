#pragma once

#include <cstddef>

namespace turgor {

/// What one kernel has done so far.
struct KernelTime {
    std::size_t launches = 0;
    double milliseconds = 0;  ///< of all launches
    std::size_t bytes = 0;    ///< of the arrays that one launch looks at, each counted once
};

}  // namespace turgor
