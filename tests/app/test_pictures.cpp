#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "app/program.hpp"

namespace turgor {
namespace {

namespace fs = std::filesystem;

constexpr const char* falling_ball = R"({"duration": 0.2, "colliders": [{"shape": {"plane": {}}}],
    "bodies": [{"name": "ball", "shape": {"icosphere": {"subdivisions": 2}}, "position": [0, 0.55, 0]}]})";

/// `turgor render` and pictures of `simulate`, where this build has them.
class Render : public testing::Test {
protected:
    Render() : folder_(fs::temp_directory_path() / fmt::format("turgor-render-{}", getpid())) {
        fs::create_directories(folder_);
        std::ofstream(folder_ / "ball.json") << falling_ball;
    }
    ~Render() override { fs::remove_all(folder_); }
    void SetUp() override {
        const Outcome outcome = render({"--out", "try.png", "--size", "32x32", "--frames", "0"});
        if (outcome.code != 0) GTEST_SKIP() << outcome.err;
        fs::remove(folder_ / "try.png");
    }
    Outcome render(std::vector<std::string> words) const {
        words.insert(words.begin(), {"render", "ball.json"});
        return run_program(words, folder_);
    }
    /// Width and height of a PNG, from its header.
    std::pair<int, int> size_of(const char* name) const {
        const std::string bytes = read_file(folder_ / name);
        if (bytes.size() < 24 || bytes.substr(1, 3) != "PNG") return {0, 0};
        const auto number = [&](std::size_t at) {
            int n = 0;
            for (std::size_t k = 0; k < 4; ++k)
                n = n << 8 | static_cast<unsigned char>(bytes[at + k]);
            return n;
        };
        return {number(16), number(20)};
    }
    bool has_ffmpeg() const { return std::system("command -v ffmpeg >/dev/null") == 0; }

    fs::path folder_;
};

TEST_F(Render, makes_a_picture_of_the_size_asked_for) {
    const Outcome outcome = render({"--out", "a.png", "--size", "100x60"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(size_of("a.png"), (std::pair{100, 60}));
}

TEST_F(Render, makes_contact_sheets_of_frames_and_variants) {
    EXPECT_EQ(
        render({"--out", "a.png", "--size", "90x60", "--frames", "0,3,6", "--columns", "3"}).code,
        0);
    EXPECT_GT(size_of("a.png").first, 3 * 90);
    EXPECT_EQ(render({"--out", "b.png", "--size", "90x60", "--frames", "0,6", "--variant",
                      "kept: volume=local", "--variant", "volume=off,alpha=0.5"})
                  .code,
              0);
    EXPECT_GT(size_of("b.png").second, 2 * 60);
    EXPECT_GT(size_of("b.png").first, 2 * 90);
}

TEST_F(Render, shows_the_inside_and_turns_around) {
    EXPECT_EQ(render({"--out", "a.png", "--size", "60x60", "--show", "paths,particles", "--camera",
                      "90,10,2"})
                  .code,
              0);
    EXPECT_EQ(render({"--out", "b.png", "--size", "60x60"}).code, 0);
    EXPECT_EQ(render({"--out", "c.jpg", "--size", "60x60"}).code, 0);
    EXPECT_EQ(read_file(folder_ / "c.jpg").substr(0, 2), "\xff\xd8");
    EXPECT_NE(read_file(folder_ / "a.png"), read_file(folder_ / "b.png"));
}

TEST_F(Render, says_how_far_each_body_is_from_its_goals) {
    std::ofstream(folder_ / "two.json") << R"({"duration": 0.1, "bodies": [
        {"name": "round", "shape": {"icosphere": {"subdivisions": 2}}, "model": {"meshless": {}}},
        {"name": "flat", "shape": {"icosphere": {"subdivisions": 2}}, "position": [5, 0, 0], "start": "random_box"}]})";
    const std::vector<std::string> words{"render", "two.json", "--out", "a.png",  "--size",
                                         "60x60",  "--frames", "0,1",   "--show", "goals"};
    const Outcome outcome = run_program(words, folder_);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto& out = outcome.out;
    EXPECT_EQ(std::ranges::count(out, '\n'), 5) << out;
    const auto share = [&](const char* name) {
        const auto at = out.find(std::string("0.000 s: ") + name + " is ");
        return at == std::string::npos
                   ? -1
                   : std::stod(out.substr(at + 9 + std::string(name).size() + 4));
    };
    EXPECT_GE(share("round"), 0) << out;
    EXPECT_LT(share("round"), 0.01) << out;
    EXPECT_GT(share("flat"), 1) << out;
    std::vector<std::string> quiet = words;
    quiet.push_back("--quiet");
    EXPECT_EQ(run_program(quiet, folder_).out, "");
}

TEST_F(Render, bad_wishes_are_one_sentence_and_leave_nothing) {
    const std::vector<std::vector<std::string>> wishes{
        {},
        {"--out", "a.gif"},
        {"--out", "a.png", "--size", "10x10"},
        {"--out", "a.png", "--size", "100000x10"},
        {"--out", "a.png", "--size", "wide"},
        {"--out", "a.png", "--size", "4000x4000", "--frames",
         "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20"},
        {"--out", "a.png", "--show", "everything"},
        {"--out", "a.png", "--frames", "-1"},
        {"--out", "a.png", "--frames", "first"},
        {"--out", "a.mp4", "--frames", "1"},
        {"--out", "a.png", "--camera", "1,2,0"},
        {"--out", "a.png", "--camera", "0,90"},
        {"--out", "a.png", "--variant", "volume"},
        {"--out", "a.png", "--variant", "colour=red"},
        {"--out", "a.png", "--variant", "alpha=much"},
        {"--out", "a.png", "--variant", "alpha=7"},
        {"--out", "/proc/no/such/a.png"},
        {"--out", "ball.json"},
    };
    for (const auto& words : wishes) {
        const Outcome outcome = render(words);
        EXPECT_EQ(outcome.code, 2) << fmt::format("{}", fmt::join(words, " "));
        EXPECT_EQ(outcome.err.rfind("turgor: ", 0), 0u) << outcome.err;
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    }
    for (const auto& entry : fs::directory_iterator(folder_))
        EXPECT_TRUE(entry.path().extension() == ".json" || entry.path().extension() == ".txt")
            << entry.path();
}

TEST_F(Render, says_what_is_no_number) {
    const std::string error = render({"--out", "a.png", "--frames", "0,abc"}).err;
    EXPECT_NE(error.find("'abc' is not a number"), std::string::npos) << error;
}

TEST_F(Render, makes_films) {
    if (!has_ffmpeg()) GTEST_SKIP() << "the package ffmpeg is missing";
    const Outcome outcome = render({"--out", "a.mp4", "--size", "64x48", "--turntable", "90"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GT(fs::file_size(folder_ / "a.mp4"), 1000u);
}

TEST_F(Render, simulate_makes_pictures_too) {
    std::vector<std::string> words{"simulate", "ball.json", "--fps",    "5",      "--out",
                                   "last.png", "--out",     "all.png/", "--quiet"};
    if (has_ffmpeg()) words.insert(words.end(), {"--out", "film.mp4"});
    const Outcome outcome = run_program(words, folder_);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(size_of("last.png"), (std::pair{1280, 720}));
    EXPECT_EQ(size_of("all.png/frame_00000.png"), (std::pair{1280, 720}));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "all.png"), {}), 2);
    if (has_ffmpeg()) {
        EXPECT_GT(fs::file_size(folder_ / "film.mp4"), 1000u);
    }
}

}  // namespace
}  // namespace turgor
