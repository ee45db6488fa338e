#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace turgor {

class ElasticBody;

namespace device {

class Queue;
struct DevicePass;
struct Kernel;

/// The form of stage 2 on a device, of models that have one: all bodies of a model in a world at
/// once. Its kernels, their rest data and their scratch are its own; what a body keeps between
/// steps is CpuElasticity::state, in DeviceParticles::elastic_state. Needs no OpenCL to be read.
class DeviceElasticity {
public:
    virtual ~DeviceElasticity() = default;
    /// Rest data of a body, and of all that share CpuElasticity::rest with it: its first particle
    /// has place `first` in arrays of `end` places.
    virtual void upload(Queue& queue, const ElasticBody& body, std::size_t first,
                        std::size_t end) = 0;
    /// Scratch for so many particles and rows of prefix sums, of all bodies.
    virtual void resize(Queue& queue, std::size_t particles, std::size_t rows) = 0;
    /// What its kernels are told about a body in a sub-step of `h`: BodyInput::elastic.
    virtual void describe(const ElasticBody& body, double h, std::span<float> given) const = 0;

    // Passes over the blocks of its bodies, whose BodyInput::model is DevicePass::model.
    /// Damps, changes the frame and predicts, as CpuElasticity::integrate. Each block stores the
    /// sum Σ m v and the largest component of |x|.
    virtual void integrate(DevicePass& pass) = 0;
    /// Moves x towards the goals, as CpuElasticity::deform. Each block stores the sums Σ m Δx and
    /// Σ m (xₙ − centre) × Δx, then the boxes around x and around xₙ (GOAL_… of regions.cl).
    virtual void deform(DevicePass& pass) = 0;

    virtual std::size_t bytes() const = 0;  ///< of the device's memory
    virtual std::vector<const Kernel*> kernels() const = 0;
};

}  // namespace device
}  // namespace turgor
