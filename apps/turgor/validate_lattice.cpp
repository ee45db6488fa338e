#include <algorithm>
#include <chrono>
#include <cmath>

#include "measure/measure.hpp"
#include "validate_groups.hpp"

namespace turgor {
namespace {

constexpr double stiffness = 0.5, damping = 0.2;  // as in table 2

/// Where the vertices of a cube of 1 m come to rest that is held below and pulled up and sideways
/// above.
std::vector<Vec3> pulled(Backend backend, const Mesh& cube, int cells, const Model& model) {
    World world = measure::world_of(backend, false, {});
    Body body = world.add_body(cube, Material::named("gummy"), {.model = model});
    // Corners of solids are rounded by less than half a cell.
    const double face = 0.5 - 0.5 / cells;
    std::vector<std::uint32_t> below, above;
    for (std::uint32_t i = 0; i < body.positions().size(); ++i) {
        if (body.position(i).y < -face) below.push_back(i);
        if (body.position(i).y > face) above.push_back(i);
    }
    body.pin(below);
    body.pin(above, Path{{{0, {}}, {1, {{0.05, 0.1, 0}, {}}}}});
    for (int k = 0; k < 400; ++k) world.step(0.005);
    const auto shown =
        body.display_positions().empty() ? body.positions() : body.display_positions();
    std::vector<Vec3> x;
    for (const Vec3f& p : shown) x.push_back(to_double(p));
    return x;
}

double distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i] - b[i], a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

/// Figure 8 of the 2011 paper: which region width of the surface does what a half-width does.
void figure8(Backend backend, Figures& out, bool quick) {
    const int cells = quick ? 10 : 30, widths = quick ? 2 : 5, omegas = quick ? 2 : 12;
    const Mesh cube = shapes::cube(1, cells + 1);
    out.section(
        fmt::format("Figure 8: a cube pulled by 0.1 and 0.05 of its side, as a lattice of "
                    "{0}^3 and as its surface: rms distance",
                    cells + 1));
    std::vector<std::vector<Vec3>> surfaces;
    for (int omega = 1; omega <= omegas; ++omega)
        surfaces.push_back(
            pulled(backend, cube, cells,
                   SurfaceModel{.omega = omega, .stiffness = stiffness, .damping = damping}));
    for (int width = 1; width <= widths; ++width) {
        const auto lattice = pulled(
            backend, cube, cells,
            LatticeModel{
                .cells = cells, .half_width = width, .stiffness = stiffness, .damping = damping});
        std::string all;
        std::vector<double> off;
        for (const auto& surface : surfaces) {
            off.push_back(distance(lattice, surface));
            all += fmt::format(" {:.4f}", off.back());
        }
        const auto nearest = std::ranges::min_element(off);
        out.at_most(
            fmt::format("w {}: omega 1 …{}; nearest {}", width, all, nearest - off.begin() + 1),
            *nearest, 0.05);
    }
}

/// A bar of which both ends are drawn apart until it tears.
void tearing(Backend backend, Figures& out, bool quick) {
    const int cells = quick ? 10 : 20;
    World world = measure::world_of(backend, false, {});
    const Body bar = world.add_body(shapes::bar({1.5, 0.4, 0.4}, cells), Material::named("gummy"),
                                    {.model = LatticeModel{.cells = cells, .tear_stretch = 1.4}});
    for (const double side : {-1.0, 1.0}) {
        std::vector<std::uint32_t> held;
        for (std::uint32_t i = 0; i < bar.positions().size(); ++i)
            if (side * bar.position(i).x > 0.45) held.push_back(i);
        Body(bar).pin(held, Path{{{0, {}}, {1, {{0.8 * side, 0, 0}, {}}}}});
    }
    const double mass = bar.mass();
    double volume = 0, slowest = 0, quickest = 1e9;
    int tears = 0;
    for (int k = 0; k < 300; ++k) {
        const auto begin = std::chrono::steady_clock::now();
        world.step(0.005);
        const double ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                .count();
        tears += !world.tears().empty();
        (world.tears().empty() ? quickest : slowest) =
            world.tears().empty() ? std::min(quickest, ms) : std::max(slowest, ms);
        for (const Body& body : world.bodies())
            volume = std::max(volume, std::abs(body.volume() / body.rest_volume() - 1));
    }
    double all = 0, speed = 0;
    for (const Body& body : world.bodies()) {
        all += body.mass();
        speed = std::max(speed, body.max_speed());
    }
    out.section(
        fmt::format("A bar of {} cells torn apart: {} steps in which it tears (the slowest "
                    "{:.1f} ms; one without {:.2f} ms)",
                    cells, tears, slowest, quickest));
    out.at_least("pieces", static_cast<double>(world.bodies().size()), 2);
    out.at_most("volume of the worst piece at any time", volume, 2e-7);
    out.at_most("mass", std::abs(all / mass - 1), 1e-12);
    out.at_most("fastest particle in the end [m/s]", speed, 0.5);
}

}  // namespace

void lattices(Figures& out, Backend backend, bool quick) {
    figure8(backend, out, quick);
    tearing(backend, out, quick);
    // As many corners on its surface as the mesh has vertices, which the laboratory relies on.
    const Mesh cube = shapes::cube(1, 11);
    const measure::Laboratory lab(backend, LatticeModel{.cells = 10});
    out.section("A lattice of 11^3: momentum and volume over 2000 steps");
    const measure::Drift drift = lab.momentum_drift(cube, VolumeMode::local, quick ? 100 : 2000);
    out.at_most("linear momentum, of Σ m|v|", drift.linear, 1e-6);
    out.at_most("angular momentum, of its start", drift.angular, 1e-6);
    out.at_most("volume", drift.volume, 2e-7);
    out.section("A lattice of 11^3: wobble at 2.5, 5, 10, 16.7 ms");
    std::vector<double> f;
    std::string all;
    for (const double dt : {0.0025, 0.005, 0.01, 1.0 / 60}) {
        f.push_back(lab.wobble(cube, Material::named("gummy"), dt).frequency);
        all += fmt::format(" {:.4g}", f.back());
    }
    const auto [low, high] = std::ranges::minmax(f);
    out.at_most("gummy:" + all + " Hz, apart", high / low - 1, 0.01);
}

}  // namespace turgor
