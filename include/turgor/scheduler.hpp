#pragma once

#include <cstdint>
#include <memory>

namespace turgor {

/// Runs pieces of work at the same time. A host engine can bring its own; results never depend on
/// who does which piece.
class Scheduler {
public:
    virtual ~Scheduler() = default;
    /// How many pieces run at once, the caller's included.
    virtual int threads() const = 0;
    /// Calls work(context, i) once for every i in 0 … count − 1, in any order, on any thread, and
    /// returns when all are done. `work` neither throws nor calls `run`. A scheduler that has to
    /// throw itself does so when none of the work is going on any more.
    virtual void run(std::uint32_t count, void (*work)(void* context, std::uint32_t i),
                     void* context) = 0;
};

/// Threads of Turgor's own: they wait for work awake for a moment, then asleep. `threads` counts
/// the caller; 0 stands for as many as the machine has. Where the system refuses some of them,
/// there are fewer.
std::unique_ptr<Scheduler> make_thread_pool(int threads = 0);

}  // namespace turgor
