#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"

namespace turgor {
namespace {

struct Device {
    const char *name, *about;
    bool available;
};

constexpr Device backends[] = {
    {"reference", "double precision, one thread, written for reading", true},
    {"cpu", "single precision with SIMD and threads, the default", true},
    {"opencl", "GPU: not in this build", false}};

int list_devices(bool json) {
    if (!json) {
        for (const Device& b : backends)
            fmt::print("{:<10} {:<12} {}\n", b.name, b.available ? "available" : "missing",
                       b.about);
        return exit_done;
    }
    auto list = nlohmann::ordered_json::array();
    for (const Device& b : backends)
        list.push_back({{"backend", b.name}, {"available", b.available}, {"description", b.about}});
    fmt::print("{}\n", list.dump(2));
    return exit_done;
}

}  // namespace

void add_devices_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("devices", "What this build can run on");
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "As JSON");
    command->callback([json, &run] { run = [json] { return list_devices(*json); }; });
}

}  // namespace turgor
