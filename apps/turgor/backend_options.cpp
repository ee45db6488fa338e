#include "backend_options.hpp"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <CLI/CLI.hpp>

#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "number_in.hpp"
#include "turgor/device.hpp"

namespace turgor {

void BackendOptions::add_to(CLI::App& command) {
    const char* const group = "Who does the work";
    command
        .add_option("--backend", backend,
                    "cpu (the default), reference (double precision, slow), opencl, or auto: a "
                    "graphics card\nif there is one, else cpu")
        ->check(CLI::IsMember({"auto", "reference", "cpu", "opencl"}))
        ->option_text("NAME")
        ->group(group);
    command.add_option("--device", device, "Of the opencl back end: a part of its name")
        ->option_text("NAME")
        ->group(group);
    command.add_option("--threads", threads, "Threads of the cpu back end; 0, the default: all")
        ->check(number_in(0, 256))
        ->option_text("N")
        ->group(group);
    command
        .add_option("--summation", summation,
                    "Of the cpu back end: fast, or naive for comparison; the bits are the same")
        ->check(CLI::IsMember({"fast", "naive"}))
        ->option_text("NAME")
        ->group(group);
    command
        .add_option("--bake-folder", bake_folder,
                    "Keep bakes there: the next run with the same meshes starts at once")
        ->option_text("FOLDER")
        ->group(group);
    command
        .add_option("--instructions", instructions,
                    "Of the cpu back end, for comparison: an instruction set, e.g. SSE4; the bits "
                    "are the same")
        ->option_text("NAME")
        ->group(group);
    command.add_flag("--never-sleep", never_sleep, "Simulate bodies at rest, too")->group(group);
}

namespace {

void use_instructions(const std::string& name) {
    std::vector<std::string> known;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        known.emplace_back(hwy::TargetName(target));
        if (known.back() == name) return hwy::SetSupportedTargetsForTest(target);
    }
    fail(ErrorCode::bad_argument, "this machine has no instruction set '{}'; it has {}", name,
         fmt::join(known, ", "));
}

Backend graphics_card_or_cpu(const std::string& wanted, std::vector<std::string>* notes) {
    std::string why;
    for (const DeviceInfo& device : list_devices(&why)) {
        if (device.name.find(wanted) == std::string::npos) continue;
        if (device.is_gpu && device.problem.empty()) return Backend::opencl;
        why = device.is_gpu ? fmt::format("'{}' cannot be used, {}", device.name, device.problem)
                            : "there is no graphics card that OpenCL knows";
        break;
    }
    if (notes) notes->push_back(why + ": the cpu back end does the work");
    return Backend::automatic;
}

}  // namespace

void BackendOptions::apply(WorldSettings& settings, std::vector<std::string>* notes) const {
    settings.backend = backend == "reference" ? Backend::reference
                       : backend == "cpu"     ? Backend::cpu
                       : backend == "opencl"  ? Backend::opencl
                       : backend == "auto"    ? graphics_card_or_cpu(device, notes)
                                              : Backend::automatic;
    settings.device = device;
    if (!device.empty() && settings.backend != Backend::opencl)
        fail(ErrorCode::bad_argument, "--device is for --backend opencl");
    if (!instructions.empty()) use_instructions(instructions);
    settings.threads = threads;
    settings.summation = summation == "naive" ? Summation::naive : Summation::fast;
    settings.sleeping = !never_sleep;
    settings.bake_folder = bake_folder;
    if (!bake_folder.empty()) check_can_write_folder(bake_folder);
    if (notes && backend == "reference" && threads > 1)
        notes->push_back(fmt::format(
            "the reference back end uses one thread, so --threads {} changes nothing", threads));
}

std::string_view name_of(Backend backend) {
    switch (backend) {
        case Backend::reference:
            return "reference";
        case Backend::cpu:
            return "cpu";
        case Backend::opencl:
            return "opencl";
        case Backend::automatic:
            break;
    }
    return "auto";
}

}  // namespace turgor
