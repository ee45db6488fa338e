#pragma once

#include <array>
#include <cmath>
#include <numeric>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/rigid_system.hpp"
#include "base/rotation.hpp"
#include "body/bake.hpp"
#include "body/check.hpp"
#include "elastic/model.hpp"

/// The smallest model that shows the seam: one rigid cluster with particles inside, in double
/// precision only. Tests register it; nothing in src/ knows it.
namespace turgor::test {

/// Answers contacts as a rigid body: its centre moves, and it turns about it.
class RigidClusterResponse final : public Response {
public:
    void open(std::span<const double> mass, std::span<const Vec3> x_start,
              std::span<const Vec3> x) override {
        points_.clear();
        moved_ = turned_ = {};
        mass_ = mass;
        x_start_ = x_start;
        x_ = x;
        centre_ = centre_of_mass(mass, x);
        total_ = std::accumulate(mass.begin(), mass.end(), 0.0);
        inertia_ = {};
        for (std::size_t i = 0; i < x.size(); ++i) inertia_.add(mass[i], x[i] - centre_);
    }
    std::uint32_t add_point(std::span<const std::uint32_t> particles,
                            std::span<const double> weights) override {
        Vec3 at;
        for (std::size_t k = 0; k < particles.size(); ++k) at += weights[k] * x_[particles[k]];
        points_.push_back(at - centre_);
        return static_cast<std::uint32_t>(points_.size() - 1);
    }
    Mat3 compliance(std::uint32_t a, std::uint32_t b) const override {
        const auto column = [&](Vec3 e) {
            return e / total_ + cross(spin(cross(points_[b], e)), points_[a]);
        };
        const Vec3 x = column({1, 0, 0}), y = column({0, 1, 0}), z = column({0, 0, 1});
        return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    }
    Vec3 displacement(Field field, std::uint32_t point) const override {
        const auto f = static_cast<std::size_t>(field);
        return moved_[f] + cross(turned_[f], points_[point]);
    }
    void push(Field field, std::uint32_t point, Vec3 by) override {
        const auto f = static_cast<std::size_t>(field);
        moved_[f] += by / total_;
        turned_[f] += spin(cross(points_[point], by));
    }
    Vec3 finish(Field field, std::span<Vec3> particles) override {
        const auto f = static_cast<std::size_t>(field);
        const Vec3 moved = moved_[f], turned = turned_[f];
        moved_[f] = turned_[f] = {};
        Vec3 beyond;
        const double angle = norm(turned);
        const Quat turn = angle > 0 ? Quat::about(turned / angle, angle) : Quat{};
        for (std::size_t i = 0; i < particles.size(); ++i) {
            const Vec3 arm = x_[i] - centre_;
            // Positions turn without growing; velocities are linear in the turn.
            const Vec3 change =
                field == Field::velocity ? cross(turned, arm) : rotate(turn, arm) - arm;
            if (field == Field::position)
                beyond += mass_[i] * cross(x_start_[i] - x_[i], moved + change);
            particles[i] += moved + change;
        }
        if (field == Field::position) {
            centre_ += moved;
            for (Vec3& arm : points_) arm = rotate(turn, arm);
        }
        return beyond;
    }

private:
    Vec3 spin(Vec3 angular) const { return inertia_.solve({}, angular).b; }

    std::vector<Vec3> points_;
    std::array<Vec3, 3> moved_{}, turned_{};
    std::span<const double> mass_;
    std::span<const Vec3> x_start_, x_;
    Vec3 centre_;
    double total_ = 1;
    RigidSystem inertia_;
};

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
    RigidClusterResponse response_;
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
