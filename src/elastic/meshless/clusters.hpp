#pragma once

#include <cstdint>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

/// How particles share in clusters (Müller et al. 2005, section 4.4): sets that overlap, with
/// smooth weights that add up to 1 at each particle.

enum class Placement {
    connected,  ///< seeds spread by distances through the solid: no cluster joins two legs
    regular     ///< overlapping cells of the bounding box, as published
};

struct ClusterShare {
    std::uint32_t particle = 0;
    double share = 0;  ///< w_ic, 0 … 1
};

struct ClusterLayout {
    std::vector<std::vector<ClusterShare>> clusters;
    /// How often the clusters were widened until they hung together through three particles or
    /// more that lie on no line: else the body would fall apart.
    int widened = 0;
};

/// About `count` clusters; there may be fewer, never none.
ClusterLayout place_clusters(const BodyAsset& asset, Placement placement, int count);

/// How many clusters a shape wants, by how long its longest way through the solid is: 1 of a ball,
/// more of a bar, a body with limbs.
int clusters_wanted(const BodyAsset& asset);

/// Whether clusters hang together through shared particles that lie on no line.
bool hang_together(const BodyAsset& asset, const ClusterLayout& layout);

}  // namespace turgor
