#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/mat3.hpp"
#include "elastic/plasticity.hpp"
#include "elastic/surface/surface.hpp"

namespace turgor {

/// Plasticity of the surface model (docs/methods.md, "Plastic surfaces"): each region keeps a
/// stretch in its plane and a bend of it. Only bodies that are plastic, or were, have any of this.

inline constexpr std::size_t most_plane_bends = 3;

/// The plane of a region at rest, and functions φ of the coordinates u, v in it, which are
/// orthonormal under the weights of the fit (they add up to 1): Σ w φ_j φ_k = δ_jk, Σ w φ = Σ w φ u
/// = Σ w φ v = 0.
struct RegionPlane {
    Vec3 along[2];                  ///< unit vectors; u = along[0] · q, q from the region's centre
    double inverse_moment[2] = {};  ///< 1/Σ w u², 1/Σ w v²
    int rank = 0;                   ///< along how many of the two the region extends
    int bends = 0;                  ///< how many functions φ there are
    double radius = 0;              ///< rms distance of its particles from its centre [m]
    /// φ_k = c · (1, u, v, u², uv, v²)
    std::array<std::array<double, 6>, most_plane_bends> function{};
    std::array<Vec3, most_plane_bends> rest_bend{};  ///< Σ w q φ: how curved it is at rest [m]
};

struct PlasticCpuRest;
struct RegionCpuRest;

struct PlasticRest {
    std::vector<RegionPlane> planes;
    std::shared_ptr<const PlasticCpuRest> cpu;  ///< null where there is no cpu form
};
std::shared_ptr<const PlasticRest> make_plastic_rest(const BodyAsset& asset,
                                                     const SurfaceRest& rest,
                                                     const RegionCpuRest* cpu);
std::size_t bytes(const PlasticRest& rest);

/// What a region keeps: q becomes S q + Σ bend_k φ_k, S being exp(log_stretch) in its plane.
struct RegionShape {
    Plane2 log_stretch;
    std::array<Vec3, most_plane_bends> bend{};
};

/// Moments of a region's positions p about their mean, with weights that add up to 1.
struct RegionMoments {
    Vec3 mean;                                  ///< Σ w x
    Mat3 linear;                                ///< A = Σ w p qᵀ
    std::array<Vec3, most_plane_bends> bend{};  ///< M = Σ w p φ
};

/// Where a region draws its particles: mean + linear q + Σ bend_k φ_k.
struct RegionGoals {
    Vec3 mean;
    Mat3 linear;
    std::array<Vec3, most_plane_bends> bend{};
};

/// The values of a region's functions φ at a rest position q from its centre.
std::array<double, most_plane_bends> bend_functions(const RegionPlane& plane, Vec3 q);

/// S of what a region keeps. The matrix whose nearest rotation is its fit; the goals with that
/// rotation; and how it flows, as it is turned, towards the shape that it is held in: how far the
/// kept strain changed. Where it did, the fit has to be made anew.
Mat3 kept_stretch(const RegionPlane& plane, const RegionShape& shape);
Mat3 matrix_to_fit(const RegionMoments& moments, const Mat3& stretch, const RegionShape& shape);
RegionGoals goals_at(const RegionMoments& moments, const Mat3& stretch, const RegionShape& shape,
                     const Mat3& rotation);
double flow_region(const RegionPlane& plane, const RegionMoments& moments, const PlasticStep& step,
                   const Mat3& rotation, RegionShape& shape);

/// The blended goals of plastic regions; returns the most that any has flowed.
double match_plastic_regions(const BodyAsset& asset, const SurfaceRest& rest,
                             const PlasticRest& plastic, std::span<const Vec3> x,
                             const PlasticStep* step, std::span<RegionShape> shapes,
                             std::span<Quat> rotations, std::span<Vec3> goals);

/// Where particles are drawn when nothing but what is kept deforms their regions, which are turned
/// as they are now about the centres that they have at x.
void plastic_rest_goals(const BodyAsset& asset, const SurfaceRest& rest, const PlasticRest& plastic,
                        std::span<const Vec3> x, std::span<const RegionShape> shapes,
                        std::span<const Quat> rotations, std::span<Vec3> goals);

/// What a region keeps when it becomes as large as another one around the same particle.
RegionShape carried_over(const RegionPlane& from, const RegionPlane& to, const RegionShape& shape);

/// No stretch and no bend beyond what any cap allows.
bool is_legal(const RegionShape& shape);

}  // namespace turgor
