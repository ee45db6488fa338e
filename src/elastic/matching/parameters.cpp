#include "elastic/matching/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"
#include "base/functions.hpp"

namespace turgor {
namespace {

constexpr double largest_stiffness = 0.95;
constexpr int largest_width = 6;
constexpr double most_sub_steps = 100;  // of the papers' step
constexpr double pi = 3.14159265358979323846;

/// A first guess of the share of s that the lowest wobble feels, for regions that reach `reach` of
/// the body's radius; close enough to choose width, after which the share is measured.
double guessed_share(double reach) {
    const double share = std::min(1.0, reach);
    return 0.32 * share * share * std::sqrt(share);
}

/// The smallest width that can bring a wobble of `theta` radians per step about without its
/// stiffness exceeding the limit.
int guess_width(double theta, const BodyScale& scale) {
    int width = 1;
    while (width < largest_width &&
           portable::sin(theta) * portable::sin(theta) >
               largest_stiffness * guessed_share(width * scale.mean_edge / (scale.size / 2)))
        ++width;
    return width;
}

/// Sets width, s and the reference step for a wobble of `frequency` [Hz]: width as small as the
/// papers' step allows, and where even the largest does not suffice, shorter steps.
void choose_stiffness(double frequency, const BodyScale& scale, std::optional<int> fixed_width,
                      RegionParameters& p) {
    constexpr double largest_theta =
        0.5;  // [rad] per step: beyond it a wobble is too coarse in time
    const double theta = std::min(largest_theta, 2 * pi * frequency * papers_step);
    p.width = fixed_width         ? *fixed_width
              : scale.first_width ? *scale.first_width
                                  : guess_width(theta, scale);
    double share = scale.share(p.width);
    while (!fixed_width && p.width < largest_width &&
           portable::sin(theta) * portable::sin(theta) > largest_stiffness * share)
        share = scale.share(++p.width);
    const double reachable = std::min(
        largest_theta, portable::asin(std::sqrt(std::min(1.0, largest_stiffness * share))));
    const double divisor = std::clamp(
        std::ceil(2 * pi * frequency * papers_step / reachable - 1e-9), 1.0, most_sub_steps);
    p.reference_step = papers_step / divisor;
    p.frequency = std::min(frequency, reachable / (2 * pi * p.reference_step));
    const double sine = portable::sin(2 * pi * p.frequency * p.reference_step);
    p.stiffness = sine * sine / share;
}

}  // namespace

double RegionParameters::longest_step() const {
    if (!(stiffness > 0)) return reference_step;
    return reference_step * std::min(1 / std::sqrt(stiffness), (stiffness + damping) / stiffness);
}

double RegionParameters::stiffness_at(double h) const {
    const double rho = h / reference_step;
    return std::min(1.0, stiffness * rho * rho);
}

double RegionParameters::damping_at(double h) const {
    const double rho = h / reference_step;
    return std::clamp((stiffness + damping) * rho - stiffness * rho * rho, 0.0, 1.0);
}

RegionParameters derive_parameters(const Material& material, const BodyScale& scale) {
    RegionParameters p;
    if (material.stiffness) {
        p.width = material.omega.value_or(2);
        p.stiffness = *material.stiffness;
        p.frequency = portable::asin(std::sqrt(std::min(1.0, p.stiffness * scale.share(p.width)))) /
                      (2 * pi * p.reference_step);
    } else {
        choose_stiffness(material.frequency / scale.size, scale, material.omega, p);
    }
    const double theta = 2 * pi * p.frequency * p.reference_step;
    if (material.damping) {
        p.damping = *material.damping;
    } else if (theta > 0) {
        p.damping = std::clamp(p.stiffness * (2 * material.damping_ratio / theta - 1), 0.0, 0.6);
        const double reached =
            (p.stiffness + p.damping) * scale.share(p.width) / (2 * p.reference_step);
        p.global_damping =
            std::max(0.0, 2 * (material.damping_ratio * 2 * pi * p.frequency - reached));
    }
    return p;
}

}  // namespace turgor
