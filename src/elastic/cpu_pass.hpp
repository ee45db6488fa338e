#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/for_each.hpp"
#include "base/quad.hpp"
#include "body/cpu_asset.hpp"

namespace turgor {

/// How the frame of a body's coordinates changes where a step begins.
struct FrameChange {
    Quad shift, velocity;  ///< taken off all positions and velocities
};

/// What the prediction of a block's particles found out.
struct IntegrateSums {
    float reach = 0;  ///< largest component of |x|
    Vec3 linear;      ///< Σ m v
    /// What damping has changed, nothing but rounding: Σ m Δv and Σ m x × Δv. Zero of models that
    /// do not reckon it.
    Vec3 damped, damped_angular;
    void add(const IntegrateSums& other);
};

/// What the particles of a block did on their way to their goals.
struct GoalSums {
    Vec3 linear;     ///< Σ m Δx, nothing but rounding where nothing is pinned
    Vec3 angular;    ///< Σ m (xₙ − centre) × Δx; of lattices as if nothing were pinned
    Quad low, high;  ///< the box around all x; w means nothing
    Quad start_low, start_high;  ///< the box around all xₙ
    void add(const GoalSums& other);
    void add_point(const Quad& x, const Quad& start);
};

/// What each block of a body found out in stage 2.
struct alignas(64) ElasticBlockSums {
    IntegrateSums integrate;
    GoalSums goal;
};

/// A body in a sub-step of the cpu back end: single precision, in the frame of its own. Spans live
/// as long as the sub-step. What w says beside each vector is in body/cpu_particle.hpp.
struct CpuPass {
    const CpuAsset& asset;
    Scheduler* threads = nullptr;  ///< shares blocks out; null: one after the other
    float h = 0;                   ///< [s]
    double step = 0;               ///< the same in double precision [s]
    std::span<Quad> x;             ///< positions
    std::span<Quad> v;             ///< velocities
    std::span<Quad> x_start;       ///< where the sub-step began
    std::span<Quad> predicted_v;   ///< v before stage 2 moved anything
    std::span<float> change;       ///< |cᵢ|: how far elasticity would move a particle [m]
    std::span<std::byte> memory;   ///< scratch of the size that the model asked for, aligned
    std::span<ElasticBlockSums> blocks{};
    float reach = 0, speed = 0;  ///< no component of x and of v is larger
    bool may_flow = true;        ///< ReferencePass::may_flow

    template <class Work>
    void each_block(Work&& work) const {
        for_each(threads, asset.blocks, work);
    }
    /// What every block finds out, put together in the order of the blocks.
    template <class T, class Work>
    T collect(T ElasticBlockSums::*member, Work&& work) const {
        each_block([&](std::uint32_t block) {
            T& found = blocks[block].*member;
            found = {};
            work(block, found);
        });
        T total = blocks[0].*member;
        for (std::uint32_t block = 1; block < asset.blocks; ++block)
            total.add(blocks[block].*member);
        return total;
    }
};

class CpuElasticity;

/// A body on its way through stage 2 beside others of its model.
struct CpuBatchMember {
    CpuElasticity* body = nullptr;
    const CpuPass* pass = nullptr;
    Quad centre;      ///< that its angular momentum is counted about
    GoalSums goal{};  ///< takes what deform finds
};

/// The form of stage 2 that the cpu back end runs, of models that have one.
class CpuElasticity {
public:
    virtual ~CpuElasticity() = default;
    /// Scratch that a sub-step needs [bytes].
    virtual std::size_t memory() const = 0;
    /// Damps velocities, or works out how `integrate` is to do it.
    virtual void damp(const CpuPass& pass) = 0;
    /// Changes the frame and predicts: v −= frame velocity, x_start = x − shift, x = x_start + h v.
    /// What was pressed goes from v to x_start; v begins with none. A model may fuse damping with
    /// it.
    virtual IntegrateSums integrate(const CpuPass& pass, const FrameChange& frame);
    /// Moves x towards the goals and v by the same over h; pinned particles stay. Fills
    /// `predicted_v` and `change`. Angular momentum is counted about `centre`.
    virtual GoalSums deform(const CpuPass& pass, Quad centre) = 0;
    /// Whether damping keeps the momenta but for what single precision makes of sums: `integrate`
    /// reckons what it changed, and coefficients are rounded before they are used. It costs
    /// nothing, but gives other bits.
    virtual bool counts_rounding() const { return false; }
    /// Whether small bodies of this model are better advanced several at a time, each with the
    /// same bits as alone.
    virtual bool gains_from_batches() const { return false; }
    /// The same for bodies of one model, of which this is the first.
    virtual void damp_batch(std::span<const CpuBatchMember> batch);
    virtual void deform_batch(std::span<CpuBatchMember> batch);
    /// What never changes, the same object for bodies that share it.
    virtual std::shared_ptr<const void> rest() const = 0;
    /// What a body keeps between steps for each particle, padding included. A device keeps the
    /// same in its own memory.
    virtual std::span<Quad> state() = 0;
};

}  // namespace turgor
