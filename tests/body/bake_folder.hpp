#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// Tests of files that hold bakes have a folder of their own, which is not there at first.
namespace turgor::test {

class WithBakeFolder : public testing::Test {
protected:
    WithBakeFolder()
        : folder_(std::filesystem::temp_directory_path() /
                  ("turgor-bakes-" + std::to_string(getpid()))) {
        std::filesystem::remove_all(folder_);
    }
    ~WithBakeFolder() override { std::filesystem::remove_all(folder_); }

    static std::string text_of(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static void write(const std::filesystem::path& file, const std::string& bytes) {
        std::ofstream(file, std::ios::binary) << bytes;
    }

    std::filesystem::path folder_;
};

}  // namespace turgor::test
