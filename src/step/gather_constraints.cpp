#include <bit>

#include "step/island_bodies.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"

namespace turgor {
namespace {

constexpr std::uint32_t no_colour = 0xffffffff;
/// Whatever finds no other colour has this one, and is solved one after the other.
constexpr std::uint32_t last_colour = 63;

class Gathering : IslandBodies {
public:
    explicit Gathering(const IslandBodies& bodies) : IslandBodies(bodies) {}

    void gather() {
        s_.constraints.clear();
        colour_pairs();
        for (std::uint32_t colour = 0; colour <= last_colour; ++colour) gather_pairs(colour);
        gather_self();
        s_.between_bodies = s_.constraints.all.size();
        gather_colliders();
        number_particles();
    }

private:
    /// Constraints of two bodies, or of one with itself, written one after the other.
    class Writer {
    public:
        Writer(Gathering& all, std::uint32_t a, std::uint32_t b, std::uint32_t pair,
               std::size_t first)
            : g_(all), pair_(pair), next_(&all.s_.constraints.all[first]) {
            find_coefficients(a, b);
        }

        void add_vertex(std::uint32_t a, std::uint32_t b, const NearVertex& n) {
            ContactConstraint& m = between(a, b, n.normal);
            count_near_body(m, a, n.distance);
            add_particle(m, a, n.vertex, 1);
            m.of_first = m.count;
            add_triangle(m, b, n.triangle, n.weight, -1);
        }

        void add_edges(std::uint32_t a, std::uint32_t b, const NearEdgePair& n) {
            ContactConstraint& m = between(a, b, n.normal);
            add_particle(m, a, n.first[0], 1 - n.share[0]);
            add_particle(m, a, n.first[1], n.share[0]);
            m.of_first = m.count;
            add_particle(m, b, n.second[0], n.share[1] - 1);
            add_particle(m, b, n.second[1], -n.share[1]);
        }

        void add_rigid(std::uint32_t a, std::uint32_t b, const RigidNearFeatures& found) {
            for (const auto& n : found.vertices) {
                ContactConstraint& m = between(a, b, n.normal);
                count_near_body(m, a, n.distance);
                add_particle(m, a, n.vertex, 1);
                m.of_first = m.count;
                g_.add_point(m, 1, b, n.point);
            }
            for (const auto& n : found.triangles) {
                ContactConstraint& m = between(a, b, n.normal);
                add_triangle(m, a, n.triangle, n.weight, 1);
                m.of_first = m.count;
                g_.add_point(m, 1, b, n.point);
            }
            for (const auto& [near, point] : found.probes) {
                ContactConstraint& m = between(b, a, near.normal);
                g_.add_point(m, 0, b, point);
                add_triangle(m, a, near.triangle, near.weight, -1);
            }
            for (const auto& n : found.points) {
                ContactConstraint& m = between(a, b, n.normal);
                g_.add_point(m, 0, a, n.of_first);
                g_.add_point(m, 1, b, n.of_second);
            }
        }

    private:
        /// Friction and restitution between two bodies of the island.
        void find_coefficients(std::uint32_t a, std::uint32_t b) {
            const auto own = [&](std::uint32_t i) {
                if (!g_.is_rigid(i)) return coefficients_of(g_.island_.bodies[i]->material);
                return coefficients_of(g_.rigid(i).record().made);
            };
            const auto surface_id = [&](std::uint32_t i) {
                return g_.is_rigid(i) ? FrictionPairs::no_surface_id
                                      : g_.island_.bodies[i]->surface_id;
            };
            const auto sticking = [&](std::uint32_t i) {
                return g_.is_rigid(i) ? 0.0 : sticking_speed(*g_.island_.bodies[i], g_.context_);
            };
            coefficients_ = combined(own(a), own(b));
            if (const auto* pair = g_.world_.friction_pairs.find(surface_id(a), surface_id(b)))
                coefficients_ = of_pair(*pair, coefficients_);
            sticking_speed_ = std::max(sticking(a), sticking(b));
        }

        ContactConstraint& between(std::uint32_t a, std::uint32_t b, Vec3 normal) {
            ContactConstraint& m = *next_++;
            m.body[0] = a;
            m.body[1] = b;
            m.pair = pair_;
            m.normal = normal;
            m.offset = contact_thickness * g_.edge(a, b);
            m.coefficients = coefficients_;
            m.friction = coefficients_.friction;
            m.sticking_speed = sticking_speed_;
            for (const auto i : m.body)
                if (!g_.is_rigid(i)) g_.s_.slots[i]->has_constraints = true;
            return m;
        }

        void count_near_body(const ContactConstraint& m, std::uint32_t a, double distance) {
            g_.s_.slots[a]->near_bodies +=
                nearness(distance, m.offset + contact_margin * g_.edge_of(m));
        }

        void add_particle(ContactConstraint& m, std::uint32_t body, std::uint32_t particle,
                          double weight) {
            if (weight == 0) return;
            m.particle[m.count] = g_.step(body).add_to_solver(particle);
            m.weight[m.count++] = weight;
        }
        void add_triangle(ContactConstraint& m, std::uint32_t body, std::uint32_t triangle,
                          const double (&weight)[3], double sign) {
            const Triangle& corner = g_.island_.bodies[body]->asset().triangles[triangle];
            for (std::size_t k = 0; k < 3; ++k) add_particle(m, body, corner[k], sign * weight[k]);
        }

        Gathering& g_;
        std::uint32_t pair_;
        ContactConstraint* next_;
        ContactCoefficients coefficients_;
        double sticking_speed_ = 0;  ///< [m/s]
    };

    /// A point in space of a rigid body as one side of a constraint.
    void add_point(ContactConstraint& m, int side, std::uint32_t i, Vec3 point) const {
        const double weight = side == 0 ? 1 : -1;
        m.rigid[side] = i - static_cast<std::uint32_t>(count());
        m.arm[side] = rigid(i).arm(point);
        m.offset -= weight * dot(m.normal, m.arm[side]);
        m.particle[m.count] = 0;
        m.weight[m.count++] = weight;
        if (side == 0) m.of_first = m.count;
    }

    /// Colours the pairs so that those of one colour have no body in common, but for the last one.
    void colour_pairs() {
        s_.colours_of.assign(body_count(), 0);
        s_.colour_of.assign(island_.pairs.size(), no_colour);
        for (std::size_t k = 0; k < island_.pairs.size(); ++k) {
            const auto& [a, b, speed] = island_.pairs[k];
            if (!takes_part(k) || is_deep(k) || nothing_near(k)) continue;
            const std::uint64_t used = s_.colours_of[a] | s_.colours_of[b];
            const auto colour =
                std::min(last_colour, static_cast<std::uint32_t>(std::countr_one(used)));
            s_.colour_of[k] = colour;
            s_.colours_of[a] |= std::uint64_t{1} << colour;
            s_.colours_of[b] |= std::uint64_t{1} << colour;
        }
    }

    std::size_t constraint_count(std::size_t pair) const {
        if (with_rigid(pair)) {
            const RigidNearFeatures& r = s_.rigid_found[pair];
            return r.vertices.size() + r.triangles.size() + r.probes.size() + r.points.size();
        }
        const NearFeatures& e = s_.found[pair];
        return e.first_in_second.size() + e.second_in_first.size() + e.edges.size();
    }

    void gather_pairs(std::uint32_t colour) {
        ContactConstraints& constraints = s_.constraints;
        s_.parts.clear();
        for (std::uint32_t k = 0; k < island_.pairs.size(); ++k) {
            if (s_.colour_of[k] != colour) continue;
            s_.parts.push_back({k, constraints.all.size()});
            constraints.all.resize(constraints.all.size() + constraint_count(k));
            if (colour != last_colour) constraints.end_batch();
        }
        constraints.end_batch();
        constraints.end_colour();
        for_each(colour != last_colour ? threads_ : nullptr,
                 static_cast<std::uint32_t>(s_.parts.size()), [&](std::uint32_t part) {
                     const auto& [k, first] = s_.parts[part];
                     const auto& [a, b, speed] = island_.pairs[k];
                     Writer writer(*this, a, b, k, first);
                     if (with_rigid(k)) return writer.add_rigid(a, b, s_.rigid_found[k]);
                     for (const auto& n : s_.found[k].first_in_second) writer.add_vertex(a, b, n);
                     for (const auto& n : s_.found[k].second_in_first) writer.add_vertex(b, a, n);
                     for (const auto& n : s_.found[k].edges) writer.add_edges(a, b, n);
                 });
    }

    void gather_self() {
        ContactConstraints& constraints = s_.constraints;
        s_.parts.clear();
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (s_.slots[i]->self.empty()) continue;
            s_.parts.push_back({i, constraints.all.size()});
            constraints.all.resize(constraints.all.size() + s_.slots[i]->self.size());
            constraints.end_batch();
        }
        constraints.end_colour();
        each(s_.parts.size(), [&](std::uint32_t part) {
            const auto& [i, first] = s_.parts[part];
            Writer writer(*this, i, i, ContactConstraint::none, first);
            for (const NearVertex& n : s_.slots[i]->self) writer.add_vertex(i, i, n);
        });
    }

    void gather_colliders() {
        ContactConstraints& constraints = s_.constraints;
        s_.contacts.clear();
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (!s_.slots[i]->has_constraints) continue;
            BodySim& body = *island_.bodies[i];
            for (Contact& c : body.contacts) {
                if (c.sensor) continue;
                ContactConstraint& m = constraints.all.emplace_back();
                m.body[0] = i;
                m.particle[0] = c.entry;
                m.count = m.of_first = 1;
                m.weight[0] = 1;
                m.normal = c.normal;
                m.offset = dot(c.normal, c.point);
                m.surface_motion = c.surface_motion;
                m.friction = c.friction;
                s_.contacts.push_back(&c);
                const double gap = dot(step(i).start(c.entry) - c.point, c.normal);
                s_.slots[i]->near_colliders += nearness(gap, 0.5 * body.asset().contact_length);
            }
            constraints.end_batch();
        }
        s_.rigid_contacts.clear();
        for (std::uint32_t i = static_cast<std::uint32_t>(count()); i < body_count(); ++i) {
            RigidSim& record = rigid(i).record();
            for (RigidContact& c : record.contacts) {
                if (c.sensor) continue;
                const Collider& collider = *context_.colliders[c.collider].collider;
                ContactConstraint& m = constraints.all.emplace_back();
                m.body[0] = i;
                m.normal = c.normal;
                m.offset = dot(c.normal, c.stop);
                add_point(m, 0, i, c.point);
                m.surface_motion = c.surface_motion;
                m.coefficients = on_collider(coefficients_of(record.made), collider);
                m.friction = m.coefficients.friction;
                s_.rigid_contacts.push_back(&c);
            }
            constraints.end_batch();
        }
        constraints.end_colour();
    }

    /// Sides that answer as a whole: their points are known to the responses. One after the other,
    /// since several may be of one body.
    void register_points() {
        s_.particles.responses.assign(count(), nullptr);
        bool any = false;
        for (std::uint32_t i = 0; i < count(); ++i)
            if (s_.slots[i]->has_constraints && (s_.particles.responses[i] = step(i).response()))
                any = true;
        if (!any) return;
        for (ContactConstraint& m : s_.constraints.all)
            for (const int side : {0, 1}) {
                const std::uint32_t i = m.body[side];
                if (i == ContactConstraint::none || is_rigid(i) || !s_.particles.responses[i])
                    continue;
                const std::uint32_t from = side == 0 ? 0 : m.of_first;
                const std::uint32_t to = side == 0 ? m.of_first : m.count;
                double weights[4] = {};
                for (std::uint32_t k = from; k < to; ++k) weights[k] = std::abs(m.weight[k]);
                m.rigid[side] = ContactConstraint::as_a_whole | i;
                m.point[side] = s_.particles.responses[i]->add_point(
                    std::span<const std::uint32_t>(m.particle + from, m.particle + to),
                    std::span<const double>(weights + from, weights + to));
            }
    }

    /// The particles of all bodies that meet, body after body.
    void number_particles() {
        s_.bodies.assign(body_count(), {});
        std::size_t first = 0;
        for (std::uint32_t i = 0; i < body_count(); ++i) {
            if (!is_rigid(i) && !s_.slots[i]->has_constraints) continue;
            s_.bodies[i].first = first;
            s_.bodies[i].count = is_rigid(i) ? 2 : step(i).solver_particle_count();
            first += s_.bodies[i].count;
        }
        s_.particles.resize(first);
        register_points();
        s_.particles.per_inertia.resize(s_.rigids.size());
        each_constraint(s_.constraints.all, threads_, [&](ContactConstraint& m) {
            for (std::uint32_t k = 0; k < m.count; ++k)
                m.particle[k] += static_cast<std::uint32_t>(s_.bodies[m.body_of(k)].first);
        });
    }
};

}  // namespace

void gather_constraints(const IslandBodies& bodies) {
    Gathering(bodies).gather();
}

}  // namespace turgor
