#include "app/program_fixture.hpp"

namespace turgor {
namespace {

using Solidify = Program;

TEST_F(Solidify, WritesAllFormatsAndPrintsQuality) {
    const Outcome outcome = run({"solidify", "tree", "--cells", "12", "--out", "a.vtu", "--out",
                                 "a.msh", "--out", "a.obj"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const char* words : {"0 inverted", "smallest dihedral angle", "smallest corner", "volume",
                              "written a.vtu", "written a.msh", "written a.obj"})
        EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
    EXPECT_EQ(read_file(folder_ / "a.msh").rfind("$MeshFormat\n2.2 0 8\n", 0), 0u);
    EXPECT_NE(read_file(folder_ / "a.vtu").find("UnstructuredGrid"), std::string::npos);
    EXPECT_EQ(run({"check", "a.obj"}).code, 0) << "a body can be made of it";
}

TEST_F(Solidify, TakesOpenMeshes) {
    write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0.2\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    EXPECT_EQ(run({"check", "sheet.obj"}).code, 2);
    const Outcome outcome = run({"solidify", "sheet.obj", "--cells", "9", "--out", "thick.obj"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(run({"check", "thick.obj"}).code, 0);
}

TEST_F(Solidify, RefusesInOneSentence) {
    write("empty.obj", "");
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"solidify"},
             {"solidify", "nothing.obj"},
             {"solidify", "empty.obj"},
             {"solidify", "tetra.obj", "--cells", "0"},
             {"solidify", "tetra.obj", "--p-in", "1.5"},
             {"solidify", "tetra.obj", "--p-in", "0.3", "--p-subs", "0.6"},
             {"solidify", "tetra.obj", "--density", "nan"},
             {"solidify", "tetra.obj", "--variant", "x: omega=3"},
             {"solidify", "tetra.obj", "--variant", "cells"},
             {"solidify", "tetra.obj", "--out", "a.stl"},
             {"solidify", "tetra.obj", "--out", "tetra.obj"},
             {"solidify", "tetra.obj", "--out", "a.obj", "--out", "a.obj"}}) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 2) << words.back();
        EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    }
    EXPECT_EQ(read_file(folder_ / "tetra.obj"), tetrahedron);
}

TEST_F(Solidify, EndsCleanlyWhenInterrupted) {
    const Outcome outcome = run({"solidify", "ball", "--cells", "256", "--out", "ball.obj"}, 0.4);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_NE(outcome.err.find("nothing was written"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder_ / "ball.obj"));
}

}  // namespace
}  // namespace turgor
