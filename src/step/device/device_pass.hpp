#pragma once

#include "device/shared/device_body.h"
#include "step/device/device_assets.hpp"

namespace turgor::device {

/// The particles of all bodies, and what their steps need besides.
struct DeviceParticles {
    // Between steps (CpuBody).
    Array<Quad> x, v, rotation;
    // In a step (CpuScratch).
    Array<Quad> x_start, predicted_v, normal, direction, support;
    Array<Quad>
        pushed;  ///< where contacts push particles; what constraints found before they began
    Array<float> change, weight;
    Array<FixedQuad> terms, transforms;  ///< prefix arrays, rows of up to four
    Array<std::uint32_t> head;           ///< the first contact of a particle
    Array<ContactState> contacts;
    Array<std::uint32_t> contact_count;

    void resize(Queue& queue, std::size_t particles, std::size_t rows);
    /// Where triangles stop them, particles have up to three contacts with a collider.
    void expect_triangles(Queue& queue);
    std::size_t bytes() const;
};

/// Which bodies take part, in the order of their sub-steps, most first; and what they are told.
struct DevicePlan {
    std::vector<std::uint32_t> active;  ///< slots of bodies
    std::vector<BlockInput> blocks;
    std::vector<BodyInput> given;  ///< by slot
    std::vector<ObstacleInput> obstacles;
    std::vector<ColliderInput> colliders;
    std::vector<HandleInput> handles;
    bool triangles = false;                             ///< some of the obstacles are of triangles
    std::vector<std::size_t> bodies_with, blocks_with;  ///< so many have at least k sub-steps

    void clear();
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
struct Pass {
    Queue& queue;
    const DevicePlan& plan;
    std::uint32_t left;
    const DeviceAssets& a;
    DeviceParticles& p;
    const DeviceBodies& b;
    Stage stage = Stage::integrate;

    bool contacts() const { return !plan.obstacles.empty(); }
    std::uint32_t with_contacts() const { return contacts() ? 1 : 0; }
    bool handles() const { return !plan.handles.empty(); }

    /// A pass over blocks, or what bodies make of what it found out.
    template <class... Args>
    void blocks(Kernel& kernel, const Args&... args) {
        queue.run(kernel, stage, plan.blocks_with[left], queue.device().groups().blocks, b.blocks,
                  b.given, b.states, left, args...);
    }
    template <class... Args>
    void bodies(Kernel& kernel, const Args&... args) {
        queue.run(kernel, stage, plan.bodies_with[left], queue.device().groups().bodies, b.active,
                  b.given, b.states, left, args...);
    }
    /// As many work-items for each body as for a block.
    template <class... Args>
    void whole_bodies(Kernel& kernel, const Args&... args) {
        queue.run(kernel, stage, plan.bodies_with[left], queue.device().groups().blocks, b.active,
                  b.given, b.states, left, args...);
    }
    const Array<double>& sums() const { return b.sums; }
};

}  // namespace turgor::device
