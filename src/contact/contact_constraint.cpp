#include "contact/contact_constraint.hpp"

#include <algorithm>
#include <atomic>

namespace turgor {
namespace {

using Field = Response::Field;

template <class Work>
void each_rigid_side(const ContactConstraint& m, Work&& work) {
    for (const int side : {0, 1})
        if (m.rigid[side] != ContactConstraint::none && !m.is_whole(side))
            work(side, m.centre(side));
}

/// Calls work(response, point, sign) for sides that answer as a whole.
template <class Work>
void each_whole_side(const ContactConstraint& m, const SolverParticles& p, Work&& work) {
    for (const int side : {0, 1})
        if (m.is_whole(side))
            work(*p.responses[m.rigid[side] & ~ContactConstraint::as_a_whole], m.point[side],
                 side == 0 ? 1.0 : -1.0);
}

/// Σ weight a over the particles of a constraint.
Vec3 difference(const ContactConstraint& m, const SolverParticles& p, Field field) {
    const std::vector<Vec3>& a = p.of(field);
    Vec3 sum = m.weight[0] * a[m.particle[0]];
    for (std::uint32_t k = 1; k < m.count; ++k) sum += m.weight[k] * a[m.particle[k]];
    if (!m.has_rigid()) return sum;
    each_rigid_side(m, [&](int side, std::uint32_t k) {
        sum += m.weight[k] * cross(a[m.particle[k] + 1], m.arm[side]);
    });
    each_whole_side(m, p, [&](const Response& body, std::uint32_t point, double sign) {
        sum += sign * body.displacement(field, point);
    });
    return sum;
}

/// The same for where impulses act: with the arms of rigid bodies, as they were.
Vec3 lever(const ContactConstraint& m, const SolverParticles& p, Field field) {
    const std::vector<Vec3>& a = p.of(field);
    Vec3 sum;
    for (std::uint32_t k = 0; k < m.count; ++k) sum += m.weight[k] * a[m.particle[k]];
    each_rigid_side(m, [&](int side, std::uint32_t k) { sum += m.weight[k] * m.arm[side]; });
    return sum;
}

/// Moves the particles of a constraint by an impulse, each by its mass.
void apply(const ContactConstraint& m, SolverParticles& p, Vec3 impulse, Field field) {
    std::vector<Vec3>& a = p.of(field);
    for (std::uint32_t k = 0; k < m.count; ++k)
        a[m.particle[k]] += m.weight[k] * p.per_mass[m.particle[k]] * impulse;
    if (!m.has_rigid()) return;
    each_rigid_side(m, [&](int side, std::uint32_t k) {
        a[m.particle[k] + 1] +=
            p.per_inertia[m.rigid[side]] * cross(m.arm[side], m.weight[k] * impulse);
    });
    each_whole_side(m, p, [&](Response& body, std::uint32_t point, double sign) {
        body.push(field, point, sign * impulse);
    });
}

/// How the turning of rigid bodies, and bodies that answer as a whole, soften a constraint: along
/// its normal, and the most along its surface.
struct RotationalCompliance {
    double normal = 0, surface = 0;
};
RotationalCompliance rotational_compliance(const ContactConstraint& m, const SolverParticles& p) {
    RotationalCompliance t;
    const auto add = [&](const Mat3& soft) {
        const Vec3 n = m.normal, along = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
        const Vec3 u = normalized(cross(n, along)), v = cross(n, u);
        const double uu = dot(u, soft * u), vv = dot(v, soft * v), uv = dot(u, soft * v);
        t.normal += dot(n, soft * n);
        t.surface += 0.5 * (uu + vv) + std::sqrt(0.25 * (uu - vv) * (uu - vv) + uv * uv);
    };
    each_rigid_side(m, [&](int side, std::uint32_t) {
        const Mat3 arm = skew(m.arm[side]);
        add(transpose(arm) * p.per_inertia[m.rigid[side]] * arm);
    });
    each_whole_side(m, p, [&](const Response& body, std::uint32_t point, double) {
        add(body.compliance(point, point));
    });
    return t;
}

Vec3 tangential(const ContactConstraint& m, Vec3 v) {
    return v - dot(v, m.normal) * m.normal;
}

Vec3 at_most(Vec3 v, double length) {
    const double square = dot(v, v);
    return square > length * length ? length / std::sqrt(square) * v : v;
}

/// Finds the pressure that makes up for the volume that contacts have taken.
void balance(SolverBody& body, SolverParticles& p) {
    if (!(body.compliance > 0)) return;
    const std::size_t end = body.first + body.count;
    double missing = body.missing_volume - body.pressure * body.elsewhere;
    for (std::size_t i = body.first; i < end; ++i)
        missing -= dot(p.normal[i], p.x[i] - p.x_before[i]) / 3;
    const double wanted = std::clamp(body.pressure + missing / body.compliance, -body.max_pressure,
                                     body.max_pressure);
    const double more = wanted - body.pressure;
    body.pressure = wanted;
    for (std::size_t i = body.first; i < end; ++i) p.x[i] += more * p.pressure_response[i];
}

}  // namespace

void SolverParticles::resize(std::size_t n) {
    x_start.resize(n);
    x.resize(n);
    v.resize(n);
    per_mass.resize(n);
    normal.resize(n);
    pressure_response.resize(n);
}

double gap_of(const ContactConstraint& m, const SolverParticles& p) {
    return dot(difference(m, p, Field::position), m.normal) - m.offset;
}

void ContactConstraints::clear() {
    all.clear();
    batches.clear();
    colours.assign(1, 0);
}

void ContactConstraints::end_batch() {
    const std::uint32_t first = batches.empty() ? 0 : batches.back().last;
    const auto last = static_cast<std::uint32_t>(all.size());
    if (last > first) batches.push_back({first, last});
}

void ContactConstraints::end_colour() {
    const auto end = static_cast<std::uint32_t>(batches.size());
    if (end > colours.back()) colours.push_back(end);
}

void recover_overlaps(ContactConstraints& constraints, SolverParticles& p, double share,
                      double most, Scheduler* threads) {
    std::atomic<bool> any = false;
    each_constraint(constraints.all, threads, [&](ContactConstraint& m) {
        double inverse_mass = 0, lightest = 0;
        for (std::uint32_t k = 0; k < m.count; ++k) {
            const double per_mass = p.per_mass[m.particle[k]];
            inverse_mass += m.weight[k] * m.weight[k] * per_mass;
            lightest = std::max(lightest, per_mass);
        }
        // Where the others are pinned, a corner far from the point would be thrown as by a lever.
        inverse_mass = std::max(inverse_mass, 0.1 * lightest);
        m.normal_mass = m.tangential_mass = inverse_mass > 0 ? 1 / inverse_mass : 0;
        if (m.has_rigid()) {
            const RotationalCompliance rotational = rotational_compliance(m, p);
            m.normal_mass = 1 / (inverse_mass + rotational.normal);
            m.tangential_mass = 1 / (inverse_mass + rotational.surface);
        }
        const Vec3 velocity = difference(m, p, Field::velocity);
        m.approach = dot(velocity, m.normal);
        if (m.coefficients.sticks())
            m.friction = m.coefficients.at(norm(tangential(m, velocity)), m.sticking_speed);
        const double start = dot(difference(m, p, Field::start), m.normal) - m.offset;
        // How close it may be when it has been moved; `push` is for the way there.
        m.slack = start < 0 ? -start - std::min(share * -start, most) : 0;
        if (start < 0) any = true;
    });
    if (!any) return;
    const auto sweep_batch = [&](std::span<ContactConstraint> batch) {
        for (ContactConstraint& m : batch) {
            const double gap = dot(difference(m, p, Field::start), m.normal) - m.offset + m.slack;
            if (gap >= 0 && m.push == 0) continue;
            const double push = std::max(-gap * m.normal_mass, -m.push);
            m.push += push;
            apply(m, p, push * m.normal, Field::start);
            apply(m, p, push * m.normal, Field::position);
        }
        return 0.0;
    };
    // What is caught between two bodies must not be pushed to and fro.
    constexpr int sweeps = 4;
    for (int sweep = 0; sweep < sweeps; ++sweep) each_batch(constraints, threads, sweep_batch);
    each_constraint(constraints.all, threads, [&](ContactConstraint& m) {
        m.push = 0;
        m.slack = std::max(0.0, m.offset - dot(difference(m, p, Field::start), m.normal));
    });
}

void solve_positions(ContactConstraints& constraints, std::span<SolverBody> bodies,
                     SolverParticles& p, int sweeps, double enough, Scheduler* threads) {
    p.x_before = p.x;
    for (SolverBody& body : bodies) {
        body.elsewhere = body.compliance;
        for (std::size_t i = body.first; i < body.first + body.count; ++i)
            body.elsewhere -= dot(p.normal[i], p.pressure_response[i]) / 3;
    }
    each_constraint(constraints.all, threads, [&](ContactConstraint& m) {
        m.no_slip_offset = difference(m, p, Field::start) + m.surface_motion;
    });
    const auto sweep_batch = [&](std::span<ContactConstraint> batch) {
        double most = 0;
        for (ContactConstraint& m : batch) {
            const Vec3 separation = difference(m, p, Field::position);
            const double gap = dot(separation, m.normal) - m.offset + m.slack;
            if (gap >= 0 && m.push == 0) continue;
            const double push = std::max(-gap * m.normal_mass, -m.push);
            most = std::max(most, std::abs(gap));
            m.push += push;
            // Pushing does not slide.
            const Vec3 slip = tangential(m, separation - m.no_slip_offset);
            const Vec3 friction_push =
                at_most(m.friction_push - m.tangential_mass * slip, m.friction * m.push);
            apply(m, p, push * m.normal + friction_push - m.friction_push, Field::position);
            m.friction_push = friction_push;
        }
        return most;
    };
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for_each(threads, static_cast<std::uint32_t>(bodies.size()),
                 [&](std::uint32_t b) { balance(bodies[b], p); });
        if (each_batch(constraints, threads, sweep_batch) < enough) break;
    }
}

void solve_velocities(ContactConstraints& constraints, SolverParticles& p, double h,
                      double least_bounce, int sweeps, Scheduler* threads) {
    each_constraint(constraints.all, threads, [&](ContactConstraint& m) {
        m.normal_impulse = 0;
        m.friction_impulse = {};
        m.wanted_velocity = 0;
        if (m.touching()) {
            const double before = m.approach - dot(m.surface_motion, m.normal) / h;
            if (before < -least_bounce) m.wanted_velocity = -m.coefficients.restitution * before;
        } else {
            m.wanted_velocity = std::min(0.0, -gap_of(m, p) / h);
        }
    });
    const auto sweep_batch = [&](std::span<ContactConstraint> batch) {
        for (ContactConstraint& m : batch) {
            const Vec3 velocity = difference(m, p, Field::velocity) - m.surface_motion / h;
            const double closing = dot(velocity, m.normal);
            if ((closing >= m.wanted_velocity && m.normal_impulse == 0) || m.disabled) continue;
            const double normal_impulse =
                std::max((m.wanted_velocity - closing) * m.normal_mass, -m.normal_impulse);
            m.normal_impulse += normal_impulse;
            const Vec3 friction_impulse =
                at_most(m.friction_impulse - m.tangential_mass * tangential(m, velocity),
                        m.friction * m.normal_impulse);
            apply(m, p, normal_impulse * m.normal + friction_impulse - m.friction_impulse,
                  Field::velocity);
            m.friction_impulse = friction_impulse;
        }
        return 0.0;
    };
    for (int sweep = 0; sweep < sweeps; ++sweep) each_batch(constraints, threads, sweep_batch);
}

void sum_angular_momentum_errors(std::span<const ContactConstraint> constraints,
                                 const SolverParticles& p, double h, std::span<SolverBody> bodies) {
    for (const ContactConstraint& m : constraints) {
        if (m.body[1] == ContactConstraint::none || (m.push == 0 && m.normal_impulse == 0) ||
            m.disabled)
            continue;
        const Vec3 pushed = (m.push * m.normal + m.friction_push) / h,
                   total_impulse = m.normal_impulse * m.normal + m.friction_impulse;
        const Vec3 excess = cross(lever(m, p, Field::start), pushed) +
                            cross(lever(m, p, Field::position), total_impulse);
        for (const auto body : m.body) bodies[body].angular_momentum_error += 0.5 * excess;
    }
}

}  // namespace turgor
