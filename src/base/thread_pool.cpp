#include <algorithm>
#include <atomic>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "turgor/scheduler.hpp"

namespace turgor {
namespace {

/// What a run has left to give out, in one number that changes at once: which run it is, how many
/// pieces it has, and the next one. Who takes a piece by exchanging the number knows that the run
/// is still going on.
struct Cursor {
    static constexpr std::uint64_t bits = 20, most = (1u << bits) - 1;
    std::uint64_t value = 0;

    static Cursor start(std::uint64_t run, std::uint64_t count) {
        return {run << (2 * bits) | count << bits};
    }
    std::uint64_t run() const { return value >> (2 * bits); }
    std::uint32_t count() const { return static_cast<std::uint32_t>(value >> bits & most); }
    std::uint32_t next() const { return static_cast<std::uint32_t>(value & most); }
    bool has_work() const { return next() < count(); }
};

class ThreadPool final : public Scheduler {
public:
    explicit ThreadPool(int threads) {
        // Where no more threads are to be had, fewer do the same work.
        try {
            for (int k = 1; k < threads; ++k) workers_.emplace_back([this] { wait_and_work(); });
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }
    ~ThreadPool() override {
        stopping_ = true;
        // A run of no pieces wakes everybody up.
        cursor_.store(Cursor::start(run_ + 1, 0).value);
        cursor_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }
    int threads() const override { return static_cast<int>(workers_.size()) + 1; }

    void run(std::uint32_t count, void (*work)(void*, std::uint32_t), void* context) override {
        for (std::uint32_t first = 0; first < count;) {
            const auto part = std::min(count - first, static_cast<std::uint32_t>(Cursor::most));
            run_part(first, part, work, context);
            first += part;
        }
    }

private:
    void run_part(std::uint32_t first, std::uint32_t count, void (*work)(void*, std::uint32_t),
                  void* context) {
        if (workers_.empty() || count == 1) {
            for (std::uint32_t i = 0; i < count; ++i) work(context, first + i);
            return;
        }
        work_.store(work, std::memory_order_relaxed);
        context_.store(context, std::memory_order_relaxed);
        first_.store(first, std::memory_order_relaxed);
        done_.store(0, std::memory_order_relaxed);
        cursor_.store(Cursor::start(++run_, count).value, std::memory_order_release);
        cursor_.notify_all();
        work_off();
        for (int spins = 0; done_.load(std::memory_order_acquire) < count; ++spins)
            if (spins > patience) std::this_thread::yield();
    }

    /// Takes pieces until there are none left.
    void work_off() {
        Cursor at{cursor_.load(std::memory_order_acquire)};
        while (at.has_work()) {
            if (!cursor_.compare_exchange_weak(at.value, at.value + 1, std::memory_order_acq_rel,
                                               std::memory_order_acquire))
                continue;
            work_.load(std::memory_order_relaxed)(
                context_.load(std::memory_order_relaxed),
                first_.load(std::memory_order_relaxed) + at.next());
            done_.fetch_add(1, std::memory_order_release);
            at.value = cursor_.load(std::memory_order_acquire);
        }
    }

    void wait_and_work() {
        int spins = 0;
        while (!stopping_) {
            const Cursor at{cursor_.load(std::memory_order_acquire)};
            if (at.has_work()) {
                work_off();
                spins = 0;
            } else if (++spins > patience) {
                cursor_.wait(at.value, std::memory_order_acquire);
                spins = 0;
            }
        }
    }

    static constexpr int patience = 4000;  // about ten microseconds awake

    std::vector<std::thread> workers_;
    std::atomic<std::uint64_t> cursor_{0};
    std::atomic<std::uint32_t> done_{0}, first_{0};
    std::atomic<void (*)(void*, std::uint32_t)> work_{nullptr};
    std::atomic<void*> context_{nullptr};
    std::atomic<bool> stopping_{false};
    std::uint64_t run_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_thread_pool(int threads) {
    constexpr int most = 256;
    const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return std::make_unique<ThreadPool>(threads > 0 ? std::min(threads, most) : all);
}

}  // namespace turgor
