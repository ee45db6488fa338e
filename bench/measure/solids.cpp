#include "measure/solids.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "mesh/soups.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor::measure {
namespace {

std::size_t parts_of_cells(const Solid& solid) {
    std::map<std::array<int, 3>, bool> seen;
    for (const Solid::Cell& c : solid.cells) seen[{c.place[0], c.place[1], c.place[2]}] = false;
    std::size_t parts = 0;
    for (auto& [start, was_seen] : seen) {
        if (was_seen) continue;
        ++parts;
        was_seen = true;
        std::vector<std::array<int, 3>> open{start};
        while (!open.empty()) {
            const std::array<int, 3> at = open.back();
            open.pop_back();
            for (std::size_t side = 0; side < 6; ++side) {
                std::array<int, 3> next = at;
                next[side / 2] += side % 2 == 0 ? -1 : 1;
                const auto found = seen.find(next);
                if (found == seen.end() || found->second) continue;
                found->second = true;
                open.push_back(next);
            }
        }
    }
    return parts;
}

/// Whether nothing had to be mended to load it as a body.
bool is_closed(const Solid& solid) {
    MeshOptions exact;
    exact.weld_tolerance = 0;
    MeshReport report;
    Status status;
    make_mesh(solid.surface(), exact, &report, &status);
    return status.ok() && report.repairs.empty() && report.volume > 0 &&
           report.vertices == solid.surface_count;
}

double surface_rms(const Solid& solid, const Mesh& mesh) {
    const TriangleTree tree(mesh.vertices, mesh.triangles);
    double sum = 0;
    for (std::size_t i = 0; i < solid.surface_count; ++i) {
        const double d = tree.nearest(solid.corners[i]).distance / solid.cell;
        sum += d * d;
    }
    return std::sqrt(sum / static_cast<double>(solid.surface_count));
}

Mesh& append(Mesh& all, const Mesh& part) {
    const auto first = static_cast<std::uint32_t>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), part.vertices.begin(), part.vertices.end());
    for (const auto& [a, b, c] : part.triangles)
        all.triangles.push_back({first + a, first + b, first + c});
    return all;
}

Mesh random_shape(Random& random) {
    switch (random.bits() % 5) {
        case 0:
            return shapes::icosphere(random.between(0.2, 0.6), 3);
        case 1:
            return shapes::torus(0.5, random.between(0.02, 0.3), 24, 12);
        case 2:
            return shapes::bar({random.between(0.1, 1), random.between(0.01, 1), 1}, 9);
        case 3:
            return shapes::rubber_duck(1, 400);
        default:
            return shapes::capsule(random.between(0.05, 0.3), 1, 16);
    }
}

/// Breaks a mesh up into single triangles, each corner of which is moved by up to `jitter`, and
/// leaves a share of them out.
Mesh shattered(const Mesh& mesh, double jitter, double left_out, Random& random) {
    Mesh soup;
    for (const Triangle& t : mesh.triangles) {
        if (random.between(0, 1) < left_out) continue;
        const auto first = static_cast<std::uint32_t>(soup.vertices.size());
        for (const std::uint32_t v : t)
            soup.vertices.push_back(mesh.vertices[v] + jitter * random.in_cube());
        soup.triangles.push_back({first, first + 1, first + 2});
        if (random.bits() % 8 == 0) std::swap(soup.triangles.back()[0], soup.triangles.back()[1]);
    }
    return soup;
}

Mesh shards(Random& random) {
    Mesh soup;
    const auto count = static_cast<std::uint32_t>(1 + random.bits() % 60);
    const double size = random.between(0.02, 1);
    for (std::uint32_t t = 0; t < count; ++t) {
        const Vec3 at = random.in_cube();
        for (int k = 0; k < 3; ++k) soup.vertices.push_back(at + size * random.in_cube());
        soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    return soup;
}

}  // namespace

SolidFigures solid_figures(const Solid& solid, const Mesh& mesh, double volume) {
    SolidFigures f;
    const SolidQuality q = quality(solid);
    f.closed = is_closed(solid);
    f.parts = parts_of_cells(solid);
    f.corner = q.smallest_corner;
    f.inverted = q.inverted;
    const double wanted = volume > 0 ? volume : solid.wanted_volume;
    const double s = solid.scale;
    f.volume_before = std::abs(q.volume / (s * s * s) / wanted - 1);
    f.volume = std::abs(q.volume / wanted - 1);
    if (!mesh.triangles.empty()) f.surface_rms = surface_rms(solid, mesh);
    return f;
}

Mesh random_soup(std::uint64_t seed) {
    Random random(seed);
    Mesh soup;
    switch (seed % 5) {
        case 0:
            soup = shattered(random_shape(random), random.between(0, 0.03), 0, random);
            break;
        case 1:
            soup = shattered(random_shape(random), 0, random.between(0, 0.6), random);
            break;
        case 2:
            soup = shards(random);
            break;
        case 3:
            for (auto k = 2 + random.bits() % 4; k > 0; --k)
                append(soup, transformed(random_shape(random), random.in_cube(),
                                         random.between(0.1, 1), random.rotation()));
            break;
        default:
            soup =
                append(soup = shards(random), shattered(random_shape(random), 0.01, 0.3, random));
    }
    soup.name = "soup " + std::to_string(seed);
    return transformed(std::move(soup), 10 * random.in_cube(), random.between(0.01, 100),
                       random.rotation());
}

double asymmetry(const Solid& solid, int axis) {
    const auto a = static_cast<std::size_t>(axis);
    std::map<std::array<int, 3>, std::size_t> at;
    for (std::size_t i = 0; i < solid.places.size(); ++i)
        at[{solid.places[i][0], solid.places[i][1], solid.places[i][2]}] = i;
    const double twice_middle = 2 * solid.origin[axis] + solid.cell * solid.size[a];
    double most = 0;
    for (const auto& [corner, i] : at) {
        std::array<int, 3> place = corner;
        Vec3 mirrored = solid.corners[i];
        mirrored[axis] = twice_middle - mirrored[axis];
        place[a] = solid.size[a] - place[a];
        const auto other = at.find(place);
        if (other == at.end())
            most = std::max(most, 1.0);
        else
            most = std::max(most, norm(solid.corners[other->second] - mirrored) / solid.cell);
    }
    return most;
}

}  // namespace turgor::measure
