#include "step/recovery.hpp"
#include "step/settling.hpp"
#include "step/stages.hpp"
#include "step/step_world.hpp"

#include <algorithm>
#include <cmath>

namespace turgor {

void CpuBody::measure(const CpuAsset& asset) {
    mean_x = mean_v = {};
    extent = {};
    MotionSums sums;
    for (std::uint32_t i = 0; i < asset.count; ++i) {
        const double m = asset.mass[i];
        mean_x += m * x[i].xyz();
        mean_v += m * v[i].xyz();
        sums.add(m, x[i].xyz(), v[i].xyz());
    }
    const RigidField rigid = sums.rigid();
    const auto widest = [](Quad q) {
        return std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z)});
    };
    for (std::uint32_t i = 0; i < asset.count; ++i)
        extent.add(
            {widest(x[i]), widest(v[i]), widest(to_quad(v[i].xyz() - rigid.at(x[i].xyz())))});
    mean_x /= asset.whole_mass;
    mean_v /= asset.whole_mass;
}

void stop_body(BodySim& body, std::span<const Quad> x_start, Vec3 origin_start) {
    const CpuAsset& asset = *body.parts.cpu_asset;
    if (!is_finite_rotation(body.orientation)) body.orientation = {};
    const Quat& q = body.orientation;
    CpuBody& now = body.cpu;
    // Numbers that were too large to begin with leave nothing but the rest shape.
    const bool lost = !is_finite(origin_start) || !std::ranges::all_of(x_start, [](const Quad& x) {
        return is_finite(x.xyz());
    });
    for (std::uint32_t i = 0; i < asset.padded; ++i) {
        now.x[i].set_xyz(lost && i < asset.count ? rotate(q, body.elastic->rest_shape()[i])
                                                 : x_start[i].xyz());
        now.v[i] = {};
    }
    body.elastic->reset(q);
    now.origin = is_finite(origin_start) ? origin_start : Vec3{};
    now.drift = {};
    now.measure(asset);
}

void CpuBody::prefetch() const {
    constexpr std::size_t line = 64 / sizeof(Quad), most = 512;
    for (const auto* array : {&x, &v})
        for (std::size_t i = 0; i < std::min(array->size(), most); i += line)
            __builtin_prefetch(array->data() + i);
}

VolumeCpuView volume_view(const CpuAsset& asset, const VolumeCpuRest& rest, Summation summation,
                          CpuBody& state, CpuScratch& s) {
    return {asset,           *rest.struts,
            *rest.smoothing, summation,
            state.x,         state.v,
            s.x_start,       s.normal,
            s.direction,     s.free,
            s.change,        s.weight,
            s.rows,          rest.followers.get(),
            s.arm,           s.last_direction};
}

void TouchedParticles::clear() {
    particle.clear();
    x_start.clear();
    x.clear();
    v.clear();
    pressed.clear();
    support.clear();
    volume_support.clear();
    push.clear();
}

void TouchedParticles::reserve(std::size_t n) {
    particle.reserve(n);
    x_start.reserve(n);
    x.reserve(n);
    v.reserve(n);
    pressed.reserve(n);
    support.reserve(n);
    volume_support.reserve(n);
    push.reserve(n);
    v_before.reserve(n);
}

void TouchedParticles::add(std::uint32_t i) {
    particle.push_back(i);
    x_start.emplace_back();
    x.emplace_back();
    v.emplace_back();
    pressed.push_back(0);
    support.emplace_back();
    volume_support.emplace_back();
    push.emplace_back();
}

void CpuScratch::fit(const CpuAsset& asset, std::size_t elastic_bytes) {
    const auto at_least = [](auto& array, std::size_t n, const auto& value) {
        if (array.size() < n) array.resize(n, value);
    };
    at_least(x_start, asset.padded, Quad{});
    at_least(predicted_v, asset.padded, Quad{});
    at_least(normal, asset.padded, Quad{});
    at_least(direction, asset.padded, Quad{});
    // Followers of the volume come with shares only, in lattices and clouds.
    const std::size_t corners = asset.volume_share.size();
    at_least(arm, corners, Quad{});
    at_least(last_direction, corners, Quad{});
    at_least(change, asset.padded, 0.0f);
    at_least(weight, asset.padded, 0.0f);
    at_least(free, asset.padded, 1.0f);
    at_least(elastic, elastic_bytes, std::byte{});
    at_least(elastic_blocks, asset.blocks, ElasticBlockSums{});
    at_least(rows, asset.rows(), 0);
    at_least(slot, asset.padded, none);
    at_least(blocks, asset.blocks, BlockSums{});
    // A small body may touch with all of its particles, without a pause for memory; more would be
    // too much to keep ready.
    touched.reserve(std::min<std::size_t>(asset.count, 4096));
    nearest.reserve(std::min<std::size_t>(asset.count, 4096));
}

bool CpuScratch::is_clear() const {
    return touched.size() == 0 && std::ranges::all_of(free, [](float f) { return f == 1; }) &&
           std::ranges::all_of(slot, [](std::uint32_t s) { return s == none; });
}

std::size_t CpuScratch::bytes() const {
    const auto size = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
    return size(x_start) + size(predicted_v) + size(normal) + size(direction) + size(change) +
           size(arm) + size(last_direction) + size(weight) + size(free) + size(elastic) +
           size(elastic_blocks) + size(rows) + size(slot) + size(blocks);
}

}  // namespace turgor
