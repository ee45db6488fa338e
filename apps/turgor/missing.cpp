#include <CLI/CLI.hpp>

#include "base/errors.hpp"
#include "commands.hpp"

namespace turgor {

void add_missing_commands(CLI::App& app, Run& run) {
    struct Missing {
        const char *name, *about, *instead;
    };
    for (const Missing& missing :
         {Missing{"view", "Show a scene in a window (not in this build)",
                  "`turgor simulate SCENE --out FILE.glb` opens in any viewer"},
          Missing{"render", "Make pictures (not in this build)",
                  "`turgor simulate SCENE --out FILE.glb` opens in Blender"}}) {
        CLI::App* command = app.add_subcommand(missing.name, missing.about);
        command->allow_extras();
        command->callback([missing, &run] {
            run = [missing]() -> int {
                fail(ErrorCode::missing, "the command '{}' is not in this build; {}", missing.name,
                     missing.instead);
            };
        });
    }
}

}  // namespace turgor
