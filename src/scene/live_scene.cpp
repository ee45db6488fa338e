#include "scene/live_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "elastic/model.hpp"
#include "mesh/measures.hpp"
#include "scene/shapes.hpp"
#include "scene/starts.hpp"
#include "scene/vertex_numbers.hpp"

namespace turgor {
namespace {

constexpr double most_particles = 4e6;

/// Runs `work`; an Error from it gets the scene's file and the place in front.
template <class Work>
auto at_place(const Scene& scene, const std::string& where, Work&& work) {
    try {
        return work();
    } catch (const Error& e) {
        if (where.empty()) throw;
        fail(e.code(), "{}: {}: {}", scene.source, where, e.what());
    }
}

void require_possible(const Scene& scene) {
    double particles = 0;
    for (const SceneBody& body : scene.bodies) {
        const double fine = estimated_vertices(*body.shape);
        particles +=
            body.sim_vertices ? std::min(fine, static_cast<double>(*body.sim_vertices)) : fine;
        if (fine > most_particles || particles > most_particles)
            at_place(scene, body.where, [&] {
                fail(ErrorCode::bad_scene,
                     "with this body the scene has about {:.1f} million particles, and {:.0f} "
                     "million are the most; use coarser shapes or fewer bodies",
                     std::max(fine, particles) / 1e6, most_particles / 1e6);
            });
    }
}

bool takes_any_mesh(const SceneBody& body) {
    return model_named(body.options.model.name).traits().any_mesh;
}

std::vector<BodyMesh> meshes_of(const Scene& scene, const SceneBody& body,
                                std::vector<std::string>& warnings) {
    std::vector<BodyMesh> meshes = at_place(scene, body.where, [&] {
        return make_body_meshes(
            *body.shape,
            {body.sim_vertices, body.wrap, takes_any_mesh(body), scene.world.bake_folder},
            warnings);
    });
    const auto set = [&](const std::shared_ptr<const VertexNumbers>& numbers,
                         std::vector<double> BodyMesh::*target) {
        if (!numbers) return;
        at_place(scene, numbers->where, [&] {
            for (BodyMesh& mesh : meshes)
                mesh.*target = numbers_for(*numbers, mesh.shown ? *mesh.shown : mesh.simulated,
                                           mesh.simulated);
        });
    };
    set(body.relative_masses, &BodyMesh::relative_masses);
    set(body.matching_weights, &BodyMesh::matching_weights);
    return meshes;
}

double size_of(std::span<const BodyMesh> meshes) {
    double sum = 0;
    for (const BodyMesh& mesh : meshes) sum += volume(mesh.simulated);
    return sphere_diameter(sum);
}

double lowest_of(std::span<const BodyMesh> meshes, const BodyOptions& options) {
    double lowest = 1e300;
    for (const BodyMesh& mesh : meshes)
        for (const Vec3& p : mesh.simulated.vertices)
            lowest = std::min(lowest, options.scale * rotate(options.rotation, p).y);
    return lowest;
}

/// Gives a mesh collider its triangles.
Collider with_triangles(const Collider& collider, const ColliderFile& from) {
    Mesh mesh = read_mesh(from.file);
    for (Vec3& p : mesh.vertices) p *= from.scale;
    Collider complete = collider;
    complete.geometry =
        (collider.thickness > 0 ? Collider::shell(std::move(mesh), collider.thickness)
                                : Collider::mesh(std::move(mesh)))
            .geometry;
    return complete;
}

/// The options of the body with `size` and `clearance` worked in.
BodyOptions placed(const SceneBody& body, std::span<const BodyMesh> meshes) {
    BodyOptions options = body.options;
    options.name = body.name;
    if (body.size && std::ranges::any_of(meshes, &BodyMesh::open))
        fail(ErrorCode::bad_scene,
             "\"size\" is by volume, and this mesh is not closed, which the model \"{}\" takes as "
             "it "
             "is; set \"scale\" instead",
             body.options.model.name);
    if (body.size) options.scale *= *body.size / size_of(meshes);
    if (body.clearance) options.position.y += *body.clearance - lowest_of(meshes, options);
    return options;
}

bool contains(const Region& region, Vec3 p) {
    if (const auto* sphere = std::get_if<SphereRegion>(&region))
        return norm(p - sphere->centre) <= sphere->radius;
    const auto* box = std::get_if<BoxRegion>(&region);
    if (!box) return true;
    for (int i = 0; i < 3; ++i)
        if (!(p[i] >= box->lower[i] && p[i] <= box->upper[i])) return false;
    return true;
}

std::vector<Vec3> positions_of(const Body& body) {
    std::vector<Vec3> positions(body.positions().size());
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = body.position(i);
    return positions;
}

std::vector<std::uint32_t> chosen(const Region& region, std::span<const Vec3> positions) {
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t i = 0; i < positions.size(); ++i)
        if (contains(region, positions[i])) vertices.push_back(i);
    return vertices;
}

Vec3 moved(const Path& path, double time, Vec3 pivot, Vec3 point) {
    return pivot + path.at(time).to_world(point - pivot);
}

}  // namespace

LiveScene::LiveScene(const Scene& scene)
    : scene_(scene), world_(std::make_unique<World>(scene.world)) {
    add(scene_);
}

void LiveScene::add(const Scene& more) {
    const std::size_t bodies = bodies_.size(), rigids = rigids_.size(),
                      colliders = colliders_.size();
    try {
        add_all(more);
    } catch (...) {
        // All of it or nothing.
        while (bodies_.size() > bodies) remove(bodies_.back().body.id());
        for (; rigids_.size() > rigids; rigids_.pop_back())
            world_->remove_rigid(rigids_.back().id());
        for (; colliders_.size() > colliders; colliders_.pop_back())
            world_->remove_collider(colliders_.back());
        throw;
    }
}

void LiveScene::add_all(const Scene& more) {
    require_possible(more);
    warnings_.insert(warnings_.end(), more.notes.begin(), more.notes.end());
    const std::size_t first_body = bodies_.size();
    add_colliders(more);
    for (const auto& [surfaces, friction, where] : more.friction_pairs)
        at_place(more, where, [&] { world_->set_friction(surfaces[0], surfaces[1], friction); });
    const auto start = std::chrono::steady_clock::now();
    add_bodies(more);
    add_rigids(more);
    bake_milliseconds_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    add_handles(more, first_body);
}

void LiveScene::remove(BodyId id) {
    std::erase_if(handles_, [&](const LiveHandle& handle) { return handle.body.id() == id; });
    std::erase_if(bodies_, [&](const LiveBody& body) { return body.body.id() == id; });
    std::erase_if(straightening_, [&](const auto& s) { return s.body.id() == id; });
    world_->remove_body(id);
}

void LiveScene::bend_straight(BodyId id) {
    constexpr double periods = 3;  // of its wobble: enough to come back
    constexpr double longest = 5;  // [s]: what hardly resists does not come back in any time
    for (LiveBody& live : bodies_) {
        if (id != 0 && live.body.id() != id) continue;
        live.body.reset_shape();
        std::erase_if(straightening_, [&](auto& s) { return s.body.id() == live.body.id(); });
        if (!live.body.material().plasticity) continue;
        const double seconds = std::min(periods / std::max(live.body.frequency(), 1e-6), longest);
        straightening_.push_back({live.body, time() + seconds});
    }
}

void LiveScene::restore(std::span<const std::byte> snapshot) {
    world_->restore(snapshot);
    straightening_.clear();
    steps_done_ = static_cast<std::size_t>(std::llround(world_->time() / scene_.dt));
    std::erase_if(handles_, [](const LiveHandle& handle) { return !handle.body.alive(); });
    for (LiveHandle& handle : handles_) {
        if (handle.torn && world_->time() < *handle.torn) handle.torn.reset();
        handle.released = handle.torn || (handle.until && time() > *handle.until + 1e-9);
    }
    std::erase_if(bodies_, [](const LiveBody& body) { return !body.body.alive(); });
    colliders_ = world_->colliders();
    rigids_ = world_->rigids();
    for (const Body& body : world_->bodies())
        if (std::ranges::none_of(bodies_, [&](auto& b) { return b.body.id() == body.id(); }))
            bodies_.push_back(
                {body, body.name(),
                 group_of_piece_.contains(body.id()) ? group_of_piece_[body.id()] : body.name(),
                 body.volume_mode()});
}

void LiveScene::add_colliders(const Scene& from) {
    for (std::size_t i = 0; i < from.colliders.size(); ++i)
        at_place(from, fmt::format("/colliders/{}", i), [&] {
            const auto file = std::ranges::find(from.collider_files, i, &ColliderFile::collider);
            colliders_.push_back(world_->add_collider(
                file == from.collider_files.end() ? from.colliders[i]
                                                  : with_triangles(from.colliders[i], *file)));
        });
}

void LiveScene::add_handles(const Scene& from, std::size_t first_body) {
    for (const SceneHandle& handle : from.handles)
        for (const LiveBody& body : std::span(bodies_).subspan(first_body))
            if (body.is_called(handle.body))
                at_place(from, handle.where, [&] { add_handle(handle, body.body); });
}

void LiveScene::add_bodies(const Scene& from) {
    // Copies share a shape, but each may have a model of its own.
    std::map<std::pair<const Shape*, bool>, std::vector<BodyMesh>> made;
    for (const SceneBody& body : from.bodies) {
        const std::pair key{body.shape.get(), takes_any_mesh(body)};
        auto at = made.find(key);
        if (at == made.end()) at = made.emplace(key, meshes_of(from, body, warnings_)).first;
        at_place(from, body.where, [&] {
            const BodyOptions options = placed(body, at->second);
            for (const BodyMesh& mesh : at->second) add_body(body, mesh, options);
            if (static_cast<double>(world_->particles()) > most_particles)
                fail(ErrorCode::bad_scene,
                     "with this body the scene has more than {:.0f} million particles; set "
                     "sim_vertices",
                     most_particles / 1e6);
        });
    }
}

void LiveScene::add_body(const SceneBody& body, const BodyMesh& mesh, const BodyOptions& options) {
    BodyOptions of_mesh = options;
    of_mesh.display = mesh.shown ? &*mesh.shown : nullptr;
    of_mesh.relative_masses = mesh.relative_masses;
    of_mesh.matching_weights = mesh.matching_weights;
    Body added = world_->add_body(mesh.simulated, body.material, of_mesh);
    const double asked = body.material.frequency / added.size();
    const auto& settings = added.model().settings;
    const bool stiffness_is_set = body.material.stiffness || settings.contains("stiffness") ||
                                  settings.contains("E") || settings.contains("G");
    if (!stiffness_is_set && added.frequency() < 0.95 * asked)
        warnings_.push_back(fmt::format(
            "{} would wobble at {:.3g} Hz, which takes too many sub-steps; it wobbles at {:.3g} Hz",
            added.name(), asked, added.frequency()));
    if (body.start != BodyStart::rest)
        added.set_positions(start_positions(body.start, positions_of(added), added.normals(),
                                            added.size(), added.id()));
    bodies_.push_back({added, added.name(), body.group, options.volume});
}

void LiveScene::add_rigids(const Scene& from) {
    for (const SceneRigid& rigid : from.rigids)
        at_place(from, rigid.where, [&] {
            RigidBody body = rigid.body;
            if (rigid.mesh) {
                auto meshes = make_body_meshes(*rigid.mesh, {}, warnings_);
                if (meshes.size() != 1)
                    fail(ErrorCode::bad_scene, "a convex mesh must be one part, not {}",
                         meshes.size());
                body.mesh = std::move(meshes.front().simulated);
            }
            rigids_.push_back(world_->add_rigid(body));
        });
}

void LiveScene::add_handle(const SceneHandle& handle, const Body& on) {
    Body body = on;
    const std::vector<Vec3> positions = positions_of(body);
    const auto vertices = chosen(handle.region, positions);
    if (vertices.empty())
        fail(ErrorCode::bad_scene,
             "the region holds no vertex of body \"{}\"; make it larger or move it", body.name());
    LiveHandle live{handle.kind, body, 0, handle.path, handle.target, {}, {}, handle.until};
    if (handle.kind == SceneHandle::Kind::force) {
        live.vertices = vertices;
    } else if (handle.kind == SceneHandle::Kind::pin) {
        live.id = body.pin(vertices, handle.path);
    } else if (handle.kind == SceneHandle::Kind::drag) {
        live.id = body.drag(vertices, moved(handle.path, 0, handle.target, handle.target),
                            handle.frequency);
    } else {
        std::vector<double> strength(positions.size(), 0.0);
        for (const auto i : vertices) strength[i] = handle.strength;
        live.pivot = body.centre_of_mass();
        live.start = positions;
        live.id = body.follow(positions, strength);
    }
    handles_.push_back(std::move(live));
}

void LiveScene::move_handle(LiveHandle& handle, double time) const {
    if (handle.released) return;
    if (handle.until && time > *handle.until + 1e-9) {
        if (handle.kind != SceneHandle::Kind::force) handle.body.release(handle.id);
        handle.released = true;
    } else if (handle.kind == SceneHandle::Kind::drag) {
        handle.body.move_handle(handle.id, moved(handle.path, time, handle.pivot, handle.pivot));
    } else if (handle.kind == SceneHandle::Kind::follow) {
        std::vector<Vec3> targets = handle.start;
        for (Vec3& p : targets) p = moved(handle.path, time, handle.pivot, p);
        handle.body.move_handle(handle.id, targets);
    }
}

/// Of the handles that push; what several say of a vertex adds up.
void LiveScene::set_forces(double time) {
    std::map<BodyId, std::map<std::uint32_t, Vec3>> forces;
    for (const LiveHandle& handle : handles_) {
        if (handle.kind != SceneHandle::Kind::force || handle.torn) continue;
        const Vec3 force = handle.released ? Vec3{} : handle.path.at(time).position;
        const double share = 1 / static_cast<double>(handle.vertices.size());
        for (const auto i : handle.vertices) forces[handle.body.id()][i] += share * force;
    }
    for (LiveBody& body : bodies_)
        if (const auto of_body = forces.find(body.body.id()); of_body != forces.end())
            for (const auto& [vertex, force] : of_body->second) body.body.set_force(vertex, force);
}

void LiveScene::step() {
    const double end = static_cast<double>(steps_done_ + 1) * scene_.dt;
    for (LiveHandle& handle : handles_) move_handle(handle, end);
    set_forces(end - 0.5 * scene_.dt);
    std::erase_if(straightening_, [&](const auto& s) { return time() > s.until; });
    for (Straightening& s : straightening_) s.body.reset_shape();
    try {
        world_->step(scene_.dt);
    } catch (...) {
        follow_tears();  // other bodies may have torn
        throw;
    }
    ++steps_done_;
    follow_tears();
}

/// Pieces are bodies of the same group. Handles go along, but for forces and what follows targets:
/// they go by vertices, which are others now, and end.
void LiveScene::follow_tears() {
    for (const TearEvent& tear : world_->tears()) {
        Body piece = world_->body(tear.piece);
        for (LiveHandle& handle : handles_) {
            const bool by_vertices =
                handle.kind == SceneHandle::Kind::force || handle.kind == SceneHandle::Kind::follow;
            if (handle.body.id() != tear.body || !by_vertices || handle.torn) continue;
            if (handle.kind == SceneHandle::Kind::follow) handle.body.release(handle.id);
            handle.torn = world_->time();
            handle.released = true;
        }
        for (std::uint32_t v = 0; v < piece.positions().size(); ++v) piece.set_force(v, {});
        if (tear.piece == tear.body) continue;
        const auto whole = std::ranges::find(bodies_, tear.body,
                                             [](const LiveBody& live) { return live.body.id(); });
        if (whole == bodies_.end()) continue;
        bodies_.push_back({piece, piece.name(), whole->group, whole->volume});
        group_of_piece_[tear.piece] = bodies_.back().group;
    }
}

}  // namespace turgor
