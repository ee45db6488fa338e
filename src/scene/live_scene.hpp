#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/scene.hpp"
#include "turgor/world.hpp"

namespace turgor {

struct BodyMesh;

struct LiveBody {
    Body body;
    std::string name, group;
    VolumeMode volume = VolumeMode::local;

    bool is_called(std::string_view wanted) const { return name == wanted || group == wanted; }
};

/// A scene that runs: its world, and what the scene says about the passing of time.
class LiveScene {
public:
    /// Makes the meshes, bakes and places everything. An Error names the file and the place of what
    /// does not work.
    explicit LiveScene(const Scene& scene);

    const Scene& scene() const { return scene_; }
    World& world() { return *world_; }
    const World& world() const { return *world_; }
    std::span<const LiveBody> bodies() const { return bodies_; }
    std::span<const ColliderId> colliders() const { return colliders_; }  ///< in the scene's order
    std::span<const Rigid> rigids() const { return rigids_; }
    double bake_milliseconds() const {
        return bake_milliseconds_;
    }  ///< making, simplifying and baking all meshes
    const std::vector<std::string>& warnings() const { return warnings_; }

    /// Adds what another scene holds while this one runs: colliders, frictions, bodies, rigid
    /// bodies and handles, or on an Error nothing. Its settings do not matter.
    void add(const Scene& more);
    void remove(BodyId body);
    /// A body, or all where it is 0, comes back to the shape that it was made with.
    /// Body::reset_shape alone would not do for plastic ones: far from it they yield on the way,
    /// and keep a part of it. So they forget in every step until they have had the time to get
    /// there; restore ends that.
    void bend_straight(BodyId body = 0);
    /// World::restore, and the time and the bodies that are there then.
    void restore(std::span<const std::byte> snapshot);

    /// Moves the handles and advances by the scene's step.
    void step();
    std::size_t steps_done() const { return steps_done_; }
    double time() const { return static_cast<double>(steps_done_) * scene_.dt; }

private:
    struct LiveHandle {
        SceneHandle::Kind kind;
        Body body;
        HandleId id;
        Path path;
        Vec3 pivot;
        std::vector<Vec3> start;                ///< of a follow: every vertex at the start
        std::vector<std::uint32_t> vertices;    ///< of a force
        std::optional<double> until{}, torn{};  ///< [s]: its body tore then, which ended it
        bool released = false;
    };

    void add_all(const Scene& more);
    void add_colliders(const Scene& from);
    void add_bodies(const Scene& from);
    void add_body(const SceneBody& body, const BodyMesh& mesh, const BodyOptions& options);
    void add_rigids(const Scene& from);
    void add_handles(const Scene& from, std::size_t first_body);
    void add_handle(const SceneHandle& handle, const Body& body);
    void move_handle(LiveHandle& handle, double time) const;
    void set_forces(double time);
    void follow_tears();

    Scene scene_;
    std::unique_ptr<World> world_;  // on the heap, for a Body points to it
    std::vector<LiveBody> bodies_;
    std::vector<ColliderId> colliders_;
    std::vector<Rigid> rigids_;
    std::vector<LiveHandle> handles_;
    struct Straightening {
        Body body;
        double until;  ///< [s]
    };
    std::vector<Straightening> straightening_;
    std::map<BodyId, std::string> group_of_piece_;  ///< of all that ever tore off
    std::vector<std::string> warnings_;
    double bake_milliseconds_ = 0;
    std::size_t steps_done_ = 0;
};

}  // namespace turgor
