#include <array>
#include <cmath>
#include <optional>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "mesh/ply_header.hpp"
#include "mesh/readers.hpp"
#include "mesh/text_scanner.hpp"

namespace turgor {
namespace {

/// Where the values of a row come from: text or bytes.
class PlyRows {
public:
    virtual ~PlyRows() = default;
    virtual void begin_row() = 0;
    virtual double number(Scalar type, std::string_view what) = 0;
    virtual std::int64_t integer(Scalar type, std::string_view what) = 0;
    virtual void skip(Scalar type, std::uint64_t count) = 0;
    virtual std::uint64_t bytes_left() const = 0;
    virtual std::size_t line() const = 0;  ///< 0 where there are no lines
};

class TextRows final : public PlyRows {
public:
    TextRows(const SourceFile& file, const PlyHeader& header)
        : text_(file, header.data_offset, header.data_line) {}

    void begin_row() override {
        if (!text_.next_line())
            text_.refuse("the file is shorter than its header says; it was cut off");
    }
    double number(Scalar, std::string_view what) override { return text_.number(what); }
    std::int64_t integer(Scalar, std::string_view what) override { return text_.integer(what); }
    void skip(Scalar, std::uint64_t count) override {
        for (std::uint64_t i = 0; i < count; ++i)
            if (text_.word().empty()) text_.refuse("the line ends too early; the file is damaged");
    }
    std::uint64_t bytes_left() const override { return text_.bytes_left() + 1; }
    std::size_t line() const override { return text_.line(); }

private:
    TextScanner text_;
};

class ByteRows final : public PlyRows {
public:
    ByteRows(const SourceFile& file, const PlyHeader& header)
        : file_(file), order_(header.order()), rest_(file.bytes().substr(header.data_offset)) {}

    void begin_row() override {}
    double number(Scalar type, std::string_view what) override {
        const double value = load_number(take(size_of(type)), type, order_);
        if (!std::isfinite(value))
            fail(ErrorCode::bad_file,
                 "{}, byte {}: the {} is not a finite number ({}); export the mesh again",
                 file_.name, file_.size - rest_.size() - size_of(type), what, value);
        return value;
    }
    std::int64_t integer(Scalar type, std::string_view) override {
        return load_integer(take(size_of(type)), type, order_);
    }
    void skip(Scalar type, std::uint64_t count) override {
        if (count > rest_.size() / size_of(type)) refuse_short();
        rest_.remove_prefix(count * size_of(type));
    }
    std::uint64_t bytes_left() const override { return rest_.size(); }
    std::size_t line() const override { return 0; }

private:
    const char* take(std::size_t size) {
        if (size > rest_.size()) refuse_short();
        const char* at = rest_.data();
        rest_.remove_prefix(size);
        return at;
    }
    [[noreturn]] void refuse_short() const {
        fail(
            ErrorCode::bad_file,
            "{}: the file is shorter than its header says; it was cut off, copy or export it again",
            file_.name);
    }

    const SourceFile& file_;
    std::endian order_;
    std::string_view rest_;
};

class PlyReader {
public:
    PlyReader(const SourceFile& file, PlyRows& rows) : file_(file), rows_(rows) {}

    PolygonSoup read(const PlyHeader& header) {
        for (const auto& element : header.elements) {
            check_room(element);
            if (element.name == "vertex")
                read_vertices(element);
            else if (element.name == "face")
                read_faces(element);
            else if (element.name == "tristrips")
                refuse("the file stores triangle strips, which are not read; export plain faces");
            else
                skip_rows(element);
        }
        check_indices();
        return std::move(soup_);
    }

private:
    /// Before anything is allocated: the rest of the file must be able to hold what is claimed.
    void check_room(const PlyElement& element) const {
        const std::uint64_t row = std::max<std::uint64_t>(1, element.least_row_bytes());
        const std::uint64_t least = rows_.line() ? 1 : row;
        if (element.count <= rows_.bytes_left() / least && element.count <= most_elements) return;
        refuse(
            fmt::format("the header says {} elements \"{}\", but only {} bytes follow; the file "
                        "was cut off or damaged, export it again",
                        element.count, shown(element.name), rows_.bytes_left()));
    }

    void read_vertices(const PlyElement& element) {
        constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
        constexpr std::array<std::string_view, 3> spoken{"x coordinate", "y coordinate",
                                                         "z coordinate"};
        // Of each property the axis of the position that it is, or 3 + that of the colour.
        std::vector<int> axis(element.properties.size(), -1);
        for (int k = 0; k < 3; ++k) {
            const int found = element.find(names[k]);
            if (found < 0 || element.properties[found].count_type)
                refuse(fmt::format("the vertices have no property {}; export the mesh again",
                                   names[k]));
            axis[found] = k;
        }
        const bool is_coloured = find_colour(element, axis);
        soup_.vertices.reserve(soup_.vertices.size() + element.count);
        for (std::uint64_t i = 0; i < element.count; ++i) {
            check_cancelled();
            rows_.begin_row();
            Vec3 p, colour;
            for (std::size_t k = 0; k < axis.size(); ++k) {
                const auto& property = element.properties[k];
                if (axis[k] >= 3)
                    colour[axis[k] - 3] =
                        rows_.number(property.type, "colour") / whole_colour(property.type);
                else if (axis[k] >= 0)
                    p[axis[k]] = rows_.number(property.type, spoken[axis[k]]);
                else
                    skip_property(property);
            }
            if (is_coloured) soup_.add_colour(to_float(colour));
            soup_.vertices.push_back(p);
        }
    }

    /// Whether the vertices have a colour; `axis` then says where.
    static bool find_colour(const PlyElement& element, std::vector<int>& axis) {
        std::array<int, 3> found{};
        for (std::size_t k = 0; k < 3; ++k) {
            constexpr std::array<std::string_view, 3> names{"red", "green", "blue"};
            found[k] = element.find(names[k]);
            if (found[k] < 0 || element.properties[found[k]].count_type) return false;
        }
        for (int k = 0; k < 3; ++k) axis[found[k]] = 3 + k;
        return true;
    }
    static double whole_colour(Scalar type) {
        return !is_integer(type) ? 1 : type == Scalar::u16 ? 65535 : 255;
    }

    void read_faces(const PlyElement& element) {
        int list = element.find("vertex_indices");
        if (list < 0) list = element.find("vertex_index");
        if (list < 0 || !element.properties[list].count_type)
            refuse("the faces have no list vertex_indices; export the mesh again");
        if (!is_integer(element.properties[list].type))
            refuse("the vertex indices of the faces are not integers; export the mesh again");
        soup_.starts.reserve(soup_.starts.size() + element.count);
        for (std::uint64_t i = 0; i < element.count; ++i) {
            check_cancelled();
            rows_.begin_row();
            for (std::size_t k = 0; k < element.properties.size(); ++k) {
                if (static_cast<int>(k) == list)
                    read_corners(element.properties[k]);
                else
                    skip_property(element.properties[k]);
            }
        }
    }

    void read_corners(const PlyProperty& property) {
        const std::int64_t count = rows_.integer(*property.count_type, "number of corners");
        if (count < 3) refuse_face(fmt::format("has {} corners, it needs at least 3", count));
        const std::uint64_t least = rows_.line() ? 1 : size_of(property.type);
        if (static_cast<std::uint64_t>(count) > rows_.bytes_left() / least)
            refuse_face(
                fmt::format("has {} corners, but the file ends before them: it is shorter than "
                            "its header says",
                            count));
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t index = rows_.integer(property.type, "vertex index of a face");
            if (index < 0) refuse_face(fmt::format("uses vertex {}", index));
            watch(static_cast<std::uint64_t>(index));
            soup_.corners.push_back(static_cast<std::uint32_t>(index));
        }
        soup_.end_polygon();
    }

    /// In a binary file the number of the face stands in for the line.
    void watch(std::uint64_t index) {
        indices_.see(index, rows_.line() ? rows_.line() : soup_.size() + 1);
    }

    void check_indices() const {
        if (rows_.line()) indices_.check(file_.name, soup_.vertices.size(), 0);
        if (indices_.line != 0 && indices_.largest >= soup_.vertices.size())
            refuse(fmt::format(
                "face {} uses vertex {}, but the file has {} vertices (counted from 0); "
                "export the mesh again",
                indices_.line - 1, indices_.largest, soup_.vertices.size()));
        check_size(file_.name, soup_);
    }

    void skip_rows(const PlyElement& element) {
        if (element.properties.empty()) return;
        if (!rows_.line() && !element.has_lists()) {
            rows_.skip(Scalar::u8, element.count * element.least_row_bytes());
            return;
        }
        for (std::uint64_t i = 0; i < element.count; ++i) {
            rows_.begin_row();
            for (const auto& property : element.properties) skip_property(property);
        }
    }

    void skip_property(const PlyProperty& property) {
        std::int64_t count = 1;
        if (property.count_type) count = rows_.integer(*property.count_type, "length of a list");
        if (count < 0) refuse("a list has a negative length; the file is damaged");
        rows_.skip(property.type, static_cast<std::uint64_t>(count));
    }

    [[noreturn]] void refuse_face(const std::string& what) const {
        const auto where = rows_.line() ? fmt::format(", line {}", rows_.line()) : std::string();
        fail(ErrorCode::bad_file, "{}{}: face {} {}; the file is damaged, export the mesh again",
             file_.name, where, soup_.size(), what);
    }
    [[noreturn]] void refuse(std::string_view sentence) const {
        fail(ErrorCode::bad_file, "{}: {}", file_.name, sentence);
    }

    const SourceFile& file_;
    PlyRows& rows_;
    PolygonSoup soup_;
    IndexWatch indices_;
};

}  // namespace

PolygonSoup read_ply(const SourceFile& file) {
    const PlyHeader header = read_ply_header(file);
    if (header.format == PlyHeader::Format::ascii) {
        TextRows rows(file, header);
        return PlyReader(file, rows).read(header);
    }
    ByteRows rows(file, header);
    return PlyReader(file, rows).read(header);
}

}  // namespace turgor
