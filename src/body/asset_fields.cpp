#include <algorithm>

#include "base/bytes.hpp"
#include "body/bake_cache.hpp"

namespace turgor {
namespace {

/// Every field of an asset, in one order for writing and reading.
template <class Asset, class Field>
void for_each_field(Asset& a, Field&& field) {
    field(a.name), field(a.rest), field(a.surface_count), field(a.triangles), field(a.mass);
    for (auto* lists : {&a.neighbours, &a.corners}) field(lists->starts), field(lists->items);
    field(a.rest_centre), field(a.rest_volume), field(a.contact_length), field(a.size);
    field(a.particle_of_vertex), field(a.vertex_of_particle), field(a.mesh_triangle);
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
           a.particle_of_vertex.size() == s && all_below(a.particle_of_vertex, s) &&
           a.vertex_of_particle.size() == s && all_below(a.vertex_of_particle, s) &&
           a.mesh_triangle.size() == m && all_below(a.mesh_triangle, m) &&
           (!a.detail() || (corners_exist(a.detail()->triangles, a.detail()->bindings.size()) &&
                            std::ranges::all_of(a.detail()->bindings, [&](const DetailBinding& b) {
                                return b.triangle < m && b.edge < 3;
                            })));
}

}  // namespace

void write_asset(ByteWriter& out, const BodyAsset& asset) {
    for_each_field(asset, Writer{out});
    const DetailDisplay none, &detail = asset.detail() ? *asset.detail() : none;
    out.put_array(detail.triangles);
    out.put_array(detail.bindings);
}

std::shared_ptr<const BodyAsset> read_asset(ByteReader& in) {
    auto asset = std::make_shared<BodyAsset>();
    for_each_field(*asset, Reader{in});
    DetailDisplay detail;
    detail.triangles = in.get_array<Triangle>();
    detail.bindings = in.get_array<DetailBinding>();
    if (!detail.bindings.empty() || !detail.triangles.empty()) asset->display = std::move(detail);
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
