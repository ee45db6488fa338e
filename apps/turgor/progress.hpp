#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/progress.hpp"

namespace turgor {

/// Tells on stderr how far a run is, if it is going to take longer than two seconds: a bar on a
/// terminal, else a line every ten seconds.
class Progress {
public:
    Progress(std::string what, std::size_t steps, bool quiet, std::string unit = "steps");
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void set_steps(std::size_t steps) { steps_ = steps; }  ///< where there are more after all
    void show(std::size_t done);
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    static double seconds_since(Clock::time_point t) {
        return std::chrono::duration<double>(Clock::now() - t).count();
    }
    void draw_bar(std::size_t done, double left);

    std::string what_, unit_;
    std::size_t steps_;
    bool silent_, terminal_;
    bool drawn_ = false;
    Clock::time_point start_, shown_;
};

/// The same for work that cannot say how far it is: for how long it has been going on.
class Waiting {
public:
    Waiting(std::string what, bool quiet);
    ~Waiting() { clear(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    void show(double seconds);
    void clear();

private:
    std::string what_;
    bool silent_, terminal_, drawn_ = false;
    double next_ = 2;  ///< when to tell again [s]
};

/// While it lives, work of the library that takes long shows how far it is in the same way.
class WorkProgress {
public:
    explicit WorkProgress(bool quiet);

private:
    std::optional<Progress> shown_;
    std::string what_;
    ProgressScope scope_;
};

}  // namespace turgor
