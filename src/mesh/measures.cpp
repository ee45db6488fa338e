#include "mesh/measures.hpp"

#include <algorithm>
#include <numbers>

#include "base/functions.hpp"

namespace turgor {

double sphere_diameter(double volume) {
    return portable::cbrt(6 * volume / std::numbers::pi);
}

double enclosed_volume(std::span<const Vec3> x, std::span<const Triangle> triangles) {
    const Vec3 origin = x.empty() ? Vec3{} : x[0];
    double six = 0;
    for (const auto& [a, b, c] : triangles)
        six += dot(x[a] - origin, cross(x[b] - origin, x[c] - origin));
    return six / 6;
}

double mean_edge(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
    double sum = 0;
    for (const Triangle& t : triangles)
        for (int k = 0; k < 3; ++k) sum += norm(vertices[t[k]] - vertices[t[(k + 1) % 3]]);
    return sum / static_cast<double>(std::max<std::size_t>(1, 3 * triangles.size()));
}

}  // namespace turgor
