#include "mesh/polygon_soup.hpp"

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
    if (soup.vertices.size() <= most_elements && soup.corners.size() <= most_elements) return;
    fail(ErrorCode::bad_file, "{}: the mesh has more than {} vertices or corners; simplify it",
         file, most_elements);
}

}  // namespace turgor
