#include "elastic/surface/surface_body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "elastic/surface/surface_cache.hpp"
#include "mesh/measures.hpp"

namespace turgor {
namespace {

double size_of(const Mesh& mesh) {
    const double v = volume(mesh);
    if (!(v > 0))
        fail(ErrorCode::bad_mesh, "mesh '{}' encloses no volume; run it through make_mesh first",
             mesh.name);
    return sphere_diameter(v);
}

/// The model's own settings win over the material's.
Material with(const ModelSettings& settings, Material material) {
    const auto take = [&](std::string_view name, auto& to) {
        const auto at = settings.find(name);
        using Value = typename std::remove_reference_t<decltype(to)>::value_type;
        if (at != settings.end()) to = static_cast<Value>(at->second);
    };
    take("omega", material.omega);
    take("stiffness", material.stiffness);
    take("damping", material.damping);
    return material;
}

/// How many edges each particle is from where the sweep of its part began.
std::vector<std::uint32_t> layers(const BodyAsset& asset) {
    constexpr auto unknown = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> layer(asset.rest.size(), unknown);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t first = 0; first < layer.size(); ++first) {
        if (layer[first] != unknown) continue;
        layer[first] = 0;
        queue.assign(1, first);
        for (std::size_t k = 0; k < queue.size(); ++k)
            for (const std::uint32_t next : asset.neighbours[queue[k]])
                if (layer[next] == unknown) {
                    layer[next] = layer[queue[k]] + 1;
                    queue.push_back(next);
                }
    }
    return layer;
}

}  // namespace

SurfaceBody::SurfaceBody(std::shared_ptr<const BodySource> source, const Material& material,
                         const ModelSettings& settings, const BakeContext& context)
    : source_(std::move(source)), settings_(settings) {
    set_material(material, context);
    rotation_.resize(asset_->rest.size());
}

void SurfaceBody::set_material(const Material& material, const BakeContext& context) {
    // A material may try several ω before it finds its own: each is baked once.
    std::map<int, std::shared_ptr<const SurfaceRest>> tried;
    if (rest_) tried[rest_->omega] = rest_;
    const auto prepared = [&](int omega) {
        const auto at = tried.find(omega);
        return at != tried.end() ? at->second : tried[omega] = rest_for(omega, context);
    };
    const Mesh& mesh = source_->mesh;
    const BodyScale scale{size_of(mesh), mean_edge(mesh.vertices, mesh.triangles),
                          [&](int omega) { return prepared(omega)->wobble_share; }};
    const RegionParameters parameters = derive_parameters(with(settings_, material), scale);
    const auto rest = prepared(parameters.width);
    const auto cpu_rest = context.for_cpu ? surface_cpu_rest(*source_, *asset_, *rest, context)
                                          : std::shared_ptr<const RegionCpuRest>{};
    Plastic plastic = plastic_with(material, *rest, cpu_rest.get(), context);
    // Nothing fails from here on.
    if (!plastic_.shapes.empty() && rest->omega != rest_->omega) kept_.mark_out_of_date();
    plastic_ = std::move(plastic);
    parameters_ = parameters;
    rest_ = rest;
    cpu_rest_ = cpu_rest;
    summation_ = context.summation;
}

std::shared_ptr<const SurfaceRest> SurfaceBody::rest_for(int omega, const BakeContext& context) {
    SurfaceBake baked = cached_surface_bake(*source_, asset_, omega, context);
    asset_ = std::move(baked.asset);
    return std::move(baked.rest);
}

double SurfaceBody::comfortable_push(double h) const {
    // docs/methods.md, "Volume", has 0.1; with less an impact is spread alike by every step length,
    // and a squeeze is as local as before.
    return 0.03 * parameters_.stiffness_at(h) * asset_->contact_length;
}

std::vector<Figure> SurfaceBody::figures() const {
    return {{"omega", static_cast<double>(parameters_.width), "edges"},
            {"stiffness", parameters_.stiffness},
            {"damping", parameters_.damping},
            {"intervals_per_region", rest_->intervals}};
}

void SurfaceBody::damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
                       std::span<Vec3> blended) {
    const double k = parameters_.damping_at(h);
    if (!(k > 0)) return;
    blend_rigid_velocities(*asset_, *rest_, x, v, blended);
    for (std::size_t i = 0; i < x.size(); ++i) v[i] += k * (blended[i] - v[i]);
}

void SurfaceBody::deform(const ReferencePass& pass) {
    const double s = parameters_.stiffness_at(pass.h);
    if (plastic_.shapes.empty())
        match_regions(*asset_, *rest_, pass.x, rotation_, pass.scratch);
    else
        match_plastic(pass);
    for (std::size_t i = 0; i < pass.x.size(); ++i) {
        const Vec3 pull = pass.scratch[i] - pass.x[i];
        pass.change[i] = parameters_.stiffness * norm(pull);
        if (!is_held(pass.supports[i])) pass.x[i] += s * pull;
    }
}

bool SurfaceBody::find_goals(std::span<const Vec3> x, std::span<Vec3> goals) const {
    std::vector<Quat> rotations = rotation_;
    std::vector<RegionShape> shapes = plastic_.shapes;
    if (shapes.empty())
        match_regions(*asset_, *rest_, x, rotations, goals);
    else
        match_plastic_regions(*asset_, *rest_, *plastic_.rest, x, nullptr, shapes, rotations,
                              goals);
    return true;
}

void SurfaceBody::find_change(std::span<const Vec3> x, std::span<double> change) const {
    std::vector<Vec3> goals(x.size());
    find_goals(x, goals);
    for (std::size_t i = 0; i < x.size(); ++i)
        change[i] = parameters_.stiffness * norm(goals[i] - x[i]);
}

void SurfaceBody::turn(Quat by) {
    for (Quat& q : rotation_) q = normalized(by * q);
}

void SurfaceBody::reset(Quat q) {
    std::ranges::fill(rotation_, q);
    std::ranges::fill(cpu_rotation_, to_quad({q.x, q.y, q.z}, q.w));
}

void SurfaceBody::write(ByteWriter& out) const {
    out.put_array(rotation_);
    out.put_array(plastic_.shapes);
    kept_.write(out);
}

void SurfaceBody::read(ByteReader& in) {
    auto rotation = in.get_array<Quat>();
    auto shapes = in.get_array<RegionShape>();
    const auto is_unit = [](const Quat& q) {
        const double squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        return std::abs(squared - 1) <= 1e-4;
    };
    if (rotation.size() != rotation_.size() || !std::ranges::all_of(rotation, is_unit))
        fail(ErrorCode::bad_snapshot,
             "the rotations of a body's regions are not one unit quaternion for each");
    if ((!shapes.empty() && shapes.size() != rotation_.size()) ||
        (shapes.empty() && plastic_.plasticity) || !std::ranges::all_of(shapes, is_legal))
        fail(ErrorCode::bad_snapshot, "the shapes that a body's regions keep are out of range");
    kept_.read(in, *asset_);
    // It may have become elastic and still keep what it took on before.
    if (!shapes.empty() && !plastic_.rest)
        plastic_.rest = make_plastic_rest(*asset_, *rest_, cpu_rest_.get());
    rotation_ = std::move(rotation);
    plastic_.shapes = std::move(shapes);
}

void SurfaceBody::count_bytes(std::set<const void*>& counted, std::size_t& total) const {
    total += rotation_.size() * sizeof(Quat) + cpu_rotation_.size() * sizeof(Quad) +
             plastic_.shapes.size() * sizeof(RegionShape) + kept_.bytes();
    if (plastic_.rest && counted.insert(plastic_.rest.get()).second)
        total += turgor::bytes(*plastic_.rest);
    if (counted.insert(rest_.get()).second) total += turgor::bytes(*rest_);
    if (cpu_rest_ && counted.insert(cpu_rest_.get()).second) total += turgor::bytes(*cpu_rest_);
}

void SurfaceBody::to_cpu() {
    cpu_rotation_.assign(CpuLayout::padded(rotation_.size()), {0, 0, 0, 1});
    for (std::size_t i = 0; i < rotation_.size(); ++i) {
        const Quat& q = rotation_[i];
        cpu_rotation_[i] = to_quad({q.x, q.y, q.z}, q.w);
    }
}

void SurfaceBody::to_reference() {
    for (std::size_t i = 0; i < rotation_.size(); ++i) {
        const Quad& q = cpu_rotation_[i];
        rotation_[i] = {q.w, q.x, q.y, q.z};
    }
}

std::vector<std::uint32_t> SurfaceBody::region_around(std::uint32_t particle) const {
    const auto region = (*rest_->regions)[particle];
    return {region.begin(), region.end()};
}

std::vector<std::vector<std::uint32_t>> SurfaceBody::paths() const {
    const std::vector<std::uint32_t> layer = layers(*asset_);
    std::vector<std::vector<std::uint32_t>> paths;
    for (std::uint32_t i = 0; i < layer.size(); ++i) {
        const bool goes_on = i > 0 && layer[i] == layer[i - 1] &&
                             std::ranges::binary_search(asset_->neighbours[i], i - 1);
        if (!goes_on) paths.emplace_back();
        paths.back().push_back(i);
    }
    return paths;
}

// The cpu form.

std::size_t SurfaceBody::memory() const {
    const std::size_t padded = CpuLayout::padded(rotation_.size());
    const std::size_t blocks = (padded + CpuLayout::block - 1) / CpuLayout::block;
    const std::size_t rows = padded + blocks;
    const std::size_t plastic =
        plastic_.shapes.empty()
            ? 0
            : 2 * rows * plastic_row_quads * sizeof(FixedQuad) + blocks * sizeof(double);
    return 2 * rows * row_quads * sizeof(FixedQuad) + plastic;
}

RegionCpuView SurfaceBody::view(const CpuPass& pass) {
    const std::size_t rows = row_quads * pass.asset.rows();
    auto* const first = reinterpret_cast<FixedQuad*>(pass.memory.data());
    return {pass.asset,  *cpu_rest_,    summation_,          pass.x,
            pass.v,      pass.x_start,  pass.predicted_v,    cpu_rotation_,
            pass.change, {first, rows}, {first + rows, rows}};
}

void SurfaceBody::damp(const CpuPass& pass) {
    if (!(static_cast<float>(parameters_.damping_at(pass.step)) > 0)) return;
    const RegionCpuView body = view(pass);
    const RegionScales scales{power_of_two_above(pass.reach), power_of_two_above(pass.speed)};
    pass.each_block([&](auto block) { damping_terms(body, scales, block); });
    pass.each_block([&](auto block) { damping_fields(body, scales, block); });
}

IntegrateSums SurfaceBody::integrate(const CpuPass& pass, const FrameChange& frame) {
    const auto k = static_cast<float>(parameters_.damping_at(pass.step));
    const RegionCpuView body = view(pass);
    const RegionScales scales{power_of_two_above(pass.reach), power_of_two_above(pass.speed)};
    return pass.collect(&ElasticBlockSums::integrate, [&](auto block, IntegrateSums& sums) {
        damp_and_integrate(body, scales, k, pass.h, frame, block, sums);
    });
}

GoalSums SurfaceBody::deform(const CpuPass& pass, Quad centre) {
    if (!plastic_.shapes.empty()) return deform_plastic(pass, centre);
    const RegionCpuView body = view(pass);
    const RegionScales scales{power_of_two_above(pass.reach), 1};
    const auto s = static_cast<float>(parameters_.stiffness_at(pass.step));
    const auto for_weights = static_cast<float>(parameters_.stiffness);
    pass.each_block([&](auto block) { matching_terms(body, scales, block); });
    pass.each_block([&](auto block) { fit_regions(body, scales, block); });
    return pass.collect(&ElasticBlockSums::goal, [&](auto block, GoalSums& sums) {
        move_to_goals(body, scales, s, pass.h, for_weights, centre, block, sums);
    });
}

}  // namespace turgor
