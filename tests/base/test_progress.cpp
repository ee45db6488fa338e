#include "base/progress.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace turgor {
namespace {

using Told = std::vector<std::string>;

ProgressScope::Listener into(Told& told) {
    return [&told](std::string_view what, std::size_t done, std::size_t of) {
        told.push_back(std::string(what) + " " + std::to_string(done) + "/" + std::to_string(of));
    };
}

TEST(Progress, IsToldToTheInnermostListenerOfThisThread) {
    tell_progress("nobody listens", 1, 2);
    Told outer, inner;
    {
        const ProgressScope scope(into(outer));
        tell_progress("a", 1, 2);
        {
            const ProgressScope within(into(inner));
            tell_progress("b", 1, 3);
        }
        tell_progress("a", 2, 2);
        std::thread([] { tell_progress("elsewhere", 1, 1); }).join();
    }
    tell_progress("nobody listens", 2, 2);
    EXPECT_EQ(outer, (Told{"a 1/2", "a 2/2"}));
    EXPECT_EQ(inner, Told{"b 1/3"});
}

}  // namespace
}  // namespace turgor
