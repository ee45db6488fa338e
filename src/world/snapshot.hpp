#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace turgor {

struct WorldImpl;

inline constexpr std::uint32_t snapshot_version = 10;

/// Where the numbers of a field are in a snapshot, for tests that change them.
struct SnapshotField {
    std::string path;        ///< e.g. "bodies[0].handles[1].frequency"
    std::size_t offset = 0;  ///< of the first one, in bytes
    std::size_t width = 0;   ///< of each, in bytes
    bool is_floating = false;
    std::size_t count = 1;
};

/// The state of a world; ends with a check sum of what comes before it.
std::vector<std::byte> write_snapshot(WorldImpl& world);
/// A world as the snapshot says, with the back end, the threads and what is still of use of `host`,
/// which is not changed. An Error where anything in the snapshot is not legal.
std::unique_ptr<WorldImpl> read_snapshot(std::span<const std::byte> snapshot, const WorldImpl& host,
                                         std::vector<SnapshotField>* log = nullptr);

/// The fields of a snapshot, in its order.
std::vector<SnapshotField> fields_of(std::span<const std::byte> snapshot);
/// Corrects the check sum of bytes that were changed.
void seal_snapshot(std::span<std::byte> snapshot);

}  // namespace turgor
