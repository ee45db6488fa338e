#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "draw/picture.hpp"

namespace turgor {

/// Makes a film of pictures of one size with the program ffmpeg. The file takes its name when all
/// is done; until then, and where it is not finished, there is nothing.
class Film {
public:
    /// Error(missing) where there is no ffmpeg; Error(io) where the file could not be written.
    Film(std::filesystem::path file, double fps);
    ~Film();
    Film(const Film&) = delete;
    Film& operator=(const Film&) = delete;

    void add(const Picture& picture);
    void finish();

private:
    void start(int width, int height);
    void stop() noexcept;  ///< ends the program, and reads its last words
    [[noreturn]] void fail_filming() const;

    std::filesystem::path file_, partial_;
    double fps_;
    pid_t process_ = -1;
    int pictures_ = -1, words_ = -1;  ///< ends of pipes
    int status_ = 0;
    std::string last_words_;
    void (*old_sigpipe_)(int) = nullptr;
};

/// Whether there is such a program on the PATH.
bool has_ffmpeg();

}  // namespace turgor
