#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace turgor {

struct Outcome {
    int code = -1;  ///< exit code; 128 + signal where a signal ended it
    std::string out, err;
};

/// Runs the program with these words in `folder` and waits for it. After `interrupt_after` [s], if
/// given, it gets SIGINT.
Outcome run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                    double interrupt_after = -1);

std::string read_file(const std::filesystem::path& file);

}  // namespace turgor
