#pragma once

#include <map>
#include <memory>

#include "step/body_sim.hpp"

namespace turgor {

/// What is prepared already, found by the hash of its source and ω; forgotten with its last body.
struct WeakPrepared {
    std::weak_ptr<const BodySource> source;
    std::weak_ptr<const BodyAsset> asset;
    std::weak_ptr<const SurfaceRest> rest;
    std::weak_ptr<const FastAsset> fast;
    double wobble_share = 0;
    std::weak_ptr<const CollisionTree> tree{};
};
using PreparedCache = std::map<std::pair<std::uint64_t, int>, WeakPrepared>;

}  // namespace turgor
