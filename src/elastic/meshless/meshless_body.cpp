#include "elastic/meshless/meshless_body.hpp"

#include <algorithm>
#include <cmath>

#include "base/bytes.hpp"
#include "base/eigen.hpp"
#include "base/errors.hpp"
#include "base/rigid_system.hpp"
#include "base/rotation.hpp"
#include "body/bake.hpp"
#include "body/papers_step.hpp"
#include "elastic/meshless/meshless_cache.hpp"
#include "elastic/meshless/meshless_settings.hpp"
#include "elastic/meshless/rigid_motion.hpp"

namespace turgor {
namespace {

/// A symmetric stretch that keeps the volume, and bends, none beyond what any cap allows.
bool is_legal(const PlasticShape& shape) {
    const Mat3& s = shape.stretch;
    const Mat3 off = s - transpose(s);
    if (!(frobenius(off) < 1e-6) || !(frobenius(s) < 100) || !(std::abs(determinant(s) - 1) < 1e-3))
        return false;
    // With the determinant: no eigenvalue is negative.
    if (!(s.m[0][0] > 0 && s.m[0][0] * s.m[1][1] - s.m[0][1] * s.m[1][0] > 0)) return false;
    return std::ranges::all_of(shape.bend, [](const Vec3& b) { return norm(b) < 1e9; });
}

/// Orientation of a rigid set of particles that may not be quite rigid.
Quat orientation_of(std::span<const double> mass, std::span<const Vec3> offsets,
                    std::span<const Vec3> x, Vec3 centre, Quat guess) {
    Mat3 a;
    for (std::size_t i = 0; i < x.size(); ++i) a += outer(mass[i] * (x[i] - centre), offsets[i]);
    return nearest_rotation(a, guess);
}

}  // namespace

MeshlessBody::MeshlessBody(std::shared_ptr<const BodySource> source, const Material& material,
                           const ModelSettings& settings, const BakeContext& context)
    : source_(std::move(source)), settings_(settings) {
    asset_ = cached_meshless_asset(*source_, context);
    smoothing_ = cached_rings(*source_, *asset_, context);
    set_material(material, context);
}

void MeshlessBody::set_material(const Material& material, const BakeContext& context) {
    MeshlessSettings wanted = meshless_settings(settings_);
    const bool beta_is_given = setting(settings_, "beta").has_value();
    if (!beta_is_given) wanted.beta = 0;
    const std::optional<double> stiffness = setting(settings_, "stiffness");
    const bool is_rigid = wanted.mode == MeshlessMode::rigid && stiffness == 1.0;
    std::optional<double> clusters = is_rigid ? std::optional(1.0) : setting(settings_, "clusters");
    // What is kept is kept by the clusters that there are.
    if (!states_.shape.empty()) clusters = rest_->settings.clusters;
    if (!clusters && !clusters_wanted_)
        clusters_wanted_ = cached_clusters_wanted(*source_, *asset_, context);
    // Rigid clusters bend between each other only: it takes more of them.
    const int by_shape = clusters_wanted_ ? *clusters_wanted_ : 1;
    wanted.clusters =
        clusters ? static_cast<int>(*clusters)
                 : (wanted.mode == MeshlessMode::quadratic ? by_shape : (3 * by_shape + 1) / 2);
    const double share = needed_share(material, stiffness, asset_->size);
    auto rest = cached_meshless_rest(*source_, *asset_, wanted, context);
    // Clusters that give way too easily for what is asked: fewer of them are firmer.
    while (!clusters && wanted.clusters > 1 && rest->wobble_share < share) {
        wanted.clusters = wanted.clusters * 2 / 3;
        rest = cached_meshless_rest(*source_, *asset_, wanted, context);
    }
    // Goals follow the whole body's deformation as far as its frequency allows: then matching is as
    // firm as it gets against dents, and a body that stands on few vertices hardly sinks.
    if (wanted.mode != MeshlessMode::rigid && !beta_is_given) {
        plain_rest_ = rest;
        constexpr double step = 0.02, most = 0.94;
        const double beta = stiffness ? 0.8 : 1 - share / rest->wobble_share;
        wanted.beta = std::clamp(step * std::floor(beta / step), 0.0, most);
        rest = cached_meshless_rest(*source_, *asset_, wanted, context);
    }
    const MeshlessParameters parameters = meshless_parameters(
        material, stiffness, asset_->size, rest->wobble_share, rest->damping_share);
    ClusterStates states = states_;
    // Rotations of other clusters say nothing about these.
    if (states.rotation.size() != rest->clusters.size()) {
        const Quat as_before = states.rotation.empty() ? Quat{} : states.rotation[0];
        states.rotation.assign(rest->clusters.size(), as_before);
    }
    // A dent stays where the new material is elastic: it is its shape now.
    const auto plasticity = is_rigid ? std::nullopt : material.plasticity;
    if (plasticity && states.shape.empty()) states.shape.resize(rest->clusters.size());
    const bool on_cpu = context.for_cpu && !is_rigid;
    auto cpu_rest = on_cpu ? cached_meshless_cpu_rest(*source_, *asset_, *rest, context) : nullptr;
    auto cpu_smoothing = on_cpu ? cached_cpu_rings(*source_, *smoothing_, context) : nullptr;
    // Nothing fails from here on.
    is_rigid_ = is_rigid;
    states_ = std::move(states);
    plasticity_ = plasticity;
    cpu_rest_ = std::move(cpu_rest);
    cpu_smoothing_ = std::move(cpu_smoothing);
    rest_ = std::move(rest);
    parameters_ = parameters;
    step_length_ = 0;
    reference_stiffness_ = is_rigid_ ? 1 : parameters_.at(papers_step).stiffness;
}

const MatchingStep& MeshlessBody::step_of(double h) const {
    if (h != step_length_) step_ = parameters_.at(h);
    step_length_ = h;
    return step_;
}

std::optional<PlasticStep> MeshlessBody::plastic_step(double h, bool may_flow) const {
    if (!plasticity_ || !may_flow) return std::nullopt;
    return PlasticStep(*plasticity_, h);
}

void MeshlessBody::measure_rest_shape(std::span<const Vec3> x) {
    std::vector<Vec3> goals(x.size());
    rest_goals(*rest_, x, states_, goals);
    kept_.measure(*asset_, std::move(goals), states_.rotation[0]);
}

void MeshlessBody::reset_shape() {
    if (states_.shape.empty()) return;
    std::ranges::fill(states_.shape, PlasticShape{});
    kept_.forget();
}

double MeshlessBody::frequency() const {
    // Of a rigid body: as stiff as contact can tell.
    return is_rigid_ ? 100 / asset_->size : parameters_.frequency;
}

double MeshlessBody::comfortable_push(double h) const {
    const double s = is_rigid_ ? 1 : step_of(h).stiffness;
    return 0.03 * s * asset_->contact_length;
}

double MeshlessBody::change_noise() const {
    return reference_stiffness_;
}

double MeshlessBody::longest_step() const {
    return is_rigid_ ? papers_step : parameters_.longest_step;
}

std::vector<Figure> MeshlessBody::figures() const {
    std::size_t bends = 0;
    for (const Cluster& c : rest_->clusters) bends += c.bends;
    return {{"clusters", static_cast<double>(rest_->clusters.size())},
            {"members", static_cast<double>(rest_->members.size())},
            {"bending_functions", static_cast<double>(bends)},
            {"widened", static_cast<double>(rest_->widened)},
            {"beta", rest_->settings.beta},
            {"stiffness", reference_stiffness_},
            {"wobble_share", rest_->wobble_share}};
}

void MeshlessBody::damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
                        std::span<Vec3> blended) {
    const double k = is_rigid_ ? 0 : step_of(h).damping;
    if (!(k > 0)) return;
    blend_cluster_velocities(*rest_, x, v, blended);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double firm = rest_->importance.empty() ? 1 : rest_->importance[i];
        v[i] += firm * k * (blended[i] - v[i]);
    }
}

void MeshlessBody::deform(const ReferencePass& pass) {
    if (is_rigid_) return turn_as_rigid_body(pass);
    const MatchingStep step = step_of(pass.h);
    const double reference = reference_stiffness_;
    // Matched is what was where the step began and has gone η of the way.
    std::vector<Vec3> ahead(pass.x.size());
    for (std::size_t i = 0; i < ahead.size(); ++i)
        ahead[i] = pass.x_start[i] + step.look_ahead * (pass.x[i] - pass.x_start[i]);
    const std::optional<PlasticStep> plastic = plastic_step(pass.h, pass.may_flow);
    const double flowed =
        match_clusters(*rest_, ahead, states_, pass.scratch, plastic ? &*plastic : nullptr);
    if (pass.may_flow) kept_.note_flow(flowed, pass.h);
    Vec3 force;
    double mass = 0;
    for (std::size_t i = 0; i < pass.x.size(); ++i) {
        const double firm = rest_->importance.empty() ? 1 : rest_->importance[i];
        pass.scratch[i] = firm * (pass.scratch[i] - ahead[i]);
        force += asset_->mass[i] * pass.scratch[i];
        mass += asset_->mass[i];
    }
    // What is not zero of all pulls together is rounding.
    const Vec3 rounding = force / mass;
    for (std::size_t i = 0; i < pass.x.size(); ++i) {
        const Vec3 pull = pass.scratch[i] - rounding;
        pass.change[i] = reference * norm(pull);
        if (!is_held(pass.supports[i])) pass.x[i] += step.stiffness * pull;
    }
}

/// Moves as one: freely by its momenta, or led by the particles that are pinned.
void MeshlessBody::turn_as_rigid_body(const ReferencePass& pass) {
    const std::span<const double> mass = asset_->mass;
    const std::span<const Vec3> offsets = asset_->rest;
    std::ranges::fill(pass.change, 0.0);
    Quat& orientation = states_.rotation[0];
    const bool pinned = std::ranges::any_of(pass.supports, is_held);
    Vec3 from, to;
    if (pinned) {
        // What is pinned weighs as much as it takes to hold the rest.
        std::vector<double> weight(mass.begin(), mass.end());
        for (std::size_t i = 0; i < weight.size(); ++i)
            if (is_held(pass.supports[i])) weight[i] *= 1e6;
        from = centre_of_mass(weight, offsets), to = centre_of_mass(weight, pass.x);
        Mat3 a;
        for (std::size_t i = 0; i < weight.size(); ++i)
            a += outer(weight[i] * (pass.x[i] - to), offsets[i] - from);
        orientation = nearest_rotation(a, orientation);
    } else {
        const Vec3 start = centre_of_mass(mass, pass.x_start);
        to = centre_of_mass(mass, pass.x);
        const Quat begin = orientation_of(mass, offsets, pass.x_start, start, orientation);
        Vec3 angular;
        for (std::size_t i = 0; i < offsets.size(); ++i)
            angular += cross(pass.x_start[i] - start, mass[i] / pass.h * pass.x[i]);
        orientation = turn_freely(mass, offsets, begin, angular, pass.h);
    }
    for (std::size_t i = 0; i < offsets.size(); ++i)
        if (!is_held(pass.supports[i])) pass.x[i] = to + rotate(orientation, offsets[i] - from);
}

bool MeshlessBody::find_goals(std::span<const Vec3> x, std::span<Vec3> goals) const {
    ClusterStates states = states_;
    match_clusters(*rest_, x, states, goals);
    return true;
}

void MeshlessBody::find_change(std::span<const Vec3> x, std::span<double> change) const {
    std::vector<Vec3> goals(x.size());
    find_goals(x, goals);
    const double reference = reference_stiffness_;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double firm = rest_->importance.empty() ? 1 : rest_->importance[i];
        change[i] = is_rigid_ ? 0 : reference * firm * norm(goals[i] - x[i]);
    }
}

void MeshlessBody::finish_velocities(std::span<const double> mass, std::span<const Vec3> x,
                                     std::span<Vec3> v) {
    if (!is_rigid_) return;
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

void MeshlessBody::turn(Quat by) {
    for (Quat& q : states_.rotation) q = normalized(by * q);
}

void MeshlessBody::reset(Quat orientation) {
    std::ranges::fill(states_.rotation, orientation);
}

void MeshlessBody::write(ByteWriter& out) const {
    out.put_array(states_.rotation);
    out.put_array(states_.shape);
    kept_.write(out);
}

void MeshlessBody::read(ByteReader& in) {
    auto rotation = in.get_array<Quat>();
    auto shape = in.get_array<PlasticShape>();
    const auto is_unit = [](const Quat& q) {
        const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        return std::abs(square - 1) <= 1e-4;
    };
    if (rotation.size() != rest_->clusters.size() || !std::ranges::all_of(rotation, is_unit))
        fail(ErrorCode::bad_snapshot,
             "the rotations of a body's clusters are not one unit quaternion for each");
    if ((!shape.empty() && shape.size() != rest_->clusters.size()) ||
        (shape.empty() && plasticity_) || !std::ranges::all_of(shape, is_legal))
        fail(ErrorCode::bad_snapshot, "the shapes that a body's clusters keep are out of range");
    kept_.read(in, *asset_);
    states_ = {std::move(rotation), std::move(shape)};
}

void MeshlessBody::count_bytes(std::set<const void*>& counted, std::size_t& total) const {
    total += sizeof *this + states_.rotation.size() * sizeof(Quat) +
             states_.shape.size() * sizeof(PlasticShape) + kept_.bytes();
    if (counted.insert(rest_.get()).second) total += turgor::bytes(*rest_);
    if (counted.insert(smoothing_.get()).second) total += turgor::bytes(*smoothing_);
    if (cpu_rest_ && counted.insert(cpu_rest_.get()).second) total += turgor::bytes(*cpu_rest_);
    if (cpu_smoothing_ && counted.insert(cpu_smoothing_.get()).second)
        total += turgor::bytes(*cpu_smoothing_);
}

std::vector<std::uint32_t> MeshlessBody::region_around(std::uint32_t particle) const {
    // Of the cluster that the particle belongs to most.
    const Cluster* most = nullptr;
    double share = 0;
    for (const Cluster& c : rest_->clusters)
        for (std::uint32_t k = c.begin; k < c.end; ++k)
            if (rest_->members[k].particle == particle && rest_->members[k].share > share)
                most = &c, share = rest_->members[k].share;
    std::vector<std::uint32_t> members;
    for (std::uint32_t k = most ? most->begin : 0; most && k < most->end; ++k)
        if (rest_->members[k].particle < asset_->surface_count)
            members.push_back(rest_->members[k].particle);
    return members;
}

std::vector<ElasticBody::Membership> MeshlessBody::clusters() const {
    std::vector<Membership> all;
    for (std::uint32_t c = 0; c < rest_->clusters.size(); ++c)
        for (std::uint32_t k = rest_->clusters[c].begin; k < rest_->clusters[c].end; ++k)
            all.push_back({rest_->members[k].particle, c, rest_->members[k].share});
    return all;
}

}  // namespace turgor
