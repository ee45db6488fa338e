#pragma once

#include "base/quad.hpp"

namespace turgor {

/// What w says beside each vector of a particle in the cpu form. Whoever moves or copies a vector
/// keeps its w, unless the table says more.
///
/// | array         | w                                                                       |
/// |---------------|-------------------------------------------------------------------------|
/// | x             | 0 where pinned in this sub-step, else 1; between sub-steps 1            |
/// | v             | `pressed` of Particles [m]: stage 1 moves it to x_start, stage 4 adds   |
/// | x_start       | `pressed` of the last sub-step                                          |
/// | normal, n̄     | its length [m²]                                                         |
/// | direction, D  | 0, so that adding it to x and v leaves their w                          |

inline Quad to_free_position(Vec3 x) {
    return to_quad(x, 1);
}
inline Quad to_pinned_position(Vec3 x) {
    return to_quad(x, 0);
}
inline bool is_pinned(const Quad& x) {
    return x.w == 0;
}
inline void unpin(Quad& x) {
    x.w = 1;
}

inline Quad to_velocity(Vec3 v, double pressed) {
    return to_quad(v, pressed);
}
/// Of an element of v or of x_start [m].
inline float pressed_of(const Quad& q) {
    return q.w;
}
inline void add_pressed(Quad& v, double by) {
    v.w += static_cast<float>(by);
}

inline float length_of(const Quad& normal) {
    return normal.w;
}

}  // namespace turgor
