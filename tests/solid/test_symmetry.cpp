#include "base/random.hpp"
#include "mesh/soups.hpp"
#include "solid_helpers.hpp"

namespace turgor {
namespace {

using test::both;
using test::mirrored;

/// Solids of a mesh and of its mirror images.
void expect_mirrored(const Mesh& mesh, int voxels, const SolidSettings& settings) {
    const Solid solid = SolidField(mesh, voxels).solid(settings);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_TRUE(test::is_mirror_image(
            solid, SolidField(mirrored(mesh, axis), voxels).solid(settings), axis))
            << mesh.name << ", axis " << axis << ", " << settings.cells << " cells";
}

TEST(MirroredSolids, AreThoseOfMirroredMeshes) {
    for (const Mesh& mesh :
         {shapes::gummy_bear(1, 800), transformed(shapes::rubber_duck(1, 500), {0.3, 1.7, -0.2}),
          shapes::torus(0.5, 0.2, 32, 16), shapes::cube(1, 8), shapes::bar({1, 0.3, 0.1}, 9)})
        for (const int cells : {5, 16})
            for (const bool diagonals : {false, true})
                expect_mirrored(mesh, 64, {.cells = cells, .smooth_over_diagonals = diagonals});
}

TEST(MirroredSolids, AreThoseOfMirroredSoups) {
    for (const Mesh& mesh : {shapes::tree(2, 80), shapes::broken_bunny(1, 900, 6), shapes::cake(1)})
        for (const int cells : {9, 16}) {
            expect_mirrored(mesh, 64, {.cells = cells});
            expect_mirrored(mesh, 64, {.cells = cells, .p_in = 0.7, .p_subs = 0.4});
        }
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        expect_mirrored(measure::random_soup(seed), 48, {.cells = 12});
}

TEST(MirroredSolids, AreThoseOfMirroredSheets) {
    const Mesh flat = test::sheet(4, 1);
    Mesh roof = both(flat, transformed(flat, {0.25, 0, 0}));
    Mesh cross = both(flat, transformed(flat, {}, 1, Quat::about({0, 1, 0}, 1.5707963267948966)));
    Mesh folded = flat;
    for (Vec3& p : folded.vertices) p.x = 0.5 * p.y;
    for (const Mesh& mesh : {flat, roof, cross, folded})
        for (const int cells : {7, 16}) expect_mirrored(mesh, 64, {.cells = cells});
}

TEST(MirroredSolids, AreThoseOfOpenMeshesOnTheLatticeOfVoxels) {
    // Corners where rays run: which side of a border they are on must not depend on left or right.
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Random random(seed);
        Mesh mesh{"lattice soup " + std::to_string(seed),
                  {{-8, -8, -8}, {8, 8, 8}, {-8, 8, -8}},
                  {{0, 1, 2}}};
        for (std::uint32_t t = 1; t < 4 + seed % 30; ++t) {
            for (int k = 0; k < 3; ++k) {
                const auto on = [&] { return static_cast<double>(random.bits() % 33) * 0.5 - 8; };
                const double x = on(), y = on();
                mesh.vertices.push_back({x, y, on()});
            }
            mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
        }
        expect_mirrored(mesh, 32, {.cells = 8});
        Mesh open = shapes::cube(16, 9);
        for (auto k = 1 + seed; k > 0; --k)
            open.triangles.erase(
                open.triangles.begin() +
                static_cast<std::ptrdiff_t>(random.bits() % open.triangles.size()));
        open.name = "open cube " + std::to_string(seed);
        expect_mirrored(open, 32, {.cells = 8});
    }
}

TEST(MirroredSolids, AreThoseOfPartsThatAreJoined) {
    const Mesh ball = shapes::icosphere(0.2, 2), cube = shapes::cube(0.3, 3);
    const Mesh two = both(ball, transformed(cube, {1.1, 0.2, 0.4}));
    Mesh eight{"eight", {}, {}};
    for (int k = 0; k < 8; ++k)
        eight = both(
            eight, transformed(ball, {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5}));
    Mesh many{"many", {}, {}};
    Random random(3);
    for (int k = 0; k < 30; ++k) many = both(many, transformed(ball, 3 * random.in_cube()));
    for (const Mesh& mesh : {two, eight, many})
        for (const int cells : {8, 16, 24}) expect_mirrored(mesh, 64, {.cells = cells});
}

TEST(SymmetricSolids, AreThoseOfSymmetricMeshes) {
    const Mesh bear = shapes::gummy_bear(1, 700), twins = both(bear, mirrored(bear, 0));
    const Solid solid = SolidField(twins, 64).solid({.cells = 16});
    EXPECT_TRUE(test::is_mirror_image(solid, solid, 0));
    for (const Mesh& mesh : {shapes::icosphere(0.5, 3), shapes::cube(1, 7)}) {
        const Solid ball = SolidField(mesh, 64).solid({.cells = 16});
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_TRUE(test::is_mirror_image(ball, ball, axis)) << mesh.name;
    }
}

}  // namespace
}  // namespace turgor
