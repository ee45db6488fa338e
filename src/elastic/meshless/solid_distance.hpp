#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

/// Distances between particles through the solid: along edges of the surface, and along chords
/// through the inside. Two legs that nearly touch are far apart.
class SolidDistance {
public:
    explicit SolidDistance(const BodyAsset& asset);

    /// To every particle from one [m] (Dijkstra 1959).
    std::vector<double> from(std::uint32_t particle) const;

private:
    struct Way {
        std::uint32_t to = 0;
        double length = 0;
    };
    std::vector<std::vector<Way>> ways_;
};

}  // namespace turgor
