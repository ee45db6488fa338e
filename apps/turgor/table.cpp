#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"

namespace turgor {
namespace {

void row(const char* name, const std::string& text) {
    fmt::print("{:<10} {}\n", name, text);
}

/// What simulating took, and what else did.
std::string times_of(const LiveScene& scene, const Frames& frames, const RunRecord& record) {
    std::string text =
        fmt::format("in {:.3g} s, prepared in {:.3g} s",
                    record.wall_seconds - record.output_seconds, scene.bake_milliseconds() / 1000);
    if (frames.count() > 0)
        text += fmt::format(", {} written in {:.3g} s", counted(frames.count(), "frame", "frames"),
                            record.output_seconds);
    return text;
}

std::string stages_of(const RunRecord& record) {
    std::string text;
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        std::string name(stage_names[i]);
        std::replace(name.begin(), name.end(), '_', ' ');
        text += fmt::format("{}{} {:.3g}", i == 0 ? "" : ", ", name, record.stages[i].median());
    }
    return text;
}

std::string volume_row(const LiveScene& scene, const Monitor& monitor) {
    std::size_t keeping = 0;
    double worst_off = 0;
    for (std::size_t i = 0; i < monitor.bodies().size(); ++i) {
        if (scene.bodies()[i].volume != VolumeMode::off)
            ++keeping;
        else
            worst_off = std::max(worst_off, monitor.bodies()[i].max_volume_error);
    }
    std::string text;
    if (keeping > 0)
        text = fmt::format("largest relative error {:.2g}", monitor.max_volume_error());
    if (keeping < monitor.bodies().size())
        text += fmt::format("{}{:.1f} % where it is not kept", keeping > 0 ? "; " : "",
                            100 * worst_off);
    return text;
}

}  // namespace

void print_checks(const std::vector<CheckResult>& checks) {
    for (const CheckResult& check : checks)
        fmt::print("{:<10} {} {}\n", "", check.held ? "held  " : "FAILED", check.sentence);
}

void print_table(const LiveScene& scene, const Monitor& monitor, const Frames& frames,
                 const RunRecord& record, const std::optional<std::filesystem::path>& stats) {
    const double dt = scene.scene().dt;
    row("scene", fmt::format("{}: {}, {}", scene.scene().name,
                             counted(scene.bodies().size(), "body", "bodies"),
                             counted(scene.world().particles(), "particle", "particles")));
    row("steps",
        fmt::format("{} of {:g} ms: {:.4g} s simulated {}", record.steps, 1000 * dt,
                    static_cast<double>(record.steps) * dt, times_of(scene, frames, record)));
    row("ms/step", fmt::format("{:.3g} (median): {}", record.total.median(), stages_of(record)));
    row("volume", volume_row(scene, monitor));
    row("contact", fmt::format("at most {}, deepest {:.2g} of a body's size",
                               counted(monitor.most_contacts(), "particle", "particles"),
                               monitor.max_penetration()));
    if (record.whole && !scene.scene().checks.empty()) {
        const auto checks = monitor.results();
        const auto held = std::count_if(checks.begin(), checks.end(),
                                        [](const CheckResult& c) { return c.held; });
        row("checks", fmt::format("{} of {} held", held, checks.size()));
        print_checks(checks);
    } else if (!scene.scene().checks.empty()) {
        row("checks", "not made: the run is shorter than the scene");
    }
    for (const auto& file : frames.files()) row("written", file.string());
    if (stats) row("written", stats->string());
    if (frames.files().empty() && !stats)
        row("written", "nothing; add e.g. `--out frames.glb` or `--stats stats.json`");
}

}  // namespace turgor
