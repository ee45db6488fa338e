#include <cmath>
#include <limits>

#include "base/cancel.hpp"
#include "mesh/soups.hpp"
#include "solid_helpers.hpp"
#include "turgor/scheduler.hpp"

namespace turgor {
namespace {

using test::is_valid;

bool same(const Solid& a, const Solid& b) {
    return a.cell == b.cell && a.size == b.size && a.corners == b.corners && a.places == b.places &&
           a.triangles == b.triangles && a.wanted_volume == b.wanted_volume && a.scale == b.scale;
}

std::vector<Mesh> all_shapes() {
    std::vector<Mesh> all{shapes::icosphere(0.5, 3),
                          shapes::torus(0.5, 0.2, 32, 16),
                          shapes::cube(1, 8),
                          shapes::bar({1, 0.02, 0.3}, 20),
                          shapes::capsule(0.1, 1, 16),
                          shapes::gummy_bear(1, 800),
                          shapes::rubber_duck(1, 600),
                          shapes::tree(2, 60),
                          shapes::broken_bunny(1, 900, 6),
                          shapes::cake(1),
                          test::sheet(4, 1)};
    all.push_back(
        test::both(shapes::icosphere(0.2, 2), transformed(shapes::cube(0.3, 3), {1.5, 0.8, 0})));
    return all;
}

TEST(Solids, OfAnyShapeAreValid) {
    for (const Mesh& mesh : all_shapes()) {
        const SolidField field(mesh, 64);
        for (const int cells : {1, 2, 3, 7, 16})
            for (const bool diagonals : {false, true})
                EXPECT_TRUE(
                    is_valid(field.solid({.cells = cells, .smooth_over_diagonals = diagonals})))
                    << mesh.name << ", " << cells;
        EXPECT_TRUE(is_valid(field.solid({.cells = 16, .smoothing = 200}))) << mesh.name;
        EXPECT_TRUE(is_valid(field.solid({.cells = 16, .p_in = 0.6, .p_subs = 0.2}))) << mesh.name;
    }
}

TEST(Solids, OfRandomSoupsAreValid) {
    for (std::uint64_t seed = 0; seed < 15; ++seed)
        EXPECT_TRUE(is_valid(make_solid(measure::random_soup(seed), {.cells = 12}))) << seed;
}

TEST(Solids, OfPointsAndLinesAreValid) {
    Mesh points{"points", {{0, 0, 0}, {1, 0.2, 0}, {0.3, 0.9, 0.4}, {0.1, 0.1, 1}}, {}};
    EXPECT_TRUE(is_valid(make_solid(points, {.cells = 16})));
    Mesh line{"line", {{0, 0, 0}, {1, 0, 0}}, {{0, 1, 1}}};
    EXPECT_TRUE(is_valid(make_solid(line, {.cells = 16})));
}

TEST(Solids, KeepTheVolumeOfClosedMeshes) {
    for (const Mesh& mesh : {shapes::gummy_bear(1, 2000), shapes::torus(0.5, 0.2, 48, 24),
                             shapes::icosphere(1e3, 4), shapes::cube(1e-3, 20)}) {
        const Solid solid = make_solid(mesh, {.cells = 64});
        const measure::SolidFigures f = measure::solid_figures(solid, mesh, volume(mesh));
        EXPECT_LT(f.volume_before, 0.02) << mesh.name;
        EXPECT_LT(f.volume, 1e-12) << mesh.name;
        EXPECT_LT(f.surface_rms, 0.3) << mesh.name;
        EXPECT_TRUE(f.is_valid()) << mesh.name;
    }
}

TEST(Solids, UniteShellsThatCutThroughEachOther) {
    const Mesh pair =
        test::both(shapes::icosphere(0.5, 3), transformed(shapes::icosphere(0.5, 3), {0.5, 0, 0}));
    const Solid solid = make_solid(pair, {.cells = 32});
    // Two balls of radius r, r apart: 27/32 of the volume of both.
    const double wanted = 27.0 / 16 * 4.0 / 3 * 3.14159265 * 0.125;
    EXPECT_NEAR(solid.wanted_volume, wanted, 0.03 * wanted);
    EXPECT_TRUE(is_valid(solid));
}

TEST(Solids, LeaveACavityFree) {
    Mesh inner = shapes::icosphere(0.3, 3);
    for (Triangle& t : inner.triangles) std::swap(t[0], t[1]);
    const Mesh hollow = test::both(shapes::icosphere(0.5, 3), inner);
    const Solid solid = make_solid(hollow, {.cells = 32});
    EXPECT_NEAR(solid.wanted_volume, 4.0 / 3 * 3.14159 * (0.125 - 0.027), 0.02);
}

TEST(Solids, DoNotDependOnThreads) {
    for (const Mesh& mesh : {shapes::gummy_bear(1, 800), shapes::tree(2, 100),
                             measure::random_soup(5), measure::random_soup(10)}) {
        const SolidField alone(mesh, 64);
        for (const int threads : {2, 3, 5}) {
            const auto pool = make_thread_pool(threads);
            const SolidField shared(mesh, 64, pool.get());
            EXPECT_EQ(alone.agreement(), shared.agreement());
            for (const SolidSettings& s :
                 {SolidSettings{.cells = 16}, SolidSettings{.cells = 13, .p_in = 0.7}})
                EXPECT_TRUE(same(alone.solid(s), shared.solid(s, pool.get()))) << mesh.name;
        }
    }
}

TEST(Solids, OfOneFieldAreThoseOfFieldsOfTheirOwn) {
    const Mesh mesh = shapes::tree(2, 80);
    const SolidField field(mesh, 64);
    const std::vector<SolidSettings> all{{.cells = 16},
                                         {.cells = 1},
                                         {.cells = 9, .p_in = 0.8, .p_subs = 0.3},
                                         {.cells = 16, .p_in = 0.5},
                                         {.cells = 16, .density = 0.7},
                                         {.cells = 16, .smoothing = 0},
                                         {.cells = 16}};
    for (const SolidSettings& s : all)
        EXPECT_TRUE(same(field.solid(s), SolidField(mesh, 64).solid(s)));
}

TEST(SolidSettings, AllAct) {
    for (const Mesh& mesh : {shapes::tree(2, 80), shapes::gummy_bear(1, 1000)}) {
        const SolidField field(mesh, 96);
        const Solid plain = field.solid({.cells = 24});
        const std::vector<SolidSettings> others{{.cells = 23},
                                                {.cells = 24, .p_in = 0.95},
                                                {.cells = 24, .p_in = 0.3},
                                                {.cells = 24, .p_subs = 0.05},
                                                {.cells = 24, .density = 0.05},
                                                {.cells = 24, .density = 0.95},
                                                {.cells = 24, .smoothing = 3},
                                                {.cells = 24, .smooth_over_diagonals = true}};
        for (std::size_t k = 0; k < others.size(); ++k)
            EXPECT_FALSE(same(plain, field.solid(others[k]))) << mesh.name << ", setting " << k;
    }
}

TEST(SolidSettings, AHigherDensityLeavesFewerCells) {
    const SolidField field(shapes::gummy_bear(1, 1000), 64);
    std::size_t before = SIZE_MAX;
    for (const double density : {0.0, 0.2, 0.4, 0.6, 0.8, 0.99}) {
        const std::size_t cells = field.solid({.cells = 16, .density = density}).cells.size();
        EXPECT_LT(cells, before) << density;
        before = cells;
    }
}

TEST(SolidSettings, WithoutSmoothingCellsAreCubes) {
    const Solid solid =
        make_solid(shapes::gummy_bear(1, 600), {.cells = 12, .density = 0.5, .smoothing = 0});
    for (std::size_t i = 0; i < solid.corners.size(); ++i) {
        const Vec3 place{1.0 * solid.places[i][0], 1.0 * solid.places[i][1],
                         1.0 * solid.places[i][2]};
        EXPECT_LT(norm(solid.corners[i] - solid.origin - solid.cell * place), 1e-12);
    }
    EXPECT_NEAR(quality(solid).smallest_corner, 1, 1e-12);
}

TEST(SolidSettings, OneCellStandsForTheWhole) {
    for (const Mesh& mesh : {shapes::tree(2, 100), test::sheet(4, 1), shapes::cube(1, 4)}) {
        const SolidField field(mesh, 32);
        for (const SolidSettings& s :
             {SolidSettings{.cells = 1}, SolidSettings{.cells = 1, .p_in = 0.9}}) {
            const Solid solid = field.solid(s);
            ASSERT_EQ(solid.cells.size(), 1u) << mesh.name;
            EXPECT_NEAR(norm(bounds(solid.surface()).centre() - bounds(mesh).centre()), 0, 1e-12);
            const Vec3 extent = bounds(mesh).extent();
            EXPECT_NEAR(solid.cell, std::max({extent.x, extent.y, extent.z}), 1e-12);
        }
    }
}

TEST(SolidSettings, ThatAreWrongAreAnError) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Mesh ball = shapes::icosphere(0.5, 1);
    const SolidField field(ball, 16);
    for (const SolidSettings& s : std::vector<SolidSettings>{{.cells = 0},
                                                             {.cells = -3},
                                                             {.cells = 257},
                                                             {.p_in = -0.1},
                                                             {.p_in = 1.0},
                                                             {.p_in = nan},
                                                             {.p_subs = 1.5},
                                                             {.p_in = 0.4, .p_subs = 0.6},
                                                             {.p_subs = 0.9},
                                                             {.density = 1.0},
                                                             {.density = nan},
                                                             {.smoothing = -1},
                                                             {.smoothing = 100000}}) {
        EXPECT_THROW(field.solid(s), Error);
        Status status;
        EXPECT_TRUE(make_solid(ball, s, &status).cells.empty());
        EXPECT_EQ(status.code, ErrorCode::bad_argument) << status.message;
        EXPECT_FALSE(status.message.empty());
    }
    for (const int voxels : {-1, 0, 7, 1025}) EXPECT_THROW(SolidField(ball, voxels), Error);
}

TEST(SolidFields, RefuseWhatHasNoExtentOrNoEnd) {
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<Mesh> bad{{"empty", {}, {}},
                                {"point", {{1, 1, 1}}, {}},
                                {"points", {{1, 1, 1}, {1, 1, 1}}, {}},
                                {"far", {{0, 0, 0}, {1e300, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}},
                                {"infinite", {{0, 0, 0}, {inf, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}},
                                {"wrong", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}}};
    for (const Mesh& mesh : bad) {
        Status status;
        make_solid(mesh, {.cells = 4}, &status);
        EXPECT_EQ(status.code, ErrorCode::bad_mesh) << mesh.name;
        EXPECT_NE(status.message.find(mesh.name), std::string::npos) << status.message;
    }
}

TEST(SolidFields, OfThinMeshesFarFromTheOriginAreAsGood) {
    Mesh far = transformed(shapes::gummy_bear(1, 600), {1e6, -1e6, 3e5});
    EXPECT_TRUE(is_valid(make_solid(far, {.cells = 16})));
    Mesh needle{"needle", {{0, 0, 0}, {1, 0, 0}, {1, 1e-9, 0}}, {{0, 1, 2}}};
    EXPECT_TRUE(is_valid(make_solid(needle, {.cells = 16})));
}

TEST(SolidFields, CanBeGivenUp) {
    const Mesh mesh = shapes::gummy_bear(1, 800);
    const std::atomic<bool> wanted{true};
    const SolidField field(mesh, 32);
    const CancelScope scope(wanted);
    EXPECT_THROW(SolidField(mesh, 64), Cancelled);
    EXPECT_THROW(field.solid({.cells = 8}), Cancelled);
    const auto pool = make_thread_pool(2);
    EXPECT_THROW(SolidField(mesh, 64, pool.get()), Cancelled);
}

}  // namespace
}  // namespace turgor
