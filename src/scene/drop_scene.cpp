#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/errors.hpp"
#include "mesh/close_surface.hpp"
#include "scene/cages.hpp"
#include "scene/scene.hpp"
#include "scene/shapes.hpp"

namespace turgor {
namespace {

constexpr double g = 9.81;  // [m/s²]
constexpr Vec3f colours[] = {
    {0.9f, 0.35f, 0.2f}, {0.25f, 0.6f, 0.9f}, {0.95f, 0.75f, 0.2f}, {0.4f, 0.75f, 0.35f}};

/// What falls, as the file has it or, where that is not to be wrapped, closed.
struct Dropped {
    Mesh mesh;
    bool wrapped = false;
};

Dropped load(const std::filesystem::path& file, const MeshDrop& how,
             std::vector<std::string>& notes) {
    if (how.wrap == MeshDrop::Wrap::all) return {read_mesh(file), true};
    MeshReport report;
    try {
        Mesh mesh = load_mesh(file, {}, &report);
        note_findings(file.filename().string(), report, notes);
        return {std::move(mesh)};
    } catch (const NotClosed&) {
        Mesh raw = read_mesh(file);
        const std::string name = file.filename().string();
        const bool is_cloud = raw.triangles.empty();
        // Points alone can only be meant to get a cage.
        if (how.wrap == MeshDrop::Wrap::none && !how.any_mesh && !is_cloud) throw;
        // Under another model, chosen later, it gets a cage.
        if (!how.any_mesh)
            notes.push_back(is_cloud ? cloud_note(name, raw.vertices.size()) : cage_note(name));
        return {std::move(raw), true};
    }
}

Dropped load_upright(const std::filesystem::path& file, const MeshDrop& how,
                     std::vector<std::string>& notes) {
    Dropped dropped = load(file, how, notes);
    const Quat up = how.z_up ? Quat::about({1, 0, 0}, -std::numbers::pi / 2) : Quat{};
    dropped.mesh = transformed(std::move(dropped.mesh), {}, how.scale, up);
    if (dropped.mesh.name.empty()) dropped.mesh.name = file.stem().string();
    return dropped;
}

/// Standing on the ground plane at half its height, its left side at x = `left`.
Vec3 drop_from(const Bounds& box, double left) {
    return {left - box.lower.x, 0.5 * box.extent().y - box.lower.y, -box.centre().z};
}

SceneBody body_of(const std::filesystem::path& file, const Dropped& dropped, Vec3 position,
                  std::size_t index) {
    SceneBody body;
    body.wrap = dropped.wrapped;
    body.name = body.group = file.stem().string();
    body.shape = std::make_shared<const Shape>(GivenShape{std::make_shared<const std::vector<Mesh>>(
        dropped.wrapped ? std::vector{dropped.mesh} : split_bodies(dropped.mesh))});
    body.options.position = position;
    body.options.colour = colours[index % std::size(colours)];
    return body;
}

/// Files do not say their unit; metres are assumed, and a thing the size of a house or of a grain
/// of sand is rarely meant.
void note_odd_size(const std::string& name, double height, std::vector<std::string>& notes) {
    if (height < 0.005)
        notes.push_back(fmt::format(
            "{} is {:.3g} m tall, for its numbers are read as metres; `--scale 1000` makes it "
            "a thousand times larger",
            name, height));
    if (height > 20)
        notes.push_back(fmt::format(
            "{} is {:.3g} m tall, for its numbers are read as metres; if they are millimetres, "
            "add `--scale 0.001`",
            name, height));
}

void note_many_vertices(const std::string& name, const Mesh& mesh,
                        std::vector<std::string>& notes) {
    if (mesh.vertices.size() > 20000)
        notes.push_back(fmt::format(
            "{} has {} vertices, which takes a while; `--sim-vertices 3000` simulates a coarse "
            "mesh and shows the fine one",
            name, mesh.vertices.size()));
}

std::vector<SceneCheck> checks_of_a_drop() {
    SceneCheck volume, depth;
    volume.at_most = 1e-7;  // what the default back end promises
    depth.measure = Measure::penetration;
    depth.at_most = 0.01;
    return {volume, depth};
}

}  // namespace

Scene drop_scene(const std::vector<std::filesystem::path>& meshes, const MeshDrop& how) {
    Scene scene;
    scene.colliders.push_back(Collider::ground());
    scene.colliders.back().name = "ground";
    scene.checks = checks_of_a_drop();
    std::vector<std::string> names;
    double left = 0, tallest = 0;
    for (const auto& file : meshes) {
        const Dropped dropped = load_upright(file, how, scene.notes);
        const Mesh& mesh = dropped.mesh;
        const Bounds box = bounds(mesh);
        note_odd_size(file.filename().string(), box.extent().y, scene.notes);
        if (!how.simplified && !dropped.wrapped)
            note_many_vertices(file.filename().string(), mesh, scene.notes);
        if (scene.bodies.empty()) left = -0.5 * box.extent().x;
        scene.bodies.push_back(body_of(file, dropped, drop_from(box, left), scene.bodies.size()));
        left += box.extent().x + 0.25 * std::max(box.extent().x, box.extent().z);
        tallest = std::max(tallest, box.extent().y);
        names.push_back(file.stem().string());
    }
    scene.name = fmt::format("{}", fmt::join(names, "+"));
    // Falling half the height takes √(height / g); then it needs time to wobble.
    scene.duration = std::clamp(5 * std::sqrt(tallest / g), 3.0, 30.0);
    return scene;
}

}  // namespace turgor
