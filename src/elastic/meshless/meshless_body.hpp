#pragma once

#include "body/rigid_response.hpp"
#include "elastic/kept_shape.hpp"
#include "elastic/meshless/cluster_fits.hpp"
#include "elastic/meshless/meshless.hpp"
#include "elastic/meshless/meshless_cpu.hpp"
#include "elastic/meshless/parameters.hpp"
#include "elastic/model.hpp"

namespace turgor {

/// A body of the meshless model: its clusters, how firmly they hold, and the last fit of each.
class MeshlessBody final : public ElasticBody, public CpuElasticity {
public:
    MeshlessBody(std::shared_ptr<const BodySource> source, const Material& material,
                 const ModelSettings& settings, const BakeContext& context);

    void set_material(const Material& material, const BakeContext& context) override;
    std::shared_ptr<const Regions> smoothing() const override { return smoothing_; }
    double frequency() const override;
    double residual_damping() const override { return parameters_.residual_damping; }
    double comfortable_push(double h) const override;
    double change_noise() const override;
    std::vector<Figure> figures() const override;
    double longest_step() const override;

    void damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
              std::span<Vec3> scratch) override;
    void deform(const ReferencePass& pass) override;
    void find_change(std::span<const Vec3> x, std::span<double> change) const override;
    Response* response() override { return is_rigid_ ? &response_ : nullptr; }
    void finish_velocities(std::span<const double> mass, std::span<const Vec3> x,
                           std::span<Vec3> v) override;

    std::span<const Vec3> rest_shape() const override {
        return kept_.positions().empty() ? std::span<const Vec3>(asset_->rest) : kept_.positions();
    }
    bool is_plastic() const override { return plasticity_.has_value(); }
    double rest_shape_tolerance() const override { return kept_.tolerance(*asset_); }
    bool wants_rest_shape() const override { return kept_.is_out_of_date(); }
    void measure_rest_shape(std::span<const Vec3> x) override;
    std::uint64_t rest_shape_changes() const override { return kept_.changes(); }
    void reset_shape() override;
    bool at_rest() const override { return !plasticity_ || kept_.at_rest(); }

    void turn(Quat by) override;
    void reset(Quat orientation) override;
    void write(ByteWriter& out) const override;
    void read(ByteReader& in) override;
    void count_bytes(std::set<const void*>& counted, std::size_t& total) const override;
    std::vector<std::uint32_t> region_around(std::uint32_t particle) const override;
    std::vector<Membership> clusters() const override;
    bool find_goals(std::span<const Vec3> x, std::span<Vec3> goals) const override;

    // The cpu form. A rigid body is few numbers, and has none.
    CpuElasticity* cpu() override { return cpu_rest_ ? this : nullptr; }
    std::shared_ptr<const CpuRegions> cpu_smoothing() const override { return cpu_smoothing_; }
    std::size_t memory() const override;
    void damp(const CpuPass& pass) override;
    IntegrateSums integrate(const CpuPass& pass, const FrameChange& frame) override;
    GoalSums deform(const CpuPass& pass, Quad centre) override;
    bool gains_from_batches() const override { return true; }
    void damp_batch(std::span<const CpuBatchMember> batch) override;
    void deform_batch(std::span<CpuBatchMember> batch) override;
    std::shared_ptr<const void> rest() const override { return cpu_rest_; }
    std::span<Quad> state() override { return {}; }

private:
    void turn_as_rigid_body(const ReferencePass& pass);
    const MatchingStep& step_of(double h) const;
    std::optional<PlasticStep> plastic_step(double h, bool may_flow) const;
    MeshlessCpuView view(const CpuPass& pass) const;
    float damping_of(const CpuPass& pass) const {
        return static_cast<float>(step_of(pass.step).damping);
    }
    void add_field_fits(const CpuPass& pass, FitsInLanes<FieldFit>& fits);
    void add_goal_fits(const CpuPass& pass, FitsInLanes<GoalFit>& fits);
    GoalSums move_to_goals(const CpuPass& pass, Quad centre);

    std::shared_ptr<const BodySource> source_;
    ModelSettings settings_;
    std::shared_ptr<const MeshlessRest> rest_;
    std::shared_ptr<const MeshlessRest> plain_rest_;  ///< with β = 0, by which β was chosen
    std::shared_ptr<const MeshlessCpuRest> cpu_rest_;
    std::shared_ptr<const Regions> smoothing_;
    std::shared_ptr<const CpuRegions> cpu_smoothing_;
    std::shared_ptr<const int> clusters_wanted_;  ///< by its shape
    MeshlessParameters parameters_;
    double reference_stiffness_ = 1;  ///< s of the papers' step
    mutable double step_length_ = 0;  ///< of step_, which is asked for again and again [s]
    mutable MatchingStep step_;
    bool is_rigid_ = false;  ///< rigid mode at stiffness 1
    ClusterStates states_;
    std::optional<Plasticity> plasticity_;
    KeptShape kept_;  ///< of a plastic body
    RigidResponse response_;
};

}  // namespace turgor
