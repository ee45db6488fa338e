#include "mesh/point_spacing.hpp"

#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"

namespace turgor {

std::vector<double> reaches_of_some(std::span<const Vec3> points) {
    constexpr std::size_t samples = 128, neighbours = 8;
    const std::size_t stride = std::max<std::size_t>(1, points.size() / samples);
    std::vector<double> reaches, squares(points.size());
    for (std::size_t i = 0; i < points.size(); i += stride) {
        check_cancelled();
        for (std::size_t k = 0; k < points.size(); ++k)
            squares[k] = dot(points[k] - points[i], points[k] - points[i]);
        // The point itself is the nearest.
        const std::size_t last = std::min(neighbours, points.size() - 1);
        std::ranges::partial_sort(squares, squares.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        reaches.push_back(std::sqrt(squares[last]));
    }
    std::ranges::sort(reaches);
    return reaches;
}

}  // namespace turgor
