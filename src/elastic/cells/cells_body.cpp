#include "elastic/cells/cells_body.hpp"

#include <algorithm>
#include <cmath>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "body/papers_step.hpp"
#include "elastic/cells/project.hpp"

namespace turgor {
namespace {

constexpr int default_cells = 16;
/// Pressures are linear in what they change.
constexpr double longest_way_in_cells = 0.25;
/// Edges that weights of volume corrections are smoothed over.
constexpr int smoothing_width = 2;

std::optional<double> setting(const ModelSettings& settings, std::string_view name) {
    const auto at = settings.find(name);
    return at == settings.end() ? std::nullopt : std::optional(at->second);
}

std::shared_ptr<const CellsRest> cached_rest(const BodySource& source, int cells,
                                             const BakeContext& context) {
    Hash hash;
    hash.add(cells);
    const std::uint64_t settings = hash.value();
    return context.cache.find_or_make<CellsRest>({source.hash, "cells rest", settings}, [&] {
        const SolidSource made = make_solid_source(source, cells);
        return std::make_shared<CellsRest>(make_cells_rest(
            made.solid,
            make_solid_asset(made.solid, made.shown, settings,
                             {.relative_masses = made.relative_masses, .with_followers = false})));
    });
}

}  // namespace

CellsBody::CellsBody(std::shared_ptr<const BodySource> source, const Material& material,
                     const ModelSettings& settings, const BakeContext& context)
    : source_(std::move(source)), settings_(settings) {
    const auto cells = static_cast<int>(setting(settings, "cells").value_or(default_cells));
    rest_ = cached_rest(*source_, cells, context);
    asset_ = rest_->asset;
    smoothing_ = context.cache.find_or_make<Regions>(
        {source_->hash, "cells smoothing", asset_->settings}, [&] {
            return std::make_shared<Regions>(make_regions(asset_->neighbours, smoothing_width));
        });
    set_material(material, context);
    pressures_ = PressureSystem(rest_->size, rest_->places);
}

void CellsBody::set_material(const Material& material, const BakeContext&) {
    parameters_ =
        derive_parameters(*rest_, material, {setting(settings_, "E"), setting(settings_, "G")});
    density_ = material.density;
}

double CellsBody::longest_way() const {
    return longest_way_in_cells * rest_->edge;
}

double CellsBody::comfortable_push(double h) const {
    const double rho = std::min(1.0, h / papers_step);
    return 0.03 * rho * rho * asset_->contact_length;
}

std::vector<Figure> CellsBody::figures() const {
    return {{"cells", static_cast<double>(rest_->cells.size())},
            {"cell", rest_->edge, "m"},
            {"particles", static_cast<double>(asset_->rest.size())},
            {"E", parameters_.moduli.young, "Pa"},
            {"G", parameters_.moduli.shear, "Pa"}};
}

void CellsBody::damp(double h, std::span<const Vec3> x, std::span<Vec3> v, std::span<Vec3> forces) {
    std::ranges::fill(forces, Vec3{});
    add_damping_forces(*rest_, parameters_.moduli, x, v, forces);
    for (std::size_t i = 0; i < v.size(); ++i)
        v[i] += h * parameters_.viscous_time / (density_ * asset_->mass[i]) * forces[i];
    limit_speeds(*rest_, h, x, v);
}

void CellsBody::deform(const ReferencePass& pass) {
    // Springs as they were at the start of the sub-step; hourglass modes as they will be, which
    // damps them.
    const double h = pass.h, felt = std::min(papers_step, parameters_.longest_step);
    const auto apply = [&](std::size_t i) {
        const Vec3 acceleration = 1 / (density_ * asset_->mass[i]) * pass.scratch[i];
        pass.change[i] += felt * felt * norm(acceleration);
        (is_held(pass.supports[i]) ? pass.held_back : pass.x)[i] += h * h * acceleration;
    };
    std::ranges::fill(pass.change, 0.0);
    std::ranges::fill(pass.scratch, Vec3{});
    add_spring_forces(*rest_, parameters_.moduli, pass.x_start, pass.scratch);
    for (std::size_t i = 0; i < pass.x.size(); ++i) apply(i);
    std::ranges::fill(pass.scratch, Vec3{});
    add_hourglass_forces(*rest_, parameters_.moduli, pass.x, pass.scratch);
    for (std::size_t i = 0; i < pass.x.size(); ++i) apply(i);
}

bool CellsBody::project(const ProjectPass& pass) {
    keep_volumes(*rest_, pressures_, setting(settings_, "tolerance"), pass);
    return true;
}

void CellsBody::find_change(std::span<const Vec3> x, std::span<double> change) const {
    const double felt = std::min(papers_step, parameters_.longest_step);
    std::vector<Vec3> forces(x.size());
    add_spring_forces(*rest_, parameters_.moduli, x, forces);
    add_hourglass_forces(*rest_, parameters_.moduli, x, forces);
    for (std::size_t i = 0; i < x.size(); ++i)
        change[i] = felt * felt / (density_ * asset_->mass[i]) * norm(forces[i]);
}

void CellsBody::count_bytes(std::set<const void*>& counted, std::size_t& total) const {
    total += pressures_.bytes();
    if (counted.insert(rest_.get()).second) total += turgor::bytes(*rest_);
    if (counted.insert(smoothing_.get()).second) total += turgor::bytes(*smoothing_);
}

std::vector<std::array<std::uint32_t, 2>> CellsBody::bonds() const {
    std::vector<std::array<std::uint32_t, 2>> bonds;
    for (const CellSpring& edge : rest_->edges) bonds.push_back({edge.first, edge.second});
    return bonds;
}

std::vector<ElasticBody::CellVolume> CellsBody::cell_volumes(std::span<const Vec3> x) const {
    const std::vector<double> errors = volume_errors(*rest_, x);
    std::vector<CellVolume> volumes;
    for (std::size_t c = 0; c < errors.size(); ++c)
        volumes.push_back({rest_->cells[c].corners, errors[c]});
    return volumes;
}

}  // namespace turgor
