#include <cstring>

#include "base/rigid_system.hpp"
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
    return Pieces::bytes<float>(3 * padded) + Pieces::bytes<CellSums>(blocks * clusters) +
           Pieces::bytes<CellMotion>(blocks * clusters) + Pieces::bytes<CellGoals>(clusters);
}

MeshlessCpuView MeshlessBody::view(const CpuPass& pass) const {
    const std::size_t clusters = rest_->clusters.size();
    Pieces pieces(pass.memory.data());
    const auto ahead = pieces.take<float>(std::size_t{3} * pass.asset.padded);
    const auto sums = pieces.take<CellSums>(pass.asset.blocks * clusters);
    const auto motion = pieces.take<CellMotion>(pass.asset.blocks * clusters);
    return {pass, *cpu_rest_, clusters, ahead, sums, motion, pieces.take<CellGoals>(clusters)};
}

void MeshlessBody::damp(const CpuPass& pass) {
    const auto k = static_cast<float>(step_of(pass.step).damping);
    if (!(k > 0)) return;
    const MeshlessCpuView body = view(pass);
    pass.each_block([&](auto block) { sum_motion(body, block); });
    for (std::size_t c = 0; c < body.clusters; ++c) {
        CellMotion sum{};
        for (std::size_t block = 0; block < pass.asset.blocks; ++block)
            for (std::size_t n = 0; n < sum.size(); ++n)
                sum[n] += body.motion[block * body.clusters + c][n];
        const double weight = cpu_rest_->row_sums[c][0];
        const RigidSystem system(
            weight, {sum[6], sum[7], sum[8]},
            symmetric({sum[9], sum[10], sum[11]}, {sum[12], sum[13], sum[14]}));
        const RigidField field =
            system.solve_for_single_precision({sum[0], sum[1], sum[2]}, {sum[3], sum[4], sum[5]});
        const double mass = rest_->clusters[c].mass;
        for (int n = 0; n < 3; ++n) {
            auto& row = body.goals[c][static_cast<std::size_t>(n)];
            row[0] = static_cast<float>(mass * field.a[n]);
            row[1] = static_cast<float>(mass * field.b[n]);
        }
    }
}

IntegrateSums MeshlessBody::integrate(const CpuPass& pass, const FrameChange& frame) {
    const auto k = static_cast<float>(step_of(pass.step).damping);
    if (!(k > 0)) return CpuElasticity::integrate(pass, frame);
    const MeshlessCpuView body = view(pass);
    return pass.collect(&ElasticBlockSums::integrate, [&](auto block, IntegrateSums& sums) {
        damp_and_integrate_block(body, k, frame, block, sums);
    });
}

void MeshlessBody::fit_clusters(const CpuPass& pass, const MeshlessCpuView& body) {
    const std::optional<PlasticStep> step = plastic_step(pass.step, pass.may_flow);
    double flowed = 0;
    for (std::size_t c = 0; c < body.clusters; ++c) {
        CellSums sum{};
        for (std::size_t block = 0; block < pass.asset.blocks; ++block)
            for (std::size_t n = 0; n < 3; ++n)
                for (std::size_t k = 0; k < cpu_rest_->rows; ++k)
                    sum[n][k] += body.sums[block * body.clusters + c][n][k];
        const Cluster& cluster = rest_->clusters[c];
        // The rounded rows do not quite add up to 1, 0, 0: what that makes of the mean is taken
        // off.
        const auto& left = cpu_rest_->row_sums[c];
        ClusterMoments moments;
        for (int n = 0; n < 3; ++n) {
            const auto& s = sum[static_cast<std::size_t>(n)];
            const double mean = s[0] / left[0];
            moments.centre[n] = mean;
            for (std::size_t k = 0; k < 3; ++k)
                moments.linear.m[n][k] = s[1 + k] - mean * left[1 + k];
            for (std::size_t k = 0; k < cluster.bends; ++k)
                moments.bend[k][n] = s[linear_rows + k] - mean * left[linear_rows + k];
        }
        const ClusterGoals goals = match_cluster(*rest_, c, moments, step ? &*step : nullptr,
                                                 states_, flowed, Precision::single);
        for (int n = 0; n < 3; ++n) {
            auto& row = body.goals[c][static_cast<std::size_t>(n)];
            row = {};
            row[0] = static_cast<float>(cluster.mass * goals.centre[n]);
            for (std::size_t k = 0; k < 3; ++k)
                row[1 + k] = static_cast<float>(cluster.mass * goals.linear.m[n][k]);
            for (std::size_t k = 0; k < cluster.bends; ++k)
                row[linear_rows + k] = static_cast<float>(cluster.mass * goals.bend[k][n]);
        }
    }
    if (pass.may_flow) kept_.note_flow(flowed, pass.step);
}

GoalSums MeshlessBody::deform(const CpuPass& pass, Quad centre) {
    const MeshlessCpuView body = view(pass);
    const MatchingStep step = step_of(pass.step);
    const auto s = static_cast<float>(step.stiffness),
               look_ahead = static_cast<float>(step.look_ahead);
    const auto for_weights = static_cast<float>(reference_stiffness_);
    pass.each_block([&](auto block) { sum_cells(body, look_ahead, block); });
    fit_clusters(pass, body);
    return pass.collect(&ElasticBlockSums::goal, [&](auto block, GoalSums& sums) {
        move_to_cluster_goals(body, s, for_weights, centre, block, sums);
    });
}

}  // namespace turgor
