#include "elastic/meshless/clusters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/bounds.hpp"
#include "base/cancel.hpp"
#include "base/eigen.hpp"
#include "base/union_find.hpp"
#include "elastic/meshless/solid_distance.hpp"

namespace turgor {
namespace {

constexpr double least_share = 1e-3;

double smoothstep(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

/// From the weights of all clusters at each particle; what is hardly in a cluster leaves it.
ClusterLayout layout_of(std::vector<std::vector<ClusterShare>>& shares_of_particles,
                        std::size_t clusters) {
    ClusterLayout layout;
    layout.clusters.resize(clusters);
    for (std::uint32_t i = 0; i < shares_of_particles.size(); ++i) {
        auto& shares = shares_of_particles[i];  // particle: here the number of the cluster
        double total = 0;
        for (const auto& s : shares) total += s.share;
        std::erase_if(shares, [&](const auto& s) { return s.share < least_share * total; });
        total = 0;
        for (const auto& s : shares) total += s.share;
        for (const auto& s : shares) layout.clusters[s.particle].push_back({i, s.share / total});
    }
    std::erase_if(layout.clusters, [](const auto& cluster) { return cluster.empty(); });
    return layout;
}

ClusterLayout one_cluster(std::size_t particles) {
    ClusterLayout layout;
    layout.clusters.resize(1);
    for (std::uint32_t i = 0; i < particles; ++i) layout.clusters[0].push_back({i, 1});
    return layout;
}

/// Hats around the nodes of a lattice in the box of the body, with cells as cubical as they get.
ClusterLayout regular_clusters(const BodyAsset& asset, int count) {
    Bounds box;
    for (const Vec3& p : asset.rest) box.add(p);
    const Vec3 extent = box.upper - box.lower;
    std::array<int, 3> cells{1, 1, 1};
    while (cells[0] * cells[1] * cells[2] < count) {
        int widest = 0;
        for (int k = 1; k < 3; ++k)
            if (extent[k] / cells[static_cast<std::size_t>(k)] >
                1.000001 * extent[widest] / cells[static_cast<std::size_t>(widest)])
                widest = k;
        ++cells[static_cast<std::size_t>(widest)];
    }
    std::vector<std::vector<ClusterShare>> shares(asset.rest.size());
    for (std::uint32_t i = 0; i < shares.size(); ++i) {
        // Of each axis: the cell whose middle lies before the particle, and the next one's weight.
        std::array<int, 3> first{};
        std::array<double, 3> next{};
        for (int k = 0; k < 3; ++k) {
            const auto a = static_cast<std::size_t>(k);
            const double t =
                extent[k] > 0 ? (asset.rest[i][k] - box.lower[k]) / extent[k] * cells[a] - 0.5 : 0;
            first[a] = std::clamp(static_cast<int>(std::floor(t)), 0, std::max(0, cells[a] - 2));
            next[a] = cells[a] > 1 ? smoothstep(t - first[a]) : 0;
        }
        for (int corner = 0; corner < 8; ++corner) {
            double share = 1;
            std::array<int, 3> at = first;
            for (std::size_t a = 0; a < 3; ++a) {
                const bool second = ((corner >> a) & 1) != 0;
                share *= second ? next[a] : 1 - next[a];
                at[a] += second;
            }
            if (share <= 0) continue;
            const int number = (at[2] * cells[1] + at[1]) * cells[0] + at[0];
            shares[i].push_back({static_cast<std::uint32_t>(number), share});
        }
    }
    return layout_of(shares, static_cast<std::size_t>(cells[0] * cells[1] * cells[2]));
}

std::uint32_t index_of_largest(std::span<const double> values) {
    return static_cast<std::uint32_t>(std::ranges::max_element(values) - values.begin());
}

/// Seeds, and the distances of all particles from each.
struct Seeds {
    std::vector<std::vector<double>> distances;
    double spread = 0;  ///< Σ m d², d from the nearest: what Lloyd's algorithm makes small
};

/// Lloyd's algorithm: each seed goes to the middle of what is nearest to it, until that changes
/// nothing to speak of.
void settle(const BodyAsset& asset, const SolidDistance& solid, Seeds& seeds) {
    const int most_rounds = seeds.distances.size() > 100 ? 4 : 20;
    constexpr double worth_a_round = 0.995;
    auto& distances = seeds.distances;
    for (int round = 0;; ++round) {
        check_cancelled();
        std::vector<Vec3> middle(distances.size());
        std::vector<double> mass(distances.size());
        double spread = 0;
        for (std::size_t i = 0; i < asset.surface_count; ++i) {
            std::size_t owner = 0;
            for (std::size_t c = 1; c < distances.size(); ++c)
                if (distances[c][i] < distances[owner][i]) owner = c;
            middle[owner] += asset.mass[i] * asset.rest[i];
            mass[owner] += asset.mass[i];
            spread += asset.mass[i] * distances[owner][i] * distances[owner][i];
        }
        const bool settled = round > 0 && spread > worth_a_round * seeds.spread;
        seeds.spread = spread;
        if (settled || round == most_rounds) return;
        for (std::size_t c = 0; c < distances.size(); ++c)
            if (mass[c] > 0) distances[c] = solid.from(middle[c] / mass[c]);
    }
}

/// Points that are as far from each other as they get.
Seeds far_apart(const SolidDistance& solid, std::uint32_t end, int count) {
    Seeds seeds;
    std::uint32_t next = end;
    std::vector<double> nearest;
    while (static_cast<int>(seeds.distances.size()) < count) {
        seeds.distances.push_back(solid.from(next));
        const std::vector<double>& last = seeds.distances.back();
        if (nearest.empty()) nearest = last;
        for (std::size_t i = 0; i < last.size(); ++i) nearest[i] = std::min(nearest[i], last[i]);
        next = index_of_largest(nearest);
        if (nearest[next] == 0) break;
    }
    return seeds;
}

/// The middles of slices of equal mass, by how much nearer they are to one end than to the other:
/// of a bar they stand in a row, where points that are far apart stand to and fro.
Seeds in_a_row(const BodyAsset& asset, const SolidDistance& solid, std::uint32_t end, int count) {
    const std::vector<double> from_end = solid.from(end),
                              from_other = solid.from(index_of_largest(from_end));
    std::vector<std::uint32_t> order(from_end.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {},
                             [&](std::uint32_t i) { return from_end[i] - from_other[i]; });
    const double total = std::accumulate(asset.mass.begin(), asset.mass.end(), 0.0);
    Seeds seeds;
    Vec3 middle;
    double mass = 0, before = 0;
    for (const std::uint32_t i : order) {
        middle += asset.mass[i] * asset.rest[i];
        mass += asset.mass[i];
        const auto slices = static_cast<double>(seeds.distances.size() + 1);
        if (before + mass < (slices - 1e-9) / count * total) continue;
        seeds.distances.push_back(solid.from(middle / mass));
        before += mass;
        middle = {};
        mass = 0;
    }
    return seeds;
}

std::vector<std::vector<double>> spread_seeds(const BodyAsset& asset, const SolidDistance& solid,
                                              int count) {
    const std::uint32_t end = index_of_largest(solid.from(index_of_largest(solid.from(0u))));
    Seeds apart = far_apart(solid, end, count);
    settle(asset, solid, apart);
    // So many in a row would be thinner than a particle's surroundings.
    constexpr int most_in_a_row = 64;
    if (count > most_in_a_row) return std::move(apart.distances);
    Seeds row = in_a_row(asset, solid, end, count);
    settle(asset, solid, row);
    // Clusters in a row hold a twist together better than those that stand side by side.
    constexpr double worth_a_row = 1.25;
    return row.spread < worth_a_row * apart.spread ? std::move(row.distances)
                                                   : std::move(apart.distances);
}

/// Particles inside share as the corners of the surface do that they are behind.
void share_inwards(const BodyAsset& asset, std::vector<std::vector<ClusterShare>>& shares) {
    shares.resize(asset.rest.size());
    for (std::uint32_t corner = 0; corner < asset.followers.size(); ++corner)
        asset.each_follower(corner, [&](std::uint32_t i, double behind) {
            for (const ClusterShare& s : shares[corner]) {
                const auto at = std::ranges::find(shares[i], s.particle, &ClusterShare::particle);
                if (at == shares[i].end())
                    shares[i].push_back({s.particle, behind * s.share});
                else
                    at->share += behind * s.share;
            }
        });
}

/// Weights fall from 1 where a seed is the nearest to 0 where it is `reach` farther than that.
ClusterLayout clusters_around(const BodyAsset& asset,
                              std::span<const std::vector<double>> distances, double reach) {
    std::vector<std::vector<ClusterShare>> shares(asset.surface_count);
    for (std::uint32_t i = 0; i < asset.surface_count; ++i) {
        double nearest = std::numeric_limits<double>::infinity();
        for (const auto& distance : distances) nearest = std::min(nearest, distance[i]);
        for (std::uint32_t c = 0; c < distances.size(); ++c) {
            const double share = smoothstep(1 - (distances[c][i] - nearest) / reach);
            if (share > 0) shares[i].push_back({c, share});
        }
    }
    share_inwards(asset, shares);
    return layout_of(shares, distances.size());
}

ClusterLayout connected_clusters(const BodyAsset& asset, int count) {
    const SolidDistance solid(asset);
    const std::vector<std::vector<double>> distances = spread_seeds(asset, solid, count);
    // By how much the next seed is farther than the own, where one is nearest: there the next
    // cluster has no share any more.
    double spacing = 0;
    for (std::size_t a = 0; a < distances.size(); ++a) {
        const auto own = std::ranges::min_element(distances[a]) - distances[a].begin();
        const auto at = static_cast<std::size_t>(own);
        double next = std::numeric_limits<double>::infinity();
        for (std::size_t b = 0; b < distances.size(); ++b)
            if (a != b) next = std::min(next, distances[b][at] - distances[a][at]);
        spacing += std::max(next, 0.0) / static_cast<double>(distances.size());
    }
    constexpr int most = 8;
    double reach = spacing;
    for (int widened = 0; widened < most; ++widened, reach *= 1.5) {
        ClusterLayout layout = clusters_around(asset, distances, reach);
        layout.widened = widened;
        if (hang_together(asset, layout)) return layout;
    }
    return one_cluster(asset.rest.size());
}

bool lie_on_no_line(std::span<const Vec3> points) {
    if (points.size() < 3) return false;
    Vec3 centre;
    for (const Vec3& p : points) centre += p / static_cast<double>(points.size());
    Mat3 spread;
    for (const Vec3& p : points) spread += outer(p - centre, p - centre);
    Mat3 directions;
    const Vec3 values = eigen_symmetric(spread, directions);
    std::array<double, 3> sorted{values.x, values.y, values.z};
    std::ranges::sort(sorted);
    return sorted[1] > 1e-6 * sorted[2];
}

}  // namespace

bool hang_together(const BodyAsset& asset, const ClusterLayout& layout) {
    constexpr double enough = 0.02;  // of a particle's weight, in each of two clusters
    std::vector<std::vector<std::uint32_t>> clusters_of(asset.rest.size());
    for (std::uint32_t c = 0; c < layout.clusters.size(); ++c)
        for (const ClusterShare& s : layout.clusters[c])
            if (s.share > enough) clusters_of[s.particle].push_back(c);
    std::map<std::array<std::uint32_t, 2>, std::vector<Vec3>> shared;
    for (std::uint32_t i = 0; i < clusters_of.size(); ++i)
        for (std::size_t a = 0; a < clusters_of[i].size(); ++a)
            for (std::size_t b = a + 1; b < clusters_of[i].size(); ++b)
                shared[{clusters_of[i][a], clusters_of[i][b]}].push_back(asset.rest[i]);
    std::vector<std::uint32_t> parent(layout.clusters.size());
    std::iota(parent.begin(), parent.end(), 0u);
    for (const auto& [pair, points] : shared)
        if (lie_on_no_line(points)) unite(parent, pair[0], pair[1]);
    for (std::uint32_t c = 0; c < parent.size(); ++c)
        if (find_root(parent, c) != find_root(parent, 0)) return false;
    return true;
}

ClusterLayout place_clusters(const BodyAsset& asset, Placement placement, int count) {
    count = std::min(count, std::max(1, static_cast<int>(asset.rest.size() / 4)));
    if (count <= 1) return one_cluster(asset.rest.size());
    if (placement == Placement::regular) {
        ClusterLayout layout = regular_clusters(asset, count);
        if (hang_together(asset, layout)) return layout;
        // Cells of a box know nothing of the shape in it.
        layout = connected_clusters(asset, count);
        ++layout.widened;
        return layout;
    }
    return connected_clusters(asset, count);
}

int clusters_wanted(const BodyAsset& asset) {
    const SolidDistance solid(asset);
    const std::vector<double> from_end = solid.from(index_of_largest(solid.from(0u)));
    const double longest = *std::ranges::max_element(from_end);
    // A ball's longest way is its size, a bar's of 5 : 1 : 1 is 2.5 times its own.
    const double elongation = longest / asset.size;
    return std::clamp(1 + static_cast<int>(3.5 * (elongation - 1.15)), 1, 12);
}

}  // namespace turgor
