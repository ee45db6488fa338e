#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "base/functions.hpp"
#include "base/random.hpp"

namespace turgor {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far off, in units of the last place of the true value.
double error_in_ulps(double value, long double truth) {
    if (truth == 0) return value == 0 ? 0 : infinity;
    const double rounded = std::abs(static_cast<double>(truth));
    const long double ulp = std::nextafter(rounded, infinity) - rounded;
    return static_cast<double>(std::abs(value - truth) / ulp);
}

using OneNumber = double (*)(double);

/// The largest error over numbers in [low, high), and over numbers of all magnitudes in it.
double largest_error(OneNumber f, long double (*truth)(long double), double low, double high) {
    Random random(7);
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
        double x = random.between(low, high);
        if (i % 2 == 0) x *= std::exp2(-random.between(0, 40));
        if (x >= low && x < high) worst = std::max(worst, error_in_ulps(f(x), truth(x)));
    }
    return worst;
}

TEST(Functions, AreRightUpToTheLastPlace) {
    EXPECT_LT(largest_error(portable::sin, std::sin, -1e4, 1e4), 1);
    EXPECT_LT(largest_error(portable::cos, std::cos, -1e4, 1e4), 1);
    EXPECT_LT(largest_error(portable::asin, std::asin, -1, 1), 2.5);
    EXPECT_LT(largest_error(portable::acos, std::acos, -1, 1), 2.5);
    EXPECT_LT(largest_error(portable::exp, std::exp, -700, 700), 1);
    EXPECT_LT(largest_error(portable::log, std::log, 1e-300, 10), 1);
    EXPECT_LT(largest_error(portable::log, std::log, 10, 1e300), 1);
    EXPECT_LT(largest_error(portable::cbrt, std::cbrt, -1e30, 1e30), 1);
}

TEST(Functions, DirectionsOfAllMagnitudesHaveTheirAngle) {
    Random random(11);
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
        const double x = random.between(-1, 1) * std::exp2(random.between(-500, 500));
        const double y = x * random.between(-1, 1) * std::exp2(random.between(-20, 20));
        const long double truth =
            std::atan2(static_cast<long double>(y), static_cast<long double>(x));
        worst = std::max(worst, error_in_ulps(portable::atan2(y, x), truth));
    }
    EXPECT_LT(worst, 2);
}

TEST(Functions, NearMultiplesOfPiNothingIsLost) {
    for (int k = 1; k < 2000; ++k) {
        const double x = k * 1.5707963267948966;
        EXPECT_LT(error_in_ulps(portable::sin(x), std::sin(static_cast<long double>(x))), 1) << k;
        EXPECT_LT(error_in_ulps(portable::cos(x), std::cos(static_cast<long double>(x))), 1) << k;
    }
}

TEST(Functions, KnownValuesAreExact) {
    EXPECT_EQ(portable::sin(0.0), 0);
    EXPECT_EQ(portable::cos(0.0), 1);
    EXPECT_EQ(portable::exp(0.0), 1);
    EXPECT_EQ(portable::log(1.0), 0);
    EXPECT_EQ(portable::acos(1.0), 0);
    EXPECT_EQ(portable::acos(-1.0), std::acos(-1.0));
    EXPECT_EQ(portable::asin(1.0), std::asin(1.0));
    for (int n = -100; n <= 100; ++n) EXPECT_EQ(portable::cbrt(1.0 * n * n * n), n);
}

TEST(Functions, TheEdgesAreThoseOfTheStandard) {
    const double values[] = {0.0, -0.0, 1.0, -1.0, 1e-320, 1e308, infinity, -infinity};
    for (const double y : values)
        for (const double x : values) {
            const double got = portable::atan2(y, x), expected = std::atan2(y, x);
            EXPECT_NEAR(got, expected, 1e-15) << y << ' ' << x;
            EXPECT_EQ(std::signbit(got), std::signbit(expected)) << y << ' ' << x;
        }
    for (OneNumber f : {portable::sin, portable::cos, portable::asin, portable::acos})
        EXPECT_TRUE(std::isnan(f(infinity)) && std::isnan(f(std::nan(""))));
    EXPECT_TRUE(std::isnan(portable::asin(1.5)) && std::isnan(portable::exp(std::nan(""))));
    EXPECT_EQ(portable::exp(800), infinity);
    EXPECT_EQ(portable::exp(-infinity), 0);
    EXPECT_EQ(portable::cbrt(-infinity), -infinity);
    EXPECT_TRUE(std::isfinite(portable::sin(1e300)) && std::isfinite(portable::cos(-1e300)));
}

}  // namespace
}  // namespace turgor
