#include <cstring>

#include "body/papers_step.hpp"
#include "elastic/meshless/meshless_body.hpp"

namespace turgor {
namespace {

/// Takes pieces off one piece of memory, each beginning with a cache line.
class Pieces {
public:
    explicit Pieces(std::byte* memory) : next_(memory) {}
    template <class T>
    std::span<T> take(std::size_t count) {
        auto* const first = reinterpret_cast<T*>(next_);
        next_ += bytes<T>(count);
        return {first, count};
    }
    template <class T>
    static constexpr std::size_t bytes(std::size_t count) {
        return (count * sizeof(T) + 63) / 64 * 64;
    }

private:
    std::byte* next_;
};

}  // namespace

std::size_t MeshlessBody::memory() const {
    const std::size_t padded = CpuLayout::padded(asset_->rest.size());
    const std::size_t blocks = (padded + CpuLayout::block - 1) / CpuLayout::block;
    const std::size_t clusters = rest_->clusters.size();
    return Pieces::bytes<CellSums>(blocks * clusters) +
           Pieces::bytes<CellMotion>(blocks * clusters) + Pieces::bytes<CellGoals>(clusters);
}

MeshlessCpuView MeshlessBody::view(const CpuPass& pass) const {
    const std::size_t clusters = rest_->clusters.size();
    Pieces pieces(pass.memory.data());
    const auto sums = pieces.take<CellSums>(pass.asset.blocks * clusters);
    const auto motion = pieces.take<CellMotion>(pass.asset.blocks * clusters);
    return {pass,
            *cpu_rest_,
            clusters,
            static_cast<float>(step_of(pass.step).look_ahead),
            sums,
            motion,
            pieces.take<CellGoals>(clusters)};
}

namespace {

/// Sums of each cluster over all blocks, put together in those of the first block.
template <class Add>
void add_blocks(const MeshlessCpuView& body, Add&& add) {
    for (std::size_t block = 1; block < body.pass.asset.blocks; ++block)
        for (std::size_t c = 0; c < body.clusters; ++c) add(c, block * body.clusters + c);
}

}  // namespace

void MeshlessBody::add_field_fits(const CpuPass& pass, FitsInLanes<FieldFit>& fits) {
    if (!(damping_of(pass) > 0)) return;
    const MeshlessCpuView body = view(pass);
    pass.each_block([&](auto block) { sum_motion(body, block); });
    add_blocks(body, [&](std::size_t c, std::size_t at) {
        for (std::size_t n = 0; n < body.motion[c].size(); ++n)
            body.motion[c][n] += body.motion[at][n];
    });
    for (std::size_t c = 0; c < body.clusters; ++c)
        fits.add(
            {&body.motion[c], cpu_rest_->row_sums[c][0], rest_->clusters[c].mass, &body.goals[c]});
}

void MeshlessBody::damp_batch(std::span<const CpuBatchMember> batch) {
    FitsInLanes<FieldFit> fits;
    for (const CpuBatchMember& member : batch)
        static_cast<MeshlessBody*>(member.body)->add_field_fits(*member.pass, fits);
}

void MeshlessBody::damp(const CpuPass& pass) {
    const CpuBatchMember alone{this, &pass, {}};
    damp_batch({&alone, 1});
}

IntegrateSums MeshlessBody::integrate(const CpuPass& pass, const FrameChange& frame) {
    const float k = damping_of(pass);
    if (!(k > 0)) return CpuElasticity::integrate(pass, frame);
    const MeshlessCpuView body = view(pass);
    return pass.collect(&ElasticBlockSums::integrate, [&](auto block, IntegrateSums& sums) {
        damp_and_integrate_block(body, k, frame, block, sums);
    });
}

void MeshlessBody::add_goal_fits(const CpuPass& pass, FitsInLanes<GoalFit>& fits) {
    const MeshlessCpuView body = view(pass);
    pass.each_block([&](auto block) { sum_cells(body, block); });
    add_blocks(body, [&](std::size_t c, std::size_t at) {
        for (std::size_t n = 0; n < 3; ++n)
            for (std::size_t k = 0; k < cpu_rest_->rows; ++k)
                body.sums[c][n][k] += body.sums[at][n][k];
    });
    const std::optional<PlasticStep> step = plastic_step(pass.step, pass.may_flow);
    double flowed = 0;
    for (std::size_t c = 0; c < body.clusters; ++c) {
        const GoalFit fit{rest_.get(), cpu_rest_.get(), c, &body.sums[c], &states_, &body.goals[c]};
        if (fit.is_plastic())
            fit.make_alone(step ? &*step : nullptr, flowed);
        else
            fits.add(fit);
    }
    if (pass.may_flow) kept_.note_flow(flowed, pass.step);
}

GoalSums MeshlessBody::move_to_goals(const CpuPass& pass, Quad centre) {
    const MeshlessCpuView body = view(pass);
    const auto s = static_cast<float>(step_of(pass.step).stiffness),
               for_weights = static_cast<float>(reference_stiffness_);
    return pass.collect(&ElasticBlockSums::goal, [&](auto block, GoalSums& sums) {
        move_to_cluster_goals(body, s, for_weights, centre, block, sums);
    });
}

void MeshlessBody::deform_batch(std::span<CpuBatchMember> batch) {
    {
        FitsInLanes<GoalFit> fits;
        for (const CpuBatchMember& member : batch)
            static_cast<MeshlessBody*>(member.body)->add_goal_fits(*member.pass, fits);
    }
    for (CpuBatchMember& member : batch)
        member.goal =
            static_cast<MeshlessBody*>(member.body)->move_to_goals(*member.pass, member.centre);
}

GoalSums MeshlessBody::deform(const CpuPass& pass, Quad centre) {
    CpuBatchMember alone{this, &pass, centre};
    deform_batch({&alone, 1});
    return alone.goal;
}

}  // namespace turgor
