#include "step/cpu_step.hpp"

#include <algorithm>

#include "base/functions.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "volume/volume.hpp"

namespace turgor {
namespace {

Vec3 lower_of(Vec3 a, Vec3 b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3 upper_of(Vec3 a, Vec3 b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

}  // namespace

/// The index of a particle among those touched; it gets one.
std::uint32_t CpuStep::touch(std::uint32_t particle) {
    std::uint32_t& slot = scratch_.slot[particle];
    if (slot == CpuScratch::none) {
        // It has a slot only if it is in the list by which the slots are cleared.
        scratch_.touched.add(particle);
        slot = static_cast<std::uint32_t>(scratch_.touched.size() - 1);
    }
    return slot;
}

/// Brings particles `from` … of `touched` up to date.
void CpuStep::take_touched(std::size_t from) {
    TouchedParticles& t = scratch_.touched;
    for (std::size_t k = from; k < t.size(); ++k) {
        const auto i = t.particle[k];
        t.x_start[k] = start_x(i);
        t.x[k] = now_.world_x(i);
        t.v[k] = now_.world_v(i);
        t.pressed[k] = pressed_of(scratch_.x_start[i]);
    }
}

/// Moves the body's particles where those of `touched` are, and changes their velocities by the
/// way.
void CpuStep::put_touched_positions() {
    const TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k) {
        Quad& x = now_.x[t.particle[k]];
        Quad& v = now_.v[t.particle[k]];
        const Vec3 r = t.x[k] - now_.origin, moved = r - x.xyz();
        if (moved == Vec3{}) continue;
        x.set_xyz(r);
        v.set_xyz(v.xyz() + moved / context_.h);
        body_.asset().each_follower(t.particle[k], [&](std::uint32_t i, double share) {
            Quad& follower = now_.x[i];
            // Contact acts on the corner: what it has as a moment about that is given back.
            angular_momentum_error_ += body_.material.density * share * asset_.mass[i] /
                                       context_.h * cross(follower.xyz() - x.xyz(), moved);
            follower.set_xyz(follower.xyz() + share * moved);
            now_.v[i].set_xyz(now_.v[i].xyz() + share / context_.h * moved);
        });
    }
}

/// Whether particles in a box may come within the margin of a collider, or `more` beyond it.
bool CpuStep::is_near(const MovingCollider& collider, const GoalSums& box, double more) const {
    const Vec3 low = lower_of(now_.origin + box.low.xyz(), origin_start_ + box.start_low.xyz());
    const Vec3 high = upper_of(now_.origin + box.high.xyz(), origin_start_ + box.start_high.xyz());
    const double margin = collider_margin(body_) + more;
    return in_reach(collider, 0.5 * (low + high), 0.5 * norm(high - low) + margin);
}

bool CpuStep::is_near_any_collider(double more) const {
    return std::ranges::any_of(context_.colliders,
                               [&](const auto& c) { return is_near(c, goal_, more); });
}

void CpuStep::find_contacts() {
    const ContactSettings settings = contact_settings(body_, context_);
    const auto box_of = [&](std::uint32_t first, std::uint32_t last) {
        GoalSums box;
        box.low = box.high = now_.x[first];
        box.start_low = box.start_high = scratch_.x_start[first];
        for (std::uint32_t i = first + 1; i < last; ++i)
            box.add_point(now_.x[i], scratch_.x_start[i]);
        return box;
    };
    for (std::uint32_t k = 0; k < context_.colliders.size(); ++k) {
        const MovingCollider& collider = context_.colliders[k];
        if (!collider.collider->filter.meets(settings.filter) || !is_near(collider, goal_))
            continue;
        const ContactCoefficients coefficients = settings.on(collider);
        for (std::uint32_t block = 0; block < asset_.blocks; ++block) {
            if (asset_.blocks > 1 && !is_near(collider, scratch_.elastic_blocks[block].goal))
                continue;
            const SurfaceRange range(asset_, block);
            for (std::uint32_t first = range.begin; first < range.end; first += CpuLayout::group) {
                const std::uint32_t last = std::min(first + CpuLayout::group, asset_.surface);
                if (!is_near(collider, box_of(first, last))) continue;
                for (std::uint32_t i = first; i < last; ++i)
                    if (!is_pinned(now_.x[i]))
                        add_contact(collider, k, settings, coefficients, i, start_x(i),
                                    now_.world_x(i), predicted_v(i), body_.contacts);
            }
        }
    }
}

void CpuStep::collide() {
    TouchedParticles& touched = scratch_.touched;
    std::vector<Contact>& contacts = body_.contacts;
    contacts.clear();
    find_contacts();
    if (contacts.empty()) return;
    for (Contact& c : contacts) c.entry = touch(c.particle);
    const Vec3 shift = depenetrate(contacts, 1 - portable::exp(-context_.h / depenetration_time));
    now_.origin += shift;
    origin_start_ += shift;
    take_touched(shift == Vec3{} ? pinned_ : 0);
    push_out(contacts, touched.x_start, touched.x, 0);
    // What the volume stage pressed on a collider in the last step has friction in this one.
    apply_pressed_friction(contacts, touched.pressed, touched.x_start, touched.x, scratch_.nearest);
    put_touched_positions();
}

/// After a correction that may have moved particles from beyond the margin into a collider.
void CpuStep::find_more_contacts() {
    std::vector<Vec3> x_start(asset_.surface), x(asset_.surface), v(asset_.surface);
    for (std::uint32_t i = 0; i < asset_.surface; ++i) {
        x_start[i] = start_x(i);
        x[i] = now_.world_x(i);
        v[i] = predicted_v(i);
    }
    std::vector<Contact>& contacts = body_.contacts;
    const std::size_t touched = scratch_.touched.size();
    turgor::find_more_contacts(context_.colliders, contact_settings(body_, context_), x_start, x, v,
                               contacts);
    std::erase_if(contacts, [&](const Contact& c) { return is_pinned(now_.x[c.particle]); });
    for (Contact& c : contacts) c.entry = touch(c.particle);
    take_touched(touched);
}

/// Where contacts and pins hold particles, and how far a correction is felt there.
void CpuStep::mark_supports() {
    TouchedParticles& t = scratch_.touched;
    const double fade = context_.formulation.contact_fade ? 0.5 * body_.asset().contact_length : 0;
    turgor::mark_supports(body_.contacts, t.x, fade, t.support);
    t.volume_support = t.support;
    double held = 0;
    for (const Support& s : t.support) held += s.hold;
    // A body squeezed nearly all over slips at its rim (volume_reference.cpp).
    const double slip = std::clamp(2 * held / asset_.surface - 1, 0.0, 1.0);
    for (std::size_t k = 0; k < t.size(); ++k) {
        if (slip > 0) loosen(t.volume_support[k], scratch_.normal[t.particle[k]].xyz(), slip);
        scratch_.free[t.particle[k]] = static_cast<float>(1 - t.volume_support[k].hold);
    }
}

/// Removes the closing velocities among t.v and takes over what has changed of them since
/// v_before; sums that are given stay true.
void CpuStep::stop_closing_touched(MotionSums* free, double* divergence) {
    TouchedParticles& t = scratch_.touched;
    if (body_.contacts.empty() && !has_constraints_) return;
    // Without volume there is but one time to stop, at the very end.
    if (free || body_.volume_mode != VolumeMode::off)
        stop_closing(body_.contacts, context_.h, least_bounce(body_, context_), t.v);
    for (std::size_t k = 0; k < t.size(); ++k) {
        const Vec3 by = t.v[k] - t.v_before[k];
        if (by == Vec3{}) continue;
        const auto i = t.particle[k];
        now_.v[i].set_xyz(now_.v[i].xyz() + by);
        if (divergence) *divergence += dot(by, scratch_.normal[i].xyz());
        const auto add = [&](std::uint32_t particle, Vec3 was, Vec3 change) {
            const double m = asset_.mass[particle];
            const Vec3 is = was + change;
            free->linear += m * change;
            free->angular += m * cross(now_.x[particle].xyz(), change);
            free->energy += m * (dot(is, is) - dot(was, was));
        };
        if (free) add(i, t.v_before[k] - now_.drift, by);
        body_.asset().each_follower(i, [&](std::uint32_t follower, double share) {
            Quad& v = now_.v[follower];
            if (free) add(follower, change_.at(now_.x[follower].xyz(), v.xyz()), share * by);
            v.set_xyz(v.xyz() + share * by);
        });
    }
}

CollisionSurface CpuStep::collision_surface() {
    return {&body_.asset(),
            body_.parts.tree.get(),
            &body_.boxes,
            origin_start_,
            std::span<const Quad>(scratch_.x_start).first(asset_.count),
            {}};
}

/// 1 / what a push on a corner of the surface moves, for density 1.
double CpuStep::per_mass_behind(std::uint32_t particle) const {
    const BodyAsset& asset = body_.asset();
    return asset.followers.size() == 0 ? asset_.per_mass[particle]
                                       : 1 / asset.mass_behind(particle);
}

void CpuStep::to_solver(SolverBody& solver_body, SolverParticles& p) {
    has_constraints_ = true;
    const TouchedParticles& t = scratch_.touched;
    const bool kept = body_.volume_mode != VolumeMode::off;
    if (kept) {
        for (std::size_t k = 0; k < pinned_; ++k) scratch_.free[t.particle[k]] = 0;
        solver_body.missing_volume = body_.asset().rest_volume - measure_shape().nine_volumes / 9;
        const WeightSums uniform = collect(&BlockSums::weight, [&](auto block, WeightSums& sums) {
            smooth_weights(volume_, false, block, sums);
        });
        solver_body.compliance = uniform.slope;
        if (uniform.largest > 0)
            solver_body.max_pressure = 0.25 * body_.asset().contact_length / uniform.largest;
    }
    for (std::size_t k = 0; k < solver_body.count; ++k) {
        const auto i = t.particle[k];
        const std::size_t j = solver_body.first + k;
        const bool pinned = is_pinned(now_.x[i]);
        p.x_start[j] = start_x(i);
        p.x[j] = now_.world_x(i);
        // How fast it came, before goals pulled at it.
        p.v[j] = predicted_v(i);
        p.normal[j] = kept ? scratch_.normal[i].xyz() : Vec3{};
        p.per_mass[j] = pinned ? 0 : per_mass_behind(i) / body_.material.density;
        p.pressure_response[j] = pinned ? Vec3{} : asset_.per_mass[i] * p.normal[j];
    }
}

void CpuStep::from_solver(const SolverBody& solver_body, const SolverParticles& p) {
    TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < solver_body.count; ++k) {
        const auto i = t.particle[k];
        // Overlap recovery has moved where the step began, too.
        const Vec3 recovered = p.x_start[solver_body.first + k] - start_x(i);
        if (recovered != Vec3{}) {
            Quad& start = scratch_.x_start[i];
            start.set_xyz(start.xyz() + recovered);
            now_.x[i].set_xyz(now_.x[i].xyz() + recovered);
            body_.asset().each_follower(i, [&](std::uint32_t f, double share) {
                scratch_.x_start[f].set_xyz(scratch_.x_start[f].xyz() + share * recovered);
                now_.x[f].set_xyz(now_.x[f].xyz() + share * recovered);
            });
        }
        t.x_start[k] = p.x_start[solver_body.first + k];
        t.x[k] = p.x[solver_body.first + k];
    }
    if (solver_body.pressure != 0) {
        // Pressure on a closed surface has no torque; about where the step began it has.
        // It acts on the corners of the surface alone.
        VolumeCpuView volume = volume_;
        volume.followers = nullptr;
        const DirectionSums sums =
            collect(&BlockSums::direction, [&](auto block, DirectionSums& found) {
                direction_sums(volume, Held::by_all, 0, block, found);
                make_direction(volume, 0, {}, {}, block);
                move_along(volume, static_cast<float>(solver_body.pressure), 1 / h_, block);
            });
        angular_momentum_error_ +=
            body_.material.density * solver_body.pressure / context_.h * sums.angular;
    }
    put_touched_positions();
}

void CpuStep::velocities_to_solver(const SolverBody& solver_body, SolverParticles& p) const {
    const TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < solver_body.count; ++k) {
        p.x[solver_body.first + k] = now_.world_x(t.particle[k]);
        p.v[solver_body.first + k] = t.v[k];
    }
}

void CpuStep::velocities_from_solver(const SolverBody& solver_body, const SolverParticles& p) {
    for (std::size_t k = 0; k < solver_body.count; ++k)
        scratch_.touched.v[k] = p.v[solver_body.first + k];
}

void CpuStep::hold(std::uint32_t solver_index, const Support& support) {
    Support& s = scratch_.touched.support[solver_index];
    if (support.hold > s.hold) s = support;
}

}  // namespace turgor
