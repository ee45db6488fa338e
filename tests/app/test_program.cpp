#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/program_fixture.hpp"

namespace turgor {
namespace {

TEST_F(Program, WithoutArgumentsHelps) {
    const Outcome outcome = run({});
    EXPECT_EQ(outcome.code, 0);
    for (const char* command :
         {"simulate", "check", "scenes", "devices", "bench", "view", "render"})
        EXPECT_NE(outcome.out.find(command), std::string::npos) << command;
}

TEST_F(Program, ViewWithoutAScreenIsOneSentence) {
    for (const char* screen : {"DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(screen);
    const Outcome outcome = run({"view", "ball.json"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
}

TEST_F(Program, BadUsageIsOneSentenceAndExitCode2) {
    write("broken.obj", "v 0 0 0\nf 1 2 3\n");
    write("bad.json", R"({"bodies": [{"shape": {"cube": {}}, "material": {"frequency": -3}}]})");
    write("file", "");
    const std::vector<std::vector<std::string>> uses{
        {"dance"},
        {"simulate", "--dance"},
        {"simulate", "no_such_scene"},
        {"simulate", "no_such.json"},
        {"simulate", "no_such.obj"},
        {"simulate", "broken.obj"},
        {"simulate", "bad.json"},
        {"simulate", "ball.json", "tetra.obj"},
        {"simulate", "ball.json", "--scale", "2"},
        {"simulate", "ball.json", "--up", "z"},
        {"simulate", "--scale", "2"},
        {"simulate", "ball.json", "--steps", "many"},
        {"simulate", "ball.json", "--steps", "0"},
        {"simulate", "ball.json", "--steps", "-5"},
        {"simulate", "ball.json", "--dt", "0"},
        {"simulate", "ball.json", "--dt", "nan"},
        {"simulate", "ball.json", "--fps", "-1"},
        {"simulate", "ball.json", "--material", "steel"},
        {"simulate", "ball.json", "--alpha", "2"},
        {"simulate", "ball.json", "--omega", "99"},
        {"simulate", "ball.json", "--volume", "some"},
        {"simulate", "ball.json", "--backend", "cpu", "--formulation", "paper"},
        {"simulate", "ball.json", "--backend", "gpu"},
        {"simulate", "ball.json", "--threads", "-1"},
        {"simulate", "ball.json", "--summation", "slow"},
        {"simulate", "ball.json", "--instructions", "abacus"},
        {"simulate", "ball.json", "--backend", "opencl", "--device", "no such device"},
        {"simulate", "ball.json", "--device", "any"},
        {"simulate", "ball.json", "--backend", "abacus"},
        {"simulate", "ball.json", "--model", "granite"},
        {"simulate", "ball.json", "--out", "x.abc"},
        {"simulate", "ball.json", "--out", "file/x.glb"},
        {"simulate", "ball.json", "--stats", "file/x.json"},
        {"simulate", "ball.json", "--stats", "/dev/full", "--quiet"},
        {"check"},
        {"check", "broken.obj"},
        {"check", "tetra.obj", "tetra.obj", "--repair", "x.obj"},
        {"check", "tetra.obj", "--repair", "x.abc"},
        {"scenes", "no_such_scene"},
        {"bench", "--suite", "table9"},
        {"bench", "--threads", "0"},
        {"bench", "--quick", "--suite", "stages", "--json", "."},
    };
    for (const auto& words : uses) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 2) << fmt::format("{}", fmt::join(words, " ")) << "\n"
                                   << outcome.err;
        EXPECT_TRUE(is_one_sentence(outcome.err))
            << fmt::format("{}", fmt::join(words, " ")) << "\n"
            << outcome.err;
    }
    EXPECT_EQ(
        run({"simulate", "bad.json"}).err,
        "turgor: bad.json: /bodies/0/material/frequency: must be between 0.1 and 1000, not -3\n");
}

TEST_F(Program, StatsCountWhoEntersASensor) {
    write("gate.json", R"({"duration": 0.4, "colliders": [{"name": "gate", "position": [0, 1, 0],
        "shape": {"box": {"size": [2, 0.1, 2]}}, "sensor": true}], "bodies": [{"position": [0, 1.3, 0],
        "velocity": [0, -3, 0], "shape": {"icosphere": {"radius": 0.1, "subdivisions": 1}}}]})");
    ASSERT_EQ(run({"simulate", "gate.json", "--stats", "stats.json", "--quiet"}).code, 0);
    EXPECT_EQ(stats()["sensors"], Json::parse(R"([{"name": "gate", "entered": 1, "left": 1}])"));
}

TEST_F(Program, SimulateWritesWhatTheDesignPromises) {
    const Outcome outcome =
        run({"simulate", "ball.json", "--stats", "stats.json", "--out", "a.glb", "--out", "b.obj/",
             "--out", "c.pc2", "--out", "d.usda", "--out", "e.ply/", "--threads", "2"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json s = stats();
    for (const char* key : {"scene",
                            "backend",
                            "threads",
                            "particles",
                            "bodies",
                            "steps",
                            "dt",
                            "bake_ms",
                            "ms_per_step",
                            "volume",
                            "contact",
                            "max_speed",
                            "kinetic_energy",
                            "intervals_per_region",
                            "bytes_per_particle",
                            "finite",
                            "state_hash",
                            "warnings",
                            "checks",
                            "files"})
        EXPECT_TRUE(s.contains(key)) << key;
    for (const char* stage :
         {"total", "integrate", "elasticity", "contact", "volume_positions", "volume_velocities"}) {
        EXPECT_TRUE(s["ms_per_step"][stage]["median"].is_number()) << stage;
        EXPECT_TRUE(s["ms_per_step"][stage]["min"].is_number()) << stage;
    }
    EXPECT_EQ(s["scene"], "ball");
    EXPECT_EQ(s["backend"], "cpu");
    EXPECT_EQ(s["particles"], 162);
    EXPECT_EQ(s["bodies"], 1);
    EXPECT_EQ(s["steps"], 40);
    EXPECT_EQ(s["finite"], true);
    EXPECT_EQ(s["volume"]["bodies"][0]["name"], "ball");
    EXPECT_LE(s["volume"]["bodies"][0]["max_relative_error"].get<double>(), 1e-7);
    EXPECT_GE(s["volume"]["bodies"][0]["final_relative_error"].get<double>(), 0);
    EXPECT_TRUE(s["contact"]["max_penetration"].is_number());
    EXPECT_GT(s["contact"]["pairs"].get<int>(), 0);
    EXPECT_EQ(s["checks"][0]["held"], true);
    for (const char* file : {"a.glb", "b.obj", "c.pc2", "d.usda", "e.ply"})
        EXPECT_TRUE(fs::exists(folder_ / file)) << file;
    EXPECT_NE(outcome.out.find("1 of 1 held"), std::string::npos) << outcome.out;
}

TEST_F(Program, NothingIsWrittenOverAnInputOrTwice) {
    write("cube.base.obj", tetrahedron);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"simulate", "tetra.obj", "--stats", "tetra.obj"},
          {"simulate", "ball.json", "--stats", "./ball.json"},
          {"simulate", "cube.base.obj", "--out", "cube.pc2"},
          {"simulate", "ball.json", "--out", "a.glb", "--stats", "a.glb"},
          {"simulate", "ball.json", "--out", "a.obj/", "--out", "./a.obj/"}}) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 2) << words.back();
        EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    }
    EXPECT_EQ(read_file(folder_ / "tetra.obj"), tetrahedron);
    EXPECT_EQ(read_file(folder_ / "ball.json"), falling_ball);
}

TEST_F(Program, FrameRateIsIndependentOfTheStepAndOfTheState) {
    ASSERT_EQ(run({"simulate", "ball.json", "--out", "a.obj/", "--fps", "37", "--stats", "a.json",
                   "--quiet"})
                  .code,
              0);
    ASSERT_EQ(run({"simulate", "ball.json", "--out", "b.obj/", "--fps", "1000", "--stats", "b.json",
                   "--quiet"})
                  .code,
              0);
    ASSERT_EQ(run({"simulate", "ball.json", "--stats", "c.json", "--quiet"}).code, 0);
    EXPECT_EQ(stats("a.json")["frames"], 8);    // 0, 1/37 … 7/37 s
    EXPECT_EQ(stats("b.json")["frames"], 201);  // and 200/1000 s is the last
    EXPECT_EQ(stats("a.json")["state_hash"], stats("b.json")["state_hash"]);
    EXPECT_EQ(stats("a.json")["state_hash"], stats("c.json")["state_hash"]);
    const auto files =
        std::distance(fs::directory_iterator(folder_ / "a.obj"), fs::directory_iterator());
    EXPECT_EQ(files, 8);
}

/// Without gravity the height of every frame is known, whether it falls on a step or between two.
TEST_F(Program, FramesLieWhereTheirTimesSay) {
    write("sink.json",
          R"({"duration": 0.3, "dt": 0.02, "fps": 70, "gravity": [0, 0, 0],
              "bodies": [{"shape": {"icosphere": {"subdivisions": 1}}, "velocity": [0, -2, 0]}]})");
    ASSERT_EQ(run({"simulate", "sink.json", "--out", "f.obj/", "--quiet"}).code, 0);
    std::vector<fs::path> frames;
    for (const auto& entry : fs::directory_iterator(folder_ / "f.obj"))
        frames.push_back(entry.path());
    std::sort(frames.begin(), frames.end());
    ASSERT_EQ(frames.size(), 22u);
    const auto height = [](const fs::path& file) {
        std::ifstream in(file);
        for (std::string word; in >> word;)
            if (double x = 0, y = 0; word == "v" && in >> x >> y) return y;
        return 0.0;
    };
    for (std::size_t k = 0; k < frames.size(); ++k)
        EXPECT_NEAR(height(frames[k]) - height(frames[0]), -2.0 * static_cast<double>(k) / 70, 1e-5)
            << k;
}

TEST_F(Program, OverridesReachTheSimulation) {
    const auto hash = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"simulate", "ball.json", "--quiet", "--stats", "stats.json"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(run(words).code, 0) << fmt::format("{}", fmt::join(words, " "));
        return stats()["state_hash"].get<std::string>();
    };
    const std::string plain = hash({});
    EXPECT_EQ(hash({"--backend", "cpu", "--model", "surface", "--threads", "1"}), plain);
    EXPECT_EQ(hash({"--summation", "naive", "--threads", "3"}), plain);
    EXPECT_EQ(hash({"--instructions", "EMU128"}), plain);
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{"--material", "dough"},
                                               {"--backend", "reference"},
                                               {"--omega", "1"},
                                               {"--stiffness", "0.3"},
                                               {"--damping", "0.5"},
                                               {"--alpha", "1"},
                                               {"--beta", "1"},
                                               {"--volume", "global"},
                                               {"--volume", "off"},
                                               {"--formulation", "paper"},
                                               {"--dt", "0.004"},
                                               {"--steps", "39"}})
        EXPECT_NE(hash(more), plain) << more[0];
}

TEST_F(Program, AnInterruptLeavesValidFilesOfWhatWasDone) {
    write("long.json",
          R"({"duration": 1000, "bodies": [{"shape": {"icosphere": {"subdivisions": 3}}}]})");
    const Outcome outcome =
        run({"simulate", "long.json", "--out", "a.glb", "--out", "b.obj/", "--stats", "stats.json"},
            1.5);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_NE(outcome.err.find("interrupted after"), std::string::npos) << outcome.err;
    const Json s = stats();
    EXPECT_GT(s["steps"].get<int>(), 0);
    EXPECT_LT(s["steps"].get<int>(), 200000);
    const std::string glb = read_file(folder_ / "a.glb");
    ASSERT_GT(glb.size(), 20u);
    std::uint32_t length = 0;
    std::copy_n(glb.data() + 8, 4, reinterpret_cast<char*>(&length));
    EXPECT_EQ(length, glb.size());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "b.obj"), fs::directory_iterator()),
              s["frames"].get<int>());
}

TEST_F(Program, DropsMeshes) {
    const Outcome outcome = run({"simulate", "tetra.obj", "tetra.obj", "--steps", "20", "--stats",
                                 "stats.json", "--material", "jelly"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(stats()["bodies"], 2);
    EXPECT_EQ(stats()["scene"], "tetra+tetra");
    EXPECT_NE(outcome.out.find("not made"), std::string::npos) << outcome.out;
}

TEST_F(Program, ADroppedMeshHoldsItsChecks) {
    const Outcome outcome = run({"simulate", "tetra.obj", "--stats", "stats.json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("2 of 2 held"), std::string::npos) << outcome.out;
    for (const Json& check : stats()["checks"]) EXPECT_EQ(check["held"], true) << check;
}

TEST_F(Program, AnUnknownEndingNamesAllThatAreKnown) {
    const std::string error = run({"simulate", "ball.json", "--out", "x.fbx"}).err;
    const std::string help = run({"simulate", "--help"}).out;
    for (const char* ending :
         {".glb", ".usda", ".pc2", ".obj/", ".ply/", ".png ", ".png/", ".jpg ", ".jpg/", ".mp4"}) {
        EXPECT_NE(error.find(ending), std::string::npos) << ending << ": " << error;
        EXPECT_NE(help.find(ending), std::string::npos) << ending;
    }
}

TEST_F(Program, SaysWhichModelsThereAre) {
    EXPECT_NE(run({"simulate", "--help"}).out.find("deformed: surface"), std::string::npos);
    const std::string error = run({"simulate", "ball.json", "--model", "granite"}).err;
    EXPECT_NE(error.find("no model 'granite'; there is \"surface\""), std::string::npos) << error;
}

TEST_F(Program, SaysWhoseASettingIs) {
    const auto error_of = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"simulate", "ball.json", "--steps", "1"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 2) << more.back();
        return outcome.err;
    };
    EXPECT_EQ(
        error_of({"--model", "meshless:mode=linear,omega=3"}),
        "turgor: 'omega' is no setting of the model 'meshless', but one of the model 'surface'\n");
    EXPECT_EQ(
        error_of({"--model", "surface:beta=0.8"}),
        "turgor: 'beta' is no setting of the model 'surface', but one of the model 'meshless', "
        "and --beta is that of materials\n");
    EXPECT_EQ(
        error_of({"--model", "meshless:alpha=0.8"}),
        "turgor: 'alpha' is no setting of the model 'meshless'; --alpha is that of materials\n");
    EXPECT_EQ(error_of({"--model", "meshless", "--stiffness", "0.5"}),
              "turgor: --stiffness is for the model 'surface', but the bodies here have the model "
              "'meshless'; write --model meshless:stiffness=… for theirs\n");
    EXPECT_NE(error_of({"--model", "meshless", "--omega", "2"}).find("--omega is for"),
              std::string::npos);
    EXPECT_EQ(run({"simulate", "ball.json", "--steps", "1", "--model", "meshless:beta=0.8"}).code,
              0);
    const std::string help = run({"simulate", "--help"}).out;
    EXPECT_NE(help.find("meshless:mode=rigid|linear|quadratic,beta=0-0.95"), std::string::npos);
}

TEST_F(Program, StatsTellWhatEachBodysModelTellsByName) {
    write("two.json", R"({"duration": 0.01, "bodies": [
        {"shape": {"icosphere": {"radius": 0.1, "subdivisions": 2}},
         "model": {"surface": {"omega": 3, "stiffness": 0.5, "damping": 0.1}}},
        {"shape": {"icosphere": {"radius": 0.1, "subdivisions": 1}}, "position": [1, 0, 0],
         "material": {"omega": 1}}]})");
    ASSERT_EQ(run({"simulate", "two.json", "--stats", "stats.json", "--quiet"}).code, 0);
    const Json s = stats(), bodies = s["volume"]["bodies"];
    EXPECT_EQ(bodies[0]["model"], "surface");
    EXPECT_EQ(bodies[0]["figures"]["omega"], 3);
    EXPECT_EQ(bodies[0]["figures"]["stiffness"], 0.5);
    EXPECT_EQ(bodies[0]["figures"]["damping"], 0.1);
    EXPECT_EQ(bodies[1]["figures"]["omega"], 1);
    const auto intervals = [&](int k) {
        return bodies[k]["figures"]["intervals_per_region"].get<double>();
    };
    EXPECT_NE(intervals(0), intervals(1));
    EXPECT_NEAR(s["intervals_per_region"].get<double>(),
                (162 * intervals(0) + 42 * intervals(1)) / (162 + 42), 1e-12);
    ASSERT_EQ(
        run({"simulate", "two.json", "--omega", "2", "--stats", "stats.json", "--quiet"}).code, 0);
    for (const Json& body : stats()["volume"]["bodies"]) EXPECT_EQ(body["figures"]["omega"], 2);
}

TEST_F(Program, TellsWhatIsNoNumberFromWhatIsOutOfRange) {
    const std::string word = run({"simulate", "ball.json", "--steps", "abc"}).err;
    EXPECT_NE(word.find("'abc' is not a number"), std::string::npos) << word;
    const std::string negative = run({"simulate", "ball.json", "--steps", "-5"}).err;
    EXPECT_NE(negative.find("-5 is not from 1 to 1000000000"), std::string::npos) << negative;
    const std::string tail = run({"simulate", "ball.json", "--threads", "3x"}).err;
    EXPECT_NE(tail.find("'3x' is not a number"), std::string::npos) << tail;
}

TEST_F(Program, TimeForOutputIsToldFromThatForSimulating) {
    const Outcome outcome =
        run({"simulate", "ball.json", "--out", "a.obj/", "--fps", "1000", "--stats", "stats.json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("201 frames written in"), std::string::npos) << outcome.out;
    EXPECT_GT(stats()["output_seconds"].get<double>(), 0);
    EXPECT_LT(stats()["output_seconds"].get<double>(), stats()["wall_seconds"].get<double>());
    EXPECT_EQ(run({"simulate", "ball.json"}).out.find("written in"), std::string::npos);
}

TEST_F(Program, EmptyNamesAreOneSentence) {
    for (const char* option : {"--out", "--stats", "--rest-shape"}) {
        const Outcome outcome = run({"simulate", "ball.json", option, ""});
        EXPECT_EQ(outcome.code, 2) << option;
        EXPECT_NE(outcome.err.find("is empty"), std::string::npos) << outcome.err;
    }
    EXPECT_EQ(run({"check", ""}).code, 2);
}

TEST_F(Program, MeshesAreScaledAndTurned) {
    write("tall.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 8\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    ASSERT_EQ(run({"simulate", "tall.obj", "--steps", "1", "--scale", "0.1", "--up", "z", "--out",
                   "a.obj/", "--quiet"})
                  .code,
              0);
    std::ifstream in(folder_ / "a.obj" / "frame_00000.obj");
    double low = 1e9, high = -1e9;
    for (std::string word; in >> word;)
        if (double x = 0, y = 0; word == "v" && in >> x >> y)
            low = std::min(low, y), high = std::max(high, y);
    EXPECT_NEAR(high - low, 0.8, 1e-6);
}

TEST_F(Program, PlacesOfOutputsAreLookedAtBeforeBodiesAreMade) {
    write("file", "");
    write("lost.json", R"({"bodies": [{"shape": {"mesh": "nowhere.obj"}}]})");
    const Outcome outcome = run({"simulate", "lost.json", "--out", "file/x.glb"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err.find("nowhere.obj"), std::string::npos) << outcome.err;
}

TEST_F(Program, SaysThatMoreThreadsAreNoUse) {
    const Outcome one = run({"simulate", "ball.json", "--steps", "1", "--threads", "1"});
    EXPECT_EQ(one.err, "");
    const Outcome four =
        run({"simulate", "ball.json", "--steps", "1", "--threads", "4", "--backend", "reference"});
    EXPECT_EQ(four.code, 0);
    EXPECT_NE(four.err.find("uses one thread"), std::string::npos) << four.err;
}

TEST_F(Program, BenchWritesWhatTheDesignPromises) {
    const Outcome outcome = run({"bench", "--quick", "--suite", "table2", "--suite", "stages",
                                 "--json", "bench.json", "--svg", "bench.svg"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("naive:fast"), std::string::npos);
    const auto document = Json::parse(read_file(folder_ / "bench.json"));
    EXPECT_GE(document["machine"]["cores"].get<int>(), 1);
    std::set<std::string> found;
    for (const auto& row : document["rows"]) {
        for (const char* field : {"threads", "particles", "ms_median", "ms_min"})
            EXPECT_GT(row[field].get<double>(), 0) << field;
        found.insert(row["name"].get<std::string>() + " " + row["case"].get<std::string>());
    }
    for (const char* name : {"cpu fast omega=2", "lsm w=2", "fast lsm w=2", "surface fast w=1"})
        EXPECT_TRUE(found.contains(name)) << name;
    EXPECT_NE(read_file(folder_ / "bench.svg").find("volume_positions"), std::string::npos);
}

TEST_F(Program, OptionsMayComeBeforeTheScene) {
    EXPECT_EQ(run({"simulate", "--out", "a.obj/", "--quiet", "ball.json"}).code, 0);
    EXPECT_TRUE(fs::exists(folder_ / "a.obj"));
}

TEST_F(Program, CheckGoesOnAfterABadMesh) {
    write("broken.obj", "v 0 0 0\nf 1 2 3\n");
    const Outcome outcome = run({"check", "broken.obj", "tetra.obj", "--json"});
    EXPECT_EQ(outcome.code, 2);
    const Json list = Json::parse(outcome.out);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0]["usable"], false);
    EXPECT_NE(list[0]["error"].get<std::string>().find("broken.obj"), std::string::npos);
    EXPECT_EQ(list[1]["usable"], true);
    EXPECT_EQ(list[1]["vertices"], 4);
    EXPECT_NEAR(list[1]["volume"].get<double>(), 1.0 / 6, 1e-12);
    EXPECT_EQ(run({"check", "tetra.obj"}).code, 0);
}

TEST_F(Program, CheckRepairs) {
    write("inverted.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
    const Outcome outcome = run({"check", "inverted.obj", "--repair", "good.off"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("repaired"), std::string::npos) << outcome.out;
    const Json again = Json::parse(run({"check", "good.off", "--json"}).out);
    EXPECT_TRUE(again[0]["repairs"].empty());
    EXPECT_GT(again[0]["volume"].get<double>(), 0);
}

TEST_F(Program, DevicesAreListed) {
    EXPECT_NE(run({"devices"}).out.find("reference"), std::string::npos);
    EXPECT_NE(run({"devices"}).out.find("pictures "), std::string::npos);
    const Json list = Json::parse(run({"devices", "--json"}).out);
    EXPECT_EQ(list[0]["available"], true);
    EXPECT_FALSE(list.back()["description"].get<std::string>().empty()) << "who draws, or why not";
}

TEST_F(Program, QuietSaysNothing) {
    const Outcome outcome = run({"simulate", "ball.json", "--quiet"});
    EXPECT_EQ(outcome.out + outcome.err, "");
}

}  // namespace
}  // namespace turgor
