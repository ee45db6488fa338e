#include <fmt/format.h>

#include <cmath>

#include "speed/bullet.hpp"
#include "speed/speed.hpp"

namespace turgor::speed {
namespace {

struct Drop {
    const char* name;
    Mesh mesh;
    int count;
    int omega;
};

Vec3 place_of(int k) {
    return {1.5 * (k % 5), 1.0, 1.5 * (k / 5)};
}

/// The same scene in Turgor: gummy with damping on, as its users have it.
World drop(const Drop& scene, int threads) {
    WorldSettings settings;
    settings.backend = Backend::cpu;
    settings.threads = threads;
    settings.sleeping = false;
    World world(settings);
    world.add_collider(Collider::ground());
    Material material = plain_material(scene.omega);
    material.density = 1000;
    for (int k = 0; k < scene.count; ++k)
        world.add_body(scene.mesh, material, {.position = place_of(k)});
    return world;
}

double volume_error(World& world) {
    double worst = 0;
    for (const Body& body : world.bodies())
        worst = std::max(worst, std::abs(body.volume() / body.rest_volume() - 1));
    return worst;
}

}  // namespace

void peers(const Settings& settings, Report& report) {
    Table table{"Dropped on the ground, 5 ms steps, one thread",
                {"scene", "Bullet:Turgor", "Turgor ms", "Bullet ms", "Turgor volume error",
                 "Bullet volume error", "Turgor bytes", "Bullet bytes"},
                {},
                {"bytes: per vertex; volume error: the largest of any body in any step"}};
    if (!has_bullet()) {
        table.notes = {
            "Bullet is not in this build: install Debian's package libbullet-dev and build again"};
        report.tables.push_back(std::move(table));
        return;
    }
    std::vector<Drop> scenes{{"20 x 382", shapes::uv_sphere(0.5, 20, 19), 20, 2},
                             {"4 x 1562", shapes::uv_sphere(0.5, 40, 39), 4, 2},
                             {"cube 30248", shapes::cube(1, 72), 1, 3}};
    if (settings.quick) scenes.pop_back();
    for (const Drop& scene : scenes) {
        settings.progress(fmt::format("peers: {}", scene.name));
        // Both run the same 200 steps over and over: the fall, the impact and the rest.
        const int steps = settings.quick ? 20 : 200;
        auto ours = std::make_shared<World>(drop(scene, 1));
        const auto start = ours->snapshot();
        double our_error = 0, their_error = 0;
        for (int k = 0; k < steps; ++k) {
            ours->step();
            our_error = std::max(our_error, volume_error(*ours));
        }
        const double our_bytes =
            static_cast<double>(ours->bytes()) / static_cast<double>(ours->particles());
        std::vector<Vec3> places;
        for (int k = 0; k < scene.count; ++k) places.push_back(place_of(k));
        std::shared_ptr<BulletWorld> theirs = make_bullet_world(scene.mesh, places);
        for (int k = 0; k < steps; ++k) {
            theirs->step(0.005);
            their_error = std::max(their_error, theirs->volume_error());
        }
        const auto particles = static_cast<std::size_t>(scene.count) * scene.mesh.vertices.size();
        const double their_bytes = theirs->bytes() / static_cast<double>(particles);
        theirs = make_bullet_world(scene.mesh, places);
        ours->restore(start);
        int our_step = 0, their_step = 0;
        std::vector<Contestant> contestants;
        contestants.push_back({{"peers", "turgor", scene.name, 1, particles}, [&] {
                                   if (our_step++ % steps == 0) ours->restore(start);
                                   ours->step();
                               }});
        contestants.push_back({{"peers", "bullet", scene.name, 1, particles}, [&] {
                                   if (their_step++ % steps == 0)
                                       theirs = make_bullet_world(scene.mesh, places);
                                   theirs->step(0.005);
                               }});
        // Whole runs, so that neither is measured in free fall only.
        for (Contestant& c : contestants) c.steps = static_cast<std::size_t>(steps);
        compete(contestants, settings.quick ? 0.05 : 3);
        Row &we = contestants[0].row, &they = contestants[1].row;
        we.more = {{"volume_error", our_error}, {"bytes_per_vertex", our_bytes}};
        they.more = {{"volume_error", their_error}, {"bytes_per_vertex", their_bytes}};
        table.lines.push_back(
            {scene.name, fmt::format("{:.1f}", they.ms_median / we.ms_median),
             fmt::format("{:.2f}", we.ms_median), fmt::format("{:.2f}", they.ms_median),
             fmt::format("{:.0e}", our_error), fmt::format("{:.1f} %", 100 * their_error),
             fmt::format("{:.0f}", our_bytes), fmt::format("{:.0f}", their_bytes)});
        report.rows.push_back(we);
        report.rows.push_back(they);
    }
    report.tables.push_back(std::move(table));
}

}  // namespace turgor::speed
