#include "scene/cages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/bytes.hpp"
#include "base/counted.hpp"
#include "base/errors.hpp"
#include "base/hash.hpp"
#include "body/bake_cache.hpp"
#include "body/cloud.hpp"
#include "turgor/solid.hpp"

namespace turgor {
namespace {

BakeKey key_of(const Mesh& mesh, std::size_t vertices) {
    /// Grows with every change of what wrap() makes.
    constexpr std::uint64_t version = 2;
    Hash of_mesh, of_settings;
    of_mesh.add_array(std::span<const Vec3>(mesh.vertices));
    of_mesh.add_array(std::span<const Triangle>(mesh.triangles));
    of_mesh.add<std::uint64_t>(mesh.vertices.size());
    of_settings.add<std::uint64_t>(vertices);
    of_settings.add(version);
    return {of_mesh.value(), "cage", of_settings.value()};
}

/// Nothing where the file is damaged.
std::optional<Mesh> read_cage(std::span<const std::byte> content) {
    try {
        ByteReader in(content);
        Mesh cage;
        cage.vertices = in.get_array<Vec3>();
        cage.triangles = in.get_array<Triangle>();
        const bool is_whole = std::ranges::all_of(cage.triangles, [&](const Triangle& t) {
            return std::ranges::max(t) < cage.vertices.size();
        });
        if (is_whole && in.left() == 0) return cage;
    } catch (const Error&) {
    }
    return std::nullopt;
}

}  // namespace

Mesh kept_cage(const Mesh& mesh, std::size_t vertices, const std::filesystem::path& bake_folder) {
    if (bake_folder.empty()) return wrap(mesh, vertices);
    const BakeKey key = key_of(mesh, vertices);
    if (const auto content = read_bake(bake_folder, key))
        if (auto cage = read_cage(*content)) {
            cage->name = mesh.name;
            return std::move(*cage);
        }
    Mesh cage = wrap(mesh, vertices);
    // Without the file the next run just wraps again.
    Status status;
    reporting_to(&status, [&] {
        ByteWriter out;
        out.put_array(cage.vertices);
        out.put_array(cage.triangles);
        keep_bake(bake_folder, key, out.bytes);
    });
    return cage;
}

std::string cage_note(const std::string& name) {
    return fmt::format(
        "{} is not closed: what is simulated is a closed cage around it, "
        "which carries it along",
        name);
}

std::string cloud_note(const std::string& name, std::size_t points) {
    return fmt::format(
        "{} has {} and no faces: what touches things is a closed cage around them, which carries "
        "them along",
        name, counted(points, "point", "points"));
}

std::string thinned_note(const std::string& name, std::size_t points) {
    return fmt::format(
        "{} has {} points: in the meshless model {} of them, evenly spread, are particles; all are "
        "shown",
        name, points, cloud_particles_max);
}

}  // namespace turgor
