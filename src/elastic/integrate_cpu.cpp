#include "elastic/cpu_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elastic/integrate_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

void IntegrateBlock(const CpuPass& pass, const FrameChange& frame, std::uint32_t block,
                    IntegrateSums& out) {
    const BlockRange range(pass.asset, block);
    const F3 shift = all(frame.shift), frame_velocity = all(frame.velocity);
    F reach = hn::Zero(Floats());
    GroupSums<3> linear;
    for (std::uint32_t i = range.begin; i < range.end; i += group)
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            const F4 x = load4(&pass.x[p]), v = load4(&pass.v[p]);
            // Padding must stay where it is.
            const F mass = load(&pass.asset.mass[p]);
            const Mask is_real = mass > hn::Zero(Floats());
            const F3 velocity = only(is_real, v.xyz - frame_velocity);
            const F3 start = only(is_real, x.xyz - shift);
            const F3 moved = start + all(pass.h) * velocity;
            store4(start, v.w, &pass.x_start[p]);
            store4(velocity, hn::Zero(Floats()), &pass.v[p]);
            store4(moved, x.w, &pass.x[p]);
            linear.add(0, part, mass * velocity);
            reach = hn::Max(reach,
                            hn::Max(hn::Abs(moved.x), hn::Max(hn::Abs(moved.y), hn::Abs(moved.z))));
        }
    double totals[3] = {};
    linear.add_to(totals);
    out.linear += Vec3{totals[0], totals[1], totals[2]};
    out.reach = std::max(out.reach, largest(reach));
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(IntegrateBlock);

IntegrateSums CpuElasticity::integrate(const CpuPass& pass, const FrameChange& frame) {
    return pass.collect(&ElasticBlockSums::integrate, [&](auto block, IntegrateSums& sums) {
        HWY_DYNAMIC_DISPATCH(IntegrateBlock)(pass, frame, block, sums);
    });
}

}  // namespace turgor
#endif
