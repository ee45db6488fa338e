#include <algorithm>
#include <optional>
#include <vector>

#include "base/functions.hpp"
#include "base/rigid_system.hpp"
#include "volume/volume.hpp"

namespace turgor {
namespace {

/// How much of a corner's area counts (VolumeFollowers::rest_area).
double area_share(const VolumeProblem& problem, std::size_t i, Vec3 normal) {
    if (!problem.followers || i >= problem.asset.surface_count) return 1;
    const double rest = problem.followers->rest_area[i];
    return rest / std::max(rest, norm(normal));
}

/// The weights of a correction with what is held taken out: w (1 − hold).
std::vector<double> free_weights(const VolumeProblem& problem, std::span<const Vec3> normals) {
    std::vector<double> w(problem.weights.begin(), problem.weights.end());
    for (std::size_t i = 0; i < problem.supports.size(); ++i) w[i] *= 1 - problem.supports[i].hold;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] *= area_share(problem, i, normals[i]);
    return w;
}

std::vector<Support> loosened(std::span<const Support> supports, std::span<const Vec3> normals,
                              std::size_t surface_count) {
    std::vector<Support> loosened_supports(supports.begin(), supports.end());
    double held = 0;
    for (const Support& s : loosened_supports) held += s.hold;
    const double slip = std::clamp(2 * held / static_cast<double>(surface_count) - 1, 0.0, 1.0);
    for (std::size_t i = 0; i < loosened_supports.size() && slip > 0; ++i)
        loosen(loosened_supports[i], normals[i], slip);
    return loosened_supports;
}

/// Takes out of a correction what would go into a contact, and adds it to what the contacts push
/// back.
void stay_out(const VolumeProblem& problem, std::span<const Support> supports, std::span<Vec3> d,
              std::span<Vec3> pushes) {
    for (std::size_t i = 0; i < supports.size(); ++i) {
        const auto& [hold, normal, shared] = supports[i];
        if (shared) continue;
        const Vec3 out = -hold * std::min(0.0, dot(d[i], normal)) * normal;
        d[i] += out;
        pushes[i] += problem.mass[i] * problem.mass_factor(i) * out;
    }
}

/// Under a hard squeeze a local correction would push few particles far: it is blended with
/// the uniform one until no particle moves more than `comfortable_push`. `off` is the missing
/// volume.
void spread_if_hard(const VolumeProblem& problem, std::span<const Vec3> normals, double off,
                    std::span<double> w) {
    double slope = 0, largest = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
        const double pull = norm(normals[i]) / problem.mass[i];
        slope += w[i] * norm(normals[i]) * pull / 3;
        largest = std::max(largest, w[i] * pull);
    }
    if (!(slope > 0)) return;
    const double push = std::abs(off) / slope * largest;
    if (!(push > problem.comfortable_push)) return;
    const double keep = problem.comfortable_push / push;
    for (std::size_t i = 0; i < problem.asset.surface_count; ++i) {
        const double hold = problem.supports.empty() ? 0 : problem.supports[i].hold;
        const std::vector<double>& share = problem.asset.volume_share;
        w[i] = keep * w[i] + (1 - keep) * (1 - hold) * (share.empty() ? 1 : share[i]) *
                                 area_share(problem, i, normals[i]);
    }
}

/// The push on each supported particle per unit λ: where the body presses on a collider with the
/// mean pressure, the collider presses back along its normal; a pin takes the push whole.
std::vector<Vec3> support_pushes(const VolumeProblem& problem, std::span<const Vec3> normals,
                                 std::span<const double> w) {
    std::vector<Vec3> pushes(problem.supports.size());
    double free = 0, sum = 0;
    for (std::size_t i = 0; i < std::min(pushes.size(), problem.asset.surface_count); ++i) {
        free += 1 - problem.supports[i].hold;
        sum += problem.mass_factor(i) * w[i];
    }
    if (!(free > 0)) return pushes;
    for (std::size_t i = 0; i < pushes.size(); ++i) {
        const Support& s = problem.supports[i];
        if (s.shared) continue;
        const bool pin = s.normal == Vec3{};
        const Vec3 push =
            pin ? -1.0 * normals[i] : std::max(0.0, -dot(s.normal, normals[i])) * s.normal;
        pushes[i] = sum / free * s.hold * push;
    }
    return pushes;
}

/// Dᵢ = wᵢ (n̄ᵢ/mᵢ − a − b × rᵢ): of all corrections with a given effect on the volume and with no
/// momentum of their own but that of the supports, the one with the least Σ m|d|²/w.
std::vector<Vec3> correction_direction(const VolumeProblem& problem, std::span<const Vec3> normals,
                                       std::span<const Vec3> arm, std::span<const double> w,
                                       std::span<const Vec3> pushes) {
    const std::size_t n = w.size();
    std::vector<Vec3> d(n);
    if (!problem.momentum_free) {
        for (std::size_t i = 0; i < n; ++i) d[i] = w[i] * normals[i];
        return d;
    }
    RigidSystem system;
    Vec3 linear, angular;
    for (std::size_t i = 0; i < n; ++i) {
        const double clump = problem.mass_factor(i);
        const Vec3 unbalanced = clump * w[i] * normals[i] - (pushes.empty() ? Vec3{} : pushes[i]);
        system.add(problem.mass[i] * clump * w[i], arm[i]);
        linear += unbalanced;
        angular += cross(arm[i], unbalanced);
    }
    const RigidField field = system.solve(linear, angular);
    for (std::size_t i = 0; i < n; ++i)
        d[i] = w[i] * (normals[i] / problem.mass[i] - field.at(arm[i]));
    return d;
}

/// Where the mass that moves with each particle is, relative to the centre of mass.
std::vector<Vec3> arms(const VolumeProblem& problem, std::span<const Vec3> x) {
    const Vec3 centre = centre_of_mass(problem.mass, x);
    std::vector<Vec3> arm(x.size());
    for (std::uint32_t i = 0; i < x.size(); ++i)
        arm[i] = (problem.followers && i < problem.asset.surface_count
                      ? problem.followers->centre(i, x, problem.mass)
                      : x[i]) -
                 centre;
    return arm;
}

/// What corrections do to the corners of the surface, carried on to what follows them.
void lead_followers(const VolumeProblem& problem, std::span<Vec3> d) {
    if (!problem.followers || !problem.momentum_free) return;
    const ListOfLists& of_corner = problem.followers->of_corner;
    const std::vector<double>& share = problem.followers->share;
    for (std::uint32_t c = 0; c < of_corner.size(); ++c)
        for (std::uint32_t k = of_corner.starts[c]; k < of_corner.starts[c + 1]; ++k)
            d[of_corner.items[k]] += share[k] * d[c];
}

/// For a body that is held all over: contacts let particles slide along them, pins do not.
std::vector<Vec3> sliding_direction(const VolumeProblem& problem, std::span<const Vec3> normals) {
    std::vector<Vec3> d(normals.size());
    for (std::size_t i = 0; i < d.size(); ++i) {
        d[i] = normals[i] / problem.mass[i];
        if (i >= problem.supports.size()) continue;
        const auto& [hold, normal, shared] = problem.supports[i];
        if (normal == Vec3{})
            d[i] *= 1 - hold;
        else if (hold > 0)
            d[i] -= std::min(0.0, dot(d[i], normal)) * normal;
    }
    return d;
}

double largest_norm(std::span<const Vec3> d) {
    double largest = 0;
    for (const Vec3& v : d) largest = std::max(largest, norm(v));
    return largest;
}

/// Moves x along d until the volume is right and returns λ; nothing where that is not possible
/// without a leap.
std::optional<double> move_along(const VolumeProblem& problem, std::span<const Vec3> d,
                                 std::span<Vec3> x) {
    const VolumeCubic cubic = volume_cubic(x, d, problem.asset.triangles);
    double t = 0;
    if (problem.exact) {
        const Root root = root_nearest_zero(cubic, problem.rest_volume);
        if (!root.found) return std::nullopt;
        t = root.value;
    } else {
        if (cubic.c[1] == 0) return std::nullopt;
        t = (problem.rest_volume - cubic.c[0]) / cubic.c[1];
    }
    if (!(std::abs(t) * largest_norm(d) <= 0.25 * problem.asset.size)) return std::nullopt;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * d[i];
    return t;
}

/// What always works for a body that has a volume: scaling about its centre.
void scale_to_volume(const VolumeProblem& problem, double volume, std::span<Vec3> x) {
    if (!(volume > 0)) return;
    const Vec3 centre = centre_of_mass(problem.mass, x);
    const double scale = portable::cbrt(problem.rest_volume / volume);
    for (Vec3& p : x) p = centre + scale * (p - centre);
}

}  // namespace

void loosen(Support& support, Vec3 normal, double slip) {
    const double area = norm(normal);
    if (support.normal == Vec3{} || !(area > 0)) return;
    const double into = std::max(0.0, -dot(support.normal, normal) / area);
    support.hold *= 1 - slip * (1 - into);
}

VolumeCubic volume_cubic(std::span<const Vec3> x, std::span<const Vec3> d,
                         std::span<const Triangle> triangles) {
    const Vec3 origin = x.empty() ? Vec3{} : x[0];
    VolumeCubic cubic;
    for (const auto& [i, j, k] : triangles) {
        const Vec3 a = x[i] - origin, b = x[j] - origin, c = x[k] - origin;
        const Vec3 ab = cross(a, b), bc = cross(b, c), ca = cross(c, a);
        const Vec3 da = d[i], db = d[j], dc = d[k];
        const Vec3 dab = cross(da, db), dbc = cross(db, dc), dca = cross(dc, da);
        cubic.c[0] += dot(a, bc);
        cubic.c[1] += dot(da, bc) + dot(db, ca) + dot(dc, ab);
        cubic.c[2] += dot(a, dbc) + dot(b, dca) + dot(c, dab);
        cubic.c[3] += dot(da, dbc);
    }
    for (double& c : cubic.c) c /= 6;
    return cubic;
}

Root root_nearest_zero(const VolumeCubic& cubic, double target) {
    const double a = cubic.c[3], b = cubic.c[2], c = cubic.c[1], d = cubic.c[0] - target;
    if (std::abs(d) <= 1e-16 * std::max(std::abs(cubic.c[0]), std::abs(target))) return {0, true};
    // In u = 1/t the root nearest zero is the largest in magnitude: d u³ + c u² + b u + a = 0,
    // which needs no leading coefficient but d. Depressed with u = y − p/3.
    const double p = c / d, q = b / d, r = a / d;
    const double shift = p / 3;
    const double k = (p * p - 3 * q) / 9, m = (2 * p * p * p - 9 * p * q + 27 * r) / 54;
    double u = 0;
    if (m * m < k * k * k) {
        const double angle = portable::acos(std::clamp(m / std::sqrt(k * k * k), -1.0, 1.0));
        constexpr double third_turn = 2.0943951023931954923;
        for (int i = -1; i <= 1; ++i) {
            const double candidate =
                -2 * std::sqrt(k) * portable::cos(angle / 3 + i * third_turn) - shift;
            if (std::abs(candidate) > std::abs(u)) u = candidate;
        }
    } else {
        const double e = -std::copysign(
            portable::cbrt(std::abs(m) + std::sqrt(std::max(0.0, m * m - k * k * k))), m);
        u = e + (e != 0 ? k / e : 0) - shift;
    }
    if (!(std::abs(u) > 0) || !std::isfinite(u)) return {};
    double t = 1 / u;
    for (int i = 0; i < 4; ++i) {
        const double slope = c + t * (2 * b + 3 * a * t);
        if (slope == 0) break;
        const double next = t - (d + t * (c + t * (b + t * a))) / slope;
        if (!std::isfinite(next)) break;
        t = next;
    }
    const double left = d + t * (c + t * (b + t * a));
    const double scale = std::max({std::abs(d), std::abs(cubic.c[0]), std::abs(target)});
    return {t, std::isfinite(t) && std::abs(left) <= 1e-11 * scale};
}

namespace {

void share_out(const BodyAsset& asset, std::span<double> weights) {
    for (std::size_t i = 0; i < asset.volume_share.size(); ++i) weights[i] *= asset.volume_share[i];
}

}  // namespace

void set_uniform_weights(const BodyAsset& asset, std::span<double> weights) {
    const auto end = weights.begin() + static_cast<std::ptrdiff_t>(asset.surface_count);
    std::fill(weights.begin(), end, 1.0);
    std::fill(end, weights.end(), 0.0);
    share_out(asset, weights);
}

void local_weights(const BodyAsset& asset, const VolumeRest& rest, std::span<const Vec3> x,
                   std::span<const double> change, const WeightSettings& settings,
                   std::span<double> weights) {
    const Struts& struts = *rest.struts;
    const std::size_t n = asset.surface_count;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double length = norm(x[i] - x[struts.partner[i]]);
        const double squeezed = struts.stiffness[i] * std::abs(length - struts.rest_length[i]);
        const double felt = settings.beta * squeezed + (1 - settings.beta) * change[i];
        weights[i] = std::max(felt - settings.noise, 0.0);
        sum += weights[i];
    }
    // Mean 1, so that the numbers do not depend on the resolution. A body that nothing deforms has
    // uniform weights.
    const double scale =
        sum > 1e-12 * asset.size * static_cast<double>(n) ? static_cast<double>(n) / sum : 0;
    std::fill(weights.begin() + static_cast<std::ptrdiff_t>(n), weights.end(), 0.0);
    for (double& w : weights.first(n)) {
        w = scale > 0 ? (1 - settings.alpha) * scale * w + settings.alpha : 1;
        if (settings.largest > 0) w = std::min(w, settings.largest);
    }
    const std::vector<double> rough(weights.begin(), weights.end());
    const ListOfLists& around = settings.smooth_over_regions ? *rest.smoothing : asset.neighbours;
    for (std::size_t i = 0; i < n; ++i) {
        double total = settings.smooth_over_regions ? 0 : rough[i];
        for (const auto j : around[i]) total += rough[j];
        weights[i] =
            total / static_cast<double>(around[i].size() + (settings.smooth_over_regions ? 0 : 1));
    }
    share_out(asset, weights);
}

double correct_positions(const VolumeProblem& given, std::span<const Vec3> x_start,
                         std::span<Vec3> x, std::span<double> pressed) {
    VolumeProblem problem = given;
    const std::size_t n = x.size();
    const double volume = enclosed_volume(x, problem.asset.triangles);
    const double off = problem.rest_volume - volume;
    std::vector<Vec3> normals(n);
    area_normals(x, problem.asset.triangles, normals);
    const std::vector<Support> loosened_supports =
        loosened(given.supports, normals, given.asset.surface_count);
    problem.supports = loosened_supports;
    std::vector<Vec3> arm = arms(problem, x_start);
    std::vector<double> w = free_weights(problem, normals);
    if (problem.momentum_free) spread_if_hard(problem, normals, off, w);
    std::vector<Vec3> pushes = support_pushes(problem, normals, w);
    std::vector<Vec3> d = correction_direction(problem, normals, arm, w, pushes);
    stay_out(problem, given.supports, d, pushes);
    lead_followers(problem, d);
    const auto t = move_along(problem, d, x);
    if (t) {
        for (std::size_t i = 0; i < pressed.size() && i < pushes.size(); ++i)
            pressed[i] += *t * norm(pushes[i]) / (problem.mass[i] * problem.mass_factor(i));
        return -off / problem.rest_volume;
    }
    // Everything is held, or the body is nearly flat: let it slide, then push all alike, and at
    // last just scale.
    std::fill(w.begin(), w.end(), 1.0);
    problem.followers = nullptr;
    arm = arms(problem, x_start);
    if (!move_along(problem, sliding_direction(problem, normals), x) &&
        !move_along(problem, correction_direction(problem, normals, arm, w, {}), x))
        scale_to_volume(problem, volume, x);
    return -off / problem.rest_volume;
}

void correct_velocities(const VolumeProblem& problem, double h, std::span<const Vec3> x,
                        std::span<Vec3> v) {
    const std::size_t n = x.size();
    std::vector<Vec3> normals(n);
    area_normals(x, problem.asset.triangles, normals);
    double divergence = 0;
    for (std::size_t i = 0; i < n; ++i) divergence += dot(v[i], normals[i]);
    std::vector<double> w = free_weights(problem, normals);
    if (problem.momentum_free) spread_if_hard(problem, normals, h * divergence / 3, w);
    std::vector<Vec3> d = correction_direction(problem, normals, arms(problem, x), w, {});
    lead_followers(problem, d);
    double effect = 0, scale = 0;
    for (std::size_t i = 0; i < n; ++i) {
        effect += dot(d[i], normals[i]);
        scale += norm(d[i]) * norm(normals[i]);
    }
    if (!(std::abs(effect) > 1e-12 * scale)) return;
    for (std::size_t i = 0; i < n; ++i) v[i] -= divergence / effect * d[i];
}

}  // namespace turgor
