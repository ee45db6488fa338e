#pragma once

#include <array>

#include "elastic/device/device_pass.hpp"
#include "elastic/device_form.hpp"
#include "elastic/matching/matching_cpu.hpp"

namespace turgor::device {

/// Stage 2 of the surface model on a device: the passes of surface_cpu.hpp over all blocks of all
/// bodies (surface.cl).
class SurfaceDevice final : public DeviceElasticity {
public:
    explicit SurfaceDevice(Queue& queue) : device_(queue.device()) {}

    void upload(Queue& queue, const ElasticBody& body, std::size_t first, std::size_t end) override;
    void upload(Queue& queue, const RegionCpuRest& rest, std::size_t first, std::size_t end);
    void resize(Queue& queue, std::size_t particles, std::size_t rows) override;
    void describe(const ElasticBody& body, double h, std::span<float> given) const override;
    void integrate(DevicePass& pass) override;
    void deform(DevicePass& pass) override;
    std::size_t bytes() const override;
    std::vector<const Kernel*> kernels() const override;

    const Array<FixedQuad>& transforms() const { return transforms_; }

private:
    const Device& device_;
    // RegionCpuRest.
    Array<Quad> fit_, centre_;
    Array<std::array<double, 4>> exact_centre_;
    Array<FixedQuad> transforms_;  ///< scratch: a prefix array

    Kernel damping_terms_{device_, "damping_terms"};
    Kernel damping_fields_{device_, "damping_fields"};
    Kernel damp_and_integrate_{device_, "damp_and_integrate"};
    Kernel matching_terms_{device_, "matching_terms"};
    Kernel fit_regions_{device_, "fit_regions"};
    Kernel move_to_goals_{device_, "move_to_goals"};
};

}  // namespace turgor::device
