#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "base/cancel.hpp"
#include "turgor/scheduler.hpp"

namespace turgor {

/// Calls work(i) for every i below `count`: on the threads given, or one after the other. The first
/// exception is thrown again here, when no thread is at work any more; what had not begun by then
/// is left out. Nothing may leave work that a Scheduler is given: all of it goes through here. Work
/// that is to be given up (base/cancel.hpp) is so on all threads.
template <class Work>
void for_each(Scheduler* threads, std::uint32_t count, Work&& work) {
    if (!threads || count < 2) {
        for (std::uint32_t i = 0; i < count; ++i) work(i);
        return;
    }
    struct Guarded {
        std::remove_reference_t<Work>& work;
        std::atomic<bool> failed{false};
        std::exception_ptr error{};
        const std::atomic<bool>* cancel = cancel_wanted_here();
    } guarded{work};
    threads->run(
        count,
        [](void* context, std::uint32_t i) {
            Guarded& all = *static_cast<Guarded*>(context);
            if (all.failed.load(std::memory_order_relaxed)) return;
            const CancelScope scope(all.cancel);
            try {
                all.work(i);
            } catch (...) {
                if (!all.failed.exchange(true)) all.error = std::current_exception();
            }
        },
        &guarded);
    if (guarded.error) std::rethrow_exception(guarded.error);
}

}  // namespace turgor
