#pragma once

#include "base/for_each.hpp"
#include "step/body_step.hpp"

namespace turgor {

/// One (sub-)step of one body on the cpu back end: the stages of reference_stages.cpp in single
/// precision, block by block, on one thread or on all of them. What concerns few particles,
/// contacts and handles, is reckoned in double precision with the reference's own functions, and so
/// is a body that has lost its shape.
class CpuStep final : public BodyStep {
public:
    /// The body is loaded and the scratch fits it. Without `blocks` all blocks are worked off by
    /// the calling thread.
    CpuStep(StepWorld& world, BodySim& body, CpuScratch& scratch, Scheduler* blocks,
            const StepContext& context, StepReport& times);
    ~CpuStep() override;

    static bool supports(const Formulation& formulation);

    static constexpr std::size_t most_in_batch = 8;
    /// Stages 1 and 2 and the colliders of several bodies of one model, stage by stage, with the
    /// same bits as one body after the other. None of them recovers.
    static void advance_to_colliders(std::span<CpuStep* const> batch, Lap& lap);

    void advance_to_colliders() override;
    CollisionSurface collision_surface() override;
    std::uint32_t add_to_solver(std::uint32_t particle) override { return touch(particle); }
    std::size_t solver_particle_count() const override { return scratch_.touched.size(); }
    Vec3 start(std::uint32_t solver_index) const override {
        return start_x(scratch_.touched.particle[solver_index]);
    }
    void to_solver(SolverBody& solver_body, SolverParticles& particles) override;
    void from_solver(const SolverBody& solver_body, const SolverParticles& particles) override;
    void hold(std::uint32_t solver_index, const Support& support) override;
    void restore_volume() override;
    void begin_removing_divergence() override;
    void end_removing_divergence() override;
    void return_angular_momentum(Vec3 excess) override { angular_momentum_error_ += excess; }
    void begin_settling() override;
    void end_settling() override;
    void velocities_to_solver(const SolverBody& solver_body,
                              SolverParticles& particles) const override;
    void velocities_from_solver(const SolverBody& solver_body,
                                const SolverParticles& particles) override;
    void shift(Vec3 displacement, Vec3 velocity) override;
    Vec3 mean_velocity() const override { return now_.drift + now_.mean_v; }

private:
    void advance_in_double();
    void finish_in_double();
    void come_back(bool fine);
    void stop();

    void begin();
    void integrate();
    void follow_handles();
    bool take_goal(const GoalSums& found);
    void collide();
    bool correct_positions();  ///< false where the body has lost its shape

    void make_up_for_rounding();
    bool is_near(const MovingCollider& collider, const GoalSums& box, double more = 0) const;
    bool is_near_any_collider(double more) const;
    void find_contacts();
    void find_more_contacts();
    std::uint32_t touch(std::uint32_t particle);
    void take_touched(std::size_t from);
    double per_mass_behind(std::uint32_t particle) const;
    void put_touched_positions();
    void mark_supports();
    ShapeSums measure_shape();
    double correct_volume(double off, const WeightSums& weights);
    bool push_corrected_out();
    double mass_moved_with(std::uint32_t corner) const;
    double solve_direction(const WeightSums& weights, double off);
    double correct_in_double();
    void stop_closing_touched(MotionSums* free, double* divergence);
    Vec3 touched_velocity(std::size_t k) const;
    void change_by(const VelocityChange& next);

    template <class Work>
    void each_block(Work&& work) {
        for_each(blocks_, asset_.blocks, work);
    }
    /// What every block finds out, put together in the order of the blocks.
    template <class T, class Work>
    T collect(T BlockSums::*member, Work&& work) {
        each_block([&](std::uint32_t block) {
            T& found = scratch_.blocks[block].*member;
            found = {};
            work(block, found);
        });
        T total = scratch_.blocks[0].*member;
        for (std::uint32_t block = 1; block < asset_.blocks; ++block)
            total.add(scratch_.blocks[block].*member);
        return total;
    }

    Vec3 predicted_v(std::size_t i) const { return now_.drift + scratch_.predicted_v[i].xyz(); }
    Vec3 start_x(std::size_t i) const { return origin_start_ + scratch_.x_start[i].xyz(); }

    CpuBody& now_;
    CpuScratch& scratch_;
    Scheduler* blocks_;
    const CpuAsset& asset_;
    CpuElasticity& elastic_;
    CpuPass pass_;
    VolumeCpuView volume_;

    float h_;
    Vec3 origin_start_;             ///< of x_start
    std::size_t pinned_ = 0;        ///< the first of the touched particles are pinned
    bool has_constraints_ = false;  ///< other bodies
    float reach_ = 0;               ///< largest component of the predicted positions
    GoalSums goal_;
    double off_ = 0;               ///< volume that is missing [m³]
    WeightSums weights_;           ///< of the correction, as particles are held now
    MovedSums moved_;              ///< after the last move of stage 4
    double pending_ = 0;           ///< the last, small move of stage 4 that stage 5 makes
    double largest_ = 0;           ///< of |D|
    double divergence_ = 0;        ///< Σ v·n̄
    Vec3 angular_momentum_error_;  ///< angular momentum of constraints, to be returned
    LastMove last_;
    MotionSums free_, held_;   ///< of particles that are not pinned, and that are
    SymmetricSolver inertia_;  ///< of all
    VelocityChange change_;    ///< of the free ones, yet to be made
};

}  // namespace turgor
