#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/live_scene.hpp"

namespace turgor {

/// What a run showed of one body, and of what tore off it.
struct BodyFigures {
    double max_volume_error =
        0;  ///< largest |V/V₀ − 1|, but for steps in which the body was recovering
    double max_volume_loss = 0;     ///< largest 1 − V/V₀ of the same steps
    double final_volume_error = 0;  ///< |V/V₀ − 1| now
    std::size_t recovering_steps = 0;
};

/// What a run showed of one sensor.
struct SensorFigures {
    std::string name;
    ColliderId collider = 0;
    std::size_t entered = 0, left = 0;  ///< how often a body did
};

struct CheckResult {
    std::string sentence;  ///< e.g. "volume_error of ball.3: 2.1e-12, at most 1e-09"
    std::string measure;
    std::string body;  ///< the worst one's name, or "all bodies"
    double value = 0;
    std::optional<double> at_least, at_most;
    bool held = false;
};

/// Watches a scene while it runs: call after_step after every step.
class Monitor {
public:
    explicit Monitor(LiveScene& scene);
    void after_step();

    const std::vector<BodyFigures>& bodies() const { return figures_; }
    const std::vector<SensorFigures>& sensors() const { return sensors_; }
    double max_volume_error() const;  ///< of the bodies that keep their volume
    double max_penetration() const { return max_penetration_; }
    std::size_t most_contacts() const { return most_contacts_; }
    int most_sub_steps() const { return most_sub_steps_; }

    /// Each check with its worst body, as things are now. They are meant for the end of the scene's
    /// duration.
    std::vector<CheckResult> results() const;

private:
    /// One check on one body.
    struct Watch {
        std::size_t check, body;
        double value = 0;
        double start = 0;  ///< what the value is relative to
        Vec3 centre{}, velocity{};
        enum class Phase { waiting, falling, rising, done } phase = Phase::waiting;
        double height = 0, lowest = 0;
    };
    /// One check on one rigid body.
    struct RigidWatch {
        std::size_t check;
        Rigid rigid;
        Vec3 start{};                       ///< where its centre was
        double low = 1e300, high = -1e300;  ///< of any of its points, along the check's axis
    };
    void update(RigidWatch& watch) const;
    double value_now(const RigidWatch& watch) const;
    void begin(Watch& watch) const;
    void update(Watch& watch) const;
    void update_rebound(Watch& watch, const Body& body) const;
    void count_touches(Watch& watch) const;
    double value_now(const Watch& watch) const;

    LiveScene& scene_;
    std::vector<BodyFigures> figures_;
    std::vector<SensorFigures> sensors_;
    std::vector<char> was_recovering_;
    std::vector<std::vector<Body>> pieces_;  ///< of each body: itself, and what tore off it
    std::vector<Watch> watches_;
    std::vector<RigidWatch> rigid_watches_;
    double max_penetration_ = 0;
    std::size_t most_contacts_ = 0;
    int most_sub_steps_ = 0;
};

}  // namespace turgor
