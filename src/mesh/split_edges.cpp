#include "mesh/split_edges.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/cancel.hpp"

namespace turgor {
namespace {

constexpr std::uint32_t whole = 0xffffffff;

/// One round. Whether any edge was split.
bool split_once(Mesh& mesh, double longest, std::size_t most_triangles) {
    std::unordered_map<std::uint64_t, std::uint32_t> middle_of;
    std::vector<Vec3> middles;
    std::size_t wanted = mesh.triangles.size();
    const auto find_middle = [&](std::uint32_t a, std::uint32_t b) {
        if (a > b) std::swap(a, b);
        const Vec3 p = mesh.vertices[a], q = mesh.vertices[b];
        if (!(norm(q - p) > longest)) return whole;
        ++wanted;  // one triangle more for each of its edges
        const auto [entry, is_new] = middle_of.try_emplace(
            std::uint64_t{a} << 32 | b,
            static_cast<std::uint32_t>(mesh.vertices.size() + middles.size()));
        if (is_new) middles.push_back(0.5 * (p + q));
        return entry->second;
    };
    std::vector<std::array<std::uint32_t, 3>> split;  // the middle of the edge after each corner
    for (const Triangle& t : mesh.triangles) {
        check_cancelled();
        split.push_back(
            {find_middle(t[0], t[1]), find_middle(t[1], t[2]), find_middle(t[2], t[0])});
    }
    if (middles.empty() || wanted > most_triangles) return false;
    std::vector<Triangle> finer;
    finer.reserve(wanted);
    for (std::size_t i = 0; i < split.size(); ++i) {
        // Turned so that the first edge is split, and where two are the last is not.
        std::size_t turn = 0;
        while (turn < 2 && !(split[i][turn] != whole && split[i][(turn + 2) % 3] == whole)) ++turn;
        if (split[i][turn] == whole) turn = 0;
        const std::uint32_t a = mesh.triangles[i][turn], b = mesh.triangles[i][(turn + 1) % 3],
                            c = mesh.triangles[i][(turn + 2) % 3];
        const std::uint32_t ab = split[i][turn], bc = split[i][(turn + 1) % 3],
                            ca = split[i][(turn + 2) % 3];
        if (ab == whole)
            finer.push_back({a, b, c});
        else if (bc == whole)
            finer.insert(finer.end(), {{a, ab, c}, {ab, b, c}});
        else if (ca == whole)
            finer.insert(finer.end(), {{a, ab, c}, {ab, b, bc}, {ab, bc, c}});
        else
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
    mesh.vertices.insert(mesh.vertices.end(), middles.begin(), middles.end());
    return true;
}

}  // namespace

void split_long_edges(Mesh& mesh, double longest, std::size_t most_triangles) {
    mesh.colours.clear();
    while (split_once(mesh, longest, most_triangles)) {
    }
}

}  // namespace turgor
