#pragma once

#include <atomic>
#include <exception>

/// Work that takes long and that nobody waits for any more.
namespace turgor {

/// Thrown by what was given up. It is no Error: nothing went wrong, and nobody is to be told.
struct Cancelled : std::exception {
    const char* what() const noexcept override { return "given up before it was done"; }
};

/// While it lives, reading, repairing, simplifying and baking meshes in this thread, and steps of
/// large bodies, end with Cancelled soon after `wanted` has become true. What they worked on is as
/// after any exception: a world that was stopped within a step is broken until a snapshot is
/// restored.
class CancelScope {
public:
    explicit CancelScope(const std::atomic<bool>& wanted) : CancelScope(&wanted) {}
    /// What another thread waits for, for its work that is done here; null: nothing.
    explicit CancelScope(const std::atomic<bool>* wanted);
    ~CancelScope();
    CancelScope(const CancelScope&) = delete;
    CancelScope& operator=(const CancelScope&) = delete;

private:
    const std::atomic<bool>* outer_;
};

/// Of the scope that this thread is in; null outside of any.
const std::atomic<bool>* cancel_wanted_here();

/// For loops that may take long, at least every few milliseconds.
void check_cancelled();

}  // namespace turgor
