#include <cmath>
#include <turgor/turgor.hpp>

int main() {
    turgor::World world;
    world.add_collider(turgor::Collider::ground());
    const turgor::Mesh ball = turgor::shapes::uv_sphere(0.5, 20, 19);
    turgor::Body body =
        world.add_body(ball, turgor::Material::named("jelly"), {.position = {0, 1, 0}});
    for (int i = 0; i < 60; ++i) world.step(1.0 / 60);
    return std::abs(body.volume() / body.rest_volume() - 1) < 1e-7 ? 0 : 1;
}
