#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "output/text.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

inline void append_obj_vertices(std::string& text, std::span<const Vec3f> positions) {
    for (const Vec3f p : positions) {
        text += "v ";
        append_vector(text, p, " ");
        text += '\n';
    }
}

/// `vertices_before`: how many vertices the file has before those of this body.
inline void append_obj_triangles(std::string& text, std::span<const Triangle> triangles,
                                 std::size_t vertices_before) {
    for (const Triangle& triangle : triangles) {
        text += 'f';
        for (const std::uint32_t corner : triangle) {
            text += ' ';
            append_number(text, vertices_before + corner + 1);
        }
        text += '\n';
    }
}

}  // namespace turgor
