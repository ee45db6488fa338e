#include "mesh/ply_header.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "base/errors.hpp"
#include "mesh/text_scanner.hpp"

namespace turgor {
namespace {

constexpr std::array<std::pair<std::string_view, Scalar>, 16> type_names{{
    {"char", Scalar::i8},
    {"uchar", Scalar::u8},
    {"short", Scalar::i16},
    {"ushort", Scalar::u16},
    {"int", Scalar::i32},
    {"uint", Scalar::u32},
    {"float", Scalar::f32},
    {"double", Scalar::f64},
    {"int8", Scalar::i8},
    {"uint8", Scalar::u8},
    {"int16", Scalar::i16},
    {"uint16", Scalar::u16},
    {"int32", Scalar::i32},
    {"uint32", Scalar::u32},
    {"float32", Scalar::f32},
    {"float64", Scalar::f64},
}};

/// A header is text even in a binary file, and the data starts right after its last line break.
class HeaderReader {
public:
    explicit HeaderReader(const SourceFile& file) : file_(file) {}

    PlyHeader read() {
        if (next_line() != "ply") refuse("the file does not start with the line \"ply\"");
        for (;;) {
            rest_ = next_line();
            const auto statement = word();
            if (statement == "end_header") break;
            read_statement(statement);
        }
        if (!has_format_) refuse("the header has no format line");
        header_.data_offset = at_;
        header_.data_line = line_ + 1;
        return std::move(header_);
    }

private:
    void read_statement(std::string_view statement) {
        if (statement == "format")
            read_format();
        else if (statement == "element")
            read_element();
        else if (statement == "property")
            read_property();
        else if (!statement.empty() && statement != "comment" && statement != "obj_info")
            refuse(fmt::format("the header has an unknown statement ({})", shown(statement)));
    }

    void read_format() {
        const auto name = word();
        if (name == "ascii")
            header_.format = PlyHeader::Format::ascii;
        else if (name == "binary_little_endian")
            header_.format = PlyHeader::Format::little;
        else if (name == "binary_big_endian")
            header_.format = PlyHeader::Format::big;
        else
            refuse(fmt::format("the format is unknown ({})", shown(name)));
        has_format_ = true;
    }

    void read_element() {
        PlyElement element;
        element.name = word();
        const auto text = word();
        const auto [stop, error] =
            std::from_chars(text.data(), text.data() + text.size(), element.count);
        if (text.empty() || error != std::errc{} || stop != text.data() + text.size())
            refuse(fmt::format("the number of elements \"{}\" is not a count ({})",
                               shown(element.name), shown(text)));
        header_.elements.push_back(std::move(element));
    }

    void read_property() {
        if (header_.elements.empty()) refuse("a property comes before the first element");
        PlyProperty property;
        auto type = word();
        if (type == "list") {
            property.count_type = scalar(word());
            if (!is_integer(*property.count_type)) refuse("the length of a list is not an integer");
            type = word();
        }
        property.type = scalar(type);
        property.name = word();
        if (property.name.empty()) refuse("a property has no name");
        header_.elements.back().properties.push_back(std::move(property));
    }

    Scalar scalar(std::string_view name) const {
        for (const auto& [known, type] : type_names)
            if (known == name) return type;
        refuse(fmt::format("a property has an unknown type ({})", shown(name)));
    }

    std::string_view next_line() {
        const auto bytes = file_.bytes();
        const auto stop = bytes.find_first_of("\r\n", at_);
        if (stop == bytes.npos) {
            ++line_;
            refuse("the file ends inside the header");
        }
        const auto line = bytes.substr(at_, stop - at_);
        // What ends the first line ends them all; a lone CR must not swallow a data byte.
        if (line_ == 0) break_size_ = bytes.substr(stop, 2) == "\r\n" ? 2 : 1;
        at_ = std::min(stop + break_size_, bytes.size());
        ++line_;
        return line.substr(0, line.find_last_not_of(" \t") + 1);
    }

    std::string_view word() {
        const auto start = std::min(rest_.find_first_not_of(" \t"), rest_.size());
        const auto stop = std::min(rest_.find_first_of(" \t", start), rest_.size());
        const auto result = rest_.substr(start, stop - start);
        rest_.remove_prefix(stop);
        return result;
    }

    [[noreturn]] void refuse(std::string_view what) const {
        fail(ErrorCode::bad_file, "{}, line {}: {}; export the mesh again", file_.name, line_,
             what);
    }

    const SourceFile& file_;
    PlyHeader header_;
    std::string_view rest_;
    std::size_t at_ = 0, line_ = 0, break_size_ = 1;
    bool has_format_ = false;
};

}  // namespace

int PlyElement::find(std::string_view property) const {
    for (std::size_t i = 0; i < properties.size(); ++i)
        if (properties[i].name == property) return static_cast<int>(i);
    return -1;
}

std::size_t PlyElement::least_row_bytes() const {
    std::size_t bytes = 0;
    for (const auto& property : properties)
        bytes += size_of(property.count_type.value_or(property.type));
    return bytes;
}

bool PlyElement::has_lists() const {
    for (const auto& property : properties)
        if (property.count_type) return true;
    return false;
}

PlyHeader read_ply_header(const SourceFile& file) {
    return HeaderReader(file).read();
}

}  // namespace turgor
