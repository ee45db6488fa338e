#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "turgor/error.hpp"

namespace turgor {

/// Something that the opencl back end may run on: a graphics card, or a processor through PoCL.
struct DeviceInfo {
    std::string name, platform, driver;
    bool is_gpu = false;
    unsigned units = 0;      ///< that compute side by side
    std::size_t memory = 0;  ///< [bytes]
    std::string problem;     ///< why it cannot be used, one sentence; empty: it can
};

/// The devices of this machine, the one that is taken by default first. Empty where there is none;
/// then, and only then, `why` is told the reason in one sentence.
std::vector<DeviceInfo> list_devices(std::string* why = nullptr);

}  // namespace turgor
