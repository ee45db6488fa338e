#include "body/bake_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/bytes.hpp"
#include "base/file_output.hpp"
#include "base/hash.hpp"

namespace turgor {
namespace {

constexpr std::uint64_t magic = 0x31454b4142475254;  // "TRGBAKE1"
/// Grows with every change of what bake() makes or of how it is written.
constexpr std::uint32_t version = 1;

/// Every field of an asset, in one order for writing and reading.
template <class Asset, class Field>
void for_each_field(Asset& a, Field&& field) {
    field(a.name), field(a.omega), field(a.rest), field(a.triangles), field(a.mass);
    for (auto* lists : {&a.regions, &a.neighbours, &a.corners})
        field(lists->starts), field(lists->items);
    field(a.bridges), field(a.struts.partner), field(a.struts.rest_length);
    field(a.struts.stiffness), field(a.rest_centre), field(a.rest_volume), field(a.mean_edge);
    field(a.size), field(a.particle_of_vertex), field(a.vertex_of_particle);
    field(a.mesh_triangle), field(a.display_triangles), field(a.bindings);
}

struct Writer {
    ByteWriter& out;
    template <class T>
    void operator()(const T& value) {
        out.put(value);
    }
    template <class T>
    void operator()(const std::vector<T>& values) {
        out.put_array(values);
    }
    void operator()(const std::string& text) { out.put_string(text); }
};

struct Reader {
    ByteReader& in;
    template <class T>
    void operator()(T& value) {
        value = in.get<T>();
    }
    template <class T>
    void operator()(std::vector<T>& values) {
        values = in.get_array<T>();
    }
    void operator()(std::string& text) { text = in.get_string(); }
};

void put(ByteWriter& out, const BakeKey& key) {
    out.put(key.source);
    out.put(key.omega);
    out.put<std::uint32_t>(key.share_mass);
    out.put(key.normal_point_weight);
}

BakeKey get_key(ByteReader& in) {
    BakeKey key;
    key.source = in.get<std::uint64_t>();
    key.omega = in.get<int>();
    key.share_mass = in.get<std::uint32_t>() != 0;
    key.normal_point_weight = in.get<double>();
    return key;
}

template <class Range>
bool all_below(const Range& values, std::size_t limit) {
    return std::ranges::all_of(values, [&](auto i) { return i < limit; });
}

bool is_whole(const ListOfLists& lists, std::size_t size, std::size_t limit) {
    return lists.starts.size() == size + 1 && lists.starts.front() == 0 &&
           lists.starts.back() == lists.items.size() && std::ranges::is_sorted(lists.starts) &&
           all_below(lists.items, limit);
}

/// Whether nothing in it leads out of its arrays.
bool is_whole(const BodyAsset& a) {
    const std::size_t n = a.rest.size(), m = a.triangles.size();
    const auto corners_exist = [](const std::vector<Triangle>& triangles, std::size_t limit) {
        return std::ranges::all_of(triangles,
                                   [&](const Triangle& t) { return all_below(t, limit); });
    };
    return n > 0 && a.mass.size() == n && corners_exist(a.triangles, n) &&
           is_whole(a.regions, n, n) && is_whole(a.neighbours, n, n) && is_whole(a.corners, n, m) &&
           a.struts.partner.size() == n && all_below(a.struts.partner, n) &&
           a.struts.rest_length.size() == n && a.struts.stiffness.size() == n &&
           a.particle_of_vertex.size() == n && all_below(a.particle_of_vertex, n) &&
           a.vertex_of_particle.size() == n && all_below(a.vertex_of_particle, n) &&
           a.mesh_triangle.size() == m && all_below(a.mesh_triangle, m) &&
           std::ranges::all_of(a.bridges, [&](const Link& l) { return all_below(l, n); }) &&
           corners_exist(a.display_triangles, a.bindings.size()) &&
           std::ranges::all_of(
               a.bindings, [&](const DetailBinding& b) { return b.triangle < m && b.edge < 3; });
}

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
    Hash way;
    way.add(key.share_mass);
    way.add(key.normal_point_weight);
    return folder /
           fmt::format("{:016x}-omega{}-{:04x}.bake", key.source, key.omega, way.value() & 0xffff);
}

std::optional<KeptBake> read_bake(const std::filesystem::path& folder, const BakeKey& key,
                                  std::size_t vertices) {
    const std::vector<std::byte> bytes = bytes_of(bake_file(folder, key));
    if (bytes.size() < sizeof(std::uint64_t)) return std::nullopt;
    const std::span<const std::byte> all(bytes);
    const auto content = all.first(all.size() - sizeof(std::uint64_t));
    try {
        ByteReader in(content), sum(all.subspan(content.size()));
        if (in.get<std::uint64_t>() != magic || in.get<std::uint32_t>() != version ||
            get_key(in) != key || sum.get<std::uint64_t>() != hash_of(content))
            return std::nullopt;
        auto asset = std::make_shared<BodyAsset>();
        for_each_field(*asset, Reader{in});
        const double share = in.get<double>();
        if (in.left() != 0 || asset->omega != key.omega || asset->rest.size() != vertices ||
            !is_whole(*asset) || !(share > 0 && share <= 1))
            return std::nullopt;
        return KeptBake{asset, share};
    } catch (const Error&) {
        return std::nullopt;
    }
}

void keep_bake(const std::filesystem::path& folder, const BakeKey& key, const KeptBake& bake) {
    ByteWriter out;
    out.put(magic);
    out.put(version);
    put(out, key);
    for_each_field(*bake.asset, Writer{out});
    out.put(bake.wobble_share);
    out.put(hash_of(out.bytes));
    AtomicFile file(bake_file(folder, key));
    file.write_array(std::span<const std::byte>(out.bytes));
    file.commit();
}

}  // namespace turgor
