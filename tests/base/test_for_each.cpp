#include "base/for_each.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace turgor {
namespace {

/// As a host might: a thread for every piece, the last one first.
class ThreadForEach final : public Scheduler {
public:
    int threads() const override { return 4; }
    void run(std::uint32_t count, void (*work)(void*, std::uint32_t), void* context) override {
        std::vector<std::thread> all;
        for (std::uint32_t i = count; i-- > 0;) all.emplace_back(work, context, i);
        for (std::thread& thread : all) thread.join();
    }
};

/// A host's scheduler that itself fails, before any piece has begun.
class Failing final : public Scheduler {
public:
    int threads() const override { return 2; }
    void run(std::uint32_t, void (*)(void*, std::uint32_t), void*) override {
        throw std::runtime_error("no threads today");
    }
};

std::vector<std::unique_ptr<Scheduler>> schedulers() {
    std::vector<std::unique_ptr<Scheduler>> all;
    for (const int threads : {1, 2, 3, 8}) all.push_back(make_thread_pool(threads));
    all.push_back(std::make_unique<ThreadForEach>());
    all.push_back(nullptr);
    return all;
}

TEST(ForEach, carries_an_exception_of_one_piece_to_the_caller) {
    for (const auto& threads : schedulers())
        for (std::uint32_t bad = 0; bad < 50; ++bad) {
            std::atomic<int> at_work{0};
            std::string said;
            try {
                for_each(threads.get(), 50, [&](std::uint32_t i) {
                    ++at_work;
                    std::this_thread::yield();
                    --at_work;
                    if (i == bad) throw std::runtime_error("piece " + std::to_string(i));
                });
            } catch (const std::runtime_error& e) {
                said = e.what();
                EXPECT_EQ(at_work, 0);
            }
            ASSERT_EQ(said, "piece " + std::to_string(bad));
            // The threads go on working.
            std::vector<int> done(50);
            for_each(threads.get(), 50, [&](std::uint32_t i) { ++done[i]; });
            ASSERT_EQ(done, std::vector<int>(50, 1));
        }
}

TEST(ForEach, carries_the_first_of_many_exceptions) {
    for (const auto& threads : schedulers())
        for (int repeat = 0; repeat < 100; ++repeat) {
            std::atomic<int> thrown{0};
            const auto work = [&](std::uint32_t) {
                ++thrown;
                throw std::bad_alloc();
            };
            ASSERT_THROW(for_each(threads.get(), 40, work), std::bad_alloc);
            ASSERT_GE(thrown, 1);
        }
}

TEST(ForEach, leaves_out_what_had_not_begun) {
    const auto pool = make_thread_pool(2);
    std::atomic<int> begun{0};
    const auto work = [&](std::uint32_t) {
        ++begun;
        throw 1;
    };
    EXPECT_THROW(for_each(pool.get(), 100'000, work), int);
    EXPECT_LT(begun, 1000);
}

TEST(ForEach, lets_through_what_a_hosts_scheduler_throws) {
    Failing host;
    EXPECT_THROW(for_each(&host, 5, [](std::uint32_t) {}), std::runtime_error);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TURGOR_SANITIZED  // sanitizers need address space of their own
#endif

#ifndef TURGOR_SANITIZED
TEST(ThreadPool, works_with_as_many_threads_as_there_are_to_be_had) {
    const auto work_with_few = [] {
        const rlimit limit{400'000'000, 400'000'000};  // a thread takes 8 MB for its stack
        setrlimit(RLIMIT_AS, &limit);
        const auto pool = make_thread_pool(200);
        std::vector<int> done(1000);
        for_each(pool.get(), 1000, [&](std::uint32_t i) { ++done[i]; });
        const bool fewer = pool->threads() >= 1 && pool->threads() < 200;
        std::exit(fewer && done == std::vector<int>(1000, 1) ? 0 : 1);
    };
    EXPECT_EXIT(work_with_few(), testing::ExitedWithCode(0), "");
}
#endif

TEST(ForEach, GivesUpOnAllThreadsWhatNobodyWaitsFor) {
    ThreadForEach threads;
    std::atomic<bool> wanted = false;
    std::atomic<int> unaware = 0;
    const CancelScope scope(wanted);
    const auto work = [&](std::uint32_t) {
        wanted = true;
        for (int k = 0; k < 1000; ++k) check_cancelled();
        ++unaware;
    };
    EXPECT_THROW(for_each(&threads, 8, work), Cancelled);
    EXPECT_EQ(unaware, 0);
}

}  // namespace
}  // namespace turgor
