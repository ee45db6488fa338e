#include "mesh/primitives_subdivide.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/cancel.hpp"

namespace turgor {

void subdivide(Mesh& mesh, const std::function<Vec3(std::uint32_t, std::uint32_t)>& middle) {
    std::unordered_map<std::uint64_t, std::uint32_t> vertex_on;
    vertex_on.reserve(mesh.triangles.size() * 3 / 2);
    auto halfway = [&](std::uint32_t a, std::uint32_t b) {
        if (a > b) std::swap(a, b);
        const auto [entry, is_new] = vertex_on.try_emplace(
            std::uint64_t{a} << 32 | b, static_cast<std::uint32_t>(mesh.vertices.size()));
        if (is_new) mesh.vertices.push_back(middle(a, b));
        return entry->second;
    };
    std::vector<Triangle> finer;
    finer.reserve(mesh.triangles.size() * 4);
    for (const auto& [a, b, c] : mesh.triangles) {
        check_cancelled();
        const std::uint32_t ab = halfway(a, b), bc = halfway(b, c), ca = halfway(c, a);
        finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
}

}  // namespace turgor
