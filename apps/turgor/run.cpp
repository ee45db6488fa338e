#include "run.hpp"

#include <chrono>

#include "signals.hpp"

namespace turgor {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Adds to `seconds` what `work` takes, also where it fails.
template <class Work>
void timed(double& seconds, Work&& work) {
    struct Stopwatch {
        double& seconds;
        Clock::time_point start = Clock::now();
        ~Stopwatch() { seconds += seconds_since(start); }
    } const stopwatch{seconds};
    work();
}

void timed_step(LiveScene& scene, RunRecord& record) {
    const auto start = Clock::now();
    scene.step();
    record.total.add(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    const auto& milliseconds = scene.world().report().milliseconds;
    for (std::size_t i = 0; i < milliseconds.size(); ++i) record.stages[i].add(milliseconds[i]);
}

void step_to_the_end(LiveScene& scene, Monitor& monitor, Frames& frames, std::size_t steps,
                     Progress& progress, RunRecord& record) {
    const SignalWatch watch;
    double& output = record.output_seconds;
    timed(output, [&] { frames.write_first(); });
    while (record.steps < steps && record.signal == 0) {
        timed(output, [&] { frames.before_step(); });
        timed_step(scene, record);
        ++record.steps;
        timed(output, [&] { frames.begin_after_step(); });
        monitor.after_step();
        timed(output, [&] { frames.after_step(); });
        progress.show(record.steps);
        if (record.steps < steps) record.signal = SignalWatch::received();
    }
}

}  // namespace

RunRecord run(LiveScene& scene, Monitor& monitor, Frames& frames, std::size_t steps,
              Progress& progress) {
    RunRecord record;
    const auto start = Clock::now();
    const auto note_error = [&](auto&& work) {
        try {
            work();
        } catch (const Error& e) {
            if (!record.error) record.error = e;
        }
    };
    note_error([&] { step_to_the_end(scene, monitor, frames, steps, progress, record); });
    if (!record.error)
        note_error([&] { timed(record.output_seconds, [&] { frames.write_rest_shape(); }); });
    note_error([&] { timed(record.output_seconds, [&] { frames.finish(); }); });
    progress.clear();
    record.whole = !record.error && record.steps >= scene.scene().steps();
    record.wall_seconds = seconds_since(start);
    return record;
}

}  // namespace turgor
