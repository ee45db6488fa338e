#include <algorithm>

#include "contact/contact.hpp"

namespace turgor {
namespace {

double gap_of(const Contact& c, std::span<const Vec3> x) {
    return dot(x[c.entry] - c.point, c.normal);
}

/// Slides back along the surface: at most by what friction allows for the push so far.
void apply_friction(const Contact& c, double push, Vec3 x_start, Vec3& x) {
    const Vec3 moved = x - x_start - c.surface_motion;
    const Vec3 sliding = moved - dot(moved, c.normal) * c.normal;
    const double length = norm(sliding);
    if (length > 0) x -= std::min(1.0, c.friction * push / length) * sliding;
}

}  // namespace

ContactCoefficients ContactSettings::on(const MovingCollider& moving) const {
    const ContactCoefficients unpaired = on_collider(own, *moving.collider);
    const PairFriction* const pair = pairs ? pairs->find(surface_id, moving.surface_id) : nullptr;
    return pair ? of_pair(*pair, unpaired) : unpaired;
}

bool in_reach(const MovingCollider& c, Vec3 middle, double radius) {
    const Vec3 at_end = c.end.to_local(middle);
    const double way = norm(at_end - c.start.to_local(middle));
    return !(nearest_surface(*c.collider, at_end, radius + way).distance - way > radius);
}

void add_contact(const MovingCollider& moving, std::uint32_t k, const ContactSettings& settings,
                 const ContactCoefficients& coefficients, std::uint32_t particle, Vec3 x_start,
                 Vec3 x, Vec3 v, std::vector<Contact>& contacts) {
    const Collider* const collider = moving.collider;
    const Pose &start = moving.start, &end = moving.end;
    const auto add = [&](Contact c) {
        c.particle = c.entry = particle;
        c.collider = k;
        c.sensor = collider->sensor;
        if (c.sensor) {
            c.depth = 0;
            c.inside = dot(x - c.point, c.normal) < 0;
        }
        c.approach = dot(v, c.normal);
        c.friction = coefficients.friction;
        if (coefficients.sticks()) {
            const Vec3 relative = v - c.surface_motion / settings.h;
            const Vec3 sliding = relative - dot(relative, c.normal) * c.normal;
            c.friction = coefficients.at(norm(sliding), settings.sticking_speed);
        }
        c.restitution = coefficients.restitution;
        contacts.push_back(c);
    };
    Contact c;
    if (collider->shape == ColliderShape::plane && !moving.moves()) {
        // By far the most frequent, without a way through the plane's own frame.
        const double gap = dot(x - end.position, moving.up);
        if (gap > settings.margin) return;
        c.point = x - gap * moving.up;
        c.normal = moving.up;
        c.depth = std::max(0.0, -dot(x_start - start.position, moving.up));
        return add(c);
    }
    const Obstacles obstacles =
        find_obstacles(*collider, start.to_local(x_start), end.to_local(x), settings.margin);
    for (const Obstacle& obstacle : obstacles) {
        c.point = end.to_world(obstacle.point);
        c.normal = rotate(end.rotation, obstacle.normal);
        if (moving.moves()) c.surface_motion = c.point - start.to_world(obstacle.point);
        c.depth = std::max(0.0, -obstacle.start_gap);
        add(c);
    }
}

void find_contacts(std::span<const MovingCollider> colliders, const ContactSettings& settings,
                   std::span<const Vec3> x_start, std::span<const Vec3> x, std::span<const Vec3> v,
                   std::vector<Contact>& contacts) {
    contacts.clear();
    find_more_contacts(colliders, settings, x_start, x, v, contacts);
}

void find_more_contacts(std::span<const MovingCollider> colliders, const ContactSettings& settings,
                        std::span<const Vec3> x_start, std::span<const Vec3> x,
                        std::span<const Vec3> v, std::vector<Contact>& contacts) {
    Bounds reach;
    for (std::size_t i = 0; i < x.size(); ++i) {
        reach.add(x[i]);
        reach.add(x_start[i]);
    }
    const std::size_t known = contacts.size();
    std::vector<bool> is_known(known > 0 ? x.size() : 0);
    for (std::uint32_t k = 0; k < colliders.size(); ++k) {
        if (!colliders[k].collider->filter.meets(settings.filter) ||
            !in_reach(colliders[k], reach.centre(), 0.5 * reach.diagonal() + settings.margin))
            continue;
        std::fill(is_known.begin(), is_known.end(), false);
        for (std::size_t c = 0; c < known; ++c)
            if (contacts[c].collider == k) is_known[contacts[c].particle] = true;
        const ContactCoefficients coefficients = settings.on(colliders[k]);
        for (std::uint32_t i = 0; i < x.size(); ++i)
            if (known == 0 || !is_known[i])
                add_contact(colliders[k], k, settings, coefficients, i, x_start[i], x[i], v[i],
                            contacts);
    }
}

double deepest(std::span<const MovingCollider> colliders, const CollisionFilter& filter,
               std::span<const Vec3> x) {
    double depth = 0;
    if (x.empty()) return depth;
    Bounds reach;
    for (const Vec3& p : x) reach.add(p);
    const double size = reach.diagonal();
    for (const MovingCollider& c : colliders) {
        if (c.collider->sensor || !c.collider->filter.meets(filter)) continue;
        if (c.collider->shape == ColliderShape::plane) {
            for (const Vec3& p : x) depth = std::max(depth, -dot(p - c.end.position, c.up));
            continue;
        }
        const Vec3 middle = c.end.to_local(reach.centre());
        if (nearest_surface(*c.collider, middle, 0.5 * size).distance > 0.5 * size) continue;
        for (const Vec3& p : x)
            depth =
                std::max(depth, -nearest_surface(*c.collider, c.end.to_local(p), size).distance);
    }
    return depth;
}

Vec3 depenetrate(std::span<Contact> contacts, double share) {
    const auto deepest = std::ranges::max_element(contacts, {}, &Contact::depth);
    if (deepest == contacts.end() || deepest->depth == 0) return {};
    const Vec3 shift = share * deepest->depth * deepest->normal;
    for (Contact& c : contacts) c.point -= std::max(0.0, c.depth - dot(shift, c.normal)) * c.normal;
    return shift;
}

bool push_out(std::span<Contact> contacts, std::span<const Vec3> x_start, std::span<Vec3> x,
              double least) {
    constexpr int sweeps = 4;  // a particle in a corner has several contacts
    bool any = false, moved = true;
    for (int sweep = 0; sweep < sweeps && moved; ++sweep) {
        moved = false;
        for (Contact& c : contacts) {
            const double gap = gap_of(c, x);
            if (gap >= 0 || c.sensor) continue;
            moved = true;
            any = any || gap < -least;
            x[c.entry] -= gap * c.normal;
            apply_friction(c, -gap, x_start[c.entry], x[c.entry]);
            c.push -= gap;
            c.touching = true;
        }
    }
    return any;
}

void apply_pressed_friction(std::span<const Contact> contacts, std::span<const double> pressed,
                            std::span<const Vec3> x_start, std::span<Vec3> x,
                            std::vector<const Contact*>& nearest) {
    // In a corner the nearest contact takes it all.
    nearest.assign(x.size(), nullptr);
    for (const Contact& c : contacts) {
        if (c.sensor) continue;
        const Contact*& n = nearest[c.entry];
        if (!n || gap_of(c, x) < gap_of(*n, x)) n = &c;
    }
    for (const Contact* c : nearest)
        if (c && pressed[c->entry] > 0)
            apply_friction(*c, pressed[c->entry], x_start[c->entry], x[c->entry]);
}

void mark_supports(std::span<const Contact> contacts, std::span<const Vec3> x, double fade,
                   std::span<Support> supports) {
    for (const Contact& c : contacts) {
        if (c.sensor) continue;
        const double u = fade > 0 ? std::clamp(gap_of(c, x) / fade, 0.0, 1.0) : 1.0;
        const double hold = c.touching ? 1 : 1 - u * u * (3 - 2 * u);
        Support& s = supports[c.entry];
        if (hold > s.hold) s = {hold, c.normal};
    }
}

void stop_closing(std::span<const Contact> contacts, double h, double least_bounce,
                  std::span<Vec3> v) {
    for (const Contact& c : contacts) {
        if (!c.touching) continue;
        const double surface = dot(c.surface_motion, c.normal) / h;
        const double closing = dot(v[c.entry], c.normal) - surface;
        const double before = c.approach - surface;
        const double wanted = before < -least_bounce ? -c.restitution * before : 0;
        if (closing >= wanted) continue;
        Vec3& velocity = v[c.entry];
        velocity += (wanted - closing) * c.normal;
        const Vec3 relative = velocity - c.surface_motion / h;
        const Vec3 sliding = relative - dot(relative, c.normal) * c.normal;
        const double speed = norm(sliding);
        if (speed > 0) velocity -= std::min(1.0, c.friction * (wanted - closing) / speed) * sliding;
    }
}

}  // namespace turgor
