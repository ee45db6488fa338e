#include "contact/meeting.hpp"

#include <algorithm>

namespace turgor {
namespace {

/// Σ weight a over the particles of a meeting.
template <class Array>
Vec3 difference(const Meeting& m, std::span<const MeetingBody> bodies, Array MeetingBody::*array) {
    Vec3 sum;
    for (std::uint32_t k = 0; k < m.count; ++k)
        sum += m.weight[k] * (bodies[m.body_of(k)].*array)[m.particle[k]];
    return sum;
}

/// Moves the particles of a meeting by an impulse, each by its mass, and calls moved(body, particle,
/// way).
template <class Array, class Moved>
void apply(const Meeting& m, std::span<MeetingBody> bodies, Array MeetingBody::*array, Vec3 impulse,
           Moved&& moved) {
    for (std::uint32_t k = 0; k < m.count; ++k) {
        MeetingBody& body = bodies[m.body_of(k)];
        const std::uint32_t i = m.particle[k];
        const Vec3 way = m.weight[k] * body.per_mass[i] * impulse;
        (body.*array)[i] += way;
        moved(body, i, way);
    }
}

Vec3 along_surface(const Meeting& m, Vec3 v) {
    return v - dot(v, m.normal) * m.normal;
}

Vec3 at_most(Vec3 v, double length) {
    const double l = norm(v);
    return l > length ? length / l * v : v;
}

/// Makes up for the volume that contacts have taken since the last time.
void balance(MeetingBody& body) {
    if (!(body.compliance > 0)) return;
    const double wanted = std::clamp(body.pressure + body.missing / body.compliance,
                                     -body.most_pressure, body.most_pressure);
    const double more = wanted - body.pressure;
    if (more == 0) return;
    body.pressure = wanted;
    body.missing -= more * body.compliance;
    for (std::size_t i = 0; i < body.x.size(); ++i) body.x[i] += more * body.yield[i];
}

}  // namespace

double gap_of(const Meeting& m, std::span<const MeetingBody> bodies) {
    return dot(difference(m, bodies, &MeetingBody::x), m.normal) - m.offset;
}

void part_gently(std::span<Meeting> meetings, std::span<MeetingBody> bodies, double share,
                 double most) {
    for (Meeting& m : meetings) {
        double softness = 0;
        for (std::uint32_t k = 0; k < m.count; ++k)
            softness += m.weight[k] * m.weight[k] * bodies[m.body_of(k)].per_mass[m.particle[k]];
        m.mass = softness > 0 ? 1 / softness : 0;
        const double start = dot(difference(m, bodies, &MeetingBody::x_start), m.normal) - m.offset;
        if (start >= 0) continue;
        const double way = std::min(share * -start, most);
        const auto nothing = [](MeetingBody&, std::uint32_t, Vec3) {};
        apply(m, bodies, &MeetingBody::x_start, way * m.mass * m.normal, nothing);
        apply(m, bodies, &MeetingBody::x, way * m.mass * m.normal,
              [](MeetingBody& body, std::uint32_t i, Vec3 moved) {
                  body.missing -= dot(body.normal[i], moved) / 3;
              });
    }
    for (Meeting& m : meetings)
        m.slack = std::max(
            0.0, m.offset - dot(difference(m, bodies, &MeetingBody::x_start), m.normal));
}

void solve_positions(std::span<Meeting> meetings, std::span<MeetingBody> bodies, int sweeps) {
    const auto take_volume = [](MeetingBody& body, std::uint32_t i, Vec3 moved) {
        body.missing -= dot(body.normal[i], moved) / 3;
    };
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (MeetingBody& body : bodies) balance(body);
        for (Meeting& m : meetings) {
            const double gap = gap_of(m, bodies) + m.slack;
            if (gap >= 0 && m.push == 0) continue;
            const double push = std::max(-gap * m.mass, -m.push);
            m.push += push;
            apply(m, bodies, &MeetingBody::x, push * m.normal, take_volume);
            if (!(m.friction > 0)) continue;
            const Vec3 slip =
                along_surface(m, difference(m, bodies, &MeetingBody::x) -
                                     difference(m, bodies, &MeetingBody::x_start) -
                                     m.surface_motion);
            const Vec3 rub = at_most(m.rub - m.mass * slip, m.friction * m.push);
            apply(m, bodies, &MeetingBody::x, rub - m.rub, take_volume);
            m.rub = rub;
        }
    }
}

void solve_velocities(std::span<Meeting> meetings, std::span<MeetingBody> bodies, double h,
                      double least_bounce, int sweeps) {
    const auto nothing = [](MeetingBody&, std::uint32_t, Vec3) {};
    for (Meeting& m : meetings) {
        m.kick = 0;
        m.drag = {};
    }
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (Meeting& m : meetings) {
            const Vec3 velocity = difference(m, bodies, &MeetingBody::v) - m.surface_motion / h;
            const double closing = dot(velocity, m.normal);
            double wanted = 0;
            if (m.touching()) {
                const double before = m.approach - dot(m.surface_motion, m.normal) / h;
                if (before < -least_bounce) wanted = -m.restitution * before;
            } else {
                wanted = std::min(0.0, -gap_of(m, bodies) / h);
            }
            if (closing >= wanted && m.kick == 0) continue;
            const double kick = std::max((wanted - closing) * m.mass, -m.kick);
            m.kick += kick;
            apply(m, bodies, &MeetingBody::v, kick * m.normal, nothing);
            if (!(m.friction > 0)) continue;
            const Vec3 sliding = along_surface(
                m, difference(m, bodies, &MeetingBody::v) - m.surface_motion / h);
            const Vec3 drag = at_most(m.drag - m.mass * sliding, m.friction * m.kick);
            apply(m, bodies, &MeetingBody::v, drag - m.drag, nothing);
            m.drag = drag;
        }
}

void note_turns(std::span<const Meeting> meetings, std::span<MeetingBody> bodies, double h) {
    for (const Meeting& m : meetings) {
        if (m.body[1] == Meeting::nobody) continue;
        const Vec3 pushed = (m.push * m.normal + m.rub) / h, kicked = m.kick * m.normal + m.drag;
        const Vec3 turn = cross(difference(m, bodies, &MeetingBody::x_start), pushed) +
                          cross(difference(m, bodies, &MeetingBody::x), kicked);
        for (const auto body : m.body) bodies[body].turn += 0.5 * turn;
    }
}

}  // namespace turgor
