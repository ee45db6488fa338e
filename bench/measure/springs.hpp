#pragma once

#include <array>
#include <string>
#include <vector>

/// The worked example of Voigt, Flower and Weisser 2005, a report on Müller et al. 2005: a mass of
/// 1 on a spring of stiffness 1, let go at 10 (section 2.3.3).
namespace turgor::measure {

struct SpringState {
    double x = 0, v = 0;
};

/// Symplectic Euler: the state at 0 and after each step.
std::vector<SpringState> spring_steps(double h, int steps);

/// A table of the report, as printed.
struct SpringTable {
    const char* number;
    double h;  ///< [s]
    std::array<const char*, 7> time, exact, x, v;
};
/// 2.1 and 2.2. The first column of 2.1 is headed 0.1 there; its numbers are those of 0.0.
extern const std::array<SpringTable, 2> spring_tables;

struct SpringRows {
    std::array<std::string, 7> exact, x, v;
};
/// The same numbers of ours, to as many digits.
SpringRows spring_rows(double h);

}  // namespace turgor::measure
