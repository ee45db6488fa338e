#include <algorithm>
#include <numeric>

#include "base/errors.hpp"
#include "mesh/close_surface.hpp"
#include "mesh/load.hpp"
#include "mesh/readers.hpp"

namespace turgor {
namespace {

std::string lower_extension(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return ending;
}

/// The first word of the text, after a byte order mark, blanks and comments.
std::string_view first_word(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (!text.starts_with('#')) break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    return text.substr(0, text.find_first_of(" \t\r\n"));
}

PolygonSoup read_by_content(const SourceFile& file) {
    const auto word = first_word(file.bytes());
    if (word.starts_with("glTF") || word.starts_with('{')) return read_gltf(file);
    if (word == "ply") return read_ply(file);
    if (word.ends_with("OFF")) return read_off(file);
    if (word == "solid" || is_binary_stl(file)) return read_stl(file);
    for (const std::string_view statement :
         {"v", "vn", "vt", "g", "o", "mtllib", "usemtl", "f", "s"})
        if (word == statement) return read_obj(file);
    fail(ErrorCode::bad_file,
         "{}: neither the ending nor the content is that of a mesh file; give an OBJ, PLY, STL, "
         "OFF, "
         "glTF or GLB file",
         file.name);
}

PolygonSoup read_by_ending(const SourceFile& file) {
    const std::string ending = lower_extension(file.path);
    if (ending == ".obj") return read_obj(file);
    if (ending == ".ply") return read_ply(file);
    if (ending == ".stl") return read_stl(file);
    if (ending == ".off") return read_off(file);
    if (ending == ".gltf" || ending == ".glb") return read_gltf(file);
    return read_by_content(file);
}

Surface surface_of(Mesh raw) {
    Surface surface;
    surface.label = raw.name.empty() ? "mesh" : raw.name;
    for (std::size_t t = 0; t < raw.triangles.size(); ++t)
        for (const auto v : raw.triangles[t])
            if (v >= raw.vertices.size())
                fail(ErrorCode::bad_mesh, "{}: triangle {} names vertex {}, but there are {}",
                     surface.label, t, v, raw.vertices.size());
    if (raw.vertices.size() > most_elements || raw.triangles.size() > most_elements)
        fail(ErrorCode::bad_mesh, "{}: more than {} vertices or triangles; simplify the mesh",
             surface.label, most_elements);
    if (!raw.colours.empty() && raw.colours.size() != raw.vertices.size())
        fail(ErrorCode::bad_mesh, "{}: {} colours, but {} vertices", surface.label,
             raw.colours.size(), raw.vertices.size());
    surface.vertices = std::move(raw.vertices);
    surface.colours = std::move(raw.colours);
    surface.triangles = std::move(raw.triangles);
    surface.vertex_source.resize(surface.vertices.size());
    surface.triangle_source.resize(surface.triangles.size());
    std::iota(surface.vertex_source.begin(), surface.vertex_source.end(), 0u);
    std::iota(surface.triangle_source.begin(), surface.triangle_source.end(), 0u);
    return surface;
}

struct LabelledSoup {
    PolygonSoup soup;
    std::string label;
};

LabelledSoup read_soup(const SourceFile& file) {
    LabelledSoup result{read_polygons(file), file.name};
    if (result.soup.vertices.empty())
        fail(ErrorCode::bad_file, "{}: there are no vertices in the file; export the mesh again",
             result.label);
    return result;
}

}  // namespace

PolygonSoup read_polygons(const SourceFile& file) {
    PolygonSoup soup = read_by_ending(file);
    finish_colours(soup);
    return soup;
}

Mesh load_closed(const SourceFile& file, const MeshOptions& options, MeshReport& findings) {
    auto [soup, label] = read_soup(file);
    findings.warnings = std::move(soup.warnings);
    if (soup.size() == 0)
        throw NotClosed(
            ErrorCode::bad_mesh,
            fmt::format("{}: there are no faces in the file; export the mesh again", label));
    Mesh mesh = close_surface(triangulated(std::move(soup), label), options, findings);
    mesh.name = file.path.stem().string();
    return mesh;
}

Mesh closed_mesh(Mesh raw, const MeshOptions& options, MeshReport& findings) {
    const std::string name = raw.name;
    Mesh mesh = close_surface(surface_of(std::move(raw)), options, findings);
    mesh.name = name;
    return mesh;
}

Mesh read_as_it_is(const SourceFile& file) {
    auto [soup, label] = read_soup(file);
    Surface surface = triangulated(std::move(soup), label);
    return {file.path.stem().string(), std::move(surface.vertices), std::move(surface.triangles),
            std::move(surface.colours)};
}

Mesh read_mesh(const std::filesystem::path& path, Status* status) {
    return reporting_to(
        status, [&] { return read_as_it_is(read_source_file(path)); }, Mesh{});
}

Mesh read_mesh(std::span<const std::byte> bytes, const std::string& name, Status* status) {
    return reporting_to(
        status, [&] { return read_as_it_is(source_file_of(bytes, name)); }, Mesh{});
}

}  // namespace turgor
