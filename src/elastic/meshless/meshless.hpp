#pragma once

#include <array>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "base/mat3.hpp"
#include "body/asset.hpp"
#include "elastic/meshless/clusters.hpp"
#include "elastic/plasticity.hpp"
#include "elastic/regions.hpp"

namespace turgor {

/// Stage 2 of the meshless model: shape matching of overlapping clusters of particles, rigid,
/// linear or quadratic (Müller et al. 2005; docs/methods.md, "Meshless shape matching").

enum class MeshlessMode { rigid, linear, quadratic };

/// How clusters are placed and fitted.
struct MeshlessSettings {
    MeshlessMode mode = MeshlessMode::quadratic;
    double beta = 0.8;  ///< how far goals follow the deformation, 0 … 0.95
    int clusters = 1;
    Placement placement = Placement::connected;
    bool operator==(const MeshlessSettings&) const = default;
};

inline constexpr std::size_t most_bends = std::tuple_size_v<decltype(PlasticShape::bend)>;

/// A set of particles that is fitted as one, with weights w that add up to 1. Its functions φ of
/// the rest position q are orthonormal: Σ w φ_j φ_k = δ_jk, Σ w φ_k = 0, Σ w φ_k q = 0.
struct Cluster {
    std::uint32_t begin = 0, end = 0;  ///< its members
    double mass = 0;                   ///< Σ m w_ic of its members [kg, for density 1]
    Vec3 centre;                       ///< weighted mean of the rest positions
    double radius = 0;                 ///< their weighted rms distance from it [m]
    Mat3 inverse_moment;               ///< Q⁺ of Q = Σ w q qᵀ, without the thin directions
    Mat3 wide;                         ///< projector Q Q⁺ on the directions that are not thin
    std::size_t bends = 0;             ///< quadratic functions, 0 … 6
};

struct Member {
    std::uint32_t particle = 0;
    double weight = 0;                      ///< w in the fit, m w_ic over their sum
    double share = 0;                       ///< w_ic of its goals
    Vec3 offset;                            ///< q: rest position from the cluster's centre
    std::array<double, most_bends> bend{};  ///< φ
};

/// What the fits of all clusters need of the rest shape.
struct MeshlessRest {
    MeshlessSettings settings;
    std::vector<Cluster> clusters;
    std::vector<Member> members;     ///< cluster after cluster
    std::vector<double> importance;  ///< of particles, 0 … 1: how firmly each is drawn to its goal
    int widened = 0;                 ///< ClusterLayout::widened
    double wobble_share = 1;         ///< κ: what matching at stiffness 1 takes of the softest mode
    double damping_share = 1;        ///< what damping at 1 takes of its velocity
};

/// `importance` may be empty: all alike.
MeshlessRest make_meshless_rest(const BodyAsset& asset, const MeshlessSettings& settings,
                                std::span<const double> importance = {});
MeshlessRest make_meshless_rest(const BodyAsset& asset, const MeshlessSettings& settings,
                                const ClusterLayout& layout, std::span<const double> importance);
std::size_t bytes(const MeshlessRest& rest);

/// Moments of a cluster's positions p about their mean: what a fit is made of.
struct ClusterMoments {
    Vec3 centre;                          ///< Σ w x
    Mat3 linear;                          ///< A = Σ w p qᵀ
    std::array<Vec3, most_bends> bend{};  ///< M = Σ w p φ
};

/// Where a cluster draws its members: centre + linear q + Σ bend_k φ_k.
struct ClusterGoals {
    Vec3 centre;
    Mat3 linear;
    std::array<Vec3, most_bends> bend{};
    Vec3 at(const Cluster& cluster, const Member& member) const {
        Vec3 goal = centre + linear * member.offset;
        for (std::size_t k = 0; k < cluster.bends; ++k) goal += member.bend[k] * bend[k];
        return goal;
    }
};

/// Bends beyond this, relative to the size of the cluster, are drawn back: a quadratic function
/// would fold the body over.
inline constexpr double largest_bend = 0.5;

/// What a fit is made for: the cpu form rounds it to single precision afterwards.
enum class Precision { full, single };

/// The goals of one cluster; `rotation` is the last fit and takes the new one. Force and torque of
/// the goals are zero: Σ w (goal − x) = 0, Σ w x × goal = 0. `shape`: null where nothing is kept.
ClusterGoals fit_cluster(const Cluster& cluster, const ClusterMoments& moments, double beta,
                         const PlasticShape* shape, Quat& rotation,
                         Precision precision = Precision::full);

/// Lets a cluster flow towards the shape that it is held in; returns how far its kept strain
/// changed. The fit has to be made anew where it did.
double flow_cluster(const Cluster& cluster, const ClusterMoments& moments, const PlasticStep& step,
                    PlasticShape& shape, Quat& rotation);

/// The state of all clusters of a body.
struct ClusterStates {
    std::vector<Quat> rotation;
    std::vector<PlasticShape> shape;  ///< what is kept of deformations; empty: nothing
    const PlasticShape& shape_of(std::size_t cluster) const {
        static const PlasticShape undeformed;
        return shape.empty() ? undeformed : shape[cluster];
    }
};

ClusterMoments moments_of(const MeshlessRest& rest, const Cluster& cluster,
                          std::span<const Vec3> x);

/// The fit of one cluster of a body, which flows where `step` is given; adds to `flowed` how far.
ClusterGoals match_cluster(const MeshlessRest& rest, std::size_t cluster,
                           const ClusterMoments& moments, const PlasticStep* step,
                           ClusterStates& states, double& flowed,
                           Precision precision = Precision::full);

/// The blended goal of each particle. With `step` clusters flow; returns the most that any did.
double match_clusters(const MeshlessRest& rest, std::span<const Vec3> x, ClusterStates& states,
                      std::span<Vec3> goals, const PlasticStep* step = nullptr);

/// Where particles are drawn when nothing but what is kept deforms their clusters, which are turned
/// as they are now about the centres that they have at x.
void rest_goals(const MeshlessRest& rest, std::span<const Vec3> x, const ClusterStates& states,
                std::span<Vec3> goals);

/// The rigid velocity field of each cluster, blended like the goals.
void blend_cluster_velocities(const MeshlessRest& rest, std::span<const Vec3> x,
                              std::span<const Vec3> v, std::span<Vec3> blended);

/// Finds wobble_share and damping_share: the softest deformation that keeps the volume, by
/// subspace iteration with matching itself.
void measure_shares(const BodyAsset& asset, MeshlessRest& rest);

}  // namespace turgor
