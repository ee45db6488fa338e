#include "step/device/plan_islands.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "device/convert.hpp"
#include "step/island_scratch.hpp"
#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"

namespace turgor::device {
namespace {

/// Of pairs of a body with itself: they come after all others.
constexpr std::uint32_t last_colour = 63;
/// Of those that only look ahead: they are not solved.
constexpr std::uint32_t no_colour = 64;

}  // namespace

IslandPlanner::IslandPlanner(const StepWorld& world, double dt, std::size_t slots,
                             std::function<const CollisionSurfaceInput&(const BodySim&)> surface_of,
                             IslandPlan& plan)
    : world_(world), dt_(dt), surface_of_(std::move(surface_of)), plan_(plan), of_body_(slots) {
    CollisionSurfaceInput alone{};
    alone.island = NONE;
    plan_.surfaces.assign(slots, alone);
}

void IslandPlanner::add(const Island& island) {
    IslandState state{};
    state.sub_steps = narrow(static_cast<std::size_t>(island.sub_steps));
    double least = 1e300;
    const StepContext context = world_.sub_step_context(dt_, island.sub_steps, 0);
    bounce_ = 0;
    for (const BodySim* body : island.bodies) {
        least = std::min(least, body->asset().contact_length);
        bounce_ = std::max(bounce_, least_bounce(*body, context));
    }
    state.enough = static_cast<float>(2e-5 * least);
    for (const BodySim* body : island.bodies) {
        CollisionSurfaceInput& given = plan_.surfaces[body->device.slot];
        given = surface_of_(*body);
        given.island = narrow(plan_.islands.size());
        given.least_edge = least;
        plan_.particles += body->count;
    }
    state.pair_first = narrow(made_.size());
    // Colours: pairs of one have no body in common. A body has at most 32 pairs, so 63 suffice.
    std::vector<std::uint64_t> used(island.bodies.size(), 0);
    for (const Island::Pair& pair : island.pairs) {
        const auto colour =
            narrow(static_cast<std::size_t>(std::countr_one(used[pair.first] | used[pair.second])));
        used[pair.first] |= std::uint64_t{1} << colour;
        used[pair.second] |= std::uint64_t{1} << colour;
        add_pair(island, pair, colour);
    }
    for (BodySim* body : island.bodies)
        if (body->self.wanted) add_self(*body, narrow(plan_.islands.size()), island.sub_steps);
    // One that is alone in its island need not be in one if nothing touches any more.
    if (island.bodies.size() == 1) plan_.surfaces[island.bodies[0]->device.slot].looks_ahead = 1;
    state.pair_count = narrow(made_.size()) - state.pair_first;
    plan_.islands.push_back(state);
}

void IslandPlanner::add_looking(BodySim& body) {
    CollisionSurfaceInput& given = plan_.surfaces[body.device.slot];
    given = surface_of_(body);
    given.island = NONE;
    given.looks_ahead = 1;
    plan_.particles += body.count;
    add_self(body, NONE, world_.sub_steps(body, dt_));
}

PairInput IslandPlanner::describe(const BodySim& a, const BodySim& b, std::uint32_t island,
                                  int sub_steps) const {
    const StepContext context = world_.sub_step_context(dt_, sub_steps, 0);
    PairInput given{};
    given.body[0] = a.device.slot;
    given.body[1] = b.device.slot;
    given.island = island;
    given.sub_steps = narrow(static_cast<std::size_t>(sub_steps));
    given.number = a.id * 2654435761u + b.id * 40503u;
    ContactCoefficients coefficients =
        combined(coefficients_of(a.material), coefficients_of(b.material));
    if (const auto* pair = world_.friction_pairs.find(a.surface_id, b.surface_id))
        coefficients = of_pair(*pair, coefficients);
    given.friction = static_cast<float>(coefficients.friction);
    given.static_friction = static_cast<float>(coefficients.static_friction);
    given.restitution = static_cast<float>(coefficients.restitution);
    given.edge = std::min(a.asset().contact_length, b.asset().contact_length);
    given.size = std::min(a.asset().size, b.asset().size);
    given.sticking_speed = std::max(sticking_speed(a, context), sticking_speed(b, context));
    given.least_bounce = bounce_;
    given.first_share = b.mass / (a.mass + b.mass);
    return given;
}

void IslandPlanner::add_pair(const Island& island, const Island::Pair& pair, std::uint32_t colour) {
    const BodySim &a = *island.bodies[pair.first], &b = *island.bodies[pair.second];
    const CollisionSurfaceInput &of_a = surface_of_(a), &of_b = surface_of_(b);
    Made made{describe(a, b, narrow(plan_.islands.size()), island.sub_steps), {}, colour};
    made.given.motion = pair.speed * dt_ / island.sub_steps;
    made.given.cells[0] = of_a.vertices.leaves;
    made.given.cells[1] = of_b.vertices.leaves;
    made.given.cells[2] = of_b.edges.leaves > 0 ? of_a.edges.leaves : 0;
    const auto known = std::ranges::find(a.pair_cache, b.id, &CachedPair::id);
    if (known != a.pair_cache.end()) {
        made.state.known = 1;
        made.state.separating = known->separating;
        made.state.push = to_device(known->push);
    }
    made.state.touched = std::ranges::binary_search(a.touching, b.id, {},
                                                    [](const ActiveContact& t) { return t.id; });
    for (const BodySim* body : {&a, &b})
        of_body_[body->device.slot].push_back(narrow(made_.size()));
    made_.push_back(made);
}

void IslandPlanner::add_self(BodySim& body, std::uint32_t island, int sub_steps) {
    Made made{
        describe(body, body, island, sub_steps), {}, island == NONE ? no_colour : last_colour};
    made.given.cells[0] = surface_of_(body).vertices.leaves;
    of_body_[body.device.slot].push_back(narrow(made_.size()));
    made_.push_back(made);
}

void IslandPlanner::add_cells(std::uint32_t number) {
    PairInput& pair = plan_.pairs[number];
    pair.first_cell = narrow(plan_.cells);
    for (uint kind = 0; kind < 3; ++kind) {
        for (uint first = 0; first < pair.cells[kind]; first += CELLS_AT_ONCE)
            plan_.ranges.push_back(
                {number, kind, first, std::min(first + CELLS_AT_ONCE, pair.cells[kind])});
        plan_.cells += pair.cells[kind];
    }
}

void IslandPlanner::list_colours(std::span<const std::uint32_t> order) {
    for (std::uint32_t k = 0; k < order.size(); ++k) {
        if (made_[order[k]].colour == no_colour) return;
        const bool is_new = k == 0 || made_[order[k]].colour != made_[order[k - 1]].colour;
        if (is_new) plan_.colours.push_back({k, {}});
        auto& with = plan_.colours.back().with;
        const std::size_t steps = made_[order[k]].given.sub_steps;
        if (with.size() <= steps) with.resize(steps + 1);
        for (std::size_t left = 0; left <= steps; ++left) ++with[left];
    }
}

void IslandPlanner::finish() {
    std::vector<std::uint32_t> order(made_.size()), position(made_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](std::uint32_t i, std::uint32_t j) {
        const Made &a = made_[i], &b = made_[j];
        return a.colour != b.colour ? a.colour < b.colour : a.given.sub_steps > b.given.sub_steps;
    });
    for (std::uint32_t k = 0; k < order.size(); ++k) {
        position[order[k]] = k;
        plan_.pairs.push_back(made_[order[k]].given);
        plan_.states.push_back(made_[order[k]].state);
        add_cells(k);
    }
    list_colours(order);
    plan_.pairs_in = position;
    for (std::size_t body = 0; body < of_body_.size(); ++body) {
        plan_.surfaces[body].pair_first = narrow(plan_.pairs_of.size());
        plan_.surfaces[body].pair_count = narrow(of_body_[body].size());
        for (const auto pair : of_body_[body]) plan_.pairs_of.push_back(position[pair]);
    }
}

void take_over_pairs(const Island& island, std::span<const PairState> states) {
    for (BodySim* body : island.bodies) {
        body->contact_summary.clear();
        body->pair_cache.clear();
    }
    for (std::size_t k = 0; k < island.pairs.size(); ++k) {
        const PairState& state = states[k];
        BodySim *const a = island.bodies[island.pairs[k].first],
                       *const b = island.bodies[island.pairs[k].second];
        if (state.known)
            a->pair_cache.push_back({b->id, state.separating, from_device(state.push)});
        if (state.contact_points == 0) continue;
        const Vec3 point = from_device(state.point), normal = from_device(state.normal);
        a->contact_summary.contacts.push_back(
            {b->id, ActiveContact::Kind::body, point, normal, state.impulse});
        b->contact_summary.contacts.push_back(
            {a->id, ActiveContact::Kind::body, point, -1.0 * normal, state.impulse});
        for (BodySim* body : {a, b}) body->contact_summary.count += state.contact_points;
    }
}

}  // namespace turgor::device
