#include <algorithm>

#include "elastic/surface/surface_body.hpp"
#include "elastic/surface/surface_cache.hpp"

namespace turgor {

SurfaceBody::Plastic SurfaceBody::plastic_with(const Material& material, const SurfaceRest& rest,
                                               const RegionCpuRest* cpu_rest,
                                               const BakeContext& context) const {
    Plastic plastic{std::nullopt, nullptr, plastic_.shapes};
    // The published formulation knows nothing of it.
    const auto& form = context.formulation.surface;
    if (form.share_mass && form.normal_point_weight == 0) plastic.plasticity = material.plasticity;
    // A dent stays where the new material is elastic: it is its shape now.
    if (!plastic.plasticity && plastic.shapes.empty()) return plastic;
    plastic.rest = cached_plastic_rest(*source_, *asset_, rest, cpu_rest, context);
    if (plastic.shapes.empty())
        plastic.shapes.resize(asset_->rest.size());
    else if (rest.omega != rest_->omega)
        for (std::size_t j = 0; j < plastic.shapes.size(); ++j)
            plastic.shapes[j] =
                carried_over(plastic_.rest->planes[j], plastic.rest->planes[j], plastic_.shapes[j]);
    return plastic;
}

std::optional<PlasticStep> SurfaceBody::plastic_step(double h, bool may_flow) const {
    if (!plastic_.plasticity || !may_flow) return std::nullopt;
    return PlasticStep(*plastic_.plasticity, h);
}

void SurfaceBody::measure_rest_shape(std::span<const Vec3> x) {
    std::vector<Vec3> goals(x.size());
    plastic_rest_goals(*asset_, *rest_, *plastic_.rest, x, plastic_.shapes, rotation_, goals);
    kept_.measure(*asset_, std::move(goals), rotation_[0]);
}

void SurfaceBody::reset_shape() {
    if (plastic_.shapes.empty()) return;
    std::ranges::fill(plastic_.shapes, RegionShape{});
    kept_.forget();
}

void SurfaceBody::match_plastic(const ReferencePass& pass) {
    const std::optional<PlasticStep> step = plastic_step(pass.h, pass.may_flow);
    const double flowed =
        match_plastic_regions(*asset_, *rest_, *plastic_.rest, pass.x, step ? &*step : nullptr,
                              plastic_.shapes, rotation_, pass.scratch);
    if (pass.may_flow) kept_.note_flow(flowed, pass.h);
}

GoalSums SurfaceBody::deform_plastic(const CpuPass& pass, Quad centre) {
    const RegionCpuView body = view(pass);
    const RegionScales scales{power_of_two_above(pass.reach), 1};
    const std::optional<PlasticStep> step = plastic_step(pass.step, pass.may_flow);
    const std::size_t rows = plastic_row_quads * pass.asset.rows();
    auto* const terms = body.transforms.data() + body.transforms.size();
    auto* const flowed = reinterpret_cast<double*>(terms + 2 * rows);
    const PlasticCpuView plastic{*plastic_.rest,       step ? &*step : nullptr,
                                 plastic_.shapes,      {terms, rows},
                                 {terms + rows, rows}, {flowed, pass.asset.blocks}};
    pass.each_block([&](auto block) {
        matching_terms(body, scales, block);
        plastic_terms(body, plastic, scales, block);
    });
    pass.each_block([&](auto block) { fit_plastic_regions(body, plastic, scales, block); });
    if (pass.may_flow) kept_.note_flow(*std::ranges::max_element(plastic.flowed), pass.step);
    const auto s = static_cast<float>(parameters_.stiffness_at(pass.step));
    const auto for_weights = static_cast<float>(parameters_.stiffness);
    return pass.collect(&ElasticBlockSums::goal, [&](auto block, GoalSums& sums) {
        move_to_plastic_goals(body, plastic, scales, s, pass.h, for_weights, centre, block, sums);
    });
}

}  // namespace turgor
