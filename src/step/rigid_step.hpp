#pragma once

#include "contact/contact_constraint.hpp"
#include "step/step_world.hpp"

namespace turgor {

/// One (sub-)step of one rigid body, in the stages of an island.
class RigidStep {
public:
    RigidStep(RigidSim& rigid, const StepContext& context);

    /// Moves it freely: gravity, forces, and the angular momentum that it keeps. Finds the
    /// colliders in reach.
    void move_freely();
    PosedGeometry posed_geometry() const { return {rigid_->geometry.get(), start_}; }
    Vec3 arm(Vec3 point) const { return point - start_.position; }
    /// As number `number` of the rigid bodies.
    void to_solver(const SolverBody& solver_body, SolverParticles& particles,
                   std::uint32_t number) const;
    void from_solver(const SolverBody& solver_body, const SolverParticles& particles);
    void velocities_to_solver(const SolverBody& solver_body, SolverParticles& particles) const;
    void velocities_from_solver(const SolverBody& solver_body, const SolverParticles& particles);
    void return_angular_momentum(Vec3 excess) { spin_ -= per_inertia_ * excess; }

    /// What it rests on, for coming to rest.
    struct Support {
        Vec3 velocity;     ///< Σ over the points where it touches
        Vec3 soft_points;  ///< Σ of those where it touches soft bodies
        double count = 0, soft = 0;
        bool moving = false;  ///< a moving collider
    } support;
    void end_settling(bool grounded);
    /// Moves it as a whole when all is done.
    void shift(Vec3 displacement, Vec3 velocity);
    Vec3 velocity() const { return velocity_; }

    RigidSim& record() const { return *rigid_; }
    bool fine() const { return fine_; }

private:
    void come_to_rest();
    void stop();

    RigidSim* rigid_;
    const StepContext* context_;
    Pose start_;
    Mat3 inertia_, per_inertia_;  ///< where the step began
    Vec3 position_, rotation_;    ///< now; turned since the start [rad]
    Vec3 predicted_position_, predicted_rotation_;
    Vec3 velocity_;
    Vec3 spin_;  ///< angular velocity that has its angular momentum with the inertia of the start
    bool fine_ = true;
};

/// q turned further by a vector [rad]: the same bits everywhere, whatever the mathematics library.
Quat rotated_by(Quat q, Vec3 rotation);

}  // namespace turgor
