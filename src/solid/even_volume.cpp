#include "solid/even_volume.hpp"

#include <cmath>
#include <cstdint>
#include <tuple>

namespace turgor {
namespace {

/// Adds doubles as whole numbers: sums are the same in any order. Those of single numbers may run
/// over, the whole may not.
class FixedSum {
public:
    void add(double value) {
        const double high = std::nearbyint(value / coarse);
        high_ += whole(high);
        low_ += whole(std::nearbyint((value - high * coarse) / fine));
    }
    double value() const {
        return static_cast<double>(static_cast<std::int64_t>(high_)) * coarse +
               static_cast<double>(static_cast<std::int64_t>(low_)) * fine;
    }

private:
    static constexpr double coarse = 0x1p-16, fine = 0x1p-56;
    static std::uint64_t whole(double value) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
    std::uint64_t high_ = 0, low_ = 0;
};

/// An order of corners that mirror images share.
bool comes_first(Vec3 a, Vec3 b) {
    const auto key = [](Vec3 p) { return std::tuple(std::abs(p.x), std::abs(p.y), std::abs(p.z)); };
    return key(a) < key(b);
}

}  // namespace

double even_volume(std::span<const Vec3> x, std::span<const Triangle> triangles) {
    FixedSum six;
    for (const Triangle& t : triangles) {
        Vec3 a = x[t[0]], b = x[t[1]], c = x[t[2]];
        double sign = 1;
        const auto sort = [&](Vec3& p, Vec3& q) {
            if (comes_first(q, p)) std::swap(p, q), sign = -sign;
        };
        sort(a, b);
        sort(b, c);
        sort(a, b);
        six.add(sign * dot(a, cross(b, c)));
    }
    return six.value() / 6;
}

}  // namespace turgor
