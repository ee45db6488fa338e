#include <gtest/gtest.h>

#include <cmath>

#include "measure/springs.hpp"

namespace turgor::measure {
namespace {

TEST(Springs, have_the_numbers_of_the_report_to_the_last_printed_digit) {
    for (const SpringTable& table : spring_tables) {
        const SpringRows ours = spring_rows(table.h);
        for (std::size_t k = 0; k < ours.x.size(); ++k) {
            EXPECT_EQ(ours.exact[k], table.exact[k]) << table.number << " " << k;
            EXPECT_EQ(ours.x[k], table.x[k]) << table.number << " " << k;
            EXPECT_EQ(ours.v[k], table.v[k]) << table.number << " " << k;
            // The report heads the first column of table 2.1 with 0.1.
            const double t = std::stod(table.time[k]), there = static_cast<double>(k) * table.h;
            if (table.number == std::string("2.1") && k == 0)
                EXPECT_EQ(t, 0.1);
            else
                EXPECT_DOUBLE_EQ(t, there);
        }
    }
}

TEST(Springs, at_the_limit_grow_evenly_and_beyond_it_exponentially) {
    // h √(k/m) = 2 is the largest step that does not explode: table 2.2 is just there, and what it
    // shows as an explosion is 20 more at each step.
    const auto limit = spring_steps(2, 100), below = spring_steps(1.99, 1000),
               beyond = spring_steps(2.1, 100);
    for (std::size_t k = 0; k < limit.size(); ++k)
        EXPECT_EQ(std::abs(limit[k].x), 10 + 20 * static_cast<double>(k));
    for (const SpringState& s : below) EXPECT_LT(std::abs(s.x), 110);
    EXPECT_GT(std::abs(beyond.back().x), 1e10);
}

}  // namespace
}  // namespace turgor::measure
