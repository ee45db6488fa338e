#include "scene/read_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace turgor {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// Between two keys a path takes the short way round: further turns would silently be lost.
void require_short_way(const Node& before, const Node& after) {
    const auto degrees = [](const Node& key) -> double {
        if (!key.has("rotation")) return 0;
        const Node rotation = key["rotation"];
        if (!rotation.value.is_object()) return 0;
        return rotation["degrees"].value.get<double>();
    };
    const auto axis = [](const Node& key, Vec3 otherwise) {
        const bool given = key.has("rotation") && key["rotation"].value.is_object();
        return given ? read_direction(key["rotation"]["axis"]) : otherwise;
    };
    const Vec3 a = axis(before, axis(after, {})), b = axis(after, a);
    const double turn = degrees(after) * (dot(a, b) < 0 ? -1 : 1) - degrees(before);
    if (std::abs(dot(a, b)) > 0.999 && std::abs(turn) > 180)
        after["rotation"].fail(
            fmt::format("turns by {} degrees since the key before, but at most 180 can be told "
                        "apart; add keys in between",
                        std::abs(turn)));
}

}  // namespace

Vec3 read_vector(const Node& node) {
    return {node.value[0].get<double>(), node.value[1].get<double>(), node.value[2].get<double>()};
}

Vec3 read_direction(const Node& node) {
    const Vec3 v = read_vector(node);
    if (!(norm(v) > 1e-12)) node.fail("must not be zero: it is a direction");
    return normalized(v);
}

Quat read_rotation(const Node& node) {
    if (node.value.is_object())
        return Quat::about(read_direction(node["axis"]),
                           node.value.at("degrees").get<double>() * degree);
    const auto q = node.value.get<std::vector<double>>();
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-6)) node.fail("must not be zero: it is a quaternion [w, x, y, z]");
    return normalized(Quat{q[0], q[1], q[2], q[3]});
}

void read_vector(const Node& object, const char* key, Vec3& target) {
    if (object.has(key)) target = read_vector(object[key]);
}

void read_rotation(const Node& object, const char* key, Quat& target) {
    if (object.has(key)) target = read_rotation(object[key]);
}

Path read_path(const Node& node, const char* position) {
    Path path;
    node.get("loop", path.loop);
    node.get("smooth", path.smooth);
    const Node keys = node["keys"];
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Node key = keys[i];
        Path::Key read;
        key.get("time", read.time);
        read_vector(key, position, read.pose.position);
        read_rotation(key, "rotation", read.pose.rotation);
        if (i > 0 && !(read.time > path.keys.back().time))
            key["time"].fail("must be later than the key before");
        if (i > 0) require_short_way(keys[i - 1], key);
        path.keys.push_back(read);
    }
    return path;
}

}  // namespace turgor
