#include "elastic/plasticity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/eigen.hpp"
#include "base/functions.hpp"

namespace turgor {

PlasticStep::PlasticStep(const Plasticity& p, double step)
    : h(step),
      yield(p.yield.value_or(std::numeric_limits<double>::infinity())),
      hardening(p.hardening),
      cap(p.cap),
      per_flow(1 / p.flow_time),
      per_creep(p.creep_time ? 1 / *p.creep_time : 0),
      healing_left(p.healing_time ? portable::exp(-step / *p.healing_time) : 1) {}

double PlasticStep::strain_left(double e, double kept) const {
    double creeping = h;
    if (e > yield + hardening * kept) {
        // c = sum − hardening e: what is kept grows by what e loses.
        const double sum = yield + hardening * (kept + e);
        const double rate = (1 + hardening) * per_flow + per_creep;
        const double end = sum * per_flow / rate, meeting = sum / (1 + hardening);
        const double left = end + (e - end) * portable::exp(-rate * h);
        if (left >= meeting || per_creep == 0) return left;
        // It met the yield within the step: creep alone from there on.
        creeping -= portable::log((e - end) / (meeting - end)) / rate;
        e = meeting;
    }
    return per_creep > 0 ? e * portable::exp(-creeping * per_creep) : e;
}

double equivalent_strain(const Mat3& log_stretch) {
    constexpr double root = 0.81649658092772603;  // √⅔
    return root * frobenius(log_stretch);
}

namespace {

double log_of_stretch(double squared) {
    return std::clamp(0.5 * portable::log(squared), -most_strain, most_strain);
}

/// V exp((1 − e'/e) l) Vᵀ of F Sp⁻¹; nothing where nothing flows.
std::optional<Mat3> flowing(const PlasticStep& step, const Mat3& f, const Mat3& log_kept) {
    const Mat3 elastic = f * exp_symmetric(-1.0 * log_kept);
    const double det = determinant(elastic);
    if (!(det > 1e-6) || !std::isfinite(det)) return std::nullopt;
    Mat3 v;
    const Vec3 squared = eigen_symmetric(transpose(elastic) * elastic, v);
    if (!(std::min({squared.x, squared.y, squared.z}) > 0)) return std::nullopt;
    Vec3 l{log_of_stretch(squared.x), log_of_stretch(squared.y), log_of_stretch(squared.z)};
    const double mean = (l.x + l.y + l.z) / 3;
    l -= Vec3{mean, mean, mean};
    const double e = std::sqrt(2.0 / 3 * dot(l, l));
    if (!(e > 0)) return std::nullopt;
    const double flown = 1 - step.strain_left(e, equivalent_strain(log_kept)) / e;
    if (!(flown > 0)) return std::nullopt;
    return from_eigen(
        v, {portable::exp(flown * l.x), portable::exp(flown * l.y), portable::exp(flown * l.z)});
}

}  // namespace

PlasticFlow flow_linear(const PlasticStep& step, const Mat3& f, PlasticShape& shape,
                        std::size_t bends) {
    const Mat3 before = log_symmetric(shape.stretch);
    PlasticFlow flow;
    Mat3 log_kept = before;
    if (const auto by = flowing(step, f, before)) {
        // The right polar decomposition: the left one would change the shape that is kept.
        const Mat3 flown = *by * shape.stretch;
        log_kept = 0.5 * log_symmetric(transpose(flown) * flown);
        flow.turn = flown * exp_symmetric(-1.0 * log_kept);
        const Mat3 back = transpose(flow.turn);
        for (Vec3& b : std::span(shape.bend).first(bends)) b = back * b;
    } else if (step.healing_left == 1) {
        return flow;
    }
    const double strain = equivalent_strain(log_kept);
    log_kept *= step.healing_left * (strain > step.cap ? step.cap / strain : 1);
    log_kept = log_kept - trace(log_kept) / 3 * Mat3::identity();
    flow.change = equivalent_strain(log_kept - before);
    shape.stretch = exp_symmetric(log_kept);
    return flow;
}

double flow_quadratic(const PlasticStep& step, std::span<const Vec3> moments, double size,
                      std::span<Vec3> bend) {
    const auto strain = [&](auto&& of) {
        double squared = 0;
        for (std::size_t k = 0; k < bend.size(); ++k) squared += dot(of(k), of(k));
        return std::sqrt(squared) / size;
    };
    const double kept = strain([&](std::size_t k) { return bend[k]; });
    const double e = strain([&](std::size_t k) { return moments[k] - bend[k]; });
    double flown = 0;
    if (e > 0 && std::isfinite(e))
        flown = (1 - step.strain_left(e, kept) / e) * std::min(1.0, most_strain / e);
    const auto flowed = [&](std::size_t k) { return bend[k] + flown * (moments[k] - bend[k]); };
    const double now = flown > 0 ? strain(flowed) : kept, cap = std::min(step.cap, most_bend);
    const double left = step.healing_left * (now > cap ? cap / now : 1);
    double change = 0;
    for (std::size_t k = 0; k < bend.size(); ++k) {
        const Vec3 before = bend[k];
        bend[k] = left * (flown > 0 ? flowed(k) : before);
        change += dot(bend[k] - before, bend[k] - before);
    }
    return std::sqrt(change) / size;
}

// In a plane.

namespace {

/// f of a symmetric 2×2 matrix, by its eigenvalues m ± r.
template <class Function>
Plane2 mapped(const Plane2& a, Function&& f) {
    const double m = 0.5 * (a.xx + a.yy), half = 0.5 * (a.xx - a.yy);
    const double r = std::sqrt(half * half + a.xy * a.xy);
    const double upper = f(m + r), lower = f(m - r);
    const double mean = 0.5 * (upper + lower), slope = r > 0 ? 0.5 * (upper - lower) / r : 0;
    return {mean + slope * half, slope * a.xy, mean - slope * half};
}

/// s a s
Plane2 on_both_sides(const Plane2& s, const Plane2& a) {
    const double xx = s.xx * a.xx + s.xy * a.xy, xy = s.xx * a.xy + s.xy * a.yy;
    const double yx = s.xy * a.xx + s.yy * a.xy, yy = s.xy * a.xy + s.yy * a.yy;
    return {xx * s.xx + xy * s.xy, xx * s.xy + xy * s.yy, yx * s.xy + yy * s.yy};
}

Plane2 scaled(double s, const Plane2& a) {
    return {s * a.xx, s * a.xy, s * a.yy};
}

}  // namespace

double equivalent_strain(const Plane2& l) {
    // ⅔ (l₁² + l₂² + (l₁ + l₂)²)
    const double t = l.xx + l.yy, det = l.xx * l.yy - l.xy * l.xy;
    return std::sqrt(4.0 / 3 * std::max(0.0, t * t - det));
}

Plane2 exp_symmetric(const Plane2& a) {
    return mapped(a, portable::exp);
}

PlaneFlow flow_in_plane(const PlasticStep& step, const Plane2& metric, int rank, Plane2& kept) {
    const auto size = [&](const Plane2& l) {
        return rank < 2 ? std::abs(l.xx) : equivalent_strain(l);
    };
    const Plane2 before = kept, stretch = exp_symmetric(before);
    // Strain of what is not plastic: the logarithm of the stretches of F Sp⁻¹.
    const double per_det = portable::exp(-(before.xx + before.yy));
    const Plane2 inverse{per_det * stretch.yy, -per_det * stretch.xy, per_det * stretch.xx};
    Plane2 strain = on_both_sides(inverse, metric);
    if (rank < 2) strain.xy = 0, strain.yy = 1;
    PlaneFlow flow;
    // |log C|/2 ≤ |C − I|/2(1 − |C − I|), and the strain is at most twice that: surely below.
    const double off =
        std::max(std::abs(strain.xx - 1), std::abs(strain.yy - 1)) + std::abs(strain.xy);
    if (step.waits_for_yield() && off < 0.5 && off < (1 - off) * step.yield) return flow;
    // A determinant that is nothing but rounding says that the region has collapsed to a line.
    constexpr double rounding = 1e-12;
    const double square = strain.xx * strain.yy;
    if (strain.xx > 0 && square - strain.xy * strain.xy > rounding * square &&
        std::isfinite(strain.xx + strain.yy)) {
        strain = mapped(strain,
                        [](double squared) { return log_of_stretch(std::max(squared, 1e-300)); });
        if (rank < 2) strain.xy = strain.yy = 0;
        const double e = size(strain);
        const double flown = e > 0 ? 1 - step.strain_left(e, size(kept)) / e : 0;
        if (flown > 0) {
            // Sp ← X Sp with X = exp(flown · strain); Sp = R_p U_p, and U_p² = Spᵀ X² Sp.
            const Plane2 x = exp_symmetric(scaled(flown, strain));
            const double c = x.xx * stretch.xx + 2 * x.xy * stretch.xy + x.yy * stretch.yy;
            const double s =
                x.xy * stretch.xx + x.yy * stretch.xy - (x.xx * stretch.xy + x.xy * stretch.yy);
            const double length = std::sqrt(c * c + s * s);
            flow.cosine = c / length;
            flow.sine = s / length;
            const Plane2 squared = on_both_sides(stretch, on_both_sides(x, {1, 0, 1}));
            kept = scaled(0.5, mapped(squared, portable::log));
        }
    }
    const double now = size(kept);
    kept = scaled(step.healing_left * (now > step.cap ? step.cap / now : 1), kept);
    flow.change = size({kept.xx - before.xx, kept.xy - before.xy, kept.yy - before.yy});
    return flow;
}

}  // namespace turgor
