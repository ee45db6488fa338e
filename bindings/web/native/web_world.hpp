#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/json_text.hpp"
#include "scene/live_scene.hpp"

namespace turgor::web {

/// What one thing to draw has in memory, for reading from outside.
struct DrawnArrays {
    std::span<const Vec3f> positions, normals;
    std::span<const Triangle> triangles;
    std::span<const std::uint32_t> point_of_vertex;  ///< of geometry that was given; may be empty
};

/// A part of a scene as JSON. A scene must have a body; a part of one need not.
Scene parse_part(std::string_view text);

/// A world of the browser: a scene that runs, and what has been added to it since.
class WebWorld {
public:
    explicit WebWorld(const Scene& scene);

    LiveScene& live() { return live_; }
    World& world() { return live_.world(); }

    /// `part` is a scene's JSON, of which only the lists matter, and which may have no bodies.
    /// Returns what was added, as JSON.
    Json add(std::string_view part);
    /// The mesh is the shape of the part's one body.
    Json add_mesh(std::span<const float> positions, std::span<const std::uint32_t> indices,
                  std::string_view part);
    /// Bodies that stand apart in the file become bodies of their own.
    Json add_file(std::span<const std::byte> bytes, const std::string& name, std::string_view part);
    void step();
    void remove(BodyId id);
    void restore(std::span<const std::byte> snapshot);

    /// Changes what the JSON says about the material of one body, or of all where `id` is 0.
    void change_material(BodyId id, std::string_view material);
    /// The body comes back to the shape that it was made with, or all do where `id` is 0.
    void reset_shape(BodyId id);

    Json description();
    DrawnArrays arrays(std::uint32_t id);
    /// Position and rotation (x, y, z, then x, y, z, w) of every collider.
    std::span<const float> collider_poses();
    double volume_error();  ///< the largest of all bodies that keep theirs

private:
    Json add_scene(const Scene& part);
    Json added_since(std::size_t body, std::size_t rigid, std::size_t collider);
    Json describe_body(const LiveBody& body) const;
    Json describe_collider(ColliderId id) const;

    LiveScene live_;
    std::map<BodyId, std::vector<std::uint32_t>> point_of_vertex_;
    std::vector<float> poses_;
};

/// All that are built in: name, description and, where it cannot run here, why.
Json scene_list();

/// All models: name, what they are, and their settings with ranges, words and what they mean.
Json model_list();

}  // namespace turgor::web
