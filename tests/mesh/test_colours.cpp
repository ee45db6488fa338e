#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/random.hpp"
#include "mesh/test_repair_helpers.hpp"
#include "mesh/vertex_values.hpp"

namespace turgor {
namespace {

using test::contains;
using test::find;
using test::Folder;
using test::load_bytes;
using test::refusal;

/// A colour that tells where a vertex is, so that a wrong order shows.
Vec3f colour_at(Vec3 p) {
    const auto share = [](double x) { return static_cast<float>(0.5 + 0.25 * x); };
    return {share(p.x), share(p.y), share(p.z)};
}

Mesh painted(Mesh mesh) {
    mesh.colours.clear();
    for (const Vec3 p : mesh.vertices) mesh.colours.push_back(colour_at(p));
    return mesh;
}

void expect_painted(const Mesh& mesh, double tolerance = 0) {
    ASSERT_EQ(mesh.colours.size(), mesh.vertices.size());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        const Vec3 off = to_double(mesh.colours[v]) - to_double(colour_at(mesh.vertices[v]));
        ASSERT_LE(norm(off), tolerance) << v;
    }
}

const std::string faces_from_1 = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

const std::vector<Vec3f> four{{0, 0.25f, 1}, {0.5f, 0, 0.125f}, {1, 1, 0}, {0.75f, 0.5f, 0.25f}};

TEST(Colours, AreReadFromObj) {
    const Mesh mesh = load_bytes("a.obj",
                                 "v 0 0 0 0 0.25 1\nv 1 0 0 0.5 0 0.125\nv 0 1 0 1 1 0\n"
                                 "v 0 0 1 0.75 0.5 0.25\n" +
                                     faces_from_1);
    EXPECT_EQ(mesh.colours, four);
    const std::string plain = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" + faces_from_1;
    EXPECT_TRUE(load_bytes("a.obj", plain).colours.empty());
    // A weight is no colour; what has none beside others that have is white.
    const std::string weights = "v 0 0 0 1\nv 1 0 0 1\nv 0 1 0 1\nv 0 0 1 1\n" + faces_from_1;
    EXPECT_TRUE(load_bytes("a.obj", weights).colours.empty());
    const std::string one = "v 0 0 0\nv 1 0 0 0 0.5 0\nv 0 1 0\nv 0 0 1\n" + faces_from_1;
    EXPECT_EQ(load_bytes("a.obj", one).colours,
              (std::vector<Vec3f>{{1, 1, 1}, {0, 0.5f, 0}, {1, 1, 1}, {1, 1, 1}}));
}

TEST(Colours, AreReadFromPly) {
    const std::string faces =
        "element face 4\nproperty list uchar int vertex_indices\nend_header\n";
    const std::string rows = "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
    const auto file = [&](const char* type, const std::string& vertices) {
        std::string header =
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n"
            "property float y\nproperty float z\n";
        for (const char* name : {"red", "green", "blue"})
            header += fmt::format("property {} {}\n", type, name);
        return header + "property uchar alpha\n" + faces + vertices + rows;
    };
    const std::vector<Vec3f> bytes =
        load_bytes("a.ply", file("uchar",
                                 "0 0 0 0 51 255 9\n1 0 0 102 0 255 9\n"
                                 "0 1 0 255 255 0 9\n0 0 1 0 0 0 9\n"))
            .colours;
    EXPECT_EQ(bytes, (std::vector<Vec3f>{{0, 0.2f, 1}, {0.4f, 0, 1}, {1, 1, 0}, {0, 0, 0}}));
    EXPECT_EQ(load_bytes("a.ply", file("float",
                                       "0 0 0 0 0.25 1 9\n1 0 0 0.5 0 0.125 9\n0 1 0 1 1 0 9\n"
                                       "0 0 1 0.75 0.5 0.25 9\n"))
                  .colours,
              four);
    EXPECT_EQ(load_bytes("a.ply", file("ushort",
                                       "0 0 0 0 0 65535 9\n1 0 0 0 0 0 9\n0 1 0 0 0 0 9\n"
                                       "0 0 1 0 0 0 9\n"))
                  .colours[0],
              (Vec3f{0, 0, 1}));
    EXPECT_TRUE(
        contains(test::refusal_of_bytes("a.ply", file("uchar", "0 0 0 0 51 x 9\n")), "colour"));
}

TEST(Colours, OutOfRangeAreLeftOutWithAWarning) {
    MeshReport report;
    const Mesh mesh = load_bytes(
        "a.obj", "v 0 0 0 0 0 0\nv 1 0 0 0 128 255\nv 0 1 0 0 0 0\nv 0 0 1 0 0 0\n" + faces_from_1,
        &report);
    EXPECT_TRUE(mesh.colours.empty());
    ASSERT_EQ(report.warnings.size(), 1u);
    EXPECT_EQ(report.warnings[0].kind, "ignored_colours");
    EXPECT_TRUE(contains(report.warnings[0].sentence, "vertex 1 is 0, 128, 255"));
}

TEST(Colours, SurviveEveryFileThatHasThem) {
    const Folder folder;
    const Mesh mesh = painted(shapes::icosphere(1, 2));
    for (const char* name : {"a.obj", "a.ply", "a.glb"}) {
        save_mesh(mesh, folder / name);
        EXPECT_EQ(load_mesh(folder / name).colours, mesh.colours) << name;
        EXPECT_EQ(read_mesh(folder / name).colours, mesh.colours) << name;
        save_mesh(shapes::icosphere(1, 2), folder / name);
        EXPECT_TRUE(load_mesh(folder / name).colours.empty()) << name;
    }
    for (const char* name : {"a.off", "a.stl"}) {
        save_mesh(mesh, folder / name);
        EXPECT_TRUE(load_mesh(folder / name).colours.empty()) << name;
    }
}

TEST(Colours, SurviveWeldingAndWhatIsDropped) {
    Mesh soup;  // three vertices for each triangle, and some that nobody uses
    const Mesh ball = shapes::icosphere(1, 2);
    for (const auto& t : ball.triangles) {
        const auto first = static_cast<std::uint32_t>(soup.vertices.size());
        for (const auto v : t) soup.vertices.push_back(ball.vertices[v]);
        soup.vertices.push_back({9, 9, 9});
        soup.triangles.push_back({first, first + 1, first + 2});
    }
    const Mesh mesh = make_mesh(painted(soup));
    EXPECT_EQ(mesh.vertices.size(), ball.vertices.size());
    expect_painted(mesh);
}

TEST(Colours, SurviveSplitVertices) {
    // Two boxes that share one corner, which each gets for itself.
    Mesh mesh = test::box({0, 0, 0}, {1, 1, 1});
    const Mesh other = test::box({1, 1, 1}, {2, 2, 2});
    const auto offset = static_cast<std::uint32_t>(mesh.vertices.size());
    std::uint32_t shared = 0, theirs = 0;
    for (std::uint32_t v = 0; v < offset; ++v) {
        if (mesh.vertices[v] == Vec3{1, 1, 1}) shared = v;
        if (other.vertices[v] == Vec3{1, 1, 1}) theirs = v;
    }
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (const Triangle& t : other.triangles) {
        Triangle moved;
        for (std::size_t k = 0; k < 3; ++k) moved[k] = t[k] == theirs ? shared : t[k] + offset;
        mesh.triangles.push_back(moved);
    }
    MeshReport report;
    const Mesh made = make_mesh(painted(mesh), {}, &report);
    EXPECT_TRUE(find(report.repairs, "split_vertices"));
    expect_painted(made);
}

TEST(Colours, OfAVertexInAClosedHoleIsTheMeanAroundIt) {
    // Two triangles of a tetrahedron: the hole cannot be cut along their common edge.
    Mesh mesh;
    mesh.vertices = {{-1, 0, 0}, {1, 0, 0}, {0, 2, 4}, {0, -2, 4}};
    mesh.triangles = {{0, 3, 2}, {1, 2, 3}};
    mesh.colours = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0.5f, 0}};
    const Mesh made = test::repaired(mesh, "closed_holes", false);
    ASSERT_EQ(made.vertices.size(), 5u);
    ASSERT_EQ(made.colours.size(), 5u);
    EXPECT_EQ(made.colours[4], (Vec3f{0.25f, 0.375f, 0.25f}));
}

TEST(Colours, OfAMeshInMemoryMustBeOneForEachVertex) {
    Mesh mesh = painted(shapes::cube(1, 3));
    mesh.colours.pop_back();
    EXPECT_TRUE(contains(test::refusal_of(mesh), "25 colours, but 26 vertices"));
    EXPECT_TRUE(contains(refusal([&] { simplify(mesh, 10); }), "colours"));
}

TEST(Colours, GoWithTheirVerticesWhereAMeshIsSplit) {
    Mesh mesh = shapes::icosphere(0.5, 1);
    const Mesh other = shapes::cube(0.5, 4);
    const auto offset = static_cast<std::uint32_t>(mesh.vertices.size());
    for (const Vec3 p : other.vertices) mesh.vertices.push_back(p + Vec3{1.4, 0, 0});
    for (const auto& [a, b, c] : other.triangles)
        mesh.triangles.push_back({a + offset, b + offset, c + offset});
    for (const Mesh& body : split_bodies(painted(mesh))) expect_painted(body);
}

TEST(Colours, OfASimplifiedMeshAreThoseNearby) {
    const Mesh mesh = painted(shapes::icosphere(1, 4));
    expect_painted(simplify(mesh, 300), 0.03);
    EXPECT_TRUE(simplify(shapes::icosphere(1, 4), 300).colours.empty());
}

TEST(VertexValues, OnACoarserMeshKeepTheirSums) {
    const Mesh fine = shapes::icosphere(1, 4), coarse = simplify(fine, 300);
    // A spot that is smaller than the coarse triangles is not lost.
    std::vector<double> values(fine.vertices.size(), 1);
    for (std::size_t v = 0; v < values.size(); ++v)
        if (fine.vertices[v].y > 0.99) values[v] = 50;
    const auto integral = [](const Mesh& mesh, const std::vector<double>& of) {
        double sum = 0;
        for (const auto& t : mesh.triangles) {
            const Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
            for (const auto v : t) sum += of[v] * norm(cross(b - a, c - a)) / 6;
        }
        return sum;
    };
    const std::vector<double> moved = values_on<double>(coarse, fine, values);
    EXPECT_NEAR(integral(coarse, moved) / integral(fine, values), 1, 0.02);
    // Onto a finer mesh they are interpolated.
    std::vector<double> heights;
    for (const Vec3 p : coarse.vertices) heights.push_back(p.y);
    const std::vector<double> on_fine = values_on<double>(fine, coarse, heights);
    for (std::size_t v = 0; v < on_fine.size(); ++v)
        EXPECT_NEAR(on_fine[v], fine.vertices[v].y, 0.1);
}

}  // namespace
}  // namespace turgor
