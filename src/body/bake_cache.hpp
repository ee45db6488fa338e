#pragma once

#include <filesystem>
#include <optional>

#include "body/asset.hpp"

namespace turgor {

/// Bakes kept in files, for meshes that take long. A file that is of another version, of something
/// else, cut off or damaged counts as not there.

/// What a bake is of.
struct BakeKey {
    std::uint64_t source = 0;  ///< hash of the meshes
    int omega = 0;
    bool share_mass = true;
    double normal_point_weight = 0;
    bool operator==(const BakeKey&) const = default;
};

struct KeptBake {
    std::shared_ptr<const BodyAsset> asset;
    double wobble_share = 0;
};

std::filesystem::path bake_file(const std::filesystem::path& folder, const BakeKey& key);
/// For a mesh of so many vertices.
std::optional<KeptBake> read_bake(const std::filesystem::path& folder, const BakeKey& key,
                                  std::size_t vertices);
/// Creates the folder; an Error(io) where that is not possible.
void keep_bake(const std::filesystem::path& folder, const BakeKey& key, const KeptBake& bake);

}  // namespace turgor
