// How particles are predicted. Included once for each instruction set (Highway's foreach_target),
// hence no ordinary include guard.
#if defined(TURGOR_ELASTIC_PREDICTION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_ELASTIC_PREDICTION_INL_HPP
#undef TURGOR_ELASTIC_PREDICTION_INL_HPP
#else
#define TURGOR_ELASTIC_PREDICTION_INL_HPP
#endif

#include "base/simd-inl.hpp"
#include "body/cpu_particle-inl.hpp"
#include "elastic/cpu_pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

/// Changes the frame of particles, moves them on by h v, and sums up what that does. What was
/// pressed goes from v to x_start; v begins with none.
class Prediction {
public:
    HWY_INLINE Prediction(float h, const FrameChange& frame)
        : h_(all(h)), shift_(all(frame.shift)), frame_velocity_(all(frame.velocity)) {}
    /// `lanes` particles from p on, which are at x with v, of which `velocity` is what is left.
    template <class Body>
    HWY_INLINE void move(const Body& body, std::size_t part, std::size_t p, F4 x, F4 v,
                         F3 velocity) {
        const F mass = load(&body.asset.mass[p]);
        // Padding must stay where it is.
        const Mask is_real = mass > hn::Zero(Floats());
        velocity = only(is_real, velocity - frame_velocity_);
        const F3 start = only(is_real, x.xyz - shift_);
        const F3 moved = start + h_ * velocity;
        store4(start, pressed_of(v), &body.x_start[p]);
        store4(velocity, hn::Zero(Floats()), &body.v[p]);
        store4(moved, x.w, &body.x[p]);
        linear_.add(0, part, mass * velocity);
        reach_ =
            hn::Max(reach_, hn::Max(hn::Abs(moved.x), hn::Max(hn::Abs(moved.y), hn::Abs(moved.z))));
    }
    HWY_INLINE void add_to(IntegrateSums& out) {
        double totals[3] = {};
        linear_.add_to(totals);
        out.linear += Vec3{totals[0], totals[1], totals[2]};
        out.reach = std::max(out.reach, largest(reach_));
    }

private:
    F h_;
    F3 shift_, frame_velocity_;
    F reach_ = hn::Zero(Floats());
    GroupSums<3> linear_;
};

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
