#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frames.hpp"
#include "measure/samples.hpp"
#include "progress.hpp"
#include "scene/live_scene.hpp"
#include "scene/monitor.hpp"

namespace turgor {

/// How a run went, whether it reached its end or not.
struct RunRecord {
    std::size_t steps = 0;       ///< done
    bool whole = false;          ///< the scene's whole duration was simulated: its checks count
    int signal = 0;              ///< that ended it, or 0
    std::optional<Error> error;  ///< that ended it
    std::array<Samples, stage_names.size()> stages;  ///< [ms]
    Samples total;                                   ///< [ms] per step, without output
    double wall_seconds = 0;    ///< of all of it, without what was prepared before
    double output_seconds = 0;  ///< of that, for drawing and writing frames
};

/// Simulates up to `steps` steps, one frame after the other. Errors and signals end the run; what
/// was done so far is whole.
RunRecord run(LiveScene& scene, Monitor& monitor, Frames& frames, std::size_t steps,
              Progress& progress);

}  // namespace turgor
