#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"
#include "base/rigid_system.hpp"
#include "base/rotation.hpp"
#include "elastic/meshless/meshless.hpp"

namespace turgor {
namespace {

/// β of the bends, less where they are large.
double bend_beta(const Cluster& cluster, const ClusterMoments& moments, double beta,
                 const PlasticShape* shape, Quat rotation) {
    const Mat3 r = to_matrix(rotation);
    double square = 0;
    for (std::size_t k = 0; k < cluster.bends; ++k) {
        const Vec3 off = shape ? moments.bend[k] - r * shape->bend[k] : moments.bend[k];
        square += dot(off, off);
    }
    const double relative = std::sqrt(square) / cluster.radius;
    return relative > largest_bend ? beta * largest_bend / relative : beta;
}

}  // namespace

ClusterMoments moments_of(const MeshlessRest& rest, const Cluster& cluster,
                          std::span<const Vec3> x) {
    const auto members =
        std::span(rest.members).subspan(cluster.begin, cluster.end - cluster.begin);
    ClusterMoments moments;
    // About one of the particles: sums of x qᵀ would lose digits far from the origin.
    const Vec3 origin = x[members[0].particle];
    for (const Member& m : members) moments.centre += m.weight * (x[m.particle] - origin);
    moments.centre += origin;
    for (const Member& m : members) {
        const Vec3 weighted = m.weight * (x[m.particle] - moments.centre);
        moments.linear += outer(weighted, m.offset);
        for (std::size_t k = 0; k < cluster.bends; ++k) moments.bend[k] += m.bend[k] * weighted;
    }
    return moments;
}

ClusterGoals fit_cluster(const Cluster& cluster, const ClusterMoments& moments, double beta,
                         const PlasticShape* shape, Quat& rotation, Precision precision) {
    const double bend = cluster.bends > 0 ? bend_beta(cluster, moments, beta, shape, rotation) : 0;
    // What is drawn back rigidly decides about the rotation, so that the torque of all goals is
    // zero: the matrix below times Rᵀ is symmetric.
    const Mat3 drawn_back = Mat3::identity() - beta * cluster.wide;
    Mat3 a = moments.linear * drawn_back;
    if (shape) {
        a = a * transpose(shape->stretch);
        for (std::size_t k = 0; k < cluster.bends; ++k)
            a += (1 - bend) * outer(moments.bend[k], shape->bend[k]);
    }
    rotation = precision == Precision::full ? nearest_rotation(a, rotation)
                                            : nearest_rotation_for_floats(a, rotation);
    const Mat3 r = to_matrix(rotation);
    ClusterGoals goals{moments.centre, {}, {}};
    // F = A Q⁺ in the wide directions, and the rigid fit in the thin ones.
    const Mat3 rigid = shape ? r * shape->stretch : r;
    goals.linear = rigid * drawn_back + beta * (moments.linear * cluster.inverse_moment);
    for (std::size_t k = 0; k < cluster.bends; ++k) {
        goals.bend[k] = bend * moments.bend[k];
        if (shape) goals.bend[k] += (1 - bend) * (r * shape->bend[k]);
    }
    return goals;
}

double flow_cluster(const Cluster& cluster, const ClusterMoments& moments, const PlasticStep& step,
                    PlasticShape& shape, Quat& rotation) {
    const Mat3 r = to_matrix(rotation);
    // Thin directions are as the rigid fit has them.
    const Mat3 gradient = moments.linear * cluster.inverse_moment +
                          r * shape.stretch * (Mat3::identity() - cluster.wide);
    const PlasticFlow flow = flow_linear(step, gradient, shape, cluster.bends);
    double change = flow.change;
    if (cluster.bends > 0) {
        const Mat3 back = transpose(r * flow.turn);
        std::array<Vec3, most_bends> in_cluster{};
        for (std::size_t k = 0; k < cluster.bends; ++k) in_cluster[k] = back * moments.bend[k];
        change += flow_quadratic(step, std::span(in_cluster).first(cluster.bends), cluster.radius,
                                 std::span(shape.bend).first(cluster.bends));
    }
    if (change > 0) rotation = nearest_rotation(r * flow.turn, rotation);
    return change;
}

ClusterGoals match_cluster(const MeshlessRest& rest, std::size_t c, const ClusterMoments& moments,
                           const PlasticStep* step, ClusterStates& states, double& flowed,
                           Precision precision) {
    const Cluster& cluster = rest.clusters[c];
    const double beta = rest.settings.beta;
    PlasticShape* const shape = states.shape.empty() ? nullptr : &states.shape[c];
    Quat& rotation = states.rotation[c];
    ClusterGoals goals = fit_cluster(cluster, moments, beta, shape, rotation, precision);
    if (!step || !shape) return goals;
    const double change = flow_cluster(cluster, moments, *step, *shape, rotation);
    if (!(change > 0)) return goals;
    flowed = std::max(flowed, change);
    return fit_cluster(cluster, moments, beta, shape, rotation, precision);
}

double match_clusters(const MeshlessRest& rest, std::span<const Vec3> x, ClusterStates& states,
                      std::span<Vec3> goals, const PlasticStep* step) {
    std::ranges::fill(goals, Vec3{});
    double flowed = 0;
    for (std::size_t c = 0; c < rest.clusters.size(); ++c) {
        check_cancelled();
        const Cluster& cluster = rest.clusters[c];
        const ClusterGoals fitted =
            match_cluster(rest, c, moments_of(rest, cluster, x), step, states, flowed);
        for (std::uint32_t k = cluster.begin; k < cluster.end; ++k) {
            const Member& m = rest.members[k];
            goals[m.particle] += m.share * fitted.at(cluster, m);
        }
    }
    return flowed;
}

void rest_goals(const MeshlessRest& rest, std::span<const Vec3> x, const ClusterStates& states,
                std::span<Vec3> goals) {
    std::ranges::fill(goals, Vec3{});
    for (std::size_t c = 0; c < rest.clusters.size(); ++c) {
        const Cluster& cluster = rest.clusters[c];
        const PlasticShape& shape = states.shape_of(c);
        const Mat3 r = to_matrix(states.rotation[c]);
        ClusterGoals at_rest{{}, r * shape.stretch, {}};
        for (std::uint32_t k = cluster.begin; k < cluster.end; ++k)
            at_rest.centre += rest.members[k].weight * x[rest.members[k].particle];
        for (std::size_t k = 0; k < cluster.bends; ++k) at_rest.bend[k] = r * shape.bend[k];
        for (std::uint32_t k = cluster.begin; k < cluster.end; ++k) {
            const Member& m = rest.members[k];
            goals[m.particle] += m.share * at_rest.at(cluster, m);
        }
    }
}

void blend_cluster_velocities(const MeshlessRest& rest, std::span<const Vec3> x,
                              std::span<const Vec3> v, std::span<Vec3> blended) {
    std::ranges::fill(blended, Vec3{});
    for (const Cluster& cluster : rest.clusters) {
        const auto members =
            std::span(rest.members).subspan(cluster.begin, cluster.end - cluster.begin);
        const Vec3 origin = x[members[0].particle];
        RigidSystem system;
        Vec3 linear, angular;
        for (const Member& m : members) {
            const Vec3 r = x[m.particle] - origin, momentum = m.weight * v[m.particle];
            system.add(m.weight, r);
            linear += momentum;
            angular += cross(r, momentum);
        }
        const RigidField field = system.solve(linear, angular);
        for (const Member& m : members)
            blended[m.particle] += m.share * field.at(x[m.particle] - origin);
    }
}

}  // namespace turgor
