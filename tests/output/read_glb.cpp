#include <cmath>
#include <cstring>

#include "output/reader_rules.hpp"
#include "output/readers.hpp"

namespace readers {

namespace fs = std::filesystem;
using nlohmann::json;

Glb::Glb(const fs::path& file) {
    split(read_text(file));
    check_views();
    for (const json& node : json_.at("scenes").at(json_.at("scene").get<std::size_t>()).at("nodes"))
        read_mesh(json_.at("nodes").at(node.get<std::size_t>()));
    if (json_.contains("animations"))
        read_animation();
    else
        times_ = {0};
}

void Glb::split(std::string_view file) {
    const std::size_t total = file.size();
    require(take<std::uint32_t>(file) == 0x46546c67 && take<std::uint32_t>(file) == 2,
            "magic and version");
    require(take<std::uint32_t>(file) == total, "the length is that of the file");
    const auto json_size = take<std::uint32_t>(file);
    require(json_size % 4 == 0 && take<std::uint32_t>(file) == 0x4e4f534a,
            "the first chunk is JSON");
    json_ = json::parse(file.substr(0, json_size));
    file.remove_prefix(json_size);
    const auto binary_size = take<std::uint32_t>(file);
    require(binary_size % 4 == 0 && take<std::uint32_t>(file) == 0x004e4942,
            "the second chunk is binary");
    require(file.size() == binary_size, "the chunk is the rest of the file");
    binary_ = file;
    require(json_.at("asset").at("version") == "2.0", "asset.version");
}

void Glb::check_views() const {
    require(json_.at("buffers").size() == 1, "one buffer");
    const auto length = json_["buffers"][0].at("byteLength").get<std::size_t>();
    require(length <= binary_.size() && binary_.size() - length < 4, "the buffer is the chunk");
    for (const json& view : json_.at("bufferViews")) {
        require(view.at("buffer") == 0 && view.at("byteLength") >= 1, "a view has bytes");
        require(
            view.value("byteOffset", std::size_t{0}) + view.at("byteLength").get<std::size_t>() <=
                length,
            "a view lies in the buffer");
    }
}

std::string_view Glb::bytes(std::size_t index, std::string_view type, int component) const {
    const json& accessor = json_.at("accessors").at(index);
    require(accessor.at("type") == type && accessor.at("componentType") == component,
            "the type of an accessor");
    const json& view = json_.at("bufferViews").at(accessor.at("bufferView").get<std::size_t>());
    const std::size_t size = type == "VEC3" ? 12 : 4;
    require(view.value("byteStride", size) == size, "numbers are tightly packed");
    const auto count = accessor.at("count").get<std::size_t>();
    const auto offset = accessor.value("byteOffset", std::size_t{0});
    const auto begin = view.value("byteOffset", std::size_t{0}) + offset;
    require(count >= 1, "an accessor has elements");
    require(begin % 4 == 0 && offset % 4 == 0, "numbers are aligned");
    require(offset + count * size <= view.at("byteLength").get<std::size_t>(),
            "an accessor lies in its view");
    return std::string_view(binary_).substr(begin, count * size);
}

template <class T>
std::vector<T> Glb::values(std::size_t index, std::string_view type, int component) const {
    const std::string_view source = bytes(index, type, component);
    std::vector<T> result(source.size() / sizeof(T));
    std::memcpy(result.data(), source.data(), source.size());
    return result;
}

std::vector<Point> Glb::points(std::size_t index, bool needs_bounds) const {
    std::vector<Point> result = values<Point>(index, "VEC3", 5126);
    if (!needs_bounds) return result;
    const json& accessor = json_["accessors"][index];
    for (std::size_t k = 0; k < 3; ++k) {
        float low = result[0][k], high = low;
        for (const Point& p : result) low = std::min(low, p[k]), high = std::max(high, p[k]);
        require(accessor.at("min").at(k).get<float>() == low, "min is exact");
        require(accessor.at("max").at(k).get<float>() == high, "max is exact");
    }
    return result;
}

void Glb::read_mesh(const json& node) {
    const json& source = json_.at("meshes").at(node.at("mesh").get<std::size_t>());
    require(source.at("primitives").size() == 1, "one primitive");
    const json& primitive = source["primitives"][0];
    const int mode = primitive.value("mode", 4);
    require(mode == 4 || mode == 0, "triangles or points");
    const bool is_points = mode == 0;
    Mesh mesh;
    mesh.base.name = node.at("name");
    mesh.base.positions = points(primitive.at("attributes").at("POSITION"), true);
    require(primitive.at("attributes").contains("NORMAL") != is_points, "points have no normals");
    if (!is_points) mesh.base.normals = points(primitive["attributes"].at("NORMAL"), false);
    for (const Point& n : mesh.base.normals)
        require(std::abs(std::hypot(n[0], n[1], n[2]) - 1) < 1e-5f, "normals are unit");
    mesh.base.triangles = [&] {
        const auto flat = values<std::uint32_t>(primitive.at("indices"), "SCALAR", 5125);
        if (is_points) {
            require(flat.size() == mesh.base.positions.size(), "each point once");
            for (std::uint32_t i = 0; i < flat.size(); ++i) require(flat[i] == i, "in order");
            return std::vector<Corners>{};
        }
        require(flat.size() % 3 == 0, "whole triangles");
        std::vector<Corners> triangles(flat.size() / 3);
        std::memcpy(triangles.data(), flat.data(), flat.size() * 4);
        return triangles;
    }();
    for (const Corners& triangle : mesh.base.triangles)
        for (const std::uint32_t corner : triangle)
            require(corner < mesh.base.positions.size(), "indices are in range");
    const json& material = json_.at("materials").at(primitive.at("material").get<std::size_t>());
    const json& colour = material.at("pbrMetallicRoughness").at("baseColorFactor");
    for (std::size_t k = 0; k < 3; ++k) mesh.base.colour[k] = colour.at(k);
    if (primitive.contains("targets")) {
        for (const json& target : primitive["targets"]) {
            mesh.positions.push_back(points(target.at("POSITION"), true));
            mesh.normals.emplace_back();
            if (!is_points) mesh.normals.back() = points(target.at("NORMAL"), false);
            require(mesh.positions.back().size() == mesh.base.positions.size(),
                    "a target has as many points as its mesh");
        }
        require(source.at("weights").size() == mesh.positions.size(), "one weight per target");
        require(source.at("extras").at("targetNames").size() == mesh.positions.size(),
                "one name per target");
    }
    meshes_.push_back(std::move(mesh));
}

void Glb::read_animation() {
    require(json_["animations"].size() == 1, "one animation");
    const json& animation = json_["animations"][0];
    require(animation.at("channels").size() == meshes_.size(), "every body is animated");
    std::vector<bool> seen(meshes_.size(), false);
    for (const json& channel : animation["channels"]) {
        require(channel.at("target").at("path") == "weights", "the path");
        const auto node = channel["target"].at("node").get<std::size_t>();
        require(!seen.at(node), "a node is animated once");
        seen[node] = true;
        const json& sampler = animation.at("samplers").at(channel.at("sampler").get<std::size_t>());
        require(sampler.value("interpolation", "LINEAR") == "LINEAR", "the interpolation");
        times_ = values<float>(sampler.at("input"), "SCALAR", 5126);
        weights_ = values<float>(sampler.at("output"), "SCALAR", 5126);
        const json& input = json_["accessors"].at(sampler["input"].get<std::size_t>());
        require(input.at("min")[0].get<float>() == times_.front(), "the first time is min");
        require(input.at("max")[0].get<float>() == times_.back(), "the last time is max");
    }
    for (std::size_t k = 1; k < times_.size(); ++k)
        require(times_[k] > times_[k - 1] && times_[0] >= 0, "times grow");
    for (const Mesh& mesh : meshes_)
        require(weights_.size() == times_.size() * mesh.positions.size(), "a weight each");
}

Frame Glb::at(float time) const {
    std::size_t key = 0;
    while (key + 1 < times_.size() && times_[key + 1] <= time) ++key;
    const bool last = key + 1 == times_.size();
    const float blend = last ? 0 : (time - times_[key]) / (times_[key + 1] - times_[key]);
    Frame frame;
    for (const Mesh& mesh : meshes_) {
        Body body = mesh.base;
        const std::size_t targets = mesh.positions.size();
        for (std::size_t t = 0; t < targets; ++t) {
            const float here = weights_[key * targets + t];
            const float next = last ? here : weights_[(key + 1) * targets + t];
            const float weight = (1 - blend) * here + blend * next;
            if (weight == 0) continue;
            for (std::size_t v = 0; v < body.positions.size(); ++v)
                for (std::size_t k = 0; k < 3; ++k) {
                    body.positions[v][k] += weight * mesh.positions[t][v][k];
                    if (!body.normals.empty()) body.normals[v][k] += weight * mesh.normals[t][v][k];
                }
        }
        frame.push_back(std::move(body));
    }
    return frame;
}

}  // namespace readers
