#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/errors.hpp"
#include "commands.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::vector<std::string> meshes;
    std::optional<std::string> repair;
    bool json = false;
};

struct Verdict {
    std::string file;
    Mesh mesh;
    MeshReport report;
    Status status;
};

Verdict look_at(const std::string& file) {
    Verdict verdict{file, {}, {}, {}};
    MeshOptions options;
    options.find_self_intersections = true;
    verdict.mesh = load_mesh(file, options, &verdict.report, &verdict.status);
    if (verdict.status.code == ErrorCode::out_of_memory)
        verdict.status.message = file + ": there is not enough memory for this mesh";
    return verdict;
}

Json to_json(const std::vector<MeshFinding>& findings) {
    Json list = Json::array();
    for (const MeshFinding& f : findings)
        list.push_back({{"kind", f.kind},
                        {"sentence", f.sentence},
                        {"count", f.count},
                        {"elements", f.elements}});
    return list;
}

Json to_json(Vec3 v) {
    return Json::array({v.x, v.y, v.z});
}

Json to_json(const Verdict& verdict) {
    Json entry{{"file", verdict.file}, {"usable", verdict.status.ok()}};
    if (!verdict.status.ok()) {
        entry["error"] = verdict.status.message;
        return entry;
    }
    const MeshReport& r = verdict.report;
    entry["vertices"] = r.vertices;
    entry["triangles"] = r.triangles;
    entry["components"] = r.components;
    entry["cavities"] = r.cavities;
    entry["genus"] = r.genus;
    entry["bodies"] = split_bodies(verdict.mesh).size();
    entry["volume"] = r.volume;
    entry["area"] = r.area;
    entry["bounds"] = {{"lower", to_json(r.bounds.lower)}, {"upper", to_json(r.bounds.upper)}};
    entry["repairs"] = to_json(r.repairs);
    entry["warnings"] = to_json(r.warnings);
    return entry;
}

void print_findings(const char* title, const std::vector<MeshFinding>& findings) {
    for (const MeshFinding& f : findings) {
        fmt::print("  {:<9} {}\n", title, f.sentence);
        if (f.elements.empty()) continue;
        fmt::print("            {}{}\n", fmt::join(f.elements, ", "),
                   f.count > f.elements.size() ? ", …" : "");
    }
}

void print_verdict(const Verdict& verdict) {
    const MeshReport& r = verdict.report;
    if (!verdict.status.ok()) return fmt::print(stderr, "turgor: {}\n", verdict.status.message);
    fmt::print("{}: usable{}\n", verdict.file, r.repairs.empty() ? "" : ", after repair");
    const Vec3 size = r.bounds.extent();
    fmt::print(
        "  {} vertices, {} triangles, {} part{}, {} cavit{}, genus {}, volume {:.6g} m³, area "
        "{:.6g} m², "
        "{:.4g} × {:.4g} × {:.4g} m\n",
        r.vertices, r.triangles, r.components, r.components == 1 ? "" : "s", r.cavities,
        r.cavities == 1 ? "y" : "ies", r.genus, r.volume, r.area, size.x, size.y, size.z);
    print_findings("repaired", r.repairs);
    print_findings("found", r.warnings);
}

int check(const Options& options) {
    if (options.repair && options.meshes.size() != 1)
        fail(ErrorCode::bad_argument, "--repair writes one mesh, but {} were given",
             options.meshes.size());
    bool all_usable = true;
    Json list = Json::array();
    for (const std::string& file : options.meshes) {
        const Verdict verdict = look_at(file);
        all_usable = all_usable && verdict.status.ok();
        if (options.json)
            list.push_back(to_json(verdict));
        else
            print_verdict(verdict);
        if (options.repair && verdict.status.ok()) {
            save_mesh(verdict.mesh, *options.repair);
            if (!options.json) fmt::print("  written   {}\n", *options.repair);
        }
    }
    if (options.json) fmt::print("{}\n", list.dump(2, ' ', false, Json::error_handler_t::replace));
    return all_usable ? exit_done : exit_bad_input;
}

}  // namespace

void add_check_command(CLI::App& app, Run& run) {
    CLI::App* command =
        app.add_subcommand("check", "Say what is wrong with meshes and what can be repaired");
    const auto options = std::make_shared<Options>();
    command->add_option("mesh", options->meshes, ".obj .ply .stl .off .gltf .glb")
        ->required()
        ->option_text("MESH...");
    command->add_flag("--json", options->json, "As JSON: a list with one entry per mesh");
    command->add_option("--repair", options->repair,
                        "Write the repaired mesh: .obj .ply .stl .off .glb");
    command->callback([options, &run] { run = [options] { return check(*options); }; });
}

}  // namespace turgor
