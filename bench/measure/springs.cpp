#include "measure/springs.hpp"

#include <cmath>
#include <cstdio>

#include "base/integrate.hpp"

namespace turgor::measure {
namespace {

std::string with_two_digits(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", value);
    return text.data();
}

}  // namespace

const std::array<SpringTable, 2> spring_tables{
    {{"2.1",
      0.1,
      {"0.1", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"},
      {"10.00", "9.95", "9.80", "9.55", "9.21", "8.78", "8.25"},
      {"10.00", "9.90", "9.70", "9.40", "9.01", "8.53", "7.97"},
      {"0.00", "-1.00", "-1.99", "-2.96", "-3.90", "-4.80", "-5.66"}},
     {"2.2",
      2,
      {"0.00", "2.0", "4.0", "6.0", "8.0", "10.0", "12.0"},
      {"10.00", "-4.16", "-6.54", "9.60", "-1.46", "-8.39", "8.44"},
      {"10.00", "-30.00", "50.00", "-70.00", "90.00", "-110.00", "130.00"},
      {"0.00", "-20.00", "40.00", "-60.00", "80.00", "-100.00", "120.00"}}}};

std::vector<SpringState> spring_steps(double h, int steps) {
    std::vector<SpringState> states{{10, 0}};
    for (int k = 0; k < steps; ++k) {
        Vec3 x{states.back().x, 0, 0}, v{states.back().v, 0, 0};
        symplectic_euler(x, v, -1.0 * x, h);
        states.push_back({x.x, v.x});
    }
    return states;
}

SpringRows spring_rows(double h) {
    SpringRows rows;
    const auto states = spring_steps(h, static_cast<int>(rows.x.size()) - 1);
    for (std::size_t k = 0; k < states.size(); ++k) {
        rows.exact[k] = with_two_digits(10 * std::cos(static_cast<double>(k) * h));
        rows.x[k] = with_two_digits(states[k].x);
        rows.v[k] = with_two_digits(states[k].v);
    }
    return rows;
}

}  // namespace turgor::measure
