#include "speed/speed.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/for_each.hpp"
#include "base/quad.hpp"

namespace turgor::speed {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

std::optional<double> Row::find(std::string_view figure) const {
    for (const auto& [key, value] : more)
        if (key == figure) return value;
    return std::nullopt;
}

int Settings::most_threads() const {
    return threads > 0 ? threads
                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void compete(std::vector<Contestant>& contestants, double seconds) {
    std::vector<Samples> times(contestants.size());
    std::vector<double> spent(contestants.size());
    // The first steps find memory and warm up the caches.
    for (Contestant& c : contestants) {
        c.step();
        const auto start = Clock::now();
        c.step();
        const double ms = std::max(1e-3, milliseconds_since(start));
        if (c.steps == 0) c.steps = static_cast<std::size_t>(std::clamp(40 / ms, 1.0, 50.0));
    }
    constexpr int least_rounds = 3;
    bool going_on = true;
    for (int round = 0; round < least_rounds || going_on; ++round) {
        going_on = false;
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            if (round >= least_rounds && spent[i] >= 1000 * seconds) continue;
            for (std::size_t k = 0; k < contestants[i].steps; ++k) {
                const auto start = Clock::now();
                contestants[i].step();
                const double ms = milliseconds_since(start);
                times[i].add(ms);
                spent[i] += ms;
            }
            going_on = going_on || spent[i] < 1000 * seconds;
        }
    }
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        contestants[i].row.ms_median = times[i].median();
        contestants[i].row.ms_min = times[i].min();
    }
}

Material plain_material(int omega, double stiffness, double damping) {
    Material material;
    material.omega = omega;
    material.stiffness = stiffness;
    material.damping = damping;
    return material;
}

WorldSettings settings_for(Backend backend, int threads, Summation summation) {
    WorldSettings settings;
    settings.gravity = {};
    settings.backend = backend;
    settings.threads = threads;
    settings.summation = summation;
    settings.sleeping = false;
    return settings;
}

void stretch_and_turn(Body body) {
    const Vec3 centre = body.centre_of_mass();
    std::vector<Vec3> x(body.positions().size()), v(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 r = body.position(i) - centre;
        x[i] = centre + Vec3{r.x + 0.03 * r.y * r.y / body.size(), 1.05 * r.y, r.z};
        v[i] = cross({0.3, 1, 0.2}, r);
    }
    body.set_positions(x);
    body.set_velocities(v);
    body.set_self_contact(false);
    body.set_filter({1, 0});
}

World free_world(const FreeBodies& bodies, const WorldSettings& settings) {
    World world(settings);
    for (int k = 0; k < bodies.count; ++k)
        stretch_and_turn(world.add_body(bodies.mesh, bodies.material,
                                        {.position = {3.0 * (k % 32), 3.0 * (k / 32), 0},
                                         .model = bodies.model}));
    return world;
}

double stream_bandwidth(int threads) {
    constexpr std::size_t n = std::size_t{1} << 23, part = 1 << 15;
    AlignedVector<float> a(n, 1), b(n, 2), c(n, 3);
    const auto pool = make_thread_pool(threads);
    double best = 0;
    for (int round = 0; round < 8; ++round) {
        const auto start = Clock::now();
        for_each(pool.get(), n / part, [&](std::uint32_t k) {
            const float *from = b.data() + k * part, *plus = c.data() + k * part;
            float* to = a.data() + k * part;
            for (std::size_t i = 0; i < part; ++i) to[i] = from[i] + 0.5f * plus[i];
        });
        best = std::max(best, 3.0 * n * sizeof(float) / milliseconds_since(start) / 1e6);
    }
    return best;
}

}  // namespace turgor::speed
