#include <cmath>

#include "measure/published.hpp"
#include "validate_groups.hpp"

namespace turgor {
namespace {

using measure::Form;

/// The figure of both forms, side by side; a limit for ours.
template <class Measure>
void both(Figures& out, const std::string& what, double limit, Measure&& measure_of) {
    const double published = measure_of(Form::published), turgor = measure_of(Form::turgor);
    out.at_most(fmt::format("{}: {:.3g} as published,", what, published), turgor, limit);
}

}  // namespace

void published_formulation(Figures& out) {
    out.section("The meshless model as published in 2005, and Turgor's own");
    const std::pair<MeshlessMode, const char*> modes[] = {{MeshlessMode::rigid, "rigid"},
                                                          {MeshlessMode::linear, "linear"},
                                                          {MeshlessMode::quadratic, "quadratic"}};
    for (const int clusters : {1, 4, 8})
        for (const auto& [mode, name] : modes) {
            const auto balance = [&](Form form) {
                return measure::imbalance_of_goals(form, mode, clusters);
            };
            const std::string what = fmt::format("{}, {} clusters, ", name, clusters);
            both(out, what + "net force", 1e-12, [&](Form f) { return balance(f).force; });
            both(out, what + "net torque", 1e-12, [&](Form f) { return balance(f).torque; });
        }
    both(out, "goals of a 2 % plate off [m]", 5e-3, measure::goals_off_a_plate);
    for (const double height : {0.1, 1e-3, 1e-5, 0.0, -0.5})
        both(out, fmt::format("cube pressed to {} of its height: [m/s]", height), 200,
             [&](Form f) { return measure::speed_after_pressing(f, height); });
    for (const double beta : {0.8, 0.95, 1.0})
        both(out, fmt::format("bar thrown to bend, β = {}: reaches out to [m]", beta), 2,
             [&](Form f) { return measure::reach_of_quadratic(f, beta); });
    for (const double seconds : {1.0, 10.0})
        both(out, fmt::format("angular momentum lost in {} s", seconds), 1e-6,
             [&](Form f) { return std::abs(1 - measure::spin_left(f, seconds)); });
    const double steps[] = {0.001, 0.005, 1.0 / 60, 0.04};
    for (const double h : steps)
        both(out, fmt::format("4 Hz in steps of {:.3g} ms: away by", 1000 * h), 0.02,
             [&](Form f) { return std::abs(measure::wobble(f, h) / 4 - 1); });
    for (const double flow_time : {0.03, 0.005})
        for (const double h : steps)
            both(out,
                 fmt::format("held stretch, flow time {} s, {:.3g} ms: kept wrong by", flow_time,
                             1000 * h),
                 1e-12, [&](Form f) {
                     return std::abs(measure::kept_stretch(f, h, flow_time) -
                                     measure::true_kept_stretch(flow_time));
                 });
    for (const double angle : {90.0, 180.0}) {
        const double published = measure::kept_twist(Form::published, angle);
        out.at_least(
            fmt::format("clay twisted by {}°: {:.3g} as published, kept [°]", angle, published),
            measure::kept_twist(Form::turgor, angle), 0.5 * angle);
    }
}

}  // namespace turgor
