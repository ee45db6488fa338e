#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "body/asset.hpp"

namespace turgor {

class ByteReader;
class ByteWriter;

/// What something baked is of: the hash of the meshes, who made what of it ("surface asset"), and
/// the hash of the settings that matter for it.
struct BakeKey {
    std::uint64_t source = 0;
    std::string what;
    std::uint64_t settings = 0;
    auto operator<=>(const BakeKey&) const = default;
};

/// What has been baked: in memory as long as somebody uses it, and in files, where there is a
/// folder, for meshes that take long.
class BakeCache {
public:
    std::filesystem::path folder;  ///< empty: no files

    /// What is kept under a key, or what `make` makes.
    template <class T, class Make>
    std::shared_ptr<const T> find_or_make(const BakeKey& key, Make&& make) {
        if (auto kept = find<T>(key)) return kept;
        std::shared_ptr<const T> made = make();
        std::erase_if(kept_, [](const auto& entry) { return entry.second.expired(); });
        kept_[key] = made;
        return made;
    }
    template <class T>
    std::shared_ptr<const T> find(const BakeKey& key) const {
        const auto at = kept_.find(key);
        return at != kept_.end() ? std::static_pointer_cast<const T>(at->second.lock()) : nullptr;
    }

private:
    std::map<BakeKey, std::weak_ptr<const void>> kept_;
};

std::filesystem::path bake_file(const std::filesystem::path& folder, const BakeKey& key);
/// What was written under a key. A file that is of another version, of something else, cut off or
/// damaged counts as not there.
std::optional<std::vector<std::byte>> read_bake(const std::filesystem::path& folder,
                                                const BakeKey& key);
/// Creates the folder; an Error(io) where that is not possible.
void keep_bake(const std::filesystem::path& folder, const BakeKey& key,
               std::span<const std::byte> content);

void write_asset(ByteWriter& out, const BodyAsset& asset);
/// Nothing where an index leads out of its arrays.
std::shared_ptr<const BodyAsset> read_asset(ByteReader& in);
void write_lists(ByteWriter& out, const ListOfLists& lists);
/// `size` lists of numbers below `limit`; an Error(bad_snapshot) where they are not.
ListOfLists read_lists(ByteReader& in, std::size_t size, std::size_t limit);

}  // namespace turgor
