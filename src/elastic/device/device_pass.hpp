#pragma once

#include "device/device.hpp"
#include "device/shared/device_body.h"
#include "elastic/regions.hpp"

namespace turgor::device {

/// What never changes about bodies and every pass may read, in the device's memory: all assets in
/// one set of arrays, a body's from BodyInput::asset on.
struct AssetArrays {
    Array<Quad> rest;  ///< x⁰; w: 1/|ℜᵢ|, the region around it
    Array<float> mass, per_mass;
    Array<std::uint32_t> ring_starts, ring;
    Array<Pair> strut;
    Array<std::uint32_t> strut_partner;
    // The regions ℜ that volume weights are smoothed over; the model's own, where it has such.
    Array<std::uint32_t> run_starts;
    Array<Run> runs;
};

/// The particles of all bodies, and what their steps need besides.
struct DeviceParticles {
    // Between steps (CpuBody).
    Array<Quad> x, v, elastic_state;
    // In a step (CpuScratch).
    Array<Quad> x_start, predicted_v, normal, direction, support;
    Array<Quad>
        pushed;  ///< where contacts push particles; what constraints found before they began
    Array<float> change, weight;
    Array<FixedQuad> terms;     ///< a prefix array, rows of up to four
    Array<std::uint32_t> head;  ///< the first contact of a particle
    Array<ContactState> contacts;
    Array<std::uint32_t> contact_count;

    void resize(Queue& queue, std::size_t particles, std::size_t rows);
    /// Where triangles stop them, particles have up to three contacts with a collider.
    void expect_triangles(Queue& queue);
    std::size_t bytes() const;
};

/// What all kernels know of bodies.
struct DeviceBodies {
    Array<std::uint32_t> active;
    Array<BlockInput> blocks;
    Array<BodyInput> given;
    Array<BodyState> states;  ///< by slot
    Array<double> sums;       ///< of blocks
};

/// One sub-step: who takes part in it, and how its kernels are called.
struct DevicePass {
    Queue& queue;
    std::uint32_t left;  ///< sub-steps, this one included
    std::size_t body_count, block_count;
    const AssetArrays& a;
    DeviceParticles& p;
    const DeviceBodies& b;
    Stage stage = Stage::integrate;
    std::uint32_t model = 0;  ///< whose bodies DeviceElasticity is to advance

    /// A pass over blocks, or what bodies make of what it found out.
    template <class... Args>
    void blocks(Kernel& kernel, const Args&... args) {
        queue.run(kernel, stage, block_count, queue.device().groups().blocks, b.blocks, b.given,
                  b.states, left, args...);
    }
    /// A pass over the blocks of one model's bodies.
    template <class... Args>
    void blocks_of_model(Kernel& kernel, const Args&... args) {
        blocks(kernel, model, args...);
    }
    template <class... Args>
    void bodies(Kernel& kernel, const Args&... args) {
        queue.run(kernel, stage, body_count, queue.device().groups().bodies, b.active, b.given,
                  b.states, left, args...);
    }
    /// As many work-items for each body as for a block.
    template <class... Args>
    void whole_bodies(Kernel& kernel, const Args&... args) {
        queue.run(kernel, stage, body_count, queue.device().groups().blocks, b.active, b.given,
                  b.states, left, args...);
    }
    const Array<double>& sums() const { return b.sums; }
};

}  // namespace turgor::device
