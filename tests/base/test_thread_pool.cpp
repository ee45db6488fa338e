#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "turgor/scheduler.hpp"

namespace turgor {
namespace {

TEST(ThreadPool, does_every_piece_exactly_once) {
    for (const int threads : {1, 2, 3, 8}) {
        const auto pool = make_thread_pool(threads);
        EXPECT_EQ(pool->threads(), threads);
        for (const std::uint32_t count : {0u, 1u, 2u, 7u, 100u, 3000u})
            for (int repeat = 0; repeat < 50; ++repeat) {
                std::vector<int> done(count);
                pool->run(
                    count,
                    [](void* context, std::uint32_t i) {
                        ++(*static_cast<std::vector<int>*>(context))[i];
                    },
                    &done);
                ASSERT_EQ(done, std::vector<int>(count, 1));
            }
    }
}

TEST(ThreadPool, takes_more_pieces_than_one_run_can_hold) {
    const auto pool = make_thread_pool(2);
    std::vector<std::uint8_t> done(2'500'000);
    pool->run(
        static_cast<std::uint32_t>(done.size()),
        [](void* context, std::uint32_t i) {
            ++(*static_cast<std::vector<std::uint8_t>*>(context))[i];
        },
        &done);
    EXPECT_EQ(std::count(done.begin(), done.end(), 1), static_cast<std::ptrdiff_t>(done.size()));
}

TEST(ThreadPool, what_a_run_wrote_the_next_one_reads) {
    const auto pool = make_thread_pool(3);
    struct Work {
        std::vector<int> now, next;
    } work{std::vector<int>(64, 1), std::vector<int>(64)};
    for (int k = 0; k < 2000; ++k) {
        pool->run(
            64,
            [](void* context, std::uint32_t i) {
                auto& w = *static_cast<Work*>(context);
                w.next[i] = w.now[(i + 1) % 64] + 1;
            },
            &work);
        std::swap(work.now, work.next);
    }
    EXPECT_EQ(work.now, std::vector<int>(64, 2001));
}

TEST(ThreadPool, comes_and_goes) {
    for (int k = 0; k < 100; ++k) make_thread_pool(4);
}

}  // namespace
}  // namespace turgor
