#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "measure/bodies_in_contact.hpp"
#include "speed/speed.hpp"

namespace turgor::speed {
namespace {

Material papers(int omega, double stiffness, double alpha) {
    Material material = Material::named("gummy");
    material.omega = omega;
    material.stiffness = stiffness;
    material.alpha = alpha;
    return material;
}

/// Copies in layers of side × side, a little apart and turned, over a glass of their width.
World heap(const std::vector<Mesh>& meshes, int count, int side, double pitch, double rise,
           const Material& material, const WorldSettings& settings) {
    World world(settings);
    world.add_collider(Collider::ground());
    const int layers = (count + side * side - 1) / (side * side);
    world.add_collider(Collider::cup({0, 0.05, 0}, 0.75 * side * pitch, layers * rise + 1, 0.05));
    Random random(1);
    for (int k = 0; k < count; ++k) {
        const int in_layer = k % (side * side);
        const Vec3 place{pitch * (in_layer % side - 0.5 * (side - 1)),
                         0.7 + rise * (k / (side * side)),
                         pitch * (in_layer / side - 0.5 * (side - 1))};
        world.add_body(meshes[static_cast<std::size_t>(k) % meshes.size()], material,
                       {.position = place + 0.02 * random.in_cube(),
                        .rotation = Quat::about(random.in_cube(), random.between(-2, 2))});
    }
    return world;
}

/// Lets a world fall for a while, then measures its steps.
Row run(std::string name, std::string what, int threads, World world, double from, double until) {
    Row row{"contact", std::move(name), std::move(what), threads, world.particles()};
    std::vector<double> whole, elasticity, contact, sub_steps;
    while (world.time() < until) {
        world.step();
        if (world.time() < from) continue;
        const StepReport& r = world.report();
        double sum = 0;
        for (const double ms : r.milliseconds) sum += ms;
        whole.push_back(sum);
        elasticity.push_back(r.milliseconds[static_cast<std::size_t>(Stage::elasticity)]);
        contact.push_back(r.milliseconds[static_cast<std::size_t>(Stage::contact)]);
        sub_steps.push_back(r.sub_steps);
    }
    const auto median = [](std::vector<double> values) {
        std::ranges::sort(values);
        return values[values.size() / 2];
    };
    row.ms_median = median(whole);
    row.ms_min = std::ranges::min(whole);
    row.more = {{"elasticity_ms", median(elasticity)},
                {"contact_ms", median(contact)},
                {"sub_steps", median(sub_steps)}};
    return row;
}

}  // namespace

WorldSettings falling_settings(Backend backend, int threads) {
    WorldSettings settings = settings_for(backend, threads);
    settings.gravity = {0, -9.81, 0};
    return settings;
}

std::vector<Heap> heaps() {
    return {{"balls in a glass (20 x 382)",
             [](const WorldSettings& settings) {
                 return heap({shapes::uv_sphere(0.25, 20, 19)}, 20, 2, 0.56, 0.6, papers(2, 1, 0.5),
                             settings);
             },
             2.34},
            {"ducks and tori (20 x 552 + 20 x 512)",
             [](const WorldSettings& settings) {
                 return heap({shapes::rubber_duck(0.8, 552), shapes::torus(0.36, 0.16, 32, 16)}, 40,
                             3, 1.2, 1.2, papers(2, 1, 0.2), settings);
             },
             3.54},
            {"bears (6 x 5407), for armadillos",
             [](const WorldSettings& settings) {
                 return heap({shapes::gummy_bear(2, 5407)}, 6, 1, 2.2, 2.3, papers(3, 0.9, 0.1),
                             settings);
             },
             4.69}};
}

void contact(const Settings& settings, Report& report) {
    const int threads = settings.most_threads();
    const double from = settings.quick ? 0.5 : 1.5, until = settings.quick ? 0.6 : 3;
    Table table{"Bodies that meet",
                {"scene", "particles", "sub-steps", "elasticity", "contact", "ratio", "whole step",
                 "paper's GPU, no contacts"},
                {},
                {fmt::format("ms per step of 5 ms on {} threads, medians from {} to {} s after the "
                             "start; nobody sleeps",
                             threads, from, until)}};
    const WorldSettings falling = falling_settings(Backend::cpu, threads);
    for (const Heap& scene : heaps()) {
        settings.progress("contact: " + scene.name);
        const Row row = run(scene.name, "table1", threads, scene.make(falling), from, until);
        const double elastic = *row.find("elasticity_ms"), contact_ms = *row.find("contact_ms");
        table.lines.push_back(
            {row.name, fmt::format("{}", row.particles),
             fmt::format("{:.0f}", *row.find("sub_steps")), fmt::format("{:.2f}", elastic),
             fmt::format("{:.2f}", contact_ms), fmt::format("{:.1f}", contact_ms / elastic),
             fmt::format("{:.2f}", row.ms_median), fmt::format("{:.2f}", scene.paper)});
        report.rows.push_back(row);
    }
    report.tables.push_back(std::move(table));

    Table growth{"More and more balls", {"balls", "whole step", "contact", "exponent"}, {}, {}};
    double last = 0;
    for (const int count : settings.quick ? std::vector{5, 10} : std::vector{5, 20, 80, 320}) {
        settings.progress(fmt::format("contact: {} balls", count));
        const int side = std::max(2, static_cast<int>(std::cbrt(count)));
        const Row row = run("balls", fmt::format("balls={}", count), threads,
                            heap({shapes::uv_sphere(0.25, 20, 19)}, count, side, 0.56, 0.6,
                                 papers(2, 1, 0.5), falling),
                            from, settings.quick ? until : 2);
        growth.lines.push_back(
            {fmt::format("{}", count), fmt::format("{:.2f}", row.ms_median),
             fmt::format("{:.2f}", *row.find("contact_ms")),
             last > 0 ? fmt::format("{:.2f}", std::log(row.ms_median / last) / std::log(4.0))
                      : "–"});
        last = row.ms_median;
        report.rows.push_back(row);
    }
    report.tables.push_back(std::move(growth));
}

}  // namespace turgor::speed
