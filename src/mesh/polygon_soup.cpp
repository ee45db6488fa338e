#include "mesh/polygon_soup.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace turgor {

void IndexWatch::check(std::string_view file, std::size_t vertices, int first) const {
    if (line == 0 || largest < vertices) return;
    fail(ErrorCode::bad_file,
         "{}, line {}: the face uses vertex {}, but the file has {} vertices (counted from {}); "
         "correct the index or export the mesh again",
         file, line, largest + static_cast<std::uint64_t>(first), vertices, first);
}

void check_size(std::string_view file, const PolygonSoup& soup) {
    if (soup.vertices.size() <= most_elements && soup.corners.size() <= most_elements &&
        soup.lines.size() <= most_elements)
        return;
    fail(ErrorCode::bad_file, "{}: the mesh has more than {} vertices or corners; simplify it",
         file, most_elements);
}

void finish_colours(PolygonSoup& soup) {
    if (soup.colours.empty()) return;
    soup.colours.resize(soup.vertices.size(), PolygonSoup::white);
    const auto is_colour = [](const Vec3f& c) {
        const auto is_share = [](float x) { return x >= 0 && x <= 1; };
        return is_share(c.x) && is_share(c.y) && is_share(c.z);
    };
    const auto first = std::ranges::find_if_not(soup.colours, is_colour);
    if (first == soup.colours.end()) return;
    const auto vertex = first - soup.colours.begin();
    soup.warnings.push_back(
        {"ignored_colours",
         fmt::format("the colours were not read: that of vertex {} is {}, {}, {}, not within 0 … 1",
                     vertex, first->x, first->y, first->z),
         1,
         {fmt::format("vertex {}", vertex)}});
    soup.colours.clear();
}

}  // namespace turgor
