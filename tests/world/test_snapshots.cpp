#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/random.hpp"
#include "fuzz/snapshot_worlds.hpp"
#include "turgor/turgor.hpp"
#include "world/mixed_world.hpp"
#include "world/snapshot.hpp"

namespace turgor {
namespace {

using Bytes = std::vector<std::byte>;

WorldSettings on(Backend backend) {
    WorldSettings settings;
    settings.backend = backend;
    settings.threads = 1;
    return settings;
}

TEST(Snapshots, go_on_with_the_same_bits) {
    Mixed mixed;
    mixed.run(40);
    const auto bytes = mixed.world.snapshot();
    mixed.run(40);
    const auto later = mixed.world.state_hash();

    World other;
    other.restore(bytes);
    EXPECT_EQ(other.particles(), mixed.world.particles());
    Body a = other.body(mixed.a.id());
    for (int k = 0; k < 40; ++k) {
        a.move_handle(mixed.drag, {0.5 * std::sin(other.time()), 1, 0});
        other.step();
    }
    EXPECT_EQ(other.state_hash(), later);
    mixed.world.restore(bytes);
    mixed.run(40);
    EXPECT_EQ(mixed.world.state_hash(), later);
}

TEST(Snapshots, that_are_damaged_are_refused_and_change_nothing) {
    Mixed mixed;
    mixed.run(5);
    const auto bytes = mixed.world.snapshot();
    const auto hash = mixed.world.state_hash();
    Random random(1);
    for (int k = 0; k < 200; ++k) {
        auto bad = bytes;
        if (k % 2)
            bad.resize(random.bits() % bad.size());
        else
            bad[random.bits() % bad.size()] ^= std::byte{4};
        Status status;
        mixed.world.restore(bad, &status);
        EXPECT_EQ(status.code, ErrorCode::bad_snapshot);
        EXPECT_FALSE(status.message.empty());
    }
    EXPECT_EQ(mixed.world.state_hash(), hash);
    EXPECT_THROW(mixed.world.restore({}), Error);
}

TEST(Snapshots, in_the_midst_of_a_recovery_go_on_with_the_same_bits) {
    World world;
    Body ball = world.add_body(shapes::uv_sphere(0.5, 12, 11), Material::named("jelly"));
    // Dented at first, so that its weights are not uniform.
    std::vector<Vec3> dent(ball.positions().size());
    for (std::size_t i = 0; i < dent.size() / 4; ++i) dent[i] = {0, -5, 1};
    ball.set_velocities(dent);
    for (int k = 0; k < 5; ++k) world.step();
    ball.set_positions(std::vector<Vec3>(ball.positions().size(), Vec3{0, 1, 0}));
    world.step();
    ASSERT_TRUE(ball.recovering());
    World other;
    other.restore(world.snapshot());
    for (int k = 0; k < 60; ++k) {
        world.step();
        other.step();
        ASSERT_EQ(world.state_hash(), other.state_hash()) << k;
    }
    EXPECT_FALSE(ball.recovering());
}

TEST(Snapshots, of_another_formulation_bring_their_own_fits) {
    const Mesh mesh = shapes::uv_sphere(0.5, 12, 11);
    World paper({.gravity = {}, .formulation = Formulation::paper()}), other, fresh;
    const double stiffness = paper.add_body(mesh).figure("stiffness");
    other.add_body(mesh);
    other.restore(paper.snapshot());
    fresh.restore(paper.snapshot());
    EXPECT_EQ(other.bodies().front().figure("stiffness"), stiffness);
    EXPECT_EQ(fresh.bodies().front().figure("stiffness"), stiffness);
}

TEST(Snapshots, leave_ids_given_after_them_to_whom_they_were_given) {
    World world;
    const auto bytes = world.snapshot();
    const Body gone = world.add_body(shapes::cube(1, 4));
    world.restore(bytes);
    world.add_body(shapes::cube(1, 4));
    EXPECT_FALSE(gone.alive());
}

TEST(Snapshots, go_from_one_back_end_to_the_other) {
    World reference(on(Backend::reference)), cpu(on(Backend::cpu));
    reference.add_collider(Collider::ground());
    const BodyId id =
        reference.add_body(shapes::icosphere(0.5, 3), {}, {.position = {0, 1, 0}}).id();
    for (int k = 0; k < 50; ++k) reference.step();
    cpu.restore(reference.snapshot());
    EXPECT_EQ(cpu.backend(), Backend::cpu);
    for (int k = 0; k < 20; ++k) {
        cpu.step();
        reference.step();
    }
    const Vec3 there = cpu.body(id).centre_of_mass();
    EXPECT_LT(norm(there - reference.body(id).centre_of_mass()), 1e-5);
    reference.restore(cpu.snapshot());
    EXPECT_EQ(reference.backend(), Backend::reference);
    EXPECT_EQ(reference.body(id).centre_of_mass(), there);
}

TEST(Snapshots, change_nothing) {
    const auto hash = [](bool save) {
        World world(on(Backend::cpu));
        Body body = world.add_body(shapes::gummy_bear(1, 500), {}, {.angular_velocity = {1, 2, 3}});
        const auto before = world.state_hash();
        if (save) {
            EXPECT_FALSE(world.snapshot().empty());
        }
        EXPECT_EQ(world.state_hash(), before);
        body.apply_impulse({1, 2, 3});
        for (int k = 0; k < 5; ++k) {
            world.step();
            if (save) {
                EXPECT_FALSE(world.snapshot().empty());
            }
        }
        return world.state_hash();
    };
    EXPECT_EQ(hash(true), hash(false));
}

template <class T>
void overwrite(Bytes& bytes, std::size_t at, T value) {
    ASSERT_LE(at + sizeof value, bytes.size());
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// What the fields whose path ends like this must not be.
struct Illegal {
    const char* ending;
    double value;
    const char* words;
};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();
const Illegal illegal[] = {{"time", nan, "time is nan but must be between 0"},
                           {"time", -1, "must be between"},
                           {"gravity", infinite, "gravity is inf but must be finite"},
                           {"normal_point_weight", -1, "must be between 0 and"},
                           {"next_id", 0, "next_id is 0"},
                           {"share_mass", 2, "share_mass is 2 but must be 0 or 1"},
                           {"mesh.vertices", nan, "is nan but must be finite"},
                           {"mesh.triangles", 1e9, "must be below"},
                           {"].shape", 99, "is 99 but must be below"},
                           {"now.position", nan, "now.position is nan"},
                           {"now.rotation", 3, "must be a unit quaternion"},
                           {"commanded.position", nan, "commanded.position is nan"},
                           {"path.keys[1].time", nan, "time is nan"},
                           {"path.keys[1].time", -1e9, "do not ascend"},
                           {"columns", 1, "columns is 1"},
                           {"heights", nan, "is nan but must be finite"},
                           {"spacing_x", 0, "spacing"},
                           {"].radius", -1, "radius"},
                           {"half_extent", 0, "half extent"},
                           {"thickness", nan, "thickness is nan"},
                           {"static_friction", 99, "static_friction"},
                           {"material.density", nan, "density is nan"},
                           {"material.omega", 99, "omega"},
                           {"plasticity.cap", 9, "plasticity.cap is 9"},
                           {"].mass", -1, "mass"},
                           {"volume_mode", 9, "is 9 but must be below 3"},
                           {"common.source", 9, "must be below"},
                           {"common.colour", nan, "colour is nan"},
                           {"forces[0].particle", 1e6, "must be below"},
                           {"particles", 1e6, "must be below"},
                           {"handles[0].frequency", 0, "must be above 0"},
                           {"handles[0].start_time", 1e9, "must be between 0 and"},
                           {"handles[0].targets", nan, "is nan"},
                           {"strength", 2, "must be between 0 and 1"},
                           {"touching[0].kind", 7, "must be below 3"},
                           {"touching[0].id", 1e9, "ids from 1 to below"},
                           {"touching[0].impulse", nan, "impulse is nan"},
                           {"separating", 2, "must be below 2"},
                           {"push", nan, "push is nan"},
                           {"travelled", nan, "travelled is nan"},
                           {"clusters[0].gap", infinite, "gap is inf"},
                           {"sleep_timer", -1, "must be between 0"},
                           {"orientation", 0.5, "unit quaternion"},
                           {"common.mean_v", nan, "mean_v is nan"},
                           {"extent.reach", 0, "beyond its extent"},
                           {"common.x", nan, "is nan but must be finite"},
                           {"common.v", infinite, "is inf but must be finite"},
                           {"pressed", nan, "is nan but must be finite"},
                           {"model.version", 3, "this build reads version 2 of 'surface'"},
                           {"rigids[0].velocity", nan, "velocity is nan"},
                           {"rigids[0].torque", nan, "torque is nan"}};

void set_number(Bytes& bytes, const SnapshotField& f, double value) {
    if (f.is_floating && f.width == 8) return overwrite(bytes, f.offset, value);
    if (f.is_floating) return overwrite(bytes, f.offset, static_cast<float>(value));
    if (f.width == 8) return overwrite(bytes, f.offset, static_cast<std::uint64_t>(value));
    if (f.width == 4) return overwrite(bytes, f.offset, static_cast<std::uint32_t>(value));
    overwrite(bytes, f.offset, static_cast<std::uint8_t>(value));
}

TEST(Snapshots, with_a_number_out_of_its_range_are_refused_by_the_name_of_the_field) {
    const auto seeds = fuzz::seeds();
    std::vector<std::vector<SnapshotField>> fields;
    for (const auto& seed : seeds) fields.push_back(fields_of(seed.bytes));
    for (const auto& [ending, value, words] : illegal) {
        int tried = 0;
        for (std::size_t k = 0; k < seeds.size(); ++k) {
            // The last: an optional number comes after whether it is there.
            const auto at = std::ranges::find_if(fields[k], [&](const SnapshotField& f) {
                return f.path.ends_with(ending) && f.count > 0 &&
                       (f.width > 1 || ending == std::string("share_mass")) &&
                       !(f.width == 8 && !f.is_floating && !f.path.ends_with("length"));
            });
            if (at == fields[k].end()) continue;
            ++tried;
            Bytes bytes = seeds[k].bytes;
            set_number(bytes, *at, value);
            seal_snapshot(bytes);
            World world(on(Backend::automatic));
            Status status;
            world.restore(bytes, &status);
            EXPECT_EQ(status.code, ErrorCode::bad_snapshot) << seeds[k].name << " " << at->path;
            EXPECT_NE(status.message.find(words), std::string::npos)
                << seeds[k].name << " " << at->path << ": " << status.message;
            EXPECT_TRUE(world.bodies().empty() && world.colliders().empty());
        }
        EXPECT_GT(tried, 0) << ending;
    }
}

TEST(Snapshots, with_counts_beyond_their_bytes_take_no_memory) {
    for (const auto& [name, bytes] : fuzz::seeds())
        for (const SnapshotField& f : fields_of(bytes)) {
            if (f.is_floating || f.width != 8 || f.path == "magic") continue;
            for (const std::uint64_t count : {std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
                Bytes bad = bytes;
                overwrite(bad, f.offset, count);
                seal_snapshot(bad);
                World world(on(Backend::automatic));
                Status status;
                world.restore(bad, &status);
                ASSERT_EQ(status.code, ErrorCode::bad_snapshot) << name << " " << f.path;
            }
        }
}

TEST(Snapshots, of_other_versions_are_refused_with_a_sentence) {
    Mixed mixed;
    Bytes bytes = mixed.world.snapshot();
    overwrite(bytes, 8, std::uint32_t{7});
    seal_snapshot(bytes);
    Status status;
    World world;
    world.restore(bytes, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_snapshot);
    EXPECT_EQ(status.message,
              "the snapshot is of version 7; this build reads version 10, so make it again");
}

TEST(Snapshots, of_models_that_are_not_known_are_refused_with_a_sentence) {
    Mixed mixed;
    Bytes bytes = mixed.world.snapshot();
    const auto fields = fields_of(bytes);
    const auto model = std::ranges::find_if(fields, [](const SnapshotField& f) {
        return f.path == "bodies[1].model.name" && f.width == 1;
    });
    ASSERT_NE(model, fields.end());
    ASSERT_EQ(model->count, 7u);
    std::memcpy(bytes.data() + model->offset, "granite", 7);
    seal_snapshot(bytes);
    Status status;
    mixed.world.restore(bytes, &status);
    EXPECT_EQ(status.message,
              "the snapshot's bodies[1].model is wrong: there is no elastic model 'granite'; the "
              "models are surface, meshless, lattice, cells");
}

TEST(Snapshots, that_are_refused_leave_the_world_as_it_was) {
    Mixed mixed;
    mixed.run(5);
    const Bytes good = mixed.world.snapshot();
    const auto fields = fields_of(good);
    // The last field: all else was read by then.
    Bytes bad = good;
    const auto last = std::ranges::find_if(fields, [](const SnapshotField& f) {
        return f.path == "bodies[1].model.state" && f.width == 1;
    });
    ASSERT_NE(last, fields.end());
    // Rotations of regions, after their number.
    overwrite(bad, last->offset + 8, std::numeric_limits<double>::quiet_NaN());
    seal_snapshot(bad);
    Status status;
    mixed.world.restore(bad, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_snapshot);
    EXPECT_EQ(mixed.world.snapshot(), good);
    mixed.run(20);
    Mixed other;
    other.run(25);
    EXPECT_EQ(mixed.world.state_hash(), other.world.state_hash());
}

TEST(Snapshots, are_the_same_again_after_restoring) {
    for (const auto& [name, bytes] : fuzz::seeds()) {
        World world(on(Backend::reference));
        if (!name.ends_with("cpu")) {
            world.restore(bytes);
            EXPECT_EQ(world.snapshot(), bytes) << name;
        }
        World automatic(on(Backend::automatic));
        automatic.restore(bytes);
        EXPECT_EQ(automatic.snapshot(), bytes) << name;
    }
}

TEST(Snapshots, of_a_body_that_overflowed_can_be_restored) {
    for (const Backend backend : {Backend::reference, Backend::cpu}) {
        World world(on(backend));
        Body wild = world.add_body(shapes::cube(1, 4));
        wild.apply_impulse({1e308, 1e308, 0});
        Status status;
        world.step(0.005, &status);
        EXPECT_EQ(status.code, ErrorCode::failed);
        World other(on(backend));
        other.restore(world.snapshot(), &status);
        EXPECT_TRUE(status.ok()) << status.message;
        world.step();
        other.step();
        EXPECT_EQ(other.state_hash(), world.state_hash());
    }
}

}  // namespace
}  // namespace turgor
