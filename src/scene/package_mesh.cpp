#include "scene/package_mesh.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <system_error>

#include "base/errors.hpp"

extern char** environ;

namespace turgor {
namespace {

namespace fs = std::filesystem;

fs::path place_of(const PackageShape& shape) {
    const char* root = std::getenv("TURGOR_PACKAGE_ROOT");
    return fs::path(root && *root ? root : "/") / shape.archive.substr(1);
}

/// A file with the given ending that is gone with this object.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& ending) {
        std::string name = (fs::temp_directory_path() / ("turgor-XXXXXX" + ending)).string();
        descriptor_ = mkstemps(name.data(), static_cast<int>(ending.size()));
        if (descriptor_ < 0)
            fail(ErrorCode::io, "{} cannot be created: {}", name,
                 std::generic_category().message(errno));
        path_ = name;
    }
    ~TemporaryFile() {
        close(descriptor_);
        unlink(path_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    int descriptor() const { return descriptor_; }
    const fs::path& path() const { return path_; }

private:
    int descriptor_ = -1;
    fs::path path_;
};

/// Runs `tar -xzOf archive -- member` with its output in `out`; no shell reads the names.
bool run_tar(const std::string& archive, const std::string& member, int out) {
    std::array<std::string, 5> words{"tar", "-xzOf", archive, "--", member};
    std::array<char*, 6> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int spawned = posix_spawnp(&child, "tar", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    return spawned == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

}  // namespace

std::optional<std::string> problem_with(const PackageShape& shape) {
    const fs::path archive = place_of(shape);
    std::error_code error;
    if (fs::is_regular_file(archive, error)) return std::nullopt;
    return fmt::format(
        "the mesh comes from Debian's package {0}, and {1} is not on this machine; install it with "
        "`apt-get install {0}`",
        shape.package, archive.string());
}

template <class Read>
Mesh unpacked(const PackageShape& shape, Read&& read) {
    if (const auto problem = problem_with(shape)) fail(ErrorCode::missing, "{}", *problem);
    const fs::path archive = place_of(shape);
    const TemporaryFile file(fs::path(shape.member).extension().string());
    if (!run_tar(archive.string(), shape.member, file.descriptor()))
        fail(ErrorCode::bad_file, "{} does not hold {}, or tar cannot read it; install {} again",
             archive.string(), shape.member, shape.package);
    try {
        return read(file.path());
    } catch (const Error& e) {
        fail(e.code(), "{} in {}: {}", shape.member, archive.string(), e.what());
    }
}

Mesh load_package_mesh(const PackageShape& shape, MeshReport* report) {
    return unpacked(shape, [&](const fs::path& file) { return load_mesh(file, {}, report); });
}

Mesh read_package_mesh(const PackageShape& shape) {
    return unpacked(shape, [](const fs::path& file) { return read_mesh(file); });
}

std::optional<std::string> problem_with_packages(const Scene& scene) {
    for (const SceneBody& body : scene.bodies)
        if (const auto* package = std::get_if<PackageShape>(body.shape.get()))
            if (const auto problem = problem_with(*package)) return problem;
    return std::nullopt;
}

}  // namespace turgor
