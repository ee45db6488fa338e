#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body/asset.hpp"
#include "turgor/math.hpp"

namespace turgor {

class ByteReader;
class ByteWriter;

/// The rest shape of a body that keeps dents. Its model tells how far it flows; what it would come
/// back to is measured anew now and then, not in every step.
class KeptShape {
public:
    /// Empty: the body comes back to the shape that it was made with.
    std::span<const Vec3> positions() const { return positions_; }
    /// How far they may be off [m]: they hold what flowed up to some time ago, and a little of what
    /// was elastic then.
    double tolerance(const BodyAsset& asset) const;
    /// Counts how often the shape was measured or forgotten.
    std::uint64_t changes() const { return changes_; }
    /// False while it flows or heals.
    bool at_rest() const;

    /// In a sub-step of `h` the kept strain of some part changed by as much as `flowed`.
    void note_flow(double flowed, double h);
    /// Enough has flowed since it was measured.
    bool is_out_of_date() const;
    /// `goals`: where the particles would be if nothing but what is kept deformed the body, in any
    /// place and orientation; `guess` of the latter.
    void measure(const BodyAsset& asset, std::vector<Vec3> goals, Quat guess);
    void forget();

    void write(ByteWriter& out) const;
    /// An Error(bad_snapshot) where a number is out of its range; nothing has changed then.
    void read(ByteReader& in, const BodyAsset& asset);
    std::size_t bytes() const { return positions_.size() * sizeof(Vec3); }

private:
    std::vector<Vec3> positions_;  ///< the centre of mass at the origin
    double flow_rate_ = 0;         ///< how fast kept strain changed in the last sub-step [1/s]
    double unmeasured_ = 0;        ///< strain that positions_ does not have yet
    std::uint64_t changes_ = 0;
};

}  // namespace turgor
