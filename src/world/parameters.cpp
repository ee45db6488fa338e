#include "world/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"
#include "base/functions.hpp"

namespace turgor {
namespace {

constexpr double largest_stiffness = 0.95;
constexpr int largest_omega = 6;
constexpr double most_sub_steps = 100;  // of the papers' step
constexpr double pi = 3.14159265358979323846;

/// A first guess of the share of s that the lowest wobble feels, for regions that reach `reach` of
/// the body's radius; close enough to choose ω, after which the share is measured.
double guessed_share(double reach) {
    const double share = std::min(1.0, reach);
    return 0.32 * share * share * std::sqrt(share);
}

/// The smallest ω that can bring a wobble of `theta` radians per step about without its stiffness
/// exceeding the limit.
int guess_omega(double theta, const BodyScale& scale) {
    int omega = 1;
    while (omega < largest_omega &&
           portable::sin(theta) * portable::sin(theta) >
               largest_stiffness * guessed_share(omega * scale.mean_edge / (scale.size / 2)))
        ++omega;
    return omega;
}

/// Sets ω, s and the reference step for a wobble of `frequency` [Hz]: ω as small as the papers'
/// step allows, and where even the largest does not suffice, shorter steps.
void choose_stiffness(double frequency, const BodyScale& scale, std::optional<int> fixed_omega,
                      SurfaceParameters& p) {
    constexpr double largest_theta =
        0.5;  // [rad] per step: beyond it a wobble is too coarse in time
    const double theta = std::min(largest_theta, 2 * pi * frequency * papers_step);
    p.omega = fixed_omega.value_or(guess_omega(theta, scale));
    double share = scale.share(p.omega);
    while (!fixed_omega && p.omega < largest_omega &&
           portable::sin(theta) * portable::sin(theta) > largest_stiffness * share)
        share = scale.share(++p.omega);
    const double reachable = std::min(
        largest_theta, portable::asin(std::sqrt(std::min(1.0, largest_stiffness * share))));
    const double divisor = std::clamp(
        std::ceil(2 * pi * frequency * papers_step / reachable - 1e-9), 1.0, most_sub_steps);
    p.reference_step = papers_step / divisor;
    p.frequency = std::min(frequency, reachable / (2 * pi * p.reference_step));
    const double sine = portable::sin(2 * pi * p.frequency * p.reference_step);
    p.stiffness = sine * sine / share;
}

struct Preset {
    std::string_view name;
    double frequency, damping_ratio, alpha, friction;
};
constexpr std::array<Preset, 5> presets{{{"jelly", 3.5, 0.07, 0.2, 0.3},
                                         {"gummy", 6, 0.15, 0.3, 0.7},
                                         {"rubber", 10, 0.17, 0.5, 0.9},
                                         {"flesh", 4.5, 0.35, 0.1, 0.6},
                                         {"dough", 3, 0.7, 0.1, 0.9}}};
constexpr auto preset_names = [] {
    std::array<std::string_view, presets.size()> names;
    for (std::size_t i = 0; i < presets.size(); ++i) names[i] = presets[i].name;
    return names;
}();

}  // namespace

double SurfaceParameters::longest_step() const {
    if (!(stiffness > 0)) return reference_step;
    return reference_step * std::min(1 / std::sqrt(stiffness), (stiffness + damping) / stiffness);
}

double SurfaceParameters::stiffness_at(double h) const {
    const double rho = h / reference_step;
    return std::min(1.0, stiffness * rho * rho);
}

double SurfaceParameters::damping_at(double h) const {
    const double rho = h / reference_step;
    return std::clamp((stiffness + damping) * rho - stiffness * rho * rho, 0.0, 1.0);
}

SurfaceParameters derive_parameters(const Material& material, const BodyScale& scale) {
    SurfaceParameters p;
    if (material.stiffness) {
        p.omega = material.omega.value_or(2);
        p.stiffness = *material.stiffness;
        p.frequency = portable::asin(std::sqrt(std::min(1.0, p.stiffness * scale.share(p.omega)))) /
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
            (p.stiffness + p.damping) * scale.share(p.omega) / (2 * p.reference_step);
        p.global_damping =
            std::max(0.0, 2 * (material.damping_ratio * 2 * pi * p.frequency - reached));
    }
    return p;
}

Material Material::named(std::string_view name, Status* status) {
    return reporting_to(
        status,
        [&] {
            for (const Preset& preset : presets) {
                if (preset.name != name) continue;
                Material m;
                m.frequency = preset.frequency;
                m.damping_ratio = preset.damping_ratio;
                m.alpha = preset.alpha;
                m.friction = preset.friction;
                m.surface = name;
                return m;
            }
            fail(ErrorCode::bad_argument, "there is no material '{}'; the materials are {}", name,
                 fmt::join(preset_names, ", "));
        },
        Material{});
}

std::span<const std::string_view> Material::names() {
    return preset_names;
}

namespace {

struct Range {
    const char* name;
    double value, low, high;
};

std::optional<std::string> problem_in(std::span<const Range> ranges) {
    for (const Range& r : ranges)
        if (!(r.value >= r.low && r.value <= r.high))
            return fmt::format("{} is {} but must be between {} and {}", r.name, r.value, r.low,
                               r.high);
    return std::nullopt;
}

/// What holds is no less than what slides.
Range static_range(std::optional<double> static_friction, double friction) {
    return {"static_friction", static_friction.value_or(friction), friction, 10};
}

}  // namespace

std::optional<std::string> problem_with(const Material& m) {
    const Range ranges[] = {{"density", m.density, 1e-6, 1e6},
                            {"frequency", m.frequency, 0.1, 1000},
                            {"damping_ratio", m.damping_ratio, 0, 2},
                            {"alpha", m.alpha, 0, 1},
                            {"beta", m.beta, 0, 1},
                            {"friction", m.friction, 0, 10},
                            static_range(m.static_friction, m.friction),
                            {"restitution", m.restitution, 0, 1},
                            {"omega", static_cast<double>(m.omega.value_or(1)), 1, 16},
                            {"stiffness", m.stiffness.value_or(0), 0, 1},
                            {"damping", m.damping.value_or(0), 0, 1}};
    return problem_in(ranges);
}

std::optional<std::string> problem_with(const PairFriction& pair) {
    const Range ranges[] = {{"friction", pair.friction, 0, 10},
                            static_range(pair.static_friction, pair.friction),
                            {"restitution", pair.restitution.value_or(0), 0, 1}};
    return problem_in(ranges);
}

}  // namespace turgor
