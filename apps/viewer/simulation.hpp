#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.hpp"
#include "draw/insight.hpp"
#include "past.hpp"
#include "scene/live_scene.hpp"
#include "scene/moment.hpp"

namespace turgor {

/// What there is to read about a running simulation.
struct Readout {
    enum class State { preparing, ready, failed } state = State::preparing;
    std::string error;  ///< why it failed
    double time = 0;    ///< simulated [s]
    std::size_t steps = 0;
    double pace_reached = 0;                                ///< simulated seconds in a second
    std::array<double, stage_names.size()> milliseconds{};  ///< of a step, evened out
    double step_milliseconds = 0;
    std::size_t particles = 0;
    int threads = 0;
    Backend backend = Backend::automatic;
    Vec3 gravity;
    struct Line {
        BodyId id = 0;
        std::string name;
        double volume_error = 0;  ///< relative
        bool asleep = false, recovering = false;
        Model model;
        std::vector<ModelFigure> figures;
        double frequency = 0;  ///< [Hz]
        Material material;
        VolumeMode volume = VolumeMode::local;
        std::optional<double> fit_error{};  ///< where goals are shown: Insight::fit_errors
    };
    std::vector<Line> bodies;
    std::deque<std::string> warnings;  ///< the last few
    bool region = false;               ///< one is shown
    bool busy = false;                 ///< with something that takes its time, such as baking
};

/// A scene that runs in a thread of its own at its fixed step, as fast as time passes or slower.
/// Everything here may be called from the window's thread and returns at once.
class Simulation {
public:
    /// `make` is called in the thread, for reading meshes takes its time; an Error of it is told in
    /// the readout.
    explicit Simulation(std::function<Scene()> make);
    /// Gives up whatever it is busy with, such as baking.
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    using Work = std::function<void(LiveScene&)>;
    /// Done between two steps, in the order of the calls. An Error becomes a warning.
    void post(Work work);
    /// Done before each step from now on, in place of what was given before.
    void before_steps(Work work);

    void set_running(bool running);
    void set_pace(double simulated_per_real);
    void step_once();
    void reset();
    void rewind(double seconds);
    /// All but the region, which is picked by a point on a body and stays until it is dropped.
    void set_overlays(const Overlays& overlays);
    void pick_region(BodyId body, Vec3 point);
    void drop_region();
    /// The same state goes on with another back end or number of threads.
    void set_engine(Backend backend, int threads);

    /// What is to be seen now: between the last two steps.
    struct Shown {
        Moment moment;
        Insight insight;
        std::vector<Collider> colliders;  ///< as long as `colliders_version` is another
        std::size_t colliders_version = 0;
    };
    /// Nothing until the scene is there.
    bool shown(Shown& shown) const;
    Readout readout() const;

private:
    using Clock = std::chrono::steady_clock;

    void live();  ///< the thread
    void prepare();
    void work();
    void attend(std::unique_lock<std::mutex>& lock);
    void advance();
    void keep_snapshot();
    void publish(double step_milliseconds);
    void publish_moment(bool continues);
    std::vector<Readout::Line> lines() const;
    void warn(const std::string& sentence);
    void go_back_to(double time);
    /// While it did something else, more may have been asked for.
    bool has_news() const { return !posted_.empty() || single_steps_ > 0; }
    bool due() const { return Clock::now() >= next_; }

    // Of the thread only.
    std::function<Scene()> make_;
    std::unique_ptr<LiveScene> live_;
    Work before_step_;
    MomentTaker taker_;
    Past past_;
    std::vector<std::byte> start_;
    std::size_t known_warnings_ = 0;
    bool jumped_ = false;  ///< what is shown is to be shown anew, not as going on from before
    Clock::time_point next_, last_;

    mutable std::mutex mutex_;
    std::condition_variable news_;
    // Guarded.
    std::deque<Work> posted_;
    std::atomic<bool> quit_ = false;  ///< read without the lock by what can be given up
    bool running_ = true;
    int single_steps_ = 0;
    double pace_ = 1;
    Overlays overlays_;
    Moment before_, now_;
    Clock::time_point now_since_;
    mutable bool wanted_ = true;  ///< the last moment was looked at
    Insight insight_;
    std::vector<Collider> colliders_;
    std::size_t colliders_version_ = 0;
    Readout readout_;

    std::thread thread_;
};

}  // namespace turgor
