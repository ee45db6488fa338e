#include "elastic/lattice/lattice_body.hpp"

namespace turgor {
namespace {

constexpr bool of_regions = false, to_particles = true;

/// The arrays that a lattice's passes work in.
struct Scratch {
    std::span<FixedQuad> rows, other;
    std::span<Quad> x, v;  ///< of elements
    explicit Scratch(const CpuPass& pass) {
        const std::size_t quads = row_quads * pass.asset.rows(), padded = pass.asset.padded;
        auto* const first = reinterpret_cast<FixedQuad*>(pass.memory.data());
        rows = {first, quads};
        other = {first + quads, quads};
        auto* const vectors = reinterpret_cast<Quad*>(first + 2 * quads);
        x = {vectors, padded};
        v = {vectors + padded, padded};
    }
};

}  // namespace

std::size_t LatticeBody::memory() const {
    const std::size_t padded = CpuLayout::padded(rotation_.size());
    const std::size_t rows = padded + (padded + CpuLayout::block - 1) / CpuLayout::block;
    return 2 * rows * row_quads * sizeof(FixedQuad) + 2 * padded * sizeof(Quad);
}

RegionCpuView LatticeBody::particles(const CpuPass& pass) {
    const Scratch scratch(pass);
    RegionCpuView view{pass.asset,       prepared_.cpu_rest->regions,
                       summation_,       pass.x,
                       pass.v,           pass.x_start,
                       pass.predicted_v, cpu_rotation_,
                       pass.change,      scratch.rows,
                       scratch.other};
    view.row_of_particle = prepared_.cpu_rest->row_of_particle;
    return view;
}

/// Positions, and where they are wanted velocities, in the order of the elements.
RegionCpuView LatticeBody::elements(const CpuPass& pass, bool with_velocities) {
    const Scratch scratch(pass);
    RegionCpuView view = particles(pass);
    view.x = scratch.x;
    view.v = scratch.v;
    pass.each_block([&](std::uint32_t block) {
        const BlockRange range(pass.asset, block);
        for (std::uint32_t k = range.begin; k < range.end; ++k) {
            const std::uint32_t i = prepared_.cpu_rest->particle_of_row[k];
            scratch.x[k] = pass.x[i];
            if (with_velocities) scratch.v[k] = pass.v[i];
        }
    });
    return view;
}

void LatticeBody::damp(const CpuPass& pass) {
    if (!(static_cast<float>(parameters_.damping_at(pass.step)) > 0)) return;
    RegionCpuView body = elements(pass, true);
    const RegionScales scales{power_of_two_above(pass.reach), power_of_two_above(pass.speed)};
    const NestedSums& sums = prepared_.rest->sums;
    pass.each_block([&](auto block) { damping_terms(body, scales, block); });
    sums.sum(body.terms, body.transforms, 4, of_regions, summation_, pass.threads);
    std::swap(body.terms, body.transforms);
    pass.each_block([&](auto block) { damping_fields(body, scales, block); });
    sums.sum(body.transforms, body.terms, 2, to_particles, summation_, pass.threads);
}

IntegrateSums LatticeBody::integrate(const CpuPass& pass, const FrameChange& frame) {
    const auto k = static_cast<float>(parameters_.damping_at(pass.step));
    const RegionCpuView body = particles(pass);
    const RegionScales scales{power_of_two_above(pass.reach), power_of_two_above(pass.speed)};
    return pass.collect(&ElasticBlockSums::integrate, [&](auto block, IntegrateSums& sums) {
        damp_and_integrate(body, scales, k, pass.h, frame, block, sums);
    });
}

GoalSums LatticeBody::deform(const CpuPass& pass, Quad centre) {
    RegionCpuView body = elements(pass, false);
    const RegionScales scales{power_of_two_above(pass.reach), 1};
    const NestedSums& sums = prepared_.rest->sums;
    pass.each_block([&](auto block) { matching_terms(body, scales, block); });
    sums.sum(body.terms, body.transforms, 3, of_regions, summation_, pass.threads);
    std::swap(body.terms, body.transforms);
    pass.each_block([&](auto block) { fit_regions(body, scales, block); });
    sums.sum(body.transforms, body.terms, 3, to_particles, summation_, pass.threads);
    const RegionCpuView moved = particles(pass);
    const auto s = static_cast<float>(parameters_.stiffness_at(pass.step));
    const auto for_weights = static_cast<float>(parameters_.stiffness);
    return pass.collect(&ElasticBlockSums::goal, [&](auto block, GoalSums& found) {
        move_to_goals(moved, scales, s, pass.h, for_weights, centre, block, found);
    });
}

}  // namespace turgor
