#include "draw/film.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/errors.hpp"
#include "base/file_output.hpp"

extern char** environ;

namespace turgor {
namespace {

struct Pipe {
    int read = -1, write = -1;
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            fail(ErrorCode::io, "cannot talk to ffmpeg: {}", std::strerror(errno));
        read = ends[0];
        write = ends[1];
    }
};

/// In a process group of its own: Ctrl-C is for us, who tell it when the film is over.
pid_t spawn(const std::vector<std::string>& words, const Pipe& in, const Pipe& errors) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors.write, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t process = -1;
    const int error =
        posix_spawnp(&process, words[0].c_str(), &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(in.read);
    close(errors.write);
    if (error != 0) fail(ErrorCode::missing, "cannot start ffmpeg: {}", std::strerror(error));
    return process;
}

}  // namespace

bool has_ffmpeg() {
    const char* path = std::getenv("PATH");
    for (std::string_view rest = path ? path : ""; !rest.empty();) {
        const std::size_t end = rest.find(':');
        const std::filesystem::path program = std::filesystem::path(rest.substr(0, end)) / "ffmpeg";
        if (access(program.c_str(), X_OK) == 0) return true;
        rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    }
    return false;
}

Film::Film(std::filesystem::path file, double fps) : file_(std::move(file)), fps_(fps) {
    if (!has_ffmpeg())
        fail(
            ErrorCode::missing,
            "'{}' needs the program ffmpeg, which is not installed; install the package ffmpeg, or "
            "write pictures into a folder with --out FOLDER.png/",
            file_.string());
    check_can_write_file(file_);
    partial_ = file_;
    partial_.replace_extension(fmt::format(".{}.partial.mp4", getpid()));
}

void Film::start(int width, int height) {
    const Pipe in, errors;
    pictures_ = in.write;
    words_ = errors.read;
    old_sigpipe_ = std::signal(SIGPIPE, SIG_IGN);
    process_ = spawn({"ffmpeg",
                      "-loglevel",
                      "error",
                      "-y",
                      "-f",
                      "rawvideo",
                      "-pix_fmt",
                      "rgba",
                      "-s",
                      fmt::format("{}x{}", width, height),
                      "-r",
                      fmt::format("{}", fps_),
                      "-i",
                      "-",
                      "-vf",
                      "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                      "-c:v",
                      "libx264",
                      "-preset",
                      "medium",
                      "-crf",
                      "18",
                      "-pix_fmt",
                      "yuv420p",
                      "-movflags",
                      "+faststart",
                      "file:" + partial_.string()},
                     in, errors);
}

void Film::add(const Picture& picture) {
    if (process_ < 0) start(picture.width, picture.height);
    const auto* bytes = reinterpret_cast<const char*>(picture.pixels.data());
    std::size_t left = 4 * picture.pixels.size();
    while (left > 0) {
        const ssize_t written = write(pictures_, bytes, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            stop();
            fail_filming();
        }
        bytes += written;
        left -= static_cast<std::size_t>(written);
    }
}

void Film::stop() noexcept {
    if (process_ < 0) return;
    close(pictures_);
    std::array<char, 512> some{};
    for (ssize_t n = 0; (n = read(words_, some.data(), some.size())) > 0;)
        last_words_.append(some.data(), static_cast<std::size_t>(n));
    close(words_);
    while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    std::signal(SIGPIPE, old_sigpipe_);
}

void Film::fail_filming() const {
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
    fail(ErrorCode::io, "ffmpeg could not make '{}': {}", file_.string(),
         last_words_.empty() ? "it ended early" : last_words_);
}

void Film::finish() {
    if (process_ < 0) return;
    stop();
    if (!WIFEXITED(status_) || WEXITSTATUS(status_) != 0) fail_filming();
    std::error_code error;
    std::filesystem::rename(partial_, file_, error);
    if (error) fail(ErrorCode::io, "cannot write '{}': {}", file_.string(), error.message());
}

Film::~Film() {
    if (process_ < 0) return;
    stop();
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
}

}  // namespace turgor
