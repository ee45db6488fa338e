#pragma once

#include <cmath>
#include <vector>

#include "turgor/turgor.hpp"

namespace turgor {

/// A little of everything: two bodies, a moving collider, a pin, a drag, a force.
struct Mixed {
    World world;
    Body a, b;
    HandleId drag;
    Mixed()
        : a(world.add_body(shapes::uv_sphere(0.5, 16, 15), Material::named("jelly"),
                           {.position = {0, 0.7, 0}})),
          b(world.add_body(shapes::gummy_bear(1, 300), Material::named("gummy"),
                           {.position = {2, 0.2, 0}})) {
        world.add_collider(Collider::ground());
        Collider mover = Collider::sphere({0, 1.5, 0}, 0.3);
        mover.path = {{{0, {}}, {0.5, {{0, -0.5, 0}, {}}}}, true, true};
        world.add_collider(mover);
        b.pin(b.vertices_near({2, 1.2, 0}, 0.2), {{{0, {}}, {1, {{0, 0.3, 0}, {}}}}, false, false});
        drag = a.drag(std::vector<std::uint32_t>{0, 1, 2}, {0.5, 1, 0});
        a.set_force({1, 0, 2});
        a.set_force(5, {3, 0, 0});
    }
    void run(int steps) {
        for (int k = 0; k < steps; ++k) {
            a.move_handle(drag, {0.5 * std::sin(world.time()), 1, 0});
            world.step();
        }
    }
};

}  // namespace turgor
