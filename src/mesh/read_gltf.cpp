#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/mat3.hpp"
#include "mesh/gltf_buffers.hpp"
#include "mesh/readers.hpp"
#include "mesh/scalars.hpp"
#include "mesh/text_scanner.hpp"

namespace turgor {
namespace {

using nlohmann::json;

constexpr std::uint64_t largest_whole = std::uint64_t{1} << 53;

struct Affine {
    Mat3 linear = Mat3::identity();
    Vec3 offset;
};

Affine operator*(const Affine& a, const Affine& b) {
    return {a.linear * b.linear, a.linear * b.offset + a.offset};
}

/// `count` elements of `parts` numbers each, checked to lie in the bytes.
struct View {
    const char* bytes = nullptr;  ///< null: all zero
    std::uint64_t count = 0, stride = 0;
    int parts = 1;
    Scalar type = Scalar::f32;

    const char* at(std::uint64_t i, int part) const {
        return bytes + i * stride + static_cast<std::uint64_t>(part) * size_of(type);
    }
};

class GltfReader {
public:
    explicit GltfReader(const SourceFile& file) : file_(file), bytes_held_(file.size) {}

    PolygonSoup read() {
        try {
            open();
            refuse_compression();
            load_buffers();
            walk_scene();
        } catch (const json::exception& e) {
            refuse(fmt::format("the glTF description is damaged ({}); export the mesh again",
                               shown(e.what())));
        }
        if (ignored_primitives_ > 0)
            soup_.warnings.push_back(
                {"ignored_primitives",
                 fmt::format("{} groups of points or lines were not read", ignored_primitives_),
                 ignored_primitives_,
                 {}});
        check_size(file_.name, soup_);
        return std::move(soup_);
    }

private:
    void open() {
        auto text = file_.bytes();
        if (text.starts_with("glTF")) text = open_glb();
        if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
        root_ = json::parse(text.begin(), text.end());
        const std::string version = root_.at("asset").at("version").get<std::string>();
        if (!version.starts_with("2."))
            refuse(fmt::format("this is glTF {}, only version 2 is read; export the mesh again",
                               shown(version)));
    }

    /// Header (magic, version, length), a JSON chunk, and mostly a binary chunk after it.
    std::string_view open_glb() {
        const auto bytes = file_.bytes();
        if (bytes.size() < 20) refuse("the file is too short for GLB; it was cut off");
        const auto version = load<std::uint32_t>(bytes.data() + 4);
        const auto length = load<std::uint32_t>(bytes.data() + 8);
        if (version != 2)
            refuse(fmt::format("this is GLB version {}, only version 2 is read", version));
        if (length > bytes.size())
            refuse(fmt::format(
                "the header says {} bytes, but the file has {}; it was cut off, copy or "
                "export it again",
                length, bytes.size()));
        auto rest = bytes.substr(12);
        const auto text = take_chunk(rest, 0x4E4F534A);
        if (rest.size() >= 8 && load<std::uint32_t>(rest.data() + 4) == 0x004E4942)
            binary_chunk_ = take_chunk(rest, 0x004E4942);
        return text;
    }

    std::string_view take_chunk(std::string_view& rest, std::uint32_t kind) const {
        const auto size = load<std::uint32_t>(rest.data());
        if (load<std::uint32_t>(rest.data() + 4) != kind || size > rest.size() - 8)
            refuse("a chunk of the GLB file is damaged or cut off; copy or export it again");
        const auto chunk = rest.substr(8, size);
        rest.remove_prefix(8 + size);
        return chunk;
    }

    void refuse_compression() const {
        for (const auto& name : list(root_, "extensionsRequired")) {
            if (name == "KHR_draco_mesh_compression")
                refuse(
                    "the mesh is compressed with Draco, which is not read; export it without "
                    "compression");
            if (name == "EXT_meshopt_compression" || name == "KHR_meshopt_compression")
                refuse(
                    "the mesh is compressed with meshopt, which is not read; export it without "
                    "compression (gltfpack without -c)");
        }
    }

    void load_buffers() {
        if (count_of("buffers") > 1000)
            refuse("the file has more than 1000 buffers; export a single mesh");
        for (const auto& buffer : list(root_, "buffers")) {
            const std::uint64_t length = whole(buffer, "byteLength");
            buffers_.push_back(buffer_bytes(buffer));
            if (length > buffers_.back().size())
                refuse(
                    fmt::format("buffer {} should have {} bytes, but has {}; it was cut off or "
                                "damaged, export the mesh again",
                                buffers_.size() - 1, length, buffers_.back().size()));
            buffers_.back() = buffers_.back().substr(0, length);
        }
    }

    std::string_view buffer_bytes(const json& buffer) {
        if (!buffer.contains("uri")) return buffers_.empty() ? binary_chunk_ : std::string_view{};
        const auto& uri = buffer.at("uri").get_ref<const std::string&>();
        if (uri.starts_with("data:")) return embedded_bytes(uri);
        const auto path = resolve_uri(file_.path, uri);
        for (const auto& known : external_)
            if (known.path == path) return known.bytes();
        external_.push_back(read_external(path));
        bytes_held_ += external_.back().size;
        return external_.back().bytes();
    }

    SourceFile read_external(const std::filesystem::path& path) const {
        try {
            return read_source_file(path);
        } catch (const Error& e) {
            fail(e.code(), "{}: its buffer {}", file_.name, e.what());
        }
    }

    std::string_view embedded_bytes(std::string_view uri) {
        const auto comma = uri.find(',');
        auto decoded = std::make_unique<std::string>();
        const bool base64 = comma != uri.npos && uri.substr(0, comma).ends_with(";base64");
        if (!base64 || !decode_base64(uri.substr(comma + 1), *decoded))
            refuse(fmt::format("the data of buffer {} is not valid base64; export the mesh again",
                               buffers_.size()));
        embedded_.push_back(std::move(decoded));
        return *embedded_.back();
    }

    void walk_scene() {
        visited_.assign(count_of("nodes"), false);
        if (count_of("scenes") > 0) {
            const json& scene = item("scenes", root_.contains("scene") ? whole(root_, "scene") : 0);
            walk(list(scene, "nodes"));
        } else if (!visited_.empty()) {
            walk(parentless_nodes());
        } else {
            for (std::size_t i = 0; i < count_of("meshes"); ++i) add_mesh(i, {});
        }
    }

    json parentless_nodes() const {
        std::vector<bool> is_child(visited_.size(), false);
        for (const auto& node : root_.at("nodes"))
            for (const auto& child : list(node, "children")) {
                const auto i = child.get<std::uint64_t>();
                if (i < is_child.size()) is_child[i] = true;
            }
        json roots = json::array();
        for (std::size_t i = 0; i < is_child.size(); ++i)
            if (!is_child[i]) roots.push_back(i);
        return roots;
    }

    /// With a stack of its own: the nodes of a hostile file may be nested very deeply.
    void walk(const json& roots) {
        std::vector<std::pair<std::uint64_t, Affine>> todo;
        const auto push_all = [&](const json& nodes, const Affine& parent) {
            for (auto i = nodes.size(); i-- > 0;) todo.emplace_back(as_whole(nodes[i]), parent);
        };
        push_all(roots, {});
        while (!todo.empty()) {
            const auto [index, parent] = todo.back();
            todo.pop_back();
            const json& node = item("nodes", index);
            if (visited_[index])
                refuse(fmt::format("node {} has two parents; export the mesh again", index));
            visited_[index] = true;
            const Affine transform = parent * node_transform(node);
            if (node.contains("mesh")) add_mesh(whole(node, "mesh"), transform);
            push_all(list(node, "children"), transform);
        }
    }

    Affine node_transform(const json& node) const {
        if (node.contains("matrix")) {
            const auto m = numbers<16>(node.at("matrix"));
            return {Mat3::from_columns({m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}),
                    {m[12], m[13], m[14]}};
        }
        std::array<double, 3> t{0, 0, 0}, s{1, 1, 1};
        std::array<double, 4> r{0, 0, 0, 1};
        if (node.contains("translation")) t = numbers<3>(node.at("translation"));
        if (node.contains("rotation")) r = numbers<4>(node.at("rotation"));
        if (node.contains("scale")) s = numbers<3>(node.at("scale"));
        const Mat3 turn = to_matrix(normalized(Quat{r[3], r[0], r[1], r[2]}));
        return {
            Mat3::from_columns(s[0] * turn.column(0), s[1] * turn.column(1), s[2] * turn.column(2)),
            {t[0], t[1], t[2]}};
    }

    void add_mesh(std::uint64_t index, const Affine& transform) {
        for (const auto& primitive : item("meshes", index).at("primitives")) {
            const std::uint64_t mode = primitive.contains("mode") ? whole(primitive, "mode") : 4;
            if (has_extension(primitive, "KHR_draco_mesh_compression"))
                refuse(
                    "the mesh is compressed with Draco, which is not read; export it without "
                    "compression");
            if (mode > 6)
                refuse(fmt::format("mesh {} has an unknown drawing mode ({})", index, mode));
            if (mode < 4)
                ++ignored_primitives_;
            else if (primitive.at("attributes").contains("POSITION"))
                add_primitive(primitive, mode, transform);
        }
    }

    void add_primitive(const json& primitive, std::uint64_t mode, const Affine& transform) {
        const auto base = static_cast<std::uint32_t>(soup_.vertices.size());
        const std::uint64_t count =
            add_positions(whole(primitive.at("attributes"), "POSITION"), transform);
        if (primitive.at("attributes").contains("COLOR_0"))
            add_colours(whole(primitive.at("attributes"), "COLOR_0"), base, count);
        std::vector<std::uint32_t> indices;
        if (primitive.contains("indices"))
            indices = read_indices(whole(primitive, "indices"), count);
        else
            for (std::uint32_t i = 0; i < count; ++i) indices.push_back(i);
        add_triangles(indices, mode, base, determinant(transform.linear) < 0);
    }

    /// Triangles one by one, as a strip or as a fan; a mirroring transform turns them inside out.
    void add_triangles(const std::vector<std::uint32_t>& indices, std::uint64_t mode,
                       std::uint32_t base, bool mirrored) {
        const std::size_t step = mode == 4 ? 3 : 1;
        for (std::size_t i = 0; i + 2 < indices.size(); i += step) {
            std::array<std::uint32_t, 3> corner{indices[mode == 6 ? 0 : i], indices[i + 1],
                                                indices[i + 2]};
            const bool odd = mode == 5 && i % 2 == 1;
            if (odd != mirrored) std::swap(corner[1], corner[2]);
            // Strips join their pieces with triangles of no area; they are no part of the surface.
            if (mode == 5 &&
                (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]))
                continue;
            for (const auto c : corner) soup_.corners.push_back(base + c);
            soup_.end_polygon();
        }
    }

    std::uint64_t add_positions(std::uint64_t index, const Affine& transform) {
        const json& accessor = item("accessors", index);
        const View view = open_accessor(accessor);
        if (view.parts != 3) refuse(fmt::format("accessor {} does not hold positions", index));
        const std::vector<Vec3> points = load_points(accessor, view);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Vec3 p = transform.linear * points[i] + transform.offset;
            if (!is_finite(p))
                refuse(fmt::format(
                    "position {} of accessor {} is not finite; export the mesh again", i, index));
            soup_.vertices.push_back(p);
        }
        return view.count;
    }

    /// Of the vertices from `base` on: red, green, blue, and perhaps an alpha that is not used.
    void add_colours(std::uint64_t index, std::uint32_t base, std::uint64_t vertices) {
        const json& accessor = item("accessors", index);
        const View view = open_accessor(accessor);
        if (view.parts < 3 || view.count != vertices)
            refuse(
                fmt::format("accessor {} does not hold a colour for each of {} vertices; export "
                            "the mesh again",
                            index, vertices));
        soup_.colours.resize(base, PolygonSoup::white);
        for (const Vec3& colour : load_points(accessor, view))
            soup_.colours.push_back(to_float(colour));
    }

    /// The first three numbers of each element.
    std::vector<Vec3> load_points(const json& accessor, const View& view) {
        const double unit = accessor.value("normalized", false) ? normalized_unit(view.type) : 1;
        std::vector<Vec3> points(view.count);
        for (std::uint64_t i = 0; view.bytes && i < view.count; ++i)
            points[i] = unit * load_point(view, i);
        if (accessor.contains("sparse")) replace_sparse(accessor, view, unit, points);
        return points;
    }

    static Vec3 load_point(const View& view, std::uint64_t i) {
        return {load_number(view.at(i, 0), view.type), load_number(view.at(i, 1), view.type),
                load_number(view.at(i, 2), view.type)};
    }

    static double normalized_unit(Scalar type) {
        if (!is_integer(type)) return 1;
        const int bits = static_cast<int>(8 * size_of(type));
        const bool is_signed = type == Scalar::i8 || type == Scalar::i16 || type == Scalar::i32;
        return 1 / (std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1);
    }

    void replace_sparse(const json& accessor, const View& like, double unit,
                        std::vector<Vec3>& points) {
        const json& sparse = accessor.at("sparse");
        const std::uint64_t count = whole(sparse, "count");
        const json& where = sparse.at("indices");
        const View at = open_view(where, scalar(whole(where, "componentType")), 1, count);
        const View values = open_view(sparse.at("values"), like.type, like.parts, count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto target = static_cast<std::uint64_t>(load_integer(at.at(i, 0), at.type));
            if (target >= points.size())
                refuse(fmt::format("a sparse accessor replaces element {} of {}", target,
                                   points.size()));
            points[target] = unit * load_point(values, i);
        }
    }

    std::vector<std::uint32_t> read_indices(std::uint64_t index, std::uint64_t vertices) {
        const json& accessor = item("accessors", index);
        const View view = open_accessor(accessor);
        const bool usable =
            view.type == Scalar::u8 || view.type == Scalar::u16 || view.type == Scalar::u32;
        if (view.parts != 1 || !usable || !view.bytes || accessor.contains("sparse"))
            refuse(fmt::format("accessor {} does not hold plain indices; export the mesh again",
                               index));
        std::vector<std::uint32_t> indices(view.count);
        for (std::uint64_t i = 0; i < view.count; ++i) {
            indices[i] = static_cast<std::uint32_t>(load_integer(view.at(i, 0), view.type));
            if (indices[i] >= vertices)
                refuse(fmt::format(
                    "index {} of accessor {} names vertex {}, but there are {} (counted "
                    "from 0); export the mesh again",
                    i, index, indices[i], vertices));
        }
        return indices;
    }

    View open_accessor(const json& accessor) {
        const Scalar type = scalar(whole(accessor, "componentType"));
        const auto& shape = accessor.at("type").get_ref<const std::string&>();
        const int parts = shape == "SCALAR" ? 1 : shape == "VEC2" ? 2 : shape == "VEC3" ? 3 : 4;
        const std::uint64_t count = whole(accessor, "count");
        grow(count);
        if (accessor.contains("bufferView")) return open_view(accessor, type, parts, count);
        return {nullptr, count, 0, parts, type};
    }

    /// `holder` has a bufferView and perhaps a byteOffset of its own.
    View open_view(const json& holder, Scalar type, int parts, std::uint64_t count) const {
        const std::uint64_t index = whole(holder, "bufferView");
        const json& view = item("bufferViews", index);
        if (has_extension(view, "EXT_meshopt_compression"))
            refuse(
                "the mesh is compressed with meshopt, which is not read; export it without "
                "compression (gltfpack without -c)");
        const std::uint64_t buffer = whole(view, "buffer"), length = whole(view, "byteLength");
        const std::uint64_t start = whole_or_zero(view, "byteOffset");
        const std::uint64_t skip = whole_or_zero(holder, "byteOffset");
        const std::uint64_t element = static_cast<std::uint64_t>(parts) * size_of(type);
        const std::uint64_t given = whole_or_zero(view, "byteStride");
        const std::uint64_t stride = given ? given : element;
        if (buffer >= buffers_.size() || start > buffers_[buffer].size() ||
            length > buffers_[buffer].size() - start)
            refuse(fmt::format("buffer view {} reaches beyond its buffer; export the mesh again",
                               index));
        const bool fits = count == 0 || (skip <= length && element <= length - skip &&
                                         (count - 1) <= (length - skip - element) / stride);
        if (!fits || stride > 65535)
            refuse(fmt::format("an accessor reaches beyond buffer view {}; export the mesh again",
                               index));
        return {buffers_[buffer].data() + start + skip, count, stride, parts, type};
    }

    /// Accessors may overlap and meshes may be placed many times, so that a small file could ask
    /// for endless memory.
    void grow(std::uint64_t elements) {
        elements_ += elements;
        if (elements_ > 16 * bytes_held_ + 1'000'000)
            refuse(
                "the meshes of the scene are placed so often that they exceed the file many times; "
                "export a single mesh");
    }

    Scalar scalar(std::uint64_t code) const {
        switch (code) {
            case 5120:
                return Scalar::i8;
            case 5121:
                return Scalar::u8;
            case 5122:
                return Scalar::i16;
            case 5123:
                return Scalar::u16;
            case 5125:
                return Scalar::u32;
            case 5126:
                return Scalar::f32;
            default:
                refuse(fmt::format("the number type {} is unknown; export the mesh again", code));
        }
    }

    template <std::size_t N>
    std::array<double, N> numbers(const json& list) const {
        if (!list.is_array() || list.size() != N)
            refuse(fmt::format("a node's transform does not have {} numbers; export the mesh again",
                               N));
        std::array<double, N> result{};
        for (std::size_t i = 0; i < N; ++i) result[i] = list[i].get<double>();
        return result;
    }

    const json& list(const json& holder, const char* key) const {
        static const json empty = json::array();
        if (!holder.is_object()) refuse("the glTF description is damaged; export the mesh again");
        const auto found = holder.find(key);
        if (found == holder.end()) return empty;
        if (!found->is_array())
            refuse(fmt::format("\"{}\" is not a list; export the mesh again", key));
        return *found;
    }
    std::size_t count_of(const char* key) const { return list(root_, key).size(); }
    const json& item(const char* key, std::uint64_t index) const {
        const json& all = list(root_, key);
        if (index >= all.size())
            refuse(fmt::format("{}[{}] does not exist; the file is damaged, export the mesh again",
                               key, index));
        return all[index];
    }
    static bool has_extension(const json& holder, const char* name) {
        const auto found = holder.find("extensions");
        return found != holder.end() && found->contains(name);
    }
    std::uint64_t as_whole(const json& value) const {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > largest_whole)
            refuse(
                fmt::format("a count, offset or index is not a whole number ({}); export the mesh "
                            "again",
                            shown(value.is_structured() ? "a list" : value.dump())));
        return value.get<std::uint64_t>();
    }
    std::uint64_t whole(const json& holder, const char* key) const {
        return as_whole(holder.at(key));
    }
    std::uint64_t whole_or_zero(const json& holder, const char* key) const {
        return holder.contains(key) ? whole(holder, key) : 0;
    }

    [[noreturn]] void refuse(std::string_view sentence) const {
        fail(ErrorCode::bad_file, "{}: {}", file_.name, sentence);
    }

    const SourceFile& file_;
    std::uint64_t bytes_held_, elements_ = 0;
    json root_;
    std::string_view binary_chunk_;
    std::vector<std::string_view> buffers_;
    std::vector<SourceFile> external_;
    std::vector<std::unique_ptr<std::string>> embedded_;
    std::vector<bool> visited_;
    std::size_t ignored_primitives_ = 0;
    PolygonSoup soup_;
};

}  // namespace

PolygonSoup read_gltf(const SourceFile& file) {
    return GltfReader(file).read();
}

}  // namespace turgor
