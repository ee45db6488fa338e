#include "output/glb_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

namespace turgor {

namespace {

constexpr int float_type = 5126, uint32_type = 5125;

template <class... Args>
void add(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

/// Lists here are never empty, and every item ends with a comma.
void end_list(std::string& text) {
    text.back() = ']';
}

std::string json_string(const std::string& text) {
    return nlohmann::json(text).dump();
}

void add_vectors_accessor(std::string& text, std::size_t view, std::uint64_t offset,
                          std::size_t count, std::string_view bounds) {
    add(text,
        R"({{"bufferView":{},"byteOffset":{},"componentType":{},"count":{},"type":"VEC3"{}}},)",
        view, offset, float_type, count, bounds);
}

/// Points have no normals.
std::string attributes(std::size_t positions, bool points) {
    return fmt::format(R"("POSITION":{})", positions) +
           (points ? "" : fmt::format(R"(,"NORMAL":{})", positions + 1));
}

std::string min_and_max(const Box3f& box) {
    const auto [a, b] = box;
    return fmt::format(R"(,"min":[{},{},{}],"max":[{},{},{}])", a.x, a.y, a.z, b.x, b.y, b.z);
}

}  // namespace

std::uint64_t GlbDocument::index_bytes() const {
    std::uint64_t bytes = 0;
    for (const GlbBody& body : bodies) bytes += 4 * std::uint64_t{body.indices()};
    return bytes;
}

std::uint64_t GlbDocument::frame_bytes() const {
    std::uint64_t bytes = 0;
    for (const GlbBody& body : bodies) bytes += 24 * std::uint64_t{body.vertices};
    return bytes;
}

GlbSize GlbDocument::size_with(std::size_t frame_count) const {
    const std::uint64_t n = frame_count;
    const std::uint64_t animation = n > 1 ? 4 * n + 4 * n * (n - 1) : 0;
    // Generous for the longest numbers: two accessors, a target, its name and its weight per frame
    // and body.
    std::uint64_t json = 1000 + 150 * n + 600 * n * bodies.size();
    for (const GlbBody& body : bodies) json += 1000 + 3 * json_string(body.name).size();
    return {index_bytes() + n * frame_bytes() + animation, json};
}

std::size_t GlbDocument::positions_accessor(std::size_t frame, std::size_t body) const {
    return bodies.size() + 2 * (frame * bodies.size() + body);
}

std::string GlbDocument::json() const {
    std::string text = R"({"asset":{"version":"2.0","generator":"Turgor"},"scene":0)";
    add_nodes(text);
    add_materials(text);
    add_meshes(text);
    add_accessors(text);
    add_views(text);
    if (is_animated()) add_animation(text);
    add(text, R"(,"buffers":[{{"byteLength":{}}}]}})", binary_bytes());
    return text;
}

void GlbDocument::add_nodes(std::string& text) const {
    text += R"(,"scenes":[{"nodes":[)";
    for (std::size_t i = 0; i < bodies.size(); ++i) add(text, "{},", i);
    end_list(text);
    text += R"(}],"nodes":[)";
    for (std::size_t i = 0; i < bodies.size(); ++i)
        add(text, R"({{"name":{},"mesh":{}}},)", json_string(bodies[i].name), i);
    end_list(text);
}

void GlbDocument::add_materials(std::string& text) const {
    const auto channel = [](float c) { return std::clamp(c, 0.0f, 1.0f); };
    text += R"(,"materials":[)";
    for (const GlbBody& body : bodies)
        add(text,
            R"({{"name":{},"pbrMetallicRoughness":{{"baseColorFactor":[{},{},{},1],)"
            R"("metallicFactor":0,"roughnessFactor":0.4}}}},)",
            json_string(body.name), channel(body.colour.x), channel(body.colour.y),
            channel(body.colour.z));
    end_list(text);
}

void GlbDocument::add_meshes(std::string& text) const {
    text += R"(,"meshes":[)";
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const std::size_t positions = positions_accessor(0, i);
        const bool points = bodies[i].triangles == 0;
        add(text, R"({{"name":{},"primitives":[{{"attributes":{{{}}},)",
            json_string(bodies[i].name), attributes(positions, points));
        add(text, R"("indices":{},"material":{}{})", i, i, points ? R"(,"mode":0)" : "");
        if (is_animated())
            add_morph_targets(text, i);
        else
            text += "}]";
        text += "},";
    }
    end_list(text);
}

void GlbDocument::add_morph_targets(std::string& text, std::size_t body) const {
    text += R"(,"targets":[)";
    for (std::size_t frame = 1; frame < frames(); ++frame) {
        const std::size_t positions = positions_accessor(frame, body);
        add(text, "{{{}}},", attributes(positions, bodies[body].triangles == 0));
    }
    end_list(text);
    text += R"(}],"weights":[)";
    for (std::size_t frame = 1; frame < frames(); ++frame) text += "0,";
    end_list(text);
    text += R"(,"extras":{"targetNames":[)";
    for (std::size_t frame = 1; frame < frames(); ++frame) add(text, R"("frame_{:05}",)", frame);
    end_list(text);
    text += '}';
}

void GlbDocument::add_accessors(std::string& text) const {
    text += R"(,"accessors":[)";
    std::uint64_t offset = 0;
    for (const GlbBody& body : bodies) {
        add(text, R"({{"bufferView":0,"byteOffset":{},"componentType":{},)", offset, uint32_type);
        add(text, R"("count":{},"type":"SCALAR"}},)", body.indices());
        offset += 4 * std::uint64_t{body.indices()};
    }
    for (std::size_t frame = 0; frame < frames(); ++frame) {
        offset = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const std::uint64_t count = bodies[i].vertices;
            add_vectors_accessor(text, frame + 1, offset, count, min_and_max(bounds[frame][i]));
            add_vectors_accessor(text, frame + 1, offset + 12 * count, count, "");
            offset += 24 * count;
        }
    }
    if (is_animated()) add_animation_accessors(text);
    end_list(text);
}

void GlbDocument::add_animation_accessors(std::string& text) const {
    const std::size_t view = frames() + 1;
    add(text, R"({{"bufferView":{},"componentType":{},"count":{},"type":"SCALAR",)", view,
        float_type, frames());
    add(text, R"("min":[0],"max":[{}]}},)", time(frames() - 1));
    add(text, R"({{"bufferView":{},"componentType":{},"count":{},"type":"SCALAR"}},)", view + 1,
        float_type, frames() * (frames() - 1));
}

void GlbDocument::add_views(std::string& text) const {
    text += R"(,"bufferViews":[)";
    const auto add_view = [&](std::uint64_t begin, std::uint64_t end, std::string_view use) {
        add(text, R"({{"buffer":0,"byteOffset":{},"byteLength":{}{}}},)", begin, end - begin, use);
    };
    add_view(0, index_bytes(), R"(,"target":34963)");
    for (std::size_t frame = 0; frame < frames(); ++frame) {
        const std::uint64_t begin = index_bytes() + frame * frame_bytes();
        add_view(begin, begin + frame_bytes(), R"(,"byteStride":12,"target":34962)");
    }
    if (is_animated()) {
        const std::uint64_t times = spooled_bytes(), weights = times + 4 * frames();
        add_view(times, weights, "");
        add_view(weights, binary_bytes(), "");
    }
    end_list(text);
}

void GlbDocument::add_animation(std::string& text) const {
    add(text, R"(,"animations":[{{"name":"simulation","samplers":[{{"input":{},"output":{},)",
        times_accessor(), times_accessor() + 1);
    text += R"("interpolation":"LINEAR"}],"channels":[)";
    for (std::size_t i = 0; i < bodies.size(); ++i)
        add(text, R"({{"sampler":0,"target":{{"node":{},"path":"weights"}}}},)", i);
    end_list(text);
    text += "}]";
}

}  // namespace turgor
