#include "app/program_fixture.hpp"

namespace turgor {
namespace {

using Wrap = Program;

/// Two sheets that cross each other.
constexpr const char* crossed_sheets =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0 -0.5\nv 0.5 0 0.5\nv 0.5 1 0.5\nv 0.5 1 -0.5\n"
    "f 1 2 3 4\nf 5 6 7 8\n";

TEST_F(Wrap, WhatIsNotClosedIsSimulatedOnRequest) {
    write("sheets.obj", crossed_sheets);
    const Outcome refused = run({"simulate", "sheets.obj"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(is_one_sentence(refused.err)) << refused.err;
    EXPECT_NE(refused.err.find("--wrap"), std::string::npos) << refused.err;
    const Outcome checked = run({"check", "sheets.obj"});
    EXPECT_EQ(checked.code, 2);
    EXPECT_NE(checked.err.find("--wrap"), std::string::npos) << checked.err;

    const Outcome outcome = run({"simulate", "sheets.obj", "--wrap", "--sim-vertices", "200",
                                 "--out", "frames.obj/", "--stats", "stats.json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(stats()["bodies"], 1);
    EXPECT_NEAR(stats()["particles"].get<double>(), 200, 20);
    // What is written is the mesh, not the cage: eight vertices.
    const std::string frame = read_file(folder_ / "frames.obj" / "frame_00000.obj");
    std::size_t vertices = 0;
    for (std::size_t at = frame.find("\nv "); at != std::string::npos;
         at = frame.find("\nv ", at + 1))
        ++vertices;
    EXPECT_EQ(vertices, 8u) << frame.substr(0, 300);
}

TEST_F(Wrap, PointsAndLinesAreWrappedToo) {
    write("points.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0.4\nv 0 0.5 1\nv 0.3 0.8 0.2\n");
    write("lines.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\nl 1 2 3 4\n");
    EXPECT_EQ(run({"simulate", "lines.obj"}).code, 2);
    for (const char* name : {"points.obj", "lines.obj"}) {
        const Outcome outcome = run({"simulate", name, "--wrap", "--sim-vertices", "150", "--steps",
                                     "10", "--stats", "stats.json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_NEAR(stats()["particles"].get<double>(), 150, 15) << name;
    }
}

TEST_F(Wrap, PointsAloneGetACageByThemselvesAndAreWritten) {
    std::string points;
    for (int i = 0; i < 400; ++i)
        points += "v " + std::to_string(0.1 * (i % 8)) + ' ' + std::to_string(0.1 * (i / 8 % 8)) +
                  ' ' + std::to_string(0.1 * (i / 64)) + '\n';
    write("points.obj", points);
    write("scene.json",
          R"({"bodies": [{"shape": {"mesh": "points.obj"}, "model": {"meshless": {}}}]})");
    for (const char* model : {"surface", "meshless"}) {
        const Outcome outcome =
            run({"simulate", "points.obj", "--model", model, "--sim-vertices", "200", "--steps",
                 "60", "--out", "frames.ply/", "--stats", "stats.json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_NE(outcome.err.find("400 points and no faces"), std::string::npos) << outcome.err;
        EXPECT_NEAR(stats()["particles"].get<double>(), model[0] == 'm' ? 600 : 200, 20);
        const std::string frame = read_file(folder_ / "frames.ply" / "frame_00002.ply");
        EXPECT_NE(frame.find("element vertex 400\n"), std::string::npos) << frame.substr(0, 300);
        EXPECT_NE(frame.find("element face 0\n"), std::string::npos) << frame.substr(0, 300);
    }
    const Outcome outcome =
        run({"simulate", "scene.json", "--steps", "5", "--stats", "stats.json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("400 points and no faces"), std::string::npos) << outcome.err;
    EXPECT_GT(stats()["particles"], 2000);
}

TEST_F(Wrap, CagesAreKeptInTheBakeFolder) {
    write("sheets.obj", crossed_sheets);
    std::string hash;
    for (int k = 0; k < 2; ++k) {
        const Outcome outcome =
            run({"simulate", "sheets.obj", "--wrap", "--sim-vertices", "200", "--steps", "5",
                 "--bake-folder", "bakes", "--stats", "stats.json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const std::string now = stats()["state_hash"];
        EXPECT_TRUE(hash.empty() || hash == now);
        hash = now;
    }
    const auto is_cage = [](const fs::directory_entry& entry) {
        return entry.path().filename().string().find("-cage-") != std::string::npos;
    };
    EXPECT_EQ(std::count_if(fs::directory_iterator(folder_ / "bakes"), {}, is_cage), 1);
}

TEST_F(Wrap, LatticesNeedNone) {
    write("sheets.obj", crossed_sheets);
    const Outcome outcome = run({"simulate", "sheets.obj", "--model", "lattice:cells=8", "--steps",
                                 "20", "--out", "frames.obj/", "--stats", "stats.json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("note:"), std::string::npos) << outcome.err;
    EXPECT_EQ(stats()["bodies"], 1);
    const std::string frame = read_file(folder_ / "frames.obj" / "frame_00000.obj");
    EXPECT_NE(frame.find("\nv "), std::string::npos);
    write("points.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0.4\nv 0 0.5 1\n");
    EXPECT_EQ(run({"simulate", "points.obj", "--model", "lattice:cells=6", "--steps", "5"}).code,
              0);
    for (const auto& [option, value] :
         {std::pair{"--wrap", ""}, std::pair{"--sim-vertices", "100"}}) {
        std::vector<std::string> words{"simulate", "sheets.obj", "--model", "lattice", option};
        if (*value) words.push_back(value);
        const Outcome refused = run(words);
        EXPECT_EQ(refused.code, 2);
        EXPECT_TRUE(is_one_sentence(refused.err)) << refused.err;
        EXPECT_NE(refused.err.find("as it is") == std::string::npos,
                  refused.err.find("as they are") == std::string::npos)
            << refused.err;
    }
}

TEST_F(Wrap, IsForMeshes) {
    const Outcome outcome = run({"simulate", "ball.json", "--wrap"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_NE(outcome.err.find("\"wrap\": true"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace turgor
