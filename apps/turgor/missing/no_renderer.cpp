#include <CLI/CLI.hpp>

#include "../commands.hpp"
#include "../pictures.hpp"
#include "base/errors.hpp"

/// In a build without the packages that the renderer needs.
namespace turgor {
namespace {

constexpr const char* remedy =
    "this build has no renderer, for libepoxy-dev or libstb-dev was missing; `./run render …` "
    "installs them and builds it";

}  // namespace

void check_can_make_pictures(const std::filesystem::path& output) {
    fail(ErrorCode::missing, "'{}' cannot be made: {}", output.string(), remedy);
}

std::string who_draws_pictures() {
    fail(ErrorCode::missing, "{}", remedy);
}

std::unique_ptr<PictureOutput> make_picture_output(const std::filesystem::path& output, LiveScene&,
                                                   double) {
    check_can_make_pictures(output);
    return nullptr;
}

void paint_solids(const Mesh&, std::span<const CaptionedSolid>, const std::filesystem::path& file) {
    check_can_make_pictures(file);
}

void add_render_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("render", "Make pictures and films (not in this build)");
    command->allow_extras();
    command->callback([&run] { run = []() -> int { fail(ErrorCode::missing, "{}", remedy); }; });
}

}  // namespace turgor
