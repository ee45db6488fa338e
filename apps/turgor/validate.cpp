#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "backend_options.hpp"
#include "commands.hpp"
#include "measure/bodies_in_contact.hpp"
#include "measure/folding.hpp"
#include "measure/measure.hpp"
#include "measure/meshless.hpp"
#include "measure/rigid.hpp"
#include "scene/live_scene.hpp"
#include "validate_groups.hpp"

namespace turgor {
namespace {

using namespace measure;

/// How far the values of a row lie apart: largest over smallest, less one.
double spread(const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return *low > 0 ? *high / *low - 1 : 1e9;
}

std::string list(const std::vector<double>& values) {
    std::string text;
    for (const double v : values) text += fmt::format("{}{:.4g}", text.empty() ? "" : " ", v);
    return text;
}

void momentum(const Laboratory& lab, Figures& out, bool quick) {
    out.section("A free body with random velocities, 1000 steps: drift of its momenta");
    for (const Specimen& shape : demo_shapes(400))
        for (const VolumeMode mode : {VolumeMode::local, VolumeMode::global}) {
            const Drift d = lab.momentum_drift(shape.mesh, mode, quick ? 100 : 1000);
            const std::string name =
                shape.name + (mode == VolumeMode::local ? ", local volume" : ", global volume");
            out.at_most(name + ": linear, of Σ m|v|", d.linear, lab.tolerances().linear);
            out.at_most(name + ": angular, of its start", d.angular, lab.tolerances().angular);
        }
}

void rest(const Laboratory& lab, Figures& out, bool quick) {
    out.section("Lying on the ground for 10 s");
    for (const Specimen& shape : demo_shapes(quick ? 200 : 800))
        for (const auto material : Material::names()) {
            if (quick && material != "gummy") continue;
            if (Material::named(material).plasticity) continue;  // may creep
            const Rest r = lab.lie_down(shape.mesh, Material::named(material), 10);
            const std::string name = fmt::format("{} of {}", shape.name, material);
            out.at_most(name + ": fastest particle [m/s]", r.max_speed, 0.005);
            out.at_most(name + ": creep, of its size, last 5 s", r.creep, 0.01);
            out.at_most(name + ": volume error", r.volume, lab.tolerances().volume);
        }
}

void time_step(const Laboratory& lab, Figures& out, bool quick) {
    out.section("Steps of 1, 2.5, 5, 10 and 16.7 ms: how far the results lie apart");
    for (const Specimen& shape : demo_shapes(400)) {
        if (quick && shape.name != "sphere") continue;
        std::vector<double> f, sag, rebound;
        for (const double dt : {0.001, 0.0025, 0.005, 0.01, 1.0 / 60}) {
            f.push_back(lab.wobble(shape.mesh, Material::named("gummy"), dt).frequency);
            const Landing l = lab.land(shape.mesh, Material::named("gummy"), dt);
            sag.push_back(l.sag);
            rebound.push_back(l.rebound);
        }
        out.at_most(fmt::format("{}: wobble [Hz] {}", shape.name, list(f)), spread(f), 0.08);
        out.at_most(fmt::format("{}: sag {}", shape.name, list(sag)), spread(sag), 0.08);
        out.at_most(fmt::format("{}: rebound {}", shape.name, list(rebound)), spread(rebound),
                    0.08);
    }
}

void resolution(const Laboratory& lab, Figures& out, bool quick) {
    out.section("One material, 400, 1600 and 6400 vertices: wobble");
    const std::vector<std::pair<std::string, std::function<Mesh(int)>>> makers{
        {"sphere", [](int n) { return shapes::uv_sphere(0.5, n, n); }},
        {"bear", [](int n) { return shapes::gummy_bear(1, static_cast<std::size_t>(n) * n); }},
        {"cube", [](int n) { return shapes::cube(1, static_cast<int>(n / 2.449) + 1); }}};
    for (const auto& [name, make] : makers) {
        std::vector<double> f;
        for (const int n : quick ? std::vector{20, 40} : std::vector{20, 40, 80})
            f.push_back(lab.wobble(of_size(make(n), 1), Material::named("gummy"), 0.005).frequency);
        out.at_most(fmt::format("{} of gummy (6 Hz): {} Hz", name, list(f)), spread(f), 0.25);
    }
}

void frequency(const Laboratory& lab, Figures& out) {
    out.section("Wobble and damping ratio against what the material asks for, 400 vertices");
    for (const Specimen& shape : demo_shapes(400)) {
        if (shape.name != "sphere" && shape.name != "cube") continue;
        for (const char* name : {"jelly", "gummy", "rubber"}) {
            const Material material = Material::named(name);
            const Wobble w = lab.wobble(shape.mesh, material, 0.005);
            const std::string what = fmt::format("{} of {}", shape.name, name);
            out.at_most(fmt::format("{}: {:.3g} of {:.3g} Hz, away by", what, w.frequency,
                                    material.frequency),
                        std::abs(w.frequency / material.frequency - 1), 0.15);
            out.at_most(fmt::format("{}: ratio {:.3g} of {:.3g}, away by", what, w.damping_ratio,
                                    material.damping_ratio),
                        std::abs(w.damping_ratio / material.damping_ratio - 1), 0.25);
        }
    }
}

void sizes(const Laboratory& lab, Figures& out) {
    out.section("Size: wobble of 0.1, 1 and 10 m, times the size");
    for (const char* material : {"jelly", "gummy", "rubber"}) {
        std::vector<double> f;
        for (const double size : {0.1, 1.0, 10.0})
            f.push_back(size * lab.wobble(of_size(shapes::icosphere(0.5, 3), size),
                                          Material::named(material), 0.002 * std::sqrt(size))
                                   .frequency);
        out.at_most(fmt::format("{}: {} Hz m", material, list(f)), spread(f), 0.08);
        const double wanted = Material::named(material).frequency;
        out.at_most(fmt::format("{}: away from the {} Hz asked for", material, wanted),
                    std::abs(f[1] / wanted - 1), 0.12);
    }
}

void stability(const Laboratory& lab, Figures& out, bool quick) {
    out.section("Random materials, steps of 0.1 … 100 ms, throws");
    const Stability s = lab.random_combinations(quick ? 60 : 1000, 1);
    out.at_most(fmt::format("of {} runs, not finite, unbounded or not full", s.runs), s.failed, 0);
    out.at_most("largest volume error", s.volume, lab.tolerances().volume);
    if (s.failed > 0) fmt::print("  first: {}\n", s.worst);
}

void recovery(const Laboratory& lab, Figures& out, bool quick,
              const std::filesystem::path& meshes) {
    out.section("Recovery: rms distance from the rest shape after 2 s, and when it fell below 1 %");
    std::vector<Specimen> shapes = demo_shapes(800);
    if (!meshes.empty())
        for (const auto& entry : std::filesystem::directory_iterator(meshes))
            if (entry.path().extension() == ".obj")
                shapes.push_back(
                    {entry.path().stem().string(), of_size(load_mesh(entry.path()), 1)});
    std::sort(shapes.begin() + 5, shapes.end(),
              [](const Specimen& a, const Specimen& b) { return a.name < b.name; });
    for (const Specimen& shape : shapes)
        for (const auto& [start, name] : starts) {
            if (quick && start != BodyStart::flat && start != BodyStart::mirrored) continue;
            const Recovery r = lab.recover_from(shape.mesh, Material::named("gummy"), start);
            out.at_most(fmt::format("{}, {}: {:.2f} s", shape.name, name, r.seconds), r.shape_error,
                        0.01);
        }
    out.section("Hard but ordinary: recovery must not set in");
    for (const Ordeal& ordeal : lab.ordeals()) {
        out.is(ordeal.name, !ordeal.recovered, "no");
        out.at_most(ordeal.name + ": volume error", ordeal.volume, lab.tolerances().volume);
        out.at_most(ordeal.name + ": penetration, of its size", ordeal.penetration, 0.01);
    }
}

void pile(Figures& out, const std::string& name, World& world, double seconds) {
    const Watched w = watch(world, seconds);
    out.at_most(name + ": deepest vertex in another body, of its size", w.overlap, 0.01);
    out.at_most(name + ": the same after 3 s", w.late_overlap, 0.002);
    out.at_most(name + ": volume error", w.volume, 1e-6);
    out.at_least(name + ": lowest vertex [m]", w.lowest, -0.005);
    out.at_most(fmt::format("{}: fastest particle at the end [m/s], {} awake", name, w.awake),
                w.speed, 0.02);
}

/// A built-in scene watched for longer than it lasts.
void pile(Backend backend, Figures& out, const std::string& name, double seconds) try {
    Scene scene = load_scene(name);
    scene.world.backend = backend;
    LiveScene live(scene);
    pile(out, name, live.world(), seconds);
} catch (const Error& e) {
    fmt::print("  {}: skipped: {}\n", name, e.what());
}

void grazing(Figures& out, const Grazing& g) {
    out.at_most("whole momentum, change of Σ m|v|", g.linear, 1e-5);
    out.at_most("whole angular momentum, change of its start", g.angular, 1e-3);
    out.at_most("largest kinetic energy, of its start", g.energy, 1 + 1e-6);
}

void encounters(Backend backend, Figures& out, bool quick) {
    out.section("Bodies that meet: two free balls graze each other");
    grazing(out, graze(backend));

    out.section("Starts that overlap: seconds until nothing is inside, and speed afterwards");
    const std::vector<Specimen> meshes{{"ball", shapes::icosphere(0.5, 3)},
                                       {"cube", shapes::cube(0.8, 10)},
                                       {"duck", shapes::rubber_duck(1, 500)}};
    for (const Specimen& mesh : meshes)
        for (const double share : {0.3, 0.6, 0.85, 0.95, 1.0}) {
            const Separation p = separate(backend, mesh.mesh, share);
            const std::string name = fmt::format("{}, {:.0f} %", mesh.name, 100 * share);
            out.at_most(name + ": apart after [s]", p.seconds < 0 ? 1e9 : p.seconds, 2);
            out.at_most(name + ": speed [m/s]", p.speed, 1);
        }

    out.section("Shots of a 0.1 m ball at up to 100 m/s: how many pass");
    const int shots = quick ? 10 : 250;
    for (const double dt : {0.005, 0.016}) {
        for (const auto& [target, name] : {std::pair{Target::plate, "plate of 5 mm"},
                                           {Target::coarse_wall, "coarse mesh of 5 mm, obliquely"},
                                           {Target::fine_wall, "fine mesh of 5 mm, obliquely"},
                                           {Target::sheet, "open sheet of 5 mm, obliquely"},
                                           {Target::ball, "soft ball"}}) {
            const Shots s = shoot(backend, target, dt, shots, 1);
            out.at_most(fmt::format("{} at a {}, steps of {} ms", s.fired, name, 1000 * dt),
                        s.passed, 0);
            if (target == Target::ball)
                out.at_most(fmt::format("  deepest overlap ({} came past around it)", s.around),
                            s.overlap, gone_into);
        }
    }

    out.section("Piles for 10 s");
    const double seconds = quick ? 4 : 10;
    World balls = balls_over_glass(backend, 20), ducks = column_of_ducks(backend, 10);
    pile(out, "20 balls in a glass", balls, seconds);
    pile(out, "10 ducks in a column", ducks, seconds);
    World stack = stack_of_cubes(backend, 0.05, 5);
    const Vec3 top = stack.bodies()[4].centre_of_mass();
    const Watched w = watch(stack, quick ? 5 : 30, 50);
    const Vec3 moved = stack.bodies()[4].centre_of_mass() - top;
    out.at_most("five cubes of 5 cm stand: top cube sideways, of its side",
                std::hypot(moved.x, moved.z) / 0.05, 0.1);
    out.at_most("five cubes of 5 cm stand: deepest vertex in another", w.overlap, 0.01);
}

void folded(Figures& out, const std::string& name, const Folded& f, bool comes_back) {
    out.at_most(name + ": deepest vertex in its own body, in edges", f.deepest, 0.5);
    out.at_most(name + ": the same at the end", f.afterwards, 0);
    out.at_most(name + ": volume error", f.volume, 1e-6);
    if (comes_back) out.at_most(name + ": shape error at the end", f.shape, 0.1);
}

void crushed(Figures& out, const std::string& name, const Crushed& c) {
    out.at_most(name + ": penetration, of its size", c.penetration, 0.01);
    out.at_most(name + ": volume error", c.volume, 1e-6);
    out.at_most(name + ": fastest particle after half a second of holding [m/s]", c.trembling, 0.1);
    out.at_most(name + ": shape error two seconds after", c.shape, 0.05);
}

void folding(Backend backend, Figures& out, bool quick, const std::filesystem::path& meshes) {
    out.section("Bodies that touch themselves");
    folded(out, "bar folded in half", fold_bar(backend, quick ? 21 : 41), true);
    folded(out, "snake dropped into a coil", coil_snake(backend, quick ? 2 : 4, quick ? 2 : 5),
           false);
    folded(out, "bear pressed to 0.3 of its height",
           press_flat(backend, shapes::gummy_bear(1, quick ? 800 : 2000), 0.3), true);
    const auto armadillo = meshes / "armadillo_1000.obj";
    if (!meshes.empty() && std::filesystem::exists(armadillo))
        folded(out, "armadillo pressed to 0.3 of its height",
               press_flat(backend, of_size(load_mesh(armadillo), 0.5), 0.3), true);
    out.at_most("duck thrown on the ground at 25 m/s: vertices turned inside out",
                throw_duck(backend, 25), 0);
    out.section("Crushed");
    crushed(out, "ball pressed to a quarter", press_ball(backend, 0.25));
    const int layers = quick ? 2 : 5;
    crushed(out, fmt::format("box shrinking around {} balls", 4 * layers),
            shrink_box(backend, layers));
}

void rigid(Backend backend, Figures& out, bool quick) {
    out.section("A rigid ball and a soft one graze each other freely");
    grazing(out, graze_rigid(backend));

    out.section("A rigid ball falls on a firm cube of 1/10, 10 and 1000 times less mass");
    for (const double ratio : {0.1, 10.0}) {
        const Drop d = drop_ball(backend, ratio, quick ? 4 : 8);
        const std::string name = fmt::format("{} : 1", ratio);
        out.at_most(name + ": deepest in the cube, of its size", d.penetration, 0.01);
        out.at_most(name + ": the same after 3 s", d.late_penetration, 0.002);
        out.at_most(name + ": volume error of the cube", d.volume, 1e-6);
        out.at_least(name + ": the ball's centre at the end [m]", d.height, 0.45);
        out.at_most(name + ": fastest of the ball in the last half second [m/s]", d.late_speed,
                    quick ? 0.2 : 0.02);
    }
    const Drop heavy = drop_ball(backend, 1000, quick ? 1 : 4);
    out.at_most("1000 : 1: volume error of the cube", heavy.volume, 1e-6);
    out.is("1000 : 1: every number", heavy.finite, "finite");

    out.section("Shots of a rigid ball of 0.02 m radius at up to 100 m/s: how many pass");
    for (const Target target : {Target::plate, Target::ball}) {
        const Shots s = shoot_rigid(backend, target, 0.005, quick ? 10 : 200, 1);
        out.at_most(fmt::format("{} at a {}", s.fired,
                                target == Target::plate ? "plate of 5 mm" : "soft ball of 0.2 m"),
                    s.passed, 0);
    }

    out.section("A ball that starts inside a soft one");
    for (const double off : {0.0, 0.3, 0.55}) {
        const Separation p = separate_rigid(backend, off);
        const std::string name = fmt::format("{} m from its middle", off);
        out.at_most(name + ": apart after [s]", p.seconds < 0 ? 1e9 : p.seconds, 2);
        out.at_most(name + ": fastest at any time [m/s]", p.speed, 1);
    }
    out.section("Rigid boxes of 0.2 m");
    out.at_most("three stand: the top one is away by, of its side",
                stack_of_boxes(backend, 3, quick ? 3 : 20), 0.1);
}

void piles(Backend backend, Figures& out, bool quick) {
    out.section("Heaps of the paper's scenes for 10 s");
    for (const char* scene : {"balls_in_glass", "ducks_and_tori", "gummy_bears", "armadillos"})
        pile(backend, out, scene, quick ? 1 : 10);
}

struct ValidateOptions {
    bool quick = false, longer = false;
    std::string only;
    std::string backend = "auto", model = "surface";
    std::filesystem::path meshes;
};

void equality(Backend backend, Figures& out) {
    out.section(fmt::format("The {} back end against the reference: one step from the same state",
                            name_of(backend)));
    for (const Specimen& shape : demo_shapes(800))
        for (const char* material : {"jelly", "rubber"}) {
            const Difference d =
                difference_after_one_step(backend, shape.mesh, Material::named(material), 400);
            const std::string name = fmt::format("{} of {}", shape.name, material);
            out.at_most(name + ": positions, of its size", d.position,
                        backend == Backend::opencl ? 1e-4 : 1e-5);
            out.at_most(name + ": velocities × step, of its size", d.velocity, 1e-4);
        }
}

/// Of the meshless model: all modes, few and many clusters, and what stays bent.
void clusters(Backend backend, Figures& out, bool quick) {
    out.section("Clusters: frequency [Hz] and damping ratio at 1, 2.5, 5, 10, 16.7 ms");
    using Mode = MeshlessModel::Mode;
    Material material = Material::named("gummy");
    material.frequency = 6;
    const Mesh ball = of_size(shapes::icosphere(0.5, 3), 1);
    for (const auto& [name, mode] : {std::pair{"rigid", Mode::rigid},
                                     {"linear", Mode::linear},
                                     {"quadratic", Mode::quadratic}})
        for (const int count : quick ? std::vector{1} : std::vector{1, 3, 8, 27}) {
            const Laboratory lab(backend, MeshlessModel{.mode = mode, .clusters = count});
            const std::vector<Vec3> shape = lab.softest_shape(ball, material);
            for (const double zeta : {0.03, 0.1, 0.3}) {
                material.damping_ratio = zeta;
                std::vector<double> frequencies, ratios;
                for (const double dt : {0.001, 0.0025, 0.005, 0.01, 1.0 / 60}) {
                    const Wobble w = lab.wobble(ball, material, dt, shape);
                    frequencies.push_back(w.frequency);
                    ratios.push_back(w.damping_ratio);
                }
                double off = 0, damping_off = 0;
                for (const double f : frequencies) off = std::max(off, std::abs(f / 6 - 1));
                for (const double r : ratios)
                    damping_off = std::max(damping_off, std::abs(r / zeta - 1));
                const std::string what = fmt::format("{}, {} clusters, ζ {}", name, count, zeta);
                out.at_most(what + ": " + list(frequencies) + " Hz", off, 0.02);
                out.at_most(what + ": ζ " + list(ratios), damping_off, 0.05);
            }
        }
    out.section("Clusters: rebound of a fall, 1 … 16.7 ms apart");
    for (const auto& [name, mode] :
         {std::pair{"linear", Mode::linear}, {"quadratic", Mode::quadratic}}) {
        for (const int count : quick ? std::vector{1} : std::vector{1, 8}) {
            const Laboratory lab(backend, MeshlessModel{.mode = mode, .clusters = count});
            std::vector<double> rebounds;
            for (const double dt : {0.001, 0.0025, 0.005, 0.01, 1.0 / 60})
                rebounds.push_back(1 + lab.land(ball, Material::named("gummy"), dt).rebound);
            out.at_most(fmt::format("{}, {} clusters: heights {}", name, count, list(rebounds)),
                        spread(rebounds), 0.03);
        }
    }
    out.section("A rigid brick that spins about its middle axis at 12 rad/s, 20 s, 5 ms");
    const Flips coarse = spin_brick(12, 0.005), fine = spin_brick(12, quick ? 0.002 : 0.0005);
    const std::size_t flips = std::min(coarse.times.size(), fine.times.size());
    double late = 0;
    for (std::size_t k = 0; k < flips; ++k)
        late = std::max(late, std::abs(coarse.times[k] / fine.times[k] - 1));
    out.at_least("times that it turns over", static_cast<double>(flips), 5);
    out.at_most("their times against those of short steps", late, 0.01);
    out.at_most("change of its kinetic energy", coarse.energy, 1e-3);
    out.at_most("change of its angular momentum", coarse.angular, 1e-10);
    out.section("A bar twisted by 720° and let go: degrees that it keeps");
    const Model bar = MeshlessModel{.clusters = 14};
    const TwistKept clay = keep_twist(backend, bar, Material::named("clay"), 720),
                    rubber = keep_twist(backend, bar, Material::named("rubber"), 720);
    out.at_least("clay", clay.degrees, 450);
    out.at_most("rubber", rubber.degrees, 2);
    out.at_most("volume of both", std::max(clay.volume, rubber.volume), 1e-6);
    out.section("Momentum over 2000 steps");
    for (const Specimen& shape : demo_shapes(400)) {
        const Laboratory lab(backend, MeshlessModel{});
        const Drift d = lab.momentum_drift(shape.mesh, VolumeMode::local, quick ? 100 : 2000);
        out.at_most(shape.name + ": linear, of Σ m|v|", d.linear, 1e-5);
        out.at_most(shape.name + ": angular, of its start", d.angular, 5e-5);
    }
}

/// What stays pressed: a ball of dough of the surface model, blocks of the meshless one.
void dough(Backend backend, Figures& out, bool quick) {
    out.section("A ball of dough, surface model, pressed to half its height, 5 s after");
    for (const int level : quick ? std::vector{3} : std::vector{3, 4, 5}) {
        const Mesh ball = shapes::icosphere(0.5, level);
        const Pressed p = press(backend, SurfaceModel{}, Material::named("dough"), ball, 0.5, 5);
        const std::string what = fmt::format("{} vertices", ball.vertices.size());
        out.at_most(fmt::format("{}: height (pressed {:.3f})", what, p.pressed), p.height, 0.58);
        out.at_most(what + ": roughness, of pressed", p.roughness, 1.05);
        // What heals takes a minute: it moves by half a hundredth of its size in a second.
        out.at_most(what + ": fastest in itself [sizes/s]", p.speed, 0.005);
        out.at_most(what + ": volume", p.volume, 1e-6);
    }
    out.section("A block pressed to 0.6 of its height, meshless, 5 s after: thickness, by a trial");
    const Mesh block = shapes::cube(1, 12);
    for (const auto& [material, tried] :
         {std::pair{"clay", 0.62}, {"dough", 0.65}, {"metal", 0.74}, {"foam", 0.98}}) {
        const Pressed p = press(backend, MeshlessModel{}, Material::named(material), block, 0.6, 5);
        out.at_most(fmt::format("{}: {:.3f}, tried {}, off", material, p.thickness, tried),
                    std::abs(p.thickness - tried), 0.05);
        out.at_most(fmt::format("{}: volume", material), p.volume, 1e-6);
    }
}

int validate(const ValidateOptions& options) {
    Figures out;
    const Backend backend = options.backend == "reference" ? Backend::reference
                            : options.backend == "opencl"  ? Backend::opencl
                                                           : Backend::cpu;
    const Laboratory lab(backend, Model::parse(options.model));
    const auto wanted = [&](const char* name) {
        return options.only.empty() || options.only == name;
    };
    if (wanted("springs")) springs(out);
    if (wanted("published")) published_formulation(out);
    if (wanted("solids")) solids(out, options.quick, options.meshes);
    if (wanted("equality")) equality(backend, out);
    if (wanted("momentum")) momentum(lab, out, options.quick);
    if (wanted("rest")) rest(lab, out, options.quick);
    if (wanted("time_step")) time_step(lab, out, options.quick);
    if (wanted("resolution")) resolution(lab, out, options.quick);
    if (wanted("frequency")) frequency(lab, out);
    if (wanted("size")) sizes(lab, out);
    if (wanted("stability")) stability(lab, out, options.quick);
    if (wanted("recovery")) recovery(lab, out, options.quick, options.meshes);
    if (wanted("encounters")) encounters(backend, out, options.quick);
    if (wanted("piles")) piles(backend, out, options.quick);
    if (wanted("folding")) folding(backend, out, options.quick, options.meshes);
    if (wanted("rigid")) rigid(backend, out, options.quick);
    if (wanted("clusters")) clusters(backend, out, options.quick);
    if (wanted("plasticity")) dough(backend, out, options.quick);
    if (wanted("lattice")) lattices(out, backend, options.quick);
    if (wanted("clouds")) clouds(out, backend, options.quick);
    if (wanted("wrap"))
        wrapping(out, backend, options.meshes, options.quick ? 4 : options.longer ? 100 : 20);
    fmt::print("\n{}\n", out.all_hold() ? "every figure holds"
                                        : fmt::format("{} figures missed", out.missed()));
    return out.all_hold() ? exit_done : exit_failed;
}

}  // namespace

void add_validate_command(CLI::App& app, Run& run) {
    const auto options = std::make_shared<ValidateOptions>();
    CLI::App* command = app.add_subcommand(
        "validate", "Measure the figures of docs/validation.md; takes some minutes");
    command->add_flag("--quick", options->quick, "Fewer and smaller cases");
    command->add_flag("--long", options->longer, "More random cases");
    command->add_option("--only", options->only, "One group of figures")
        ->check(CLI::IsMember({"springs",  "published", "solids",    "wrap",       "equality",
                               "momentum", "rest",      "time_step", "resolution", "frequency",
                               "size",     "stability", "recovery",  "encounters", "piles",
                               "folding",  "rigid",     "clusters",  "plasticity", "lattice",
                               "clouds"}));
    command->add_option("--backend", options->backend, "cpu, the default, reference or opencl")
        ->check(CLI::IsMember({"auto", "reference", "cpu", "opencl"}))
        ->option_text("NAME");
    command->add_option("--model", options->model, "Of the bodies of the general groups")
        ->option_text("NAME[:…]");
    command
        ->add_option("--meshes", options->meshes,
                     "A folder of meshes to recover, to make solids of and to wrap, as well")
        ->check(CLI::ExistingDirectory);
    command->callback([&run, options] { run = [options] { return validate(*options); }; });
}

}  // namespace turgor
