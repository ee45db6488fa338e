// The functions that the package calls, in WebAssembly's own types. Those that can fail return 0
// then; error_code and error_text say why. Texts and bytes that are returned lie at result_data
// until the next call.

#include <cstdlib>
#include <memory>

#include "base/errors.hpp"
#include "web_world.hpp"
#include "world/inspection.hpp"

#define TURGOR_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace turgor::web {
namespace {

using Length = std::uint32_t;

Status last;
std::vector<std::byte> result;

template <class Work>
auto trying(Work&& work) {
    return guarded(last, work);
}
/// For work that returns nothing.
template <class Work>
int doing(Work&& work) {
    return trying([&] {
        work();
        return 1;
    });
}

int answer(std::span<const std::byte> bytes) {
    result.assign(bytes.begin(), bytes.end());
    return 1;
}
int answer(const Json& json) {
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return answer(std::as_bytes(std::span(text)));
}

std::string_view text_at(const char* data, Length size) {
    return {data, size};
}

enum class From : std::uint32_t { settings, built_in, text };

Scene scene_from(From from, std::string_view text) {
    if (from == From::settings) return parse_part(text);
    if (from == From::built_in) return load_scene(std::string(text));
    return parse_scene(text, "scene.json");
}

}  // namespace

TURGOR_EXPORT(allocate) void* allocate(Length size) {
    return std::malloc(size);
}
TURGOR_EXPORT(release) void release(void* data) {
    std::free(data);
}
TURGOR_EXPORT(error_code) int error_code() {
    return static_cast<int>(last.code);
}
TURGOR_EXPORT(error_text) const char* error_text() {
    return last.message.c_str();
}
TURGOR_EXPORT(result_data) const std::byte* result_data() {
    return result.data();
}
TURGOR_EXPORT(result_size) Length result_size() {
    return static_cast<Length>(result.size());
}

TURGOR_EXPORT(list_scenes) int list_scenes() {
    return trying([] { return answer(scene_list()); });
}

TURGOR_EXPORT(list_models) int list_models() {
    return trying([] { return answer(model_list()); });
}

/// `model`: of all of the scene's bodies, as Model::parse reads it; empty: as the scene says.
TURGOR_EXPORT(create_world)
WebWorld* create_world(From from, const char* text, Length size, const char* model,
                       Length model_size) {
    return trying([&] {
        Scene scene = scene_from(from, text_at(text, size));
        SceneOverrides overrides;
        if (model_size > 0) overrides.model = text_at(model, model_size);
        apply(overrides, scene);
        return std::make_unique<WebWorld>(scene).release();
    });
}
TURGOR_EXPORT(destroy_world) void destroy_world(WebWorld* w) {
    delete w;
}
TURGOR_EXPORT(describe_world) int describe_world(WebWorld* w) {
    return trying([&] { return answer(w->description()); });
}

TURGOR_EXPORT(add_part) int add_part(WebWorld* w, const char* part, Length size) {
    return trying([&] { return answer(w->add(text_at(part, size))); });
}
TURGOR_EXPORT(add_mesh)
int add_mesh(WebWorld* w, const float* positions, Length numbers, const std::uint32_t* indices,
             Length corners, const char* part, Length size) {
    return trying([&] {
        return answer(w->add_mesh({positions, numbers}, {indices, corners}, text_at(part, size)));
    });
}
TURGOR_EXPORT(add_file)
int add_file(WebWorld* w, const std::byte* bytes, Length count, const char* name, Length name_size,
             const char* part, Length size) {
    return trying([&] {
        return answer(w->add_file({bytes, count}, std::string(text_at(name, name_size)),
                                  text_at(part, size)));
    });
}
TURGOR_EXPORT(remove_body) int remove_body(WebWorld* w, BodyId id) {
    return doing([&] { w->remove(id); });
}

TURGOR_EXPORT(step) int step(WebWorld* w) {
    return doing([&] { w->step(); });
}
/// Whether a body came apart further in the last step: it is drawn with other triangles then, and
/// there may be others.
TURGOR_EXPORT(has_torn) int has_torn(WebWorld* w) {
    return !w->live().world().tears().empty();
}
TURGOR_EXPORT(world_time) double world_time(WebWorld* w) {
    return w->world().time();
}
TURGOR_EXPORT(state_hash) std::uint64_t state_hash(WebWorld* w) {
    return w->world().state_hash();
}
TURGOR_EXPORT(volume_error) double volume_error(WebWorld* w) {
    return w->volume_error();
}

/// Addresses and counts of the arrays of one body, soft or rigid, brought up to date.
TURGOR_EXPORT(body_arrays) int body_arrays(WebWorld* w, std::uint32_t id, std::uint32_t* to) {
    return doing([&] {
        const DrawnArrays a = w->arrays(id);
        const auto put = [&](const void* data, std::size_t count) {
            *to++ = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(data));
            *to++ = static_cast<std::uint32_t>(count);
        };
        put(a.positions.data(), a.positions.size());
        put(a.normals.data(), a.normals.size());
        put(a.triangles.data(), a.triangles.size());
        put(a.point_of_vertex.data(), a.point_of_vertex.size());
    });
}
TURGOR_EXPORT(collider_poses) const float* collider_poses(WebWorld* w) {
    return w->collider_poses().data();
}

TURGOR_EXPORT(cast_ray)
int cast_ray(WebWorld* w, double ox, double oy, double oz, double dx, double dy, double dz) {
    return trying([&] {
        const auto hit = w->world().cast_ray({ox, oy, oz}, {dx, dy, dz});
        if (!hit) return answer(Json(nullptr));
        return answer({{"body", hit->body},
                       {"rigid", hit->rigid},
                       {"collider", hit->collider},
                       {"triangle", hit->triangle},
                       {"point", {hit->point.x, hit->point.y, hit->point.z}},
                       {"normal", {hit->normal.x, hit->normal.y, hit->normal.z}},
                       {"distance", hit->distance}});
    });
}

namespace {

std::vector<std::uint32_t> vertices_at(const Body& body, Vec3 point, double radius) {
    std::vector<std::uint32_t> vertices = body.vertices_near(point, radius);
    if (vertices.empty())
        fail(ErrorCode::bad_argument, "no vertex of '{}' is within {} m of that point", body.name(),
             radius);
    return vertices;
}

}  // namespace

TURGOR_EXPORT(drag)
HandleId drag(WebWorld* w, BodyId id, double x, double y, double z, double radius,
              double frequency) {
    return trying([&] {
        Body body = w->world().body(id);
        return body.drag(vertices_at(body, {x, y, z}, radius), {x, y, z}, frequency);
    });
}
TURGOR_EXPORT(pin)
HandleId pin(WebWorld* w, BodyId id, double x, double y, double z, double radius) {
    return trying([&] {
        Body body = w->world().body(id);
        return body.pin(vertices_at(body, {x, y, z}, radius));
    });
}
TURGOR_EXPORT(move_handle)
int move_handle(WebWorld* w, BodyId id, HandleId handle, double x, double y, double z) {
    return doing([&] { w->world().body(id).move_handle(handle, Vec3{x, y, z}); });
}
TURGOR_EXPORT(release_handle) int release_handle(WebWorld* w, BodyId id, HandleId handle) {
    return doing([&] { w->world().body(id).release(handle); });
}
TURGOR_EXPORT(push) int push(WebWorld* w, BodyId id, double x, double y, double z) {
    return doing([&] { w->world().body(id).apply_impulse({x, y, z}); });
}

TURGOR_EXPORT(change_material)
int change_material(WebWorld* w, BodyId id, const char* text, Length size) {
    return doing([&] { w->change_material(id, text_at(text, size)); });
}
/// `id` 0: all bodies.
TURGOR_EXPORT(reset_shape) int reset_shape(WebWorld* w, BodyId id) {
    return doing([&] { w->reset_shape(id); });
}
/// x, y, z of each point of body_arrays, in the shape that the body comes back to, where it is.
TURGOR_EXPORT(rest_shape) int rest_shape(WebWorld* w, BodyId id) {
    return trying([&] {
        const std::vector<Vec3f> points = Inspection::rest_shape(w->world().body(id)).positions;
        return answer(std::as_bytes(std::span(points)));
    });
}
TURGOR_EXPORT(set_gravity) int set_gravity(WebWorld* w, double x, double y, double z) {
    return doing([&] { w->world().set_gravity({x, y, z}); });
}
TURGOR_EXPORT(move_collider)
int move_collider(WebWorld* w, ColliderId id, double x, double y, double z) {
    return doing([&] {
        w->world().move_collider(id, {{x, y, z}, w->world().collider_pose(id).rotation});
    });
}

TURGOR_EXPORT(snapshot) int snapshot(WebWorld* w) {
    return trying([&] {
        const std::vector<std::byte> bytes = w->world().snapshot();
        return answer(std::span(bytes));
    });
}
TURGOR_EXPORT(restore) int restore(WebWorld* w, const std::byte* bytes, Length size) {
    return doing([&] { w->restore({bytes, size}); });
}

}  // namespace turgor::web
