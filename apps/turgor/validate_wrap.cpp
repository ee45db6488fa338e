#include <algorithm>
#include <filesystem>

#include "base/errors.hpp"
#include "measure/wrapping.hpp"
#include "mesh/soups.hpp"
#include "validate_groups.hpp"

namespace turgor {
namespace {

using namespace measure;

std::vector<std::filesystem::path> mesh_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    if (folder.empty()) return files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        for (const char* ending : {".obj", ".ply", ".stl", ".off", ".gltf", ".glb"})
            if (entry.path().extension() == ending) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

/// The worst of many cages.
struct Worst {
    std::size_t wrapped = 0, refused = 0, flaws = 0, cuts = 0, scattered = 0, not_finite = 0;
    double off = 0, volume = 0, distance = 0, seconds = 0;
    double least_bounce = 1e9, volume_error = 0, penetration = 0, speed = 0, stretch = 1;
};

class WrapTable {
public:
    WrapTable(Backend backend, double seconds) : backend_(backend), seconds_(seconds) {
        fmt::print("  {:<30} {:>8} {:>5} {:>7} {:>7} {:>6} {:>9} {:>9} {:>8}\n", "", "vertices",
                   "parts", "volume", "edges", "[s]", "bounce", "speed", "stretch");
    }
    void add(const std::string& name, const Mesh& mesh, std::size_t vertices) {
        try {
            add_cage(name, mesh, vertices);
        } catch (const Error& e) {
            refuse(name, e.what());
        }
    }
    void refuse(const std::string& name, const std::string& sentence) {
        ++worst.refused;
        fmt::print("  {:<30} {}\n", name, sentence);
    }
    Worst worst;

private:
    void add_cage(const std::string& name, const Mesh& mesh, std::size_t vertices) {
        const Cage cage = wrapped(mesh, vertices);
        const auto like = likeness(cage, mesh);
        ++worst.wrapped;
        worst.flaws += cage.flaws;
        worst.cuts += cage.cuts;
        worst.scattered += split_bodies(cage.mesh).size() != 1;
        const double asked = static_cast<double>(vertices);
        worst.off = std::max(worst.off,
                             std::abs(static_cast<double>(cage.mesh.vertices.size()) / asked - 1));
        if (like) worst.volume = std::max(worst.volume, like->volume);
        if (like) worst.distance = std::max(worst.distance, like->distance);
        worst.seconds = std::max(worst.seconds, cage.seconds);
        for (const Model& model : {Model(), Model(MeshlessModel{})}) {
            const Carried c = carry(backend_, model, cage, mesh, seconds_);
            fmt::print("  {:<30} {:>8} {:>5} {:>7} {:>7} {:>6.2f} {:>9.3f} {:>9.2g} {:>8.3f}\n",
                       name + (model == Model() ? "" : ", meshless"), cage.mesh.vertices.size(),
                       cage.parts, like ? fmt::format("{:.4f}", like->volume) : "",
                       like ? fmt::format("{:.3f}", like->distance) : "", cage.seconds, c.bounce,
                       c.speed, c.stretch);
            std::fflush(stdout);
            worst.not_finite += !c.finite;
            worst.least_bounce = std::min(worst.least_bounce, c.bounce);
            worst.volume_error = std::max(worst.volume_error, c.volume);
            worst.penetration = std::max(worst.penetration, c.penetration);
            worst.speed = std::max(worst.speed, c.speed);
            worst.stretch = std::max({worst.stretch, c.stretch, 1 / c.stretch});
        }
    }
    Backend backend_;
    double seconds_;
};

void judge(Figures& out, const Worst& w) {
    out.at_most(fmt::format("of {} cages ({} meshes refused): edges without two triangles",
                            w.wrapped, w.refused),
                static_cast<double>(w.flaws), 0);
    out.at_most("pairs of triangles that cut each other", static_cast<double>(w.cuts), 0);
    out.at_most("cages in several bodies", static_cast<double>(w.scattered), 0);
    out.at_most("vertices away from those asked for", w.off, 0.1);
    out.at_most("around closed meshes: volume away", w.volume, 0.02);
    out.at_most("around closed meshes: rms distance, in edges", w.distance, 0.3);
    out.at_most("slowest to make [s]", w.seconds, 10);
    out.at_most("falling: not finite", static_cast<double>(w.not_finite), 0);
    out.at_least("falling: slowest on its way up again [m/s]", w.least_bounce, 0.02);
    out.at_most("falling: volume error", w.volume_error, 1e-6);
    out.at_most("falling: penetration, of its size", w.penetration, 0.05);
    out.at_most("at the end: rms speed [m/s]", w.speed, 0.05);
    out.at_most("at the end: how much larger or smaller what is shown is", w.stretch, 1.5);
}

}  // namespace

void wrapping(Figures& out, Backend backend, const std::filesystem::path& meshes, int soups) {
    constexpr std::size_t vertices = 800;
    constexpr double seconds = 8;
    out.section("Cages around meshes of files, and what they do as bodies");
    if (const auto files = mesh_files(meshes); files.empty()) {
        fmt::print("  none: --meshes FOLDER names a folder of them\n");
    } else {
        WrapTable table(backend, seconds);
        for (const auto& file : files) {
            Status status;
            const Mesh mesh = read_mesh(file, &status);
            if (status.ok())
                table.add(file.filename().string(), mesh, vertices);
            else
                table.refuse(file.filename().string(), status.message);
        }
        judge(out, table.worst);
    }
    out.section(fmt::format("Cages around {} random soups", soups));
    WrapTable table(backend, seconds);
    for (int seed = 1; seed <= soups; ++seed)
        table.add(fmt::format("soup {}", seed),
                  shapes::random_soup(static_cast<std::uint64_t>(seed)), vertices);
    out.at_most("soups refused", static_cast<double>(table.worst.refused), 0);
    judge(out, table.worst);
}

}  // namespace turgor
