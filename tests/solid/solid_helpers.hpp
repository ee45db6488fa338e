#pragma once

#include <gtest/gtest.h>

#include <map>

#include "measure/solids.hpp"
#include "mesh/mesh_checks.hpp"
#include "turgor/solid.hpp"

namespace turgor::test {

/// Everything that holds of any solid, whatever it was made of.
inline testing::AssertionResult is_valid(const Solid& solid) {
    if (solid.cells.empty()) return testing::AssertionFailure() << "no cells";
    if (!checks::is_closed_manifold(solid.surface()))
        return testing::AssertionFailure() << "not a closed manifold";
    const measure::SolidFigures f = measure::solid_figures(solid, {});
    if (!f.closed) return testing::AssertionFailure() << "its surface needs repairs";
    if (f.parts != 1) return testing::AssertionFailure() << f.parts << " parts";
    if (f.inverted > 0) return testing::AssertionFailure() << f.inverted << " inverted tetrahedra";
    if (f.corner < 0.2) return testing::AssertionFailure() << "a corner of " << f.corner;
    return testing::AssertionSuccess();
}

inline Mesh mirrored(Mesh mesh, int axis) {
    for (Vec3& p : mesh.vertices) p[axis] = -p[axis];
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

/// Whether `b` is the mirror image of `a` along an axis, bit by bit.
inline testing::AssertionResult is_mirror_image(const Solid& a, const Solid& b, int axis) {
    const auto k = static_cast<std::size_t>(axis);
    if (a.size != b.size || a.cell != b.cell) return testing::AssertionFailure() << "other lattice";
    if (a.cells.size() != b.cells.size())
        return testing::AssertionFailure()
               << a.cells.size() << " and " << b.cells.size() << " cells";
    std::map<std::array<std::uint16_t, 3>, Vec3> corner;
    for (std::size_t i = 0; i < b.corners.size(); ++i) corner[b.places[i]] = b.corners[i];
    if (a.corners.size() != b.corners.size())
        return testing::AssertionFailure() << "other numbers of corners";
    for (std::size_t i = 0; i < a.corners.size(); ++i) {
        auto place = a.places[i];
        place[k] = static_cast<std::uint16_t>(a.size[k] - place[k]);
        const auto found = corner.find(place);
        if (found == corner.end()) return testing::AssertionFailure() << "a cell is missing";
        Vec3 p = found->second;
        p[axis] = -p[axis];
        if (!(p == a.corners[i]))
            return testing::AssertionFailure()
                   << "a corner is off by " << norm(p - a.corners[i]) / a.cell << " cells";
    }
    if (a.wanted_volume != b.wanted_volume)
        return testing::AssertionFailure()
               << "other volumes, " << a.wanted_volume - b.wanted_volume;
    return testing::AssertionSuccess();
}

inline Mesh both(Mesh a, const Mesh& b) {
    const auto first = static_cast<std::uint32_t>(a.vertices.size());
    a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
    for (const auto& [p, q, r] : b.triangles)
        a.triangles.push_back({first + p, first + q, first + r});
    return a;
}

/// A sheet of squares in a plane x = const.
inline Mesh sheet(int squares, double side) {
    Mesh mesh{"sheet", {}, {}};
    const auto n = static_cast<std::uint32_t>(squares + 1);
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j)
            mesh.vertices.push_back(
                {0, side * (i / double(squares) - 0.5), side * (j / double(squares) - 0.5)});
    for (std::uint32_t i = 0; i + 1 < n; ++i)
        for (std::uint32_t j = 0; j + 1 < n; ++j) {
            const std::uint32_t v = i * n + j;
            mesh.triangles.push_back({v, v + n, v + n + 1});
            mesh.triangles.push_back({v, v + n + 1, v + 1});
        }
    return mesh;
}

}  // namespace turgor::test
