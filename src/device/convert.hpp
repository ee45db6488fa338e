#pragma once

#include "device/shared/device_body.h"
#include "turgor/math.hpp"

namespace turgor::device {

inline double3 to_device(Vec3 v) {
    return {v.x, v.y, v.z};
}
inline Vec3 from_device(const double3& v) {
    return {v.x, v.y, v.z};
}
inline Vec3 from_device(const float (&v)[3]) {
    return {v[0], v[1], v[2]};
}
inline PoseInput to_device(const Pose& pose) {
    const Quat& q = pose.rotation;
    return {to_device(pose.position), {q.w, q.x, q.y, q.z}};
}
/// Counts and places are 32-bit numbers on a device.
inline std::uint32_t narrow(std::size_t n) {
    return static_cast<std::uint32_t>(n);
}

}  // namespace turgor::device
