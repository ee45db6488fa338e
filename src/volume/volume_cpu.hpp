#pragma once

#include <span>

#include "bake/fast_asset.hpp"
#include "base/summation.hpp"

namespace turgor {

/// Stages 4 and 5 for the cpu back end: the same correction as in volume.hpp, in single precision.
/// Every function works on one block; what it sums is in double precision and added to its last
/// argument, so blocks may run at the same time and their sums be added in order afterwards. Masses
/// are those for density 1: the density cancels.

struct VolumeCpuView {
    const FastAsset& asset;
    Summation summation = Summation::fast;
    std::span<Quad> x;              ///< positions relative to the body's origin
    std::span<Quad> normal;         ///< n̄; w: |n̄|
    std::span<Quad> direction;      ///< D
    std::span<const Quad> support;  ///< normal of the contact (0: a pin); w: hold
    std::span<const float> change;  ///< |cᵢ|
    std::span<float> weight;
    std::span<std::int32_t> rows;  ///< scratch: rows()
};

/// n̄ᵢ from the ring around each particle. Adds Σ x·n̄, which is 9 V.
void ring_normals(const VolumeCpuView& body, std::uint32_t block, double* nine_volumes);

/// Local weights before their scale is known: β sᵢ dᵢ + (1−β) |cᵢ|. Adds their sum.
void raw_weights(const VolumeCpuView& body, float beta, std::uint32_t block, double* sum);
/// (1−α) scale w + α, capped at three times the mean, ready to be summed over regions.
void cap_weights(const VolumeCpuView& body, float scale, float alpha, std::uint32_t block);

struct WeightSums {
    double weight = 0;  ///< Σ w (1 − hold)
    double free = 0;    ///< Σ (1 − hold)
    double slope = 0;   ///< Σ w |n̄|²/(3m)
    float largest = 0;  ///< of w |n̄|/m
};
/// Smoothed over regions, then faded where something holds. Without `smooth` the weights are 1.
void free_weights(const VolumeCpuView& body, bool smooth, std::uint32_t block, WeightSums& sums);

/// Σ over the particles of what the momentum-free direction is made of, about the origin of arms.
struct DirectionSums {
    double weight = 0;       ///< Σ m w
    double first[3] = {};    ///< Σ m w r
    double second[6] = {};   ///< Σ m w r rᵀ: xx yy zz xy yz zx
    double linear[3] = {};   ///< Σ w n̄ − push
    double angular[3] = {};  ///< Σ r × (w n̄ − push)
};
/// Blends weights with the uniform ones (`keep` of them is left) and sums. `push` is the mean free
/// weight: what supports press back with.
void direction_sums(const VolumeCpuView& body, std::span<const Quad> arm, float keep, float push,
                    std::uint32_t block, DirectionSums& sums);

/// D = w (n̄/m − a − b × r), without what would go into contacts. Adds Σ D·n̄; returns max |D|.
float make_direction(const VolumeCpuView& body, std::span<const Quad> arm, Quad a, Quad b,
                     std::uint32_t block, double* effect);

/// target += factor D.
void move_along(const VolumeCpuView& body, std::span<Quad> target, float factor,
                std::uint32_t block);

/// Adds Σ v·n̄.
void divergence(const VolumeCpuView& body, std::span<const Quad> v, std::uint32_t block,
                double* sum);

}  // namespace turgor
