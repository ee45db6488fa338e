#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "commands.hpp"
#include "pictures.hpp"
#include "turgor/device.hpp"

namespace turgor {
namespace {

using Json = nlohmann::ordered_json;

struct Line {
    std::string name, about;
    bool available = true;
    Json more = Json::object();  ///< of a device
};

Line line_of(const DeviceInfo& d) {
    const std::string about = d.problem.empty()
                                  ? fmt::format("{} ({}, {}, {} units, {:.1f} GB)", d.name,
                                                d.is_gpu ? "GPU" : "processor", d.platform, d.units,
                                                static_cast<double>(d.memory) * 1e-9)
                                  : fmt::format("{}: {}", d.name, d.problem);
    return {"opencl",
            about,
            d.problem.empty(),
            {{"device", d.name},
             {"platform", d.platform},
             {"driver", d.driver},
             {"gpu", d.is_gpu},
             {"units", d.units},
             {"memory_bytes", d.memory}}};
}

std::vector<Line> backends() {
    std::vector<Line> lines{{"cpu", "single precision with SIMD and threads, the default"},
                            {"reference", "double precision, one thread, written for reading"}};
    std::string why;
    for (const DeviceInfo& device : list_devices(&why)) lines.push_back(line_of(device));
    if (!why.empty()) lines.push_back({"opencl", why, false});
    return lines;
}

Line renderer() {
    Status status;
    const std::string who = guarded(status, who_draws_pictures);
    return {"pictures", status ? "OpenGL: " + who : status.message, status.ok()};
}

int print_devices(bool json) {
    const std::vector<Line> workers = backends();
    const Line drawing = renderer();
    if (json) {
        Json list = Json::array();
        const auto add = [&](const char* kind, const Line& line) {
            Json entry{
                {kind, line.name}, {"available", line.available}, {"description", line.about}};
            entry.update(line.more);
            list.push_back(entry);
        };
        for (const Line& line : workers) add("backend", line);
        add("renderer", drawing);
        fmt::print("{}\n", list.dump(2));
        return exit_done;
    }
    const auto print = [](const Line& line) {
        fmt::print("{:<10} {:<12} {}\n", line.name, line.available ? "available" : "missing",
                   line.about);
    };
    for (const Line& line : workers) print(line);
    print(drawing);
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
