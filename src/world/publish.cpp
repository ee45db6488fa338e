#include <algorithm>

#include "base/for_each.hpp"
#include "body/detail.hpp"
#include "mesh/normals.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

using Display = StateCopies::Display;

/// Straight from the cpu back end's arrays, block by block.
void publish_single_precision(BodyRecord& body, CpuScratch& scratch, Scheduler& scheduler) {
    const CpuAsset& asset = *body.parts.cpu_asset;
    scratch.fit(asset, 0);
    const VolumeCpuView view =
        volume_view(asset, body.parts.cpu_volume, Summation::fast, body.cpu, scratch);
    for_each(&scheduler, asset.blocks, [&](std::uint32_t block) {
        const BlockRange range(asset, block);
        find_normals(view, block);
        for (std::uint32_t i = range.begin;
             i < std::min<std::size_t>(range.end, body.asset().surface_count); ++i) {
            const std::uint32_t vertex = body.asset().vertex_of_particle[i];
            const Quad& n = view.normal[i];
            const float scale = length_of(n) > 0 ? 1 / length_of(n) : 0;
            body.display.positions[vertex] = to_float(body.cpu.world_x(i));
            body.display.normals[vertex] = {scale * n.x, scale * n.y, scale * n.z};
        }
    });
}

}  // namespace

bool WorldImpl::is_displayed_by_device(const BodyRecord& body) const {
    return device && body.copies.cpu_is_current() && device->holds(body);
}

void WorldImpl::begin_reading() {
    const auto is_wanted = [&](const auto& body) {
        return body->copies.display == Display::old && is_displayed_by_device(*body);
    };
    if (std::ranges::none_of(bodies, is_wanted)) return;
    to_read.clear();
    for (auto& body : bodies) {
        // What is on its way gives way, and comes with the rest.
        if (body->copies.display == Display::on_its_way) body->copies.display = Display::old;
        if (is_wanted(body)) to_read.push_back(body.get());
    }
    device->begin_reading(to_read);
    for (BodySim* body : to_read) body->copies.display = Display::on_its_way;
}

const DisplayGeometry& WorldImpl::display_of(BodyRecord& body) {
    Display& display = body.copies.display;
    if (display == Display::current) return body.display;
    const Timer timer(report, Stage::publish);
    if (display == Display::old && is_displayed_by_device(body)) begin_reading();
    if (display == Display::old)
        publish_on_host(body);
    else
        device->finish_reading(body, body.display);
    display = Display::current;
    return body.display;
}

void WorldImpl::publish_on_host(BodyRecord& body) {
    if (cpu_is_current(body) && body.asset().shows_surface()) {
        particles_of(body);
        body.display.positions.resize(body.asset().surface_count);
        body.display.normals.resize(body.asset().surface_count);
        publish_single_precision(body, *cpu_scratch.front(), *scheduler);
    } else {
        show(body.asset(), view(body).x, body.display);
    }
}

void show(const BodyAsset& asset, std::span<const Vec3> x, DisplayGeometry& out) {
    std::vector<Vec3> normals(x.size());
    unit_normals(x, asset.triangles, normals);
    out.positions.resize(asset.surface_count);
    out.normals.resize(asset.surface_count);
    for (std::size_t i = 0; i < asset.surface_count; ++i) {
        out.positions[asset.vertex_of_particle[i]] = to_float(x[i]);
        out.normals[asset.vertex_of_particle[i]] = to_float(normals[i]);
    }
    if (asset.shows_surface()) return;
    std::vector<Vec3> points;
    if (const DetailDisplay* const detail = asset.detail()) {
        points.resize(detail->bindings.size());
        place_detail(detail->bindings, x, normals, asset.triangles, points);
    } else {
        for (const CellBinding& b : asset.embedded()->bindings)
            points.push_back(place_in_cell(b, x));
    }
    std::vector<Vec3> point_normals(points.size());
    unit_normals(points, asset.display_triangles(), point_normals);
    out.display_positions.resize(points.size());
    out.display_normals.resize(points.size());
    std::ranges::transform(points, out.display_positions.begin(), to_float);
    std::ranges::transform(point_normals, out.display_normals.begin(), to_float);
}

}  // namespace turgor
