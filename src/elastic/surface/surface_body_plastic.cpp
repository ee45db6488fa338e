#include <algorithm>

#include "elastic/surface/surface_body.hpp"
#include "elastic/surface/surface_cache.hpp"

namespace turgor {

void SurfaceBody::set_plasticity(const Material& material, const BakeContext& context) {
    // The published formulation knows nothing of it.
    const auto& form = context.formulation.surface;
    const bool can_be = form.share_mass && form.normal_point_weight == 0;
    plasticity_ = can_be ? material.plasticity : std::nullopt;
    // A dent stays where the new material is elastic: it is its shape now.
    if (!plasticity_ && shapes_.empty()) return;
    auto plastic = cached_plastic_rest(*source_, *asset_, *rest_, cpu_rest_.get(), context);
    if (shapes_.empty())
        shapes_.resize(asset_->rest.size());
    else if (plastic != plastic_rest_)
        for (std::size_t j = 0; j < shapes_.size(); ++j)
            shapes_[j] = carried_over(plastic_rest_->planes[j], plastic->planes[j], shapes_[j]);
    plastic_rest_ = std::move(plastic);
}

std::optional<PlasticStep> SurfaceBody::plastic_step(double h, bool may_flow) const {
    if (!plasticity_ || !may_flow) return std::nullopt;
    return PlasticStep(*plasticity_, h);
}

void SurfaceBody::measure_kept_shape(std::span<const Vec3> x) {
    std::vector<Vec3> goals(x.size());
    plastic_rest_goals(*asset_, *rest_, *plastic_rest_, x, shapes_, rotation_, goals);
    kept_.measure(*asset_, std::move(goals), rotation_[0]);
}

void SurfaceBody::reset_shape() {
    if (shapes_.empty()) return;
    std::ranges::fill(shapes_, RegionShape{});
    kept_.forget();
}

void SurfaceBody::match_plastic(const ReferencePass& pass) {
    const std::optional<PlasticStep> step = plastic_step(pass.h, pass.may_flow);
    kept_.note_flow(
        match_plastic_regions(*asset_, *rest_, *plastic_rest_, pass.x, step ? &*step : nullptr,
                              shapes_, rotation_, pass.scratch),
        pass.h);
    if (kept_.is_out_of_date()) measure_kept_shape(pass.x);
}

GoalSums SurfaceBody::deform_plastic(const CpuPass& pass, Quad centre) {
    const SurfaceCpuView body = view(pass);
    const SurfaceScales scales{power_of_two_above(pass.reach), 1};
    const std::optional<PlasticStep> step = plastic_step(pass.step, pass.may_flow);
    const std::size_t rows = plastic_row_quads * pass.asset.rows();
    auto* const terms = body.transforms.data() + body.transforms.size();
    auto* const flowed = reinterpret_cast<double*>(terms + 2 * rows);
    const PlasticCpuView plastic{
        *plastic_rest_, step ? &*step : nullptr, shapes_,
        {terms, rows},  {terms + rows, rows},    {flowed, pass.asset.blocks}};
    pass.each_block([&](auto block) {
        matching_terms(body, scales, block);
        plastic_terms(body, plastic, scales, block);
    });
    pass.each_block([&](auto block) { fit_plastic_regions(body, plastic, scales, block); });
    kept_.note_flow(*std::ranges::max_element(plastic.flowed), pass.step);
    if (kept_.is_out_of_date()) {
        to_reference();
        measure_kept_shape(pass.positions());
    }
    const auto s = static_cast<float>(parameters_.stiffness_at(pass.step));
    const auto for_weights = static_cast<float>(parameters_.stiffness);
    return pass.collect(&ElasticBlockSums::goal, [&](auto block, GoalSums& sums) {
        move_to_plastic_goals(body, plastic, scales, s, pass.h, for_weights, centre, block, sums);
    });
}

}  // namespace turgor
