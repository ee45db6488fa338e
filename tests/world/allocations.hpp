#pragma once

#include <atomic>

/// What the test program's own operator new is told, and tells (test_allocations.cpp).
namespace turgor::allocations {

extern std::atomic<bool> watched;  ///< counted, and failing where they are to
extern std::atomic<long> count;    ///< of those that were
/// The number of the first one that fails, and of the first one after it that does not.
extern std::atomic<long> fail_from, fail_until;

}  // namespace turgor::allocations
