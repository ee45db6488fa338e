#pragma once

#include "elastic/cells/cells_parameters.hpp"
#include "elastic/model.hpp"

namespace turgor {

/// A body of cells. Beyond positions and velocities it has no state: pressures begin at zero in
/// every step (those of the last one would make them unstable).
class CellsBody final : public ElasticBody {
public:
    CellsBody(std::shared_ptr<const BodySource> source, const Material& material,
              const ModelSettings& settings, const BakeContext& context);

    void set_material(const Material& material, const BakeContext& context) override;
    std::shared_ptr<const Regions> smoothing() const override { return smoothing_; }
    double frequency() const override { return parameters_.frequency; }
    double residual_damping() const override { return parameters_.global_damping; }
    double comfortable_push(double h) const override;
    double change_noise() const override { return 1; }
    std::vector<Figure> figures() const override;
    double longest_step() const override { return parameters_.longest_step; }
    double longest_way() const override;

    void damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
              std::span<Vec3> scratch) override;
    void deform(const ReferencePass& pass) override;
    bool project(const ProjectPass& pass) override;
    void find_change(std::span<const Vec3> x, std::span<double> change) const override;

    void turn(Quat) override {}
    void reset(Quat) override {}
    void write(ByteWriter&) const override {}
    void read(ByteReader&) override {}
    void count_bytes(std::set<const void*>& counted, std::size_t& total) const override;
    std::vector<std::array<std::uint32_t, 2>> bonds() const override;

    std::vector<CellVolume> cell_volumes(std::span<const Vec3> x) const override;

    const CellsRest& rest() const { return *rest_; }
    const CellsParameters& parameters() const { return parameters_; }

private:
    std::shared_ptr<const BodySource> source_;
    ModelSettings settings_;
    std::shared_ptr<const CellsRest> rest_;
    std::shared_ptr<const Regions> smoothing_;
    CellsParameters parameters_;
    double density_ = 0;        ///< [kg/m³]
    PressureSystem pressures_;  ///< scratch
};

}  // namespace turgor
