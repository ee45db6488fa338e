#pragma once

#include <array>
#include <span>

#include "elastic/meshless/meshless_cpu.hpp"

namespace turgor {

/// Fits of clusters from the sums that the cpu form makes, one by one or several at once in the
/// lanes of registers in double precision. A lane does what a fit does alone, operation by
/// operation: the bits are the same whoever shares the registers.
inline constexpr std::size_t fits_at_once = 8;

/// The rigid velocity of a cluster, which damping leaves alone.
struct FieldFit {
    const CellMotion* sum = nullptr;
    double row_sum = 0;  ///< Σ w as rounded
    double mass = 0;
    CellGoals* field = nullptr;  ///< rows 0 and 1 take a and b of the field, times the mass
    void make_alone() const;
};

/// The goals of a cluster.
struct GoalFit {
    const MeshlessRest* rest = nullptr;
    const MeshlessCpuRest* cpu_rest = nullptr;
    std::size_t cluster = 0;
    const CellSums* sum = nullptr;
    ClusterStates* states = nullptr;  ///< of which its rotation, and its shape where that flows
    CellGoals* goals = nullptr;

    bool is_plastic() const { return !states->shape.empty(); }
    /// With `step` a plastic cluster flows; adds to `flowed` how far.
    void make_alone(const PlasticStep* step, double& flowed) const;
};

/// One to `fits_at_once`; no plastic ones.
void make_fits(std::span<const FieldFit> fits);
void make_fits(std::span<const GoalFit> fits);

/// Collects fits and makes them when there are enough, the last ones at the end of its life.
template <class Fit>
class FitsInLanes {
public:
    FitsInLanes() = default;
    FitsInLanes(const FitsInLanes&) = delete;
    FitsInLanes& operator=(const FitsInLanes&) = delete;
    ~FitsInLanes() { make(); }
    void add(const Fit& fit) {
        fits_[count_++] = fit;
        if (count_ == fits_at_once) make();
    }

private:
    void make() {
        if (count_ > 0) make_fits(std::span<const Fit>(fits_).first(count_));
        count_ = 0;
    }
    std::array<Fit, fits_at_once> fits_;
    std::size_t count_ = 0;
};

}  // namespace turgor
