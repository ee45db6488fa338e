#pragma once

#include "step/device/device_collision_trees.hpp"
#include "step/device/step_pass.hpp"

namespace turgor::device {

/// Bodies that may meet others or themselves in a step, and what is known of them.
struct IslandPlan {
    std::vector<CollisionSurfaceInput> surfaces;  ///< by the slot of the body
    std::vector<PairInput> pairs;                 ///< colour after colour, most sub-steps first
    std::vector<PairState> states;
    std::vector<IslandState> islands;
    std::vector<CellRange> ranges;
    std::vector<std::uint32_t> pairs_of, pairs_in;  ///< of bodies, and in islands
    /// Pairs that have no body in common.
    struct Colour {
        std::uint32_t first = 0;
        std::vector<std::uint32_t> with;  ///< so many have at least k sub-steps
    };
    std::vector<Colour> colours;
    std::size_t cells = 0;
    std::size_t particles = 0;  ///< of the bodies

    bool empty() const { return pairs.empty(); }
    bool has_islands() const { return !islands.empty(); }  ///< or bodies only look ahead
    void clear();
};

/// What the surface of one body has in the device's memory besides its leaves.
struct CollisionSurfaceSlot {
    CollisionSurfaceInput given{};
    std::shared_ptr<const CollisionTree> tree;  ///< null: it has never met anybody
    std::size_t groups() const { return given.triangles.leaves / 4 + given.edges.leaves / 4; }
};

/// Stage 3 between bodies: the order of its kernels (IslandStep::advance).
class DeviceIslands {
public:
    explicit DeviceIslands(Queue& queue) : device_(queue.device()) {}

    /// Makes room for a body's surface.
    void arrive(Queue& queue, const BodyAsset& asset,
                const std::shared_ptr<const CollisionTree>& tree, CollisionSurfaceSlot& slot);
    void leave(CollisionSurfaceSlot& slot);

    void write(Queue& queue, const IslandPlan& plan);
    bool any() const { return plan_ && plan_->has_islands(); }

    /// Finds who is near whom, and solves that together with the volumes.
    void solve_contacts(StepPass& pass);
    /// Velocities at constraints, while stage 5 begins.
    void begin_removing_divergence(StepPass& pass);
    /// The same before bodies settle.
    void begin_settling(StepPass& pass);
    /// Calls `settle`, which needs to know where bodies touch.
    void settle(StepPass& pass, Kernel& settle, std::uint32_t touched);
    /// Pairs that overlap too far are separated as wholes.
    void separate(StepPass& pass);
    /// After the last sub-step: bodies find out whether they may touch themselves in the next step.
    void look_ahead(StepPass& pass);

    Array<PairState> states;
    Array<ClusterState> clusters;
    Array<std::uint32_t> counters;  ///< what was found; constraints; and the most of both in a step
    /// How many there is room for.
    std::size_t capacity() const { return nears_.size(); }
    void need_capacity(Queue& queue, std::size_t found);
    std::size_t bytes() const;
    std::vector<const Kernel*> kernels() const;

private:
    template <class... Args>
    void surfaces(StepPass& pass, Kernel& kernel, std::size_t groups, const Array<Quad>& x,
                  const Args&... args);
    template <class... Args>
    void solve(StepPass& pass, Kernel& kernel, const IslandPlan::Colour& colour,
               const Args&... args);
    template <class... Args>
    void solve_all(StepPass& pass, Kernel& kernel, const Args&... args);
    template <class... Args>
    void solver_bodies(StepPass& pass, Kernel& kernel, const Args&... args);
    std::size_t groups_for(const StepPass& pass, std::size_t items) const;

    void refit(StepPass& pass, const Array<Quad>& x);
    void find(StepPass& pass);
    void solve_positions(StepPass& pass);
    void solve_velocities(StepPass& pass, std::uint32_t when);

    const Device& device_;
    const IslandPlan* plan_ = nullptr;
    DeviceCollisionTrees trees_;
    Ranges group_ranges_, cluster_ranges_;

    Array<float> groups_, facings_;  ///< boxes around leaves and nodes, and around their normals
    Array<Quad> cluster_boxes_;
    Array<CollisionSurfaceInput> given_;
    Array<PairInput> pairs_;
    Array<IslandState> islands_;
    Array<CellRange> ranges_;
    Array<std::uint32_t> pairs_of_, pairs_in_;
    Array<uint4> cells_;
    Array<std::array<double, 4>> inside_;
    Array<NearFeature> nears_;
    Array<ConstraintState> constraints_;

    Kernel refit_leaves_{device_, "refit_leaves"};
    Kernel refit_nodes_{device_, "refit_nodes"};
    Kernel compare_boxes_{device_, "compare_boxes"};
    Kernel begin_looking_ahead_{device_, "begin_looking_ahead"};
    Kernel find_near_{device_, "find_near"};
    Kernel classify_pairs_{device_, "classify_pairs"};
    Kernel look_inside_{device_, "look_inside"};
    Kernel gather_constraints_{device_, "gather_constraints"};
    Kernel recover_overlaps_{device_, "recover_overlaps"};
    Kernel begin_solving_{device_, "begin_solving"};
    Kernel measure_solver_bodies_{device_, "measure_solver_bodies"};
    Kernel begin_pressing_{device_, "begin_pressing"};
    Kernel solve_positions_{device_, "solve_positions"};
    Kernel solve_bodies_{device_, "solve_bodies"};
    Kernel change_velocities_by_pushes_{device_, "change_velocities_by_pushes"};
    Kernel add_pressure_torque_{device_, "add_pressure_torque"};
    Kernel save_velocities_{device_, "save_velocities"};
    Kernel solve_velocities_{device_, "solve_velocities"};
    Kernel solve_body_velocities_{device_, "solve_body_velocities"};
    Kernel sum_angular_momentum_errors_{device_, "sum_angular_momentum_errors"};
    Kernel record_body_contacts_{device_, "record_body_contacts"};
    Kernel separate_pairs_{device_, "separate_pairs"};
};

}  // namespace turgor::device
