#pragma once

#include <cstdio>
#include <cstdlib>

/// Two levels of asserts, for mistakes in this library, never for bad input.
///
/// TURGOR_ASSERT is cheap (once for a body and sub-step at most) and on, at full optimisation too,
/// unless TURGOR_NO_ASSERTS is defined, as it is where Turgor is part of another project.
/// TURGOR_CHECK_ALL looks at whole bodies and is on only with -DTURGOR_CHECK_ALL_ON=1.
namespace turgor {

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    std::abort();
}

}  // namespace turgor

#define TURGOR_ALWAYS_ASSERT(condition) \
    ((condition) ? void() : ::turgor::assertion_failed(#condition, __FILE__, __LINE__))

#ifdef TURGOR_NO_ASSERTS
#define TURGOR_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#else
#define TURGOR_ASSERT(condition) TURGOR_ALWAYS_ASSERT(condition)
#endif

namespace turgor {
/// Whether TURGOR_CHECK_ALL is on: for what it needs besides.
#ifdef TURGOR_CHECK_ALL_ON
inline constexpr bool checks_all = true;
#else
inline constexpr bool checks_all = false;
#endif
}  // namespace turgor

#ifdef TURGOR_CHECK_ALL_ON
#define TURGOR_CHECK_ALL(condition) TURGOR_ALWAYS_ASSERT(condition)
#else
#define TURGOR_CHECK_ALL(condition) static_cast<void>(sizeof(!(condition)))
#endif
