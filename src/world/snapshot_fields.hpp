#pragma once

#include "contact/colliders.hpp"
#include "world/snapshot_archive.hpp"
#include "world/world_state.hpp"

/// Descriptions that several parts of a snapshot share, and the parts themselves.
namespace turgor {

template <class A>
void describe(A& a, Of<A, Pose>& pose) {
    a("position", pose.position);
    a("rotation", pose.rotation);
}

template <class A>
void describe(A& a, Of<A, Path>& path) {
    a.list("keys", path.keys, [&](Of<A, Path::Key>& key) {
        a("time", key.time);
        a("pose", key.pose);
    });
    a("loop", path.loop);
    a("smooth", path.smooth);
    if constexpr (A::reads) a.require(problem_with(path));
}

template <class A>
void describe(A& a, Of<A, CollisionFilter>& filter) {
    a("layers", filter.layers);
    a("collides_with", filter.collides_with);
}

template <class A>
void describe(A& a, Of<A, Mesh>& mesh) {
    a("name", mesh.name);
    a.array("vertices", mesh.vertices);
    a.array("triangles", mesh.triangles, Size::any(), Below{mesh.vertices.size()});
}

/// Whom a body touches; the ids are checked when all are known.
template <class A>
void describe(A& a, Of<A, ContactLog>& log) {
    a.list("touching", log.touching, [&](Of<A, ActiveContact>& touch) {
        a("id", touch.id);
        a.kind("kind", touch.kind, ActiveContact::Kind::rigid);
        a("point", touch.point);
        a("normal", touch.normal);
        a("impulse", touch.impulse);
    });
    a.list("pair_cache", log.pair_cache, [&](Of<A, CachedPair>& near) {
        a("id", near.id);
        a("separating", near.separating, Below{2});
        a("push", near.push);
    });
}

/// Meshes and surfaces that others in the snapshot name by their place here.
struct SnapshotTables {
    std::vector<std::shared_ptr<const BodySource>> sources;
    std::vector<std::shared_ptr<const ColliderGeometry>> surfaces;
};

/// What an elastic model keeps of a body.
struct ModelState {
    Model made_with;
    std::uint32_t version = 0;
    std::vector<std::uint8_t> bytes;
};

/// A body's state besides its record. Arrays are owned by what is read, and looked at by what
/// writes.
template <class A>
struct BodyState {
    template <class T>
    using Array = std::conditional_t<A::reads, std::vector<T>, std::span<const T>>;

    Of<A, BodyRecord>* record = nullptr;
    std::uint32_t source = 0;
    std::uint32_t corners = 0;  ///< of its surface
    bool single = false;        ///< as the cpu back end keeps it (CpuBody); else as the mirror
    Array<Quad> single_x, single_v;
    Array<Vec3> x, v;
    Array<double> pressed;
    ModelState model;
};
struct SavedBody : BodyState<SnapshotReader> {
    std::unique_ptr<BodyRecord> owned = std::make_unique<BodyRecord>();
};

// snapshot_colliders.cpp. The reader takes surfaces that `there` has already.
void write_colliders(SnapshotWriter& out, const WorldImpl& world, SnapshotTables& tables);
void read_colliders(SnapshotReader& in, WorldImpl& world, SnapshotTables& tables,
                    std::span<const ColliderRecord> there);
// snapshot_bodies.cpp
void write_bodies(SnapshotWriter& out, WorldImpl& world, const SnapshotTables& tables);
void read_bodies(SnapshotReader& in, double time, const SnapshotTables& tables,
                 std::vector<SavedBody>& bodies);
/// Prepares a body and puts it into the world.
void add_saved(WorldImpl& world, SavedBody& saved, const SnapshotTables& tables);
// snapshot_rigid.cpp
void write_rigids(SnapshotWriter& out, const WorldImpl& world);
void read_rigids(SnapshotReader& in, WorldImpl& world);

}  // namespace turgor
