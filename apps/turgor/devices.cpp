#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "turgor/device.hpp"

namespace turgor {
namespace {

using Json = nlohmann::ordered_json;

struct BackendLine {
    const char *name, *about;
};
constexpr BackendLine built_in[] = {
    {"cpu", "single precision with SIMD and threads, the default"},
    {"reference", "double precision, one thread, written for reading"}};

void print_line(std::string_view name, bool available, std::string_view about) {
    fmt::print("{:<10} {:<12} {}\n", name, available ? "available" : "missing", about);
}

std::string about(const DeviceInfo& d) {
    if (!d.problem.empty()) return fmt::format("{}: {}", d.name, d.problem);
    return fmt::format("{} ({}, {}, {} units, {:.1f} GB)", d.name, d.is_gpu ? "GPU" : "processor",
                       d.platform, d.units, static_cast<double>(d.memory) * 1e-9);
}

int print_devices(bool json) {
    std::string why;
    const std::vector<DeviceInfo> devices = list_devices(&why);
    if (!json) {
        for (const BackendLine& b : built_in) print_line(b.name, true, b.about);
        for (const DeviceInfo& d : devices) print_line("opencl", d.problem.empty(), about(d));
        if (devices.empty()) print_line("opencl", false, why);
        return exit_done;
    }
    Json list = Json::array();
    for (const BackendLine& b : built_in)
        list.push_back({{"backend", b.name}, {"available", true}, {"description", b.about}});
    for (const DeviceInfo& d : devices)
        list.push_back({{"backend", "opencl"},
                        {"available", d.problem.empty()},
                        {"description", about(d)},
                        {"device", d.name},
                        {"platform", d.platform},
                        {"driver", d.driver},
                        {"gpu", d.is_gpu},
                        {"units", d.units},
                        {"memory_bytes", d.memory}});
    if (devices.empty())
        list.push_back({{"backend", "opencl"}, {"available", false}, {"description", why}});
    fmt::print("{}\n", list.dump(2));
    return exit_done;
}

}  // namespace

void add_devices_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("devices", "What this build can run on");
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "As JSON");
    command->callback([json, &run] { run = [json] { return print_devices(*json); }; });
}

}  // namespace turgor
