#include <algorithm>

#include "contact/collider_geometry.hpp"
#include "world/snapshot_fields.hpp"

namespace turgor {
namespace {

/// What a ColliderGeometry is made of again.
template <class A>
struct SurfaceParts {
    bool is_mesh = true;
    Of<A, Mesh>* mesh = nullptr;
    bool closed = false;
    std::uint32_t columns = 0, rows = 0;
    Of<A, std::vector<double>>* heights = nullptr;
    double spacing_x = 0, spacing_z = 0;
};

template <class A>
void describe(A& a, SurfaceParts<A>& s) {
    a("is_mesh", s.is_mesh);
    if (s.is_mesh) {
        a("mesh", *s.mesh);
        a("closed", s.closed);
        return;
    }
    a("columns", s.columns, Between{2, 4096});
    a("rows", s.rows, Between{2, 4096});
    a.array("heights", *s.heights, Size::exactly(std::uint64_t{s.columns} * s.rows));
    a("spacing_x", s.spacing_x);
    a("spacing_z", s.spacing_z);
}

/// One of those that are `there` already if it is the same.
std::shared_ptr<const ColliderGeometry> known_surface(const SurfaceParts<SnapshotReader>& s,
                                                      std::span<const ColliderRecord> there) {
    const auto is_same = [&](const ColliderGeometry& other) {
        if (s.is_mesh) {
            const MeshGeometry* m = other.mesh();
            return m && m->closed() == s.closed && m->mesh().vertices == s.mesh->vertices &&
                   m->mesh().triangles == s.mesh->triangles;
        }
        const HeightGeometry* h = other.heights();
        return h && h->grid().columns() == s.columns && h->grid().rows() == s.rows &&
               h->grid().spacing_x() == s.spacing_x && h->grid().spacing_z() == s.spacing_z &&
               h->grid().heights() == *s.heights;
    };
    for (const ColliderRecord& c : there)
        if (c.collider.geometry && is_same(*c.collider.geometry)) return c.collider.geometry;
    return nullptr;
}

std::shared_ptr<const ColliderGeometry> read_surface(SnapshotReader& in,
                                                     std::span<const ColliderRecord> there) {
    Mesh mesh;
    std::vector<double> heights;
    SurfaceParts<SnapshotReader> parts;
    parts.mesh = &mesh;
    parts.heights = &heights;
    describe(in, parts);
    auto surface = known_surface(parts, there);
    if (!surface)
        surface = parts.is_mesh ? restored_geometry(std::move(mesh), parts.closed)
                                : height_geometry(parts.columns, parts.rows, std::move(heights),
                                                  parts.spacing_x, parts.spacing_z);
    if (!surface->problem.empty()) in.refuse("is wrong: {}", surface->problem);
    return surface;
}

void write_surface(SnapshotWriter& out, const ColliderGeometry& surface) {
    SurfaceParts<SnapshotWriter> parts;
    parts.is_mesh = surface.mesh() != nullptr;
    if (const MeshGeometry* mesh = surface.mesh()) {
        parts.mesh = &mesh->mesh();
        parts.closed = mesh->closed();
    } else {
        const HeightGrid& grid = surface.heights()->grid();
        parts.columns = grid.columns();
        parts.rows = grid.rows();
        parts.heights = &grid.heights();
        parts.spacing_x = grid.spacing_x();
        parts.spacing_z = grid.spacing_z();
    }
    describe(out, parts);
}

bool has_triangles(const Collider& c) {
    return c.shape == ColliderShape::mesh || c.shape == ColliderShape::height_field;
}

/// Lengths that a shape does not have are not stored.
template <class A>
void describe_shape(A& a, Of<A, Collider>& c,
                    Of<A, std::vector<std::shared_ptr<const ColliderGeometry>>>& surfaces) {
    a.kind("shape", c.shape, ColliderShape::height_field);
    switch (c.shape) {
        case ColliderShape::plane:
            break;
        case ColliderShape::cup:
            a("wall", c.wall);
            [[fallthrough]];
        case ColliderShape::capsule:
            a("height", c.height);
            [[fallthrough]];
        case ColliderShape::sphere:
            a("radius", c.radius);
            break;
        case ColliderShape::box:
            a("half_extent", c.half_extent);
            break;
        case ColliderShape::mesh:
            a("thickness", c.thickness);
            break;
        case ColliderShape::height_field:
            break;
    }
    if (!has_triangles(c)) return;
    auto place =
        static_cast<std::uint32_t>(std::ranges::find(surfaces, c.geometry) - surfaces.begin());
    a("surface", place, Below{surfaces.size()});
    if constexpr (A::reads) c.geometry = surfaces[place];
}

template <class A>
void describe_collider(A& a, Of<A, ColliderRecord>& record,
                       Of<A, std::vector<std::shared_ptr<const ColliderGeometry>>>& surfaces) {
    auto& c = record.collider;
    a("id", record.id);
    a("name", c.name);
    describe_shape(a, c, surfaces);
    a("pose", c.pose);
    a("path", c.path);
    a("filter", c.filter);
    a("sensor", c.sensor);
    a("friction", c.friction);
    a("restitution", c.restitution);
    a("static_friction", c.static_friction);
    a("material", c.surface);
    a("now", record.now);
    a("commanded", record.commanded);
    if constexpr (A::reads) a.require(problem_with(c));
}

struct NamedPair {
    FrictionPairs::Names names;
    PairFriction friction;
};

template <class A>
void describe(A& a, Of<A, NamedPair>& pair) {
    a("first", pair.names.first);
    a("second", pair.names.second);
    a("friction", pair.friction.friction);
    a("static_friction", pair.friction.static_friction);
    a("restitution", pair.friction.restitution);
    if constexpr (A::reads) {
        a.require(problem_with(pair.friction));
        a.require(!pair.names.first.empty() && pair.names.first <= pair.names.second,
                  "has a name that is empty or not in the order of the alphabet");
    }
}

template <class A>
void describe_all(A& a, Of<A, std::vector<ColliderRecord>>& colliders,
                  Of<A, std::vector<NamedPair>>& pairs,
                  Of<A, std::vector<std::shared_ptr<const ColliderGeometry>>>& surfaces) {
    a.list("colliders", colliders,
           [&](Of<A, ColliderRecord>& c) { describe_collider(a, c, surfaces); });
    a.list("friction_pairs", pairs, [&](Of<A, NamedPair>& pair) { describe(a, pair); });
}

}  // namespace

void write_colliders(SnapshotWriter& out, const WorldImpl& world, SnapshotTables& tables) {
    auto& surfaces = tables.surfaces;
    for (const auto& [id, c, now, commanded, number] : world.colliders)
        if (has_triangles(c) && std::ranges::find(surfaces, c.geometry) == surfaces.end())
            surfaces.push_back(c.geometry);
    out.list("surfaces", surfaces, [&](const auto& surface) { write_surface(out, *surface); });
    std::vector<NamedPair> pairs;
    for (const auto& [names, friction] : world.friction_pairs.all())
        pairs.push_back({names, friction});
    describe_all(out, world.colliders, pairs, surfaces);
}

void read_colliders(SnapshotReader& in, WorldImpl& world, SnapshotTables& tables,
                    std::span<const ColliderRecord> there) {
    in.list("surfaces", tables.surfaces, [&](auto& surface) { surface = read_surface(in, there); });
    std::vector<NamedPair> pairs;
    describe_all(in, world.colliders, pairs, tables.surfaces);
    std::map<FrictionPairs::Names, PairFriction> all;
    for (NamedPair& pair : pairs)
        if (!all.emplace(std::move(pair.names), pair.friction).second)
            fail(ErrorCode::bad_snapshot, "the snapshot's friction_pairs have a pair twice");
    world.friction_pairs.set_all(std::move(all));
}

}  // namespace turgor
