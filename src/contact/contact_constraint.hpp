#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/for_each.hpp"
#include "base/mat3.hpp"
#include "base/quad.hpp"
#include "body/response.hpp"
#include "contact/friction.hpp"
#include "turgor/math.hpp"
#include "turgor/scheduler.hpp"

namespace turgor {

/// Stage 3 between bodies. Contacts push particles of different bodies apart, and each body's
/// volume pushes back: both are solved together (docs/methods.md, "Contact between bodies"),
/// pressure being one more unknown of each body.

/// The particles that have constraints, body after body, in double precision and world coordinates.
/// A rigid body has two entries: its centre of mass, then its rotation vector since the sub-step
/// began [rad] (x, x_start) or its angular velocity (v).
struct SolverParticles {
    std::vector<Vec3> x_start, x, v;
    std::vector<double> per_mass;         ///< [1/kg], 0 where pinned
    std::vector<Vec3> normal;             ///< n̄
    std::vector<Vec3> pressure_response;  ///< displacement per pressure of its body
    std::vector<Vec3> x_before;           ///< x before the first sweep
    std::vector<Mat3> per_inertia;        ///< of each rigid body [1/(kg m²)]
    /// Of bodies that answer as a whole, by their places; their particles have no per_mass.
    std::vector<Response*> responses;
    using Field = Response::Field;
    std::vector<Vec3>& of(Field field) {
        return field == Field::start ? x_start : field == Field::position ? x : v;
    }
    const std::vector<Vec3>& of(Field field) const {
        return field == Field::start ? x_start : field == Field::position ? x : v;
    }
    void resize(std::size_t n);
};

/// A body as the solver sees it, and its part of the solution.
struct SolverBody {
    std::size_t first = 0, count = 0;  ///< its particles
    double compliance = 0;             ///< ∂V/∂pressure; 0: the volume is not constrained
    double missing_volume = 0;         ///< volume that is missing before [m³]
    double max_pressure = 0;
    double elsewhere = 0;           ///< the part of it due to particles without constraints
    double pressure = 0;            ///< solution: particles move by pressure × response
    Vec3 angular_momentum_error{};  ///< angular momentum that impulses between distant points add
                                    ///< [kg m²/s]
};

/// Keeps gap = normal · Σ weight x − offset ≥ 0 between a vertex and a point of a triangle, two
/// points of edges, or a particle and a collider. Either side may be a point of a rigid body, at
/// `arm` from its centre of mass; the offset then contains the arm as it was when the sub-step
/// began.
struct alignas(64) ContactConstraint {
    static constexpr std::uint32_t none = 0xffffffff;
    // The members that every sweep reads come first, in three cache lines.
    std::uint32_t particle[4] = {};  ///< the first `of_first` of body[0], the others of body[1]
    double weight[4] = {};           ///< > 0 of the first body, < 0 of the second
    std::uint32_t count = 0, of_first = 0;
    /// Which of the rigid bodies each side is, if any, or with this bit which of the responses.
    static constexpr std::uint32_t as_a_whole = 0x80000000;
    std::uint32_t rigid[2] = {none, none};
    Vec3 normal;                 ///< towards the first body
    double offset = 0;           ///< [m]
    double slack = 0;            ///< violation tolerated in this sub-step [m]
    double normal_mass = 0;      ///< effective mass along the normal, 1 / Σ weight²/m [kg]
    double tangential_mass = 0;  ///< effective mass in the softest tangential direction [kg]
    double push = 0;             ///< accumulated λ ≥ 0 [kg m]
    Vec3 friction_push;          ///< accumulated friction of the positions [kg m]
    Vec3 no_slip_offset;         ///< Σ weight x where nothing has slipped since the step began
    double friction = 0;         ///< coefficient at the present sliding speed
    double normal_impulse = 0;   ///< accumulated over the velocity sweeps [kg m/s]

    Vec3 friction_impulse;       ///< accumulated friction of the velocities [kg m/s]
    double wanted_velocity = 0;  ///< the least normal velocity afterwards [m/s]
    Vec3 surface_motion;         ///< of a collider during the step [m]
    bool disabled = false;       ///< a body has left the common stages: it recovers, or overflowed

    std::uint32_t body[2] = {none, none};  ///< in the island; `none`: a collider
    std::uint32_t pair = none;             ///< of the island; `none`: self or a collider
    double approach = 0;                   ///< normal velocity before, negative: closing [m/s]
    double sticking_speed = 0;             ///< [m/s]
    ContactCoefficients coefficients;      ///< between two bodies
    Vec3 arm[2];                           ///< of the points of rigid bodies [m]
    std::uint32_t point[2] = {};           ///< of a body that answers as a whole

    bool touching() const { return push > 0; }
    std::uint32_t body_of(std::uint32_t k) const { return body[k < of_first ? 0 : 1]; }
    bool has_rigid() const { return rigid[0] != none || rigid[1] != none; }
    bool is_whole(int side) const { return rigid[side] != none && (rigid[side] & as_a_whole) != 0; }
    /// The one particle of a rigid side.
    std::uint32_t centre(int side) const { return side == 0 ? 0 : of_first; }
};

/// Constraints in batches, and batches in colours: batches of one colour have no body in common, so
/// they can be solved at the same time, with the same result.
struct ContactConstraints {
    struct Batch {
        std::uint32_t first = 0, last = 0;
        double moved = 0;  ///< by the last sweep, at most [m]
    };
    AlignedVector<ContactConstraint> all;
    std::vector<Batch> batches;
    std::vector<std::uint32_t> colours;  ///< the first batch of each, and the end
    void clear();
    void end_batch();
    void end_colour();
};

/// Calls work(constraint) for each, in any order.
template <class Work>
void each_constraint(std::span<ContactConstraint> constraints, Scheduler* threads, Work&& work) {
    constexpr std::size_t part = 128;
    const auto parts = static_cast<std::uint32_t>((constraints.size() + part - 1) / part);
    for_each(threads, parts, [&](std::uint32_t k) {
        const std::size_t first = k * part;
        for (ContactConstraint& m :
             constraints.subspan(first, std::min(part, constraints.size() - first)))
            work(m);
    });
}

/// Calls work(batch) for every batch, colour after colour; returns the largest of what it returns.
template <class Work>
double each_batch(ContactConstraints& constraints, Scheduler* threads, Work&& work) {
    double most = 0;
    for (std::size_t c = 0; c + 1 < constraints.colours.size(); ++c) {
        const std::uint32_t first = constraints.colours[c], last = constraints.colours[c + 1];
        for_each(threads, last - first, [&](std::uint32_t k) {
            ContactConstraints::Batch& batch = constraints.batches[first + k];
            batch.moved =
                work(std::span(constraints.all).subspan(batch.first, batch.last - batch.first));
        });
        for (std::uint32_t b = first; b < last; ++b)
            most = std::max(most, constraints.batches[b].moved);
    }
    return most;
}

/// Overlap recovery. A share of the violation at x_start, at most `most` [m], is corrected in
/// x_start and x alike, so that no velocity is gained; the rest is tolerated in this sub-step
/// (slack). Also prepares effective masses, approach velocities and friction coefficients from v,
/// the predicted velocities.
void recover_overlaps(ContactConstraints& constraints, SolverParticles& particles, double share,
                      double most, Scheduler* threads);

/// Gauss–Seidel over contacts, friction against the motion since x_start, and the pressures that
/// restore volumes. Ends with a sweep over contacts: after `sweeps` of them, or one that moved
/// nothing by more than `enough` [m].
void solve_positions(ContactConstraints& constraints, std::span<SolverBody> bodies,
                     SolverParticles& particles, int sweeps, double enough, Scheduler* threads);

/// The velocity pass: touching constraints do not close, others do not close by more than their gap
/// within the step, and impacts faster than `least_bounce` [m/s] get their restitution.
void solve_velocities(ContactConstraints& constraints, SolverParticles& particles, double h,
                      double least_bounce, int sweeps, Scheduler* threads);

/// The two impulses of a constraint act at points that are a gap and a slip apart and so change the
/// angular momentum. Adds that error to both bodies, half to each, to be returned.
void sum_angular_momentum_errors(std::span<const ContactConstraint> constraints,
                                 const SolverParticles& particles, double h,
                                 std::span<SolverBody> bodies);

/// The gap at x [m], negative: violated.
double gap_of(const ContactConstraint& constraint, const SolverParticles& particles);

}  // namespace turgor
