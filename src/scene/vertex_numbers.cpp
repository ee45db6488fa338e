#include "scene/vertex_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "mesh/vertex_values.hpp"

namespace turgor {
namespace {

using Follow = VertexNumbers::Follow;

constexpr std::array<std::string_view, 4> colour_names{"red", "green", "blue", "brightness"};
constexpr std::array<std::string_view, 3> axis_names{"x", "y", "z"};

std::size_t place_of(const std::string& name, std::span<const std::string_view> names) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

double share_of_colour(Vec3f colour, std::size_t channel) {
    const std::array<double, 3> parts{colour.x, colour.y, colour.z};
    return channel < 3 ? parts[channel] : (parts[0] + parts[1] + parts[2]) / 3;
}

/// How far each vertex is on the way from 0 to 1.
std::vector<double> shares(const VertexNumbers& numbers, const Mesh& mesh) {
    std::vector<double> all;
    if (numbers.follow == Follow::colour) {
        if (mesh.colours.empty())
            fail(ErrorCode::bad_scene,
                 "the vertices of the mesh have no colours that can be used ('turgor check' says "
                 "whether the file has any, and what is wrong with them); give \"along\" or a list "
                 "of numbers, or a mesh with colours from 0 to 1 (OBJ, PLY, glTF or GLB)");
        for (const Vec3f c : mesh.colours) all.push_back(share_of_colour(c, numbers.channel));
        return all;
    }
    const Bounds box = bounds(mesh);
    const int axis = static_cast<int>(numbers.channel);
    for (const Vec3& p : mesh.vertices)
        all.push_back((p[axis] - box.lower[axis]) / (box.upper[axis] - box.lower[axis]));
    return all;
}

std::vector<double> numbers_of(const VertexNumbers& numbers, const Mesh& mesh) {
    if (numbers.follow == Follow::list) {
        if (numbers.list.size() != mesh.vertices.size())
            fail(ErrorCode::bad_scene, "there are {} numbers, but the mesh has {} vertices",
                 numbers.list.size(), mesh.vertices.size());
        return numbers.list;
    }
    std::vector<double> all = shares(numbers, mesh);
    const auto [least, most] = std::minmax(numbers.from, numbers.to);
    for (double& t : all) t = std::clamp((1 - t) * numbers.from + t * numbers.to, least, most);
    return all;
}

}  // namespace

VertexNumbers read_vertex_numbers(const Node& node) {
    VertexNumbers numbers;
    numbers.where = node.at;
    if (node.value.is_array()) {
        numbers.list = node.value.get<std::vector<double>>();
        return numbers;
    }
    const bool by_colour = node.has("colour");
    if (by_colour == node.has("along"))
        node.fail("must have either \"colour\" or \"along\": what the numbers follow");
    numbers.follow = by_colour ? Follow::colour : Follow::axis;
    numbers.channel = by_colour ? place_of(node["colour"].value.get<std::string>(), colour_names)
                                : place_of(node["along"].value.get<std::string>(), axis_names);
    node.get("from", numbers.from);
    node.get("to", numbers.to);
    return numbers;
}

std::vector<double> numbers_for(const VertexNumbers& numbers, const Mesh& fine,
                                const Mesh& simulated) {
    const std::vector<double> of_fine = numbers_of(numbers, fine);
    if (&fine == &simulated) return of_fine;
    const auto [least, most] = std::ranges::minmax(of_fine);
    std::vector<double> all = values_on<double>(simulated, fine, of_fine);
    for (double& number : all) number = std::clamp(number, least, most);
    return all;
}

}  // namespace turgor
