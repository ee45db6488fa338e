#pragma once

#include "contact/collision_surface.hpp"
#include "contact/contact_constraint.hpp"
#include "step/settling.hpp"
#include "step/step_world.hpp"

namespace turgor {

/// One sub-step of one body, stage by stage. The bodies of an island go through the stages
/// together, with the contact solver in between.
class BodyStep {
public:
    BodyStep(StepWorld& world, BodySim& body, const StepContext& context, StepReport& times)
        : world_(world), body_(body), context_(context), times_(times) {}
    virtual ~BodyStep() = default;
    BodyStep(BodyStep&&) = default;
    BodyStep(const BodyStep&) = delete;
    BodyStep& operator=(BodyStep&&) = delete;

    /// All stages, for a body that is in no island.
    void advance();

    virtual void advance_to_colliders() = 0;  ///< stages 1 and 2, and the colliders of stage 3
    /// The stages after them, for a body that is in no island. `lap`: when what came before ended;
    /// returns when these stages did.
    Lap advance_from_colliders(Lap lap);
    /// The surface where the sub-step began, for the narrow phase. Every particle that gets a
    /// constraint is added to the solver, which returns its index among those of its body.
    virtual CollisionSurface collision_surface() = 0;
    virtual std::uint32_t add_to_solver(std::uint32_t particle) = 0;
    virtual std::size_t solver_particle_count() const = 0;
    virtual Vec3 start(
        std::uint32_t solver_index) const = 0;  ///< where a particle was, by its solver index
    virtual void to_solver(SolverBody& solver_body, SolverParticles& particles) = 0;
    virtual void from_solver(const SolverBody& solver_body, const SolverParticles& particles) = 0;
    /// Something else holds a particle (by its solver index) against the volume correction.
    virtual void hold(std::uint32_t solver_index, const Support& support) = 0;
    virtual void restore_volume() = 0;  ///< stage 4
    /// Stage 5, then settling. Between begin and end the solver may read and change velocities.
    virtual void begin_removing_divergence() = 0;
    virtual void end_removing_divergence() = 0;
    /// Angular momentum that a numerical error has added to the body, about to be removed again.
    virtual void return_angular_momentum(Vec3 excess) = 0;
    virtual void begin_settling() = 0;
    virtual void end_settling() = 0;
    virtual void velocities_to_solver(const SolverBody& solver_body,
                                      SolverParticles& particles) const = 0;
    virtual void velocities_from_solver(const SolverBody& solver_body,
                                        const SolverParticles& particles) = 0;
    /// Moves the body as a whole when all is done.
    virtual void shift(Vec3 displacement, Vec3 velocity) = 0;
    virtual Vec3 mean_velocity() const = 0;
    /// Null: particles answer contacts one by one.
    virtual Response* response() { return nullptr; }

    BodySim& body() const { return body_; }
    /// False where the body has left the common stages: it recovers, or its numbers overflowed.
    bool in_stages() const { return state_ == State::in_stages; }
    bool fine() const { return state_ != State::overflowed; }
    const BodySpeed& speed() const { return speed_; }

protected:
    enum class State { in_stages, alone, overflowed };
    StepWorld& world_;
    BodySim& body_;
    const StepContext& context_;
    StepReport& times_;
    State state_ = State::in_stages;
    BodySpeed speed_;
    Lap lap_;  ///< of a body that goes through all stages alone
};

/// In double precision, written for reading.
class ReferenceStep final : public BodyStep {
public:
    ReferenceStep(StepWorld& world, BodySim& body, ReferenceScratch& scratch,
                  const StepContext& context, StepReport& times);
    void advance_to_colliders() override;
    CollisionSurface collision_surface() override;
    std::uint32_t add_to_solver(std::uint32_t particle) override { return particle; }
    std::size_t solver_particle_count() const override { return view_.x.size(); }
    Vec3 start(std::uint32_t solver_index) const override { return view_.x_start[solver_index]; }
    void to_solver(SolverBody& solver_body, SolverParticles& particles) override;
    void from_solver(const SolverBody& solver_body, const SolverParticles& particles) override;
    void hold(std::uint32_t solver_index, const Support& support) override;
    void restore_volume() override;
    void begin_removing_divergence() override {}
    void end_removing_divergence() override;
    void return_angular_momentum(Vec3 excess) override { view_.angular_momentum_error += excess; }
    void begin_settling() override {}
    void end_settling() override;
    void velocities_to_solver(const SolverBody& solver_body,
                              SolverParticles& particles) const override;
    void velocities_from_solver(const SolverBody& solver_body,
                                const SolverParticles& particles) override;
    void shift(Vec3 displacement, Vec3 velocity) override;
    Vec3 mean_velocity() const override;
    Response* response() override { return view_.response; }

private:
    BodyView view_;
};

}  // namespace turgor
