#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>

#include "commands.hpp"
#include "turgor/error.hpp"

namespace {

using namespace turgor;

constexpr const char* about =
    "Soft bodies that keep their volume, from any closed triangle mesh.\n\n"
    "  turgor simulate                        the default demo\n"
    "  turgor simulate duck.obj --out duck.glb  drop a mesh of your own\n"
    "  turgor solidify tree.glb --out tree.vtu  tetrahedra of any mesh\n"
    "  turgor scenes                          what is built in\n";

/// Needs no memory: there may be none left.
int complain(const char* sentence, ExitCode code) noexcept {
    std::fprintf(stderr, "turgor: %s\n", sentence);
    return code;
}

std::string one_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

int complain_in_one_line(const char* text, ExitCode code) noexcept {
    try {
        return complain(one_line(text).c_str(), code);
    } catch (const std::bad_alloc&) {
        return complain(text, code);
    }
}

/// The deepest command that was named, for the hint where to read on.
std::string help_of(const CLI::App& app) {
    for (const CLI::App* sub : app.get_subcommands())
        return "turgor " + sub->get_name() + " --help";
    return "turgor --help";
}

ExitCode exit_code_of(const Error& error) {
    return error.code() == ErrorCode::failed || error.code() == ErrorCode::out_of_memory
               ? exit_failed
               : exit_bad_input;
}

int run_program(int count, char** words) {
    CLI::App app(about, "turgor");
    app.set_version_flag("--version", TURGOR_VERSION);
    app.require_subcommand(0, 1);
    app.get_formatter()->column_width(34);
    Run run = [&] {
        fmt::print("{}", app.help());
        return int{exit_done};
    };
    for (const auto add : {add_simulate_command, add_check_command, add_solidify_command,
                           add_scenes_command, add_devices_command, add_render_command,
                           add_view_command, add_validate_command, add_bench_command})
        add(app, run);
    try {
        app.parse(count, words);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        const std::string sentence = fmt::format("{}; see `{}`", one_line(e.what()), help_of(app));
        return complain(sentence.c_str(), exit_bad_input);
    }
    return run();
}

}  // namespace

int main(int count, char** words) {
    try {
        const int code = run_program(count, words);
        if (std::fflush(stdout) != 0 || std::ferror(stdout))
            return complain("cannot write to the standard output; is its disk full?",
                            exit_bad_input);
        return code;
    } catch (const Error& e) {
        return complain_in_one_line(e.what(), exit_code_of(e));
    } catch (const std::bad_alloc&) {
        return complain("there is not enough memory for this; use a smaller mesh or fewer bodies",
                        exit_failed);
    } catch (const std::exception& e) {
        return complain_in_one_line(e.what(), exit_failed);
    }
}
