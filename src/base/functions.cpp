#include "base/functions.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace turgor::portable {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A number in two parts that together have twice the digits.
struct Split {
    double high, low;
};
constexpr Split pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/// Σ c[i] xⁱ
template <int N>
double polynomial(const double (&c)[N], double x) {
    double sum = c[N - 1];
    for (int i = N - 2; i >= 0; --i) sum = sum * x + c[i];
    return sum;
}

/// angle = quadrant · π/2 + rest, with |rest| up to about π/4.
struct Reduced {
    std::int64_t quadrant;
    Split rest;
};

/// Cody and Waite 1980: π/2 in parts of 33 bits, whose products with the quadrant are exact.
Reduced reduced(double angle) {
    if (std::abs(angle) < 0.78) return {0, {angle, 0}};
    if (std::abs(angle) > 1e6) angle = std::fmod(angle, 2 * pi.high);
    const double n = std::floor(angle * (2 / pi.high) + 0.5);
    const double begin = angle - n * 0x1.921fb544p+0, middle = n * 0x1.0b4611a6p-34;
    const double first = begin - middle, lost = (begin - first) - middle;
    const double last = n * 0x1.3198a2ep-69 + n * 0x1.b839a252049c1p-104 - lost;
    const double high = first - last;
    return {static_cast<std::int64_t>(n), {high, (first - high) - last}};
}

/// sin(x) − x = x³ · series(x²): Taylor's, up to x¹⁷.
double sine_of(Split x) {
    static constexpr double c[] = {
        -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
        -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    const double square = x.high * x.high;
    const double curve = x.high * square * polynomial(c, square);
    return x.high + (curve + x.low * (1 - square / 2));
}

/// cos(x) = 1 − x²/2 + x⁴ · series(x²): Taylor's, up to x¹⁸. What 1 − x²/2 loses is added again.
double cosine_of(Split x) {
    static constexpr double c[] = {
        1.0 / 24,        -1.0 / 720,         1.0 / 40320,          -1.0 / 3628800,
        1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000};
    const double square = x.high * x.high, half = square / 2;
    const double begin = 1 - half, lost = (1 - begin) - half;
    return begin + (lost + (square * square * polynomial(c, square) - x.high * x.low));
}

/// atan(t) for |t| ≤ 1/16: Gregory's series, up to t¹⁵.
double arc_of_small(double t) {
    static constexpr double c[] = {-1.0 / 3,  1.0 / 5,  -1.0 / 7, 1.0 / 9,
                                   -1.0 / 11, 1.0 / 13, -1.0 / 15};
    const double square = t * t;
    return t + t * square * polynomial(c, square);
}

/// atan(y / x) for 0 ≤ y ≤ x: from the nearest k/8 on, by the difference of two arcs.
Split arc_of(double y, double x) {
    static constexpr Split arcs[] = {{0, 0},
                                     {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                     {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                     {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                     {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                     {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                     {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                     {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                     {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    const double k = std::floor(8 * (y / x) + 0.5), slope = k / 8;
    const Split& arc = arcs[static_cast<int>(k)];
    return {arc.high, arc.low + arc_of_small((y - slope * x) / (x + slope * y))};
}

/// The arc of a direction whose coordinates are neither both zero nor both infinite, ≥ 0.
Split arc_of_positive(double y, double x) {
    // Neither too large for a sum nor too small for all of their digits.
    const int exponent = std::ilogb(std::fmax(x, y));
    y = std::scalbn(y, -exponent);
    x = std::scalbn(x, -exponent);
    if (y <= x) return arc_of(y, x);
    const Split other = arc_of(x, y);
    return {pi.high / 2 - other.high,
            (pi.high / 2 - (pi.high / 2 - other.high) - other.high) + (pi.low / 2 - other.low)};
}

}  // namespace

double sin(double angle) {
    if (!std::isfinite(angle)) return nan;
    if (std::abs(angle) < 0x1p-27) return angle;
    const Reduced r = reduced(angle);
    const double value = r.quadrant % 2 == 0 ? sine_of(r.rest) : cosine_of(r.rest);
    return (r.quadrant & 2) == 0 ? value : -value;
}

double cos(double angle) {
    if (!std::isfinite(angle)) return nan;
    const Reduced r = reduced(angle);
    const double value = r.quadrant % 2 == 0 ? cosine_of(r.rest) : sine_of(r.rest);
    return ((r.quadrant + 1) & 2) == 0 ? value : -value;
}

double atan2(double y, double x) {
    if (std::isnan(x) || std::isnan(y)) return nan;
    if (std::isinf(x) && std::isinf(y)) x = std::copysign(1, x), y = std::copysign(1, y);
    if (std::isinf(x)) x = std::copysign(1, x), y = std::copysign(0, y);
    if (std::isinf(y)) y = std::copysign(1, y), x = 0;
    Split arc{0, 0};
    if (y != 0 || x != 0) arc = arc_of_positive(std::abs(y), std::abs(x));
    if (std::signbit(x)) {
        const double turned = pi.high - arc.high;
        arc = {turned, ((pi.high - turned) - arc.high) + (pi.low - arc.low)};
    }
    return std::copysign(arc.high + arc.low, y);
}

double asin(double sine) {
    if (!(std::abs(sine) <= 1)) return nan;
    return portable::atan2(sine, std::sqrt((1 - sine) * (1 + sine)));
}

double acos(double cosine) {
    if (!(std::abs(cosine) <= 1)) return nan;
    return portable::atan2(std::sqrt((1 - cosine) * (1 + cosine)), cosine);
}

/// 2ᵏ eʳ with |r| ≤ ln 2 / 2 (Cody and Waite), and Taylor's series up to r¹³.
double exp(double x) {
    if (std::isnan(x)) return nan;
    if (x > 709.79) return infinity;
    if (x < -745.2) return 0;
    static constexpr double c[] = {1.0 / 2,        1.0 / 6,         1.0 / 24,
                                   1.0 / 120,      1.0 / 720,       1.0 / 5040,
                                   1.0 / 40320,    1.0 / 362880,    1.0 / 3628800,
                                   1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    constexpr Split ln2{0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33};
    const double k = std::floor(x / (ln2.high + ln2.low) + 0.5);
    const double high = x - k * ln2.high, low = k * ln2.low;
    const double r = high - low, lost = (high - r) - low;
    const double power = 1 + (r + (r * r * polynomial(c, r) + lost * (1 + r)));
    if (std::abs(k) > 1000) return std::scalbn(power, static_cast<int>(k));
    return power * std::bit_cast<double>((1023 + static_cast<std::int64_t>(k)) << 52);
}

/// x = 2ᵏ (1 + f) with √½ ≤ 1 + f < √2, and log(1 + f) = 2 artanh(f / (2 + f)) by its series.
double log(double x) {
    if (std::isnan(x) || x < 0) return nan;
    if (x == 0) return -infinity;
    if (std::isinf(x)) return x;
    static constexpr double c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                   2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
    constexpr Split ln2{0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33};
    int k = 0;
    double m = std::frexp(x, &k);
    if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --k;
    const double f = m - 1, s = f / (2 + f), square = s * s, half = f * f / 2;
    const double curve = half - s * (half + square * polynomial(c, square));
    return k * ln2.high + (f - (curve - k * ln2.low));
}

/// Newton's method on the mantissa, whose exponent is a multiple of three.
double cbrt(double x) {
    if (x == 0 || !std::isfinite(x)) return x;
    int exponent = 0;
    double m = std::frexp(std::abs(x), &exponent);
    const int third = static_cast<int>(std::floor(exponent / 3.0));
    m = std::scalbn(m, exponent - 3 * third);
    double root = 0.75 + 0.25 * m;
    for (int i = 0; i < 6; ++i) root -= (root * root * root - m) / (3 * root * root);
    return std::copysign(std::scalbn(root, third), x);
}

}  // namespace turgor::portable
