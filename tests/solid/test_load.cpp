#include <gtest/gtest.h>

#include "mesh/mesh_checks.hpp"
#include "mesh/test_read_helpers.hpp"
#include "turgor/solid.hpp"

namespace turgor {
namespace {

using namespace checks;
using test::Folder;

/// A cube without its lid.
constexpr const char* open_box =
    "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0 1 0\nv 1 1 0\nv 1 1 1\nv 0 1 1\n"
    "v 0.2 1 0.2\nv 0.8 1 0.2\nv 0.8 1 0.8\nv 0.2 1 0.8\n"
    "f 1 2 3 4\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n";

/// Three sheets in space: nothing closes them.
constexpr const char* sheets =
    "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0 1 0.5\nv 1 1 0.4\nv 0.5 0.5 0\nv 0.5 0.4 1\n"
    "f 1 2 3 4\nf 1 2 6 5\nf 7 8 5\nf 3 7 8\n";

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

TEST(LoadMesh, OffersACageForWhatIsNotClosed) {
    Status status;
    load_mesh(bytes_of(sheets), "sheets.obj", {}, nullptr, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_mesh);
    for (const char* way : {"sheets.obj", "--wrap", "\"wrap\": true", "MeshOptions::wrap"})
        EXPECT_NE(status.message.find(way), std::string::npos) << status.message;
}

TEST(LoadMesh, OffersNoCageForWhatIsNoMesh) {
    for (const char* text :
         {"v 0 0 0\nv 1 x 0\n", "", "v 1e300 0 0\nv 0 1e300 0\nv 0 0 1\nf 1 2 3\n"}) {
        Status status;
        load_mesh(bytes_of(text), "bad.obj", {}, nullptr, &status);
        EXPECT_FALSE(status.ok());
        EXPECT_EQ(status.message.find("wrap"), std::string::npos) << status.message;
    }
}

TEST(LoadMesh, WrapsWhenAsked) {
    for (const char* text : {sheets, open_box}) {
        MeshReport report;
        MeshOptions options;
        options.wrap = 500;
        const Mesh cage = load_mesh(bytes_of(text), "thing.obj", options, &report);
        EXPECT_TRUE(is_closed_manifold(cage));
        EXPECT_EQ(cage.name, "thing");
        EXPECT_EQ(report.vertices, cage.vertices.size());
        EXPECT_EQ(report.components, 1u);
        EXPECT_EQ(report.genus, genus(cage));
        EXPECT_DOUBLE_EQ(report.volume, volume(cage));
        ASSERT_EQ(report.repairs.size(), 1u);
        EXPECT_EQ(report.repairs[0].kind, "wrapped");
    }
}

TEST(LoadMesh, WrapsMeshesInMemory) {
    MeshOptions options;
    options.wrap = 300;
    const Mesh raw = read_mesh(bytes_of(sheets), "sheets.obj");
    EXPECT_EQ(make_mesh(raw, options).vertices, wrap(raw, 300).vertices);
    Status status;
    make_mesh(raw, {}, nullptr, &status);
    EXPECT_NE(status.message.find("MeshOptions::wrap"), std::string::npos) << status.message;
}

TEST(ReadMesh, ReadsLinesWhereThereAreNoFaces) {
    const Mesh lines = read_mesh(
        bytes_of("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nl 1 2 3\nl -1/7 1/2\n"), "lines.obj");
    const std::vector<Triangle> expected{{0, 1, 1}, {1, 2, 2}, {3, 0, 0}};
    EXPECT_EQ(lines.triangles, expected);
    EXPECT_EQ(lines.vertices.size(), 4u);
    const Mesh cage = wrap(lines, 200);
    EXPECT_TRUE(is_closed_manifold(cage));
    // Beside faces, lines are decoration.
    const Mesh both =
        read_mesh(bytes_of("v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2\nf 1 2 3\n"), "both.obj");
    EXPECT_EQ(both.triangles.size(), 1u);
    for (const char* bad : {"v 0 0 0\nl 1 2\n", "v 0 0 0\nl 1 x\n", "v 0 0 0\nl 0\n"}) {
        Status status;
        read_mesh(bytes_of(bad), "bad.obj", &status);
        EXPECT_EQ(status.code, ErrorCode::bad_file) << bad;
    }
}

TEST(ReadMesh, ReadsPoints) {
    const Mesh obj = read_mesh(bytes_of("v 0 0 0\nv 1 0 0 0.5 0 1\nv 1 1 2\n"), "points.obj");
    EXPECT_EQ(obj.vertices.size(), 3u);
    EXPECT_TRUE(obj.triangles.empty());
    EXPECT_EQ(obj.colours.size(), 3u);
    const Mesh ply = read_mesh(
        bytes_of("ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                 "property float z\nend_header\n0 0 0\n1 2 3\n"),
        "points.ply");
    EXPECT_EQ(ply.vertices.size(), 2u);
    for (const auto& mesh : {obj, ply}) EXPECT_TRUE(is_closed_manifold(wrap(mesh, 100)));
    Status status;
    load_mesh(bytes_of("v 0 0 0\nv 1 0 0\nv 1 1 2\n"), "points.obj", {}, nullptr, &status);
    EXPECT_NE(status.message.find("no faces"), std::string::npos) << status.message;
    EXPECT_NE(status.message.find("--wrap"), std::string::npos) << status.message;
}

}  // namespace
}  // namespace turgor
