#include "world/cpu_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace turgor {
namespace {

/// Beyond this, in metres or metres per second relative to the body's own frame, products would
/// overflow: the body has exploded.
constexpr float largest_extent = 1e12f;

float power_of_two_above(float value) {
    int exponent = 0;
    std::frexp(std::max(value, 1e-12f), &exponent);
    return std::ldexp(1.0f, exponent);
}

Vec3 lower_of(Vec3 a, Vec3 b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3 upper_of(Vec3 a, Vec3 b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

/// What is kept of local weights so that no particle moves more than is comfortable (G2).
double kept_share(const WeightSums& weights, double off, double comfortable) {
    if (!(weights.slope > 0)) return 1;
    const double push = std::abs(off) / weights.slope * weights.largest;
    return push > comfortable ? comfortable / push : 1;
}

}  // namespace

bool CpuStep::supports(const Formulation& f) {
    return f.share_mass && f.normal_point_weight == 0 && f.exact_volume && f.momentum_free_volume &&
           f.velocities_from_positions;
}

CpuStep::CpuStep(WorldImpl& world, BodyRecord& body, CpuScratch& scratch, Scheduler* blocks,
                 const StepContext& context, StepReport& times)
    : world_(world),
      body_(body),
      state_(body.cpu),
      scratch_(scratch),
      blocks_(blocks),
      context_(context),
      times_(times),
      asset_(*body.prepared.fast),
      surface_(surface_view(asset_, world.settings.summation, state_, scratch)),
      volume_(volume_view(asset_, world.settings.summation, state_, scratch)),
      h_(static_cast<float>(context.h)) {}

template <class Work>
void CpuStep::each_block(Work&& work) {
    if (!blocks_) {
        for (std::uint32_t block = 0; block < asset_.blocks; ++block) work(block);
        return;
    }
    blocks_->run(
        asset_.blocks,
        [](void* context, std::uint32_t block) {
            (*static_cast<std::remove_reference_t<Work>*>(context))(block);
        },
        &work);
}

/// What every block finds out, put together in the order of the blocks.
template <class T, class Work>
T CpuStep::collect(T BlockSums::*member, Work&& work) {
    each_block([&](std::uint32_t block) {
        T& found = scratch_.blocks[block].*member;
        found = {};
        work(block, found);
    });
    T total = scratch_.blocks[0].*member;
    for (std::uint32_t block = 1; block < asset_.blocks; ++block)
        total.add(scratch_.blocks[block].*member);
    return total;
}

bool CpuStep::advance() {
    return body_.recovering ? advance_in_double() : advance_in_float();
}

/// Scratch and state as the next body must find them, whatever happens.
class CpuStep::CleanUp {
public:
    explicit CleanUp(CpuStep& step) : step_(step) {}
    ~CleanUp() {
        for (const auto i : step_.scratch_.touched.particle) {
            step_.state_.x[i].w = 1;
            step_.scratch_.free[i] = 1;
            step_.scratch_.slot[i] = CpuScratch::none;
        }
    }
    CleanUp(const CleanUp&) = delete;
    CleanUp& operator=(const CleanUp&) = delete;

private:
    CpuStep& step_;
};

bool CpuStep::advance_in_float() {
    body_.mirror_is_old = true;
    scratch_.touched.clear();
    const CleanUp clean_up(*this);
    const auto timed = [&](Stage stage, auto run) {
        const Timer timer(times_, stage);
        return (this->*run)();
    };
    damp_and_predict();
    bool fine = reach_ < largest_extent && timed(Stage::elasticity, &CpuStep::deform);
    if (fine) {
        timed(Stage::contact, &CpuStep::collide);
        if (!timed(Stage::volume_positions, &CpuStep::keep_volume)) return finish_in_double();
        timed(Stage::volume_velocities, &CpuStep::keep_divergence);
        timed(Stage::contact, &CpuStep::settle);
    }
    fine = fine && state_.extent.reach < largest_extent && state_.extent.speed < largest_extent &&
           is_finite(state_.mean_x) && is_finite(state_.mean_v) &&
           norm(state_.origin) < farthest_place && norm(state_.drift) < farthest_place;
    if (!fine) stop();
    return fine;
}

void CpuStep::stop() {
    const Quat& q = body_.orientation;
    const auto start = std::span(scratch_.x_start).first(asset_.count);
    // Numbers that were too large to begin with leave nothing but the rest shape.
    const bool lost = !is_finite(origin_start_) ||
                      !std::ranges::all_of(start, [](const Quad& x) { return is_finite(x.xyz()); });
    if (lost) {
        for (std::uint32_t i = 0; i < asset_.count; ++i)
            start[i] = to_quad(rotate(q, body_.asset().rest[i]));
        if (!is_finite(origin_start_)) origin_start_ = {};
    }
    for (std::uint32_t i = 0; i < asset_.padded; ++i) {
        Quad& x = state_.x[i];
        const Quad& from = scratch_.x_start[i];
        x = {from.x, from.y, from.z, x.w};
        state_.v[i] = {};
        state_.rotation[i] = to_quad({q.x, q.y, q.z}, q.w);
    }
    state_.origin = origin_start_;
    state_.drift = {};
    state_.measure(asset_);
}

bool CpuStep::advance_in_double() {
    ReferenceScratch scratch;
    BodyView view = world_.reference_view(body_, scratch);
    return come_back(view, world_.advance(view, context_, times_));
}

/// The body has lost its shape in the middle of a step: the reference takes over after its
/// contacts.
bool CpuStep::finish_in_double() {
    ReferenceScratch scratch;
    BodyView view = world_.reference_view(body_, scratch);
    std::ranges::fill(view.support, Support{});
    for (std::uint32_t i = 0; i < asset_.count; ++i) {
        view.x_start[i] = start_x(i);
        view.v[i] = predicted_v(i);
    }
    for (std::size_t k = 0; k < pinned_; ++k) view.support[scratch_.touched.particle[k]] = {1, {}};
    for (Contact& c : body_.contacts) c.particle = scratch_.touched.particle[c.particle];
    recover(view, context_);
    turgor::keep_divergence(view, context_);
    turgor::settle(view, context_);
    return come_back(view, is_sane(view));
}

/// From the reference's arrays to single precision.
bool CpuStep::come_back(BodyView& view, bool fine) {
    if (!fine) turgor::stop(view);
    body_.cpu_is_old = true;
    world_.load_cpu(body_);
    if (fine) note_contacts(body_, context_, view.x, times_);
    rms_speed_ = std::numeric_limits<double>::infinity();
    return fine;
}

void CpuStep::damp_and_predict() {
    const auto k = static_cast<float>(body_.parameters.damping_at(context_.h));
    const SurfaceScales scales{power_of_two_above(state_.extent.reach),
                               power_of_two_above(state_.extent.speed)};
    if (k > 0) {
        const Timer timer(times_, Stage::elasticity);
        each_block([&](auto block) { damping_terms(surface_, scales, block); });
        each_block([&](auto block) { damping_fields(surface_, scales, block); });
    }
    const Timer timer(times_, Stage::integrate);
    // The frame takes over the body's mean velocity, and its place where it has strayed.
    FrameChange frame;
    frame.velocity = to_quad(state_.mean_v);
    if (norm(state_.mean_x) > 0.25 * asset_.reach) frame.shift = to_quad(state_.mean_x);
    const PredictSums found = collect(&BlockSums::predict, [&](auto block, PredictSums& sums) {
        turgor::damp_and_predict(surface_, scales, k, h_, frame, block, sums);
    });
    reach_ = found.reach;
    origin_start_ = state_.origin + frame.shift.xyz();
    state_.mean_x -= frame.shift.xyz();
    // Damping within regions keeps the momentum: what the sum is now, rounding has added. It is
    // taken back with the frame, which costs nothing.
    const Vec3 rounding = found.linear / asset_.whole_mass - (state_.mean_v - frame.velocity.xyz());
    state_.drift += frame.velocity.xyz() - rounding + context_.h * acceleration(body_, context_);
    state_.origin = origin_start_ + context_.h * state_.drift;
    follow_handles();
}

void CpuStep::follow_handles() {
    scratch_.pins.clear();
    if (body_.handles.empty() && body_.forces.empty()) return;
    const double density = body_.material.density;
    const auto note_reach = [&](const Quad& x) {
        reach_ = std::max({reach_, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    };
    const auto kick = [&](std::uint32_t i, Vec3 by) {
        Quad& x = state_.x[i];
        Quad& v = state_.v[i];
        x = to_quad(x.xyz() + context_.h * by, x.w);
        v = to_quad(v.xyz() + by, v.w);
        note_reach(x);
    };
    // Springs act before gravity does.
    const Vec3 drift = state_.drift - context_.h * acceleration(body_, context_);
    HandledParticles& held = scratch_.handled;
    for (const Handle& handle : body_.handles) {
        if (handle.kind == Handle::Kind::pin) continue;
        held.clear();
        for (const auto i : handle.particles) {
            held.x.push_back(start_x(i));
            held.v.push_back(drift + state_.v[i].xyz());
            held.mass.push_back(density * asset_.mass[i]);
        }
        pull(handle, body_, context_, held);
        for (std::size_t k = 0; k < held.v.size(); ++k) {
            const auto i = handle.particles[k];
            kick(i, held.v[k] - (drift + state_.v[i].xyz()));
        }
    }
    for (const auto& [i, force] : body_.forces)
        kick(i, context_.h / (density * asset_.mass[i]) * force);
    find_pins(body_, context_, scratch_.pins);
    for (const auto& [i, target] : scratch_.pins) {
        state_.x[i] = to_quad(target - state_.origin, 0);
        state_.v[i] = to_quad((target - start_x(i)) / context_.h - state_.drift);
        note_reach(state_.x[i]);
        scratch_.touched.support[touch(i)] = {1, {}};
    }
    pinned_ = scratch_.touched.size();
    take_touched(0);
}

bool CpuStep::deform() {
    const SurfaceScales scales{power_of_two_above(reach_), 1};
    const auto s = static_cast<float>(body_.parameters.stiffness_at(context_.h));
    const auto for_weights = static_cast<float>(body_.parameters.stiffness);
    const Quad centre = to_quad(state_.mean_x);
    each_block([&](auto block) { matching_terms(surface_, scales, block); });
    each_block([&](auto block) { fit_regions(surface_, scales, block); });
    goal_ = collect(&BlockSums::goal, [&](auto block, GoalSums& sums) {
        move_to_goals(surface_, scales, s, h_, for_weights, centre, block, sums);
    });
    // Shape matching moves the body as a whole only where it is pinned; else it was rounding.
    if (pinned_ == 0) {
        const Vec3 rounding = goal_.linear / asset_.whole_mass;
        state_.origin -= rounding;
        state_.drift -= rounding / context_.h;
    }
    return is_finite(goal_.linear) && is_finite(goal_.angular) &&
           is_finite(goal_.high.xyz() - goal_.low.xyz());
}

/// The place of a particle among those touched; it gets one.
std::uint32_t CpuStep::touch(std::uint32_t particle) {
    std::uint32_t& slot = scratch_.slot[particle];
    if (slot == CpuScratch::none) {
        slot = static_cast<std::uint32_t>(scratch_.touched.size());
        scratch_.touched.add(particle);
    }
    return slot;
}

/// Brings particles `from` … of `touched` up to date.
void CpuStep::take_touched(std::size_t from) {
    TouchedParticles& t = scratch_.touched;
    for (std::size_t k = from; k < t.size(); ++k) {
        const auto i = t.particle[k];
        t.x_start[k] = start_x(i);
        t.x[k] = state_.world_x(i);
        t.v[k] = state_.world_v(i);
        t.pressed[k] = scratch_.x_start[i].w;
    }
}

/// Moves the body's particles where those of `touched` are, and changes their velocities by the
/// way.
void CpuStep::put_touched_positions() {
    const TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k) {
        Quad& x = state_.x[t.particle[k]];
        Quad& v = state_.v[t.particle[k]];
        const Vec3 r = t.x[k] - state_.origin, moved = r - x.xyz();
        if (moved == Vec3{}) continue;
        x = to_quad(r, x.w);
        v = to_quad(v.xyz() + moved / context_.h, v.w);
    }
}

/// Whether particles in a box may come within the margin of a collider, or `more` beyond it.
bool CpuStep::is_near(const MovingCollider& collider, const GoalSums& box, double more) const {
    const Vec3 low = lower_of(state_.origin + box.low.xyz(), origin_start_ + box.start_low.xyz());
    const Vec3 high =
        upper_of(state_.origin + box.high.xyz(), origin_start_ + box.start_high.xyz());
    const double margin = contact_settings(body_).margin + more;
    return in_reach(collider, 0.5 * (low + high), 0.5 * norm(high - low) + margin);
}

bool CpuStep::is_near_any_collider(double more) const {
    return std::ranges::any_of(context_.colliders,
                               [&](const auto& c) { return is_near(c, goal_, more); });
}

void CpuStep::find_contacts() {
    const ContactSettings settings = contact_settings(body_);
    const auto box_of = [&](std::uint32_t first, std::uint32_t last) {
        GoalSums box;
        box.low = box.high = state_.x[first];
        box.start_low = box.start_high = scratch_.x_start[first];
        for (std::uint32_t i = first + 1; i < last; ++i)
            box.add_point(state_.x[i], scratch_.x_start[i]);
        return box;
    };
    for (std::uint32_t k = 0; k < context_.colliders.size(); ++k) {
        const MovingCollider& collider = context_.colliders[k];
        if (!is_near(collider, goal_)) continue;
        for (std::uint32_t block = 0; block < asset_.blocks; ++block) {
            if (asset_.blocks > 1 && !is_near(collider, scratch_.blocks[block].goal)) continue;
            const BlockRange range(asset_, block);
            for (std::uint32_t first = range.begin; first < range.end; first += FastLayout::group) {
                const std::uint32_t last = std::min(first + FastLayout::group, asset_.count);
                if (!is_near(collider, box_of(first, last))) continue;
                for (std::uint32_t i = first; i < last; ++i)
                    if (state_.x[i].w != 0)
                        add_contact(collider, k, settings, i, start_x(i), state_.world_x(i),
                                    predicted_v(i), body_.contacts);
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
    for (Contact& c : contacts) c.particle = touch(c.particle);
    const Vec3 lift = lift_out(contacts, 1 - std::exp(-context_.h / lift_time));
    state_.origin += lift;
    origin_start_ += lift;
    take_touched(lift == Vec3{} ? pinned_ : 0);
    push_out(contacts, touched.x_start, touched.x, 0);
    // What the volume stage pressed on a collider in the last step rubs in this one.
    rub(contacts, touched.pressed, touched.x_start, touched.x, scratch_.nearest);
    put_touched_positions();
}

/// After a correction that may have moved particles from beyond the margin into a collider.
void CpuStep::find_more_contacts() {
    TouchedParticles& t = scratch_.touched;
    std::vector<Vec3> x_start(asset_.count), x(asset_.count), v(asset_.count);
    for (std::uint32_t i = 0; i < asset_.count; ++i) {
        x_start[i] = start_x(i);
        x[i] = state_.world_x(i);
        v[i] = predicted_v(i);
    }
    std::vector<Contact>& contacts = body_.contacts;
    const std::size_t known = contacts.size(), touched = t.size();
    for (Contact& c : contacts) c.particle = t.particle[c.particle];
    turgor::find_more_contacts(context_.colliders, contact_settings(body_), x_start, x, v,
                               contacts);
    for (std::size_t k = known; k < contacts.size(); ++k)
        if (state_.x[contacts[k].particle].w != 0) touch(contacts[k].particle);
    std::erase_if(contacts, [&](const Contact& c) { return state_.x[c.particle].w == 0; });
    for (Contact& c : contacts) c.particle = scratch_.slot[c.particle];
    take_touched(touched);
}

/// Where contacts and pins hold particles, and how far a correction is felt there.
void CpuStep::mark_supports() {
    TouchedParticles& t = scratch_.touched;
    const double fade = context_.formulation.contact_fade ? 0.5 * body_.asset().mean_edge : 0;
    turgor::mark_supports(body_.contacts, t.x, fade, t.support);
    t.grip = t.support;
    double held = 0;
    for (const Support& s : t.support) held += s.hold;
    // A body squeezed nearly all over slips at its rim (volume_reference.cpp).
    const double slip = std::clamp(2 * held / asset_.count - 1, 0.0, 1.0);
    for (std::size_t k = 0; k < t.size(); ++k) {
        if (slip > 0) loosen(t.grip[k], scratch_.normal[t.particle[k]].xyz(), slip);
        scratch_.free[t.particle[k]] = static_cast<float>(1 - t.grip[k].hold);
    }
}

bool CpuStep::keep_volume() {
    const bool kept = body_.volume_mode != VolumeMode::off;
    const double rest_volume = body_.asset().rest_volume;
    const double beta = body_.material.beta;
    // Goals and struts are good to a few units in the last digit of a float.
    const double rounding =
        3e-7 * body_.asset().size * (0.1 * beta + (1 - beta) * body_.parameters.stiffness);
    const ShapeSums shape = collect(&BlockSums::shape, [&](auto block, ShapeSums& sums) {
        measure_shape(volume_, static_cast<float>(beta), static_cast<float>(rounding), block, sums);
    });
    const double volume = shape.nine_volumes / 9;
    std::size_t held = pinned_;
    for (const Contact& c : body_.contacts) held += c.touching;
    if (context_.formulation.recover && lost_its_shape(body_, volume, held)) return false;
    if (!kept) return true;

    const bool local = body_.volume_mode == VolumeMode::local;
    if (local) {
        // A body that nothing deforms has uniform weights.
        const double least = 1e-9 * body_.asset().size * asset_.count;
        const auto scale =
            static_cast<float>(shape.raw_weight > least ? asset_.count / shape.raw_weight : 0);
        each_block([&](auto block) {
            cap_weights(volume_, scale, static_cast<float>(body_.material.alpha), block);
        });
    }
    mark_supports();
    WeightSums weights = collect(&BlockSums::weight, [&](auto block, WeightSums& sums) {
        smooth_weights(volume_, local, block, sums);
    });
    // The correction may push particles into a collider that they did not touch: those join the
    // contacts.
    constexpr int rounds = 4;
    double off = rest_volume - volume;
    for (int round = 0; round < rounds; ++round) {
        const double farthest = correct_volume(off, weights);
        if (round + 1 == rounds) break;
        if (farthest > 0.5 * contact_settings(body_).margin && is_near_any_collider(farthest))
            find_more_contacts();
        if (body_.contacts.empty()) break;
        TouchedParticles& t = scratch_.touched;
        for (std::size_t k = 0; k < t.size(); ++k)
            t.x[k] =
                state_.world_x(t.particle[k]) + pending_ * scratch_.direction[t.particle[k]].xyz();
        // No more than what rounding moves.
        if (!push_out(body_.contacts, t.x_start, t.x, 3e-7 * body_.asset().size)) break;
        each_block(
            [&](auto block) { move_along(volume_, static_cast<float>(pending_), 1 / h_, block); });
        put_touched_positions();
        mark_supports();
        moved_ = collect(&BlockSums::moved,
                         [&](auto block, MovedSums& sums) { measure_moved(volume_, block, sums); });
        off = rest_volume - moved_.nine_volumes / 9;
        weights = moved_.all;
    }
    return true;
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
    const double pressure =
        weights.free > 0 ? keep * weights.weight / weights.free + (1 - keep) : 0;
    for (std::size_t k = 0; k < t.size(); ++k) {
        const auto& [hold, normal] = t.grip[k];
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
        const auto& [hold, normal] = t.support[k];
        const Vec3 out = -hold * std::min(0.0, dot(d.xyz(), normal)) * normal;
        d = to_quad(d.xyz() + out);
        t.push[k] += double{asset_.mass[t.particle[k]]} * out;
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
        state_.v[i].w += static_cast<float>(total * norm(t.push[k]) / asset_.mass[i]);
    }
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
        x[i] = state_.x[i].xyz();
        weights[i] = scratch_.weight[i];
    }
    const TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k) supports[t.particle[k]] = t.support[k];
    correct_positions({asset, asset.rest_volume, asset.mass, weights, supports,
                       comfortable_push(body_, context_), true, true},
                      x_start, x, pressed);
    for (std::uint32_t i = 0; i < asset_.count; ++i) {
        Quad& v = state_.v[i];
        const Vec3 moved = x[i] - state_.x[i].xyz();
        v = to_quad(v.xyz() + moved / context_.h, v.w + pressed[i]);
        state_.x[i] = to_quad(x[i], state_.x[i].w);
        scratch_.direction[i] = {};
    }
    pending_ = 0;
    moved_ = collect(&BlockSums::moved,
                     [&](auto block, MovedSums& sums) { measure_moved(volume_, block, sums); });
    return body_.asset().size;
}

void CpuStep::keep_divergence() {
    last_ = {};
    if (body_.volume_mode == VolumeMode::off) return;
    double divergence = moved_.divergence + pending_ / context_.h * moved_.effect;
    last_.position = static_cast<float>(pending_);
    last_.per_h = 1 / h_;
    last_.dither = static_cast<std::uint32_t>(
        std::bit_cast<std::uint64_t>(context_.time_end()) * 0x9E3779B97F4A7C15u >> 32);
    // First, so that an impact gives the same impulse wherever in the step it happens.
    TouchedParticles& t = scratch_.touched;
    for (std::size_t k = 0; k < t.size(); ++k)
        t.v[k] = state_.world_v(t.particle[k]) +
                 pending_ / context_.h * scratch_.direction[t.particle[k]].xyz();
    stop_closing_touched(nullptr, &divergence);
    const double keep =
        kept_share(moved_.pins, context_.h * divergence / 3, comfortable_push(body_, context_));
    last_.keep = static_cast<float>(keep);
    const DirectionSums sums =
        collect(&BlockSums::direction, [&](auto block, DirectionSums& found) {
            direction_sums(volume_, Held::by_pins, last_.keep, block, found);
        });
    const RigidField field = sums.field();
    const double effect = sums.effect(field);
    if (!(effect > 1e-7 * sums.square)) return;
    last_.velocity = static_cast<float>(divergence / effect);
    last_.a = to_quad(field.a);
    last_.b = to_quad(field.b);
}

/// Removes the closing velocities among t.v; sums that are given stay true.
void CpuStep::stop_closing_touched(MotionSums* free, double* divergence) {
    TouchedParticles& t = scratch_.touched;
    if (body_.contacts.empty()) return;
    std::vector<Vec3>& before = t.push;  // no longer needed
    before = t.v;
    stop_closing(body_.contacts, context_.h, least_bounce(body_, context_), t.v);
    for (std::size_t k = 0; k < t.size(); ++k) {
        const Vec3 by = t.v[k] - before[k];
        if (by == Vec3{}) continue;
        const auto i = t.particle[k];
        state_.v[i] = to_quad(state_.v[i].xyz() + by, state_.v[i].w);
        if (divergence) *divergence += dot(by, scratch_.normal[i].xyz());
        if (!free) continue;
        const double m = asset_.mass[i];
        const Vec3 was = before[k] - state_.drift, is = t.v[k] - state_.drift;
        free->linear += m * by;
        free->angular += m * cross(state_.x[i].xyz(), by);
        free->energy += m * (dot(is, is) - dot(was, was));
    }
}

/// The volume of a body as flat as a pancake changes with the rounding of its positions by more
/// than it may be off. Moving one free particle along its normal makes up for that: the volume is
/// linear in it, and its own rounding matters less than that of all by √n.
void CpuStep::make_up_for_rounding() {
    const BodyAsset& asset = body_.asset();
    const double reach = state_.extent.reach;
    if (body_.volume_mode == VolumeMode::off ||
        reach * reach * reach < 2 * asset.rest_volume * std::sqrt(asset_.count / 200.0))
        return;
    std::uint32_t best = CpuScratch::none;
    for (std::uint32_t i = 0; i < asset_.count; ++i)
        if (scratch_.slot[i] == CpuScratch::none &&
            (best == CpuScratch::none || scratch_.normal[i].w > scratch_.normal[best].w))
            best = i;
    if (best == CpuScratch::none) return;
    const auto at = [&](std::uint32_t i) { return state_.x[i].xyz(); };
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
    Quad& x = state_.x[best];
    x = to_quad(x.xyz() + (6 * asset.rest_volume - six) / square * normal, x.w);
}

void CpuStep::settle() {
    MotionSums free = collect(&BlockSums::motion, [&](auto block, MotionSums& sums) {
        move_last(volume_, last_, block, sums);
    });
    MotionSums held;
    for (std::size_t k = 0; k < pinned_; ++k) {
        const auto i = scratch_.touched.particle[k];
        held.add(asset_.mass[i], state_.x[i].xyz(), state_.v[i].xyz());
    }
    free.add(held, -1);
    MotionSums all;
    const auto change_by = [&](VelocityChange& so_far, const VelocityChange& next) {
        free.change(next.keep, next.a, next.b);
        so_far = so_far.then(next);
        all = free;
        all.add(held);
    };
    VelocityChange change;
    change_by(change, change);

    // What stage 2 added to the angular momentum is taken back: shape matching keeps it about x*,
    // velocities from positions about xₙ.
    const Vec3 drift = goal_.angular / context_.h;
    const RigidField spin = RigidSystem(all.mass, all.first, all.second_moment()).solve({}, drift);
    change_by(change, {1, -1.0 * spin.a, -1.0 * spin.b});
    TouchedParticles& t = scratch_.touched;
    const auto touched_velocity = [&](std::size_t k) {
        const Vec3 v = state_.v[t.particle[k]].xyz(), x = state_.x[t.particle[k]].xyz();
        return state_.x[t.particle[k]].w == 0 ? v : change.at(x, v);
    };
    for (std::size_t k = 0; k < t.size(); ++k) t.v[k] = state_.drift + touched_velocity(k);
    stop_closing_touched(&free, nullptr);
    change_by(change, {});

    if (context_.formulation.settle) {
        const WholeBodyDamping damping = whole_body_damping(body_, context_);
        const RigidField rigid = all.rigid();
        const Vec3 touch = damping.touch - state_.origin;
        change_by(change, {damping.keep,
                           (1 - damping.keep) * rigid.a + damping.roll * cross(rigid.b, touch),
                           (1 - damping.keep - damping.roll) * rigid.b});
        Vec3 carried;
        double supported = 0;
        for (std::size_t k = 0; k < t.size(); ++k) {
            if (!(t.support[k].hold > 0.5)) continue;
            const double m = asset_.mass[t.particle[k]];
            carried += m * touched_velocity(k);
            supported += m;
        }
        if (supported > 0) {
            carried /= supported;
            const double energy =
                all.energy - 2 * dot(carried, all.linear) + all.mass * dot(carried, carried);
            const double slow =
                calm_factor(body_, context_, std::sqrt(std::max(0.0, energy) / all.mass));
            if (slow < 1) change_by(change, {slow, (1 - slow) * carried, {}});
        }
    }
    state_.extent = collect(&BlockSums::extent, [&](auto block, Extent& extent) {
        change_velocities(volume_, change, block, extent);
    });
    make_up_for_rounding();
    state_.mean_x = all.centre();
    state_.mean_v = all.linear / all.mass;
    const Vec3 d = state_.drift;
    rms_speed_ =
        std::sqrt(std::max(0.0, (all.energy + 2 * dot(d, all.linear)) / all.mass + dot(d, d)));
    for (std::size_t k = 0; k < t.size(); ++k) t.x[k] = state_.world_x(t.particle[k]);
    note_contacts(body_, context_, t.x, times_);
}

}  // namespace turgor
