#pragma once

#include <chrono>
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

/// Adds the time of its life to one stage of a report.
class Timer {
public:
    Timer(StepReport& report, Stage stage)
        : milliseconds_(report.milliseconds[static_cast<std::size_t>(stage)]),
          start_(Clock::now()) {}
    ~Timer() {
        milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& milliseconds_;
    Clock::time_point start_;
};

}  // namespace turgor
