#include "stats.hpp"

#include <fmt/format.h>

#include "backend_options.hpp"
#include "base/file_output.hpp"
#include "measure/model_figures.hpp"

namespace turgor {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Samples& samples) {
    return {{"median", samples.median()}, {"min", samples.min()}};
}

Json milliseconds(const RunRecord& record) {
    Json ms;
    ms["total"] = to_json(record.total);
    for (std::size_t i = 0; i < stage_names.size(); ++i)
        ms[std::string(stage_names[i])] = to_json(record.stages[i]);
    return ms;
}

std::string name_of(VolumeMode mode) {
    return mode == VolumeMode::local ? "local" : mode == VolumeMode::global ? "global" : "off";
}

Json model_figures(const Body& body) {
    Json figures = Json::object();
    for (const ModelFigure& figure : body.figures()) figures[figure.name] = figure.value;
    return figures;
}

double intervals_per_region(const LiveScene& scene) {
    std::vector<Body> bodies;
    for (const LiveBody& live : scene.bodies()) bodies.push_back(live.body);
    return measure::mean_figure(bodies, "intervals_per_region");
}

Json volume_of(const LiveScene& scene, const Monitor& monitor) {
    Json bodies = Json::array();
    // Those that the scene began with: what tore off them counts with them.
    for (std::size_t i = 0; i < monitor.bodies().size(); ++i) {
        const LiveBody& body = scene.bodies()[i];
        const BodyFigures& figures = monitor.bodies()[i];
        bodies.push_back({{"name", body.name},
                          {"volume", name_of(body.volume)},
                          {"particles", body.body.positions().size()},
                          {"model", body.body.model().name},
                          {"figures", model_figures(body.body)},
                          {"max_relative_error", figures.max_volume_error},
                          {"final_relative_error", figures.final_volume_error},
                          {"recovering_steps", figures.recovering_steps}});
    }
    return {{"max_relative_error", monitor.max_volume_error()}, {"bodies", bodies}};
}

Json sensors_of(const Monitor& monitor) {
    Json sensors = Json::array();
    for (const SensorFigures& sensor : monitor.sensors())
        sensors.push_back(
            {{"name", sensor.name}, {"entered", sensor.entered}, {"left", sensor.left}});
    return sensors;
}

struct Motion {
    double max_speed = 0, kinetic_energy = 0;
};

Motion motion_of(const LiveScene& scene) {
    Motion motion;
    for (const LiveBody& body : scene.bodies()) {
        motion.max_speed = std::max(motion.max_speed, body.body.max_speed());
        motion.kinetic_energy += body.body.kinetic_energy();
    }
    return motion;
}

Json to_json(const std::vector<std::filesystem::path>& files) {
    Json list = Json::array();
    for (const auto& file : files) list.push_back(file.string());
    return list;
}

std::vector<std::string> all_warnings(const LiveScene& scene, const Frames& frames,
                                      const RunRecord& record) {
    std::vector<std::string> warnings = scene.warnings();
    for (const std::string& warning : frames.warnings()) warnings.push_back(warning);
    if (record.error) warnings.emplace_back(record.error->what());
    if (record.signal) warnings.push_back(fmt::format("interrupted by signal {}", record.signal));
    return warnings;
}

}  // namespace

Json to_json(const std::vector<CheckResult>& checks) {
    Json list = Json::array();
    for (const CheckResult& check : checks) {
        Json entry{{"measure", check.measure}, {"body", check.body}, {"value", check.value}};
        if (check.at_least) entry["at_least"] = *check.at_least;
        if (check.at_most) entry["at_most"] = *check.at_most;
        entry["held"] = check.held;
        list.push_back(std::move(entry));
    }
    return list;
}

Json make_stats(const LiveScene& scene, const Monitor& monitor, const Frames& frames,
                const RunRecord& record) {
    const World& world = scene.world();
    const Motion motion = motion_of(scene);
    const double particles = static_cast<double>(std::max<std::size_t>(1, world.particles()));
    Json stats;
    stats["scene"] = scene.scene().name;
    stats["backend"] = name_of(world.backend());
    stats["threads"] = world.threads();
    stats["particles"] = world.particles();
    stats["bodies"] = scene.bodies().size();
    stats["steps"] = record.steps;
    stats["dt"] = scene.scene().dt;
    stats["bake_ms"] = scene.bake_milliseconds();
    stats["ms_per_step"] = milliseconds(record);
    stats["volume"] = volume_of(scene, monitor);
    stats["contact"] = {{"max_penetration", monitor.max_penetration()},
                        {"pairs", monitor.most_contacts()}};
    stats["sensors"] = sensors_of(monitor);
    stats["max_speed"] = motion.max_speed;
    stats["kinetic_energy"] = motion.kinetic_energy;
    stats["intervals_per_region"] = intervals_per_region(scene);
    stats["bytes_per_particle"] = static_cast<double>(world.bytes()) / particles;
    stats["finite"] = world.finite();
    stats["state_hash"] = fmt::format("{:016x}", world.state_hash());
    stats["warnings"] = all_warnings(scene, frames, record);
    stats["sub_steps"] = monitor.most_sub_steps();
    stats["frames"] = frames.count();
    stats["files"] = to_json(frames.files());
    stats["checks"] = record.whole ? to_json(monitor.results()) : Json::array();
    stats["wall_seconds"] = record.wall_seconds;
    stats["output_seconds"] = record.output_seconds;
    return stats;
}

void write_json(const std::filesystem::path& file, const Json& document) {
    AtomicFile out(file);
    out.write(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    out.commit();
}

}  // namespace turgor
