#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/scalars.hpp"
#include "mesh/source_file.hpp"

namespace turgor {

struct PlyProperty {
    std::string name;
    Scalar type = Scalar::f32;
    std::optional<Scalar> count_type;  ///< set where the property is a list
};

struct PlyElement {
    std::string name;
    std::uint64_t count = 0;
    std::vector<PlyProperty> properties;

    /// The number of the property, or -1.
    int find(std::string_view property) const;
    /// The fewest bytes that one row takes; all of them where no property is a list.
    std::size_t least_row_bytes() const;
    bool has_lists() const;
};

struct PlyHeader {
    enum class Format { ascii, little, big };
    Format format = Format::ascii;
    std::vector<PlyElement> elements;
    std::size_t data_offset = 0;  ///< [bytes]
    std::size_t data_line = 1;    ///< the line that the data starts with

    std::endian order() const {
        return format == Format::big ? std::endian::big : std::endian::little;
    }
};

PlyHeader read_ply_header(const SourceFile& file);

}  // namespace turgor
