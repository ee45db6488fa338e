#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "scene/live.hpp"
#include "scene/monitor.hpp"
#include "scene/package_mesh.hpp"
#include "scene/starts.hpp"

namespace turgor {
namespace {

namespace fs = std::filesystem;

std::string complaint(const std::string& text) {
    try {
        make(text);
    } catch (const Error& e) {
        return e.what();
    }
    return "no complaint";
}

/// A folder of its own for a test, gone afterwards.
class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / fmt::format("turgor-test-{}", ::getpid())) {
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    fs::path operator/(const char* name) const { return path_ / name; }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

TEST(LiveScene, AbsurdSizesAreRefusedBeforeAnythingIsMade) {
    const std::string huge =
        complaint(R"({"bodies": [{"shape": {"sphere": {"segments": 4000, "rings": 4000}},
        "copies": {"grid": [10, 10, 10], "spacing": [1, 1, 1]}}]})");
    EXPECT_NE(huge.find("my.json: /bodies/0: "), std::string::npos) << huge;
    EXPECT_NE(huge.find("million particles"), std::string::npos) << huge;
}

TEST(LiveScene, WhatDoesNotWorkIsNamedWithItsPlace) {
    EXPECT_NE(
        complaint(R"({"bodies": [{"shape": {"cube": {}}}, {"shape": {"mesh": "nowhere.obj"}}]})")
            .find("my.json: /bodies/1: "),
        std::string::npos);
    EXPECT_NE(complaint(R"({"bodies": [{"shape": {"cube": {}}}],
        "colliders": [{"shape": {"mesh": {"file": "nowhere.obj"}}}]})")
                  .find("my.json: /colliders/0: nowhere.obj"),
              std::string::npos);
    EXPECT_NE(
        complaint(R"({"bodies": [{"name": "c", "shape": {"cube": {}}}], "handles": [{"body": "c",
        "region": {"sphere": {"centre": [9, 9, 9], "radius": 1}}, "action": {"pin": {}}}]})")
            .find("my.json: /handles/0: the region holds no vertex"),
        std::string::npos);
}

TEST(LiveScene, CollidersAreReadFromFilesBesideTheScene) {
    const Folder folder;
    save_mesh({"sheet", {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, {{0, 1, 2}, {0, 2, 3}}},
              folder / "sheet.obj");
    const auto with = [&](const char* thickness) {
        return fmt::format(R"({{"colliders": [{{"shape": {{"mesh": {{"file": "sheet.obj"{}}}}}}}],
            "bodies": [{{"shape": {{"icosphere": {{"radius": 0.2}}}}, "position": [0, 0.5, 0]}}]}})",
                           thickness);
    };
    const fs::path source = folder / "my.json";
    LiveScene live(parse_scene(with(R"(, "thickness": 0.1, "scale": 2)"), source));
    run(live, 1);
    EXPECT_GT(live.bodies()[0].body.bounds().lower.y, 0.049);
    try {
        LiveScene solid(parse_scene(with(""), source));
        ADD_FAILURE() << "an open mesh is no solid";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("/colliders/0"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("shell"), std::string::npos) << e.what();
    }
}

TEST(LiveScene, SizeClearanceAndScaleAreWhatTheySay) {
    const LiveScene live = make(R"({"bodies": [
        {"name": "sized", "shape": {"cube": {"side": 3}}, "size": 0.5},
        {"name": "lifted", "shape": {"gummy_bear": {"vertices": 300}}, "rotation": {"axis": [1, 0, 0], "degrees": 77},
         "position": [0, 2, 0], "clearance": 0.25, "scale": 2}]})");
    EXPECT_NEAR(live.bodies()[0].body.size(), 0.5, 1e-9);
    EXPECT_NEAR(live.bodies()[1].body.bounds().lower.y, 2.25, 1e-9);
    EXPECT_GT(live.bodies()[1].body.bounds().diagonal(), 2);
}

TEST(LiveScene, ShowsTheFineMeshAndSimulatesTheCoarseOne) {
    const LiveScene live = make(
        R"({"bodies": [{"shape": {"icosphere": {"subdivisions": 3}}, "sim_vertices": 100, "copies": [{}, {}]}]})");
    for (const LiveBody& body : live.bodies()) {
        EXPECT_EQ(body.body.display_positions().size(), 642u);
        EXPECT_NEAR(static_cast<double>(body.body.positions().size()), 100, 20);
    }
    EXPECT_EQ(live.bodies()[1].name, "icosphere.2");
}

TEST(LiveScene, HandlesPinDragFollowAndLetGo) {
    LiveScene live = make(R"({"gravity": [0, 0, 0], "bodies": [
        {"name": "pinned", "shape": {"icosphere": {"subdivisions": 2}}, "copies": [{}]},
        {"name": "dragged", "shape": {"icosphere": {"subdivisions": 2}}, "position": [3, 0, 0]},
        {"name": "follower", "shape": {"icosphere": {"subdivisions": 2}}, "position": [6, 0, 0]},
        {"name": "dropped", "shape": {"icosphere": {"subdivisions": 2}}, "position": [9, 0, 0]}],
      "handles": [
        {"body": "pinned", "region": {"sphere": {"centre": [0, 0.5, 0], "radius": 0.3}},
         "action": {"pin": {"path": {"keys": [{"time": 0}, {"time": 0.5, "position": [0, 1, 0]}]}}}},
        {"body": "dragged", "region": {"all": true}, "action": {"drag": {"target": [3, 1, 0], "frequency": 3}}},
        {"body": "follower", "region": {"all": true},
         "action": {"follow": {"strength": 0.5, "path": {"keys": [
             {"time": 0}, {"time": 0.5, "position": [0, 1, 0]}]}}}},
        {"body": "dropped", "region": {"all": true}, "until": 0.5,
         "action": {"pin": {"path": {"keys": [
             {"time": 0}, {"time": 0.5, "position": [0, 1, 0]}, {"time": 1, "position": [0, 0, 0]}]}}}}]})");
    run(live, 2);
    const auto height = [&](int i) {
        return live.bodies()[static_cast<std::size_t>(i)].body.centre_of_mass().y;
    };
    EXPECT_NEAR(height(0), 1, 0.05);
    EXPECT_NEAR(height(1), 1, 0.05);
    EXPECT_NEAR(height(2), 1, 0.05);
    EXPECT_GT(height(3), 2);  // let go at 2 m/s, it flies on
}

TEST(LiveScene, ForcesRiseAddUpAndEnd) {
    LiveScene live = make(R"({"gravity": [0, 0, 0], "bodies": [
        {"name": "pushed", "shape": {"icosphere": {"subdivisions": 2}}},
        {"name": "free", "shape": {"icosphere": {"subdivisions": 2}}, "position": [3, 0, 0]}],
      "handles": [
        {"body": "pushed", "region": {"all": true}, "until": 2,
         "action": {"force": {"keys": [{"time": 0, "force": [0, 0, 0]}, {"time": 1, "force": [30, 0, 0]}]}}},
        {"body": "pushed", "region": {"all": true},
         "action": {"force": {"keys": [{"time": 0, "force": [0, 0, 10]}]}}}]})");
    const Body pushed = live.bodies()[0].body;
    const auto momentum = [&] {  // in the last step
        const Vec3 before = pushed.centre_of_mass();
        live.step();
        return pushed.mass() / live.scene().dt * (pushed.centre_of_mass() - before);
    };
    run(live, 1 - live.scene().dt);
    const Vec3 after_one = momentum();
    EXPECT_NEAR(after_one.x, 15, 0.2);  // ∫ 30 t dt
    EXPECT_NEAR(after_one.z, 10, 0.2);
    run(live, 3 - live.scene().dt);
    const Vec3 after_three = momentum();
    EXPECT_NEAR(after_three.x, 45, 0.2);  // 30 N for a second more, then none
    EXPECT_NEAR(after_three.z, 30, 0.2);
    EXPECT_NEAR(live.bodies()[1].body.centre_of_mass().x, 3, 1e-6);
}

const std::string ball_at_3 = R"({"bodies": [
    {"name": "late", "shape": {"icosphere": {"subdivisions": 2}}, "position": [3, 2, 0]}],
    "colliders": [{"shape": {"sphere": {"radius": 0.5}}, "position": [3, 0, 0]}],
    "handles": [{"body": "late", "region": {"all": true}, "until": 0.1, "action": {"pin": {}}}]})";

TEST(LiveScene, WhatIsAddedWhileItRunsTakesPart) {
    LiveScene live = make(
        R"({"bodies": [{"name": "early", "shape": {"icosphere": {"subdivisions": 2}}, "position": [0, 9, 0]}]})");
    run(live, 0.1);
    live.add(parse_scene(ball_at_3, "more.json"));
    ASSERT_EQ(live.bodies().size(), 2u);
    EXPECT_EQ(live.colliders().size(), 1u);
    const Body late = live.bodies()[1].body;
    EXPECT_NEAR(late.centre_of_mass().y, 2, 1e-6);
    run(live, 0.5);
    EXPECT_LT(late.centre_of_mass().y, 1.9);
    EXPECT_GT(late.centre_of_mass().y, 0.9) << "it lies on the sphere that came with it";
    live.remove(late.id());
    EXPECT_FALSE(late.alive());
    EXPECT_EQ(live.bodies().size(), 1u);
    run(live, 0.6);
}

TEST(LiveScene, WhatCannotBeAddedLeavesNothingBehind) {
    LiveScene live(parse_scene(ball_at_3, "one.json"));
    const std::size_t bodies = live.bodies().size(), colliders = live.colliders().size();
    const Scene half = parse_scene(
        R"({"colliders": [{"shape": {"box": {"size": [1, 1, 1]}}}],
            "bodies": [{"shape": {"cube": {}}, "position": [9, 9, 9]}, {"shape": {"mesh": "/no/such.obj"}}]})",
        "half.json");
    EXPECT_THROW(live.add(half), Error);
    EXPECT_EQ(live.bodies().size(), bodies);
    EXPECT_EQ(live.world().bodies().size(), bodies);
    EXPECT_EQ(live.colliders().size(), colliders);
    EXPECT_EQ(live.world().colliders().size(), colliders);
}

TEST(LiveScene, KnowsTheCollidersAndRigidsOfASnapshot) {
    LiveScene live(parse_scene(ball_at_3, "one.json"));
    const std::vector<std::byte> before = live.world().snapshot();
    live.add(parse_scene(
        R"({"colliders": [{"shape": {"box": {"size": [1, 1, 1]}}, "position": [5, 0, 0]}],
                            "bodies": [{"shape": {"cube": {}}, "position": [9, 9, 9]}],
                            "rigid_bodies": [{"shape": {"sphere": {"radius": 0.2}}, "position": [0, 9, 0]}]})",
        "more.json"));
    const std::vector<std::byte> after = live.world().snapshot();
    live.restore(before);
    EXPECT_TRUE(std::ranges::equal(live.colliders(), live.world().colliders()));
    EXPECT_TRUE(live.rigids().empty());
    live.restore(after);
    EXPECT_TRUE(std::ranges::equal(live.colliders(), live.world().colliders()));
    EXPECT_EQ(live.rigids().size(), 1u);
}

TEST(LiveScene, ARemovedBodyTakesItsHandlesAlong) {
    LiveScene live = make(ball_at_3);
    live.step();
    live.remove(live.bodies()[0].body.id());
    EXPECT_NO_THROW(run(live, 0.2));
}

TEST(LiveScene, GoesBackToASnapshotWithTimeAndBodies) {
    LiveScene live = make(ball_at_3);
    run(live, 0.2);
    const auto snapshot = live.world().snapshot();
    const auto hash = live.world().state_hash();
    live.add(
        parse_scene(R"({"bodies": [{"shape": {"icosphere": {"subdivisions": 1}}}]})", "more.json"));
    run(live, 0.4);
    live.restore(snapshot);
    EXPECT_NEAR(live.time(), 0.2, 1e-12);
    EXPECT_EQ(live.world().state_hash(), hash);
    EXPECT_EQ(live.bodies().size(), 1u);
    live.remove(live.bodies()[0].body.id());
    live.restore(snapshot);
    ASSERT_EQ(live.bodies().size(), 1u) << "a body that was gone is back";
    EXPECT_EQ(live.bodies()[0].name, "late");
}

TEST(Starts, AreWhatTheirNamesSay) {
    const Mesh mesh = shapes::icosphere(0.5, 2);
    std::vector<Vec3f> normals;
    for (const Vec3& n : vertex_normals(mesh)) normals.push_back(to_float(n));
    const auto started = [&](BodyStart start) {
        Mesh moved = mesh;
        moved.vertices = start_positions(start, mesh.vertices, normals, 1.0, 7);
        return moved;
    };
    const double whole = volume(mesh);
    EXPECT_NEAR(volume(started(BodyStart::rest)), whole, 1e-12);
    EXPECT_EQ(bounds(started(BodyStart::flat)).extent().y, 0);
    EXPECT_LT(bounds(started(BodyStart::point)).diagonal(), 0.01);
    EXPECT_LT(std::abs(volume(started(BodyStart::random_box))), 0.5 * whole);
    EXPECT_LT(bounds(started(BodyStart::random_box)).diagonal(), 1.01 * bounds(mesh).diagonal());
    EXPECT_NEAR(volume(started(BodyStart::mirrored)), -whole, 1e-12);
    EXPECT_NEAR(volume(started(BodyStart::shrunk)), 1e-3 * whole, 1e-12);
    EXPECT_LT(volume(started(BodyStart::inside_out)), -0.5 * whole);
    EXPECT_EQ(bounds(started(BodyStart::one_point)).diagonal(), 0);
}

TEST(Starts, AllAreRecoveredFrom) {
    LiveScene live = make(
        R"({"gravity": [0, 0, 0], "duration": 1, "bodies": [{"shape": {"icosphere": {"subdivisions": 2}}, "copies": [
        {"start": "flat"}, {"start": "point"}, {"start": "random_box"}, {"start": "mirrored"}, {"start": "shrunk"},
        {"start": "inside_out"}, {"start": "one_point"}]}],
      "checks": [{"measure": "shape_error", "at_most": 0.01}, {"measure": "volume_error", "at_most": 1e-7},
                 {"measure": "recovering_time", "at_least": 0.005}]})");
    Monitor monitor(live);
    while (live.time() < 1) live.step(), monitor.after_step();
    for (const CheckResult& result : monitor.results()) EXPECT_TRUE(result.held) << result.sentence;
}

/// The value of each measure for a ball that falls 0.4 m onto the ground, which the laws of motion
/// tell.
/// A ball falls through a light barrier and a shelf that only toys stand on; a toy, dropped on the
/// same spot, passes through the ball and stays on the shelf.
/// A bar whose middle is pressed in by a fifth of its height; beside it there is nothing.
TEST(LiveScene, RoundsTheEdgesOfBars) {
    LiveScene live = make(R"({"gravity": [0, 0, 0],
      "bodies": [{"shape": {"bar": {"size": [1, 0.5, 2], "points": 21, "rounding": 0.2}}}]})");
    Vec3 most;
    for (const Vec3f& f : live.bodies()[0].body.positions()) {
        const Vec3 p = to_double(f);
        most = {std::max(most.x, p.x), std::max(most.y, p.y), std::max(most.z, p.z)};
        const Vec3 over{std::max(std::abs(p.x) - 0.3, 0.0), std::max(std::abs(p.y) - 0.05, 0.0),
                        std::max(std::abs(p.z) - 0.8, 0.0)};
        EXPECT_NEAR(norm(over), 0.2, 1e-6);
    }
    EXPECT_LT(norm(most - Vec3{0.5, 0.25, 1}), 1e-6);
}

TEST(LiveScene, FrictionOfPairsActs) {
    const auto speed_with = [](const std::string& more) {
        LiveScene live =
            make(R"({"materials": {"brick": {"base": "rubber", "friction": 0.8, "surface": "clay"}},
          "colliders": [{"shape": {"plane": {"normal": [0.3, 1, 0]}}, "surface": "ice"}],
          "bodies": [{"shape": {"bar": {"size": [1, 0.3, 1], "points": 7}}, "material": "brick",
                      "position": [0.044, 0.145, 0],
                      "rotation": {"axis": [0, 0, 1], "degrees": -16.7}}])" +
                 more + "}");
        run(live, 0.8);
        return norm(live.bodies()[0].body.momentum()) / live.bodies()[0].body.mass();
    };
    EXPECT_LT(speed_with(""), 0.02);
    EXPECT_GT(
        speed_with(R"(, "friction_pairs": [{"surfaces": ["clay", "ice"], "friction": 0.05}])"),
        1.5);
}

TEST(DropScene, MeshesStandSideBySideAtHalfTheirHeight) {
    const Folder folder;
    save_mesh(transformed(shapes::icosphere(0.5, 2), {7, -3, 2}), folder / "ball.obj");
    save_mesh(shapes::cube(2, 5), folder / "block.stl");
    LiveScene live(drop_scene({folder / "ball.obj", folder / "block.stl"}));
    ASSERT_EQ(live.bodies().size(), 2u);
    const Bounds ball = live.bodies()[0].body.bounds(), block = live.bodies()[1].body.bounds();
    EXPECT_EQ(live.bodies()[0].name, "ball");
    EXPECT_NEAR(ball.lower.y, 0.5 * ball.extent().y, 1e-6);
    EXPECT_NEAR(block.lower.y, 1, 1e-6);
    EXPECT_GT(block.lower.x, ball.upper.x);
    EXPECT_FALSE(live.scene().checks.empty());
}

TEST(DropScene, SeparatePartsBecomeBodiesAndUnitsAreHintedAt) {
    const Folder folder;
    Mesh two = shapes::icosphere(40, 1);
    const Mesh other = transformed(shapes::icosphere(40, 1), {100, 0, 0});
    const auto shift = static_cast<std::uint32_t>(two.vertices.size());
    two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (Triangle t : other.triangles)
        two.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    save_mesh(two, folder / "two.obj");
    const LiveScene large(drop_scene({folder / "two.obj"}));
    ASSERT_EQ(large.bodies().size(), 2u);
    EXPECT_EQ(large.bodies()[1].name, "two.2");
    ASSERT_EQ(large.warnings().size(), 1u);
    EXPECT_NE(large.warnings()[0].find("--scale 0.001"), std::string::npos);
    const LiveScene small(drop_scene({folder / "two.obj"}, {0.01, true}));
    EXPECT_TRUE(small.warnings().empty());
    EXPECT_NEAR(small.bodies()[0].body.bounds().extent().y, 0.8, 0.05);
}

TEST(DropScene, HoldsItsChecks) {
    const Folder folder;
    save_mesh(shapes::rubber_duck(0.3, 500), folder / "duck.obj");
    LiveScene live(drop_scene({folder / "duck.obj"}));
    Monitor monitor(live);
    for (std::size_t k = 0; k < live.scene().steps(); ++k) live.step(), monitor.after_step();
    ASSERT_EQ(monitor.results().size(), 2u);
    for (const CheckResult& check : monitor.results()) EXPECT_TRUE(check.held) << check.sentence;
}

TEST(DropScene, ManyVerticesAreNotedUnlessTheyAreSimplified) {
    const Folder folder;
    save_mesh(shapes::icosphere(0.5, 6), folder / "fine.obj");
    ASSERT_EQ(drop_scene({folder / "fine.obj"}).notes.size(), 1u);
    EXPECT_NE(drop_scene({folder / "fine.obj"}).notes[0].find("--sim-vertices"), std::string::npos);
    EXPECT_TRUE(drop_scene({folder / "fine.obj"}, {.simplified = true}).notes.empty());
}

class PackageMesh : public testing::Test {
protected:
    PackageMesh() {
        if (const char* root = std::getenv(variable)) before_ = root;
        setenv(variable, folder_.path().c_str(), 1);
    }
    ~PackageMesh() override {
        if (before_)
            setenv(variable, before_->c_str(), 1);
        else
            unsetenv(variable);
    }
    std::string scene() const {
        return R"({"bodies": [{"shape": {"package_mesh": {
            "package": "libfoo", "archive": "/usr/share/foo.tar.gz", "member": "a/ball.off"}}}]})";
    }
    static constexpr const char* variable = "TURGOR_PACKAGE_ROOT";
    Folder folder_;
    std::optional<std::string> before_;
};

TEST(LiveScene, BendsWhatIsPlasticStraightAgainHoweverFarItWasPulled) {
    const auto width = [](const LiveScene& live, std::size_t body) {
        Bounds box;
        for (const Vec3f& p : live.bodies()[body].body.positions()) box.add(to_double(p));
        return box.extent().x;
    };
    LiveScene live = make(R"({"gravity": [0, 0, 0], "bodies": [
        {"shape": {"icosphere": {"subdivisions": 2}}, "material": "clay", "model": {"meshless": {}},
         "copies": [{}, {"position": [5, 0, 0]}]}]})");
    for (const LiveBody& one : live.bodies()) {
        Body body = one.body;
        std::vector<Vec3> pulled;
        const Vec3 middle = body.centre_of_mass();
        for (std::size_t i = 0; i < body.positions().size(); ++i) {
            const Vec3 p = body.position(i) - middle;
            pulled.push_back(middle + Vec3{2.2 * p.x, p.y / 1.48, p.z / 1.48});
        }
        body.set_positions(pulled);
    }
    run(live, 0.5);
    const double kept = width(live, 0);
    EXPECT_GT(kept, 1.15);
    const std::vector<std::byte> pulled = live.world().snapshot();
    live.bend_straight(live.bodies()[0].body.id());
    run(live, 1.5);
    EXPECT_NEAR(width(live, 0), 1, 0.02);
    EXPECT_NEAR(width(live, 1), kept, 0.02) << "only the one";
    Body(live.bodies()[1].body).reset_shape();
    run(live, 2.5);
    EXPECT_GT(width(live, 1), 1.05) << "this is why once is not enough";
    live.bend_straight();
    live.restore(pulled);
    run(live, 1.5);
    EXPECT_NEAR(width(live, 0), kept, 0.02) << "a restore ends it";
}

TEST_F(PackageMesh, ComesOutOfTheArchive) {
    fs::create_directories(folder_ / "a");
    fs::create_directories(folder_ / "usr/share");
    save_mesh(shapes::icosphere(0.5, 1), folder_ / "a/ball.off");
    const std::string command =
        fmt::format("tar -czf {0}/usr/share/foo.tar.gz -C {0} a", folder_.path().string());
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(make(scene()).bodies()[0].body.positions().size(), 42u);
    EXPECT_FALSE(problem_with_packages(parse_scene(scene(), "my.json")));
}

TEST_F(PackageMesh, AbsentSaysWhatToInstall) {
    EXPECT_NE(complaint(scene()).find("apt-get install libfoo"), std::string::npos);
    EXPECT_TRUE(problem_with_packages(parse_scene(scene(), "my.json")));
}

TEST_F(PackageMesh, ABrokenArchiveIsOneSentence) {
    fs::create_directories(folder_ / "usr/share");
    std::ofstream(folder_ / "usr/share/foo.tar.gz") << "not an archive";
    EXPECT_NE(complaint(scene()).find("does not hold a/ball.off"), std::string::npos);
}

TEST(LiveScene, moduli_that_were_asked_for_are_no_frequency_that_was_missed) {
    const LiveScene live = make(R"({"bodies": [
        {"shape": {"cube": {"side": 1, "points": 4}}, "model": {"cells": {"cells": 4, "E": 100}}}]})");
    EXPECT_LT(live.bodies()[0].body.frequency(), 1);
    EXPECT_TRUE(live.warnings().empty());
}

}  // namespace
}  // namespace turgor
