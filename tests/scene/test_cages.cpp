#include "scene/cages.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "live.hpp"
#include "mesh/soups.hpp"
#include "scene/monitor.hpp"
#include "turgor/solid.hpp"

namespace turgor {
namespace {

namespace fs = std::filesystem;

class Cages : public testing::Test {
protected:
    Cages() {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::path(testing::TempDir()) / (std::string("turgor_cages_") + info->name());
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Cages() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    std::vector<fs::path> kept() const {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder_ / "bakes"))
            if (entry.path().string().find("cage") != std::string::npos)
                files.push_back(entry.path());
        return files;
    }
    /// A sheet of n × n squares, 1 m across.
    fs::path write_sheet(const char* name) const {
        std::ofstream out(folder_ / name);
        constexpr int n = 8;
        for (int i = 0; i <= n; ++i)
            for (int k = 0; k <= n; ++k)
                out << "v " << 1.0 * i / n << " 0.5 " << 1.0 * k / n << "\n";
        for (int i = 0; i < n; ++i)
            for (int k = 1; k <= n; ++k) {
                const int a = i * (n + 1) + k;
                out << "f " << a << " " << a + 1 << " " << a + n + 2 << " " << a + n + 1 << "\n";
            }
        return folder_ / name;
    }
    fs::path folder_;
};

TEST_F(Cages, AreKeptForTheNextTime) {
    const Mesh mesh = shapes::broken_bunny(1, 1000, 4);
    const Mesh first = kept_cage(mesh, 200, folder_ / "bakes");
    EXPECT_EQ(first.vertices, wrap(mesh, 200).vertices);
    ASSERT_EQ(kept().size(), 1u);
    const Mesh again = kept_cage(mesh, 200, folder_ / "bakes");
    EXPECT_EQ(again.vertices, first.vertices);
    EXPECT_EQ(again.triangles, first.triangles);
    EXPECT_EQ(again.name, first.name);
    ASSERT_EQ(kept().size(), 1u);
    kept_cage(mesh, 300, folder_ / "bakes");
    EXPECT_EQ(kept().size(), 2u);
    kept_cage(shapes::broken_bunny(1, 1000, 5), 200, folder_ / "bakes");
    EXPECT_EQ(kept().size(), 3u);
}

TEST_F(Cages, AreReadBackAndNotMadeAgain) {
    const Mesh one = shapes::broken_bunny(1, 1000, 4), other = shapes::icosphere(1, 2);
    kept_cage(one, 200, folder_ / "bakes");
    const fs::path of_one = kept().at(0);
    // A file that says something else than wrap() would: what it says counts if it is whole.
    std::fstream file(of_one, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(60);
    file.put('x');
    file.close();
    EXPECT_EQ(kept_cage(one, 200, folder_ / "bakes").vertices, wrap(one, 200).vertices);
    EXPECT_EQ(kept_cage(other, 200, folder_ / "bakes").vertices, wrap(other, 200).vertices);
}

TEST_F(Cages, CarryWhatIsNotClosed) {
    const fs::path sheet = write_sheet("sheet.obj");
    EXPECT_THROW(LiveScene(drop_scene({sheet})), Error);
    for (const MeshDrop::Wrap wrap : {MeshDrop::Wrap::open, MeshDrop::Wrap::all}) {
        LiveScene live(drop_scene({sheet}, {.wrap = wrap}));
        ASSERT_EQ(live.bodies().size(), 1u);
        const Body body = live.bodies()[0].body;
        EXPECT_NEAR(static_cast<double>(body.positions().size()), 2000, 200);
        EXPECT_EQ(body.display_positions().size(), 81u);
        const auto notes = live.warnings();
        const auto says_so = [](const std::string& n) {
            return n.find("sheet.obj is not closed") != std::string::npos;
        };
        EXPECT_EQ(std::ranges::count_if(notes, says_so), wrap == MeshDrop::Wrap::open);
    }
}

TEST_F(Cages, LeaveClosedMeshesAloneUnlessAskedFor) {
    save_mesh(shapes::icosphere(0.5, 2), folder_ / "ball.obj");
    LiveScene live(drop_scene({folder_ / "ball.obj"}, {.wrap = MeshDrop::Wrap::open}));
    EXPECT_EQ(live.bodies()[0].body.positions().size(), 162u);
    EXPECT_TRUE(live.warnings().empty());
    LiveScene wrapped(drop_scene({folder_ / "ball.obj"}, {.wrap = MeshDrop::Wrap::all}));
    EXPECT_GT(wrapped.bodies()[0].body.positions().size(), 1000u);
}

TEST_F(Cages, AreMadeForScenesThatWantThem) {
    write_sheet("sheet.obj");
    const std::string text =
        R"({"colliders": [{"shape": {"plane": {}}}], "bodies": [{"shape": {"mesh": ")" +
        (folder_ / "sheet.obj").string() + R"("}, "wrap": true, "sim_vertices": 300, "model": )";
    for (const char* model : {R"({"surface": {}})", R"({"meshless": {}})"}) {
        LiveScene live = make(text + model + "}]}");
        Body body = live.bodies()[0].body;
        EXPECT_NEAR(static_cast<double>(body.positions().size()), 300, 30);
        run(live, 3);
        // It lies on the ground, and so does what it carries.
        double lowest = 1, highest = -1;
        for (const Vec3f& p : body.display_positions()) {
            lowest = std::min<double>(lowest, p.y);
            highest = std::max<double>(highest, p.y);
        }
        EXPECT_GT(lowest, 0) << model;
        EXPECT_LT(highest, 0.15) << model;
    }
}

TEST_F(Cages, AreNotNeededByLattices) {
    const std::string sheet = write_sheet("sheet.obj").string();
    const std::string start =
        R"({"colliders": [{"shape": {"plane": {}}}], "bodies": [{"shape": {"mesh": ")" + sheet +
        R"("}, "material": "rubber")";
    const char* lattice = R"(, "model": {"lattice": {"cells": 8}})";
    LiveScene live = make(start + lattice + "}]}");
    EXPECT_TRUE(live.warnings().empty());
    const Body body = live.bodies()[0].body;
    EXPECT_EQ(body.display_positions().size(), 81u);
    // One layer of cells with the sheet in it: corners above and below.
    const std::size_t corners = body.positions().size();
    EXPECT_GE(corners, 2u * 81u);
    EXPECT_LT(corners, 2u * 11u * 11u);
    run(live, 2);
    for (const Vec3f& p : body.display_positions()) EXPECT_GT(p.y, -0.02f);
    // Of copies, each has what its model needs.
    LiveScene both =
        make(start + R"(, "wrap": true, "copies": [{}, {"model": {"lattice": {"cells": 8}}}]}]})");
    EXPECT_NEAR(static_cast<double>(both.bodies()[0].body.positions().size()), 2000, 200);
    EXPECT_EQ(both.bodies()[1].body.positions().size(), corners);
    try {
        make(start + lattice + R"(, "size": 1}]})");
        FAIL() << "a sheet has no volume";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("\"scale\""), std::string::npos) << e.what();
    }
    // What would have had a cage has none under a lattice, and one again under another model.
    Scene scene = drop_scene({sheet}, {.wrap = MeshDrop::Wrap::open, .any_mesh = true});
    for (const std::string& note : scene.notes) EXPECT_EQ(note.find("cage"), std::string::npos);
    EXPECT_GT(LiveScene(scene).bodies()[0].body.positions().size(), 1000u);
    SceneOverrides overrides;
    overrides.model = "lattice:cells=8";
    apply(overrides, scene);
    EXPECT_EQ(LiveScene(scene).bodies()[0].body.positions().size(), corners);
    overrides.sim_vertices = 100;
    EXPECT_THROW(apply(overrides, scene), Error);
}

TEST_F(Cages, LeaveClosedMeshesToTheirBodies) {
    // Two balls apart in one file are two lattices, as they are two bodies of any model.
    Mesh two = shapes::icosphere(0.5, 2);
    const Mesh other = transformed(two, {2, 0, 0});
    for (const Triangle& t : other.triangles)
        two.triangles.push_back({t[0] + 162, t[1] + 162, t[2] + 162});
    two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
    save_mesh(two, folder_ / "two.obj");
    LiveScene live = make(R"({"bodies": [{"shape": {"mesh": ")" + (folder_ / "two.obj").string() +
                          R"("}, "size": 1, "model": {"lattice": {"cells": 6}}}]})");
    ASSERT_EQ(live.bodies().size(), 2u);
    EXPECT_EQ(live.bodies()[0].body.display_positions().size(), 162u);
}

TEST_F(Cages, AreMadeOfClosedShapesToo) {
    LiveScene live = make(
        R"({"bodies": [{"shape": {"sphere": {}}, "wrap": true, "sim_vertices": 200, "copies": [{}, {}]}]})");
    ASSERT_EQ(live.bodies().size(), 2u);
    EXPECT_NEAR(live.bodies()[1].body.volume(), 0.5236, 0.01);
    EXPECT_NEAR(static_cast<double>(live.bodies()[0].body.positions().size()), 200, 20);
}

}  // namespace
}  // namespace turgor
