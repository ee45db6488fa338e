#include "elastic/meshless/published_body.hpp"

#include <algorithm>
#include <cmath>

#include "base/bytes.hpp"
#include "base/eigen.hpp"
#include "base/errors.hpp"
#include "base/functions.hpp"
#include "body/papers_step.hpp"
#include "elastic/meshless/meshless_cache.hpp"
#include "elastic/meshless/meshless_settings.hpp"

namespace turgor {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Of determinant 1, and no larger than what is meant to be a shape.
bool is_shape(const Mat3& plastic) {
    return frobenius(plastic) < 1e3 && std::abs(determinant(plastic) - 1) < 1e-3;
}

}  // namespace

PublishedBody::PublishedBody(std::shared_ptr<const BodySource> source, const Material& material,
                             const ModelSettings& settings, const BakeContext& context)
    : source_(std::move(source)), settings_(settings) {
    asset_ = cached_meshless_asset(*source_, context);
    smoothing_ = cached_rings(*source_, *asset_, context);
    set_material(material, context);
}

void PublishedBody::set_material(const Material& material, const BakeContext& context) {
    MeshlessSettings wanted = meshless_settings(settings_);
    wanted.placement = Placement::regular;
    const auto clusters = setting(settings_, "clusters");
    wanted.clusters = clusters ? static_cast<int>(*clusters)
                               : *cached_clusters_wanted(*source_, *asset_, context);
    // Nothing is published about hertz: the share of the way to the goals that Turgor would take.
    wobble_share_ = cached_meshless_rest(*source_, *asset_, wanted, context)->wobble_share;
    const double angle = std::min(pi / 2, 2 * pi * material.frequency / asset_->size * papers_step);
    const double sine = portable::sin(angle);
    const double stiffness =
        setting(settings_, "stiffness").value_or(std::min(1.0, sine * sine / wobble_share_));
    time_constant_ = papers_step / std::max(stiffness, 1e-9);
    flow_ =
        material.plasticity ? std::optional<published::Flow>(*material.plasticity) : std::nullopt;
    if (!cells_.cells.empty()) return;  // they follow from shape and settings alone
    cells_ = published::make_cells(*asset_, wanted.mode, wanted.beta,
                                   place_clusters(*asset_, wanted.placement, wanted.clusters));
}

double PublishedBody::alpha(double h) const {
    return std::min(1.0, h / time_constant_);
}

double PublishedBody::frequency() const {
    const double share = std::min(1.0, alpha(papers_step) * wobble_share_);
    return portable::asin(std::sqrt(share)) / (2 * pi * papers_step);
}

double PublishedBody::comfortable_push(double h) const {
    return 0.03 * alpha(h) * asset_->contact_length;
}

std::vector<Figure> PublishedBody::figures() const {
    std::size_t members = 0;
    for (const published::Cell& cell : cells_.cells) members += cell.particles.size();
    return {{"clusters", static_cast<double>(cells_.cells.size())},
            {"members", static_cast<double>(members)},
            {"stiffness", alpha(papers_step)},
            {"wobble_share", wobble_share_}};
}

void PublishedBody::deform(const ReferencePass& pass) {
    published::goals_of(*asset_, cells_, pass.x, pass.scratch);
    if (flow_) let_flow(pass.h, pass.x);
    const double share = alpha(pass.h), reference = alpha(papers_step);
    for (std::size_t i = 0; i < pass.x.size(); ++i) {
        // v(t+h) = v(t) + α (g − x̄)/h + h f/m and x(t+h) = x(t) + h v(t+h), x̄ being predicted.
        const Vec3 pull = pass.scratch[i] - pass.x[i];
        pass.change[i] = reference * norm(pull);
        if (!is_held(pass.supports[i])) pass.x[i] += share * pull;
    }
}

void PublishedBody::let_flow(double h, std::span<const Vec3> x) {
    for (published::Cell& cell : cells_.cells) {
        const std::optional<Mat3> next =
            published::flow(*flow_, h, published::match(*asset_, cells_, cell, x), cell.plastic);
        // What has lost all shape is not kept: a snapshot could not be read again.
        if (!next || !is_shape(*next)) continue;
        cell.plastic = *next;
        published::update_inverse(*asset_, cells_.mode, cell);
    }
}

void PublishedBody::find_change(std::span<const Vec3> x, std::span<double> change) const {
    std::vector<Vec3> goals(x.size());
    published::goals_of(*asset_, cells_, x, goals);
    for (std::size_t i = 0; i < x.size(); ++i)
        change[i] = alpha(papers_step) * norm(goals[i] - x[i]);
}

void PublishedBody::reset(Quat) {
    for (published::Cell& cell : cells_.cells) {
        cell.plastic = Mat3::identity();
        published::update_inverse(*asset_, cells_.mode, cell);
    }
}

void PublishedBody::write(ByteWriter& out) const {
    std::vector<Mat3> plastic;
    for (const published::Cell& cell : cells_.cells) plastic.push_back(cell.plastic);
    out.put_array(plastic);
}

void PublishedBody::read(ByteReader& in) {
    const auto plastic = in.get_array<Mat3>();
    if (plastic.size() != cells_.cells.size() || !std::ranges::all_of(plastic, is_shape))
        fail(ErrorCode::bad_snapshot, "the shapes that a body's clusters keep are out of range");
    for (std::size_t c = 0; c < plastic.size(); ++c) {
        cells_.cells[c].plastic = plastic[c];
        published::update_inverse(*asset_, cells_.mode, cells_.cells[c]);
    }
}

void PublishedBody::count_bytes(std::set<const void*>& counted, std::size_t& total) const {
    total += sizeof *this + cells_.count.size() * sizeof(int);
    for (const published::Cell& cell : cells_.cells)
        total += sizeof cell + cell.particles.size() * sizeof(std::uint32_t);
    if (counted.insert(smoothing_.get()).second) total += turgor::bytes(*smoothing_);
}

std::vector<std::uint32_t> PublishedBody::region_around(std::uint32_t particle) const {
    for (const published::Cell& cell : cells_.cells)
        if (std::ranges::find(cell.particles, particle) != cell.particles.end())
            return cell.particles;
    return {};
}

}  // namespace turgor
