// What a browser does not have: files, programs from packages, threads. In place of the sources
// that cmake/rooms.cmake leaves out.

#include <cerrno>
#include <cstdlib>

#include "base/errors.hpp"
#include "base/parse_number.hpp"
#include "body/bake_cache.hpp"
#include "mesh/source_file.hpp"
#include "scene/package_mesh.hpp"
#include "scene/text_file.hpp"
#include "turgor/scheduler.hpp"

namespace turgor {
namespace {

bool is_part(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

}  // namespace

SourceFile read_source_file(const std::filesystem::path& path) {
    fail(ErrorCode::io,
         "{} is a file of its own, and there are no files here; put all into one, e.g. a .glb",
         name_in_messages(path));
}

bool is_there(const std::filesystem::path&) {
    return false;
}

std::string read_text_file(const std::filesystem::path& file) {
    fail(ErrorCode::io, "{}: there are no files here; give the text of the scene instead",
         file.string());
}

std::optional<std::string> problem_with(const PackageShape& shape) {
    return fmt::format(
        "the mesh comes from Debian's package {}, which there is not in a browser; run the scene "
        "with the turgor program",
        shape.package);
}

Mesh load_package_mesh(const PackageShape& shape, MeshReport*) {
    fail(ErrorCode::missing, "{}", *problem_with(shape));
}

Mesh read_package_mesh(const PackageShape& shape) {
    fail(ErrorCode::missing, "{}", *problem_with(shape));
}

std::optional<std::string> problem_with_packages(const Scene& scene) {
    for (const SceneBody& body : scene.bodies)
        if (const auto* package = std::get_if<PackageShape>(body.shape.get()))
            return problem_with(*package);
    return std::nullopt;
}

std::optional<std::vector<std::byte>> read_bake(const std::filesystem::path&, const BakeKey&) {
    return std::nullopt;
}

void keep_bake(const std::filesystem::path&, const BakeKey&, std::span<const std::byte>) {}

/// As from_chars takes them: digits at once, no sign but −, no hexadecimal digits.
std::from_chars_result parse_number(const char* first, const char* last, double& value) {
    constexpr std::size_t longest = 400;
    const char* end = first;
    while (end != last && end - first < static_cast<std::ptrdiff_t>(longest) && is_part(*end))
        ++end;
    const std::string text(first, end);
    char* stop = nullptr;
    errno = 0;
    const double read = std::strtod(text.c_str(), &stop);
    const char* const after = first + (stop - text.c_str());
    if (after == first || text.starts_with('+')) return {first, std::errc::invalid_argument};
    if (errno == ERANGE) return {after, std::errc::result_out_of_range};
    value = read;
    return {after, std::errc{}};
}

namespace {

class OneThread final : public Scheduler {
public:
    int threads() const override { return 1; }
    void run(std::uint32_t count, void (*work)(void*, std::uint32_t), void* context) override {
        for (std::uint32_t i = 0; i < count; ++i) work(context, i);
    }
};

}  // namespace

std::unique_ptr<Scheduler> make_thread_pool(int) {
    return std::make_unique<OneThread>();
}

}  // namespace turgor

// What thread_local registers to be destroyed with its thread: the only one never ends.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) {
    return 0;
}
