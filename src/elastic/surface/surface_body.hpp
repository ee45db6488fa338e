#pragma once

#include "elastic/kept_shape.hpp"
#include "elastic/matching/matching_cpu.hpp"
#include "elastic/matching/parameters.hpp"
#include "elastic/model.hpp"
#include "elastic/surface/plastic_regions.hpp"
#include "elastic/surface/plastic_regions_cpu.hpp"

namespace turgor {

/// A body of the surface model: its regions, its stiffness, and the last fit of each region.
class SurfaceBody final : public ElasticBody, public CpuElasticity {
public:
    SurfaceBody(std::shared_ptr<const BodySource> source, const Material& material,
                const ModelSettings& settings, const BakeContext& context);

    void set_material(const Material& material, const BakeContext& context) override;
    std::shared_ptr<const Regions> smoothing() const override { return rest_->regions; }
    std::shared_ptr<const CpuRegions> cpu_smoothing() const override {
        return cpu_rest_ ? cpu_rest_->regions : nullptr;
    }
    double frequency() const override { return parameters_.frequency; }
    double residual_damping() const override { return parameters_.global_damping; }
    double comfortable_push(double h) const override;
    double change_noise() const override { return parameters_.stiffness; }
    std::vector<Figure> figures() const override;
    double longest_step() const override { return parameters_.longest_step(); }

    void damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
              std::span<Vec3> scratch) override;
    void deform(const ReferencePass& pass) override;
    void find_change(std::span<const Vec3> x, std::span<double> change) const override;
    CpuElasticity* cpu() override { return cpu_rest_ ? this : nullptr; }

    std::span<const Vec3> rest_shape() const override {
        return kept_.positions().empty() ? std::span<const Vec3>(asset_->rest) : kept_.positions();
    }
    bool is_plastic() const override { return plastic_.plasticity.has_value(); }
    double rest_shape_tolerance() const override { return kept_.tolerance(*asset_); }
    bool wants_rest_shape() const override { return kept_.is_out_of_date(); }
    void measure_rest_shape(std::span<const Vec3> x) override;
    std::uint64_t rest_shape_changes() const override { return kept_.changes(); }
    void reset_shape() override;
    bool at_rest() const override { return !plastic_.plasticity || kept_.at_rest(); }
    /// Plastic regions have no device form.
    bool has_device_form() const override { return plastic_.shapes.empty(); }

    void turn(Quat by) override;
    void reset(Quat orientation) override;
    void write(ByteWriter& out) const override;
    void read(ByteReader& in) override;
    void count_bytes(std::set<const void*>& counted, std::size_t& total) const override;
    void to_cpu() override;
    void to_reference() override;
    std::vector<std::uint32_t> region_around(std::uint32_t particle) const override;
    std::vector<std::vector<std::uint32_t>> paths() const override;
    bool find_goals(std::span<const Vec3> x, std::span<Vec3> goals) const override;

    // The cpu form.
    std::size_t memory() const override;
    void damp(const CpuPass& pass) override;
    IntegrateSums integrate(const CpuPass& pass, const FrameChange& frame) override;
    GoalSums deform(const CpuPass& pass, Quad centre) override;
    std::shared_ptr<const void> rest() const override { return cpu_rest_; }
    std::span<Quad> state() override { return cpu_rotation_; }

    const RegionParameters& parameters() const { return parameters_; }
    const std::shared_ptr<const RegionCpuRest>& cpu_rest() const { return cpu_rest_; }

private:
    RegionCpuView view(const CpuPass& pass);
    /// Of bodies that are plastic, or keep what they took on when they were.
    struct Plastic {
        std::optional<Plasticity> plasticity;
        std::shared_ptr<const PlasticRest> rest;
        std::vector<RegionShape> shapes;  ///< what each region keeps, in either form
    };
    Plastic plastic_with(const Material& material, const SurfaceRest& rest,
                         const RegionCpuRest* cpu_rest, const BakeContext& context) const;
    std::optional<PlasticStep> plastic_step(double h, bool may_flow) const;
    void match_plastic(const ReferencePass& pass);
    GoalSums deform_plastic(const CpuPass& pass, Quad centre);
    std::shared_ptr<const SurfaceRest> rest_for(int omega, const BakeContext& context);

    std::shared_ptr<const BodySource> source_;
    ModelSettings settings_;
    std::shared_ptr<const SurfaceRest> rest_;
    std::shared_ptr<const RegionCpuRest> cpu_rest_;
    Summation summation_ = Summation::fast;
    RegionParameters parameters_;
    std::vector<Quat> rotation_;        ///< the last fit of each region: the reference form
    AlignedVector<Quad> cpu_rotation_;  ///< the same as (x, y, z, w): the cpu form
    Plastic plastic_;
    KeptShape kept_;
};

}  // namespace turgor
