#include "output/readers.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace readers {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

void require(bool condition, const std::string& rule) {
    if (!condition) throw std::runtime_error("broken rule: " + rule);
}

float to_float(std::string_view text) {
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size(),
            "a number: '" + std::string(text) + "'");
    return value;
}

template <class T>
T take(std::string_view& bytes) {
    require(bytes.size() >= sizeof(T), "no bytes are missing");
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    bytes.remove_prefix(sizeof(T));
    return value;
}

}  // namespace

std::string read_text(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    require(in.good(), "the file '" + file.string() + "' exists");
    return {std::istreambuf_iterator<char>(in), {}};
}

Frame read_obj(const fs::path& file) {
    Frame bodies;
    std::size_t before = 0;
    std::istringstream lines(read_text(file));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key, a, b, c, rest;
        words >> key >> a >> b >> c;
        if (key.empty() || key[0] == '#' || key == "g") continue;
        require(!(words >> rest), "no more words in: " + line);
        if (key == "o") {
            require(!a.empty() && b.empty(), "one word names an object: " + line);
            if (!bodies.empty()) before += bodies.back().positions.size();
            bodies.push_back({a, {}, {}, {}, {}});
            continue;
        }
        require(!bodies.empty(), "objects come first");
        Body& body = bodies.back();
        if (key == "v") {
            body.positions.push_back({to_float(a), to_float(b), to_float(c)});
        } else {
            require(key == "f", "a known line: " + line);
            Corners corners{};
            for (int i = 0; const std::string& word : {a, b, c}) {
                const std::size_t index = std::stoul(word);
                require(index > before && index <= before + body.positions.size(),
                        "a face uses vertices of its own object that stand before it: " + line);
                corners[i++] = static_cast<std::uint32_t>(index - before - 1);
            }
            body.triangles.push_back(corners);
        }
    }
    return bodies;
}

Frame read_ply(const fs::path& file) {
    const std::string text = read_text(file);
    const std::string end_mark = "end_header\n";
    const std::size_t header_end = text.find(end_mark);
    require(header_end != std::string::npos, "the header ends");

    Frame bodies;
    std::istringstream lines(text.substr(0, header_end));
    std::string line, shape;
    std::size_t vertices = 0, faces = 0;
    for (std::size_t number = 0; std::getline(lines, line); ++number) {
        if (number == 0) require(line == "ply", "the first line is ply");
        if (number == 1) require(line == "format binary_little_endian 1.0", "the format");
        if (line.starts_with("comment body ")) {
            const std::size_t name = line.find(' ', 13);
            require(std::stoul(line.substr(13)) == bodies.size(), "bodies are in order");
            bodies.push_back({line.substr(name + 1), {}, {}, {}, {}});
        }
        if (line.starts_with("element vertex ")) vertices = std::stoul(line.substr(15));
        if (line.starts_with("element face ")) faces = std::stoul(line.substr(13));
        if (line.starts_with("property ")) shape += line.substr(9) + ";";
    }
    require(shape ==
                "float x;float y;float z;float nx;float ny;float nz;uchar red;uchar green;uchar "
                "blue;int body;list uchar int vertex_indices;",
            "the properties: " + shape);

    std::string_view bytes = std::string_view(text).substr(header_end + end_mark.size());
    std::vector<std::pair<std::size_t, std::uint32_t>> body_of;
    for (std::size_t v = 0; v < vertices; ++v) {
        const auto position = take<Point>(bytes), normal = take<Point>(bytes);
        const auto colour = take<std::array<std::uint8_t, 3>>(bytes);
        const auto index = static_cast<std::size_t>(take<std::int32_t>(bytes));
        Body& body = bodies.at(index);
        body_of.emplace_back(index, static_cast<std::uint32_t>(body.positions.size()));
        body.positions.push_back(position);
        body.normals.push_back(normal);
        for (int k = 0; k < 3; ++k) body.colour[k] = colour[k];
    }
    for (std::size_t f = 0; f < faces; ++f) {
        require(take<std::uint8_t>(bytes) == 3, "faces are triangles");
        Corners corners{};
        std::size_t owner = 0;
        for (int k = 0; k < 3; ++k) {
            const auto [index, corner] =
                body_of.at(static_cast<std::size_t>(take<std::int32_t>(bytes)));
            require(k == 0 || index == owner, "a face belongs to one body");
            owner = index;
            corners[k] = corner;
        }
        bodies.at(owner).triangles.push_back(corners);
    }
    require(bytes.empty(), "nothing follows the last face");
    return bodies;
}

PointCache read_pc2(const fs::path& file) {
    const std::string text = read_text(file);
    std::string_view bytes = text;
    require(bytes.substr(0, 12) == std::string_view("POINTCACHE2\0", 12), "the signature");
    bytes.remove_prefix(12);
    require(take<std::int32_t>(bytes) == 1, "the version");
    PointCache cache;
    const auto points = take<std::int32_t>(bytes);
    cache.start = take<float>(bytes);
    cache.rate = take<float>(bytes);
    cache.frames.resize(static_cast<std::size_t>(take<std::int32_t>(bytes)));
    for (std::vector<Point>& frame : cache.frames)
        for (std::int32_t i = 0; i < points; ++i) frame.push_back(take<Point>(bytes));
    require(bytes.empty(), "nothing follows the last sample");
    return cache;
}

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
    require(primitive.value("mode", 4) == 4, "triangles");
    Mesh mesh;
    mesh.base.name = node.at("name");
    mesh.base.positions = points(primitive.at("attributes").at("POSITION"), true);
    mesh.base.normals = points(primitive.at("attributes").at("NORMAL"), false);
    for (const Point& n : mesh.base.normals)
        require(std::abs(std::hypot(n[0], n[1], n[2]) - 1) < 1e-5f, "normals are unit");
    mesh.base.triangles = [&] {
        const auto flat = values<std::uint32_t>(primitive.at("indices"), "SCALAR", 5125);
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
            mesh.normals.push_back(points(target.at("NORMAL"), false));
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
                    body.normals[v][k] += weight * mesh.normals[t][v][k];
                }
        }
        frame.push_back(std::move(body));
    }
    return frame;
}

namespace {

/// The part of the USD text grammar that a mesh needs: prims with metadata, attributes, time
/// samples.
class UsdaParser {
public:
    explicit UsdaParser(std::string_view text) : text_(text) { next(); }

    struct Value {
        std::string text;  // of a number or a string
        std::vector<Value> items;
    };
    struct Attribute {
        std::string type;
        Value value;
        std::vector<std::pair<float, Value>> samples;
        std::map<std::string, Value> metadata;
    };
    struct Prim {
        std::string type, name;
        std::map<std::string, Value> metadata;
        std::map<std::string, Attribute> attributes;
        std::vector<Prim> children;
    };

    Prim stage() {
        Prim root;
        if (token_ == "(") root.metadata = metadata();
        while (!token_.empty()) root.children.push_back(prim());
        return root;
    }

private:
    void skip_space() {
        while (!text_.empty() &&
               (std::isspace(static_cast<unsigned char>(text_[0])) || text_[0] == '#')) {
            if (text_[0] == '#') text_.remove_prefix(std::min(text_.find('\n'), text_.size() - 1));
            text_.remove_prefix(1);
        }
    }

    void next() {
        skip_space();
        token_.clear();
        is_string_ = false;
        if (text_.empty()) return;
        if (text_[0] == '"') return next_string();
        const auto in_word = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':' ||
                   c == '.' || c == '-' || c == '+';
        };
        // A time is followed by ':', which is part of names elsewhere.
        const bool number = std::isdigit(static_cast<unsigned char>(text_[0])) || text_[0] == '-';
        std::size_t size = 0;
        while (size < text_.size() && in_word(text_[size]) && !(number && text_[size] == ':'))
            ++size;
        size = std::max<std::size_t>(size, 1);
        token_ = text_.substr(0, size);
        text_.remove_prefix(size);
        if (text_.starts_with("[]")) token_ += "[]", text_.remove_prefix(2);
    }

    void next_string() {
        is_string_ = true;
        for (text_.remove_prefix(1); text_.at(0) != '"'; text_.remove_prefix(1)) {
            require(text_[0] != '\n', "a string ends on its line");
            if (text_[0] == '\\') {
                text_.remove_prefix(1);
                token_ += text_[0] == 'n' ? '\n' : text_[0];
            } else {
                token_ += text_[0];
            }
        }
        text_.remove_prefix(1);
    }

    std::string take_token() {
        std::string token = token_;
        next();
        return token;
    }

    void expect(const std::string& token) {
        require(token_ == token && !is_string_, "'" + token + "' is here, not '" + token_ + "'");
        next();
    }

    bool accept(const std::string& token) {
        if (token_ != token || is_string_) return false;
        next();
        return true;
    }

    Value value() {
        Value result;
        const std::string close = token_ == "[" ? "]" : ")";
        if (is_string_ || (token_ != "[" && token_ != "(")) {
            result.text = take_token();
            return result;
        }
        next();
        while (!accept(close)) {
            result.items.push_back(value());
            if (!accept(",")) require(token_ == close, "a comma or the end of a list");
        }
        return result;
    }

    std::map<std::string, Value> metadata() {
        std::map<std::string, Value> result;
        expect("(");
        while (!accept(")")) {
            const std::string key = take_token();
            expect("=");
            if (accept("{")) {
                while (!accept("}")) {
                    take_token();
                    const std::string entry = take_token();
                    expect("=");
                    result[key + "." + entry] = value();
                }
            } else {
                result[key] = value();
            }
        }
        return result;
    }

    Prim prim() {
        Prim result;
        expect("def");
        result.type = take_token();
        require(is_string_, "a prim's name is quoted");
        result.name = take_token();
        if (token_ == "(") result.metadata = metadata();
        expect("{");
        while (!accept("}")) {
            if (token_ == "def")
                result.children.push_back(prim());
            else
                attribute(result);
        }
        return result;
    }

    void attribute(Prim& prim) {
        accept("uniform");
        const std::string type = take_token();
        std::string name = take_token();
        const std::string suffix = ".timeSamples";
        const bool sampled = name.ends_with(suffix);
        if (sampled) name.resize(name.size() - suffix.size());
        Attribute& result = prim.attributes[name];
        require(result.type.empty() || result.type == type, "an attribute has one type");
        result.type = type;
        if (sampled) {
            expect("=");
            expect("{");
            while (!accept("}")) {
                const float time = to_float(take_token());
                expect(":");
                result.samples.emplace_back(time, value());
                if (!accept(",")) require(token_ == "}", "a comma or the end of the samples");
            }
        } else if (accept("=")) {
            result.value = value();
        }
        if (token_ == "(") result.metadata = metadata();
    }

    std::string_view text_;
    std::string token_;
    bool is_string_ = false;
};

std::vector<Point> to_points(const UsdaParser::Value& value) {
    std::vector<Point> result;
    for (const auto& item : value.items) {
        require(item.items.size() == 3, "three coordinates");
        result.push_back({to_float(item.items[0].text), to_float(item.items[1].text),
                          to_float(item.items[2].text)});
    }
    return result;
}

bool is_identifier(const std::string& name) {
    bool good = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
    for (const char c : name)
        good &= c == '_' || (static_cast<unsigned char>(c) < 128 && std::isalnum(c));
    return good;
}

Body usda_body(const UsdaParser::Prim& prim, std::size_t frame) {
    Body body;
    body.name = prim.metadata.at("customData.name").text;
    const auto sample = [&](const char* name, const char* type) {
        const auto& attribute = prim.attributes.at(name);
        require(attribute.type == type, std::string("the type of ") + name);
        require(attribute.samples.at(frame).first == static_cast<float>(frame), "sample times");
        return to_points(attribute.samples[frame].second);
    };
    body.positions = sample("points", "point3f[]");
    body.normals = sample("normals", "normal3f[]");
    require(prim.attributes.at("normals").metadata.at("interpolation").text == "vertex",
            "normals belong to vertices");
    require(body.normals.size() == body.positions.size(), "one normal per point");
    const std::vector<Point> extent = sample("extent", "float3[]");
    require(extent.size() == 2, "an extent is two corners");
    for (std::size_t k = 0; k < 3; ++k) {
        float low = body.positions[0][k], high = low;
        for (const Point& p : body.positions)
            low = std::min(low, p[k]), high = std::max(high, p[k]);
        require(extent[0][k] == low && extent[1][k] == high, "the extent is exact");
    }
    const auto& counts = prim.attributes.at("faceVertexCounts").value.items;
    const auto& indices = prim.attributes.at("faceVertexIndices").value.items;
    require(indices.size() == 3 * counts.size(), "counts add up to the indices");
    for (std::size_t f = 0; f < counts.size(); ++f) {
        require(counts[f].text == "3", "faces are triangles");
        Corners corners{};
        for (std::size_t k = 0; k < 3; ++k) {
            corners[k] = static_cast<std::uint32_t>(std::stoul(indices[3 * f + k].text));
            require(corners[k] < body.positions.size(), "indices are in range");
        }
        body.triangles.push_back(corners);
    }
    require(prim.attributes.at("subdivisionScheme").value.text == "none", "no subdivision");
    const Point colour = to_points(prim.attributes.at("primvars:displayColor").value).at(0);
    body.colour = {colour[0], colour[1], colour[2]};
    return body;
}

}  // namespace

Usda read_usda(const fs::path& file) {
    const std::string text = read_text(file);
    require(text.starts_with("#usda 1.0\n"), "the first line");
    const UsdaParser::Prim stage = UsdaParser(text).stage();
    const auto number = [&](const char* key) {
        return static_cast<double>(to_float(stage.metadata.at(key).text));
    };
    require(stage.metadata.at("upAxis").text == "Y" && number("metersPerUnit") == 1, "the units");
    require(stage.children.size() == 1, "one root");
    const UsdaParser::Prim& world = stage.children[0];
    require(stage.metadata.at("defaultPrim").text == world.name, "the default prim is the root");
    Usda result{
        number("timeCodesPerSecond"), number("startTimeCode"), number("endTimeCode"), {}, {}};
    result.frames.resize(static_cast<std::size_t>(result.end) + 1);
    for (const UsdaParser::Prim& prim : world.children) {
        require(prim.type == "Mesh" && is_identifier(prim.name), "a mesh with a valid name");
        result.identifiers.push_back(prim.name);
        require(prim.attributes.at("points").samples.size() == result.frames.size(),
                "a sample per frame");
        for (std::size_t f = 0; f < result.frames.size(); ++f)
            result.frames[f].push_back(usda_body(prim, f));
    }
    return result;
}

}  // namespace readers
