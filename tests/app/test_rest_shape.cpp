#include <sstream>

#include "app/program_fixture.hpp"

namespace turgor {
namespace {

using RestShape = Program;

/// A ball of clay under a press, which goes away again, and a body that stays as it was.
constexpr const char* pressed_clay = R"({"duration": 1.2, "gravity": [0, 0, 0],
    "colliders": [{"shape": {"plane": {}}},
        {"shape": {"box": {"size": [2, 0.1, 2]}}, "position": [0, 1.1, 0], "path": {"keys": [
            {"time": 0}, {"time": 0.4, "position": [0, -0.6, 0]}, {"time": 0.6, "position": [0, 0.5, 0]}]}}],
    "bodies": [{"name": "clay", "shape": {"icosphere": {"subdivisions": 2}}, "position": [0, 0.5, 0],
        "material": "clay", "model": {"meshless": {}}},
        {"name": "still", "shape": {"cube": {"side": 1}}, "position": [5, 3, 0]}]})";

TEST_F(RestShape, WritesTheShapeThatAPlasticBodyKeeps) {
    write("press.json", pressed_clay);
    const Outcome outcome =
        run({"simulate", "press.json", "--rest-shape", "kept.obj", "--out", "f.obj/"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("kept.obj"), std::string::npos) << outcome.out;
    std::vector<std::string> names;
    double lowest[2] = {9, 9}, highest[2] = {-9, -9}, left = 9;
    std::istringstream in(read_file(folder_ / "kept.obj"));
    for (std::string word; in >> word;) {
        if (word == "o") in >> word, names.push_back(word);
        if (word != "v" || names.empty()) continue;
        double x = 0, y = 0;
        in >> x >> y;
        const std::size_t k = names.size() - 1;
        ASSERT_LT(k, 2u);
        lowest[k] = std::min(lowest[k], y);
        highest[k] = std::max(highest[k], y);
        if (k == 1) left = std::min(left, x);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"clay", "still"}));
    EXPECT_LT(highest[0] - lowest[0], 0.8) << "it stays pressed";
    EXPECT_NEAR(highest[1] - lowest[1], 1, 1e-5);
    EXPECT_NEAR(left, 4.5, 1e-5) << "where the body is";
    const Outcome again = run({"simulate", "kept.obj", "--steps", "5", "--stats", "stats.json"});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(stats()["bodies"], 2) << "a start for another run";
}

TEST_F(RestShape, ARestShapeIsWrittenWholeOrNotAtAll) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"simulate", "ball.json", "--rest-shape", "kept.glb"},
             {"simulate", "ball.json", "--rest-shape", "kept.obj/"},
             {"simulate", "ball.json", "--rest-shape", "ball.json"},
             {"simulate", "tetra.obj", "--rest-shape", "tetra.obj"},
             {"simulate", "ball.json", "--out", "a.obj/", "--rest-shape", "a.obj"}}) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 2) << words.back();
        EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    }
    EXPECT_EQ(read_file(folder_ / "tetra.obj"), tetrahedron);
    const std::string error = run({"simulate", "ball.json", "--rest-shape", "kept.glb"}).err;
    EXPECT_NE(error.find(".obj .ply"), std::string::npos) << error;
    EXPECT_EQ(run({"simulate", "ball.json", "--rest-shape", "kept.ply", "--steps", "1"}).code, 0);
    EXPECT_EQ(read_file(folder_ / "kept.ply").substr(0, 4), "ply\n");
}

}  // namespace
}  // namespace turgor
