#include <cmath>
#include <optional>

#include "on_device.hpp"
#include "step/device_world.hpp"
#include "world/inspection.hpp"

namespace turgor {
namespace {

/// What a body shows, kept.
struct Shown {
    std::vector<Vec3f> positions, normals, display_positions, display_normals;
    explicit Shown(const Body& body)
        : positions(copy(body.positions())),
          normals(copy(body.normals())),
          display_positions(copy(body.display_positions())),
          display_normals(copy(body.display_normals())) {}
    static std::vector<Vec3f> copy(std::span<const Vec3f> of) { return {of.begin(), of.end()}; }
};

class Display : public OnDevice {
protected:
    /// Sets how many work-items share a block, for worlds made during its life.
    struct Group {
        explicit Group(const char* items) { setenv("TURGOR_OPENCL_GROUP", items, 1); }
        ~Group() { unsetenv("TURGOR_OPENCL_GROUP"); }
    };

    static void steps(World& world, int n) {
        for (int k = 0; k < n; ++k) world.step();
    }

    /// So crumpled that some vertices of a smooth sphere are on no line of normals (rest_error).
    static Mesh crumpled() {
        Mesh mesh = shapes::icosphere(0.3, 3);
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
            mesh.vertices[i] *= 1 + 0.3 * std::sin(37.0 * static_cast<double>(i));
        return mesh;
    }

    /// Turning and stretched, so that nothing is as it was at rest. Kinds 0 and 2 are shown by a
    /// finer mesh.
    static Body add(World& world, int kind, Vec3 position) {
        const Mesh fine = shapes::icosphere(0.3, 4);
        const Mesh mesh = kind == 0   ? shapes::icosphere(0.3, 3)
                          : kind == 1 ? shapes::cube(0.5, 21)
                          : kind == 2 ? crumpled()
                                      : shapes::torus(0.4, 0.15, 30, 14);
        Body body = world.add_body(mesh, Material::named("jelly"),
                                   {.position = position,
                                    .velocity = {0.2, 1, -0.3},
                                    .angular_velocity = {2, 1, -1},
                                    .self_contact = false,
                                    .display = kind % 2 == 0 ? &fine : nullptr});
        std::vector<Vec3> stretched;
        const Vec3 c = body.centre_of_mass();
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
            const Vec3 r = body.position(i) - c;
            stretched.push_back(c + Vec3{1.15 * r.x, 0.9 * r.y, r.z + 0.1 * r.x});
        }
        body.set_positions(stretched);
        return body;
    }

    /// Several bodies of one asset and of others, in a row about the origin.
    static World several(int count = 6) {
        World world(on(Backend::opencl));
        world.set_gravity({});
        for (int k = 0; k < count; ++k) add(world, k % 4, {1.5 * (k - count / 2), 0, 0});
        return world;
    }

    /// The same state, bit for bit, shown by the cpu back end.
    std::vector<Body> on_the_cpu(const World& world) {
        cpu_.restore(world.snapshot());
        return cpu_.bodies();
    }

    static double farthest(std::span<const Vec3f> a, std::span<const Vec3f> b) {
        EXPECT_EQ(a.size(), b.size());
        double distance = 0;
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
            const double d = norm(to_double(a[i]) - to_double(b[i]));
            if (!(d <= distance)) distance = d;
        }
        return distance;
    }

    void expect_same(World& world, const std::string& when) {
        std::vector<Shown> shown;
        for (const Body& body : world.bodies()) shown.emplace_back(body);
        const auto bodies = on_the_cpu(world);
        ASSERT_EQ(shown.size(), bodies.size()) << when;
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            const Body& body = bodies[k];
            const Shown& s = shown[k];
            EXPECT_EQ(farthest(s.positions, body.positions()), 0) << when << ", body " << k;
            EXPECT_LT(farthest(s.normals, body.normals()), 1e-4) << when << ", body " << k;
            EXPECT_LT(farthest(s.display_positions, body.display_positions()), 1e-6 * body.size())
                << when << ", body " << k;
            EXPECT_LT(farthest(s.display_normals, body.display_normals()), 1e-4)
                << when << ", body " << k;
        }
    }

    /// Calls so far of the kernels that show bodies.
    static std::size_t launches(const World& world) {
        std::size_t count = 0;
        for (const auto& [name, kernel] : Inspection::device(world)->kernels())
            if (name == "show_particles" || name == "place_detail" || name == "detail_normals")
                count += kernel.launches;
        return count;
    }
    static std::size_t fetches(const World& world) { return Inspection::device(world)->fetches(); }

    World cpu_{on(Backend::cpu)};  // keeps what it has baked
};

TEST_F(Display, meshes_and_display_meshes_are_those_of_the_cpu) {
    for (const char* items : {"1", "64"}) {
        const Group group(items);
        World world = several();
        expect_same(world, std::string("at rest, group ") + items);
        steps(world, 20);
        expect_same(world, std::string("moving, group ") + items);
    }
}

TEST_F(Display, bodies_that_come_and_go_do_not_mix_up_the_others) {
    for (const char* items : {"1", "64"}) {
        const Group group(items);
        World world = several(5);
        steps(world, 3);
        expect_same(world, "before");
        // The last bodies of two assets, with and without a display mesh.
        world.remove_body(world.bodies()[3].id());
        world.remove_body(world.bodies()[2].id());
        steps(world, 2);
        expect_same(world, "without two");
        add(world, 3, {0, 2, 0});
        add(world, 0, {0, -2, 0});
        add(world, 2, {1, 2, 0});
        expect_same(world, "with three more");
        steps(world, 2);
        expect_same(world, "after they moved");
    }
}

TEST_F(Display, far_away_normals_are_as_good_and_positions_rounded_once) {
    World world(on(Backend::opencl));
    world.set_gravity({});
    Body body = add(world, 2, {1000, -2000, 500});
    steps(world, 5);
    const Shown shown(body);
    const Shown same(on_the_cpu(world)[0]);
    const double digit = 2048 * 0x1p-23;  // the last one of their coordinates
    EXPECT_EQ(farthest(shown.positions, same.positions), 0);
    EXPECT_LT(farthest(shown.normals, same.normals), 1e-4);
    EXPECT_LT(farthest(shown.display_positions, same.display_positions), 1.8 * digit);
    EXPECT_LT(farthest(shown.display_normals, same.display_normals), 1e-4);
}

TEST_F(Display, particles_stay_where_they_are) {
    World world = several();
    steps(world, 3);
    const std::size_t before = fetches(world);
    for (const Body& body : world.bodies()) Shown{body};
    world.begin_reading();
    EXPECT_EQ(fetches(world), before);
    world.bodies()[0].position(0);
    EXPECT_EQ(fetches(world), before + 1);
}

TEST_F(Display, launches_do_not_depend_on_the_number_of_bodies) {
    for (const int count : {3, 40}) {
        World world = several(count);
        world.step();
        const std::size_t before = launches(world);
        for (const Body& body : world.bodies()) Shown{body};
        EXPECT_EQ(launches(world), before + 3) << count;
        for (const Body& body : world.bodies()) Shown{body};
        EXPECT_EQ(launches(world), before + 3) << "nothing has changed";
        const std::size_t of_step = Inspection::device(world)->launches();
        world.step();
        EXPECT_EQ(Inspection::device(world)->launches(), of_step) << "they are not of the step";
    }
}

TEST_F(Display, tables_are_made_when_somebody_asks_and_shared_and_go_with_their_asset) {
    World world(on(Backend::opencl));
    const auto memory = [&] { return Inspection::device(world)->memory(); };
    const auto added_by_showing = [&](int count) {
        for (int k = 0; k < count; ++k) add(world, 2, {2.0 * k, 0, 0});
        world.step();
        const std::size_t before = memory();
        for (const Body& body : world.bodies()) body.positions();
        const std::size_t added = memory() - before;
        for (const Body& body : world.bodies()) world.remove_body(body.id());
        return added;
    };
    const std::size_t of_one = added_by_showing(1), all = memory();
    EXPECT_GT(of_one, 0u);
    added_by_showing(1);
    EXPECT_EQ(memory(), all) << "another asset in place of the first";
    world = World(on(Backend::opencl));
    EXPECT_LT(added_by_showing(10), 5 * of_one);
}

TEST_F(Display, what_was_begun_is_not_begun_again) {
    World world = several();
    world.step();
    world.begin_reading();
    world.begin_reading();
    expect_same(world, "begun");
    EXPECT_EQ(launches(world), 3u);
}

TEST_F(Display, what_was_begun_before_a_step_is_not_shown_after_it) {
    World world = several();
    for (int k = 0; k < 5; ++k) {
        steps(world, 3);
        world.begin_reading();
        steps(world, 1);
        if (k % 2) world.begin_reading();
        expect_same(world, "step " + std::to_string(k));
    }
}

TEST_F(Display, what_was_begun_before_an_edit_is_not_shown_after_it) {
    World world = several();
    world.step();
    world.begin_reading();
    auto bodies = world.bodies();
    bodies[0].teleport({0, 3, 0});
    std::vector<Vec3> moved;
    for (std::size_t i = 0; i < bodies[1].positions().size(); ++i)
        moved.push_back(bodies[1].position(i) + Vec3{0, -3, 0});
    bodies[1].set_positions(moved);
    EXPECT_NEAR(bodies[0].positions()[0].y, 3, 0.5);
    EXPECT_NEAR(bodies[1].positions()[0].y, -3, 0.5);
    expect_same(world, "edited");
    world.step();
    expect_same(world, "one step later");
}

TEST_F(Display, a_body_with_other_regions_keeps_its_shape) {
    World world = several();
    world.step();
    world.begin_reading();
    Body body = world.bodies()[0];
    const int omega = static_cast<int>(body.figure("omega"));
    Material material = Material::named("jelly");
    material.omega = omega + 2;
    body.set_material(material);
    ASSERT_NE(body.figure("omega"), omega);
    expect_same(world, "with a new material");
    world.step();
    world.begin_reading();
    expect_same(world, "one step later");
}

TEST_F(Display, bodies_and_worlds_may_vanish_before_they_are_read) {
    std::optional<World> world = several();
    for (int k = 0; k < 3; ++k) {
        world->step();
        world->begin_reading();
        world->remove_body(world->bodies()[1].id());
        add(*world, 1 + k, {0, 2.0 + k, 0});
        world->step();
        expect_same(*world, "after " + std::to_string(k));
    }
    const auto before = world->snapshot();
    world->step();
    world->begin_reading();
    world->restore(before);
    expect_same(*world, "restored");
    world->step();
    world->begin_reading();
    world.reset();
}

TEST_F(Display, other_back_ends_have_nothing_to_begin) {
    World world(on(Backend::cpu));
    world.begin_reading();
    Body body = add(world, 0, {});
    world.begin_reading();
    world.step();
    world.begin_reading();
    EXPECT_EQ(body.positions().size(), body.normals().size());
    EXPECT_GT(body.positions()[0].y, -1);
}

}  // namespace
}  // namespace turgor
