#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

/// Distances between corners of the surface through the solid: along its edges, and along chords
/// through the inside. Two legs that nearly touch are far apart. The asset must outlive it.
class SolidDistance {
public:
    explicit SolidDistance(const BodyAsset& asset);

    /// To every corner from one [m] (Dijkstra 1959).
    std::vector<double> from(std::uint32_t particle) const;
    /// From a point inside: by way of the corners that are nearest to it.
    std::vector<double> from(Vec3 inside) const;

private:
    std::vector<double> spread(std::vector<std::pair<double, std::uint32_t>> starts) const;

    struct Way {
        std::uint32_t to = 0;
        double length = 0;
    };
    std::span<const Vec3> rest_;
    std::vector<std::vector<Way>> ways_;
};

}  // namespace turgor
