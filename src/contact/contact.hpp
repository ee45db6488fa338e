#pragma once

#include <span>
#include <vector>

#include "body/support.hpp"
#include "contact/colliders.hpp"
#include "contact/friction.hpp"

namespace turgor {

/// Stage 3 against colliders; contacts between bodies are in contact_constraint.hpp.

/// A collider during one (sub-)step: its pose at the start and at the end.
struct MovingCollider {
    MovingCollider() = default;
    MovingCollider(const Collider* c, std::uint32_t number, const Pose& from, const Pose& to)
        : collider(c),
          id(number),
          start(from),
          end(to),
          up(rotate(to.rotation, {0, 1, 0})),
          moves_(from != to) {}

    const Collider* collider = nullptr;
    std::uint32_t id = 0;
    Pose start, end;
    Vec3 up;  ///< its y axis at the end: a plane's normal
    std::uint32_t surface_id = FrictionPairs::no_surface_id;  ///< its number
    bool moves() const { return moves_; }

private:
    bool moves_ = false;
};

/// A particle at or near a collider.
struct Contact {
    std::uint32_t particle = 0;  ///< of the body
    std::uint32_t collider = 0;  ///< its index in the list given
    Vec3 point, normal;          ///< the plane that stops the particle, now
    Vec3 surface_motion;         ///< how far the surface moved there during the step [m]
    double friction = 0;         ///< as fast as it slides
    double restitution = 0;
    double depth = 0;       ///< how far inside the particle was when the step began [m]
    double push = 0;        ///< accumulated displacement along the normal [m]
    double approach = 0;    ///< normal velocity before the contact, relative to the surface [m/s],
                            ///< negative: closing
    bool touching = false;  ///< it was pushed
    bool sensor = false;    ///< the collider is a sensor: it pushes nothing
    bool inside = false;    ///< the particle is inside a sensor
    /// Its index in the arrays that the functions below are given beside contacts. They may be
    /// those of a few particles only; where they are the whole body's, it is `particle`.
    std::uint32_t entry = 0;
};

struct ContactSettings {
    double margin = 0;          ///< contacts are kept within this gap [m]
    ContactCoefficients own{};  ///< of the body alone
    CollisionFilter filter{};
    double h = 1;                                             ///< the (sub-)step [s]
    double sticking_speed = 0;                                ///< [m/s]
    std::uint32_t surface_id = FrictionPairs::no_surface_id;  ///< of the body: its number
    const FrictionPairs* pairs = nullptr;

    /// What acts between the body and this collider.
    ContactCoefficients on(const MovingCollider& collider) const;
};

/// Whether anything within a ball may come near the collider during the step. A moving collider may
/// meet it between its poses: it stays in reach of both ends of its way.
bool in_reach(const MovingCollider& collider, Vec3 middle, double radius);

/// Adds the contact of one particle on its way from x_start to x with collider number k, if it
/// comes within the margin. `coefficients`: settings.on(collider). Its entry is the particle.
void add_contact(const MovingCollider& collider, std::uint32_t k, const ContactSettings& settings,
                 const ContactCoefficients& coefficients, std::uint32_t particle, Vec3 x_start,
                 Vec3 x, Vec3 v, std::vector<Contact>& contacts);

/// Finds all particles within the margin of a collider, on their way from x_start to x: arrays of
/// the whole body, or of its surface.
void find_contacts(std::span<const MovingCollider> colliders, const ContactSettings& settings,
                   std::span<const Vec3> x_start, std::span<const Vec3> x, std::span<const Vec3> v,
                   std::vector<Contact>& contacts);

/// The same for pairs that are not among the contacts yet, which stay.
void find_more_contacts(std::span<const MovingCollider> colliders, const ContactSettings& settings,
                        std::span<const Vec3> x_start, std::span<const Vec3> x,
                        std::span<const Vec3> v, std::vector<Contact>& contacts);

/// How deep the deepest particle is inside a collider that it collides with [m], 0 where none is.
double deepest(std::span<const MovingCollider> colliders, const CollisionFilter& filter,
               std::span<const Vec3> x);

/// Depenetration of a body that was inside a collider when the sub-step began, because it was put
/// there. Returns the displacement, a share of the depth, that is to be added to all x_start and x:
/// so no velocity is gained. The rest of the depth is tolerated in this sub-step.
Vec3 depenetrate(std::span<Contact> contacts, double share);

/// Moves particles out of colliders, with Coulomb friction against the motion since x_start. True
/// if any was moved by more than `least`.
bool push_out(std::span<Contact> contacts, std::span<const Vec3> x_start, std::span<Vec3> x,
              double least);

/// Friction of the volume correction's push, which push_out does not see: `pressed` [m] for each
/// particle. `nearest` is scratch, one for each particle.
void apply_pressed_friction(std::span<const Contact> contacts, std::span<const double> pressed,
                            std::span<const Vec3> x_start, std::span<Vec3> x,
                            std::vector<const Contact*>& nearest);

/// How firmly contacts hold particles against the volume correction: 1 where they touch, fading to
/// 0 at `fade` [m].
void mark_supports(std::span<const Contact> contacts, std::span<const Vec3> x, double fade,
                   std::span<Support> supports);

/// Removes the closing velocity at touching contacts and adds the restitution of those that just
/// hit.
void stop_closing(std::span<const Contact> contacts, double h, double least_bounce,
                  std::span<Vec3> v);

}  // namespace turgor
