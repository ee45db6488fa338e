#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "contact/contact.hpp"
#include "contact/friction.hpp"
#include "turgor/world.hpp"

namespace turgor {

/// The colliders in every sub-step of a step that is cut into `sub_steps`.
struct CollidersInSteps {
    int sub_steps = 0;
    std::vector<MovingCollider> moving;  ///< sub-step after sub-step
};

/// The numbers of one (sub-)step, the same for every stage.
struct StepContext {
    double h = 0;           ///< [s]
    double time_start = 0;  ///< [s]
    double dt = 0;          ///< of the whole step [s]
    double progress = 1;    ///< share of the whole step that is done at the end of this sub-step
    Vec3 gravity;
    const Formulation& formulation;
    std::span<const MovingCollider> colliders;
    const FrictionPairs* friction_pairs = nullptr;
    double time_end() const { return time_start + h; }
};

/// Adds the times of a part, and what went deepest.
void merge(StepReport& total, const StepReport& part);

/// When the last of several timers ended that follow each other: the next one begins there, so that
/// the clock, which costs as much as a stage of few particles, is read once for both.
using Lap = std::optional<std::chrono::steady_clock::time_point>;

/// Adds the time of its life to one stage of a report.
class Timer {
public:
    Timer(StepReport& report, Stage stage)
        : milliseconds_(report.milliseconds[static_cast<std::size_t>(stage)]),
          start_(Clock::now()) {}
    /// A lap that has not begun stays so.
    Timer(StepReport& report, Stage stage, Lap& lap)
        : milliseconds_(report.milliseconds[static_cast<std::size_t>(stage)]),
          start_(lap ? *lap : Clock::now()),
          lap_(lap ? &lap : nullptr) {}
    ~Timer() {
        const Clock::time_point end = Clock::now();
        milliseconds_ += std::chrono::duration<double, std::milli>(end - start_).count();
        if (lap_) *lap_ = end;
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& milliseconds_;
    Clock::time_point start_;
    Lap* lap_ = nullptr;
};

}  // namespace turgor
