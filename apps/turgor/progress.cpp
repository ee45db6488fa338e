#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace turgor {
namespace {

std::string duration(double seconds) {
    if (seconds < 90) return fmt::format("{:.0f} s", seconds);
    if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

Progress::Progress(std::string what, std::size_t steps, bool quiet, std::string unit)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      steps_(steps),
      silent_(quiet),
      terminal_(isatty(STDERR_FILENO)),
      start_(Clock::now()),
      shown_(start_) {}

void Progress::show(std::size_t done) {
    if (silent_ || done == 0 || done >= steps_) return;
    const double elapsed = seconds_since(start_), since_shown = seconds_since(shown_);
    const double whole = elapsed * static_cast<double>(steps_) / static_cast<double>(done);
    const double pause = terminal_ ? (drawn_ ? 0.1 : 0.3) : 10;
    if (since_shown < pause || whole < 2) return;
    shown_ = Clock::now();
    if (terminal_)
        draw_bar(done, whole - elapsed);
    else
        fmt::print(stderr, "{}: {} of {} {}, about {} left\n", what_, done, steps_, unit_,
                   duration(whole - elapsed));
}

void Progress::draw_bar(std::size_t done, double left) {
    constexpr std::size_t width = 30;
    const std::size_t filled = width * done / steps_;
    fmt::print(stderr, "\r\x1b[K{} [{:#<{}}{:.<{}}] {} of {} {}, {} left", what_, "", filled, "",
               width - filled, done, steps_, unit_, duration(left));
    std::fflush(stderr);
    drawn_ = true;
}

void Progress::clear() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
    drawn_ = false;
}

Waiting::Waiting(std::string what, bool quiet)
    : what_(std::move(what)), silent_(quiet), terminal_(isatty(STDERR_FILENO)) {}

void Waiting::show(double seconds) {
    if (silent_ || seconds < next_) return;
    next_ = seconds + (terminal_ ? 0.5 : 10);
    if (terminal_)
        fmt::print(stderr, "\r\x1b[K{}, {}", what_, duration(seconds));
    else
        fmt::print(stderr, "{}, {} so far\n", what_, duration(seconds));
    std::fflush(stderr);
    drawn_ = terminal_;
}

void Waiting::clear() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
    drawn_ = false;
}

WorkProgress::WorkProgress(bool quiet)
    : scope_([this, quiet](std::string_view what, std::size_t done, std::size_t of) {
          if (!shown_ || what != what_) shown_.emplace(what_ = what, of, quiet, "parts");
          shown_->set_steps(of);
          shown_->show(done);
          if (done == of) shown_->clear();
      }) {}

}  // namespace turgor
