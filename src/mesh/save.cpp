#include <algorithm>
#include <bit>
#include <cstring>

#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the binary writers copy numbers as they are");

class Bytes {
public:
    template <class T>
    void put(T value) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        text_.append(raw, sizeof(T));
    }
    void put_floats(Vec3 p) { put_floats(to_float(p)); }
    void put_floats(Vec3f f) {
        put(f.x);
        put(f.y);
        put(f.z);
    }
    template <class... Args>
    void print(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    }
    void put_text(std::string_view text) { text_ += text; }
    void pad(char with) {
        while (text_.size() % 4 != 0) text_ += with;
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

bool is_coloured(const Mesh& mesh) {
    return !mesh.colours.empty() && mesh.colours.size() == mesh.vertices.size();
}

/// Shortest decimals that read back as the same number.
Bytes obj_bytes(const Mesh& mesh) {
    Bytes out;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        const Vec3 p = mesh.vertices[v];
        out.print("v {} {} {}", p.x, p.y, p.z);
        if (is_coloured(mesh)) {
            const Vec3f c = mesh.colours[v];
            out.print(" {} {} {}", c.x, c.y, c.z);
        }
        out.put_text("\n");
    }
    for (const auto& [a, b, c] : mesh.triangles)
        out.print("f {} {} {}\n", std::uint64_t{a} + 1, std::uint64_t{b} + 1, std::uint64_t{c} + 1);
    return out;
}

Bytes off_bytes(const Mesh& mesh) {
    Bytes out;
    out.print("OFF\n{} {} 0\n", mesh.vertices.size(), mesh.triangles.size());
    for (const Vec3 p : mesh.vertices) out.print("{} {} {}\n", p.x, p.y, p.z);
    for (const auto& [a, b, c] : mesh.triangles) out.print("3 {} {} {}\n", a, b, c);
    return out;
}

Bytes ply_bytes(const Mesh& mesh) {
    Bytes out;
    out.print(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty "
        "double "
        "y\nproperty double z\n{}element face {}\nproperty list uchar uint "
        "vertex_indices\nend_header\n",
        mesh.vertices.size(),
        is_coloured(mesh) ? "property float red\nproperty float green\nproperty float blue\n" : "",
        mesh.triangles.size());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        for (int k = 0; k < 3; ++k) out.put(mesh.vertices[v][k]);
        if (is_coloured(mesh)) out.put_floats(mesh.colours[v]);
    }
    for (const auto& t : mesh.triangles) {
        out.put(std::uint8_t{3});
        for (const auto v : t) out.put(v);
    }
    return out;
}

Bytes stl_bytes(const Mesh& mesh) {
    Bytes out;
    // Not "solid" first: that would announce a text file.
    out.put_text("binary STL");
    out.put_text(std::string(80 - out.text().size(), ' '));
    out.put(static_cast<std::uint32_t>(mesh.triangles.size()));
    for (const auto& [a, b, c] : mesh.triangles) {
        const Vec3 p = mesh.vertices[a], q = mesh.vertices[b], r = mesh.vertices[c];
        for (const Vec3 v : {normalized(cross(q - p, r - p)), p, q, r}) out.put_floats(v);
        out.put(std::uint16_t{0});
    }
    return out;
}

/// One mesh of one primitive: indices first, then positions, then colours, in one buffer.
Bytes glb_bytes(const Mesh& mesh) {
    const std::size_t index_bytes = 12 * mesh.triangles.size(),
                      point_bytes = 12 * mesh.vertices.size(),
                      colour_bytes = is_coloured(mesh) ? point_bytes : 0,
                      all_bytes = index_bytes + point_bytes + colour_bytes;
    const Bounds box = bounds(mesh);
    const Vec3f low = to_float(box.lower), high = to_float(box.upper);
    Bytes json;
    json.print(
        R"({{"asset":{{"version":"2.0","generator":"Turgor"}},"scene":0,"scenes":[{{"nodes":[0]}}],)"
        R"("nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":1{}}},)"
        R"("indices":0}}]}}],"buffers":[{{"byteLength":{}}}],"bufferViews":[)"
        R"({{"buffer":0,"byteLength":{},"target":34963}},)"
        R"({{"buffer":0,"byteOffset":{},"byteLength":{},"target":34962}})",
        colour_bytes > 0 ? R"(,"COLOR_0":2)" : "", all_bytes, index_bytes, index_bytes,
        point_bytes);
    if (colour_bytes > 0)
        json.print(R"(,{{"buffer":0,"byteOffset":{},"byteLength":{},"target":34962}})",
                   index_bytes + point_bytes, colour_bytes);
    json.print(
        R"(],"accessors":[{{"bufferView":0,"componentType":5125,"count":{},"type":"SCALAR"}},)"
        R"({{"bufferView":1,"componentType":5126,"count":{},"type":"VEC3",)"
        R"("min":[{},{},{}],"max":[{},{},{}]}})",
        3 * mesh.triangles.size(), mesh.vertices.size(), low.x, low.y, low.z, high.x, high.y,
        high.z);
    if (colour_bytes > 0)
        json.print(R"(,{{"bufferView":2,"componentType":5126,"count":{},"type":"VEC3"}})",
                   mesh.colours.size());
    json.put_text("]}");
    json.pad(' ');
    const std::size_t chunks = 8 + json.text().size() + 8 + all_bytes;
    Bytes out;
    for (const std::size_t word : {std::size_t{0x46546C67}, std::size_t{2}, 12 + chunks,
                                   json.text().size(), std::size_t{0x4E4F534A}})
        out.put(static_cast<std::uint32_t>(word));
    out.put_text(json.text());
    out.put(static_cast<std::uint32_t>(all_bytes));
    out.put(std::uint32_t{0x004E4942});
    for (const auto& t : mesh.triangles)
        for (const auto v : t) out.put(v);
    for (const Vec3 p : mesh.vertices) out.put_floats(p);
    if (colour_bytes > 0)
        for (const Vec3f c : mesh.colours) out.put_floats(c);
    return out;
}

Bytes bytes_for(const Mesh& mesh, const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (ending == ".obj") return obj_bytes(mesh);
    if (ending == ".ply") return ply_bytes(mesh);
    if (ending == ".stl") return stl_bytes(mesh);
    if (ending == ".off") return off_bytes(mesh);
    if (ending == ".glb") return glb_bytes(mesh);
    fail(ErrorCode::bad_argument,
         "{}: a mesh is not written with the ending \"{}\"; use .obj, .ply, .stl, .off or .glb",
         file.filename().string(), ending);
}

}  // namespace

void save_mesh(const Mesh& mesh, const std::filesystem::path& file) {
    const Bytes bytes = bytes_for(mesh, file);
    AtomicFile out(file);
    out.write(bytes.text());
    out.commit();
}

}  // namespace turgor
