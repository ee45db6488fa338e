#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "output/box3f.hpp"

namespace turgor {

struct GlbBody {
    std::string name;
    Vec3f colour;
    std::size_t vertices, triangles;  ///< no triangles: points
    std::size_t indices() const { return triangles > 0 ? 3 * triangles : vertices; }
};

struct GlbSize {
    std::uint64_t binary, json_at_most;
};

/// What the JSON of an animated GLB says about its binary chunk. That chunk is, without gaps:
///   the triangles of all bodies, of points their numbers (uint32);
///   per frame and body: positions, normals (float3; from the second frame on minus those of the
///   first); where there is more than one frame: times [s], weights.
/// Every frame after the first is a morph target. All bodies share one table of times and weights.
class GlbDocument {
public:
    double fps = 1;
    std::vector<GlbBody> bodies;
    std::vector<std::vector<Box3f>>
        bounds;  ///< per frame and body, of the positions as they are stored

    std::size_t frames() const { return bounds.size(); }
    bool is_animated() const { return frames() > 1; }
    float time(std::size_t frame) const {
        return static_cast<float>(static_cast<double>(frame) / fps);
    }

    /// Indices and frames.
    std::uint64_t spooled_bytes() const { return index_bytes() + frames() * frame_bytes(); }
    std::uint64_t binary_bytes() const { return size_with(frames()).binary; }
    GlbSize size_with(std::size_t frame_count) const;
    std::string json() const;

private:
    std::uint64_t index_bytes() const;
    std::uint64_t frame_bytes() const;
    /// The accessor of positions; that of the normals is the next one.
    std::size_t positions_accessor(std::size_t frame, std::size_t body) const;
    std::size_t times_accessor() const { return positions_accessor(frames(), 0); }

    void add_nodes(std::string& text) const;
    void add_materials(std::string& text) const;
    void add_meshes(std::string& text) const;
    void add_morph_targets(std::string& text, std::size_t body) const;
    void add_accessors(std::string& text) const;
    void add_animation_accessors(std::string& text) const;
    void add_views(std::string& text) const;
    void add_animation(std::string& text) const;
};

}  // namespace turgor
