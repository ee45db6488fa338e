#include "elastic/meshless/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "base/functions.hpp"
#include "body/papers_step.hpp"

namespace turgor {
namespace {

constexpr double largest_stiffness = 0.95;
constexpr double largest_angle = 1;  // [rad] of the wobble in a step: beyond it is too coarse
constexpr double shortest_step = papers_step / 100;
constexpr double pi = 3.14159265358979323846;

/// The damped oscillator y'' over a step: two values follow each other as y(t+h) = T y(t) − D
/// y(t−h).
struct Oscillator {
    double trace, determinant;  ///< T, D
    Oscillator(double angular_frequency, double damping_ratio, double h) {
        const double decay = portable::exp(-damping_ratio * angular_frequency * h);
        trace = 2 * decay * portable::cos(angular_frequency * h);
        determinant = decay * decay;
    }
    double pull() const { return 1 - trace + determinant; }  ///< a = κ s
};

/// The largest step up to `most` for which `fits` holds, fits being true of short ones.
template <class Fits>
double largest_fitting(double most, Fits&& fits) {
    if (fits(most)) return most;
    double low = 0, high = most;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

double find_longest_step(const MeshlessParameters& p) {
    const double w = 2 * pi * p.frequency;
    if (!(w > 0)) return 1;
    const double h = largest_fitting(std::min(1.0, largest_angle / w), [&](double step) {
        return Oscillator(w, p.damping_ratio, step).pull() <= largest_stiffness * p.wobble_share;
    });
    return std::max(h, shortest_step);
}

}  // namespace

MatchingStep MeshlessParameters::at(double h) const {
    const double w = 2 * pi * frequency;
    if (!(w > 0)) return {};
    const Oscillator asked(w, damping_ratio, h);
    const double a = asked.pull();
    MatchingStep step;
    step.stiffness = std::min(a / wobble_share, 1.0);
    if (!(a > 0)) return step;
    step.look_ahead = (1 - asked.determinant) / a;
    if (step.look_ahead <= 1) return step;
    // Looking farther ahead than the step would mistake a spin for a stretch: the rest of the
    // damping is taken from the velocities.
    step.look_ahead = 1;
    const double left = asked.determinant / (asked.trace - asked.determinant);
    step.damping = std::clamp((1 - left) / damping_share, 0.0, 0.9);
    return step;
}

MeshlessParameters meshless_parameters(const Material& material, std::optional<double> stiffness,
                                       double size, double wobble_share, double damping_share) {
    MeshlessParameters p;
    p.damping_ratio = material.damping_ratio;
    p.wobble_share = wobble_share;
    p.damping_share = damping_share;
    if (stiffness) {
        const double most = largest_angle / papers_step;
        const double w = largest_fitting(most, [&](double frequency) {
            return Oscillator(frequency, p.damping_ratio, papers_step).pull() <=
                   *stiffness * wobble_share;
        });
        p.frequency = w / (2 * pi);
    } else {
        p.frequency = material.frequency / size;
    }
    // Beyond what a hundred sub-steps bring about.
    const double w = largest_fitting(
        std::min(2 * pi * p.frequency, largest_angle / shortest_step), [&](double frequency) {
            return Oscillator(frequency, p.damping_ratio, shortest_step).pull() <=
                   largest_stiffness * wobble_share;
        });
    p.frequency = w / (2 * pi);
    p.longest_step = find_longest_step(p);
    const double h = std::min(p.longest_step, papers_step);
    const Oscillator asked(w, p.damping_ratio, h);
    if (w > 0 && asked.pull() > 0 && 1 - asked.determinant > asked.pull()) {
        const double left = asked.determinant / (asked.trace - asked.determinant);
        const double reached = 1 - p.at(h).damping * damping_share;
        // |log| by differences, which are small: e^(−c h) = left / reached.
        if (reached > left && left > 0) p.residual_damping = (reached - left) / (left * h);
    }
    return p;
}

double needed_share(const Material& material, std::optional<double> stiffness, double size) {
    if (stiffness) return 0;
    const double w = std::min(2 * pi * material.frequency / size, largest_angle / papers_step);
    return Oscillator(w, material.damping_ratio, papers_step).pull() / largest_stiffness;
}

bool reaches_frequency(const MeshlessParameters& p) {
    return p.longest_step >= papers_step;
}

}  // namespace turgor
