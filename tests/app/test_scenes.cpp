#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/program_fixture.hpp"

namespace turgor {
namespace {

TEST_F(Program, ScenesAreListedCheckedAndPrinted) {
    const Json list = Json::parse(run({"scenes", "--json"}).out);
    EXPECT_EQ(list.size(), 28u);
    for (const Json& scene : list)
        for (const char* key : {"name", "bodies", "particles", "description", "available"})
            EXPECT_TRUE(scene.contains(key)) << key;
    const Outcome printed = run({"scenes", "incline", "--print"});
    EXPECT_EQ(Json::parse(printed.out)["name"], "incline");
    const Outcome good = run({"scenes", "ball.json", "--check"});
    EXPECT_EQ(good.code, 0) << good.out;
    EXPECT_NE(good.out.find("held   volume_error of ball"), std::string::npos) << good.out;
    std::string text = falling_ball;
    text.replace(text.find("1e-7"), 4, "-1");
    write("failing.json", text);
    const Outcome failing = run({"scenes", "failing.json", "ball.json", "--check", "--json"});
    EXPECT_EQ(failing.code, 3);
    EXPECT_EQ(Json::parse(failing.out)[0]["held"], false);
    EXPECT_EQ(Json::parse(failing.out)[1]["held"], true);
}

TEST_F(Program, SceneFilesArePrinted) {
    EXPECT_EQ(run({"scenes", "ball.json", "--print"}).out, falling_ball);
}

TEST_F(Program, ScenesThatCannotBeCheckedAreCounted) {
    write("absent.json", R"({"bodies": [{"shape": {"package_mesh": {"package": "no-such",
        "archive": "/usr/share/no-such/archive.tar.gz", "member": "m.off"}}}]})");
    const Outcome outcome = run({"scenes", "absent.json", "ball.json", "--check"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("1 of 2 scenes"), std::string::npos) << outcome.err;
    EXPECT_EQ(run({"scenes", "ball.json", "--check"}).err, "");
}

TEST_F(Program, LongWordsOfADescriptionGetALineOfTheirOwn) {
    const std::string word(250, 'x');
    std::string text = falling_ball;
    text.insert(1, fmt::format(R"("description": "see {} there", )", word));
    write("long.json", text);
    const Outcome outcome = run({"scenes", "long.json"});
    EXPECT_NE(outcome.out.find(fmt::format("    see\n    {}\n    there\n", word)),
              std::string::npos)
        << outcome.out;
}

}  // namespace
}  // namespace turgor
