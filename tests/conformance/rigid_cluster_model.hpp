#pragma once

#include <cmath>
#include <numeric>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/rigid_system.hpp"
#include "base/rotation.hpp"
#include "body/bake.hpp"
#include "body/check.hpp"
#include "body/rigid_response.hpp"
#include "elastic/model.hpp"

/// The smallest model that shows the seam: one rigid cluster with particles inside, in double
/// precision only. Tests register it; nothing in src/ knows it.
namespace turgor::test {

class RigidClusterBody final : public ElasticBody {
public:
    RigidClusterBody(const BodySource& source, const ModelSettings& settings) {
        check_elements(source.mesh, "mesh");
        check_closed(source.mesh);
        std::vector<std::uint32_t> order(source.mesh.vertices.size());
        std::iota(order.begin(), order.end(), 0u);
        auto asset = std::make_shared<BodyAsset>(
            *make_body_asset(source.mesh, order, source.display ? &*source.display : nullptr));
        // A heavy heart: pairs of particles about the centre of mass.
        const auto at = settings.find("heart");
        const double heart = at != settings.end() ? at->second : 0.5;
        for (const double side : {-1.0, 1.0}) {
            asset->rest.push_back({side * 0.1 * asset->size, 0, 0});
            asset->mass.push_back(0.5 * heart * asset->rest_volume);
        }
        auto regions = std::make_shared<Regions>();
        for (std::uint32_t i = 0; i < asset->surface_count; ++i) {
            regions->items.push_back(i);
            regions->end_row();
        }
        regions_ = std::move(regions);
        asset_ = std::move(asset);
    }

    void set_material(const Material&, const BakeContext&) override {}
    std::shared_ptr<const Regions> smoothing() const override { return regions_; }
    double frequency() const override { return 100; }
    double comfortable_push(double) const override { return asset_->size; }
    double change_noise() const override { return 1; }
    double longest_step() const override { return 0.005; }
    std::vector<Figure> figures() const override {
        return {
            {"particles_inside", static_cast<double>(asset_->rest.size() - asset_->surface_count)}};
    }

    void damp(double, std::span<const Vec3>, std::span<Vec3>, std::span<Vec3>) override {}
    void deform(const ReferencePass& pass) override {
        // Pinned particles hold the others: they weigh a million times as much.
        std::vector<double> weight(asset_->mass);
        for (std::size_t i = 0; i < weight.size(); ++i)
            if (is_held(pass.supports[i])) weight[i] *= 1e6;
        const Vec3 from = centre_of_mass(weight, asset_->rest), to = centre_of_mass(weight, pass.x);
        Mat3 a;
        for (std::size_t i = 0; i < weight.size(); ++i)
            a += outer(weight[i] * (pass.x[i] - to), asset_->rest[i] - from);
        orientation_ = nearest_rotation(a, orientation_);
        for (std::size_t i = 0; i < weight.size(); ++i) {
            pass.change[i] = 0;
            if (!is_held(pass.supports[i]))
                pass.x[i] = to + rotate(orientation_, asset_->rest[i] - from);
        }
    }
    void find_change(std::span<const Vec3>, std::span<double> change) const override {
        for (double& c : change) c = 0;
    }
    Response* response() override { return &response_; }
    void finish_velocities(std::span<const double> mass, std::span<const Vec3> x,
                           std::span<Vec3> v) override {
        const Vec3 centre = centre_of_mass(mass, x);
        RigidSystem system;
        Vec3 linear, angular;
        for (std::size_t i = 0; i < x.size(); ++i) {
            system.add(mass[i], x[i] - centre);
            linear += mass[i] * v[i];
            angular += cross(x[i] - centre, mass[i] * v[i]);
        }
        const RigidField field = system.solve(linear, angular);
        for (std::size_t i = 0; i < x.size(); ++i) v[i] = field.at(x[i] - centre);
    }

    void turn(Quat by) override { orientation_ = normalized(by * orientation_); }
    void reset(Quat orientation) override { orientation_ = orientation; }
    void write(ByteWriter& out) const override { out.put(orientation_); }
    void read(ByteReader& in) override {
        const Quat q = in.get<Quat>();
        if (!(std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6))
            fail(ErrorCode::bad_snapshot, "the orientation of a rigid cluster is no rotation");
        orientation_ = q;
    }
    void count_bytes(std::set<const void*>&, std::size_t& total) const override {
        total += sizeof *this;
    }

private:
    std::shared_ptr<const Regions> regions_;
    Quat orientation_;
    RigidResponse response_;
};

class RigidClusterModel final : public ElasticModel {
public:
    std::string_view name() const override { return "rigid cluster"; }
    Traits traits() const override { return {.rigid_response = true}; }
    std::uint32_t snapshot_version() const override { return 1; }
    std::vector<Setting> settings() const override { return {{"heart", 0, 100}}; }
    std::unique_ptr<ElasticBody> bake(std::shared_ptr<const BodySource> source, const Material&,
                                      const ModelSettings& settings,
                                      const BakeContext&) const override {
        return std::make_unique<RigidClusterBody>(*source, settings);
    }
};

}  // namespace turgor::test
