#pragma once

#include <span>

#include "body/asset.hpp"
#include "body/support.hpp"
#include "mesh/measures.hpp"
#include "mesh/normals.hpp"
#include "volume/volume_rest.hpp"

namespace turgor {

/// Stages 4 and 5 (docs/methods.md, "Volume").

/// V(x + λ d) = c[0] + c[1] λ + c[2] λ² + c[3] λ³, exactly.
struct VolumeCubic {
    double c[4] = {};
    double at(double t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
};
VolumeCubic volume_cubic(std::span<const Vec3> x, std::span<const Vec3> d,
                         std::span<const Triangle> triangles);

/// The real solution of cubic(λ) = target that is nearest to zero; `found` is false where there is
/// none.
struct Root {
    double value = 0;
    bool found = false;
};
Root root_nearest_zero(const VolumeCubic& cubic, double target);

/// What the weights of the correction are made of.
struct WeightSettings {
    double alpha = 0.3;  ///< 0: where it deforms, 1: everywhere alike
    double beta = 0.1;   ///< share of the struts
    double largest = 3;  ///< cap on a weight in units of the mean; 0: none, as published
    bool smooth_over_regions = true;  ///< else the umbrella over the one-ring, as published
    double noise = 0;  ///< of what changed: taken off before weights are made of it [m]
};

/// Local weights (eq. 10): large where shape matching moved a particle (`change`, |cᵢ|) or a strut
/// changed its length; mean 1, capped and smoothed. Contacts are not in it: supports come
/// after.
void local_weights(const BodyAsset& asset, const VolumeRest& rest, std::span<const Vec3> x,
                   std::span<const double> change, const WeightSettings& settings,
                   std::span<double> weights);

/// Weights that are alike everywhere on the surface; inner particles are left where they are.
void set_uniform_weights(const BodyAsset& asset, std::span<double> weights);

/// A body that is squeezed until nearly all of it is in contact must bulge at its rim, which
/// touches too: there a contact holds a particle only as far as pressure drives it into the
/// contact. `slip` 0 … 1 grows from half to all of the particles held; `normal` is the particle's
/// n̄.
void loosen(Support& support, Vec3 normal, double slip);

/// Everything a correction reads of one body.
struct VolumeProblem {
    const BodyAsset& asset;
    double rest_volume = 0;             ///< the volume to keep [m³]
    std::span<const double> mass;       ///< [kg]
    std::span<const double> weights;    ///< from local_weights, or all 1
    std::span<const Support> supports;  ///< empty: nothing is held
    double comfortable_push = 0;        ///< [m]: a larger correction is spread over the whole body
    bool momentum_free = true;          ///< else the plain direction of the paper
    bool exact = true;                  ///< else one linear step, as published
    const VolumeFollowers* followers = nullptr;  ///< inner particles that go along; null: none

    /// The mass that moves with a particle, in masses of the particle.
    double mass_factor(std::size_t i) const {
        return followers && i < asset.surface_count ? followers->mass_factor[i] : 1;
    }
};

/// Stage 4: moves `x` so that the volume is the rest volume. `x_start` is where the step began:
/// with velocities taken from (x − x_start)/h, a correction without momentum about it keeps the
/// angular momentum exactly. Where supports took a push, `pressed` (empty, or one for each
/// particle) grows by it, as a distance [m]: the share of the contact force that no contact sees,
/// but friction must. Returns how much the volume was off before, relative.
double correct_positions(const VolumeProblem& problem, std::span<const Vec3> x_start,
                         std::span<Vec3> x, std::span<double> pressed = {});

/// Stage 5: makes the velocity field divergence-free, Σ vᵢ·n̄ᵢ = 0.
void correct_velocities(const VolumeProblem& problem, double h, std::span<const Vec3> x,
                        std::span<Vec3> v);

}  // namespace turgor
