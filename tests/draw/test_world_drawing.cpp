#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "contact/colliders.hpp"
#include "draw/collider_mesh.hpp"
#include "draw/insight.hpp"
#include "draw/pick.hpp"
#include "draw/world_drawing.hpp"
#include "mesh/measures.hpp"
#include "scene/moment.hpp"
#include "world/inspection.hpp"

namespace turgor {
namespace {

World world_with_a_ball(Body* ball = nullptr) {
    World world;
    world.add_collider(Collider::ground());
    const Body body = world.add_body(shapes::icosphere(0.5, 2), Material::named("gummy"),
                                     {.name = "ball", .position = {0, 0.5, 0}});
    if (ball) *ball = body;
    return world;
}

TEST(ColliderMesh, lies_on_the_collider_and_looks_outwards) {
    const std::vector<Collider> all{
        Collider::sphere({}, 0.7),
        Collider::box({}, {0.2, 1, 0.5}),
        Collider::capsule({}, 0.3, 2),
        Collider::cup({}, 1, 1.5, 0.1),
        Collider::mesh(shapes::torus(0.5, 0.2, 24, 12)),
        Collider::height_field(3, 4, {0, 1, 0, 1, 2, 1, 0, 1, 0, 1, 0, 1}, 0.5, 0.5)};
    for (const Collider& collider : all) {
        const MeshToDraw mesh = collider_mesh(collider);
        ASSERT_FALSE(mesh.triangles.empty());
        ASSERT_EQ(mesh.normals.size(), mesh.positions.size());
        for (const auto& [a, b, c] : mesh.triangles) {
            const Vec3 p = mesh.positions[a], q = mesh.positions[b], r = mesh.positions[c];
            const Vec3 face = cross(q - p, r - p);
            if (norm(face) < 1e-12) continue;  // at the middle of a cup's floor
            EXPECT_GT(dot(face, mesh.normals[a] + mesh.normals[b] + mesh.normals[c]), 0);
        }
        if (collider.shape == ColliderShape::height_field) continue;
        for (const Vec3& p : mesh.positions)
            EXPECT_LT(std::fabs(nearest_surface(collider, p).distance), 0.01)
                << p.x << " " << p.y << " " << p.z;
    }
    EXPECT_TRUE(collider_mesh(Collider::ground()).triangles.empty());
}

TEST(Pick, finds_the_nearest_front) {
    World world;
    const Body near = world.add_body(shapes::icosphere(0.5, 2), {}, {.position = {0, 0, 0}});
    world.add_body(shapes::icosphere(0.5, 2), {}, {.position = {0, 0, -3}});
    const Moment moment = MomentTaker().take(world);
    const auto hit = pick(moment, {0.1, 0.05, 5}, {0, 0, -1});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->id, near.id());
    EXPECT_NEAR(hit->distance, 4.5, 0.03);
    EXPECT_NEAR(norm(hit->point), 0.5, 0.03);
    EXPECT_FALSE(pick(moment, {2, 0, 5}, {0, 0, -1}));
    EXPECT_FALSE(pick(moment, {0, 0, 5}, {0, 0, 1})) << "behind";
}

TEST(WorldDrawing, poses_only_what_has_moved) {
    constexpr std::uint32_t side = 300;
    const std::vector<Collider> colliders{
        Collider::height_field(side, side, std::vector<double>(side * side, 0.0), 0.1, 0.1)};
    WorldDrawing drawing(colliders);
    Moment before, after;
    before.colliders = {{{0, 0.3, 0}, normalized(Quat{1, 0.1, 0.2, 0.3})}};
    after.colliders = before.colliders;
    using Clock = std::chrono::steady_clock;
    const auto fastest = [&](double moved) {
        auto least = Clock::duration::max();
        for (int k = 1; k <= 8; ++k) {
            after.colliders[0].position.x = moved * k;
            if (moved == 0) after = before;
            const Moment shown = between(before, after, 0.1 * k);
            const auto start = Clock::now();
            const Drawing made = drawing.draw(shown);
            least = std::min(least, Clock::now() - start);
            EXPECT_EQ(made.meshes.size(), 1u);
        }
        return least;
    };
    const Vec3f first = drawing.draw(before).meshes[0].positions[0];
    EXPECT_GT(fastest(0.5), 10 * fastest(0));
    after = before;
    after.colliders[0].position.x += 2;
    EXPECT_NEAR(drawing.draw(after).meshes[0].positions[0].x, first.x + 2, 1e-5);
    EXPECT_NEAR(drawing.draw(before).meshes[0].positions[0].x, first.x, 1e-5);
}

TEST(Moment, between_two_lies_halfway_and_knows_what_is_new) {
    World world;
    const Body first =
        world.add_body(shapes::icosphere(0.5, 1), {}, {.velocity = {1, 0, 0}, .gravity_factor = 0});
    MomentTaker taker;
    const Moment before = taker.take(world);
    world.step(0.01);
    world.add_body(shapes::icosphere(0.2, 1), {}, {.position = {5, 5, 5}});
    const Moment after = taker.take(world);
    const Moment middle = between(before, after, 0.5);
    ASSERT_EQ(middle.things.size(), 2u);
    EXPECT_NEAR(middle.time, 0.005, 1e-12);
    EXPECT_NEAR(middle.things[0].positions[3].x,
                0.5 * (before.things[0].positions[3].x + after.things[0].positions[3].x), 1e-7);
    EXPECT_EQ(middle.things[1].positions, after.things[1].positions);
    EXPECT_EQ(middle.things[0].id, first.id());
    EXPECT_EQ(before.things[0].triangles, after.things[0].triangles) << "triangles are shared";
}

TEST(Moment, an_id_that_comes_again_after_a_restore_may_be_another_body) {
    World world;
    const std::vector<std::byte> empty = world.snapshot();
    MomentTaker taker;
    world.add_body(shapes::cube(1, 3));
    EXPECT_EQ(taker.take(world).things.size(), 1u);
    world.restore(empty);
    Mesh turned = shapes::cube(1, 3);  // as many triangles, others
    for (Triangle& t : turned.triangles) t = {t[1], t[2], t[0]};
    const Body body = world.add_body(turned);
    const Moment moment = taker.take(world);
    EXPECT_TRUE(std::ranges::equal(*moment.things.front().triangles, body.triangles()));
}

TEST(WorldDrawing, bodies_look_like_their_material) {
    World world;
    const Vec3f green{0.1f, 0.5f, 0.1f};
    Material own = Material::named("metal");
    own.frequency = 6;
    world.add_body(shapes::icosphere(0.5, 1), Material::named("clay"));
    world.add_body(shapes::icosphere(0.5, 1), Material::named("clay"), {.colour = green});
    world.add_body(shapes::icosphere(0.5, 1), own);
    world.add_body(shapes::icosphere(0.5, 1), Material::named("jelly"), {.colour = green});
    world.add_rigid(RigidBody::sphere({5, 0, 0}, 0.5));
    WorldDrawing drawing({});
    const Moment moment = MomentTaker().take(world);
    const std::vector<DrawnMesh> drawn = drawing.draw(moment).meshes;
    ASSERT_EQ(drawn.size(), 5u);
    EXPECT_EQ(drawn[0].finish, Finish::clay);
    EXPECT_NE(drawn[0].colour, BodyOptions{}.colour);
    EXPECT_EQ(drawn[1].finish, Finish::clay);
    EXPECT_EQ(drawn[1].colour, green) << "a colour that was given wins";
    EXPECT_EQ(drawn[2].finish, Finish::metal) << "a material made of another looks like it";
    EXPECT_EQ(drawn[3].finish, Finish::gummy);
    EXPECT_EQ(drawn[3].colour, green);
    EXPECT_EQ(drawn[4].finish, Finish::smooth);
    Insight inside;
    inside.pale = true;
    EXPECT_EQ(drawing.draw(moment, inside).meshes[0].finish, Finish::gummy);
    inside.through = true;
    EXPECT_EQ(drawing.draw(moment, inside).meshes[0].finish, Finish::ghost);
}

TEST(WorldDrawing, clouds_are_balls_that_nearly_touch_or_their_cage) {
    World world;
    const Mesh ball = shapes::icosphere(0.5, 3), points{"points", ball.vertices, {}};
    BodyOptions options{.model = MeshlessModel{}, .display = &points};
    const Body body = world.add_body(shapes::icosphere(0.6, 2), {}, options);
    WorldDrawing drawing({});
    const Moment moment = MomentTaker().take(world);
    const DrawnMesh drawn = drawing.draw(moment).meshes[0];
    EXPECT_EQ(drawn.positions.size(), ball.vertices.size());
    EXPECT_TRUE(drawn.triangles.empty());
    const double spacing = mean_edge(ball.vertices, ball.triangles);
    EXPECT_GT(drawn.radius, 0.3 * spacing);
    EXPECT_LT(drawn.radius, spacing);
    EXPECT_TRUE(pick(moment, {0.003, 0.004, 5}, {0, 0, -1}));
    EXPECT_FALSE(pick(moment, {0, 0.6, 5}, {0, 0, -1}));
    Overlays overlays;
    *overlays.named("surface") = true;
    const Insight insight = look_inside(world, overlays);
    const DrawnMesh surface = drawing.draw(moment, insight).meshes[0];
    EXPECT_EQ(surface.positions.size(), body.positions().size());
    EXPECT_TRUE(std::ranges::equal(surface.triangles, body.triangles()));
    overlays = {};
    *overlays.named("clusters") = true;
    // Each point has the colour of those that it moves with, none is black.
    const Insight coloured = look_inside(world, overlays);
    for (const Vec3f& c : coloured.colours.at(body.id())) EXPECT_GT(c.x + c.y + c.z, 0.2f);
}

TEST(WorldDrawing, the_grain_of_a_body_moves_along_with_it) {
    World world;
    Body body = world.add_body(shapes::icosphere(0.5, 1), Material::named("foam"));
    MomentTaker taker;
    const Moment before = taker.take(world);
    body.teleport({3, 4, 5}, Quat::about({1, 0, 0}, 1));
    const Moment after = taker.take(world);
    WorldDrawing drawing({});
    const DrawnMesh mesh = drawing.draw(after).meshes[0];
    EXPECT_NE(mesh.positions[0], before.things[0].positions[0]);
    EXPECT_TRUE(std::ranges::equal(mesh.grain, before.things[0].positions));
}

TEST(WorldDrawing, framing_sees_where_things_fall_to) {
    World world;
    world.add_collider(Collider::ground());
    world.add_body(shapes::icosphere(0.5, 1), {}, {.position = {0, 5, 0}});
    const std::vector<Collider> colliders{Collider::ground()};
    const WorldDrawing drawing(colliders);
    const Camera camera = drawing.framing(MomentTaker().take(world), 1.5);
    for (const Vec3 p : {Vec3{0, 5.5, 0}, {0, 0, 0}, {0.5, 0, 0.5}}) {
        EXPECT_LT(std::fabs(camera.project(p, 1.5).x), 1);
        EXPECT_LT(std::fabs(camera.project(p, 1.5).y), 1);
    }
}

TEST(WorldDrawing, an_empty_world_is_no_trouble) {
    World world;
    WorldDrawing drawing({});
    const Moment nothing = MomentTaker().take(world);
    EXPECT_TRUE(drawing.draw(nothing).meshes.empty());
    EXPECT_GT(drawing.framing(nothing, 1.5).distance, 0.1);
}

TEST(Inspection, paths_hold_every_vertex_once_and_go_along_edges) {
    World world;
    const Body body = world.add_body(shapes::rubber_duck(1, 500));
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : body.triangles())
        for (std::size_t k = 0; k < 3; ++k) {
            edges.insert({t[k], t[(k + 1) % 3]});
            edges.insert({t[(k + 1) % 3], t[k]});
        }
    std::set<std::uint32_t> seen;
    const auto paths = Inspection::paths(body);
    for (const auto& path : paths) {
        for (std::size_t i = 0; i + 1 < path.size(); ++i)
            EXPECT_TRUE(edges.contains({path[i], path[i + 1]}));
        for (const std::uint32_t vertex : path) EXPECT_TRUE(seen.insert(vertex).second);
    }
    EXPECT_EQ(seen.size(), body.positions().size());
    EXPECT_LT(paths.size(), seen.size() / 4) << "paths are long";
}

TEST(Inspection, a_region_is_what_lies_within_omega_edges) {
    World world;
    Material material;
    material.omega = 1;
    const Body body = world.add_body(shapes::icosphere(0.5, 2), material);
    std::set<std::uint32_t> ring{7};
    for (const Triangle& t : body.triangles())
        if (std::ranges::count(t, 7u)) ring.insert(t.begin(), t.end());
    const auto region = Inspection::region(body, 7);
    EXPECT_EQ(std::set<std::uint32_t>(region.begin(), region.end()), ring);
}

TEST(Inspection, struts_go_through_the_body) {
    World world;
    const Body ball = world.add_body(shapes::icosphere(0.5, 2));
    const auto struts = Inspection::struts(ball);
    EXPECT_EQ(struts.size(), ball.positions().size());
    for (const auto& [from, to] : struts)
        EXPECT_GT(norm(to_double(ball.positions()[from]) - to_double(ball.positions()[to])), 0.8);
}

TEST(Inspection, a_ball_on_the_ground_touches_it_below_and_is_squeezed_there) {
    World world;
    world.add_collider(Collider::ground());
    const Body ball = world.add_body(shapes::icosphere(0.5, 3), Material::named("jelly"),
                                     {.position = {0, 0.5, 0}});
    for (int k = 0; k < 100; ++k) world.step();
    const auto contacts = Inspection::contacts(ball);
    ASSERT_FALSE(contacts.empty());
    for (const auto& [point, normal] : contacts) {
        EXPECT_NEAR(point.y, 0, 1e-3);
        EXPECT_NEAR(normal.y, 1, 1e-9);
    }
    const std::vector<double> weights = Inspection::weights(ball);
    double sum = 0, low = 0, high = 0, lows = 0, highs = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weights[i];
        const double y = ball.position(i).y;
        if (y < 0.1) low += weights[i], ++lows;
        if (y > 0.7) high += weights[i], ++highs;
    }
    EXPECT_NEAR(sum / static_cast<double>(weights.size()), 1, 0.2);
    EXPECT_GT(low / lows, high / highs);
}

TEST(Inspection, values_are_carried_over_to_the_display_mesh) {
    World world;
    const Mesh fine = shapes::icosphere(0.5, 4), coarse = shapes::icosphere(0.5, 2);
    const Body body = world.add_body(coarse, {}, {.display = &fine});
    std::vector<double> heights;
    for (const Vec3& p : coarse.vertices) heights.push_back(p.y);
    const std::vector<double> shown = Inspection::on_display(body, heights);
    ASSERT_EQ(shown.size(), fine.vertices.size());
    for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_NEAR(shown[i], fine.vertices[i].y, 0.03);
}

TEST(Inspection, the_rest_shape_is_where_the_body_is_in_its_display_mesh) {
    World world;
    const Mesh fine = shapes::icosphere(0.5, 4), coarse = shapes::icosphere(0.5, 2);
    Body body = world.add_body(coarse, Material::named("clay"),
                               {.model = MeshlessModel{}, .display = &fine});
    body.teleport({1, 2, 3}, Quat::about({0, 1, 0}, 0.7));
    const auto apart = [&] {
        const auto rest = Inspection::rest_shape(body);
        EXPECT_EQ(rest.normals.size(), fine.vertices.size());
        double most = 0;
        for (std::size_t i = 0; i < fine.vertices.size(); ++i)
            most = std::max(most, norm(to_double(rest.positions.at(i)) -
                                       to_double(body.display_positions()[i])));
        return most;
    };
    EXPECT_LT(apart(), 1e-5);
    std::vector<Vec3> pulled;
    for (std::size_t i = 0; i < coarse.vertices.size(); ++i) {
        const Vec3 p = body.position(i) - Vec3{1, 2, 3};
        pulled.push_back(Vec3{1, 2, 3} + Vec3{1.5 * p.x, p.y / 1.22, p.z / 1.22});
    }
    body.set_positions(pulled);
    EXPECT_GT(apart(), 0.15) << "it is drawn back";
    body.set_gravity_factor(0);
    for (int k = 0; k < 60; ++k) world.step();
    EXPECT_LT(apart(), 0.03) << "what it keeps is its shape now";
}

TEST(Insight, shows_what_is_asked_for) {
    World world = world_with_a_ball();
    Overlays overlays;
    EXPECT_FALSE(overlays.any());
    EXPECT_EQ(overlays.named("nonsense"), nullptr);
    EXPECT_TRUE(look_inside(world, overlays).lines.empty());
    *overlays.named("particles") = true;
    EXPECT_EQ(look_inside(world, overlays).points.size(), world.particles());
    overlays = {};
    *overlays.named("cage") = true;
    EXPECT_EQ(look_inside(world, overlays).lines.size(), 3 * (world.particles() - 2))
        << "edges of a closed surface";
    overlays = {};
    *overlays.named("cells") = true;
    EXPECT_TRUE(look_inside(world, overlays).lines.empty()) << "a surface has no cells";
    World lattices;
    lattices.add_body(shapes::cube(1, 5), {}, {.model = LatticeModel{.cells = 4}});
    const Insight cells = look_inside(lattices, overlays);
    EXPECT_EQ(cells.lines.size(), 3u * 4 * 5 * 5) << "edges along three axes, inner ones, too";
    EXPECT_TRUE(cells.through);
    for (const DrawnLine& line : cells.lines)
        EXPECT_NEAR(norm(to_double(line.to) - to_double(line.from)), 0.25, 0.1);
    // Cells that keep a volume each show how well: green at rest, bluer where they are too small.
    World volumes;
    Body cube = volumes.add_body(shapes::cube(1, 5), {}, {.model = CellsModel{.cells = 4}});
    const auto lines = look_inside(volumes, overlays).lines;
    EXPECT_EQ(lines.size(), 12u * 4 * 4 * 4);
    for (const DrawnLine& line : lines) EXPECT_EQ(line.colour, lines.front().colour);
    EXPECT_GT(lines.front().colour.y, std::max(lines.front().colour.x, lines.front().colour.z));
    std::vector<Vec3> smaller;
    for (std::size_t v = 0; v < cube.positions().size(); ++v)
        smaller.push_back(0.99 * cube.position(v));
    cube.set_positions(smaller);
    const Vec3f colour = look_inside(volumes, overlays).lines.front().colour;
    EXPECT_GT(colour.z, std::max(colour.x, colour.y));
    overlays = {};
    *overlays.named("weights") = true;
    EXPECT_EQ(look_inside(world, overlays).colours.size(), 1u);
    overlays = {};
    overlays.region = {world.bodies().front().id(), 3};
    EXPECT_GT(look_inside(world, overlays).points.size(), 6u);
}

}  // namespace
}  // namespace turgor
