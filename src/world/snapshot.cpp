#include "world/snapshot.hpp"

#include <algorithm>
#include <set>

#include "base/hash.hpp"
#include "body/check.hpp"
#include "world/snapshot_fields.hpp"

namespace turgor {
namespace {

constexpr std::uint64_t magic = 0x3150414e53475254;  // "TRGSNAP1"
using CheckSum = std::uint64_t;
/// Beyond this a step of a millisecond is hardly seen in a double [s].
constexpr double latest_time = 1e12;

struct Header {
    std::uint64_t magic_number = magic;
    std::uint32_t version = snapshot_version;
};

template <class A>
void describe(A& a, Of<A, Header>& header) {
    a("magic", header.magic_number);
    a("version", header.version);
}

template <class A>
void describe(A& a, Of<A, WorldSettings>& s) {
    auto& f = s.formulation;
    a("gravity", s.gravity);
    a("normal_point_weight", f.surface.normal_point_weight, Between{0, 1e6});
    a("share_mass", f.surface.share_mass);
    a("published_meshless", f.meshless.published);
    a("exact_volume", f.exact_volume);
    a("momentum_free_volume", f.momentum_free_volume);
    a("contact_fade", f.contact_fade);
    a("velocities_from_positions", f.velocities_from_positions);
    a("settle", f.settle);
    a("recover", f.recover);
}

template <class A>
void describe(A& a, Of<A, BodySource>& source) {
    a("mesh", source.mesh);
    a("display", source.display);
    const auto values = [&](const char* name, Of<A, std::vector<double>>& all, double most) {
        a.array(name, all, Size{0, source.mesh.vertices.size()}, Between{0, most});
    };
    values("relative_masses", source.relative_masses, largest_double);
    values("matching_weights", source.matching_weights, 1);
}

template <class A>
void describe_world(A& a, Of<A, WorldImpl>& world) {
    describe(a, world.settings);
    a("time", world.time, Between{0, latest_time});
    a("next_id", world.next_id, Between{1, std::numeric_limits<std::uint32_t>::max()});
}

void read_sources(SnapshotReader& in, SnapshotTables& tables) {
    in.list("sources", tables.sources, [&](auto& entry) {
        auto source = std::make_shared<BodySource>();
        describe(in, *source);
        in.naming([&] {
            check_elements(source->mesh, "mesh");
            if (source->display) check_display(*source->display, "display mesh");
            check_vertex_values(*source);
        });
        source->hash = hash_of(*source);
        entry = std::move(source);
    });
}

/// Ids are given once, in ascending order, and to whatever it is.
class Ids {
public:
    explicit Ids(std::uint32_t next) : next_(next) {}

    void add(std::uint32_t id, const char* what) {
        require_given(id, what);
        given_.push_back(id);
    }
    void require_given(std::uint32_t id, const char* what) const {
        if (id == 0 || id >= next_)
            fail(ErrorCode::bad_snapshot,
                 "the snapshot has a {} of id {}, but ids from 1 to below {} were given", what, id,
                 next_);
    }
    void require_ascending(auto&& list, auto&& id, const char* what) const {
        if (!std::ranges::is_sorted(list, std::ranges::less_equal{}, id))
            fail(ErrorCode::bad_snapshot, "the ids of the snapshot's {} do not ascend", what);
    }
    void require_different() {
        std::ranges::sort(given_);
        if (const auto twice = std::ranges::adjacent_find(given_); twice != given_.end())
            fail(ErrorCode::bad_snapshot, "the snapshot gives the id {} twice", *twice);
    }

private:
    std::uint32_t next_;
    std::vector<std::uint32_t> given_;
};

void check_touches(const ContactLog& log, const Ids& ids) {
    for (const ActiveContact& touch : log.touching) ids.require_given(touch.id, "touch");
    for (const CachedPair& near : log.pair_cache) ids.require_given(near.id, "cached pair");
    ids.require_ascending(log.touching, &ActiveContact::id, "touches");
}

void check_ids(const WorldImpl& world, std::span<const SavedBody> bodies) {
    Ids ids(world.next_id);
    std::set<HandleId> handles;
    const auto id_of = [](const auto& record) { return record->id; };
    for (const ColliderRecord& c : world.colliders) ids.add(c.id, "collider");
    for (const SavedBody& saved : bodies) {
        ids.add(saved.owned->id, "body");
        // One that was torn apart is in several bodies.
        std::set<HandleId> own;
        for (const Handle& handle : saved.owned->handles)
            if (!own.insert(handle.id).second || handles.insert(handle.id).second)
                ids.add(handle.id, "handle");
        check_touches(*saved.owned, ids);
    }
    for (const auto& rigid : world.rigids) {
        ids.add(rigid->id, "rigid body");
        check_touches(*rigid, ids);
    }
    ids.require_ascending(world.colliders, &ColliderRecord::id, "colliders");
    ids.require_ascending(
        bodies, [](const SavedBody& saved) { return saved.owned->id; }, "bodies");
    ids.require_ascending(world.rigids, id_of, "rigid bodies");
    ids.require_different();
}

void take_names(WorldImpl& world) {
    const auto take = [&](const std::string& name) {
        if (name.empty() || world.names.take(name) != name)
            fail(ErrorCode::bad_snapshot,
                 "the snapshot has a body without a name or two of the name '{}'", name);
    };
    for (const auto& body : world.bodies) take(body->name);
    for (const auto& rigid : world.rigids) take(rigid->name);
}

/// What the check sum is of.
std::span<const std::byte> sealed_part(std::span<const std::byte> snapshot) {
    return snapshot.first(snapshot.size() - sizeof(CheckSum));
}

/// The bytes without the check sum, if it is right.
std::span<const std::byte> unsealed(std::span<const std::byte> snapshot) {
    if (snapshot.size() < sizeof(CheckSum) + sizeof(std::uint64_t) + sizeof(std::uint32_t))
        fail(ErrorCode::bad_snapshot, "these bytes are no snapshot of a world");
    Header header;
    SnapshotReader in(snapshot, nullptr);
    describe(in, header);
    if (header.magic_number != magic)
        fail(ErrorCode::bad_snapshot, "these bytes are no snapshot of a world");
    if (header.version != snapshot_version)
        fail(ErrorCode::bad_snapshot,
             "the snapshot is of version {}; this build reads version {}, so make it again",
             header.version, snapshot_version);
    const auto part = sealed_part(snapshot);
    CheckSum sum = 0;
    std::memcpy(&sum, snapshot.data() + part.size(), sizeof sum);
    if (sum != hash_of(part))
        fail(ErrorCode::bad_snapshot, "the snapshot is damaged: its check sum does not fit");
    return part;
}

}  // namespace

std::vector<std::byte> write_snapshot(WorldImpl& world) {
    SnapshotWriter out;
    describe(out, Header{});
    describe_world<SnapshotWriter>(out, world);
    SnapshotTables tables;
    for (const auto& body : world.bodies)
        if (std::ranges::find(tables.sources, body->parts.source) == tables.sources.end())
            tables.sources.push_back(body->parts.source);
    out.list("sources", tables.sources, [&](const auto& source) { describe(out, *source); });
    write_colliders(out, world, tables);
    write_bodies(out, world, tables);
    write_rigids(out, world);
    out("check_sum", CheckSum{0});
    seal_snapshot(out.bytes());
    return std::move(out.bytes());
}

std::unique_ptr<WorldImpl> read_snapshot(std::span<const std::byte> snapshot, const WorldImpl& host,
                                         std::vector<SnapshotField>* log) {
    SnapshotReader in(unsealed(snapshot), log);
    Header header;
    describe(in, header);
    auto restored = std::make_unique<WorldImpl>();
    restored->settings = host.settings;
    restored->wanted_backend = host.wanted_backend;
    restored->scheduler = host.scheduler;
    describe_world(in, *restored);
    SnapshotTables tables;
    std::vector<SavedBody> bodies;
    read_sources(in, tables);
    read_colliders(in, *restored, tables, host.colliders);
    read_bodies(in, restored->time, tables, bodies);
    read_rigids(in, *restored);
    if (in.left() > 0) fail(ErrorCode::bad_snapshot, "the snapshot holds more than it says");
    check_ids(*restored, bodies);

    restored->choose_backend();
    restored->bakes = host.bakes;
    for (SavedBody& saved : bodies) add_saved(*restored, saved, tables);
    take_names(*restored);
    // Ids given since the snapshot must not name something else.
    restored->next_id = std::max(restored->next_id, host.next_id);
    return restored;
}

std::vector<SnapshotField> fields_of(std::span<const std::byte> snapshot) {
    WorldImpl host;
    host.wanted_backend = Backend::reference;
    std::vector<SnapshotField> fields;
    read_snapshot(snapshot, host, &fields);
    return fields;
}

void seal_snapshot(std::span<std::byte> snapshot) {
    if (snapshot.size() < sizeof(CheckSum)) return;
    const auto part = sealed_part(snapshot);
    const CheckSum sum = hash_of(part);
    std::memcpy(snapshot.data() + part.size(), &sum, sizeof sum);
}

std::vector<std::byte> World::snapshot() const {
    impl_->require_whole();
    return write_snapshot(*impl_);
}

void World::restore(std::span<const std::byte> snapshot, Status* status) {
    reporting_to(status, [&] {
        const auto restored = read_snapshot(snapshot, *impl_);
        // All or nothing: from here on nothing throws.
        static_assert(std::is_nothrow_move_assignable_v<WorldImpl>);
        *impl_ = std::move(*restored);
    });
}

}  // namespace turgor
