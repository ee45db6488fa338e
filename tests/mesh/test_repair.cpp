#include <algorithm>
#include <cmath>
#include <random>

#include "mesh/test_repair_helpers.hpp"

namespace turgor {
namespace {

using test::box;
using test::contains;
using test::find;
using test::good_meshes;
using test::is_sound;
using test::joined;
using test::refusal_of;
using test::repaired;
using test::turned;
using test::unwelded;

TEST(MakeMesh, LeavesGoodMeshesAlone) {
    for (const auto& mesh : good_meshes()) {
        MeshReport report;
        const Mesh made = make_mesh(mesh, {1e-6, true}, &report);
        EXPECT_EQ(made.vertices, mesh.vertices);
        EXPECT_EQ(made.triangles, mesh.triangles);
        EXPECT_TRUE(report.repairs.empty());
        EXPECT_TRUE(report.warnings.empty());
        EXPECT_EQ(report.vertices, mesh.vertices.size());
        EXPECT_EQ(report.triangles, mesh.triangles.size());
        EXPECT_EQ(report.volume, volume(mesh));
        EXPECT_EQ(report.area, area(mesh));
        EXPECT_EQ(report.components, 1u);
    }
}

TEST(MakeMesh, CollapsesEdgesOfNoLength) {
    // A vertex of a sphere doubled: its fan is cut in two, the gap closed with two triangles
    // without area.
    for (const double gap : {0.0, 1e-8}) {
        Mesh mesh = shapes::icosphere(1, 2);
        const std::size_t vertices = mesh.vertices.size(), triangles = mesh.triangles.size();
        const Triangle first = mesh.triangles[0];
        const std::uint32_t v = first[0], copy = static_cast<std::uint32_t>(vertices);
        mesh.vertices.push_back(mesh.vertices[v] + Vec3{gap, 0, 0});
        // Triangles 0 and its neighbour across edge (v, first[2]) move to the copy.
        std::uint32_t other = 0;
        for (std::uint32_t t = 1; t < triangles; ++t) {
            const auto& n = mesh.triangles[t];
            for (int c = 0; c < 3; ++c)
                if (n[c] == v && n[(c + 1) % 3] == first[2]) other = t;
        }
        ASSERT_NE(other, 0u);
        std::uint32_t far = 0;
        for (const auto w : mesh.triangles[other])
            if (w != v && w != first[2]) far = w;
        for (const std::uint32_t t : {0u, other})
            for (auto& w : mesh.triangles[t])
                if (w == v) w = copy;
        mesh.triangles.push_back({v, first[1], copy});
        mesh.triangles.push_back({v, copy, far});
        const Mesh made = repaired(mesh, "collapsed_edges");
        EXPECT_EQ(made.vertices.size(), vertices);
        EXPECT_EQ(made.triangles.size(), triangles);
    }
}

TEST(MakeMesh, FlipsTrianglesWithoutAreaAway) {
    // A vertex on the middle of an edge with a flat triangle that closes the gap, as some exporters
    // do.
    for (const auto& mesh : good_meshes()) {
        Mesh raw = mesh;
        const auto [a, b, c] = raw.triangles[0];
        const auto p = static_cast<std::uint32_t>(raw.vertices.size());
        raw.vertices.push_back(0.5 * (raw.vertices[a] + raw.vertices[b]));
        raw.triangles[0] = {a, p, c};
        raw.triangles.push_back({p, b, c});
        raw.triangles.push_back({a, b, p});
        const Mesh made = repaired(raw, "flipped_flat_triangles");
        EXPECT_NEAR(volume(made), volume(mesh), 1e-12);
        EXPECT_NEAR(area(made), area(mesh), 1e-12);
        for (const auto& t : made.triangles)
            EXPECT_GT(norm(cross(made.vertices[t[1]] - made.vertices[t[0]],
                                 made.vertices[t[2]] - made.vertices[t[0]])),
                      1e-9);
    }
}

TEST(MakeMesh, SplitsEdgesAtTJunctions) {
    for (const auto& mesh : good_meshes()) {
        for (const int extra : {1, 2, 5}) {
            // One side of edge a-b gets vertices on it, the other does not.
            Mesh raw = mesh;
            const auto [a, b, c] = raw.triangles[0];
            std::uint32_t last = a;
            const auto first_new = static_cast<std::uint32_t>(raw.vertices.size());
            for (int i = 1; i <= extra; ++i) {
                const double t = i / (extra + 1.0);
                raw.vertices.push_back((1 - t) * raw.vertices[a] + t * raw.vertices[b]);
                raw.triangles.push_back({last, first_new + static_cast<std::uint32_t>(i) - 1, c});
                last = first_new + static_cast<std::uint32_t>(i) - 1;
            }
            raw.triangles[0] = {last, b, c};
            const Mesh made = repaired(raw, "split_t_junctions");
            EXPECT_EQ(made.vertices.size(), raw.vertices.size());
            EXPECT_NEAR(volume(made), volume(mesh), 1e-12);
        }
    }
}

TEST(MakeMesh, ClosesSmallAndFlatHoles) {
    for (const auto& mesh : good_meshes()) {
        if (mesh.triangles.size() < 20) continue;
        Mesh raw = mesh;
        raw.triangles.erase(raw.triangles.begin() + 7);
        const Mesh made = repaired(raw, "closed_holes");
        EXPECT_NEAR(volume(made), volume(mesh), 1e-12);
    }
    // The whole top of a fine cube: a border of 40 edges in one plane.
    Mesh open = shapes::cube(1, 11);
    std::erase_if(open.triangles, [&](const Triangle& t) {
        return open.vertices[t[0]].y > 0.4999 && open.vertices[t[1]].y > 0.4999 &&
               open.vertices[t[2]].y > 0.4999;
    });
    const Mesh made = repaired(open, "closed_holes", false);
    EXPECT_NEAR(volume(made), 1, 1e-12);
}

TEST(MakeMesh, RefusesLargeHolesAndSheets) {
    Mesh half = shapes::icosphere(1, 3);
    std::erase_if(half.triangles, [&](const Triangle& t) {
        return half.vertices[t[0]].y > 0.1 && half.vertices[t[1]].x > -0.2;
    });
    EXPECT_TRUE(contains(refusal_of(half), "not closed: "));
    EXPECT_TRUE(contains(refusal_of(half), "first edge "));
    Mesh triangle;
    triangle.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    triangle.triangles = {{0, 1, 2}};
    EXPECT_TRUE(contains(refusal_of(triangle), "not closed: 3 border edges, first edge 0-1"));
    Mesh sheet;
    for (int i = 0; i < 9; ++i)
        sheet.vertices.push_back({double(i % 3), double(i / 3), 0.01 * (i == 4)});
    for (const std::uint32_t i : {0u, 1u, 3u, 4u}) {
        sheet.triangles.push_back({i, i + 1, i + 4});
        sheet.triangles.push_back({i, i + 4, i + 3});
    }
    EXPECT_TRUE(contains(refusal_of(sheet), "not closed: 8 border edges"));
}

TEST(MakeMesh, DropsDuplicateFacesWhateverTheirDirection) {
    for (const auto& mesh : good_meshes()) {
        Mesh raw = mesh;
        for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
            raw.triangles.push_back(mesh.triangles[t]);
        EXPECT_EQ(repaired(raw, "dropped_duplicates").triangles.size(), mesh.triangles.size());
        // Both sides of every face listed, as for drawing without culling.
        Mesh doubled = mesh;
        for (const auto& t : turned(mesh).triangles) doubled.triangles.push_back(t);
        EXPECT_NEAR(volume(repaired(doubled, "dropped_duplicates", false)), volume(mesh), 1e-12);
        EXPECT_NEAR(volume(repaired(unwelded(doubled), "dropped_duplicates", false)), volume(mesh),
                    1e-12);
    }
    // Some faces a second time, in the other direction.
    Mesh some = shapes::icosphere(1, 2);
    const Mesh other = turned(some);
    for (std::size_t t = 0; t < 10; ++t) some.triangles.push_back(other.triangles[t]);
    EXPECT_EQ(repaired(some, "dropped_duplicates").triangles.size(), other.triangles.size());
}

TEST(MakeMesh, DropsWhatMeansNothing) {
    Mesh raw = box({0, 0, 0}, {1, 1, 1});
    raw.vertices.push_back({1e9, 0, 0});  // unused, so it does not count for the size either
    raw.triangles.push_back({0, 0, 1});
    MeshReport report;
    const Mesh made = make_mesh(raw, {}, &report);
    EXPECT_TRUE(find(report.repairs, "dropped_vertices"));
    EXPECT_TRUE(find(report.repairs, "dropped_triangles"));
    EXPECT_EQ(made.vertices.size(), 8u);
    EXPECT_EQ(report.bounds.upper, (Vec3{1, 1, 1}));
}

TEST(MakeMesh, TurnsTrianglesThatDisagree) {
    std::mt19937 random(3);
    for (const auto& mesh : good_meshes()) {
        Mesh raw = mesh;
        for (auto& t : raw.triangles)
            if (random() % 3 == 0) std::swap(t[0], t[1]);
        EXPECT_NEAR(volume(repaired(raw, "turned_triangles", false)), volume(mesh), 1e-12);
        EXPECT_NEAR(volume(repaired(turned(mesh), "turned_parts")), volume(mesh), 1e-12);
    }
}

TEST(MakeMesh, CountsInGoodEnglish) {
    const auto sentence = [](const Mesh& raw) {
        MeshReport report;
        make_mesh(raw, {}, &report);
        return report.repairs.empty() ? "" : report.repairs.front().sentence;
    };
    Mesh open = shapes::cube(1, 5), opener = open, disagreeing = open;
    open.triangles.erase(open.triangles.begin() + 7);
    opener.triangles.erase(opener.triangles.begin() + 40);
    opener.triangles.erase(opener.triangles.begin() + 7);
    std::swap(disagreeing.triangles[7][0], disagreeing.triangles[7][1]);
    EXPECT_EQ(sentence(open), "closed 1 hole, 3 border edges in all");
    EXPECT_EQ(sentence(opener), "closed 2 holes, 6 border edges in all");
    EXPECT_EQ(sentence(disagreeing),
              "turned 1 triangle that faced the other way than its neighbours");
    EXPECT_EQ(sentence(turned(open)), "closed 1 hole, 3 border edges in all");
    EXPECT_EQ(sentence(turned(shapes::cube(1, 5))), "turned the surface, which was inside out");
}

TEST(MakeMesh, TurnsTheFewAndNotTheMany) {
    Mesh raw = shapes::icosphere(1, 2);
    std::swap(raw.triangles[0][0], raw.triangles[0][1]);
    MeshReport report;
    make_mesh(raw, {}, &report);
    ASSERT_EQ(report.repairs.size(), 1u);
    EXPECT_EQ(report.repairs[0].kind, "turned_triangles");
    EXPECT_EQ(report.repairs[0].elements, std::vector<std::string>{"triangle 0"});
}

TEST(MakeMesh, RefusesSurfacesWithOneSide) {
    // A Klein bottle as a grid of quads whose one seam is mirrored.
    const int n = 12, m = 8;
    Mesh klein;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double u = 6.283185307179586 * i / n, v = 6.283185307179586 * j / m;
            const double r = 2 + std::cos(u / 2) * std::sin(v) - std::sin(u / 2) * std::sin(2 * v);
            klein.vertices.push_back(
                {r * std::cos(u), r * std::sin(u),
                 std::sin(u / 2) * std::sin(v) + std::cos(u / 2) * std::sin(2 * v)});
        }
    const auto at = [&](int i, int j) {
        if (i == n) return static_cast<std::uint32_t>((m - j) % m);
        return static_cast<std::uint32_t>(i * m + j % m);
    };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            klein.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            klein.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    EXPECT_TRUE(contains(refusal_of(klein), "only one side"));
    EXPECT_TRUE(contains(refusal_of(klein), "edge "));
}

TEST(MakeMesh, RefusesWhatHasNoVolume) {
    Mesh flat;
    flat.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1e-14}};
    flat.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    EXPECT_TRUE(contains(refusal_of(flat), "no volume"));
    flat.triangles = {{0, 1, 2}, {0, 2, 1}};
    EXPECT_TRUE(contains(refusal_of(flat), "no volume"));
    // A flat part beside a good one is named.
    EXPECT_TRUE(
        contains(refusal_of(joined(box({0, 0, 0}, {1, 1, 1}), box({3, 0, 0}, {4, 1, 1e-12}))),
                 "triangle 12"));
    EXPECT_EQ(refusal_of(box({0, 0, 0}, {1, 1, 1e-4})), "");
}

TEST(MakeMesh, RefusesSizesItCannotComputeWith) {
    const Mesh ball = shapes::icosphere(1, 1);
    EXPECT_EQ(refusal_of(transformed(ball, {}, 1e9)), "");
    EXPECT_EQ(refusal_of(transformed(ball, {}, 1e-9)), "");
    EXPECT_TRUE(contains(refusal_of(transformed(ball, {}, 1e300)), "too large"));
    EXPECT_TRUE(contains(refusal_of(transformed(ball, {}, 1e-200)), "too small"));
    Mesh bad = ball;
    bad.vertices[3].y = NAN;
    EXPECT_TRUE(contains(refusal_of(bad), "vertex 3 is not finite"));
    bad = ball;
    bad.triangles[5][1] = 4000;
    EXPECT_TRUE(contains(refusal_of(bad), "triangle 5 names vertex 4000"));
    EXPECT_TRUE(contains(refusal_of({}), "no vertices"));
}

TEST(MakeMesh, WarnsFarFromTheOrigin) {
    MeshReport report;
    const Mesh far = make_mesh(transformed(shapes::icosphere(1, 2), {1e6, 0, 0}), {}, &report);
    EXPECT_NEAR(volume(far), volume(shapes::icosphere(1, 2)), 1e-8);
    EXPECT_TRUE(find(report.warnings, "far_from_origin"));
    make_mesh(transformed(shapes::icosphere(1, 2), {100, 0, 0}), {}, &report);
    EXPECT_TRUE(report.warnings.empty());
}

TEST(MakeMesh, NamesTheMeshInItsSentence) {
    Mesh mesh = box({0, 0, 0}, {1, 1, 1});
    mesh.name = "crate";
    EXPECT_EQ(make_mesh(mesh).name, "crate");
    mesh.triangles.resize(5);
    EXPECT_TRUE(refusal_of(mesh).starts_with("crate: "));
    Status status;
    EXPECT_TRUE(make_mesh(mesh, {}, nullptr, &status).triangles.empty());
    EXPECT_EQ(status.code, ErrorCode::bad_mesh);
}

/// Random damage of many kinds at once: the result is sound or refused.
TEST(MakeMesh, MakesAnyDamageSoundOrRefusesIt) {
    int made = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
        std::mt19937 random(seed);
        Mesh raw = good_meshes()[seed % good_meshes().size()];
        if (random() % 2) raw = joined(raw, transformed(raw, {random() % 3 * 0.5, 0, 0}));
        if (random() % 3 == 0) raw = unwelded(raw);
        for (unsigned n = random() % 5; n-- > 0;) {
            auto& t = raw.triangles[random() % raw.triangles.size()];
            switch (random() % 6) {
                case 0:
                    t[random() % 3] = static_cast<std::uint32_t>(random() % raw.vertices.size());
                    break;
                case 1:
                    std::swap(t[0], t[1]);
                    break;
                case 2:
                    raw.vertices[t[0]] = raw.vertices[t[1]];
                    break;
                case 3:
                    raw.triangles.push_back(Triangle(t));
                    break;
                case 4:
                    t = raw.triangles.back(), raw.triangles.pop_back();
                    break;
                default:
                    raw.vertices[t[2]] = 0.5 * (raw.vertices[t[0]] + raw.vertices[t[1]]);
                    break;
            }
        }
        Status status;
        MeshReport report;
        const Mesh mesh = make_mesh(raw, {}, &report, &status);
        if (status.ok()) {
            EXPECT_TRUE(is_sound(mesh)) << seed;
            ++made;
        } else {
            EXPECT_EQ(status.code, ErrorCode::bad_mesh) << seed << status.message;
        }
    }
    EXPECT_GT(made, 150);
}

}  // namespace
}  // namespace turgor
