#include "step/device_world.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/functions.hpp"
#include "device/convert.hpp"
#include "step/device/device_display.hpp"
#include "step/device/device_pairs.hpp"
#include "step/device/device_step.hpp"
#include "step/device/plan_bodies.hpp"
#include "step/device/plan_islands.hpp"
#include "step/device/resident_bodies.hpp"
#include "step/recovery.hpp"
#include "step/self_contact_schedule.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace device {
class OpenClWorld final : public DeviceWorld {
public:
    explicit OpenClWorld(std::shared_ptr<Device> device)
        : queue_(device), step_(queue_), resident_(queue_, step_), display_(std::move(device)) {}

    void advance(WorldImpl& world, std::span<BodySim* const> bodies,
                 std::span<const Island> islands, double dt) override {
        guarded([&] { advance_all(world, bodies, islands, dt); });
    }
    bool pairs_ahead(const WorldImpl& world, double dt,
                     std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) override {
        if (!pairs_.complete() || !is_as_swept(world, dt)) return false;
        pairs.clear();
        for (const auto& [first, second] : pairs_.found()) pairs.emplace_back(first, second);
        std::ranges::sort(pairs);
        return true;
    }
    void fetch(BodySim& body) override {
        guarded([&] { resident_.fetch(body); });
    }
    bool holds(const BodySim& body) const override { return resident_.holds(body); }
    void begin_reading(std::span<BodySim* const> bodies) override {
        guarded([&] { begin_display(bodies); });
    }
    void finish_reading(BodySim& body, DisplayGeometry& out) override {
        guarded([&] { display_.finish(body.device.display_index, out); });
    }
    std::size_t fetches() const override { return resident_.fetches(); }
    void release(BodySim& body) override { resident_.release(body); }
    const std::string& name() const override { return queue_name_; }
    std::size_t memory() const override {
        return resident_.bytes() + pairs_.bytes() + step_.bytes() + display_.bytes();
    }
    double waited() const override { return queue_.waited(); }
    std::size_t launches() const override { return launches_; }
    double copy_bandwidth() override {
        double best = 0;
        guarded([&] { best = measure_copying(); });
        return best;
    }
    std::vector<std::pair<std::string, KernelTime>> kernels() const override {
        auto all = step_.kernels();
        for (const Kernel* kernel : pairs_.kernels()) all.emplace_back(kernel->name, kernel->done);
        for (auto& kernel : display_.kernels()) all.push_back(std::move(kernel));
        return all;
    }

private:
    template <class Work>
    void guarded(Work&& work) {
        try {
            work();
        } catch (const cl::Error& error) {
            rethrow(error, queue_.device().name());
        }
    }

    double measure_copying() {
        constexpr std::size_t count = std::size_t{1} << 23;
        Array<Quad> from, to;
        from.resize(queue_, count);
        to.resize(queue_, count);
        Kernel copy{queue_.device(), "copy"};
        double best = 0;
        for (int k = 0; k < 5; ++k) {
            std::array<double, stage_names.size()> ms{};
            queue_.run(copy, Stage::publish, count / 64, 64, from, to);
            queue_.wait();
            queue_.note_times(ms);
            best = std::max(best, static_cast<double>(from.bytes() + to.bytes()) * 1e-6 /
                                      ms[static_cast<std::size_t>(Stage::publish)]);
        }
        return best;
    }

    void advance_all(WorldImpl& world, std::span<BodySim* const> alone,
                     std::span<const Island> islands, double dt) {
        std::vector<Active> bodies;
        for (BodySim* body : alone) bodies.push_back({body, world.sub_steps(*body, dt)});
        for (const Island& island : islands)
            for (BodySim* body : island.bodies) {
                bodies.push_back({body, island.sub_steps});
                body->in_island = true;
            }
        if (bodies.empty()) return;
        display_.go_before(queue_);
        for (const Active& active : bodies) resident_.arrive(*active.body);
        for (const Active& active : bodies) resident_.load(*active.body);
        plan(world, bodies, dt);
        plan_islands(world, alone, islands, dt);
        if (!island_plan_.empty()) resident_.keep();
        list_swept(world, bodies, dt);
        run();
        read(bodies);
        while (make_room()) {
            resident_.bring_back();
            run();
            read(bodies);
        }
        launches_ = queue_.launches();
        queue_.note_times(world.report.milliseconds);
        finish(world, alone, islands, dt);
    }

    /// A body, and in how many sub-steps it is advanced.
    struct Active {
        BodySim* body;
        int sub_steps;
    };

    void run() {
        if (plan_.triangles) resident_.particles.expect_triangles(queue_);
        step_.write(queue_, plan_, island_plan_, resident_.slots());
        for (auto left = static_cast<std::uint32_t>(plan_.bodies_with.size()) - 1; left > 0; --left)
            step_.run(queue_, plan_, left, resident_.assets, resident_.particles);
        step_.look_ahead(queue_, plan_, resident_.assets, resident_.particles);
        if (!swept_.empty()) pairs_.find(queue_, swept_, step_.bodies.states, swept_step_);
    }

    static SweptInput swept(const WorldImpl& world, const BodySim& body, double dt) {
        SweptInput given{};
        given.fall = to_device(world.fall_in(body, dt));
        given.margin = broad_phase_margin(body) + 1e-9 * body.asset().size;
        given.slot = body.device.slot;
        given.asleep = body.asleep;
        given.layers = body.filter.layers;
        given.collides_with = body.filter.collides_with;
        return given;
    }

    /// All bodies of the world, if the device knows where they are.
    void list_swept(const WorldImpl& world, std::span<const Active> active, double dt) {
        swept_.clear();
        swept_step_ = dt;
        const auto sleeping = [](const auto& body) {
            return body->asleep && body->copies.device_is_current() &&
                   body->device.slot != BodySim::no_slot;
        };
        const auto asleep = std::ranges::count_if(world.bodies, sleeping);
        if (world.bodies.size() < 2 || !world.rigids.empty() ||
            active.size() + static_cast<std::size_t>(asleep) < world.bodies.size())
            return;
        for (const auto& body : world.bodies) swept_.push_back(swept(world, *body, dt));
    }

    /// Whether bodies are where they were when pairs were looked for, and move on in the same way.
    bool is_as_swept(const WorldImpl& world, double dt) const {
        if (dt != swept_step_ || swept_.size() != world.bodies.size() || !world.rigids.empty())
            return false;
        for (std::size_t k = 0; k < swept_.size(); ++k) {
            const BodySim& body = *world.bodies[k];
            const SweptInput &then = swept_[k], now = swept(world, body, dt);
            const bool same = body.device.slot == then.slot && body.copies.device_is_current() &&
                              (body.asleep || body.copies.cpu_is_current()) &&
                              from_device(now.fall) == from_device(then.fall) &&
                              now.layers == then.layers && now.collides_with == then.collides_with;
            if (!same || (then.asleep && !now.asleep)) return false;
        }
        return true;
    }

    void finish(WorldImpl& world, std::span<BodySim* const> alone, std::span<const Island> islands,
                double dt) {
        for (BodySim* body : alone) {
            take_over(world, *body, dt);
            world.finish_body(*body, world.settings.sleeping && body->sleep_timer >= time_to_sleep);
        }
        std::size_t first = 0;
        for (const Island& island : islands) {
            std::vector<PairState> states;
            for (std::size_t k = 0; k < island.pairs.size(); ++k)
                states.push_back(pair_states_[island_plan_.pairs_in[first + k]]);
            first +=
                island_plan_.islands[static_cast<std::size_t>(&island - islands.data())].pair_count;
            take_over_pairs(island, states);
            for (BodySim* body : island.bodies) take_over(world, *body, dt);
            const bool all_at_rest =
                world.settings.sleeping &&
                std::ranges::all_of(island.bodies, [](const BodySim* body) {
                    return body->sleep_timer >= time_to_sleep && !body->overflowed;
                });
            for (BodySim* body : island.bodies) world.finish_body(*body, all_at_rest);
        }
    }

    void begin_display(std::span<BodySim* const> bodies) {
        std::vector<DeviceDisplay::Asked> asked;
        for (BodySim* body : bodies) {
            const BodySlot& slot = resident_.slot(*body);
            body->device.display_index = static_cast<std::uint32_t>(asked.size());
            asked.push_back(
                {body->parts.asset, body->cpu.origin, slot.particle, slot.asset_particle});
        }
        display_.begin(asked, resident_.assets, resident_.particles.x);
    }

    void plan(WorldImpl& world, std::span<const Active> bodies, double dt) {
        plan_.clear();
        plan_.given.resize(resident_.slots());
        std::vector<Active> order(bodies.begin(), bodies.end());
        std::ranges::stable_sort(order, std::ranges::greater{}, &Active::sub_steps);
        const int most = order.front().sub_steps;
        plan_.bodies_with.resize(static_cast<std::size_t>(most) + 1);
        plan_.blocks_with.resize(static_cast<std::size_t>(most) + 1);
        BodyPlanner planner(world, dt, plan_, [&](const auto& geometry) {
            return step_.collider_geometry.take(queue_, geometry);
        });
        for (const auto& [body, n] : order) {
            const auto at = body->device.slot;
            const BodySlot& slot = resident_.slot(*body);
            BodyInput& given = plan_.given[at];
            given = planner.describe(*body, n);
            given.model = slot.model;
            step_.models[slot.model].form->describe(*body->elastic, given.step, given.elastic);
            given.first = static_cast<uint>(slot.particle);
            given.asset = slot.asset_particle;
            given.first_row = static_cast<uint>(slot.row);
            given.first_block = static_cast<uint>(plan_.blocks.size());
            given.blocks = slot.rest.asset->blocks;
            for (uint k = 0; k < given.blocks; ++k) {
                const BlockRange range(*slot.rest.asset, k);
                plan_.blocks.push_back(
                    {at, range.begin, range.end, given.first_row + row_of(range.begin)});
            }
            plan_.active.push_back(at);
            for (int k = 0; k <= n; ++k) {
                plan_.bodies_with[static_cast<std::size_t>(k)] = plan_.active.size();
                plan_.blocks_with[static_cast<std::size_t>(k)] = plan_.blocks.size();
            }
        }
        step_.collider_geometry.forget_others();
    }

    void plan_islands(WorldImpl& world, std::span<BodySim* const> alone,
                      std::span<const Island> islands, double dt) {
        island_plan_.clear();
        std::vector<BodySim*> looking;
        for (BodySim* body : alone)
            if (may_soon_touch_itself(world, *body, dt)) looking.push_back(body);
        if (islands.empty() && looking.empty()) return;
        for (BodySim* body : looking) {
            world.need_tree(*body);
            resident_.arrive_surface(*body);
        }
        for (const Island& island : islands)
            for (BodySim* body : island.bodies) resident_.arrive_surface(*body);
        IslandPlanner planner(
            world, dt, resident_.slots(),
            [&](const BodySim& body) -> const CollisionSurfaceInput& {
                return resident_.slot(body).surface.given;
            },
            island_plan_);
        for (const Island& island : islands) planner.add(island);
        for (BodySim* body : looking) planner.add_looking(*body);
        planner.finish();
    }

    /// Whether there was no room for all contacts; now there is.
    bool make_room() {
        const std::size_t found = std::max(most_found_[2], most_found_[3]);
        if (island_plan_.empty() || found <= step_.islands.capacity()) return false;
        step_.islands.need_capacity(queue_, found + found / 2);
        return true;
    }

    /// The states of bodies and all contacts, after the last sub-step.
    void read(std::span<const Active> bodies) {
        states_.resize(resident_.slots());
        // What is between the stages stays there.
        constexpr std::size_t width = offsetof(BodyState, origin_start);
        const cl::array<cl::size_type, 3> origin{0, 0, 0}, region{width, resident_.slots(), 1};
        queue_.commands().enqueueReadBufferRect(step_.bodies.states.buffer(), CL_FALSE, origin,
                                                origin, region, sizeof(BodyState), 0,
                                                sizeof(BodyState), 0, states_.data());
        std::uint32_t count = 0;
        resident_.particles.contact_count.read(queue_, 0, std::span(&count, 1));
        if (!island_plan_.empty()) {
            pair_states_.resize(island_plan_.pairs.size());
            step_.islands.states.read(queue_, 0, std::span(pair_states_));
            step_.islands.counters.read(queue_, 0, std::span(most_found_));
        }
        if (!swept_.empty()) pairs_.read_count(queue_);
        queue_.wait();
        for (const Active& active : bodies) active.body->contacts.clear();
        found_.resize(plan_.obstacles.empty()
                          ? 0
                          : std::min<std::size_t>(count, resident_.particles.contacts.size()));
        if (!swept_.empty()) pairs_.read(queue_);
        if (!found_.empty()) resident_.particles.contacts.read(queue_, 0, found_);
        queue_.wait();
        // Their indices depend on who was first; their order must not.
        std::ranges::sort(found_, {}, [](const ContactState& c) {
            const auto& n = c.normal;
            return std::tuple(c.obstacle, c.particle, n[0], n[1], n[2]);
        });
    }

    void take_over(WorldImpl& world, BodySim& body, double dt) {
        const BodyState& state = states_[body.device.slot];
        const BodyInput& given = plan_.given[body.device.slot];
        CpuBody& cpu = body.cpu;
        body.copies.device_advanced();
        if (state.stage == BODY_OVERFLOWED) return stop(body);
        cpu.origin = from_device(state.origin);
        cpu.drift = from_device(state.drift);
        cpu.mean_x = from_device(state.mean_x);
        cpu.mean_v = from_device(state.mean_v);
        cpu.extent = {state.reach, state.speed, state.deforming};
        body.device.low = from_device(state.low);
        body.device.high = from_device(state.high);
        body.device.spread = state.spread;
        const auto n = static_cast<int>(given.sub_steps);
        const StepContext context = world.sub_step_context(dt, n, n - 1);
        take_contacts(world, body, given, context);
        if (state.stage == BODY_LOST_ITS_SHAPE) {
            resident_.fetch(body);
            cpu.measure(*body.parts.cpu_asset);
            body.recovering = true;
            body.copies.device_is_left();
        }
        body.self.travelled = state.travelled;
        body.self.clearance = state.clearance;
        body.self.self_intersecting = state.self_intersecting != 0;
        if (!island_plan_.empty() && island_plan_.surfaces[body.device.slot].looks_ahead != 0)
            body.self.closing.looked_ahead(state.closing);
        else
            body.self.closing.looked(state.closing);
        if (body.recovering) body.self.mark_unknown();
        StepContext whole = context;
        whole.h = dt;
        update_sleep_timer(body, whole, {state.rms, state.rigid});
    }

    void take_contacts(WorldImpl& world, BodySim& body, const BodyInput& given,
                       const StepContext& context) {
        const auto mine = std::ranges::subrange(
            std::ranges::lower_bound(found_, given.obstacle_first, {}, &ContactState::obstacle),
            std::ranges::lower_bound(found_, given.obstacle_first + given.obstacle_count, {},
                                     &ContactState::obstacle));
        std::vector<Vec3> x;
        for (const ContactState& c : mine) {
            Contact contact;
            contact.particle = c.particle - given.first;
            contact.entry = static_cast<std::uint32_t>(x.size());
            contact.collider = plan_.obstacles[c.obstacle].collider;
            contact.point = body.cpu.origin + from_device(c.point);
            contact.normal = from_device(c.normal);
            contact.surface_motion = from_device(c.surface_motion);
            contact.friction = c.friction;
            contact.restitution = c.restitution;
            contact.depth = c.depth;
            contact.push = c.push;
            contact.approach = c.approach;
            contact.touching = (c.flags & CONTACT_TOUCHING) != 0;
            contact.sensor = (c.flags & CONTACT_SENSOR) != 0;
            contact.inside = (c.flags & CONTACT_INSIDE) != 0;
            body.contacts.push_back(contact);
            x.push_back(body.cpu.origin + c.x.xyz());
        }
        record_contacts(body, context, x, world.report);
    }

    /// Its numbers overflowed: it stays where it was.
    void stop(BodySim& body) {
        resident_.fetch(body);
        const AlignedVector<Quad> start = resident_.read_start(body);
        BodyState state;
        step_.bodies.states.read(queue_, body.device.slot, std::span(&state, 1));
        queue_.wait();
        stop_body(body, start, from_device(state.origin_start));
        body.copies.device_is_left();
        body.overflowed = true;
    }

    Queue queue_;
    DeviceStep step_;
    ResidentBodies resident_;
    DeviceDisplay display_;
    DevicePlan plan_;
    IslandPlan island_plan_;
    DevicePairs pairs_{queue_};
    std::vector<SweptInput> swept_;  ///< in the order of the world's bodies; none: not looked for
    double swept_step_ = 0;          ///< [s]
    std::vector<BodyState> states_;  ///< as they were read, by slot
    std::vector<ContactState> found_;
    std::vector<PairState> pair_states_;
    std::array<std::uint32_t, 4> most_found_{};  ///< DeviceIslands::counters
    std::string queue_name_ = queue_.device().name();
    std::size_t launches_ = 0;
};

}  // namespace device

std::unique_ptr<DeviceWorld> make_device_world(const std::string& wanted) {
    return std::make_unique<device::OpenClWorld>(device::Device::open(wanted));
}

}  // namespace turgor
