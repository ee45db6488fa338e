#include "solid/shape_solid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/cancel.hpp"
#include "base/functions.hpp"
#include "base/list_of_lists.hpp"
#include "mesh/measures.hpp"
#include "solid/even_volume.hpp"

namespace turgor {
namespace {

bool is_odd(const Solid::Cell& cell) {
    return (cell.place[0] + cell.place[1] + cell.place[2]) % 2 != 0;
}

/// The lattice's corners that cells use, numbered: those of the surface first.
class CornerNumbers {
public:
    CornerNumbers(const CellSet& set, Solid& solid)
        : size_{set.size()[0] + 1, set.size()[1] + 1, set.size()[2] + 1} {
        number_.assign(static_cast<std::size_t>(size_[0]) * size_[1] * size_[2], unused);
        for (const bool surface : {true, false}) {
            for (int x = 0; x < size_[0]; ++x)
                for (int y = 0; y < size_[1]; ++y)
                    for (int z = 0; z < size_[2]; ++z) {
                        int cells = 0;
                        for (int k = 0; k < 8; ++k)
                            cells += set(x - (k & 1), y - (k >> 1 & 1), z - (k >> 2));
                        if (cells == 0 || (cells < 8) != surface) continue;
                        at(x, y, z) = static_cast<std::uint32_t>(solid.places.size());
                        solid.places.push_back({static_cast<std::uint16_t>(x),
                                                static_cast<std::uint16_t>(y),
                                                static_cast<std::uint16_t>(z)});
                    }
            if (surface) solid.surface_count = solid.places.size();
        }
    }
    std::uint32_t& at(int x, int y, int z) {
        return number_[(static_cast<std::size_t>(x) * size_[1] + y) * size_[2] + z];
    }

private:
    static constexpr std::uint32_t unused = 0xffffffff;
    std::array<int, 3> size_;
    std::vector<std::uint32_t> number_;
};

/// Coordinates in cells, rounded so that sums of them are exact in any order.
Vec3 rounded(Vec3 p) {
    constexpr double grain = 1.0 / (1 << 30);
    return {std::nearbyint(p.x / grain) * grain, std::nearbyint(p.y / grain) * grain,
            std::nearbyint(p.z / grain) * grain};
}

ListOfLists lists_of(std::vector<std::array<std::uint32_t, 2>> links, std::size_t size) {
    std::ranges::sort(links);
    links.erase(std::unique(links.begin(), links.end()), links.end());
    ListOfLists lists;
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        for (; at < links.size() && links[at][0] == i; ++at) lists.items.push_back(links[at][1]);
        lists.end_row();
    }
    return lists;
}

/// Of the surface's corners, along edges of cells in the surface.
ListOfLists surface_neighbours(const Solid& solid, bool over_diagonals) {
    std::vector<std::array<std::uint32_t, 2>> links;
    const auto is_along_axis = [&](std::uint32_t a, std::uint32_t b) {
        int axes = 0;
        for (std::size_t k = 0; k < 3; ++k) axes += solid.places[a][k] != solid.places[b][k];
        return axes == 1;
    };
    for (const Triangle& t : solid.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = t[k], b = t[(k + 1) % 3];
            if (!over_diagonals && !is_along_axis(a, b)) continue;
            links.push_back({a, b});
            links.push_back({b, a});
        }
    return lists_of(std::move(links), solid.surface_count);
}

/// Of the inner corners, the first of them first: six each.
std::vector<std::array<std::uint32_t, 6>> inner_neighbours(const Solid& solid) {
    std::vector<std::array<std::uint32_t, 6>> all(solid.corners.size() - solid.surface_count);
    for (const Solid::Cell& cell : solid.cells)
        for (std::uint32_t k = 0; k < 8; ++k) {
            if (cell.corners[k] < solid.surface_count) continue;
            auto& list = all[cell.corners[k] - solid.surface_count];
            for (const std::uint32_t axis : {0u, 1u, 2u})
                list[2 * axis + (k >> axis & 1)] = cell.corners[k ^ 1u << axis];
        }
    return all;
}

Vec3 mean_of(std::span<const std::uint32_t> list, std::span<const Vec3> x) {
    Vec3 sum;
    for (const std::uint32_t j : list) sum += x[j];
    return rounded(sum / static_cast<double>(list.size()));
}

/// Six times the volume of the tetrahedron that corner k of a cell and its three neighbours span.
double corner_volume(std::span<const Vec3> x, const Solid::Cell& cell, std::uint32_t k) {
    const Vec3 at = x[cell.corners[k]];
    // Odd corners see the three axes the other way round.
    const bool odd = ((k & 1) + (k >> 1 & 1) + (k >> 2)) % 2 != 0;
    const Vec3 a = x[cell.corners[k ^ 1]] - at, b = x[cell.corners[k ^ 2]] - at,
               c = x[cell.corners[k ^ 4]] - at;
    return odd ? dot(a, cross(c, b)) : dot(a, cross(b, c));
}

double tetrahedron_volume(std::span<const Vec3> x, const std::array<std::uint32_t, 4>& t) {
    return dot(x[t[1]] - x[t[0]], cross(x[t[2]] - x[t[0]], x[t[3]] - x[t[0]])) / 6;
}

/// Which corners of a cell are to move less, by bits: those of corners and of the tetrahedron in
/// the middle that are bent too much. Of an undeformed cell of edge 1 the corners' volumes are 1
/// and that of the tetrahedron is 1/3.
std::uint8_t bent_too_much(std::span<const Vec3> x, const Solid::Cell& cell) {
    // A fifth of it is to be left when the whole is scaled by 0.98.
    constexpr double least = 0.2 / (0.98 * 0.98 * 0.98) + 1e-9;
    std::uint32_t bent = 0;
    for (std::uint32_t k = 0; k < 8; ++k)
        if (!(corner_volume(x, cell, k) >= least))
            bent |= 1u << k | 1u << (k ^ 1) | 1u << (k ^ 2) | 1u << (k ^ 4);
    if (!(3 * tetrahedron_volume(x, tetrahedra_of(cell)[4]) >= least)) bent = 0xff;
    return static_cast<std::uint8_t>(bent);
}

/// Lessens the moves from `start` to `x` where cells would be bent too much.
std::vector<Vec3> guarded_moves(const Solid& solid, std::span<const Vec3> start,
                                std::span<const Vec3> x) {
    constexpr double less = 0.8, least = 0.01;
    const std::size_t n = x.size();
    std::vector<Vec3> moved(x.begin(), x.end());
    std::vector<double> share(n, 1);
    std::vector<std::uint8_t> changed(n, 1), lessen(n);
    for (bool bent = true; bent;) {
        check_cancelled();
        bent = false;
        for (const Solid::Cell& cell : solid.cells) {
            if (std::ranges::none_of(cell.corners, [&](auto c) { return changed[c]; })) continue;
            const std::uint8_t corners = bent_too_much(moved, cell);
            for (std::uint32_t k = 0; k < 8; ++k)
                if (corners >> k & 1) lessen[cell.corners[k]] = 1, bent = true;
        }
        changed = lessen;
        for (std::size_t i = 0; i < n; ++i) {
            if (!lessen[i]) continue;
            lessen[i] = 0;
            share[i] = share[i] > least ? less * share[i] : 0;
            moved[i] = start[i] + share[i] * (x[i] - start[i]);
        }
    }
    return moved;
}

}  // namespace

std::array<std::array<std::uint32_t, 4>, 5> tetrahedra_of(const Solid::Cell& cell) {
    // Of an even cell the corners with an odd number of bits are cut off; mirrored in x for odd
    // ones, which turns the tetrahedra inside out: two corners change places.
    const std::uint32_t mirror = is_odd(cell) ? 1 : 0;
    const auto corner = [&](std::uint32_t k) { return cell.corners[k ^ mirror]; };
    std::array<std::array<std::uint32_t, 4>, 5> all{{{corner(1), corner(0), corner(5), corner(3)},
                                                     {corner(2), corner(0), corner(3), corner(6)},
                                                     {corner(4), corner(0), corner(6), corner(5)},
                                                     {corner(7), corner(3), corner(5), corner(6)},
                                                     {corner(0), corner(3), corner(6), corner(5)}}};
    if (mirror)
        for (auto& t : all) std::swap(t[2], t[3]);
    return all;
}

std::array<Triangle, 2> triangles_of_side(const Solid::Cell& cell, std::size_t side,
                                          bool other_way) {
    const auto& at = cell_sides[side];
    const auto corner = [&](std::size_t k) { return cell.corners[at[k % 4]]; };
    // The diagonals of an even cell join corners with an even number of bits.
    const std::size_t s = (std::popcount(at[0]) % 2 == 0) != (is_odd(cell) != other_way) ? 0 : 1;
    return {Triangle{corner(s), corner(s + 1), corner(s + 2)},
            Triangle{corner(s), corner(s + 2), corner(s + 3)}};
}

Solid solid_of(const CellSet& set, double cell, Vec3 centre) {
    Solid solid;
    solid.cell = cell;
    solid.size = set.size();
    CornerNumbers number(set, solid);
    const Vec3 half{0.5 * solid.size[0], 0.5 * solid.size[1], 0.5 * solid.size[2]};
    solid.origin = centre - cell * half;
    solid.centre = centre;
    for (const auto& p : solid.places)
        solid.corners.push_back(centre + cell * Vec3{p[0] - half.x, p[1] - half.y, p[2] - half.z});
    for (std::size_t i = 0; i < set.places(); ++i) {
        if (!set[i]) continue;
        const auto [x, y, z] = set.place(i);
        Solid::Cell made{{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                          static_cast<std::uint16_t>(z)}};
        for (int k = 0; k < 8; ++k)
            made.corners[static_cast<std::size_t>(k)] =
                number.at(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
        for (std::size_t s = 0; s < 6; ++s) {
            const auto [dx, dy, dz] = cell_neighbours[s];
            if (set(x + dx, y + dy, z + dz)) continue;
            for (const Triangle& t : triangles_of_side(made, s)) solid.triangles.push_back(t);
        }
        solid.cells.push_back(made);
    }
    return solid;
}

void smooth(Solid& solid, int rounds, bool over_diagonals) {
    const std::size_t n = solid.corners.size(), surface = solid.surface_count;
    const ListOfLists beside = surface_neighbours(solid, over_diagonals);
    // In cells about the lattice's centre: a mirrored solid has the same numbers but for signs.
    const Vec3 half{0.5 * solid.size[0], 0.5 * solid.size[1], 0.5 * solid.size[2]};
    std::vector<Vec3> start(n);
    for (std::size_t i = 0; i < n; ++i)
        start[i] = {solid.places[i][0] - half.x, solid.places[i][1] - half.y,
                    solid.places[i][2] - half.z};
    std::vector<Vec3> x = start, u(surface);
    const auto umbrella = [&](std::size_t i, std::span<const Vec3> of) {
        return mean_of(beside[i], of) - of[i];
    };
    for (int round = 0; round < rounds; ++round) {
        check_cancelled();
        for (std::size_t i = 0; i < surface; ++i) u[i] = umbrella(i, x);
        // x −= ¼ U²x: the second-order Laplacian, which shrinks less than the first (Desbrun,
        // Meyer, Schröder, Barr 1999).
        for (std::size_t i = 0; i < surface; ++i) x[i] = rounded(x[i] - 0.25 * umbrella(i, u));
    }
    if (rounds > 0) {
        const std::vector<Vec3> before = x;
        const auto around = inner_neighbours(solid);
        for (std::size_t i = surface; i < n; ++i) x[i] = mean_of(around[i - surface], before);
    }
    const std::vector<Vec3> moved = rounds > 0 ? guarded_moves(solid, start, x) : start;
    for (std::size_t i = 0; i < n; ++i) solid.corners[i] = solid.centre + solid.cell * moved[i];
}

double asymmetry_of_smoothing(Solid solid, int rounds, bool over_diagonals) {
    smooth(solid, rounds, over_diagonals);
    const std::vector<Vec3> one = solid.corners;
    for (std::size_t t = 0; t + 1 < solid.triangles.size(); t += 2) {
        // The two of a side are a, b, c and a, c, d.
        const auto [a, b, c] = solid.triangles[t];
        const std::uint32_t d = solid.triangles[t + 1][2];
        solid.triangles[t] = {b, c, d};
        solid.triangles[t + 1] = {b, d, a};
    }
    smooth(solid, rounds, over_diagonals);
    double most = 0;
    for (std::size_t i = 0; i < solid.surface_count; ++i)
        most = std::max(most, norm(solid.corners[i] - one[i]) / solid.cell);
    return most;
}

void scale_to_volume(Solid& solid, double volume, double most) {
    const Vec3 centre = solid.centre;
    std::vector<Vec3> about(solid.corners.size());
    for (std::size_t i = 0; i < about.size(); ++i)
        about[i] = (solid.corners[i] - centre) / solid.cell;
    const double now = even_volume(about, solid.triangles),
                 wanted = volume / (solid.cell * solid.cell * solid.cell);
    if (!(wanted > 0) || !(now > 0)) return;
    solid.scale = std::clamp(portable::cbrt(wanted / now), 0.98, most);
    for (std::size_t i = 0; i < about.size(); ++i)
        solid.corners[i] = centre + solid.scale * (solid.corners[i] - centre);
}

Mesh Solid::surface() const {
    return {name,
            {corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(surface_count)},
            triangles};
}

std::vector<std::array<std::uint32_t, 4>> Solid::tetrahedra() const {
    std::vector<std::array<std::uint32_t, 4>> all;
    all.reserve(5 * cells.size());
    for (const Cell& c : cells)
        for (const auto& t : tetrahedra_of(c)) all.push_back(t);
    return all;
}

SolidQuality quality(const Solid& solid) {
    constexpr double degrees = 180 / 3.14159265358979323846;
    SolidQuality q{.smallest_angle = 180, .smallest_corner = 1};
    double largest_cosine = -1;
    const double per_cell = 1 / (solid.cell * solid.cell * solid.cell);
    for (const Solid::Cell& cell : solid.cells) {
        for (std::uint32_t k = 0; k < 8; ++k)
            q.smallest_corner =
                std::min(q.smallest_corner, per_cell * corner_volume(solid.corners, cell, k));
        for (const auto& t : tetrahedra_of(cell)) {
            if (!(tetrahedron_volume(solid.corners, t) > 0)) ++q.inverted;
            std::array<Vec3, 4> normal;  // of the faces, outward, opposite to each corner
            for (std::size_t k = 0; k < 4; ++k) {
                const Vec3 a = solid.corners[t[(k + 1) % 4]], b = solid.corners[t[(k + 2) % 4]],
                           c = solid.corners[t[(k + 3) % 4]];
                normal[k] = normalized(cross(b - a, c - a));
                if (dot(normal[k], solid.corners[t[k]] - a) > 0) normal[k] = -normal[k];
            }
            for (std::size_t a = 0; a < 4; ++a)
                for (std::size_t b = 0; b < a; ++b)
                    largest_cosine = std::max(largest_cosine, -dot(normal[a], normal[b]));
        }
    }
    q.smallest_angle = degrees * std::acos(std::clamp(largest_cosine, -1.0, 1.0));
    std::vector<Vec3> about(solid.corners.size());
    for (std::size_t i = 0; i < about.size(); ++i) about[i] = solid.corners[i] - solid.centre;
    q.volume = enclosed_volume(about, solid.triangles);
    return q;
}

}  // namespace turgor
