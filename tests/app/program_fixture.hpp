#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/program.hpp"

/// The program in a folder of its own, with a scene and a mesh.
namespace turgor {

namespace fs = std::filesystem;
using Json = nlohmann::json;

inline constexpr const char* tetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
inline constexpr const char* falling_ball =
    R"({"duration": 0.2, "colliders": [{"shape": {"plane": {}}}],
    "bodies": [{"name": "ball", "shape": {"icosphere": {"subdivisions": 2}}, "position": [0, 0.55, 0]}],
    "checks": [{"measure": "volume_error", "at_most": 1e-7}]})";

class Program : public testing::Test {
protected:
    Program() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::temp_directory_path() / fmt::format("turgor-{}-{}", test->name(), getpid());
        fs::create_directories(folder_);
        write("ball.json", falling_ball);
        write("tetra.obj", tetrahedron);
    }
    ~Program() override { fs::remove_all(folder_); }

    void write(const char* name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    Outcome run(const std::vector<std::string>& words, double interrupt_after = -1) const {
        return run_program(words, folder_, interrupt_after);
    }
    Json stats(const char* name = "stats.json") const {
        return Json::parse(read_file(folder_ / name));
    }

    fs::path folder_;
};

inline bool is_one_sentence(const std::string& text) {
    return text.rfind("turgor: ", 0) == 0 && std::count(text.begin(), text.end(), '\n') == 1;
}

}  // namespace turgor
