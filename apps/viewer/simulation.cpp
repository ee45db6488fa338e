#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "draw/pick.hpp"

namespace turgor {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double keep_every = 0.2;               // [s]
constexpr std::size_t most_bytes = 400'000'000;  // of all snapshots
constexpr double most_late = 0.05;               // later than this, simulated time is given up [s]
constexpr std::size_t most_warnings = 8;

double seconds_since(std::chrono::steady_clock::time_point t) {
    return Seconds(std::chrono::steady_clock::now() - t).count();
}

double evened(double old, double now) {
    return old == 0 ? now : 0.95 * old + 0.05 * now;
}

}  // namespace

Simulation::Simulation(std::function<Scene()> make)
    : make_(std::move(make)), past_(most_bytes), thread_([this] { live(); }) {}

Simulation::~Simulation() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
    }
    news_.notify_all();
    thread_.join();
}

void Simulation::post(Work work) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(work));
    }
    news_.notify_all();
}

void Simulation::before_steps(Work work) {
    post([this, work = std::move(work)](LiveScene&) { before_step_ = work; });
}

void Simulation::set_running(bool running) {
    {
        const std::lock_guard lock(mutex_);
        running_ = running;
    }
    news_.notify_all();
}

void Simulation::set_pace(double simulated_per_real) {
    const std::lock_guard lock(mutex_);
    pace_ = simulated_per_real;
}

void Simulation::step_once() {
    {
        const std::lock_guard lock(mutex_);
        ++single_steps_;
    }
    news_.notify_all();
}

void Simulation::set_overlays(const Overlays& overlays) {
    {
        const std::lock_guard lock(mutex_);
        const auto region = overlays_.region;
        overlays_ = overlays;
        overlays_.region = region;
    }
    post([this](LiveScene&) { jumped_ = true; });
}

void Simulation::pick_region(BodyId id, Vec3 point) {
    post([this, id, point](LiveScene& live) {
        const auto vertex = nearest_vertex(live.world().body(id).positions(), point);
        {
            const std::lock_guard lock(mutex_);
            overlays_.region = {id, vertex};
            readout_.region = true;
        }
        jumped_ = true;
    });
}

void Simulation::drop_region() {
    post([this](LiveScene&) {
        {
            const std::lock_guard lock(mutex_);
            overlays_.region.reset();
            readout_.region = false;
        }
        jumped_ = true;
    });
}

void Simulation::reset() {
    post([this](LiveScene& live) {
        live.restore(start_);
        past_.clear();
        jumped_ = true;
    });
}

void Simulation::rewind(double seconds) {
    post([this, seconds](LiveScene& live) { go_back_to(live.time() - seconds); });
}

void Simulation::go_back_to(double time) {
    if (!past_.empty()) live_->restore(past_.go_back_to(time));
    jumped_ = true;
}

void Simulation::set_engine(Backend backend, int threads) {
    post([this, backend, threads](LiveScene& live) {
        Scene changed = live.scene();
        changed.world.backend = backend;
        changed.world.threads = threads;
        changed.world.gravity = live.world().gravity();
        auto other = std::make_unique<LiveScene>(changed);
        other->restore(live.world().snapshot());
        live_ = std::move(other);
        known_warnings_ = live_->warnings().size();
        jumped_ = true;
    });
}

void Simulation::prepare() {
    live_ = std::make_unique<LiveScene>(make_());
    start_ = live_->world().snapshot();
    next_ = last_ = Clock::now();
    publish(0);
}

void Simulation::live() {
    const CancelScope scope(quit_);
    try {
        prepare();
        work();
    } catch (const std::exception& e) {
        const std::lock_guard lock(mutex_);
        readout_.state = Readout::State::failed;
        readout_.busy = false;
        try {
            readout_.error = e.what();
        } catch (const std::bad_alloc&) {
            readout_.error.clear();
        }
    }
}

void Simulation::work() {
    std::unique_lock lock(mutex_);
    while (!quit_) {
        attend(lock);
        if (quit_) break;
        const bool single = single_steps_ > 0;
        if (single || (running_ && due())) {
            single_steps_ -= single;
            lock.unlock();
            advance();
            lock.lock();
        } else if (running_) {
            news_.wait_until(lock, next_, [this] { return quit_ || has_news(); });
        } else {
            news_.wait(lock, [this] { return quit_ || running_ || has_news(); });
            next_ = Clock::now();
        }
    }
}

/// Does what was posted.
void Simulation::attend(std::unique_lock<std::mutex>& lock) {
    bool any = false;
    while (!posted_.empty() && !quit_) {
        const Work work = std::move(posted_.front());
        posted_.pop_front();
        readout_.busy = any = true;
        lock.unlock();
        try {
            work(*live_);
        } catch (const std::exception& e) {
            warn(e.what());
        }
        lock.lock();
    }
    if (!any || quit_) return;
    const bool anew = std::exchange(jumped_, false);
    if (!running_ || anew) {  // else the next step shows it
        lock.unlock();
        publish(0);
        lock.lock();
    }
    readout_.busy = false;
}

void Simulation::advance() {
    const auto start = Clock::now();
    try {
        keep_snapshot();
        if (before_step_) before_step_(*live_);
        live_->step();
    } catch (const Cancelled&) {
        return;
    } catch (const std::exception& e) {
        warn(e.what());
    }
    publish(1000 * seconds_since(start));
    double pace = 1;
    {
        const std::lock_guard lock(mutex_);
        pace = pace_;
    }
    next_ += std::chrono::duration_cast<Clock::duration>(Seconds(live_->scene().dt / pace));
    if (seconds_since(next_) > most_late) next_ = Clock::now();
}

void Simulation::keep_snapshot() {
    const double time = live_->time();
    if (!past_.empty() && time < past_.last_time() + keep_every - 1e-9) return;
    past_.keep(time, live_->world().snapshot());
}

/// Copying costs time: it is done only as often as somebody looks.
void Simulation::publish_moment(bool continues) {
    Overlays overlays;
    {
        const std::lock_guard lock(mutex_);
        if (continues && !wanted_) return;
        overlays = overlays_;
    }
    World& world = live_->world();
    world.begin_reading();
    std::vector<Readout::Line> all = lines();
    Moment moment = taker_.take(world);
    Insight insight = overlays.any() ? look_inside(world, overlays) : Insight{};
    for (Readout::Line& line : all)
        if (const auto fit = insight.fit_errors.find(line.id); fit != insight.fit_errors.end())
            line.fit_error = fit->second;
    const std::vector<ColliderId> ids = world.colliders();
    const std::lock_guard lock(mutex_);
    wanted_ = false;
    before_ = continues ? std::move(now_) : moment;
    now_ = std::move(moment);
    insight_ = std::move(insight);
    now_since_ = Clock::now();
    readout_.bodies = std::move(all);
    if (colliders_.size() == ids.size() && colliders_version_ > 0) return;
    colliders_.clear();
    for (const ColliderId id : ids) colliders_.push_back(world.collider(id));
    ++colliders_version_;
}

std::vector<Readout::Line> Simulation::lines() const {
    std::vector<Readout::Line> all;
    for (const LiveBody& live : live_->bodies()) {
        const Body& body = live.body;
        all.push_back({body.id(), body.name(), body.volume() / body.rest_volume() - 1,
                       body.asleep(), body.recovering(), body.model(), body.figures(),
                       body.frequency(), body.material(), body.volume_mode()});
    }
    return all;
}

/// `step_milliseconds`: of the step that has just been done, or 0 where something else happened.
void Simulation::publish(double step_milliseconds) {
    const bool stepped = step_milliseconds > 0;
    publish_moment(stepped);
    for (; known_warnings_ < live_->warnings().size(); ++known_warnings_)
        warn(live_->warnings()[known_warnings_]);
    World& world = live_->world();
    const StepReport& report = world.report();
    const std::lock_guard lock(mutex_);
    Readout& out = readout_;
    out.state = Readout::State::ready;
    out.time = live_->time();
    out.steps = live_->steps_done();
    out.particles = world.particles();
    out.threads = world.threads();
    out.backend = world.backend();
    out.gravity = world.gravity();
    if (!stepped) return;
    for (std::size_t i = 0; i < out.milliseconds.size(); ++i)
        out.milliseconds[i] = evened(out.milliseconds[i], report.milliseconds[i]);
    out.step_milliseconds = evened(out.step_milliseconds, step_milliseconds);
    out.pace_reached =
        evened(out.pace_reached, live_->scene().dt / std::max(1e-9, seconds_since(last_)));
    last_ = Clock::now();
}

void Simulation::warn(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    std::deque<std::string>& all = readout_.warnings;
    if (!all.empty() && all.back() == sentence) return;
    all.push_back(sentence);
    if (all.size() > most_warnings) all.pop_front();
}

bool Simulation::shown(Shown& shown) const {
    const std::lock_guard lock(mutex_);
    if (readout_.state != Readout::State::ready) return false;
    wanted_ = true;
    const double way = (now_.time - before_.time) / pace_;  // [s]
    const double share = way > 0 ? std::clamp(seconds_since(now_since_) / way, 0.0, 1.0) : 1;
    // An inside belongs to the step it was seen in.
    const bool exact = share >= 1 || !insight_.lines.empty() || !insight_.points.empty();
    shown.moment = exact ? now_ : between(before_, now_, share);
    shown.insight = insight_;
    if (shown.colliders_version != colliders_version_) {
        shown.colliders = colliders_;
        shown.colliders_version = colliders_version_;
    }
    return true;
}

Readout Simulation::readout() const {
    const std::lock_guard lock(mutex_);
    return readout_;
}

}  // namespace turgor
