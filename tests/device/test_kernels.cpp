#include <cmath>

#include "base/random.hpp"
#include "elastic/surface/device/surface_device.hpp"
#include "elastic/surface/device/surface_input.h"
#include "elastic/surface/surface.hpp"
#include "elastic/matching/matching_cpu.hpp"
#include "elastic/surface/surface_model.hpp"
#include "on_device.hpp"
#include "step/cpu_body.hpp"
#include "step/device/device_assets.hpp"
#include "step/device/device_step.hpp"

namespace turgor {
namespace {

using namespace device;

/// One body with a state of its own, as the cpu back end has it and on the device: each kernel of
/// stage 2 is called from equal inputs and compared bit for bit.
class Kernels : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        const SurfaceBake baked = bake_surface(shapes::cube(1, 24), {.omega = 3});  // two blocks
        asset_ = baked.asset;
        const auto regions = make_cpu_regions(*baked.rest->regions, Summation::fast);
        surface_rest_ = make_surface_cpu_rest(*asset_, *baked.rest, regions);
        rest_ = {make_cpu_asset(*asset_),
                 asset_,
                 {make_cpu_struts(make_struts(*asset_)), regions},
                 surface_rest_};
        cpu_asset_ = rest_.asset;
        state_.x.assign(cpu_asset_->padded, {});
        state_.v.assign(cpu_asset_->padded, {});
        rotation_.assign(cpu_asset_->padded, {0, 0, 0, 1});
        Random random(5);
        const Quat turn = Quat::about({1, 2, 3}, 0.4);
        for (std::uint32_t i = 0; i < cpu_asset_->count; ++i) {
            const Vec3 r = rotate(turn, asset_->rest[i]);
            state_.x[i] = to_quad({1.2 * r.x, r.y + 0.1 * r.x * r.z, 0.9 * r.z}, 1);
            state_.v[i] = to_quad(cross({1, -2, 0.5}, r) + 0.3 * random.in_cube(), 0.25);
        }
        state_.measure(*cpu_asset_);
        scratch_.fit(*cpu_asset_, 0);
        terms_.resize(row_quads * cpu_asset_->rows());
        transforms_.resize(row_quads * cpu_asset_->rows());
    }

    struct Run {
        std::vector<FixedQuad> terms, transforms;
        std::vector<Quad> x, v, rotation;
        std::vector<float> change;
    };

    /// Stage 2 on the device, from the state, with so many work-items in a group.
    Run on_the_device(const char* items) {
        setenv("TURGOR_OPENCL_GROUP", items, 1);
        Queue queue(Device::open(""));
        unsetenv("TURGOR_OPENCL_GROUP");
        DeviceStep step(queue);
        step.number_of(queue, surface_model());
        auto& form = static_cast<SurfaceDevice&>(*step.models[0].form);
        DeviceAssets assets;
        DeviceParticles p;
        const std::uint32_t first = 32;  // not at the beginning
        const std::uint32_t first_row = 48;
        BodyInput given{};
        given.asset = assets.take(queue, rest_, [&](std::size_t at, std::size_t end) {
            form.upload(queue, *surface_rest_, at, end);
        });
        given.first = first;
        given.first_row = first_row;
        given.blocks = cpu_asset_->blocks;
        given.count = cpu_asset_->count;
        given.sub_steps = 1;
        given.h = 0.005f;
        given.elastic[SURFACE_DAMPING] = 0.3f;
        given.elastic[SURFACE_STIFFNESS] = 0.7f;
        given.elastic[SURFACE_WEIGHT_STIFFNESS] = 0.6f;
        given.elastic[SURFACE_SPIN_LIMIT] = surface_rest_->spin_limit;
        given.reach = cpu_asset_->reach;
        given.largest_region = surface_rest_->regions->largest;
        given.whole_mass = cpu_asset_->whole_mass;
        given.step = 0.005;
        BodyState state{};
        state.reach = state_.extent.reach;
        state.speed = state_.extent.speed;
        p.resize(queue, first + cpu_asset_->padded, first_row + cpu_asset_->rows());
        form.resize(queue, first + cpu_asset_->padded, first_row + cpu_asset_->rows());
        p.x.write(queue, first, state_.x);
        p.v.write(queue, first, state_.v);
        p.elastic_state.write(queue, first, rotation_);
        DevicePlan plan;
        plan.active = {0};
        plan.given = {given};
        for (std::uint32_t k = 0; k < cpu_asset_->blocks; ++k) {
            const BlockRange range(*cpu_asset_, k);
            plan.blocks.push_back({0, range.begin, range.end, first_row + row_of(range.begin)});
        }
        plan.bodies_with = {1, 1};
        plan.blocks_with = {plan.blocks.size(), plan.blocks.size()};
        step.write(queue, plan, {}, 1);
        step.bodies.states.write(queue, 0, std::span(&state, 1));
        step.run_to_goals(queue, plan, 1, assets, p);
        Run run;
        const auto read = [&](auto& array, std::size_t at, std::size_t n, auto& out) {
            out.resize(n);
            array.read(queue, at, std::span(out));
        };
        read(p.terms, row_quads * first_row, row_quads * cpu_asset_->rows(), run.terms);
        read(form.transforms(), row_quads * first_row, row_quads * cpu_asset_->rows(),
             run.transforms);
        read(p.x, first, cpu_asset_->count, run.x);
        read(p.v, first, cpu_asset_->count, run.v);
        read(p.elastic_state, first, cpu_asset_->count, run.rotation);
        read(p.change, first, cpu_asset_->count, run.change);
        queue.wait();
        return run;
    }

    Run on_the_cpu() {
        CpuBody body = state_;
        AlignedVector<Quad> rotation = rotation_;
        const RegionCpuView view{*cpu_asset_,     *surface_rest_,   Summation::fast,      body.x,
                                  body.v,          scratch_.x_start, scratch_.predicted_v, rotation,
                                  scratch_.change, terms_,           transforms_};
        const auto above = [](float value) {
            int exponent = 0;
            std::frexp(value, &exponent);
            return std::ldexp(1.0f, exponent);
        };
        RegionScales scales{above(body.extent.reach), above(body.extent.speed)};
        const auto each = [&](auto&& work) {
            for (std::uint32_t k = 0; k < cpu_asset_->blocks; ++k) work(k);
        };
        IntegrateSums integrate;
        each([&](auto k) { damping_terms(view, scales, k); });
        each([&](auto k) { damping_fields(view, scales, k); });
        FrameChange frame;
        each([&](auto k) { damp_and_integrate(view, scales, 0.3f, 0.005f, frame, k, integrate); });
        scales = {above(integrate.reach), 1};
        each([&](auto k) { matching_terms(view, scales, k); });
        each([&](auto k) { fit_regions(view, scales, k); });
        GoalSums goals;
        each([&](auto k) { move_to_goals(view, scales, 0.7f, 0.005f, 0.6f, {}, k, goals); });
        Run run;
        run.terms.assign(terms_.begin(), terms_.end());
        run.transforms.assign(transforms_.begin(), transforms_.end());
        run.x.assign(body.x.begin(), body.x.begin() + cpu_asset_->count);
        run.v.assign(body.v.begin(), body.v.begin() + cpu_asset_->count);
        run.rotation.assign(rotation.begin(), rotation.begin() + cpu_asset_->count);
        run.change.assign(scratch_.change.begin(), scratch_.change.begin() + cpu_asset_->count);
        return run;
    }

    /// Rows of three quads have a fourth that nobody writes.
    std::size_t different_rows(const std::vector<FixedQuad>& a, const std::vector<FixedQuad>& b) {
        std::size_t different = 0;
        for (std::size_t k = 0; k < a.size(); ++k)
            if (k % row_quads != 3) different += !std::ranges::equal(a[k].a, b[k].a);
        return different;
    }
    template <class T>
    static std::size_t different_bits(const std::vector<T>& a, const std::vector<T>& b) {
        std::size_t different = 0;
        for (std::size_t k = 0; k < a.size(); ++k)
            different += std::memcmp(&a[k], &b[k], sizeof(T)) != 0;
        return different;
    }

    std::shared_ptr<const BodyAsset> asset_;
    std::shared_ptr<const CpuAsset> cpu_asset_;
    DeviceRest rest_;
    std::shared_ptr<const RegionCpuRest> surface_rest_;
    AlignedVector<Quad> rotation_;
    AlignedVector<FixedQuad> terms_, transforms_;
    CpuBody state_;
    CpuScratch scratch_;
};

TEST_F(Kernels, sums_over_regions_are_those_of_the_cpu_bit_for_bit) {
    const Run cpu = on_the_cpu();
    for (const char* items : {"1", "16", "256"}) {
        const Run device = on_the_device(items);
        EXPECT_EQ(different_rows(cpu.terms, device.terms), 0u) << items;
        EXPECT_EQ(different_rows(cpu.transforms, device.transforms), 0u) << items;
    }
}

TEST_F(Kernels, rotations_and_goals_are_those_of_the_cpu) {
    const Run cpu = on_the_cpu(), device = on_the_device("1");
    EXPECT_EQ(different_bits(cpu.rotation, device.rotation), 0u);
    EXPECT_EQ(different_bits(cpu.x, device.x), 0u);
    EXPECT_EQ(different_bits(cpu.v, device.v), 0u);
    EXPECT_EQ(different_bits(cpu.change, device.change), 0u);
}

}  // namespace
}  // namespace turgor
