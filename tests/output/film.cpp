#include "output/film.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

namespace film {

namespace fs = std::filesystem;
using turgor::Triangle;
using turgor::Vec3f;

namespace {

/// A double pyramid over `sides` corners: sides + 2 vertices, closed.
std::vector<Triangle> double_pyramid(std::uint32_t sides) {
    std::vector<Triangle> triangles;
    for (std::uint32_t i = 0; i < sides; ++i) {
        const std::uint32_t next = (i + 1) % sides;
        triangles.push_back({i, next, sides});
        triangles.push_back({next, i, sides + 1});
    }
    return triangles;
}

template <class Coordinate>
Film make_film(const std::vector<std::string>& names, std::size_t frames, unsigned seed,
               Coordinate&& coordinate) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Film result{{}, frames};
    for (std::uint32_t sides = 3; const std::string& name : names) {
        FilmBody body{name, {0.9f / sides, 0.25f, 1.0f}, double_pyramid(sides), {}, {}};
        for (std::size_t f = 0; f < frames; ++f) {
            std::vector<Vec3f> positions, normals;
            for (std::uint32_t v = 0; v < sides + 2; ++v) {
                positions.push_back({coordinate(random), coordinate(random), coordinate(random)});
                normals.push_back(to_float(
                    normalized(turgor::Vec3{normal(random), normal(random), normal(random)})));
            }
            body.positions.push_back(positions);
            body.normals.push_back(normals);
        }
        result.bodies.push_back(std::move(body));
        ++sides;
    }
    return result;
}

}  // namespace

std::vector<turgor::FrameBody> Film::frame(std::size_t number) const {
    std::vector<turgor::FrameBody> result;
    for (const FilmBody& body : bodies)
        result.push_back(
            {body.name, body.positions[number], body.normals[number], body.triangles, body.colour});
    return result;
}

void Film::write_to(turgor::FrameWriter& writer) const {
    for (std::size_t f = 0; f < frames; ++f) writer.write(frame(f));
}

Film wild_film(const std::vector<std::string>& names, std::size_t frames, unsigned seed) {
    std::uniform_real_distribution<float> mantissa(-1, 1);
    return make_film(names, frames, seed, [&](std::mt19937& random) {
        const unsigned kind = random() % 8;
        if (kind == 0) return -0.0f;
        if (kind == 1)
            return std::numeric_limits<float>::denorm_min() * static_cast<float>(random() % 99);
        return std::ldexp(mantissa(random), static_cast<int>(random() % 60) - 40);
    });
}

Film tame_film(const std::vector<std::string>& names, std::size_t frames, unsigned seed) {
    std::uniform_real_distribution<float> metres(-3, 3);
    return make_film(names, frames, seed, metres);
}

Folder::Folder() {
    std::string name = (fs::temp_directory_path() / "turgor-output-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::vector<std::string> Folder::names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(path_))
        result.push_back(entry.path().filename().string());
    std::ranges::sort(result);
    return result;
}

void put_file(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
}

}  // namespace film
