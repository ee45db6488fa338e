#include "device/device.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/errors.hpp"
#include "kernels.hpp"
#include "model_kernels.hpp"

namespace turgor::device {
namespace {

constexpr const char* how_to_get_one =
    "a graphics driver brings one, or the package pocl-opencl-icd for the processor";

/// In the order in which they use each other.
constexpr const char* sources[] = {
    "prelude.cl",
    "constants.h",
    "device_body.h",
    "display_input.h",
    "device_contact.h",
    "collider_geometry_input.h",
    "work_group.cl",
    "rigid_system.cl",
    "rotation.cl",
    "vector.cl",
    "nearest_point.cl",
    "copy.cl",
    "passes.cl",
    "regions.cl",
    "volume.cl",
    "volume_solve.cl",
    "step.cl",
    "settle.cl",
    "detail.cl",
    "colliders.cl",
    "contact.cl",
    "collision_surface.cl",
    "surface_search.cl",
    "self_contact.cl",
    "near_features.cl",
    "contact_constraint.cl",
    "island.cl",
    "find_pairs.cl",
    "height_grid.cl",
    "triangle_tree.cl",
    "tree_search.cl",
    "collider_geometry.cl",
    "triangle_obstacles.cl",
    "triangle_contacts.cl",
};

template <class Value>
std::string trimmed(const Value& value) {
    std::string text(value.c_str());
    const auto is_space = [](unsigned char c) { return c <= ' '; };
    while (!text.empty() && is_space(static_cast<unsigned char>(text.back()))) text.pop_back();
    text.erase(text.begin(), std::ranges::find_if_not(text, is_space));
    return text;
}

struct Found {
    cl::Device device;
    DeviceInfo info;
};

std::string problem_with(const cl::Device& device) {
    if (!device.getInfo<CL_DEVICE_AVAILABLE>()) return "it is not available";
    if (!device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>()) return "it has no compiler for kernels";
    if (device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() == 0)
        return "it has no double precision (cl_khr_fp64)";
    if (device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>() < 32768)
        return "it has less than 32 KiB of local memory";
    return {};
}

DeviceInfo info_of(const cl::Device& device, const std::string& platform) {
    DeviceInfo info;
    info.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
    info.platform = platform;
    info.driver = trimmed(device.getInfo<CL_DRIVER_VERSION>());
    info.is_gpu = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_GPU) != 0;
    info.units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    info.memory = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    info.problem = problem_with(device);
    return info;
}

/// Graphics cards first, those with more units before others; what cannot be used at the end.
std::vector<Found> find_devices() {
    std::vector<Found> found;
    try {
        std::vector<cl::Platform> platforms;
        cl::Platform::get(&platforms);
        for (const cl::Platform& platform : platforms) {
            std::vector<cl::Device> devices;
            try {
                platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
            } catch (const cl::Error&) {
                continue;  // a driver without a device
            }
            for (const cl::Device& device : devices)
                found.push_back(
                    {device, info_of(device, trimmed(platform.getInfo<CL_PLATFORM_NAME>()))});
        }
    } catch (const cl::Error&) {
        // No driver at all.
    }
    std::ranges::stable_sort(found, [](const Found& a, const Found& b) {
        const auto rank = [](const DeviceInfo& i) {
            return std::tuple(i.problem.empty(), i.is_gpu, i.units);
        };
        return rank(a.info) > rank(b.info);
    });
    return found;
}

Found choose(const std::string& wanted) {
    const std::vector<Found> found = find_devices();
    if (found.empty())
        fail(ErrorCode::missing, "there is no OpenCL device on this machine: {}", how_to_get_one);
    for (const Found& f : found) {
        if (f.info.name.find(wanted) == std::string::npos) continue;
        if (f.info.problem.empty()) return f;
        fail(ErrorCode::missing, "the OpenCL device '{}' cannot be used: {}", f.info.name,
             f.info.problem);
    }
    std::vector<std::string> names;
    for (const Found& f : found) names.push_back("'" + f.info.name + "'");
    fail(ErrorCode::bad_argument, "there is no OpenCL device with '{}' in its name; there is {}",
         wanted, fmt::join(names, ", "));
}

/// A processor runs a work-group as a loop: one work-item, and the loop is ours. A graphics card
/// hides its waits with many. TURGOR_OPENCL_GROUP says otherwise, for tuning and for tests.
GroupSizes sizes_for(const cl::Device& device) {
    const bool is_cpu = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
    GroupSizes sizes = is_cpu ? GroupSizes{1, 1} : GroupSizes{256, 32};
    if (const char* wanted = std::getenv("TURGOR_OPENCL_GROUP")) {
        const int items = std::atoi(wanted);
        if (items < 1 || items > 256 || !std::has_single_bit(static_cast<unsigned>(items)))
            fail(ErrorCode::bad_argument,
                 "TURGOR_OPENCL_GROUP is '{}' but must be a power of two from 1 to 256", wanted);
        sizes = {static_cast<unsigned>(items), std::min(32u, static_cast<unsigned>(items))};
    }
    const std::size_t most = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
    while (sizes.blocks > most) sizes.blocks /= 2;
    sizes.bodies = std::min(sizes.bodies, sizes.blocks);
    return sizes;
}

cl::Program compile(const cl::Context& context, const cl::Device& device, const std::string& name,
                    const GroupSizes& sizes) {
    cl::Program program(context, kernel_sources());
    try {
        program.build({device}, fmt::format("-cl-std=CL1.2 -DGROUP={} -DBODY_GROUP={}",
                                            sizes.blocks, sizes.bodies)
                                    .c_str());
    } catch (const cl::Error&) {
        fail(ErrorCode::failed, "the compiler of the OpenCL device '{}' refuses our kernels:\n{}",
             name, trimmed(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device)));
    }
    return program;
}

}  // namespace

std::string kernel_sources() {
    std::string text;
    const auto add = [&](std::string_view name, std::string_view its_text) {
        text += fmt::format("#line 1 \"{}\"\n", name);
        text += its_text;
    };
    for (const char* name : sources) add(name, text_of(kernels(), name));
    for (const EmbeddedFile& file : model_kernels()) add(file.name, file.text);
    return text;
}

void rethrow(const cl::Error& error, const std::string& device) {
    switch (error.err()) {
        case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        case CL_OUT_OF_RESOURCES:
        case CL_OUT_OF_HOST_MEMORY:
        case CL_INVALID_BUFFER_SIZE:
            fail(ErrorCode::out_of_memory,
                 "the OpenCL device '{}' has not enough memory for this world; use fewer particles "
                 "or the cpu back end",
                 device);
        case CL_DEVICE_NOT_AVAILABLE:
        case CL_INVALID_COMMAND_QUEUE:
            fail(ErrorCode::failed, "the OpenCL device '{}' was lost", device);
        default:
            fail(ErrorCode::failed, "the OpenCL device '{}' failed: {} says {}", device,
                 error.what(), error.err());
    }
}

Device::Device(cl::Device device, const GroupSizes& sizes)
    : device_(std::move(device)),
      name_(trimmed(device_.getInfo<CL_DEVICE_NAME>())),
      groups_(sizes),
      largest_buffer_(device_.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()),
      context_(device_),
      program_(compile(context_, device_, name_, sizes)) {}

std::shared_ptr<Device> Device::open(const std::string& wanted) {
    const Found found = choose(wanted);
    const GroupSizes chosen = sizes_for(found.device);
    static std::mutex mutex;
    static std::map<std::tuple<std::string, unsigned, unsigned>, std::weak_ptr<Device>> open_ones;
    const std::scoped_lock lock(mutex);
    auto& kept = open_ones[{found.info.name, chosen.blocks, chosen.bodies}];
    auto device = kept.lock();
    try {
        if (!device) kept = device = std::make_shared<Device>(found.device, chosen);
    } catch (const cl::Error& error) {
        rethrow(error, found.info.name);
    }
    return device;
}

Queue::Queue(std::shared_ptr<Device> device)
    : device_(std::move(device)), commands_(device_->context(), CL_QUEUE_PROFILING_ENABLE) {}

void Queue::wait() {
    const auto start = std::chrono::steady_clock::now();
    commands_.finish();
    waited_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void Queue::launch(Kernel& kernel, Stage stage, std::size_t groups, unsigned items,
                   std::size_t bytes) {
    Running running{&kernel, stage, {}};
    commands_.enqueueNDRangeKernel(kernel.kernel, cl::NullRange, cl::NDRange(groups * items),
                                   cl::NDRange(items), nullptr, &running.event);
    running_.push_back(std::move(running));
    kernel.done.bytes = bytes;
}

void Queue::note_times(std::array<double, stage_names.size()>& by_stage) {
    for (const auto& [kernel, stage, event] : running_) {
        const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
        const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
        const double ms = static_cast<double>(end - start) * 1e-6;
        ++kernel->done.launches;
        kernel->done.milliseconds += ms;
        by_stage[static_cast<std::size_t>(stage)] += ms;
    }
    running_.clear();
}

}  // namespace turgor::device

namespace turgor {

std::vector<DeviceInfo> list_devices(std::string* why) {
    std::vector<DeviceInfo> infos;
    for (const auto& found : device::find_devices()) infos.push_back(found.info);
    if (infos.empty() && why)
        *why = fmt::format("there is no OpenCL device: {}", device::how_to_get_one);
    return infos;
}

}  // namespace turgor
