#include "step/cpu_step.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "step/volume_rounds.hpp"
#include "volume/volume.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace turgor {
namespace {

/// What is kept of local weights so that no particle moves more than is comfortable.
double kept_share(const WeightSums& weights, double off, double comfortable) {
    if (!(weights.slope > 0)) return 1;
    const double push = std::abs(off) / weights.slope * weights.largest;
    return push > comfortable ? comfortable / push : 1;
}

}  // namespace

void CpuStep::restore_volume() {
    const Timer timer(times_, Stage::volume_positions, lap_);
    if (!correct_positions()) finish_in_double();
}

/// n̄, the volume, and local weights before they are scaled.
ShapeSums CpuStep::measure_shape() {
    const auto beta = static_cast<float>(body_.material.beta),
               noise = static_cast<float>(weight_noise_of_floats(body_));
    return collect(&BlockSums::shape, [&](auto block, ShapeSums& sums) {
        turgor::measure_shape(volume_, beta, noise, block, sums);
    });
}

bool CpuStep::correct_positions() {
    const bool kept = body_.volume_mode != VolumeMode::off;
    const double rest_volume = body_.asset().rest_volume;
    const ShapeSums shape = measure_shape();
    const double volume = shape.nine_volumes / 9;
    std::size_t held = pinned_;
    for (const Contact& c : body_.contacts) held += c.touching;
    for (const Support& support : scratch_.touched.support)
        held += support.shared && support.hold > 0.5;
    if (context_.formulation.recover && lost_its_shape(body_, volume, held)) return false;
    if (!kept) return true;

    const bool local = body_.volume_mode == VolumeMode::local;
    if (local) {
        // A body that nothing deforms has uniform weights.
        const double least = 1e-9 * body_.asset().size * asset_.surface;
        const auto scale =
            static_cast<float>(shape.raw_weight > least ? asset_.surface / shape.raw_weight : 0);
        each_block([&](auto block) {
            cap_weights(volume_, scale, static_cast<float>(body_.material.alpha), block);
        });
    }
    mark_supports();
    if (volume_.followers) each_block([&](auto block) { find_arms(volume_, Held::by_all, block); });
    weights_ = collect(&BlockSums::weight, [&](auto block, WeightSums& sums) {
        smooth_weights(volume_, local, block, sums);
    });
    off_ = rest_volume - volume;
    struct Rounds {
        CpuStep& step;
        double correct() { return step.correct_volume(step.off_, step.weights_); }
        void find_more_contacts(double farthest) {
            if (step.is_near_any_collider(farthest)) step.find_more_contacts();
        }
        bool push_out() { return step.push_corrected_out(); }
    } rounds{*this};
    correct_in_rounds(rounds, collider_margin(body_));
    return true;
}

/// Between two rounds of stage 4: what the correction moved into colliders comes out again, and the
/// volume is measured anew. False where nothing did.
bool CpuStep::push_corrected_out() {
    if (body_.contacts.empty()) return false;
    TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k)
        t.x[k] = now_.world_x(t.particle[k]) + pending_ * scratch_.direction[t.particle[k]].xyz();
    // No more than what rounding moves.
    if (!push_out(body_.contacts, t.x_start, t.x, 3e-7 * body_.asset().size)) return false;
    each_block(
        [&](auto block) { move_along(volume_, static_cast<float>(pending_), 1 / h_, block); });
    put_touched_positions();
    mark_supports();
    moved_ = collect(&BlockSums::moved,
                     [&](auto block, MovedSums& sums) { measure_moved(volume_, block, sums); });
    off_ = body_.asset().rest_volume - moved_.nine_volumes / 9;
    weights_ = moved_.all;
    return true;
}

/// What moves with a corner of the surface where the volume is corrected.
double CpuStep::mass_moved_with(std::uint32_t corner) const {
    const double mass = asset_.mass[corner];
    return volume_.followers ? mass * volume_.followers->mass_factor[corner] : mass;
}

/// The direction of the correction into scratch; returns Σ D·n̄.
double CpuStep::solve_direction(const WeightSums& weights, double off) {
    TouchedParticles& t = scratch_.touched;
    const auto keep =
        static_cast<float>(kept_share(weights, off, comfortable_push(body_, context_)));
    const DirectionSums sums =
        collect(&BlockSums::direction, [&](auto block, DirectionSums& found) {
            direction_sums(volume_, Held::by_all, keep, block, found);
        });
    Vec3 linear, angular;
    // The supports press back with the mean pressure.
    double pressure = weights.free > 0 ? keep * weights.weight / weights.free + (1 - keep) : 0;
    if (volume_.followers) {
        double free = asset_.surface;
        for (const Support& support : t.volume_support) free -= support.hold;
        pressure = free > 0 ? sums.push / free : 0;
    }
    for (std::size_t k = 0; k < t.size(); ++k) {
        const auto& [hold, normal, shared] = t.volume_support[k];
        t.push[k] = {};
        if (shared) continue;
        const Vec3 n = scratch_.normal[t.particle[k]].xyz();
        const Vec3 push = normal == Vec3{} ? -1.0 * n : std::max(0.0, -dot(normal, n)) * normal;
        t.push[k] = pressure * hold * push;
        linear += t.push[k];
        angular += cross(scratch_.x_start[t.particle[k]].xyz(), t.push[k]);
    }
    const RigidField field = sums.field(linear, angular);
    largest_ = collect(&BlockSums::direction_length, [&](auto block, BlockSums::Largest& found) {
                   found.value =
                       make_direction(volume_, keep, to_quad(field.a), to_quad(field.b), block);
               }).value;
    double effect = sums.effect(field);
    // Nothing goes into a contact; what would is pushed back.
    for (std::size_t k = 0; k < t.size(); ++k) {
        Quad& d = scratch_.direction[t.particle[k]];
        const auto& [hold, normal, shared] = t.support[k];
        if (shared) continue;
        const Vec3 out = -hold * std::min(0.0, dot(d.xyz(), normal)) * normal;
        d = to_quad(d.xyz() + out);
        t.push[k] += mass_moved_with(t.particle[k]) * out;
        effect += dot(out, scratch_.normal[t.particle[k]].xyz());
    }
    return effect;
}

/// Moves along one direction until the volume is right, but for a `pending_` move that is too small
/// to change the normals. Returns how far that moved any particle.
double CpuStep::correct_volume(double off, const WeightSums& weights) {
    const double rest_volume = body_.asset().rest_volume;
    constexpr double small = 1e-5;
    constexpr int most = 8;
    double effect = solve_direction(weights, off), total = 0, made = 0;
    pending_ = 0;
    bool found = false;
    for (int i = 0; i < most; ++i) {
        const double factor = 3 * off / effect;
        if (!(effect > 0) || !(std::abs(total + factor) * largest_ <= 0.25 * body_.asset().size))
            break;
        total += factor;
        if (i > 0 && std::abs(off) <= small * rest_volume) {
            pending_ = factor;
            found = true;
            break;
        }
        made += factor;
        each_block(
            [&](auto block) { move_along(volume_, static_cast<float>(factor), 1 / h_, block); });
        moved_ = collect(&BlockSums::moved,
                         [&](auto block, MovedSums& sums) { measure_moved(volume_, block, sums); });
        off = rest_volume - moved_.nine_volumes / 9;
        effect = moved_.effect;
    }
    if (!found) {
        // From where it was, not from where a search that failed has led.
        each_block(
            [&](auto block) { move_along(volume_, static_cast<float>(-made), 1 / h_, block); });
        return correct_in_double();
    }
    const TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k) {
        const auto i = t.particle[k];
        add_pressed(now_.v[i], total * norm(t.push[k]) / mass_moved_with(i));
    }
    // What follows does so once, the last small move included.
    if (volume_.followers)
        each_block([&](auto block) {
            move_followers(volume_, scratch_.direction, static_cast<float>(total),
                           static_cast<float>(total) / h_, block);
        });
    return std::abs(total) * largest_;
}

/// For a body that is held all over or nearly flat: the reference knows what to do then.
double CpuStep::correct_in_double() {
    const BodyAsset& asset = body_.asset();
    std::vector<Vec3> x_start(asset_.count), x(asset_.count);
    std::vector<double> weights(asset_.count), pressed(asset_.count);
    std::vector<Support> supports(asset_.count);
    for (std::uint32_t i = 0; i < asset_.count; ++i) {
        x_start[i] = scratch_.x_start[i].xyz();
        x[i] = now_.x[i].xyz();
        weights[i] = i < asset_.surface ? scratch_.weight[i] : 0;
    }
    const TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k) supports[t.particle[k]] = t.support[k];
    turgor::correct_positions(
        {asset, asset.rest_volume, asset.mass, weights, supports, comfortable_push(body_, context_),
         true, true, body_.parts.volume.followers.get()},
        x_start, x, pressed);
    for (std::uint32_t i = 0; i < asset_.count; ++i) {
        Quad& v = now_.v[i];
        const Vec3 moved = x[i] - now_.x[i].xyz();
        v = to_velocity(v.xyz() + moved / context_.h, pressed_of(v) + pressed[i]);
        now_.x[i].set_xyz(x[i]);
        if (i < asset_.surface) scratch_.direction[i] = {};
    }
    pending_ = 0;
    moved_ = collect(&BlockSums::moved,
                     [&](auto block, MovedSums& sums) { measure_moved(volume_, block, sums); });
    return body_.asset().size;
}

void CpuStep::begin_removing_divergence() {
    const Timer timer(times_, Stage::volume_velocities, lap_);
    last_ = {};
    const bool kept = body_.volume_mode != VolumeMode::off;
    divergence_ = kept ? moved_.divergence + pending_ / context_.h * moved_.effect : 0;
    TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k) {
        t.v[k] = now_.world_v(t.particle[k]);
        if (kept) t.v[k] += pending_ / context_.h * scratch_.direction[t.particle[k]].xyz();
    }
    t.v_before = t.v;
}

void CpuStep::end_removing_divergence() {
    const Timer timer(times_, Stage::volume_velocities, lap_);
    // First, so that an impact gives the same impulse wherever in the step it happens.
    stop_closing_touched(nullptr, &divergence_);
    if (body_.volume_mode == VolumeMode::off) return;
    last_.position = static_cast<float>(pending_);
    last_.per_h = 1 / h_;
    last_.dither = static_cast<std::uint32_t>(
        std::bit_cast<std::uint64_t>(context_.time_end()) * 0x9E3779B97F4A7C15u >> 32);
    const double keep =
        kept_share(moved_.pins, context_.h * divergence_ / 3, comfortable_push(body_, context_));
    last_.keep = static_cast<float>(keep);
    const DirectionSums sums =
        collect(&BlockSums::direction, [&](auto block, DirectionSums& found) {
            find_arms(volume_, Held::by_pins, block);
            direction_sums(volume_, Held::by_pins, last_.keep, block, found);
        });
    const RigidField field = sums.field();
    const double effect = sums.effect(field);
    if (!(effect > 1e-7 * sums.square)) return;
    last_.velocity = static_cast<float>(divergence_ / effect);
    last_.a = to_quad(field.a);
    last_.b = to_quad(field.b);
    if (!volume_.followers) return;
    each_block([&](auto block) { find_last_direction(volume_, last_, block); });
    each_block([&](auto block) {
        move_followers(volume_, scratch_.last_direction, 0, -last_.velocity, block);
    });
}

/// The volume of a body as flat as a pancake changes with the rounding of its positions by more
/// than it may be off. Moving one free particle along its normal makes up for that: the volume is
/// linear in it, and its own rounding matters less than that of all by √n.
void CpuStep::make_up_for_rounding() {
    const BodyAsset& asset = body_.asset();
    const double reach = now_.extent.reach;
    if (body_.volume_mode == VolumeMode::off ||
        reach * reach * reach < 2 * asset.rest_volume * std::sqrt(asset_.surface / 200.0))
        return;
    std::uint32_t best = CpuScratch::none;
    for (std::uint32_t i = 0; i < asset_.surface; ++i)
        if (scratch_.slot[i] == CpuScratch::none &&
            (best == CpuScratch::none ||
             length_of(scratch_.normal[i]) > length_of(scratch_.normal[best])))
            best = i;
    if (best == CpuScratch::none) return;
    const auto at = [&](std::uint32_t i) { return now_.x[i].xyz(); };
    double six = 0;
    for (const auto& [a, b, c] : asset.triangles) six += dot(at(a), cross(at(b), at(c)));
    Vec3 normal;  // ∂(6V)/∂x
    for (const auto t : asset.corners[best]) {
        const Triangle& corner = asset.triangles[t];
        const std::size_t k = corner[0] == best ? 0 : corner[1] == best ? 1 : 2;
        normal += cross(at(corner[(k + 1) % 3]), at(corner[(k + 2) % 3]));
    }
    const double square = dot(normal, normal);
    if (!(square > 0)) return;
    Quad& x = now_.x[best];
    x.set_xyz(x.xyz() + (6 * asset.rest_volume - six) / square * normal);
}

}  // namespace turgor
