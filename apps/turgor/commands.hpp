#pragma once

#include <functional>

namespace CLI {
class App;
}

/// Every command of the program is a file of its own that adds itself to the command line. Chosen,
/// it leaves in `run` what is to be done; that returns the exit code.
namespace turgor {

using Run = std::function<int()>;

enum ExitCode { exit_done = 0, exit_bad_input = 2, exit_failed = 3 };

void add_simulate_command(CLI::App& app, Run& run);
void add_check_command(CLI::App& app, Run& run);
void add_solidify_command(CLI::App& app, Run& run);
void add_scenes_command(CLI::App& app, Run& run);
void add_devices_command(CLI::App& app, Run& run);
void add_validate_command(CLI::App& app, Run& run);
void add_bench_command(CLI::App& app, Run& run);
void add_render_command(CLI::App& app, Run& run);
void add_view_command(CLI::App& app, Run& run);

}  // namespace turgor
