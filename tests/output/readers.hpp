#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

/// Readers of what the exporters write. They share no code with them, know the formats from their
/// specifications, and throw std::runtime_error wherever a file breaks its rules.
namespace readers {

using Point = std::array<float, 3>;
using Corners = std::array<std::uint32_t, 3>;

struct Body {
    std::string name;
    std::vector<Point> positions, normals;
    std::vector<Corners> triangles;
    std::array<double, 3> colour{};
};
using Frame = std::vector<Body>;

std::string read_text(const std::filesystem::path& file);

/// Objects are bodies, and the corners of their triangles count from 0 within the body.
Frame read_obj(const std::filesystem::path& file);
/// Split into bodies by the vertex property `body`; names from the comments.
Frame read_ply(const std::filesystem::path& file);

struct PointCache {
    float start = 0, rate = 0;
    std::vector<std::vector<Point>> frames;
};
PointCache read_pc2(const std::filesystem::path& file);

class Glb {
public:
    explicit Glb(const std::filesystem::path& file);
    std::vector<float> times() const { return times_; }
    /// What a viewer shows at this time [s].
    Frame at(float time) const;
    const nlohmann::json& document() const { return json_; }

private:
    struct Mesh {
        Body base;
        std::vector<std::vector<Point>> positions, normals;  // per target
    };
    void split(std::string_view file);
    void check_views() const;
    std::string_view bytes(std::size_t accessor, std::string_view type, int component) const;
    template <class T>
    std::vector<T> values(std::size_t accessor, std::string_view type, int component) const;
    std::vector<Point> points(std::size_t accessor, bool needs_bounds) const;
    void read_mesh(const nlohmann::json& node);
    void read_animation();

    nlohmann::json json_;
    std::string binary_;
    std::vector<Mesh> meshes_;  // per node of the scene
    std::vector<float> times_, weights_;
};

struct Usda {
    double fps = 0, start = 0, end = 0;
    std::vector<std::string> identifiers;
    std::vector<Frame> frames;
};
Usda read_usda(const std::filesystem::path& file);

}  // namespace readers
