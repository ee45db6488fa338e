#include "elastic/lattice/lattice_body.hpp"

#include <algorithm>
#include <cmath>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "elastic/lattice/lattice_cache.hpp"

namespace turgor {
namespace {

std::optional<double> setting(const ModelSettings& settings, std::string_view name) {
    const auto at = settings.find(name);
    return at == settings.end() ? std::nullopt : std::optional(at->second);
}

/// What of a material counts here: ω, s and k are the surface model's, whose regions are others.
Material with(const ModelSettings& settings, Material material) {
    const auto half_width = setting(settings, "half_width");
    material.omega = half_width ? std::optional(static_cast<int>(*half_width)) : std::nullopt;
    material.stiffness = setting(settings, "stiffness");
    material.damping = setting(settings, "damping");
    return material;
}

/// Calls visit(element) for those within `half_width` of an element along an axis.
template <class Visit>
void for_each_in_window(const std::vector<std::uint32_t>& next, int half_width,
                        std::uint32_t element, const Visit& visit) {
    std::uint32_t first = element;
    for (int w = 0; w < half_width; ++w) {
        // Bonds along an axis keep the order of elements.
        std::uint32_t k = first;
        while (k > 0 && (next[k - 1] == NestedSums::none || next[k - 1] > first)) --k;
        if (k == 0 || next[k - 1] != first) break;
        first = k - 1;
    }
    for (std::uint32_t k = first; k != element; k = next[k]) visit(k);
    visit(element);
    std::uint32_t k = next[element];
    for (int w = 0; w < half_width && k != NestedSums::none; ++w, k = next[k]) visit(k);
}

}  // namespace

LatticeBody::LatticeBody(std::shared_ptr<const BodySource> source, const Material& material,
                         const ModelSettings& settings, const BakeContext& context)
    : source_(std::move(source)), settings_(settings) {
    const auto cells = static_cast<int>(setting(settings, "cells").value_or(default_cells));
    lattice_ = cached_lattice_cells(*source_, cells, context);
    asset_ = lattice_->asset;
    set_material(material, context);
    rotation_.resize(asset_->rest.size());
}

void LatticeBody::set_material(const Material& material, const BakeContext& context) {
    const auto prepared = [&](int half_width) {
        return cached_lattice_rest(*source_, *lattice_, half_width, context);
    };
    // A material may try several half-widths before it finds its own: each is baked once.
    std::map<int, std::shared_ptr<const LatticeRest>> tried;
    const BodyScale scale{asset_->size, lattice_->cell,
                          [&](int half_width) {
                              auto& rest = tried[half_width];
                              if (!rest) rest = prepared(half_width);
                              return rest->wobble_share;
                          },
                          1};
    const RegionParameters parameters = derive_parameters(with(settings_, material), scale);
    const auto rest =
        tried.contains(parameters.width) ? tried[parameters.width] : prepared(parameters.width);
    const auto smoothing = cached_lattice_smoothing(*source_, *asset_, parameters.width, context);
    std::shared_ptr<const LatticeCpuRest> cpu_rest;
    std::shared_ptr<const CpuRegions> cpu_smoothing;
    if (context.for_cpu) {
        cpu_rest = cached_lattice_cpu_rest(*source_, *lattice_, *rest, context);
        cpu_smoothing =
            cached_lattice_cpu_smoothing(*source_, *asset_, *smoothing, parameters.width, context);
    }
    // Nothing fails from here on.
    parameters_ = parameters;
    rest_ = rest;
    cpu_rest_ = cpu_rest;
    smoothing_ = smoothing;
    cpu_smoothing_ = cpu_smoothing;
    summation_ = context.summation;
}

double LatticeBody::comfortable_push(double h) const {
    return 0.03 * parameters_.stiffness_at(h) * asset_->contact_length;
}

std::vector<Figure> LatticeBody::figures() const {
    return {{"half_width", static_cast<double>(parameters_.width), "cells"},
            {"stiffness", parameters_.stiffness},
            {"damping", parameters_.damping},
            {"cells", static_cast<double>(lattice_->cells)},
            {"cell", lattice_->cell, "m"},
            {"particles", static_cast<double>(asset_->rest.size())}};
}

void LatticeBody::damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
                       std::span<Vec3> blended) {
    const double k = parameters_.damping_at(h);
    if (!(k > 0)) return;
    blend_lattice_velocities(*lattice_, *rest_, x, v, blended);
    for (std::size_t i = 0; i < x.size(); ++i) v[i] += k * (blended[i] - v[i]);
}

void LatticeBody::deform(const ReferencePass& pass) {
    const double s = parameters_.stiffness_at(pass.h);
    match_lattice(*lattice_, *rest_, pass.x, rotation_, pass.scratch);
    for (std::size_t i = 0; i < pass.x.size(); ++i) {
        const Vec3 pull = pass.scratch[i] - pass.x[i];
        pass.change[i] = parameters_.stiffness * norm(pull);
        if (!is_held(pass.supports[i])) pass.x[i] += s * pull;
    }
}

bool LatticeBody::find_goals(std::span<const Vec3> x, std::span<Vec3> goals) const {
    std::vector<Quat> rotations = rotation_;
    match_lattice(*lattice_, *rest_, x, rotations, goals);
    return true;
}

void LatticeBody::find_change(std::span<const Vec3> x, std::span<double> change) const {
    std::vector<Vec3> goals(x.size());
    find_goals(x, goals);
    for (std::size_t i = 0; i < x.size(); ++i)
        change[i] = parameters_.stiffness * norm(goals[i] - x[i]);
}

void LatticeBody::turn(Quat by) {
    for (Quat& q : rotation_) q = normalized(by * q);
}

void LatticeBody::reset(Quat q) {
    std::ranges::fill(rotation_, q);
    std::ranges::fill(cpu_rotation_, to_quad({q.x, q.y, q.z}, q.w));
}

void LatticeBody::write(ByteWriter& out) const {
    out.put_array(rotation_);
}

void LatticeBody::read(ByteReader& in) {
    auto rotation = in.get_array<Quat>();
    const auto is_unit = [](const Quat& q) {
        return std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) <= 1e-4;
    };
    if (rotation.size() != rotation_.size() || !std::ranges::all_of(rotation, is_unit))
        fail(ErrorCode::bad_snapshot,
             "the rotations of a lattice's regions are not one unit quaternion for each");
    rotation_ = std::move(rotation);
}

void LatticeBody::count_bytes(std::set<const void*>& counted, std::size_t& total) const {
    total += rotation_.size() * sizeof(Quat) + cpu_rotation_.size() * sizeof(Quad);
    if (counted.insert(lattice_.get()).second) total += turgor::bytes(*lattice_);
    if (counted.insert(rest_.get()).second) total += turgor::bytes(*rest_);
    if (cpu_rest_ && counted.insert(cpu_rest_.get()).second) total += turgor::bytes(*cpu_rest_);
    if (counted.insert(smoothing_.get()).second) total += turgor::bytes(*smoothing_);
    if (cpu_smoothing_ && counted.insert(cpu_smoothing_.get()).second)
        total += turgor::bytes(*cpu_smoothing_);
}

void LatticeBody::to_cpu() {
    cpu_rotation_.assign(CpuLayout::padded(rotation_.size()), {0, 0, 0, 1});
    for (std::size_t k = 0; k < rotation_.size(); ++k) {
        const Quat& q = rotation_[lattice_->particle_of_row[k]];
        cpu_rotation_[k] = to_quad({q.x, q.y, q.z}, q.w);
    }
}

void LatticeBody::to_reference() {
    for (std::size_t k = 0; k < rotation_.size(); ++k) {
        const Quad& q = cpu_rotation_[k];
        rotation_[lattice_->particle_of_row[k]] = {q.w, q.x, q.y, q.z};
    }
}

std::vector<std::uint32_t> LatticeBody::region_around(std::uint32_t particle) const {
    std::vector<std::uint32_t> region;
    const std::uint32_t element = element_of(lattice_->row_of_particle[particle]);
    const auto window = [&](std::size_t axis, std::uint32_t around, const auto& visit) {
        for_each_in_window(lattice_->next[axis], parameters_.width, around, visit);
    };
    window(0, element, [&](std::uint32_t a) {
        window(1, a, [&](std::uint32_t b) {
            window(2, b, [&](std::uint32_t c) {
                const std::uint32_t i = lattice_->particle_of_row[c];
                if (i < asset_->surface_count) region.push_back(i);
            });
        });
    });
    std::ranges::sort(region);
    return region;
}

std::vector<std::array<std::uint32_t, 2>> LatticeBody::bonds() const {
    std::vector<std::array<std::uint32_t, 2>> bonds;
    for (const std::vector<std::uint32_t>& next : lattice_->next)
        for (std::size_t k = 0; k < next.size(); ++k)
            if (next[k] != NestedSums::none)
                bonds.push_back({lattice_->particle_of_row[k], lattice_->particle_of_row[next[k]]});
    return bonds;
}

}  // namespace turgor
