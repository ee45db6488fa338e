#include <optional>

#include "base/errors.hpp"
#include "mesh/readers.hpp"
#include "mesh/text_scanner.hpp"

namespace turgor {
namespace {

class ObjReader {
public:
    explicit ObjReader(const SourceFile& file)
        : file_(file), text_(file, TextScanner::Continuation::backslash) {}

    PolygonSoup read() {
        while (text_.next_line()) {
            const auto statement = text_.word();
            if (statement == "v")
                read_vertex();
            else if (statement == "f" || statement == "fo")
                read_face();
            else if (statement == "l")
                read_lines();
        }
        indices_.check(file_.name, soup_.vertices.size(), 1);
        check_size(file_.name, soup_);
        return std::move(soup_);
    }

private:
    /// Three coordinates; a colour may follow, or a weight, which is not used.
    void read_vertex() {
        Vec3 p;
        p.x = text_.number("first coordinate");
        p.y = text_.number("second coordinate");
        p.z = text_.number("third coordinate");
        std::size_t more = 0;
        Vec3 colour;
        for (; !text_.at_line_end(); ++more) {
            const double number = text_.number("number after the coordinates");
            if (more < 3) colour[static_cast<int>(more)] = number;
        }
        if (more == 3) soup_.add_colour(to_float(colour));
        soup_.vertices.push_back(p);
    }

    void read_face() {
        const std::size_t first = soup_.corners.size(), line = text_.line();
        while (!text_.at_line_end()) read_corner();
        const std::size_t corners = soup_.corners.size() - first;
        if (corners < 3)
            fail(ErrorCode::bad_file,
                 "{}, line {}: the face has {} corners, it needs at least 3; the file is damaged, "
                 "export the mesh again",
                 file_.name, line, corners);
        check_size(file_.name, soup_);
        soup_.end_polygon();
    }

    /// A polyline.
    void read_lines() {
        for (std::optional<std::uint32_t> last; !text_.at_line_end();) {
            const std::uint32_t next = read_index();
            if (last) soup_.lines.push_back({*last, next});
            last = next;
        }
        check_size(file_.name, soup_);
    }

    void read_corner() { soup_.corners.push_back(read_index()); }

    /// v, v/vt, v//vn or v/vt/vn; only v matters, but the others must be integers too.
    std::uint32_t read_index() {
        const std::int64_t written = text_.integer("vertex index of a face", '/');
        const auto index = static_cast<std::uint32_t>(resolved(written));
        const auto skip_index = [&] { text_.integer("texture or normal index of a face", '/'); };
        if (text_.take('/')) {
            if (!text_.at_separator() && !text_.next_is('/')) skip_index();
            if (text_.take('/') && !text_.at_separator()) skip_index();
        }
        if (!text_.at_separator()) text_.refuse("a corner of the face has more than three indices");
        return index;
    }

    std::uint64_t resolved(std::int64_t written) {
        const auto known = static_cast<std::int64_t>(soup_.vertices.size());
        if (written == 0)
            text_.refuse("a face uses vertex 0, but OBJ counts from 1; export the mesh again");
        if (written < -known)
            text_.refuse(
                fmt::format("a face uses the relative vertex {}, but only {} vertices come "
                            "before it; export the mesh again",
                            written, known));
        const auto index = static_cast<std::uint64_t>(written < 0 ? known + written : written - 1);
        indices_.see(index, text_.line());
        return index;
    }

    const SourceFile& file_;
    TextScanner text_;
    PolygonSoup soup_;
    IndexWatch indices_;
};

}  // namespace

PolygonSoup read_obj(const SourceFile& file) {
    return ObjReader(file).read();
}

}  // namespace turgor
