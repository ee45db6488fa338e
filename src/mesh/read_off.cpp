#include "base/errors.hpp"
#include "mesh/readers.hpp"
#include "mesh/text_scanner.hpp"

namespace turgor {
namespace {

/// Texture coordinates, colours and normals follow the three coordinates, whatever the variant, so
/// the rest of a vertex line or face line is not used.
class OffReader {
public:
    explicit OffReader(const SourceFile& file) : file_(file), text_(file) {}

    PolygonSoup read() {
        if (!text_.next_line()) text_.refuse("the file holds nothing but comments");
        read_keyword();
        const std::uint64_t vertices = read_count("number of vertices");
        const std::uint64_t faces = read_count("number of faces");
        skip_edge_count();
        if (vertices > text_.bytes_left() || faces > text_.bytes_left())
            text_.refuse(
                fmt::format("the file says {} vertices and {} faces, but only {} bytes follow; "
                            "it was cut off or damaged",
                            vertices, faces, text_.bytes_left()));
        read_vertices(vertices);
        read_faces(faces);
        indices_.check(file_.name, soup_.vertices.size(), 0);
        check_size(file_.name, soup_);
        return std::move(soup_);
    }

private:
    /// [ST][C][N]OFF; the word may be missing, then the counts come first.
    void read_keyword() {
        TextScanner ahead = text_;
        auto word = ahead.word();
        if (!word.ends_with("OFF")) return;
        word.remove_suffix(3);
        if (word.find_first_not_of("STCN") != word.npos)
            text_.refuse(
                fmt::format("\"{}OFF\" has other than three coordinates per vertex, which is "
                            "not read; export a plain OFF file",
                            shown(word)));
        text_ = ahead;
        ahead = text_;
        if (ahead.word() == "BINARY")
            text_.refuse("binary OFF is not read; export a text OFF file or another format");
    }

    /// The counts may share the line of the keyword or have one of their own.
    std::uint64_t read_count(std::string_view what) {
        if (text_.at_line_end()) need_line();
        const std::int64_t count = text_.integer(what);
        if (count < 0) text_.refuse(fmt::format("the {} is negative; the file is damaged", what));
        return static_cast<std::uint64_t>(count);
    }

    /// It may be missing. On a line of its own it is the only word there, which no vertex is.
    void skip_edge_count() {
        if (!text_.at_line_end()) return;
        TextScanner ahead = text_;
        if (!ahead.next_line()) return;
        ahead.word();
        if (ahead.at_line_end()) text_ = ahead;
    }

    void read_vertices(std::uint64_t count) {
        soup_.vertices.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            need_line();
            Vec3 p;
            p.x = text_.number("first coordinate");
            p.y = text_.number("second coordinate");
            p.z = text_.number("third coordinate");
            soup_.vertices.push_back(p);
        }
    }

    void read_faces(std::uint64_t count) {
        soup_.starts.reserve(count + 1);
        for (std::uint64_t i = 0; i < count; ++i) {
            need_line();
            const std::int64_t corners = text_.integer("number of corners");
            if (corners < 3 || static_cast<std::uint64_t>(corners) > text_.bytes_left())
                text_.refuse(
                    fmt::format("the face has {} corners; the file is damaged, export the mesh "
                                "again",
                                corners));
            for (std::int64_t k = 0; k < corners; ++k) read_corner();
            soup_.end_polygon();
        }
    }

    void read_corner() {
        const std::int64_t index = text_.integer("vertex index of a face");
        if (index < 0) text_.refuse(fmt::format("the face uses vertex {}; correct it", index));
        indices_.see(static_cast<std::uint64_t>(index), text_.line());
        soup_.corners.push_back(static_cast<std::uint32_t>(index));
    }

    void need_line() {
        if (!text_.next_line())
            text_.refuse(
                "the file is shorter than its counts say; it was cut off, export it again");
    }

    const SourceFile& file_;
    TextScanner text_;
    PolygonSoup soup_;
    IndexWatch indices_;
};

}  // namespace

PolygonSoup read_off(const SourceFile& file) {
    return OffReader(file).read();
}

}  // namespace turgor
