#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <memory>
#include <optional>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "base/parse_number.hpp"
#include "commands.hpp"
#include "mesh/soups.hpp"
#include "number_in.hpp"
#include "output/solid_files.hpp"
#include "pictures.hpp"
#include "progress.hpp"
#include "scene_options.hpp"
#include "signals.hpp"
#include "solid/shape_solid.hpp"
#include "turgor/scheduler.hpp"
#include "turgor/solid.hpp"

namespace turgor {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::string mesh;
    SolidSettings settings;
    std::vector<std::string> outputs, variants;
    bool quiet = false;
};

bool is_still_picture(const fs::path& file) {
    return is_picture(file) && file.has_filename() && file.extension() != ".mp4";
}

Mesh mesh_called(const std::string& name) {
    if (!fs::exists(name)) {
        if (name == "tree") return shapes::tree(3, 260);
        if (name == "broken_bunny") return shapes::broken_bunny(1, 4000, 6);
        if (name == "cake") return shapes::cake(1);
        if (name == "bear") return shapes::gummy_bear(1, 5000);
        if (name == "duck") return shapes::rubber_duck(1, 5000);
        if (name == "ball") return shapes::icosphere(0.5, 4);
    }
    return read_mesh(name);
}

/// Sets one setting by its name, as the options are called.
void set(SolidSettings& s, const std::string& key, const std::string& text) {
    double value = 0;
    const auto [end, error] = parse_number(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        fail(ErrorCode::bad_argument, "--variant: '{}' is no number for '{}'", text, key);
    if (key == "p-in")
        s.p_in = value;
    else if (key == "p-subs")
        s.p_subs = value;
    else if (key == "density")
        s.density = value;
    else if (key == "cells")
        s.cells = static_cast<int>(std::clamp(value, -1e6, 1e6));
    else if (key == "smoothing")
        s.smoothing = static_cast<int>(std::clamp(value, -1e6, 1e6));
    else if (key == "diagonals")
        s.smooth_over_diagonals = value != 0;
    else
        fail(ErrorCode::bad_argument,
             "--variant: there is no '{}'; there is cells, p-in, p-subs, density, smoothing, "
             "diagonals",
             key);
}

struct Variant {
    std::string caption;
    SolidSettings settings;
};

/// "WORDS: KEY=VALUE, …" or without the words.
Variant variant_of(const std::string& text, const SolidSettings& settings) {
    const auto trimmed = [](const std::string& t) {
        const std::size_t first = t.find_first_not_of(' ');
        return first == std::string::npos ? std::string{}
                                          : t.substr(first, t.find_last_not_of(' ') - first + 1);
    };
    const std::size_t colon = text.find(':');
    const std::string changes = colon == std::string::npos ? text : text.substr(colon + 1);
    Variant variant{trimmed(text.substr(0, colon)), settings};
    for (std::size_t at = 0; at < changes.size();) {
        const std::size_t end = std::min(changes.find(',', at), changes.size());
        const std::string one = trimmed(changes.substr(at, end - at));
        const std::size_t equals = one.find('=');
        if (equals == std::string::npos)
            fail(ErrorCode::bad_argument, "--variant: '{}' is not of the form KEY=VALUE", one);
        set(variant.settings, trimmed(one.substr(0, equals)), trimmed(one.substr(equals + 1)));
        at = end + 1;
    }
    return variant;
}

/// Work in a thread of its own, which a signal stops; tells how it is going if it takes longer than
/// two seconds. The signal, or 0.
template <class Work>
int run_watched(const char* what, bool quiet, Work&& work) {
    using Clock = std::chrono::steady_clock;
    const SignalWatch watch;
    std::atomic<bool> stop{false};
    const auto start = Clock::now();
    auto done = std::async(std::launch::async, [&] {
        const CancelScope scope(stop);
        work();
    });
    Waiting waiting(what, quiet);
    while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
        waiting.show(std::chrono::duration<double>(Clock::now() - start).count());
        stop = SignalWatch::received() != 0;
    }
    waiting.clear();
    try {
        done.get();
    } catch (const Cancelled&) {
        return SignalWatch::received();
    }
    return 0;
}

struct Made {
    Mesh mesh;
    double agreement = 0;
    Solid solid;
    std::vector<CaptionedSolid> variants;  ///< for pictures
};

double asymmetry(const Solid& solid, const SolidSettings& s) {
    return asymmetry_of_smoothing(solid, s.smoothing, s.smooth_over_diagonals);
}

void make(const Options& options, const std::vector<Variant>& variants, Made& made) {
    made.mesh = mesh_called(options.mesh);
    const auto threads = make_thread_pool();
    const SolidField field(made.mesh, std::clamp(4 * options.settings.cells, 64, 1024),
                           threads.get());
    made.agreement = field.agreement();
    made.solid = field.solid(options.settings, threads.get());
    const bool any_diagonals = std::ranges::any_of(
        variants, [](const Variant& v) { return v.settings.smooth_over_diagonals; });
    for (const Variant& v : variants) {
        made.variants.push_back({field.solid(v.settings, threads.get()), v.caption});
        if (any_diagonals)
            made.variants.back().caption += fmt::format(
                ": asymmetry {:.2g} cells", asymmetry(made.variants.back().solid, v.settings));
    }
}

void print_quality(const Options& options, const Made& made) {
    const Solid& solid = made.solid;
    const SolidQuality q = quality(solid);
    fmt::print("{}: {} vertices, {} triangles; rays agree to {:.2f} about what is inside\n",
               options.mesh, made.mesh.vertices.size(), made.mesh.triangles.size(), made.agreement);
    const auto row = [](const char* name, const std::string& text) {
        fmt::print("  {:<24} {}\n", name, text);
    };
    row("cells", fmt::format("{} of {:.4g} m", solid.cells.size(), solid.cell));
    row("tetrahedra", fmt::format("{}, {} inverted", 5 * solid.cells.size(), q.inverted));
    row("surface",
        fmt::format("{} vertices, {} triangles", solid.surface_count, solid.triangles.size()));
    row("smallest dihedral angle", fmt::format("{:.1f}°", q.smallest_angle));
    row("smallest corner", fmt::format("{:.2f} of a cell", q.smallest_corner));
    row("volume",
        solid.wanted_volume > 0
            ? fmt::format("{:.6g} m³, the mesh encloses {:.6g} m³ (off by {:.2g} of it; by {:.2g} "
                          "before the cells were scaled)",
                          q.volume, solid.wanted_volume, q.volume / solid.wanted_volume - 1,
                          q.volume / std::pow(solid.scale, 3) / solid.wanted_volume - 1)
            : fmt::format("{:.6g} m³; the mesh itself encloses nothing", q.volume));
    row("asymmetry of smoothing", fmt::format("{:.3g} cells", asymmetry(solid, options.settings)));
}

void check_outputs(const Options& options) {
    require_separate_places({options.mesh}, options.outputs);
    for (const std::string& output : options.outputs) {
        if (is_still_picture(output))
            check_can_make_pictures(output);
        else if (is_solid_file(output))
            check_can_write_file(output);
        else
            fail(ErrorCode::bad_argument,
                 "'{}': a solid is written as .vtu, .msh, .obj, or .png and .jpg as a picture",
                 output);
    }
}

int solidify(const Options& options) {
    check_outputs(options);
    std::vector<Variant> variants;
    for (const std::string& text : options.variants)
        variants.push_back(variant_of(text, options.settings));
    Made made;
    if (const int signal =
            run_watched("making a solid", options.quiet, [&] { make(options, variants, made); })) {
        fmt::print(stderr, "turgor: interrupted; nothing was written\n");
        return 128 + signal;
    }
    if (made.variants.empty()) made.variants.push_back({made.solid, "its cells"});
    for (const std::string& output : options.outputs)
        if (is_still_picture(output))
            paint_solids(made.mesh, made.variants, output);
        else
            save_solid(made.solid, output);
    if (options.quiet) return exit_done;
    print_quality(options, made);
    for (const std::string& output : options.outputs) fmt::print("  written {}\n", output);
    return exit_done;
}

}  // namespace

void add_solidify_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand(
        "solidify", "Fill a mesh of any kind with cells, for other programs: open ones too");
    const auto o = std::make_shared<Options>();
    SolidSettings& s = o->settings;
    command
        ->add_option("mesh", o->mesh,
                     ".obj .ply .stl .off .gltf .glb, or one of our own: tree broken_bunny cake "
                     "bear duck ball")
        ->required()
        ->option_text("MESH");
    command->add_option("--cells", s.cells, "Along the longest side; default 32")
        ->check(number_in(1, 256))
        ->option_text("N");
    command
        ->add_option(
            "--out", o->outputs,
            "Write .vtu or .msh (tetrahedra), .obj (their surface), .png or .jpg (a picture); "
            "repeatable")
        ->allow_extra_args(false)
        ->option_text("FILE");
    command
        ->add_option("--p-in", s.p_in,
                     "How likely a place is to be on the surface, 1 there and 0 from four voxels\n"
                     "on, where a ray changes sides. Unset: exact crossings decide where they\n"
                     "agree, else 0.75")
        ->option_text("P");
    command->add_option("--p-subs", s.p_subs, "Where it may do so again; default 0.5 or P_in")
        ->option_text("P");
    command
        ->add_option("--density", s.density,
                     "What share of a cell must be inside; default: what keeps the volume")
        ->option_text("SHARE");
    command->add_option("--smoothing", s.smoothing, "Rounds; default 10")
        ->check(number_in(0, 1000))
        ->option_text("N");
    command->add_flag("--diagonals", s.smooth_over_diagonals,
                      "Smooth over the diagonals of the surface, too: less even, for comparison");
    command
        ->add_option("--variant", o->variants,
                     "In pictures, instead of the cells: 'WORDS: KEY=VALUE,…' with keys named as\n"
                     "these options, without their dashes; repeatable")
        ->allow_extra_args(false)
        ->option_text("TEXT");
    command->add_flag("--quiet", o->quiet, "Print nothing but errors");
    command->callback([o, &run] { run = [o] { return solidify(*o); }; });
}

}  // namespace turgor
