#pragma once

#include "world/world_impl.hpp"

namespace turgor {

/// One (sub-)step of one body on the cpu back end: the stages of step.cpp in single precision,
/// block by block, on one thread or on all of them. What concerns few particles, contacts and
/// handles, is reckoned in double precision with the reference's own functions, and so is a body
/// that has lost its shape.
class CpuStep {
public:
    /// The body is loaded and the scratch fits it. Without `blocks` all blocks are worked off by
    /// the calling thread.
    CpuStep(WorldImpl& world, BodyRecord& body, CpuScratch& scratch, Scheduler* blocks,
            const StepContext& context, StepReport& times);
    /// False where the body's numbers were no longer finite; it is stopped where it was.
    bool advance();
    double rms_speed() const { return rms_speed_; }  ///< [m/s]

    static bool supports(const Formulation& formulation);

private:
    class CleanUp;
    bool advance_in_float();
    bool advance_in_double();
    bool finish_in_double();
    bool come_back(BodyView& view, bool fine);
    void stop();

    void damp_and_predict();
    void follow_handles();
    bool deform();
    void collide();
    bool keep_volume();  ///< false where the body has lost its shape
    void keep_divergence();
    void settle();

    void make_up_for_rounding();
    bool is_near(const MovingCollider& collider, const GoalSums& box, double more = 0) const;
    bool is_near_any_collider(double more) const;
    void find_contacts();
    void find_more_contacts();
    std::uint32_t touch(std::uint32_t particle);
    void take_touched(std::size_t from);
    void put_touched_positions();
    void mark_supports();
    double correct_volume(double off, const WeightSums& weights);
    double solve_direction(const WeightSums& weights, double off);
    double correct_in_double();
    void stop_closing_touched(MotionSums* free, double* divergence);

    template <class Work>
    void each_block(Work&& work);
    template <class T, class Work>
    T collect(T BlockSums::*member, Work&& work);

    Vec3 predicted_v(std::size_t i) const { return state_.drift + scratch_.predicted[i].xyz(); }
    Vec3 start_x(std::size_t i) const { return origin_start_ + scratch_.x_start[i].xyz(); }

    WorldImpl& world_;
    BodyRecord& body_;
    CpuBody& state_;
    CpuScratch& scratch_;
    Scheduler* blocks_;
    const StepContext& context_;
    StepReport& times_;
    const FastAsset& asset_;
    SurfaceCpuView surface_;
    VolumeCpuView volume_;

    float h_;
    Vec3 origin_start_;       ///< of x_start
    std::size_t pinned_ = 0;  ///< the first of the touched particles are pinned
    float reach_ = 0;         ///< largest component of the predicted positions
    GoalSums goal_;
    MovedSums moved_;     ///< after the last move of stage 4
    double pending_ = 0;  ///< the last, small move of stage 4 that stage 5 makes
    double largest_ = 0;  ///< of |D|
    LastMove last_;
    double rms_speed_ = 0;
};

}  // namespace turgor
