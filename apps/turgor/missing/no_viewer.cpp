#include <CLI/CLI.hpp>

#include "../commands.hpp"
#include "base/errors.hpp"

namespace turgor {

void add_view_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("view", "Show a scene in a window (not in this build)");
    command->allow_extras();
    command->callback([&run] {
        run = []() -> int {
            fail(ErrorCode::missing,
                 "this build has no viewer, for libglfw3-dev, libimgui-dev or what the renderer "
                 "needs was missing; `./run view …` installs them and builds it");
        };
    });
}

}  // namespace turgor
