#include "elastic/cells/cell_shape.hpp"

namespace turgor {
namespace {

constexpr std::array<unsigned, 4> hourglass_modes{3, 5, 6, 7};

/// Sums and differences along each axis in turn: a mirrored cell has mirrored modes, bit by bit.
void transform(std::array<Vec3, 8>& v) {
    for (const unsigned bit : {1u, 2u, 4u})
        for (unsigned k = 0; k < 8; ++k) {
            if (k & bit) continue;
            const Vec3 low = v[k], high = v[k | bit];
            v[k] = high + low;
            v[k | bit] = high - low;
        }
}

}  // namespace

CellModes cell_modes(const CellCorners& corners) {
    CellModes modes = corners;
    transform(modes);
    for (Vec3& mode : modes) mode *= 0.125;
    return modes;
}

CellCorners corners_of(const CellModes& modes) {
    // x_k = Σ modes[j] (−1)^(bits of j without k).
    CellCorners corners = modes;
    for (const unsigned bit : {1u, 2u, 4u})
        for (unsigned k = 0; k < 8; ++k) {
            if (k & bit) continue;
            const Vec3 even = corners[k], odd = corners[k | bit];
            corners[k] = even - odd;
            corners[k | bit] = even + odd;
        }
    return corners;
}

double cell_volume(const CellModes& m) {
    const Vec3 a = m[1], b = m[2], d = m[4], e = m[3], f = m[6], g = m[5];
    return 8 * dot(a, cross(b, d)) +
           8.0 / 3 * (dot(a, cross(e, g)) + dot(e, cross(b, f)) + dot(g, cross(f, d)));
}

CellCorners volume_gradient(const CellModes& m) {
    const Vec3 a = m[1], b = m[2], d = m[4], e = m[3], f = m[6], g = m[5];
    constexpr double third = 1.0 / 3;
    CellModes by_mode{};
    by_mode[1] = cross(b, d) + third * cross(e, g);
    by_mode[2] = cross(d, a) + third * cross(f, e);
    by_mode[4] = cross(a, b) + third * cross(g, f);
    by_mode[3] = third * (cross(g, a) + cross(b, f));
    by_mode[6] = third * (cross(e, b) + cross(d, g));
    by_mode[5] = third * (cross(a, e) + cross(f, d));
    return corners_of(by_mode);
}

HourglassRest hourglass_rest(const CellModes& rest) {
    HourglassRest made;
    const double volume = dot(rest[1], cross(rest[2], rest[4]));
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 e = rest[hourglass_modes[i]];
        made.of_linear[i] = 1 / volume *
                            Vec3{dot(e, cross(rest[2], rest[4])), dot(e, cross(rest[4], rest[1])),
                                 dot(e, cross(rest[1], rest[2]))};
    }
    return made;
}

namespace {

Vec3 excess(const HourglassRest& rest, const CellModes& m, std::size_t i) {
    const Vec3 c = rest.of_linear[i];
    return m[hourglass_modes[i]] - (c.x * m[1] + c.y * m[2] + c.z * m[4]);
}

}  // namespace

double hourglass_energy(const HourglassRest& rest, const CellModes& modes) {
    double energy = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 e = excess(rest, modes, i);
        energy += 0.5 * dot(e, e);
    }
    return energy;
}

CellCorners hourglass_gradient(const HourglassRest& rest, const CellModes& modes) {
    CellModes by_mode{};
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 e = excess(rest, modes, i), c = rest.of_linear[i];
        by_mode[hourglass_modes[i]] = 0.125 * e;
        by_mode[1] -= 0.125 * c.x * e;
        by_mode[2] -= 0.125 * c.y * e;
        by_mode[4] -= 0.125 * c.z * e;
    }
    return corners_of(by_mode);
}

}  // namespace turgor
