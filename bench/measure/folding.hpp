#pragma once

#include "measure/measure.hpp"

/// Bodies that touch themselves, and bodies that are crushed, measured from outside.
namespace turgor::measure {

/// How deep the deepest vertex of a body has gone through its own surface, in units of its mean
/// edge, by winding numbers. Vertices at a crease, whose nearest part of the surface is less than
/// two edges away at rest, do not count.
class SelfJudge {
public:
    explicit SelfJudge(const Mesh& rest);
    double deepest(const Body& body) const;
    /// At how many vertices it is turned inside out.
    int inside_out(const Body& body) const;

private:
    struct Shape;
    Mesh rest_;
    double edge_ = 0;
};

struct Folded {
    double deepest = 0;     ///< at any time, in edges
    double afterwards = 0;  ///< at the end, in edges
    double volume = 0;      ///< largest relative error
    double shape = 0;       ///< shape_error at the end
    double speed = 0;       ///< of the fastest particle, at the end [m/s]
};
/// A bar bent to a U by its ends, pressed shut between two plates and let go.
Folded fold_bar(Backend backend, int points, bool self_contact = true);
/// A snake of `length` [m] dropped on its tail into a cup, where it coils.
Folded coil_snake(Backend backend, double length, double seconds, bool self_contact = true);
/// A standing body of 1 m pressed to a share of its height and let go.
Folded press_flat(Backend backend, const Mesh& mesh, double share, bool self_contact = true);

/// A duck thrown on the ground: at how many vertices it was inside out at the worst time.
int throw_duck(Backend backend, double speed, bool self_contact = true);

/// What a crush does to bodies and whether they recover.
struct Crushed {
    double penetration = 0;  ///< deepest in a collider or another body, of its size
    double volume = 0;       ///< largest relative error
    double trembling = 0;    ///< fastest particle while held, at the end of that [m/s]
    double shape = 0;        ///< largest shape_error two seconds after it was let go
};
/// A ball pressed between plates to a share of its height.
Crushed press_ball(Backend backend, double share);
/// Layers of four balls in a box whose walls close until the balls fill four fifths of it, without
/// gravity, so that all are squeezed alike.
Crushed shrink_box(Backend backend, int layers);

}  // namespace turgor::measure
