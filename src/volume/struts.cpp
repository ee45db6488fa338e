#include "volume/struts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/cancel.hpp"
#include "mesh/normals.hpp"
#include "mesh/triangle_tree.hpp"

namespace turgor {
namespace {

std::uint32_t nearest_corner(std::span<const Vec3> rest, const Triangle& triangle, Vec3 point) {
    return *std::min_element(triangle.begin(), triangle.end(),
                             [&](std::uint32_t a, std::uint32_t b) {
                                 return norm(rest[a] - point) < norm(rest[b] - point);
                             });
}

void set_stiffness(Struts& struts, double stiffness_min, double stiffness_max) {
    // Lengths that differ by rounding only must not be told apart.
    constexpr double alike = 1e-6;
    double shortest = std::numeric_limits<double>::infinity(), longest = 0;
    for (const double length : struts.rest_length)
        if (length > 0) shortest = std::min(shortest, length), longest = std::max(longest, length);
    const bool all_alike = longest - shortest <= alike * longest;
    for (std::size_t i = 0; i < struts.rest_length.size(); ++i) {
        const double length = struts.rest_length[i];
        const double at = all_alike ? 0.5 : (length - shortest) / (longest - shortest);
        struts.stiffness[i] = length > 0 ? stiffness_max + at * (stiffness_min - stiffness_max) : 0;
    }
}

}  // namespace

Struts make_struts(std::span<const Vec3> rest, std::span<const Triangle> triangles,
                   double stiffness_min, double stiffness_max) {
    const std::size_t n = rest.size();
    std::vector<Vec3> normals(n);
    unit_normals(rest, triangles, normals);
    const TriangleTree tree(rest, triangles);
    Struts struts{std::vector<std::uint32_t>(n), std::vector<double>(n), std::vector<double>(n)};
    for (std::uint32_t i = 0; i < n; ++i) {
        check_cancelled();
        const auto hit = tree.first_hit(rest[i], -normals[i], 0, [&](std::uint32_t t) {
            return std::find(triangles[t].begin(), triangles[t].end(), i) == triangles[t].end();
        });
        const std::uint32_t k =
            hit ? nearest_corner(rest, triangles[hit->triangle], hit->point) : i;
        const double length = norm(rest[k] - rest[i]);
        struts.partner[i] = length > 0 ? k : i;
        struts.rest_length[i] = length;
    }
    set_stiffness(struts, stiffness_min, stiffness_max);
    return struts;
}

Struts measured_anew(const Struts& struts, std::span<const Vec3> rest) {
    Struts measured = struts;
    for (std::size_t i = 0; i < measured.partner.size(); ++i)
        measured.rest_length[i] = norm(rest[measured.partner[i]] - rest[i]);
    return measured;
}

}  // namespace turgor
