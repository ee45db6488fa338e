#include "scene/read_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace turgor {
namespace {

SphereShape read_sphere(const Node& n) {
    SphereShape s;
    n.get("radius", s.radius);
    n.get("segments", s.segments);
    n.get("rings", s.rings);
    return s;
}

IcosphereShape read_icosphere(const Node& n) {
    IcosphereShape s;
    n.get("radius", s.radius);
    n.get("subdivisions", s.subdivisions);
    return s;
}

TorusShape read_torus(const Node& n) {
    TorusShape s;
    n.get("ring_radius", s.ring_radius);
    n.get("tube_radius", s.tube_radius);
    n.get("major", s.major);
    n.get("minor", s.minor);
    if (!(s.tube_radius < s.ring_radius))
        n.fail(fmt::format("the tube_radius {} must be less than the ring_radius {}", s.tube_radius,
                           s.ring_radius));
    return s;
}

CubeShape read_cube(const Node& n) {
    CubeShape s;
    n.get("side", s.side);
    n.get("points", s.points);
    return s;
}

BarShape read_bar(const Node& n) {
    BarShape s;
    read_vector(n, "size", s.size);
    n.get("points", s.points);
    n.get("rounding", s.rounding);
    const double most = 0.5 * std::min({s.size.x, s.size.y, s.size.z});
    if (s.rounding > most)
        n.fail(fmt::format("the rounding {} must be at most {}, half the shortest side", s.rounding,
                           most));
    return s;
}

CapsuleShape read_capsule(const Node& n) {
    CapsuleShape s;
    n.get("radius", s.radius);
    n.get("height", s.height);
    n.get("segments", s.segments);
    if (s.height < 2 * s.radius)
        n.fail(
            fmt::format("the height {} must be at least twice the radius {}", s.height, s.radius));
    return s;
}

CharacterShape read_character(const Node& n, CharacterShape::Who who) {
    CharacterShape s;
    s.who = who;
    n.get("height", s.height);
    n.get("vertices", s.vertices);
    return s;
}

TreeShape read_tree(const Node& n) {
    TreeShape s;
    n.get("height", s.height);
    n.get("leaves", s.leaves);
    return s;
}

BrokenBunnyShape read_broken_bunny(const Node& n) {
    BrokenBunnyShape s;
    n.get("height", s.height);
    n.get("vertices", s.vertices);
    n.get("holes", s.holes);
    return s;
}

CakeShape read_cake(const Node& n) {
    CakeShape s;
    n.get("width", s.width);
    return s;
}

PackageShape read_package(const Node& n) {
    PackageShape s;
    n.get("package", s.package);
    n.get("archive", s.archive);
    n.get("member", s.member);
    if (!s.archive.starts_with("/usr/share/") || s.archive.find("..") != std::string::npos)
        n["archive"].fail("must be below /usr/share/, where packages put such things");
    return s;
}

}  // namespace

std::filesystem::path read_file_name(const Node& node) {
    const std::filesystem::path file = node.value.get<std::string>();
    const std::filesystem::path folder = std::filesystem::path(node.source).parent_path();
    return file.is_absolute() ? file : folder / file;
}

Shape read_shape(const Node& node) {
    const std::string kind = node.only_key();
    const Node shape = node[kind.c_str()];
    if (kind == "sphere") return read_sphere(shape);
    if (kind == "icosphere") return read_icosphere(shape);
    if (kind == "torus") return read_torus(shape);
    if (kind == "cube") return read_cube(shape);
    if (kind == "bar") return read_bar(shape);
    if (kind == "capsule") return read_capsule(shape);
    if (kind == "gummy_bear") return read_character(shape, CharacterShape::Who::gummy_bear);
    if (kind == "rubber_duck") return read_character(shape, CharacterShape::Who::rubber_duck);
    if (kind == "shoe") return read_character(shape, CharacterShape::Who::shoe);
    if (kind == "tree") return read_tree(shape);
    if (kind == "broken_bunny") return read_broken_bunny(shape);
    if (kind == "cake") return read_cake(shape);
    if (kind == "mesh") return FileShape{read_file_name(shape)};
    return read_package(shape);
}

}  // namespace turgor
