#include "elastic/cpu_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elastic/integrate_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "elastic/prediction-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

void IntegrateBlock(const CpuPass& pass, const FrameChange& frame, std::uint32_t block,
                    IntegrateSums& out) {
    const BlockRange range(pass.asset, block);
    Prediction prediction(pass.h, frame);
    for (std::uint32_t i = range.begin; i < range.end; i += group)
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t p = i + part * lanes;
            const F4 x = load4(&pass.x[p]), v = load4(&pass.v[p]);
            prediction.move(pass, part, p, x, v, v.xyz);
        }
    prediction.add_to(out);
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
