#include "elastic/surface/device/surface_device.hpp"

#include "base/assert.hpp"
#include "elastic/surface/device/surface_input.h"
#include "elastic/surface/surface_body.hpp"
#include "elastic/surface/surface_model.hpp"

namespace turgor {
namespace device {

void SurfaceDevice::upload(Queue& queue, const ElasticBody& body, std::size_t first,
                           std::size_t end) {
    const auto& surface = static_cast<const SurfaceBody&>(body);
    // Sums run over the regions of AssetArrays.
    TURGOR_ASSERT(surface.cpu_smoothing() == surface.cpu_rest()->regions);
    upload(queue, *surface.cpu_rest(), first, end);
}

void SurfaceDevice::upload(Queue& queue, const RegionCpuRest& rest, std::size_t first,
                           std::size_t end) {
    const auto put = [&](auto& array, const auto& values) {
        array.resize(queue, end);
        array.write(queue, first, std::span(values));
    };
    put(fit_, rest.fit);
    put(centre_, rest.centre);
    put(exact_centre_, rest.exact_centre);
    queue.wait();
}

void SurfaceDevice::resize(Queue& queue, std::size_t, std::size_t rows) {
    transforms_.resize(queue, row_quads * rows);
}

void SurfaceDevice::describe(const ElasticBody& body, double h, std::span<float> given) const {
    const auto& surface = static_cast<const SurfaceBody&>(body);
    const RegionParameters& parameters = surface.parameters();
    given[SURFACE_DAMPING] = static_cast<float>(parameters.damping_at(h));
    given[SURFACE_STIFFNESS] = static_cast<float>(parameters.stiffness_at(h));
    given[SURFACE_WEIGHT_STIFFNESS] = static_cast<float>(parameters.stiffness);
    given[SURFACE_SPIN_LIMIT] = surface.cpu_rest()->spin_limit;
}

void SurfaceDevice::integrate(DevicePass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.stage = Stage::elasticity;
    s.blocks_of_model(damping_terms_, p.x, p.v, fit_, p.terms);
    s.blocks_of_model(damping_fields_, centre_, a.run_starts, a.runs, p.terms, transforms_);
    s.stage = Stage::integrate;
    s.blocks_of_model(damp_and_integrate_, p.x, p.v, p.x_start, p.support, a.rest, a.mass,
                      a.run_starts, a.runs, transforms_, s.sums());
}

void SurfaceDevice::deform(DevicePass& s) {
    const auto& [a, p] = std::tie(s.a, s.p);
    s.stage = Stage::elasticity;
    s.blocks_of_model(matching_terms_, p.x, fit_, p.terms);
    s.blocks_of_model(fit_regions_, centre_, exact_centre_, a.run_starts, a.runs, p.terms,
                      p.elastic_state, transforms_);
    s.blocks_of_model(move_to_goals_, p.x, p.v, p.x_start, p.predicted_v, p.change, a.rest, a.mass,
                      a.run_starts, a.runs, transforms_, s.sums());
}

std::size_t SurfaceDevice::bytes() const {
    return fit_.bytes() + centre_.bytes() + exact_centre_.bytes() + transforms_.bytes();
}

std::vector<const Kernel*> SurfaceDevice::kernels() const {
    return {&damping_terms_,  &damping_fields_, &damp_and_integrate_,
            &matching_terms_, &fit_regions_,    &move_to_goals_};
}

}  // namespace device

std::unique_ptr<device::DeviceElasticity> make_surface_device(device::Queue& queue) {
    return std::make_unique<device::SurfaceDevice>(queue);
}

}  // namespace turgor
