#pragma once

#include <cstdint>
#include <vector>

namespace turgor {

struct BodySim;
struct RigidSim;

/// Bodies that may meet in this step, and which of them.
struct Island {
    struct Pair {
        std::uint32_t first = 0, second = 0;  ///< indices into `bodies`, then into `rigids`
        double speed = 0;                     ///< at most, of any two particles [m/s]
    };
    std::vector<BodySim*> bodies;
    std::vector<RigidSim*> rigids;
    std::vector<Pair> pairs;
    int sub_steps = 1;
    bool on_device = false;  ///< all of it
};

/// Within which bodies count as near each other [m].
double broad_phase_margin(const BodySim& body);

}  // namespace turgor
