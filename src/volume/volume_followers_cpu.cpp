#include <algorithm>

#include "volume/volume_cpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "volume/volume_followers_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

void FindArms(const VolumeCpuView& body, Held held, std::uint32_t block) {
    const CpuVolumeFollowers& followers = *body.followers;
    const SurfaceRange range(body.asset, block);
    const std::span<const Quad> x = held == Held::by_all ? body.x_start : body.x;
    for (std::uint32_t c = range.begin; c < std::min(range.end, body.asset.surface); ++c) {
        Float4 centre = hn::Set(Four(), followers.own[c]) * load(x[c]);
        for (std::uint32_t k = followers.starts[c]; k < followers.starts[c + 1]; ++k)
            centre = centre + hn::Set(Four(), followers.parts[k].share) *
                                  load(x[followers.parts[k].particle]);
        store(centre, body.arm[c]);
    }
}

void MoveFollowers(const VolumeCpuView& body, std::span<const Quad> direction, float position,
                   float velocity, std::uint32_t block) {
    const CpuVolumeFollowers& followers = *body.followers;
    const BlockRange range(body.asset, block);
    const std::uint32_t surface = body.asset.surface;
    const Float4 by = hn::Set(Four(), position), faster = hn::Set(Four(), velocity);
    for (std::uint32_t i = std::max(range.begin, surface);
         i < std::min(range.end, body.asset.count); ++i) {
        const std::uint32_t first = followers.corner_starts[i - surface],
                            last = followers.corner_starts[i - surface + 1];
        if (first == last) continue;
        Float4 d = hn::Zero(Four());
        for (std::uint32_t k = first; k < last; ++k)
            d = d + hn::Set(Four(), followers.corners[k].share) *
                        load(direction[followers.corners[k].particle]);
        if (position != 0) store(load(body.x[i]) + by * d, body.x[i]);
        store(load(body.v[i]) + faster * d, body.v[i]);
    }
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(FindArms);
HWY_EXPORT(MoveFollowers);

void find_arms(const VolumeCpuView& body, Held held, std::uint32_t block) {
    if (body.followers) HWY_DYNAMIC_DISPATCH(FindArms)(body, held, block);
}
void move_followers(const VolumeCpuView& body, std::span<const Quad> direction, float position,
                    float velocity, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(MoveFollowers)(body, direction, position, velocity, block);
}

}  // namespace turgor
#endif
