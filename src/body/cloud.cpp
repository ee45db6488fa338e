#include "body/cloud.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <limits>
#include <numeric>

#include "base/bounds.hpp"
#include "base/cancel.hpp"
#include "base/eigen.hpp"
#include "base/mat3.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

/// A corner of the surface keeps at least this share of its mass, however many points are around
/// it: contact and volume act on the surface, and would throw a skin without weight about.
constexpr double least_kept = 0.5;

/// Where a point is by the surface of a cage.
struct Anchor {
    Triangle corners{};
    std::array<double, 3> weights{};  ///< of the nearest point of the surface

    std::uint32_t nearest() const {
        return corners[static_cast<std::size_t>(std::ranges::max_element(weights) -
                                                weights.begin())];
    }
};

std::vector<Anchor> anchors_of(const BodyAsset& asset, std::span<const Vec3> points) {
    const TriangleTree tree(asset.rest, asset.triangles);
    std::vector<Anchor> anchors;
    for (const Vec3& p : points) {
        check_cancelled();
        const TriangleTree::Hit hit = tree.nearest(p);
        anchors.push_back({asset.triangles[hit.triangle], {}});
        for (std::size_t k = 0; k < 3; ++k)
            anchors.back().weights[k] = std::clamp(hit.weight[k], 0.0, 1.0);
    }
    return anchors;
}

void set_followers(BodyAsset& asset, std::span<const Anchor> anchors) {
    struct Share {
        std::uint32_t particle;
        double share;
    };
    std::vector<std::vector<Share>> of_corner(asset.surface_count);
    for (std::uint32_t k = 0; k < anchors.size(); ++k) {
        const Anchor& a = anchors[k];
        const double sum = a.weights[0] + a.weights[1] + a.weights[2];
        for (std::size_t c = 0; c < 3; ++c)
            if (a.weights[c] > 0)
                of_corner[a.corners[c]].push_back(
                    {static_cast<std::uint32_t>(asset.surface_count) + k, a.weights[c] / sum});
    }
    for (const auto& list : of_corner) {
        for (const auto& [particle, share] : list) {
            asset.followers.items.push_back(particle);
            asset.follower_share.push_back(share);
        }
        asset.followers.end_row();
    }
}

/// What a corner weighs it shares with the points around it, so that a push on it moves as much as
/// it would of a cage alone, and corrections of volume go where they would.
void spread_masses(BodyAsset& asset) {
    const std::size_t surface = asset.surface_count;
    asset.mass.resize(asset.rest.size());
    asset.volume_share.resize(surface);
    asset.layer.assign(surface, 0);
    asset.layer.resize(asset.rest.size(), 1);
    double sum = 0;
    for (std::uint32_t c = 0; c < surface; ++c) {
        double shares = 0;
        asset.each_follower(c, [&](std::uint32_t, double share) { shares += share; });
        const double kept = std::max(least_kept, 1 / (1 + shares));
        const double given = shares > 0 ? asset.mass[c] * (1 - kept) / shares : 0;
        asset.each_follower(c,
                            [&](std::uint32_t i, double share) { asset.mass[i] += share * given; });
        asset.follower_mass.push_back(asset.mass[c] * (1 - kept));
        asset.mass[c] *= kept;
        sum += asset.volume_share[c] = kept;
    }
    for (double& share : asset.volume_share) share *= static_cast<double>(surface) / sum;
}

void centre_masses(BodyAsset& asset) {
    Vec3 moment;
    for (std::size_t i = 0; i < asset.rest.size(); ++i) moment += asset.mass[i] * asset.rest[i];
    const Vec3 centre = moment / std::accumulate(asset.mass.begin(), asset.mass.end(), 0.0);
    for (Vec3& p : asset.rest) p -= centre;
    asset.rest_centre += centre;
}

/// The one place of a particle.
CellBinding bound_to(std::uint32_t particle) {
    CellBinding binding;
    binding.corners.fill(particle);
    binding.weights[0] = 1;
    return binding;
}

/// Points in cubes, for whoever looks for those nearby.
class PointGrid {
public:
    PointGrid(std::span<const Vec3> points, std::size_t for_each_cube) : points_(points) {
        for (const Vec3& p : points) box_.add(p);
        const double n =
            std::max(1.0, static_cast<double>(points.size()) / static_cast<double>(for_each_cube));
        // Most clouds are surfaces.
        cells_ = std::clamp(static_cast<int>(std::sqrt(n / 3)), 1, 64);
        const Vec3 extent = box_.extent();
        side_ = std::max({extent.x, extent.y, extent.z}) / cells_;
        rows_.resize(static_cast<std::size_t>(cells_) * static_cast<std::size_t>(cells_) *
                     static_cast<std::size_t>(cells_));
        for (std::uint32_t i = 0; i < points.size(); ++i)
            rows_[row({at(points[i], 0), at(points[i], 1), at(points[i], 2)})].push_back(i);
    }

    /// The nearest ones, the nearest first; those equally near in their order.
    std::vector<std::uint32_t> nearest(Vec3 p, std::size_t count) const {
        std::vector<std::pair<double, std::uint32_t>> found;
        const std::array<int, 3> middle{at(p, 0), at(p, 1), at(p, 2)};
        for (int ring = 0; ring <= cells_; ++ring) {
            add_ring(p, middle, ring, found);
            // What lies farther out than the ring is no nearer than this.
            const double reach = ring * side_;
            const auto near = std::ranges::count_if(
                found, [&](const auto& f) { return f.first <= reach * reach; });
            if (static_cast<std::size_t>(near) >= count) break;
        }
        std::ranges::sort(found);
        std::vector<std::uint32_t> points;
        for (const auto& [distance, i] : found)
            if (points.size() < count) points.push_back(i);
        return points;
    }

private:
    int at(Vec3 p, int axis) const {
        if (!(side_ > 0)) return 0;
        const double cell = (p[axis] - box_.lower[axis]) / side_;
        return std::clamp(static_cast<int>(std::clamp(cell, 0.0, 1e6)), 0, cells_ - 1);
    }
    std::size_t row(const std::array<int, 3>& cell) const {
        return static_cast<std::size_t>((cell[2] * cells_ + cell[1]) * cells_ + cell[0]);
    }
    void add_ring(Vec3 p, const std::array<int, 3>& middle, int ring,
                  std::vector<std::pair<double, std::uint32_t>>& found) const {
        const auto low = [&](std::size_t k) { return std::max(0, middle[k] - ring); };
        const auto high = [&](std::size_t k) { return std::min(cells_ - 1, middle[k] + ring); };
        for (int z = low(2); z <= high(2); ++z)
            for (int y = low(1); y <= high(1); ++y) {
                const bool inner = std::abs(z - middle[2]) < ring && std::abs(y - middle[1]) < ring;
                for (int x = low(0); x <= high(0); ++x) {
                    if (inner && std::abs(x - middle[0]) < ring) {
                        x = std::min(high(0), middle[0] + ring - 1);
                        continue;
                    }
                    for (const std::uint32_t i : rows_[row({x, y, z})])
                        found.emplace_back(dot(points_[i] - p, points_[i] - p), i);
                }
            }
    }

    std::span<const Vec3> points_;
    Bounds box_;
    int cells_ = 1;
    double side_ = 0;
    std::vector<std::vector<std::uint32_t>> rows_;
};

/// Weights of 1/d², changed as little as it takes for them to be exact at rest and under every
/// affine map, as far as the particles span space: w = w⁰ (1 + b · (x − c)), Σ w x = p.
std::array<double, 8> affine_weights(Vec3 p, const std::array<Vec3, 8>& at, double least_distance) {
    std::array<double, 8> weights{};
    double sum = 0;
    Vec3 centre;
    for (std::size_t k = 0; k < 8; ++k) {
        weights[k] = 1 / (dot(at[k] - p, at[k] - p) + least_distance * least_distance);
        sum += weights[k];
    }
    for (std::size_t k = 0; k < 8; ++k) centre += (weights[k] /= sum) * at[k];
    Mat3 moment;
    for (std::size_t k = 0; k < 8; ++k)
        moment += outer(weights[k] * (at[k] - centre), at[k] - centre);
    Mat3 directions;
    const Vec3 values = eigen_symmetric(moment, directions);
    const double largest = std::max({values.x, values.y, values.z});
    Vec3 slope;
    for (int k = 0; k < 3; ++k) {
        if (!(values[k] > 1e-6 * largest)) continue;
        const Vec3 e = directions.column(k);
        slope += dot(e, p - centre) / values[k] * e;
    }
    for (std::size_t k = 0; k < 8; ++k) weights[k] *= 1 + dot(slope, at[k] - centre);
    return weights;
}

/// Points that are no particles hang on five of those that are, and on the cage beside them: these
/// span space where the points lie in a plane.
CellBinding bound_nearby(const BodyAsset& asset, const PointGrid& particles, Vec3 p,
                         const Anchor& anchor) {
    CellBinding binding;
    std::array<Vec3, 8> at{};
    const std::vector<std::uint32_t> near = particles.nearest(p, 5);
    for (std::size_t k = 0; k < 5; ++k)
        binding.corners[k] =
            static_cast<std::uint32_t>(asset.surface_count) + near[std::min(k, near.size() - 1)];
    std::ranges::copy(anchor.corners, binding.corners.begin() + 5);
    for (std::size_t k = 0; k < 8; ++k) at[k] = asset.rest[binding.corners[k]];
    binding.weights = affine_weights(p, at, 1e-3 * asset.contact_length);
    return binding;
}

EmbeddedDisplay shown_points(const BodyAsset& asset, std::span<const Vec3> points,
                             std::span<const Anchor> anchors,
                             std::span<const std::uint32_t> particle_of_point) {
    EmbeddedDisplay shown;
    const PointGrid particles(std::span(asset.rest).subspan(asset.surface_count), 2);
    for (std::size_t i = 0; i < points.size(); ++i) {
        check_cancelled();
        shown.bindings.push_back(
            particle_of_point[i] != 0
                ? bound_to(particle_of_point[i])
                : bound_nearby(asset, particles, points[i] - asset.rest_centre, anchors[i]));
    }
    return shown;
}

}  // namespace

std::vector<std::uint32_t> thinned(std::span<const Vec3> points, std::size_t most) {
    struct Candidate {
        std::uint64_t cube;
        double distance;  ///< from its middle, squared
        std::uint32_t point;
        auto operator<=>(const Candidate&) const = default;
    };
    std::vector<std::uint32_t> kept(points.size());
    std::iota(kept.begin(), kept.end(), 0u);
    if (points.size() <= most) return kept;
    Bounds box;
    for (const Vec3& p : points) box.add(p);
    const Vec3 extent = box.extent();
    const double longest = std::max({extent.x, extent.y, extent.z});
    const auto in_cubes = [&](std::uint32_t cubes) {
        check_cancelled();
        const double side = longest > 0 ? longest / cubes : 1;
        std::vector<Candidate> candidates;
        for (std::uint32_t i = 0; i < points.size(); ++i) {
            Candidate c{0, 0, i};
            for (int k = 0; k < 3; ++k) {
                const double at = (points[i][k] - box.lower[k]) / side;
                const auto cell =
                    std::min(static_cast<std::uint64_t>(at), cubes - std::uint64_t{1});
                const double off = at - static_cast<double>(cell) - 0.5;
                c.cube = c.cube << 21 | cell;
                c.distance += off * off;
            }
            candidates.push_back(c);
        }
        std::ranges::sort(candidates);
        std::vector<std::uint32_t> chosen;
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (i == 0 || candidates[i].cube != candidates[i - 1].cube)
                chosen.push_back(candidates[i].point);
        std::ranges::sort(chosen);
        return chosen;
    };
    // One cube leaves one point; as many as still leave no more than wanted.
    std::uint32_t few = 1, many = 4096;
    kept = in_cubes(few);
    while (many - few > 1 + few / 64) {
        const std::uint32_t cubes = (few + many) / 2;
        std::vector<std::uint32_t> tried = in_cubes(cubes);
        if (tried.size() <= most)
            few = cubes, kept = std::move(tried);
        else
            many = cubes;
    }
    return kept;
}

void put_points_inside(BodyAsset& asset, std::span<const Vec3> points, std::size_t most) {
    std::vector<Vec3> at_rest;
    for (const Vec3& p : points) at_rest.push_back(p - asset.rest_centre);
    const std::vector<Anchor> anchors = anchors_of(asset, at_rest);
    std::vector<std::uint32_t> inside = thinned(points, most);
    // Along the surface, whose order is a sweep: particles that are near each other in space are so
    // in memory.
    std::ranges::stable_sort(inside, {}, [&](std::uint32_t i) { return anchors[i].nearest(); });
    std::vector<std::uint32_t> particle_of_point(points.size());  // 0: none
    std::vector<Anchor> of_particles;
    for (const std::uint32_t i : inside) {
        particle_of_point[i] = static_cast<std::uint32_t>(asset.rest.size());
        asset.rest.push_back(at_rest[i]);
        of_particles.push_back(anchors[i]);
    }
    set_followers(asset, of_particles);
    spread_masses(asset);
    centre_masses(asset);
    asset.display = shown_points(asset, points, anchors, particle_of_point);
}

}  // namespace turgor
