#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "commands.hpp"
#include "pictures.hpp"

namespace turgor {
namespace {

struct Device {
    const char* name;
    std::string about;
    bool available;
};

const Device backends[] = {{"reference", "double precision, one thread, written for reading", true},
                           {"cpu", "single precision with SIMD and threads, the default", true},
                           {"opencl", "GPU: not in this build", false}};

Device renderer() {
    Status status;
    const std::string who = guarded(status, who_draws_pictures);
    return {"pictures", status ? "OpenGL: " + who : status.message, status.ok()};
}

void print_line(const Device& device) {
    fmt::print("{:<10} {:<12} {}\n", device.name, device.available ? "available" : "missing",
               device.about);
}

int list_devices(bool json) {
    const Device drawing = renderer();
    if (!json) {
        for (const Device& b : backends) print_line(b);
        print_line(drawing);
        return exit_done;
    }
    auto list = nlohmann::ordered_json::array();
    for (const Device& b : backends)
        list.push_back({{"backend", b.name}, {"available", b.available}, {"description", b.about}});
    list.push_back({{"renderer", drawing.name},
                    {"available", drawing.available},
                    {"description", drawing.about}});
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
