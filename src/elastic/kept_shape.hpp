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
    /// How far they may be off [m]: while it flows they hold what flowed up to some time ago, and a
    /// little of what was elastic then.
    double tolerance(const BodyAsset& asset) const;
    /// Counts how often the shape was measured or forgotten.
    std::uint64_t changes() const { return changes_; }
    /// False while it flows or heals, and until its shape was measured after that.
    bool at_rest() const { return settled_; }

    /// In a sub-step of `h` the kept strain of some part changed by as much as `flowed`.
    void note_flow(double flowed, double h);
    /// Enough has flowed since it was measured, or nothing any more for a while.
    bool is_out_of_date() const;
    /// What is kept was changed from outside.
    void mark_out_of_date() { settled_ = false, quiet_ = settle_time; }
    /// `goals`: where the particles would be if nothing but what is kept deformed the body, in any
    /// place and orientation; `guess` of the latter.
    void measure(const BodyAsset& asset, std::vector<Vec3> goals, Quat guess);
    void forget();

    void write(ByteWriter& out) const;
    /// An Error(bad_snapshot) where a number is out of its range; nothing has changed then.
    void read(ByteReader& in, const BodyAsset& asset);
    std::size_t bytes() const { return positions_.size() * sizeof(Vec3); }

private:
    static constexpr double settle_time = 1;  ///< until what is elastic has died away [s]
    std::vector<Vec3> positions_;             ///< the centre of mass at the origin
    double unmeasured_ = 0;                   ///< strain that positions_ does not have yet
    double quiet_ = 0;                        ///< how long nothing has flowed to speak of [s]
    bool settled_ = true;                     ///< measured after that
    std::uint64_t changes_ = 0;
};

}  // namespace turgor
