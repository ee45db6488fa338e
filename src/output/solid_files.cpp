#include "output/solid_files.hpp"

#include <bit>
#include <cstring>
#include <span>

#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "output/text.hpp"

namespace turgor {
namespace {

static_assert(std::endian::native == std::endian::little, "VTK is told so");

using Tetrahedra = std::vector<std::array<std::uint32_t, 4>>;

void append_point(std::string& text, Vec3 p) {
    for (int k = 0; k < 3; ++k) {
        if (k > 0) text += ' ';
        append_number(text, p[k]);
    }
}

void append_base64(std::string& text, std::string_view bytes) {
    constexpr const char* digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three = three << 8 | (k < n ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
}

/// What VTK calls "binary": the number of bytes, then they, in base64.
template <class T>
void append_array(std::string& text, const char* attributes, const std::vector<T>& values) {
    std::string bytes(sizeof(std::uint64_t) + values.size() * sizeof(T), '\0');
    const std::uint64_t size = values.size() * sizeof(T);
    std::memcpy(bytes.data(), &size, sizeof size);
    if (size > 0) std::memcpy(bytes.data() + sizeof size, values.data(), size);
    text += std::string("<DataArray ") + attributes + " format=\"binary\">";
    append_base64(text, bytes);
    text += "</DataArray>\n";
}

std::string vtu_text(const Solid& solid) {
    const Tetrahedra tetrahedra = solid.tetrahedra();
    std::vector<std::int64_t> connectivity, offsets;
    std::vector<std::int32_t> cells;
    for (std::size_t t = 0; t < tetrahedra.size(); ++t) {
        connectivity.insert(connectivity.end(), tetrahedra[t].begin(), tetrahedra[t].end());
        offsets.push_back(static_cast<std::int64_t>(4 * (t + 1)));
        cells.push_back(static_cast<std::int32_t>(t / 5));
    }
    constexpr std::uint8_t vtk_tetra = 10;
    std::vector<std::uint8_t> surface(solid.corners.size());
    std::fill_n(surface.begin(), solid.surface_count, std::uint8_t{1});
    std::string text =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece "
        "NumberOfPoints=\"" +
        std::to_string(solid.corners.size()) + "\" NumberOfCells=\"" +
        std::to_string(tetrahedra.size()) + "\">\n<Points>\n";
    std::vector<double> points;
    for (const Vec3& p : solid.corners) points.insert(points.end(), {p.x, p.y, p.z});
    append_array(text, R"(type="Float64" Name="Points" NumberOfComponents="3")", points);
    text += "</Points>\n<Cells>\n";
    append_array(text, R"(type="Int64" Name="connectivity")", connectivity);
    append_array(text, R"(type="Int64" Name="offsets")", offsets);
    append_array(text, R"(type="UInt8" Name="types")",
                 std::vector<std::uint8_t>(tetrahedra.size(), vtk_tetra));
    text += "</Cells>\n<PointData>\n";
    append_array(text, R"(type="UInt8" Name="surface")", surface);
    text += "</PointData>\n<CellData>\n";
    append_array(text, R"(type="Int32" Name="cell")", cells);
    text += "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
    return text;
}

/// One element of a .msh file: its number, type, two tags (physical and geometric group), nodes.
void append_element(std::string& text, std::size_t number, const char* type_and_tags,
                    std::span<const std::uint32_t> nodes) {
    append_number(text, number);
    text += type_and_tags;
    for (const std::uint32_t node : nodes) {
        text += ' ';
        append_number(text, std::uint64_t{node} + 1);
    }
    text += '\n';
}

std::string msh_text(const Solid& solid) {
    const Tetrahedra tetrahedra = solid.tetrahedra();
    std::string text =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"surface\"\n3 2 "
        "\"solid\"\n$EndPhysicalNames\n$Nodes\n";
    append_number(text, solid.corners.size());
    text += '\n';
    for (std::size_t i = 0; i < solid.corners.size(); ++i) {
        append_number(text, i + 1);
        text += ' ';
        append_point(text, solid.corners[i]);
        text += '\n';
    }
    text += "$EndNodes\n$Elements\n";
    append_number(text, solid.triangles.size() + tetrahedra.size());
    text += '\n';
    std::size_t number = 0;
    for (const Triangle& t : solid.triangles) append_element(text, ++number, " 2 2 1 1", t);
    for (const auto& t : tetrahedra) append_element(text, ++number, " 4 2 2 2", t);
    text += "$EndElements\n";
    return text;
}

std::string ending_of(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return ending;
}

}  // namespace

bool is_solid_file(const std::filesystem::path& file) {
    const std::string ending = ending_of(file);
    return ending == ".vtu" || ending == ".msh" || ending == ".obj";
}

void save_solid(const Solid& solid, const std::filesystem::path& file) {
    const std::string ending = ending_of(file);
    if (ending == ".obj") return save_mesh(solid.surface(), file);
    if (!is_solid_file(file))
        fail(ErrorCode::bad_argument,
             "{}: a solid is not written with the ending \"{}\"; use .vtu, .msh or .obj",
             file.filename().string(), ending);
    AtomicFile out(file);
    out.write(ending == ".vtu" ? vtu_text(solid) : msh_text(solid));
    out.commit();
}

}  // namespace turgor
