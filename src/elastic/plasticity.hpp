#pragma once

#include <array>
#include <span>

#include "base/mat3.hpp"
#include "turgor/material.hpp"

namespace turgor {

/// How clusters of particles keep a new shape (docs/methods.md, "Plasticity"): one rule for all
/// elastic models, in double precision. Nothing here knows particles; a model finds how its
/// clusters are deformed and keeps their plastic shapes.

/// The rule of one material for one step. Strains are logarithms of stretches.
struct PlasticStep {
    double h = 0;                        ///< [s]
    double yield = 0;                    ///< c_y; infinite where it never flows
    double hardening = 0;                ///< by which the yield grows with the strain that is kept
    double cap = 0;                      ///< the largest strain that is kept
    double per_flow = 0, per_creep = 0;  ///< 1/τ_y, 1/τ_c [1/s]; 0: none
    double healing_left = 1;             ///< e^(−h/τ_heal)

    PlasticStep(const Plasticity& plasticity, double h);
    /// What is left of a strain `e` after the step while the cluster is held, of which `kept` is
    /// kept already: the exact solution of de/dt = −(e − c)/τ_y (where e > c) − e/τ_c, in which the
    /// yield c grows with all that flows. So it does not depend on how time is cut into steps.
    double strain_left(double e, double kept) const;
    /// Up to the yield nothing happens: it neither creeps nor heals.
    bool waits_for_yield() const { return per_creep == 0 && healing_left == 1; }
};

/// Above this strain what is measured is taken for this, so that a cluster which collapsed does
/// not flow without bounds.
inline constexpr double most_strain = 2;
/// The most of a bend or twist that is kept, relative to the cluster's radius.
inline constexpr double most_bend = 0.6;

/// The shape that a cluster keeps: q becomes stretch q + Σ bend_k φ_k(q).
struct PlasticShape {
    Mat3 stretch = Mat3::identity();  ///< U_p: symmetric, positive definite, det 1
    std::array<Vec3, 6> bend{};       ///< B, column by column, in the frame of the cluster at rest
};

/// The rotation that a step split off from a plastic shape, and how far it changed the kept strain.
struct PlasticFlow {
    Mat3 turn = Mat3::identity();  ///< R_p: the cluster's rotation R becomes R R_p
    double change = 0;
};

/// The linear part of a cluster with deformation gradient `f`, whose volume the flow does not
/// change: F Sp⁻¹ = U Σ Vᵀ, l = log Σ less its mean, Sp ← V exp((1 − e'/e) l) Vᵀ Sp = R_p U_p, of
/// which U_p is kept. Where `f` is inverted, flat or not finite nothing flows, but it heals. Turns
/// the first `bends` columns of `bend` as well.
PlasticFlow flow_linear(const PlasticStep& step, const Mat3& f, PlasticShape& shape,
                        std::size_t bends = 0);

/// The quadratic part: `moments` are RᵀM for the same functions φ_k as `bend` (less what the shape
/// at rest has, where that is not zero), `size` is √W r₀, in whose units bends are strains. Returns
/// how far the kept strain changed.
double flow_quadratic(const PlasticStep& step, std::span<const Vec3> moments, double size,
                      std::span<Vec3> bend);

/// √⅔ ‖l‖: of a uniaxial stretch that keeps the volume, the logarithm of that stretch.
double equivalent_strain(const Mat3& log_stretch);

/// The same for clusters that know two directions only, regions of a surface: symmetric 2×2
/// matrices in a plane fixed to the cluster at rest. The stretch across it is what keeps the
/// volume.
struct Plane2 {
    double xx = 0, xy = 0, yy = 0;
};
double equivalent_strain(const Plane2& log_stretch);

struct PlaneFlow {
    double cosine = 1, sine = 0;  ///< of R_p
    double change = 0;
};
/// `metric` is FᵀF in the plane; `log_stretch` the logarithm of U_p, whose area may change. With
/// `rank` 1 only xx is known.
PlaneFlow flow_in_plane(const PlasticStep& step, const Plane2& metric, int rank,
                        Plane2& log_stretch);
Plane2 exp_symmetric(const Plane2& a);

}  // namespace turgor
