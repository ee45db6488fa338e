#include "body/bake_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/bytes.hpp"
#include "base/file_output.hpp"
#include "base/hash.hpp"

namespace turgor {
namespace {

constexpr std::uint64_t magic = 0x31454b4142475254;  // "TRGBAKE1"
/// Grows with every change of what is baked or of how it is written.
constexpr std::uint32_t version = 4;

std::vector<std::byte> bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) return {};
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg())));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return in ? std::move(bytes) : std::vector<std::byte>{};
}

}  // namespace

std::filesystem::path bake_file(const std::filesystem::path& folder, const BakeKey& key) {
    std::string what = key.what;
    std::ranges::replace(what, ' ', '-');
    return folder /
           fmt::format("{:016x}-{}-{:08x}.bake", key.source, what, key.settings & 0xffffffff);
}

std::optional<std::vector<std::byte>> read_bake(const std::filesystem::path& folder,
                                                const BakeKey& key) {
    std::vector<std::byte> bytes = bytes_of(bake_file(folder, key));
    if (bytes.size() < sizeof(std::uint64_t)) return std::nullopt;
    const std::span<const std::byte> all(bytes);
    const auto sealed = all.first(all.size() - sizeof(std::uint64_t));
    try {
        ByteReader in(sealed), sum(all.subspan(sealed.size()));
        if (in.get<std::uint64_t>() != magic || in.get<std::uint32_t>() != version ||
            BakeKey{in.get<std::uint64_t>(), in.get_string(), in.get<std::uint64_t>()} != key ||
            sum.get<std::uint64_t>() != hash_of(sealed))
            return std::nullopt;
        const auto content = sealed.last(in.left());
        return std::vector<std::byte>(content.begin(), content.end());
    } catch (const Error&) {
        return std::nullopt;
    }
}

void keep_bake(const std::filesystem::path& folder, const BakeKey& key,
               std::span<const std::byte> content) {
    ByteWriter out;
    out.put(magic);
    out.put(version);
    out.put(key.source);
    out.put_string(key.what);
    out.put(key.settings);
    out.bytes.insert(out.bytes.end(), content.begin(), content.end());
    out.put(hash_of(out.bytes));
    AtomicFile file(bake_file(folder, key));
    file.write_array(std::span<const std::byte>(out.bytes));
    file.commit();
}

}  // namespace turgor
