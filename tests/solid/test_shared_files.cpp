#include <filesystem>

#include "solid_helpers.hpp"

namespace turgor {
namespace {

std::vector<std::filesystem::path> shared_files() {
    const std::filesystem::path meshes = TURGOR_SHARED_MESHES;
    std::vector<std::filesystem::path> files;
    for (const auto& folder : {meshes, meshes / "bad", meshes.parent_path() / "assets"})
        if (std::filesystem::exists(folder))
            for (const auto& entry : std::filesystem::directory_iterator(folder))
                if (entry.is_regular_file() && entry.path().extension() != ".md")
                    files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

TEST(SharedFiles, AllBecomeValidSolidsOrOneSentence) {
    const auto files = shared_files();
    if (files.empty()) GTEST_SKIP() << "no meshes beside the project";
    std::size_t solids = 0;
    for (const auto& file : files) {
        Status status;
        const Mesh mesh = read_mesh(file, &status);
        if (status.ok()) {
            const Solid solid = make_solid(mesh, {.cells = 16}, &status);
            if (status.ok()) {
                EXPECT_TRUE(test::is_valid(solid)) << file;
                ++solids;
                continue;
            }
        }
        EXPECT_FALSE(status.message.empty()) << file;
        EXPECT_EQ(status.message.find('\n'), std::string::npos) << file;
    }
    EXPECT_GE(solids, 35u);
}

TEST(SharedFiles, ClosedOnesKeepTheirVolume) {
    const std::filesystem::path folder = TURGOR_SHARED_MESHES;
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder " << folder;
    for (const char* name : {"armadillo_1000.obj", "bob_1000.obj", "homer_1000.obj"}) {
        const Mesh mesh = load_mesh(folder / name);
        const auto f = measure::solid_figures(make_solid(mesh, {.cells = 64}), mesh, volume(mesh));
        EXPECT_LT(f.volume_before, 0.02) << name;
        EXPECT_LT(f.volume, 1e-12) << name;
        EXPECT_LT(f.surface_rms, 0.3) << name;
    }
}

}  // namespace
}  // namespace turgor
