// What a build without OpenCL has to say.
#include "base/errors.hpp"
#include "step/device_world.hpp"
#include "turgor/device.hpp"

namespace turgor {
namespace {

constexpr const char* not_in_build =
    "the opencl back end is not in this build: it needs the packages ocl-icd-opencl-dev and "
    "opencl-clhpp-headers";

}  // namespace

std::vector<DeviceInfo> list_devices(std::string* why) {
    if (why) *why = not_in_build;
    return {};
}

std::unique_ptr<DeviceWorld> make_device_world(const std::string&) {
    fail(ErrorCode::missing, "{}", not_in_build);
}

}  // namespace turgor
