#pragma once

#include "elastic/meshless/published.hpp"
#include "elastic/model.hpp"

namespace turgor {

/// A body of the meshless model as published (Formulation::Meshless::published), in double
/// precision only: v += α (g − x̄)/h at the predicted positions x̄, with no other damping than that.
class PublishedBody final : public ElasticBody {
public:
    PublishedBody(std::shared_ptr<const BodySource> source, const Material& material,
                  const ModelSettings& settings, const BakeContext& context);

    void set_material(const Material& material, const BakeContext& context) override;
    std::shared_ptr<const Regions> smoothing() const override { return smoothing_; }
    double frequency() const override;
    double comfortable_push(double h) const override;
    double change_noise() const override { return 0; }
    std::vector<Figure> figures() const override;
    /// It never asks for sub-steps.
    double longest_step() const override { return 1; }

    void damp(double, std::span<const Vec3>, std::span<Vec3>, std::span<Vec3>) override {}
    void deform(const ReferencePass& pass) override;
    void find_change(std::span<const Vec3> x, std::span<double> change) const override;

    bool is_plastic() const override { return flow_.has_value(); }
    void reset_shape() override { reset({}); }
    void turn(Quat) override {}
    void reset(Quat orientation) override;
    void write(ByteWriter& out) const override;
    void read(ByteReader& in) override;
    void count_bytes(std::set<const void*>& counted, std::size_t& total) const override;
    std::vector<std::uint32_t> region_around(std::uint32_t particle) const override;

private:
    double alpha(double h) const;
    void let_flow(double h, std::span<const Vec3> x);

    std::shared_ptr<const BodySource> source_;
    ModelSettings settings_;
    std::shared_ptr<const Regions> smoothing_;
    published::Cells cells_;
    double time_constant_ = 1;  ///< τ of α = h/τ [s]
    double wobble_share_ = 1;   ///< κ of Turgor's own clusters, of which there are as many
    std::optional<published::Flow> flow_;
};

}  // namespace turgor
