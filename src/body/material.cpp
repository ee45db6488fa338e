#include "turgor/material.hpp"

#include <fmt/format.h>

#include <array>

#include "base/errors.hpp"

namespace turgor {
namespace {

struct Preset {
    std::string_view name;
    double frequency, damping_ratio, alpha, friction;
    std::optional<Plasticity> plasticity{};
};
constexpr std::array<Preset, 8> presets{
    {{"jelly", 3.5, 0.07, 0.2, 0.3},
     {"gummy", 6, 0.15, 0.3, 0.7},
     {"rubber", 10, 0.17, 0.5, 0.9},
     {"flesh", 4.5, 0.35, 0.1, 0.6},
     {"clay", 12, 0.7, 0.3, 0.8, Plasticity{.yield = 0.02, .flow_time = 0.03}},
     {"dough", 3, 0.7, 0.1, 0.9,
      Plasticity{.yield = 0.01, .flow_time = 0.15, .creep_time = 4, .healing_time = 60}},
     {"metal", 18, 0.05, 0.3, 0.5,
      Plasticity{.yield = 0.03, .flow_time = 0.005, .cap = 0.7, .hardening = 0.3}},
     {"foam", 5, 0.6, 0.3, 0.8, Plasticity{.creep_time = 0.4, .healing_time = 2.5, .cap = 0.8}}}};
constexpr auto preset_names = [] {
    std::array<std::string_view, presets.size()> names;
    for (std::size_t i = 0; i < presets.size(); ++i) names[i] = presets[i].name;
    return names;
}();

}  // namespace

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
                m.plasticity = preset.plasticity;
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

std::optional<std::string> problem_in(const Plasticity& p) {
    const Range ranges[] = {{"plasticity.yield", p.yield.value_or(0), 0, 1},
                            {"plasticity.flow_time", p.flow_time, 1e-4, 1e4},
                            {"plasticity.creep_time", p.creep_time.value_or(1), 1e-3, 1e6},
                            {"plasticity.healing_time", p.healing_time.value_or(1), 1e-3, 1e6},
                            {"plasticity.cap", p.cap, 0, 1.5},
                            {"plasticity.hardening", p.hardening, 0, 10}};
    return problem_in(std::span(ranges));
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
    if (auto problem = problem_in(std::span(ranges))) return problem;
    return m.plasticity ? problem_in(*m.plasticity) : std::nullopt;
}

std::optional<std::string> problem_with(const PairFriction& pair) {
    const Range ranges[] = {{"friction", pair.friction, 0, 10},
                            static_range(pair.static_friction, pair.friction),
                            {"restitution", pair.restitution.value_or(0), 0, 1}};
    return problem_in(std::span(ranges));
}

}  // namespace turgor
