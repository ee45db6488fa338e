#pragma once

#include <functional>
#include <span>

#include "base/mat3.hpp"
#include "base/rotation.hpp"
#include "body/asset.hpp"

namespace turgor {

/// Shape matching over overlapping regions, for models whatever their regions are (Diziol et al.
/// 2011, section 3; docs/methods.md, "Goals").

/// Σ w x and Σ w x x⁰ᵀ over a region.
struct RegionMoments {
    Vec3 first;
    Mat3 second;
    void add(Vec3 weighted, Vec3 rest) {
        first += weighted;
        second += outer(weighted, rest);
    }
    RegionMoments& operator+=(const RegionMoments& o) {
        first += o.first;
        second += o.second;
        return *this;
    }
    RegionMoments& operator-=(const RegionMoments& o) {
        first -= o.first;
        second = second - o.second;
        return *this;
    }
};

/// T = [R | t]: where a region's rigid fit takes rest positions; sums of such.
struct RegionFit {
    Mat3 rotation;
    Vec3 offset;
    RegionFit& operator+=(const RegionFit& o) {
        rotation += o.rotation;
        offset += o.offset;
        return *this;
    }
    RegionFit& operator-=(const RegionFit& o) {
        rotation = rotation - o.rotation;
        offset -= o.offset;
        return *this;
    }
    Vec3 at(Vec3 rest) const { return rotation * rest + offset; }
};

/// The best rigid fit of a region of that weight and rest centre; `rotation` holds the last one and
/// takes the new one.
inline RegionFit fit_region(const RegionMoments& moments, double weight, Vec3 rest_centre,
                            Quat& rotation) {
    rotation = nearest_rotation(moments.second - outer(moments.first, rest_centre), rotation);
    const Mat3 r = to_matrix(rotation);
    return {r, moments.first / weight - r * rest_centre};
}

/// How much of the body's slowest wobble shape matching takes back at stiffness 1, 0 … 1. With it,
/// s = sin²(2πf h)/share gives a wobble of f. Found by stretching and shearing the rest shape a
/// little, letting that deformation relax towards the softest one it contains (rigid motion and
/// volume taken out), and taking its Rayleigh quotient. `match` finds the goals of positions.
using FindGoals = std::function<void(std::span<const Vec3> x, std::span<Vec3> goals)>;
double find_wobble_share(const BodyAsset& asset, const FindGoals& match);

}  // namespace turgor
