#include <algorithm>

#include "base/bytes.hpp"
#include "body/bake_cache.hpp"

namespace turgor {
namespace {

/// Every field of an asset, in one order for writing and reading.
template <class Asset, class Field>
void for_each_field(Asset& a, Field&& field) {
    field(a.name), field(a.rest), field(a.surface_count), field(a.triangles), field(a.mass);
    for (auto* lists : {&a.neighbours, &a.corners, &a.followers})
        field(lists->starts), field(lists->items);
    field(a.rest_centre), field(a.rest_volume), field(a.contact_length), field(a.size);
    field(a.particle_of_vertex), field(a.vertex_of_particle), field(a.mesh_triangle);
    field(a.has_own_surface), field(a.settings), field(a.follower_share), field(a.volume_share);
    field(a.follower_mass), field(a.layer);
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

template <class Range>
bool all_below(const Range& values, std::size_t limit) {
    return std::ranges::all_of(values, [&](auto i) { return i < limit; });
}

bool is_whole(const ListOfLists& lists, std::size_t size, std::size_t limit) {
    return lists.starts.size() == size + 1 && lists.starts.front() == 0 &&
           lists.starts.back() == lists.items.size() && std::ranges::is_sorted(lists.starts) &&
           all_below(lists.items, limit);
}

bool is_whole(const BodyAsset& a) {
    const std::size_t n = a.rest.size(), m = a.triangles.size(), s = a.surface_count;
    const auto corners_exist = [](const std::vector<Triangle>& triangles, std::size_t limit) {
        return std::ranges::all_of(triangles,
                                   [&](const Triangle& t) { return all_below(t, limit); });
    };
    return s > 0 && s <= n && a.mass.size() == n && corners_exist(a.triangles, s) &&
           is_whole(a.neighbours, s, s) && is_whole(a.corners, s, m) &&
           (a.followers.size() == 0 || is_whole(a.followers, s, n)) &&
           a.follower_share.size() == a.followers.items.size() &&
           a.follower_mass.size() == a.followers.size() &&
           (a.layer.empty() ? a.followers.size() == 0 : a.layer.size() == n) &&
           (a.volume_share.empty() || a.volume_share.size() == s) &&
           a.particle_of_vertex.size() == s && all_below(a.particle_of_vertex, s) &&
           a.vertex_of_particle.size() == s && all_below(a.vertex_of_particle, s) &&
           a.mesh_triangle.size() == m && all_below(a.mesh_triangle, m) &&
           (!a.detail() || (corners_exist(a.detail()->triangles, a.detail()->bindings.size()) &&
                            std::ranges::all_of(a.detail()->bindings,
                                                [&](const DetailBinding& b) {
                                                    return b.triangle < m && b.edge < 3;
                                                }))) &&
           (!a.embedded() ||
            (corners_exist(a.embedded()->triangles, a.embedded()->bindings.size()) &&
             std::ranges::all_of(a.embedded()->bindings,
                                 [&](const CellBinding& b) { return all_below(b.corners, n); })));
}

}  // namespace

void write_asset(ByteWriter& out, const BodyAsset& asset) {
    for_each_field(asset, Writer{out});
    out.put(static_cast<std::uint8_t>(asset.display.index()));
    if (asset.shows_surface()) return;
    std::visit(
        [&](const auto& display) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(display)>, SurfaceDisplay>) {
                out.put_array(display.triangles);
                out.put_array(display.bindings);
            }
        },
        asset.display);
}

std::shared_ptr<const BodyAsset> read_asset(ByteReader& in) {
    auto asset = std::make_shared<BodyAsset>();
    for_each_field(*asset, Reader{in});
    const auto kind = in.get<std::uint8_t>();
    if (kind > 2) return nullptr;
    if (kind == 1) {
        auto triangles = in.get_array<Triangle>();
        asset->display = DetailDisplay{std::move(triangles), in.get_array<DetailBinding>()};
    } else if (kind == 2) {
        auto triangles = in.get_array<Triangle>();
        asset->display = EmbeddedDisplay{std::move(triangles), in.get_array<CellBinding>()};
    }
    return is_whole(*asset) ? asset : nullptr;
}

void write_lists(ByteWriter& out, const ListOfLists& lists) {
    out.put_array(lists.starts);
    out.put_array(lists.items);
}

ListOfLists read_lists(ByteReader& in, std::size_t size, std::size_t limit) {
    ListOfLists lists;
    lists.starts = in.get_array<std::uint32_t>();
    lists.items = in.get_array<std::uint32_t>();
    if (!is_whole(lists, size, limit))
        throw Error(ErrorCode::bad_snapshot, "a list leads out of its arrays");
    return lists;
}

}  // namespace turgor
