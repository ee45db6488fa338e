#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "turgor/world.hpp"

namespace turgor {

class DeviceWorld;

/// What goes on inside a body, for pictures of it and for the curious. Everything speaks of the
/// vertices of the mesh that the body was made of.
struct Inspection {
    using Vertices = std::vector<std::uint32_t>;
    struct Strut {
        std::uint32_t from = 0, to = 0;
    };
    struct Mark {
        Vec3 point, normal;  ///< the normal points at the body
    };

    /// The particles whose shape is matched together around one.
    static Vertices region(const Body& body, std::uint32_t vertex);
    /// The paths along which particles are stored: runs of neighbours within a layer of the sweep.
    /// Prefix sums run along them.
    static std::vector<Vertices> paths(const Body& body);
    static std::vector<Strut> struts(const Body& body);
    /// The edges of its cells, from corner to corner; empty where it has none.
    static std::vector<std::array<Vec3f, 2>> cells(const Body& body);
    /// Cells that keep a volume each: where their corners are, numbered as in Solid, and
    /// V / V₀ − 1.
    struct CellVolume {
        std::array<Vec3, 8> corners{};
        double error = 0;
    };
    static std::vector<CellVolume> cell_volumes(const Body& body);
    /// Which clusters each vertex belongs to, and with which shares.
    struct Share {
        std::uint32_t vertex = 0, cluster = 0;
        double share = 0;
    };
    static std::vector<Share> clusters(const Body& body);
    /// Where its elastic model draws each vertex; empty where the model has no goals.
    static std::vector<Vec3> goals(const Body& body);
    /// What it would show in the shape that it comes back to, where it is and turned as it is.
    struct Shown {
        std::vector<Vec3f> positions, normals;  ///< of Body::display_triangles
    };
    static Shown rest_shape(const Body& body);
    /// Where it touches colliders, bodies and rigid ones.
    static std::vector<Mark> contacts(const Body& body);
    /// The local weights of the volume correction for the body as it is now, mean 1.
    static std::vector<double> weights(const Body& body);
    /// Values of the vertices, carried over to those of the display mesh.
    static std::vector<double> on_display(const Body& body, std::span<const double> values);
    /// What the opencl back end does it with; null for others.
    static DeviceWorld* device(const World& world);
    /// The bodies, by their numbers, of which it has found out after the last step that they may
    /// meet in the next one of `dt`; nothing where it has not.
    using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    static std::optional<Pairs> pairs_ahead(const World& world, double dt);
};

}  // namespace turgor
