#include "backend_options.hpp"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <CLI/CLI.hpp>

#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "number_in.hpp"

namespace turgor {

void BackendOptions::add_to(CLI::App& command) {
    const char* const group = "Who does the work";
    command
        .add_option("--backend", backend,
                    "auto, reference (double precision, slow), cpu or opencl; auto is cpu where it "
                    "knows the formulation")
        ->check(CLI::IsMember({"auto", "reference", "cpu", "opencl"}))
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

}  // namespace

void BackendOptions::apply(WorldSettings& settings, std::vector<std::string>* notes) const {
    if (backend == "opencl")
        fail(ErrorCode::missing, "the back end 'opencl' is not in this build; use --backend cpu");
    settings.backend = backend == "reference" ? Backend::reference
                       : backend == "cpu"     ? Backend::cpu
                                              : Backend::automatic;
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
    return backend == Backend::reference ? "reference" : backend == Backend::cpu ? "cpu" : "auto";
}

}  // namespace turgor
