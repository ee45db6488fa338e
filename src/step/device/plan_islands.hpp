#pragma once

#include <functional>

#include "step/device/device_islands.hpp"
#include "step/step_world.hpp"

namespace turgor::device {

/// What the device is told about islands, and where it says what became of their pairs.
class IslandPlanner {
public:
    /// `surface_of`: what is known of a body that has arrived.
    IslandPlanner(const StepWorld& world, double dt, std::size_t slots,
                  std::function<const CollisionSurfaceInput&(const BodySim&)> surface_of,
                  IslandPlan& plan);
    void add(const Island& island);
    /// A body that meets nobody, but may have to know whether it will touch itself.
    void add_looking(BodySim& body);
    /// After the last island.
    void finish();

private:
    void add_pair(const Island& island, const Island::Pair& pair, std::uint32_t colour);
    void add_self(BodySim& body, std::uint32_t island, int sub_steps);
    PairInput describe(const BodySim& a, const BodySim& b, std::uint32_t island,
                       int sub_steps) const;
    void add_cells(std::uint32_t pair);
    void list_colours(std::span<const std::uint32_t> order);

    struct Made {
        PairInput given{};
        PairState state{};
        std::uint32_t colour = 0;
    };
    const StepWorld& world_;
    double dt_;
    std::function<const CollisionSurfaceInput&(const BodySim&)> surface_of_;
    IslandPlan& plan_;
    std::vector<Made> made_;                           ///< in the order of the islands
    std::vector<std::vector<std::uint32_t>> of_body_;  ///< by slot: its pairs among those
    double bounce_ = 0;                                ///< of the island's bodies [m/s]
};

/// What bodies of an island know of each other after the step. `states`: of its pairs, in the order
/// of the island's own.
void take_over_pairs(const Island& island, std::span<const PairState> states);

}  // namespace turgor::device
