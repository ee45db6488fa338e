#pragma once

#include <cstdint>
#include <vector>

#include "turgor/collider.hpp"

namespace turgor {

/// Something outside that holds or pulls particles of a body.
struct Handle {
    enum class Kind : std::uint32_t { pin, drag, follow };
    Kind kind = Kind::pin;
    std::uint32_t id = 0;
    std::vector<std::uint32_t> particles;

    // pin: rest offsets from the pivot move with the path
    Vec3 pivot;
    std::vector<Vec3> offsets;
    Path path;
    double start_time = 0;

    // drag: one target, for the centre of the particles; follow: one for each. They move from the
    // previous targets to the new ones in the course of a step.
    std::vector<Vec3> targets, previous_targets;
    double frequency = 0;          ///< drag [Hz]
    std::vector<double> strength;  ///< follow, one for each particle
};

/// The particles of a handle, in its order.
struct HandledParticles {
    std::vector<Vec3> x, v;
    std::vector<double> mass;  ///< [kg]
    void clear() {
        x.clear();
        v.clear();
        mass.clear();
    }
};

/// A particle that is held in its place.
struct Pin {
    std::uint32_t particle = 0;
    Vec3 target;  ///< at the end of the (sub-)step
};

struct BodySim;
struct StepContext;

/// Springs: changes the velocities of the particles of a drag or a follow.
void pull(const Handle& handle, const BodySim& body, const StepContext& context,
          HandledParticles& held);
void find_pins(const BodySim& body, const StepContext& context, std::vector<Pin>& pins);
/// Where the target of a drag or a follow is at the end of a (sub-)step, and how fast it is.
Vec3 target_of(const Handle& handle, std::size_t k, const StepContext& context);
Vec3 target_velocity(const Handle& handle, std::size_t k, const StepContext& context);
/// A strength in 0 … 1 as the angular frequency of a spring: 0.5 follows within about 5 ms.
double spring_rate(double strength);

}  // namespace turgor
