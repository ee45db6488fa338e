#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "base/eigen.hpp"
#include "elastic/meshless/meshless.hpp"

namespace turgor {
namespace {

/// A direction whose second moment is less than this of the largest counts as rigid: its stretch
/// would be a quotient of small numbers.
constexpr double thin = 0.05;
/// Functions that other functions explain up to this share of their square are left out.
constexpr double least_residual = 1e-2;

void set_moments(Cluster& cluster, std::span<const Member> members) {
    Mat3 moment;
    for (const Member& m : members) moment += outer(m.weight * m.offset, m.offset);
    cluster.radius = std::sqrt(trace(moment));
    Mat3 vectors;
    const Vec3 values = eigen_symmetric(moment, vectors);
    const double largest = std::max({values.x, values.y, values.z});
    if (!(largest > 0)) return;
    for (int k = 0; k < 3; ++k) {
        if (!(values[k] > thin * largest)) continue;
        const Vec3 e = vectors.column(k);
        cluster.inverse_moment += (1 / values[k]) * outer(e, e);
        cluster.wide += outer(e, e);
    }
}

/// The six products of coordinates, made orthonormal to 1, to q and to each other by Gram–Schmidt
/// that takes the largest remainder first.
void set_bends(Cluster& cluster, std::span<Member> members) {
    const std::size_t n = members.size();
    std::vector<std::vector<double>> known, candidates;
    const auto product = [&](std::span<const double> a, std::span<const double> b) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += members[i].weight * a[i] * b[i];
        return sum;
    };
    const auto remove_known = [&](std::vector<double>& f) {
        for (int twice = 0; twice < 2; ++twice)
            for (const auto& g : known) {
                const double along = product(f, g);
                for (std::size_t i = 0; i < n; ++i) f[i] -= along * g[i];
            }
    };
    const auto normalise = [&](std::vector<double>& f, double square) {
        for (double& value : f) value /= std::sqrt(square);
    };
    known.emplace_back(n, 1.0);
    Mat3 moment;
    for (const Member& m : members) moment += outer(m.weight * m.offset, m.offset);
    Mat3 vectors;
    const Vec3 values = eigen_symmetric(moment, vectors);
    const double largest = std::max({values.x, values.y, values.z});
    for (int k = 0; k < 3; ++k) {
        if (!(values[k] > 1e-12 * largest)) continue;
        std::vector<double> f(n);
        for (std::size_t i = 0; i < n; ++i) f[i] = dot(vectors.column(k), members[i].offset);
        remove_known(f);
        normalise(f, product(f, f));
        known.push_back(std::move(f));
    }
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) {
            std::vector<double> f(n);
            for (std::size_t i = 0; i < n; ++i)
                f[i] =
                    members[i].offset[a] / cluster.radius * members[i].offset[b] / cluster.radius;
            remove_known(f);
            candidates.push_back(std::move(f));
        }
    while (!candidates.empty() && cluster.bends < most_bends) {
        std::size_t best = 0;
        double square = 0;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            const double s = product(candidates[k], candidates[k]);
            if (s > square) square = s, best = k;
        }
        if (!(square > least_residual)) break;
        std::vector<double> f = std::move(candidates[best]);
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(best));
        remove_known(f);
        normalise(f, product(f, f));
        known.push_back(f);
        for (auto& c : candidates) remove_known(c);
        for (std::size_t i = 0; i < n; ++i) members[i].bend[cluster.bends] = f[i];
        ++cluster.bends;
    }
}

}  // namespace

MeshlessRest make_meshless_rest(const BodyAsset& asset, const MeshlessSettings& settings,
                                const ClusterLayout& layout, std::span<const double> importance) {
    MeshlessRest rest;
    rest.settings = settings;
    rest.widened = layout.widened;
    rest.importance.assign(importance.begin(), importance.end());
    for (const auto& shares : layout.clusters) {
        check_cancelled();
        Cluster cluster;
        cluster.begin = static_cast<std::uint32_t>(rest.members.size());
        for (const ClusterShare& s : shares) {
            const double firm = importance.empty() ? 1 : importance[s.particle];
            const double weight = firm * s.share * asset.mass[s.particle];
            rest.members.push_back({s.particle, weight, s.share, {}, {}});
            cluster.mass += weight;
            cluster.centre += weight * asset.rest[s.particle];
        }
        if (!(cluster.mass > 0)) {
            rest.members.resize(cluster.begin);
            continue;
        }
        cluster.centre /= cluster.mass;
        cluster.end = static_cast<std::uint32_t>(rest.members.size());
        const auto members = std::span(rest.members).subspan(cluster.begin);
        for (Member& m : members) {
            m.weight /= cluster.mass;
            m.offset = asset.rest[m.particle] - cluster.centre;
        }
        set_moments(cluster, members);
        if (settings.mode == MeshlessMode::quadratic && cluster.radius > 0)
            set_bends(cluster, members);
        rest.clusters.push_back(cluster);
    }
    return rest;
}

MeshlessRest make_meshless_rest(const BodyAsset& asset, const MeshlessSettings& settings,
                                std::span<const double> importance) {
    return make_meshless_rest(
        asset, settings, place_clusters(asset, settings.placement, settings.clusters), importance);
}

std::size_t bytes(const MeshlessRest& rest) {
    return sizeof rest + rest.clusters.capacity() * sizeof(Cluster) +
           rest.members.capacity() * sizeof(Member) + rest.importance.capacity() * sizeof(double);
}

}  // namespace turgor
