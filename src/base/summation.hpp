#pragma once

namespace turgor {

/// How sums over regions are made: by differences of prefix sums (METHODS A2), or particle by
/// particle, for comparison. In fixed point both give the same bits.
enum class Summation { fast, naive };

}  // namespace turgor
