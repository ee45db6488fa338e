#include <fstream>
#include <sstream>

#include "output/reader_rules.hpp"
#include "output/readers.hpp"

namespace readers {

namespace fs = std::filesystem;

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

}  // namespace readers
