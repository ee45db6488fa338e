#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"
#include "mesh/readers.hpp"
#include "mesh/scalars.hpp"
#include "mesh/text_scanner.hpp"

namespace turgor {
namespace {

constexpr std::size_t header_bytes = 84, facet_bytes = 50, normal_bytes = 12;

constexpr std::array<std::string_view, 3> coordinate_names{"first coordinate", "second coordinate",
                                                           "third coordinate"};

std::uint64_t claimed_facets(const SourceFile& file) {
    return load<std::uint32_t>(file.data.get() + 80);
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
    return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
        return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + 32) : x) == y;
    });
}

class TextStlReader {
public:
    explicit TextStlReader(const SourceFile& file) : file_(file), text_(file) {}

    PolygonSoup read() {
        while (text_.next_line()) {
            expect_word("solid");
            read_solid();
        }
        check_size(file_.name, soup_);
        return std::move(soup_);
    }

private:
    void read_solid() {
        for (;;) {
            need_line();
            const auto statement = text_.word();
            if (equal_ignoring_case(statement, "endsolid")) return;
            if (!equal_ignoring_case(statement, "facet"))
                text_.refuse(
                    fmt::format("\"facet\" is expected here, not \"{}\"; export the mesh again",
                                shown(statement)));
            read_facet();
        }
    }

    /// The normal that follows "facet" is not used: the order of the corners tells the outside.
    void read_facet() {
        need_line();
        expect_word("outer");
        const std::size_t first = soup_.corners.size();
        for (;;) {
            need_line();
            const auto statement = text_.word();
            if (equal_ignoring_case(statement, "endloop")) break;
            if (!equal_ignoring_case(statement, "vertex"))
                text_.refuse(
                    fmt::format("\"vertex\" is expected here, not \"{}\"; export the mesh again",
                                shown(statement)));
            Vec3 p;
            for (int k = 0; k < 3; ++k) p[k] = text_.number(coordinate_names[k]);
            soup_.corners.push_back(static_cast<std::uint32_t>(soup_.vertices.size()));
            soup_.vertices.push_back(p);
        }
        if (soup_.corners.size() < first + 3)
            text_.refuse("the facet has fewer than 3 vertices; export the mesh again");
        soup_.end_polygon();
        need_line();
        expect_word("endfacet");
    }

    void need_line() {
        if (!text_.next_line())
            text_.refuse(
                "the file ends before \"endsolid\"; it was cut off, copy or export it again");
    }
    void expect_word(std::string_view expected) {
        const auto found = text_.word();
        if (!equal_ignoring_case(found, expected))
            text_.refuse(fmt::format("\"{}\" is expected here, not \"{}\"; export the mesh again",
                                     expected, shown(found)));
    }

    const SourceFile& file_;
    TextScanner text_;
    PolygonSoup soup_;
};

bool looks_like_text(const SourceFile& file) {
    const auto start = file.bytes().substr(0, 4096);
    const auto first = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == start.npos || !equal_ignoring_case(start.substr(first, 5), "solid")) return false;
    return start.find('\0') == start.npos;
}

Vec3 read_corner(const SourceFile& file, const char* bytes, std::uint64_t facet) {
    const Vec3 p{load<float>(bytes), load<float>(bytes + 4), load<float>(bytes + 8)};
    if (!is_finite(p))
        fail(ErrorCode::bad_file,
             "{}: triangle {} has a coordinate that is not a finite number; export the mesh again",
             file.name, facet);
    return p;
}

PolygonSoup read_binary_stl(const SourceFile& file) {
    if (file.size < header_bytes)
        fail(ErrorCode::bad_file, "{}: {} bytes are too few for an STL file; it was cut off",
             file.name, file.size);
    const std::uint64_t count = claimed_facets(file),
                        room = (file.size - header_bytes) / facet_bytes;
    if (count > room)
        fail(ErrorCode::bad_file,
             "{}: the header says {} triangles, but the file has room for {}; it was cut off or "
             "damaged, copy or export it again",
             file.name, count, room);
    PolygonSoup soup;
    soup.vertices.reserve(3 * count);
    soup.corners.reserve(3 * count);
    soup.starts.reserve(count + 1);
    for (std::uint64_t i = 0; i < count; ++i) {
        const char* facet = file.data.get() + header_bytes + i * facet_bytes + normal_bytes;
        for (int k = 0; k < 3; ++k) {
            soup.corners.push_back(static_cast<std::uint32_t>(soup.vertices.size()));
            soup.vertices.push_back(read_corner(file, facet + 12 * k, i));
        }
        soup.end_polygon();
    }
    const std::size_t used = header_bytes + count * facet_bytes;
    if (file.size > used)
        soup.warnings.push_back(
            {"bytes_after_end",
             fmt::format("{} bytes after the last triangle were not read", file.size - used),
             file.size - used,
             {fmt::format("byte {}", used)}});
    return soup;
}

}  // namespace

bool is_binary_stl(const SourceFile& file) {
    return file.size >= header_bytes &&
           header_bytes + claimed_facets(file) * facet_bytes == file.size;
}

PolygonSoup read_stl(const SourceFile& file) {
    if (!is_binary_stl(file) && looks_like_text(file)) return TextStlReader(file).read();
    return read_binary_stl(file);
}

}  // namespace turgor
