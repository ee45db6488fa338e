#include "elastic/cells/cells_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "body/papers_step.hpp"

namespace turgor {
namespace {

constexpr double pi = 3.14159265358979323846;
/// Of the critical step: what is stable where cells are sheared and flattened, too.
constexpr double share_of_critical = 0.55;
constexpr double shortest_step = papers_step / 50;
/// Of the critical step: explicit damping of the fastest motion of springs stays stable.
constexpr double most_viscous = 0.06;

}  // namespace

CellsParameters derive_parameters(const CellsRest& rest, const Material& material,
                                  const WantedModuli& wanted) {
    CellsParameters p;
    const auto step_for = [&](const CellModuli& moduli) {
        return share_of_critical * critical_step(rest, moduli, material.density);
    };
    if (wanted.young || wanted.shear) {
        p.moduli.young = wanted.young.value_or(3 * wanted.shear.value_or(0));
        p.moduli.shear = wanted.shear.value_or(p.moduli.young / 3);
        if (step_for(p.moduli) < shortest_step)
            fail(ErrorCode::bad_argument,
                 "E = {} Pa and G = {} Pa of '{}' need steps of {} s with cells of {} m, shorter "
                 "than {} s: take fewer cells or a softer material.",
                 p.moduli.young, p.moduli.shear, rest.asset->name, step_for(p.moduli), rest.edge,
                 shortest_step);
        p.frequency =
            std::sqrt(wobble_of_unit_density(rest, p.moduli) / material.density) / (2 * pi);
    } else {
        const double angular_frequency = 2 * pi * material.frequency / rest.asset->size;
        const double of_unit = rest.isotropic_wobble / material.density;
        double shear = angular_frequency * angular_frequency / of_unit;
        const double longest = step_for({3 * shear, shear});
        // Firmer than that would need too many steps.
        if (longest < shortest_step) shear *= longest / shortest_step * (longest / shortest_step);
        p.moduli = {3 * shear, shear};
        p.frequency = std::sqrt(shear * of_unit) / (2 * pi);
    }
    p.longest_step = step_for(p.moduli);
    const double angular_frequency = 2 * pi * p.frequency, ratio = material.damping_ratio;
    p.viscous_time =
        std::min(most_viscous * p.longest_step / share_of_critical, 2 * ratio / angular_frequency);
    p.global_damping =
        std::max(0.0, 2 * angular_frequency * (ratio - angular_frequency * p.viscous_time / 2));
    return p;
}

}  // namespace turgor
