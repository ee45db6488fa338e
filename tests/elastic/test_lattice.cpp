#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "body/bake_folder.hpp"
#include "elastic/lattice/lattice.hpp"
#include "elastic/lattice/tearing.hpp"
#include "mesh/normals.hpp"
#include "mesh/soups.hpp"
#include "turgor/turgor.hpp"
#include "volume/volume.hpp"
#include "world/inspection.hpp"

namespace turgor {
namespace {

LatticeCells lattice_of(const Mesh& mesh, int cells) {
    const Solid solid = make_solid(mesh, {.cells = cells});
    return make_lattice_cells(solid, make_solid_asset(solid, mesh, 0));
}

/// Thin parts, a hole, and more planes than one chunk has.
LatticeCells irregular() {
    return lattice_of(shapes::torus(0.5, 0.17, 40, 16), 24);
}

/// The elements within `width` along an axis that bonds lead to, one by one.
std::vector<std::uint32_t> along(const NestedSums::Bonds& next, std::size_t axis,
                                 std::uint32_t element, int width) {
    std::vector<std::uint32_t> before(next[axis].size(), NestedSums::none), found{element};
    for (std::uint32_t k = 0; k < next[axis].size(); ++k)
        if (next[axis][k] != NestedSums::none) before[next[axis][k]] = k;
    for (const auto* step :
         {&next[axis], static_cast<const std::vector<std::uint32_t>*>(&before)}) {
        std::uint32_t at = element;
        for (int k = 0; k < width && (at = (*step)[at]) != NestedSums::none; ++k)
            found.push_back(at);
    }
    return found;
}

std::vector<std::uint32_t> region_of(const LatticeCells& lattice, std::uint32_t element,
                                     int width) {
    std::vector<std::uint32_t> region;
    for (const auto a : along(lattice.next, 0, element, width))
        for (const auto b : along(lattice.next, 1, a, width))
            for (const auto c : along(lattice.next, 2, b, width)) region.push_back(c);
    return region;
}

TEST(NestedSums, ArePassesOverTheRegionsOfEveryElement) {
    const LatticeCells lattice = irregular();
    const auto count = static_cast<std::uint32_t>(lattice.particle_of_row.size());
    ASSERT_GT(count, 2048u);  // two blocks
    for (const int width : {1, 3, 40}) {
        const NestedSums sums(lattice.next, lattice.first_of_plane, width);
        std::vector<std::uint64_t> rows(sums.rows()), spread(sums.rows());
        for (std::uint32_t k = 0; k < count; ++k) rows[row_of(k)] = spread[row_of(k)] = k * k + 1;
        sums.sum(rows, false);
        sums.sum(spread, true);
        for (std::uint32_t k = 0; k < count; k += 97) {
            std::uint64_t expected = 0;
            for (const auto j : region_of(lattice, k, width)) expected += std::uint64_t{j} * j + 1;
            EXPECT_EQ(rows[row_of(k)], expected) << k << " width " << width;
        }
        // Σ (S f) g = Σ f (Sᵀ g): the second direction is the transpose of the first.
        std::uint64_t one_way = 0, other_way = 0;
        for (std::uint32_t k = 0; k < count; ++k) {
            one_way += rows[row_of(k)] * (k * k + 1);
            other_way += spread[row_of(k)] * (k * k + 1);
        }
        EXPECT_EQ(one_way, other_way);
    }
}

TEST(NestedSums, InFixedPointAreTheSameBitsNaivelyAndOnThreads) {
    const LatticeCells lattice = irregular();
    const auto count = static_cast<std::uint32_t>(lattice.particle_of_row.size());
    const auto threads = make_thread_pool(3);
    Random random(5);
    for (const int width : {2, 4})
        for (const int half_width : {1, 2, 5})
            for (const bool spread : {false, true}) {
                const NestedSums sums(lattice.next, lattice.first_of_plane, half_width,
                                      Summation::naive);
                EXPECT_GT(sums.bytes(),
                          NestedSums(lattice.next, lattice.first_of_plane, half_width).bytes() +
                              std::size_t{44} * count);
                const std::size_t stride = width == 2 ? 2 : 4;
                AlignedVector<FixedQuad> given(sums.rows() * stride);
                for (std::uint32_t k = 0; k < count; ++k)
                    for (std::size_t q = 0; q < stride; ++q)
                        for (std::int32_t& a : given[row_of(k) * stride + q].a)
                            a = static_cast<std::int32_t>(random.in_cube().x * 2e9);
                const auto summed = [&](Summation summation, Scheduler* with) {
                    AlignedVector<FixedQuad> rows = given, other(given.size());
                    sums.sum(rows, other, width, spread, summation, with);
                    std::vector<std::int32_t> all;
                    for (std::uint32_t k = 0; k < count; ++k)
                        for (std::size_t q = 0; q < stride; ++q)
                            for (const std::int32_t a : other[row_of(k) * stride + q].a)
                                all.push_back(a);
                    return all;
                };
                const auto fast = summed(Summation::fast, nullptr);
                EXPECT_EQ(fast, summed(Summation::naive, nullptr)) << width << half_width << spread;
                EXPECT_EQ(fast, summed(Summation::fast, threads.get()));
            }
}

TEST(Lattice, TellsTheRegionOfEachParticle) {
    const Mesh torus = shapes::torus(0.5, 0.17, 40, 16);
    const LatticeCells lattice = lattice_of(torus, 24);
    World world;
    BodyOptions o;
    o.model = LatticeModel{.cells = 24, .half_width = 4};
    const Body body = world.add_body(torus, Material::named("gummy"), o);
    ASSERT_EQ(body.positions().size(), lattice.asset->surface_count);
    for (std::uint32_t i = 0; i < body.positions().size(); i += 61) {
        std::vector<std::uint32_t> expected;
        for (const auto k : region_of(lattice, element_of(lattice.row_of_particle[i]), 4))
            if (lattice.particle_of_row[k] < lattice.asset->surface_count)
                expected.push_back(lattice.particle_of_row[k]);
        std::ranges::sort(expected);
        EXPECT_EQ(Inspection::region(body, i), expected);
    }
}

TEST(Lattice, GoalsHaveNoForceAndNoTorque) {
    const LatticeCells lattice = irregular();
    const BodyAsset& asset = *lattice.asset;
    Random random(3);
    for (const int half_width : {1, 2, 4}) {
        const LatticeRest rest = make_lattice_rest(lattice, half_width);
        std::vector<Vec3> x, goals(asset.rest.size());
        for (const Vec3 p : asset.rest) x.push_back(p + 0.1 * random.in_cube());
        std::vector<Quat> rotations(x.size());
        match_lattice(lattice, rest, x, rotations, goals);
        Vec3 force, torque;
        double size = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec3 pull = asset.mass[i] * (goals[i] - x[i]);
            force += pull, torque += cross(x[i], pull), size += norm(pull);
        }
        EXPECT_LT(norm(force) / size, 1e-12);
        EXPECT_LT(norm(torque) / size, 1e-12);
    }
}

TEST(Lattice, OnTheCpuGoesTheReferencesWay) {
    std::vector<Vec3> ends[2];
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
        WorldSettings settings;
        settings.backend = backend;
        World world(settings);
        world.add_collider(Collider::ground());
        BodyOptions o;
        o.model = LatticeModel{.cells = 10};
        o.position = {0, 0.32, 0};
        o.angular_velocity = {1, 2, 0.5};
        const Body body = world.add_body(shapes::gummy_bear(0.6, 600), Material::named("jelly"), o);
        for (int k = 0; k < 60; ++k) world.step();
        for (std::size_t v = 0; v < body.positions().size(); ++v)
            ends[backend == Backend::cpu].push_back(body.position(v));
    }
    double farthest = 0;
    for (std::size_t v = 0; v < ends[0].size(); ++v)
        farthest = std::max(farthest, norm(ends[0][v] - ends[1][v]));
    EXPECT_LT(farthest, 1e-4);
}

TEST(Lattice, KeepsItsMomentaInSinglePrecision) {
    WorldSettings settings;
    settings.gravity = {};
    World world(settings);
    BodyOptions o;
    o.model = LatticeModel{.cells = 10};
    Body body = world.add_body(shapes::cube(1, 11), Material::named("jelly"), o);
    Random random(7);
    std::vector<Vec3> v;
    for (std::size_t i = 0; i < body.positions().size(); ++i)
        v.push_back(Vec3{0.3, -0.2, 0.1} + cross(Vec3{1, 2, -1}, body.position(i)) +
                    random.in_cube());
    body.set_velocities(v);
    const Vec3 linear = body.momentum(), angular = body.angular_momentum();
    for (int k = 0; k < 400; ++k) world.step();
    EXPECT_LT(norm(body.momentum() - linear) / body.mass(), 1e-6);
    // What damping loses to rounding adds up to 1e-5.
    EXPECT_LT(norm(body.angular_momentum() - angular) / norm(angular), 1e-6);
}

std::uint64_t hash_after_a_fall(WorldSettings settings) {
    World world(settings);
    world.add_collider(Collider::ground());
    for (int k = 0; k < 2; ++k) {
        BodyOptions o;
        o.model = LatticeModel{.cells = 16 + 2 * k};
        o.position = {0.1 * k, 0.6 + 0.8 * k, 0};
        world.add_body(shapes::torus(0.4, 0.15, 30, 12), Material::named("rubber"), o);
    }
    for (int k = 0; k < 120; ++k) world.step();
    return world.state_hash();
}

TEST(Lattice, SumsNaivelyAndOnThreadsToTheSameBits) {
    WorldSettings settings;
    settings.threads = 1;
    const std::uint64_t hash = hash_after_a_fall(settings);
    settings.threads = 3;
    EXPECT_EQ(hash_after_a_fall(settings), hash);
    settings.threads = 1;
    settings.summation = Summation::naive;
    EXPECT_EQ(hash_after_a_fall(settings), hash);
}

TEST(Lattice, CarriesAnOpenMeshThatStaysWhereItIsAtRest) {
    WorldSettings settings;
    settings.gravity = {};
    World world(settings);
    const Mesh tree = shapes::tree(1, 40);
    BodyOptions o;
    o.model = LatticeModel{.cells = 14};
    const Body body = world.add_body(tree, Material::named("gummy"), o);
    EXPECT_EQ(body.display_triangles().size(), tree.triangles.size());
    ASSERT_EQ(body.display_positions().size(), tree.vertices.size());
    EXPECT_NE(body.positions().size(), tree.vertices.size());
    for (const Triangle& t : body.triangles())
        for (const std::uint32_t v : t) ASSERT_LT(v, body.positions().size());
    // What bounds the cells is closed, and is what the triangles bound.
    Mesh surface{"surface", {}, {body.triangles().begin(), body.triangles().end()}};
    for (const Vec3f p : body.positions()) surface.vertices.push_back({p.x, p.y, p.z});
    MeshReport report;
    EXPECT_NO_THROW(make_mesh(surface, {}, &report));
    EXPECT_NEAR(volume(surface), body.rest_volume(), 1e-5);
    for (int k = 0; k < 20; ++k) world.step();
    double farthest = 0;
    for (std::size_t v = 0; v < tree.vertices.size(); ++v) {
        const Vec3f p = body.display_positions()[v];
        farthest = std::max(farthest, norm(Vec3{p.x, p.y, p.z} - tree.vertices[v]));
    }
    EXPECT_LT(farthest, 1e-5);
}

TEST(Lattice, ManyAndFewCellsOfOneMeshDoNotMix) {
    World world;
    const Mesh ball = shapes::icosphere(0.3, 2);
    std::vector<Body> bodies;
    for (const int cells : {6, 12, 6}) {
        BodyOptions o;
        o.model = LatticeModel{.cells = cells};
        o.position.x = static_cast<double>(bodies.size());
        bodies.push_back(world.add_body(ball, Material::named("gummy"), o));
    }
    EXPECT_EQ(bodies[0].positions().size(), bodies[2].positions().size());
    EXPECT_GT(bodies[1].positions().size(), 2 * bodies[0].positions().size());
    EXPECT_EQ(bodies[1].figure("cells") > 5 * bodies[0].figure("cells"), true);
    for (int k = 0; k < 20; ++k) world.step();
    EXPECT_TRUE(world.finite());
}

TEST(Lattice, HeavyEndsPullTheCentreOfMass) {
    World world;
    const Mesh bar = shapes::bar({1, 0.2, 0.2}, 12);
    BodyOptions o;
    o.model = LatticeModel{.cells = 10};
    for (const Vec3 p : bar.vertices) o.relative_masses.push_back(p.x > 0 ? 5 : 1);
    const Body body = world.add_body(bar, Material::named("rubber"), o);
    EXPECT_NEAR(body.centre_of_mass().x, 0.25 * 4 / 6, 0.05);
}

TEST(Lattice, EveryCornerOfASideTakesAsMuchOfACorrection) {
    const LatticeCells lattice = lattice_of(shapes::cube(1, 4), 8);
    const BodyAsset& asset = *lattice.asset;
    std::vector<Vec3> normals(asset.rest.size());
    area_normals(asset.rest, asset.triangles, normals);
    double least = 1e9, most = 0, least_area = 1e9, most_area = 0;
    for (std::size_t i = 0; i < asset.surface_count; ++i) {
        const Vec3 p = asset.rest[i];
        if (p.y < 0.45 || std::abs(p.x) > 0.2 || std::abs(p.z) > 0.2) continue;
        const double area = norm(normals[i]);
        least_area = std::min(least_area, area), most_area = std::max(most_area, area);
        least = std::min(least, asset.volume_share[i] * area);
        most = std::max(most, asset.volume_share[i] * area);
    }
    EXPECT_GT(most_area, 1.9 * least_area);  // as its squares are cut
    EXPECT_LT(most, 1.05 * least);
}

TEST(Lattice, WhatIsInsideIsBehindTheSurface) {
    const LatticeCells lattice = irregular();
    const BodyAsset& asset = *lattice.asset;
    std::vector<double> share(asset.rest.size());
    double behind = 0, whole = 0;
    for (std::uint32_t c = 0; c < asset.surface_count; ++c) {
        asset.each_follower(c, [&](std::uint32_t i, double s) { share[i] += s; });
        behind += asset.mass_behind(c);
    }
    for (std::size_t i = 0; i < share.size(); ++i) {
        EXPECT_NEAR(share[i], i < asset.surface_count ? 0 : 1, 1e-12);
        whole += asset.mass[i];
    }
    EXPECT_NEAR(behind / whole, 1, 1e-12);
}

TEST(Lattice, StandsOnAllOfItsMassHoweverFineItIs) {
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
        WorldSettings settings;
        settings.backend = backend;
        World world(settings);
        world.add_collider(Collider::ground());
        BodyOptions o;
        // Wide regions of many light corners: without what is behind them it sinks to 0.19.
        o.model = LatticeModel{.cells = 14, .half_width = 3};
        o.position = {0, 0.31, 0};
        const Body body = world.add_body(shapes::icosphere(0.3, 3), Material::named("gummy"), o);
        double lowest = 1;
        for (int k = 0; k < 160; ++k) {
            world.step();
            lowest = std::min(lowest, body.centre_of_mass().y);
        }
        EXPECT_GT(lowest, 0.21);
    }
}

/// Pulls a cube that is held at both ends to `stretch` of its length in a second, and rests it.
double speed_after_a_pull(Backend backend, int cells, int half_width, double stretch) {
    WorldSettings settings;
    settings.gravity = {};
    settings.backend = backend;
    World world(settings);
    BodyOptions o;
    o.model =
        LatticeModel{.cells = cells, .half_width = half_width, .stiffness = 0.5, .damping = 0.2};
    Body body = world.add_body(shapes::cube(1, cells + 1), Material::named("gummy"), o);
    const double face = 0.5 - 0.5 / cells;
    std::vector<std::uint32_t> left, right;
    for (std::uint32_t i = 0; i < body.positions().size(); ++i) {
        if (body.position(i).x < -face) left.push_back(i);
        if (body.position(i).x > face) right.push_back(i);
    }
    body.pin(left);
    body.pin(right, Path{{{0, {}}, {1, {{stretch - 1, 0, 0}, {}}}}});
    double fastest = 0;
    for (int k = 0; k < 360; ++k) {
        world.step(0.005);
        EXPECT_FALSE(body.recovering());
        if (k >= 320) fastest = std::max(fastest, body.max_speed());
    }
    EXPECT_NEAR(body.volume() / body.rest_volume(), 1, 2e-7);
    return fastest;
}

TEST(Lattice, KeepsItsSkinWhereWideRegionsArePulled) {
    // The surface alone would be pushed through the cells below it.
    EXPECT_LT(speed_after_a_pull(Backend::cpu, 30, 5, 1.3), 0.1);
    EXPECT_LT(speed_after_a_pull(Backend::cpu, 16, 3, 1.5), 0.1);
    EXPECT_LT(speed_after_a_pull(Backend::reference, 16, 3, 1.5), 0.1);
}

TEST(Lattice, CorrectionsOfVolumeHaveNoMomentumWithWhatFollows) {
    const LatticeCells lattice = irregular();
    const BodyAsset& asset = *lattice.asset;
    const auto followers = make_volume_followers(asset, 6);
    ASSERT_TRUE(followers);
    Random random(11);
    std::vector<Vec3> x;
    for (const Vec3 p : asset.rest) x.push_back(1.03 * p + 0.002 * random.in_cube());
    const std::vector<Vec3> before = x;
    std::vector<double> weights(x.size());
    set_uniform_weights(asset, weights);
    correct_positions(
        {asset, asset.rest_volume, asset.mass, weights, {}, 1, true, true, followers.get()}, before,
        x);
    Vec3 linear, angular;
    double size = 0;
    bool inner = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 moved = asset.mass[i] * (x[i] - before[i]);
        linear += moved, angular += cross(before[i], moved), size += norm(moved);
        inner |= i >= asset.surface_count && moved != Vec3{};
    }
    EXPECT_TRUE(inner);
    EXPECT_LT(norm(linear) / size, 1e-12);
    EXPECT_LT(norm(angular) / size, 1e-12);
    EXPECT_NEAR(enclosed_volume(x, asset.triangles) / asset.rest_volume, 1, 1e-12);
}

using KeptLattice = test::WithBakeFolder;

TEST_F(KeptLattice, MeasuresItsRegionsOnceAndTellsHowFarItIs) {
    const auto bake = [&](int& told) {
        const ProgressScope progress(
            [&](std::string_view, std::size_t done, std::size_t of) { told += done <= of; });
        WorldSettings settings;
        settings.bake_folder = folder_;
        World world(settings);
        BodyOptions o;
        o.model = LatticeModel{.cells = 10};
        return world.add_body(shapes::icosphere(0.3, 3), Material::named("gummy"), o)
            .figure("stiffness");
    };
    int first = 0, again = 0, damaged = 0;
    const double stiffness = bake(first);
    EXPECT_GT(first, 4);
    EXPECT_EQ(bake(again), stiffness);
    EXPECT_EQ(again, 0);
    for (const auto& file : std::filesystem::directory_iterator(folder_))
        write(file.path(), text_of(file.path()) + "x");
    EXPECT_EQ(bake(damaged), stiffness);
    EXPECT_EQ(damaged, first);
}

TEST(Lattice, EightCellsAreABody) {
    World world;
    world.add_collider(Collider::ground());
    BodyOptions o;
    o.model = LatticeModel{.cells = 2};
    o.position = {0, 0.5, 0};
    const Body body = world.add_body(shapes::cube(0.4, 4), Material::named("gummy"), o);
    for (int k = 0; k < 400; ++k) world.step();
    EXPECT_TRUE(world.finite());
    EXPECT_NEAR(body.volume() / body.rest_volume(), 1, 1e-6);
    EXPECT_NEAR(body.centre_of_mass().y, 0.2, 0.05);
}

/// Sides of random cells break one after the other, in an order that pinches what is open.
TEST(TearingLattices, NeverCloseWhatIsOpen) {
    std::size_t held_back = 0, apart = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Random random(seed);
        const Mesh mesh = shapes::bar({1, 0.8, 0.6}, 6);
        const auto whole =
            make_tearing_lattice(make_solid(mesh, {.cells = 4}), mesh, 0, std::vector<double>{});
        std::vector<LatticePiece> all;
        all.push_back(whole_piece(*whole));
        for (int k = 0; k < 60; ++k) {
            const auto which = static_cast<std::size_t>(
                random.between(0, static_cast<double>(all.size()) - 0.001));
            const LatticePiece piece = all[which];
            const auto cell = piece.part.cells[static_cast<std::size_t>(
                random.between(0, static_cast<double>(piece.part.cells.size()) - 0.001))];
            const auto axis = static_cast<std::uint32_t>(random.between(0, 2.999));
            const std::uint32_t beyond = whole->sides.beyond(cell, 2 * axis + 1);
            if (beyond == SolidSides::none ||
                !std::ranges::binary_search(piece.part.cells, beyond) ||
                std::ranges::binary_search(piece.part.broken, 3 * cell + axis))
                continue;
            Torn torn = tear(*whole, piece, {3 * cell + axis});
            held_back += torn.part == piece.part;
            if (torn.pieces.empty()) {
                all[which].part = torn.part;
                continue;
            }
            double mass = 0;
            for (const LatticePiece& one : torn.pieces) {
                const auto before = particles_before(piece, one);
                for (std::size_t c = 0; c < one.part.cells.size(); ++c) {
                    const auto at = std::ranges::lower_bound(piece.part.cells, one.part.cells[c]);
                    const auto& was =
                        piece.particles[static_cast<std::size_t>(at - piece.part.cells.begin())];
                    for (std::size_t corner = 0; corner < 8; ++corner)
                        ASSERT_EQ(before[one.particles[c][corner]], was[corner]) << seed;
                }
                for (const double m : one.lattice->asset->mass) mass += m;
                apart += one.lattice->asset->rest.size();
            }
            double mass_before = 0;
            for (const double m : piece.lattice->asset->mass) mass_before += m;
            ASSERT_NEAR(mass, mass_before, 1e-12 * mass_before);
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(which));
            for (LatticePiece& one : torn.pieces) all.push_back(std::move(one));
        }
    }
    EXPECT_GT(apart, 100u);
    EXPECT_GT(held_back, 0u) << "no order of breaks pinched";
}

}  // namespace
}  // namespace turgor
