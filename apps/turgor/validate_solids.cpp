#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "base/random.hpp"
#include "measure/solids.hpp"
#include "mesh/soups.hpp"
#include "solid/embedding.hpp"
#include "solid/shape_solid.hpp"
#include "turgor/scheduler.hpp"
#include "validate_groups.hpp"

namespace turgor {
namespace {

using measure::SolidFigures;
namespace fs = std::filesystem;

std::vector<Mesh> closed_shapes() {
    std::vector<Mesh> all{shapes::icosphere(0.5, 5), shapes::torus(0.5, 0.2, 96, 48),
                          shapes::gummy_bear(1, 8000), shapes::rubber_duck(1, 8000),
                          shapes::cube(1, 20)};
    const char* names[] = {"ball", "torus", "bear", "duck", "cube"};
    for (std::size_t k = 0; k < all.size(); ++k) all[k].name = names[k];
    return all;
}

std::vector<Mesh> soups() {
    return {shapes::tree(3, 260), shapes::broken_bunny(1, 4000, 6), shapes::cake(1)};
}

/// Meshes of a folder and of those in it; `refused`: files that are none, each in one sentence.
std::vector<Mesh> meshes_of(const fs::path& folder, std::size_t& refused) {
    const std::set<std::string> endings{".obj", ".ply", ".stl", ".off", ".gltf", ".glb"};
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && endings.contains(entry.path().extension().string()))
            files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<Mesh> meshes;
    for (const fs::path& file : files) {
        Status status;
        Mesh mesh = read_mesh(file, &status);
        if (status.ok())
            meshes.push_back(std::move(mesh));
        else
            ++refused;
    }
    return meshes;
}

/// Worst of many.
struct Worst {
    std::size_t solids = 0, invalid = 0, refused = 0;
    double corner = 1, seconds = 0;

    void add(const Mesh& mesh, const SolidSettings& settings) {
        Status status;
        const auto start = std::chrono::steady_clock::now();
        const Solid solid = make_solid(mesh, settings, &status);
        seconds = std::max(
            seconds,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (!status.ok()) {
            ++refused;
            fmt::print("  {}\n", status.message);
            return;
        }
        const SolidFigures f = measure::solid_figures(solid, {});
        ++solids;
        corner = std::min(corner, f.corner);
        if (!f.is_valid()) ++invalid, fmt::print("  not valid: {}\n", mesh.name);
    }
    void print(Figures& out) const {
        out.at_most(fmt::format("of {} solids, not valid", solids), static_cast<double>(invalid),
                    0);
        out.at_least("smallest corner determinant, of a cell", corner, 0.2);
        out.at_most("slowest [s]", seconds, 10);
    }
};

void any_mesh(Figures& out, bool quick, const fs::path& folder) {
    out.section("Valid: a closed manifold, one part, no tetrahedron inverted, corners ≥ 0.2");
    Worst own, files, random;
    for (const auto& list : {closed_shapes(), soups()})
        for (const Mesh& mesh : list)
            for (const int cells : {1, 7, 32}) own.add(mesh, {.cells = cells});
    own.print(out);
    if (!folder.empty()) {
        std::size_t refused = 0;
        const auto meshes = meshes_of(folder, refused);
        out.section(fmt::format("The same of the files in {}, 32 cells", folder.string()));
        for (const Mesh& mesh : meshes) files.add(mesh, {.cells = 32});
        fmt::print("  {} files are refused by their readers, {} have no extent\n", refused,
                   files.refused);
        files.print(out);
    }
    const int count = quick ? 20 : 100;
    out.section(fmt::format("The same of {} random soups, 24 cells", count));
    for (int seed = 0; seed < count; ++seed)
        random.add(measure::random_soup(static_cast<std::uint64_t>(seed)), {.cells = 24});
    random.print(out);
}

void closeness(Figures& out, const fs::path& folder) {
    out.section("Closed meshes, 64 cells: volume before and after scaling, rms distance [cells]");
    std::vector<Mesh> all = closed_shapes();
    std::size_t refused = 0;
    if (!folder.empty())
        for (const Mesh& mesh : meshes_of(folder, refused)) {
            MeshReport report;
            Status status;
            // As it is: what had to be mended is another mesh.
            const Mesh closed = make_mesh(mesh, {}, &report, &status);
            if (status.ok() && report.repairs.empty() && report.components == 1)
                all.push_back(closed);
        }
    for (const Mesh& mesh : all) {
        const Solid solid = make_solid(mesh, {.cells = 64});
        const SolidFigures f = measure::solid_figures(solid, mesh, volume(mesh));
        out.at_most(mesh.name + ": volume before", f.volume_before, 0.02);
        out.at_most(mesh.name + ": volume after", f.volume, 1e-12);
        out.at_most(mesh.name + ": surface", f.surface_rms, 0.3);
    }
}

Mesh mirrored(Mesh mesh, int axis) {
    for (Vec3& p : mesh.vertices) p[axis] = -p[axis];
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

void evenness(Figures& out, bool quick) {
    out.section("Mesh and mirror image together: asymmetry of the solid, in cells");
    for (const auto& list : {closed_shapes(), soups()})
        for (const Mesh& mesh : list)
            for (int axis = 0; axis < (quick ? 1 : 3); ++axis) {
                Mesh both = mesh;
                const auto first = static_cast<std::uint32_t>(both.vertices.size());
                const Mesh other = mirrored(mesh, axis);
                both.vertices.insert(both.vertices.end(), other.vertices.begin(),
                                     other.vertices.end());
                for (const auto& [a, b, c] : other.triangles)
                    both.triangles.push_back({first + a, first + b, first + c});
                out.at_most(fmt::format("{} along {}", mesh.name, "xyz"[axis]),
                            measure::asymmetry(make_solid(both, {.cells = 32}), axis), 0);
            }
    out.section("Smoothing over edges of cells, and over diagonals, too (figure 2 of the paper)");
    const Solid bear = make_solid(shapes::gummy_bear(1, 5000), {.cells = 20});
    out.at_most("a bear of 20 cells, edges: asymmetry [cells]",
                asymmetry_of_smoothing(bear, 10, false), 0);
    out.at_least("the same over diagonals, too", asymmetry_of_smoothing(bear, 10, true), 0.05);
}

void embedding(Figures& out) {
    out.section("Meshes bound to cells: errors at rest and under affine maps, of their size");
    Random random(1);
    for (const Mesh& mesh : soups()) {
        const Solid solid = make_solid(mesh, {.cells = 32});
        const auto bindings = bind_to_cells(solid, mesh.vertices);
        double rest = 0, affine = 0;
        const Vec3 a = random.in_cube(), b = random.in_cube(), c = random.in_cube();
        const auto map = [&](Vec3 p) { return p.x * a + p.y * b + p.z * c; };
        std::vector<Vec3> corners = solid.corners;
        for (Vec3& p : corners) p = map(p);
        const double size = bounds(mesh).diagonal();
        for (std::size_t v = 0; v < bindings.size(); ++v) {
            const Vec3 p = mesh.vertices[v];
            rest = std::max(rest, norm(place_in_cell(bindings[v], solid.corners) - p) / size);
            affine = std::max(affine, norm(place_in_cell(bindings[v], corners) - map(p)) / size);
        }
        out.at_most(mesh.name + ": at rest", rest, 1e-12);
        out.at_most(mesh.name + ": under an affine map", affine, 1e-11);
    }
}

void speed(Figures& out) {
    out.section(
        "Preparation on two threads, best of five [s]; limits are for a machine where table2 of "
        "turgor bench takes 3.0 ms with ω = 3 on one thread");
    const auto threads = make_thread_pool(2);
    const auto seconds = [](auto&& work) {
        double best = 1e9;
        for (int k = 0; k < 5; ++k) {
            const auto start = std::chrono::steady_clock::now();
            work();
            best = std::min(
                best,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        return best;
    };
    const Mesh ball = shapes::uv_sphere(0.5, 174, 173);  // 30104 vertices
    for (const Mesh& mesh : {ball, shapes::gummy_bear(1, 8000)}) {
        Solid solid;
        out.at_most(
            fmt::format("{} vertices, 64 cells, 256 voxels", mesh.vertices.size()), seconds([&] {
                solid = SolidField(mesh, 256, threads.get()).solid({.cells = 64}, threads.get());
            }),
            0.5);
        out.at_most("its vertices bound",
                    seconds([&] { bind_to_cells(solid, mesh.vertices, threads.get()); }), 0.5);
    }
}

}  // namespace

void solids(Figures& out, bool quick, const fs::path& folder) {
    any_mesh(out, quick, folder);
    closeness(out, folder);
    evenness(out, quick);
    embedding(out);
    speed(out);
}

}  // namespace turgor
