// What stage 2 finds out of the particles that it moves. Included once for each instruction set
// (Highway's foreach_target), hence no ordinary include guard.
#if defined(TURGOR_ELASTIC_GOAL_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_ELASTIC_GOAL_SUMS_INL_HPP
#undef TURGOR_ELASTIC_GOAL_SUMS_INL_HPP
#else
#define TURGOR_ELASTIC_GOAL_SUMS_INL_HPP
#endif

#include <limits>

#include "base/simd-inl.hpp"
#include "body/cpu_particle-inl.hpp"
#include "elastic/cpu_pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

/// The box around points of a block; padding lies at the origin and must not count.
class BoxOfBlock {
public:
    HWY_INLINE BoxOfBlock() {
        const F far = all(std::numeric_limits<float>::infinity());
        low_ = {far, far, far};
        high_ = {hn::Neg(far), hn::Neg(far), hn::Neg(far)};
    }
    HWY_INLINE void add(F3 p, Mask real) {
        const F inf = all(std::numeric_limits<float>::infinity());
        low_ = {hn::Min(low_.x, hn::IfThenElse(real, p.x, inf)),
                hn::Min(low_.y, hn::IfThenElse(real, p.y, inf)),
                hn::Min(low_.z, hn::IfThenElse(real, p.z, inf))};
        high_ = {hn::Max(high_.x, hn::IfThenElse(real, p.x, hn::Neg(inf))),
                 hn::Max(high_.y, hn::IfThenElse(real, p.y, hn::Neg(inf))),
                 hn::Max(high_.z, hn::IfThenElse(real, p.z, hn::Neg(inf)))};
    }
    HWY_INLINE Quad low() const {
        return {smallest(low_.x), smallest(low_.y), smallest(low_.z), 0};
    }
    HWY_INLINE Quad high() const {
        return {largest(high_.x), largest(high_.y), largest(high_.z), 0};
    }

private:
    F3 low_, high_;
};

/// Moves particles towards their goals, v by the same over h, and sums up what that does.
class PullToGoals {
public:
    /// `counts_pins`: angular momentum is counted as if nothing were pinned, since what pins take
    /// is no error of it.
    HWY_INLINE PullToGoals(float stiffness, float h, Quad centre, bool counts_pins = false)
        : stiffness_(all(stiffness)),
          per_h_(all(1 / h)),
          about_(all(centre)),
          counts_pins_(counts_pins) {}
    /// `lanes` particles from p on, which are at x; `pull` is zero in the padding.
    template <class Body>
    HWY_INLINE void move(const Body& body, std::size_t part, std::size_t p, F4 x, F mass, F3 pull) {
        move(body, part, p, load3(&body.x_start[p]), x, mass, pull);
    }
    /// The same where `start`, of x_start, is already at hand.
    template <class Body>
    HWY_INLINE void move(const Body& body, std::size_t part, std::size_t p, F3 start, F4 x, F mass,
                         F3 pull) {
        const Mask is_real = mass > hn::Zero(Floats());
        const F4 v = load4(&body.v[p]);
        const F3 wanted = stiffness_ * pull, moved = free_of_pins(x) * wanted, end = x.xyz + moved;
        store4(end, x.w, &body.x[p]);
        copy4(&body.v[p], &body.predicted_v[p]);
        store4(v.xyz + per_h_ * moved, v.w, &body.v[p]);
        drift_.add(0, part, mass * moved);
        drift_.add(3, part, mass * cross(start - about_, counts_pins_ ? wanted : moved));
        box_.add(end, is_real);
        start_box_.add(start, is_real);
    }
    HWY_INLINE void add_to(GoalSums& out) const {
        double totals[6] = {};
        drift_.add_to(totals);
        out.linear += Vec3{totals[0], totals[1], totals[2]};
        out.angular += Vec3{totals[3], totals[4], totals[5]};
        out.low = box_.low();
        out.high = box_.high();
        out.start_low = start_box_.low();
        out.start_high = start_box_.high();
    }

private:
    /// `lanes` quads as they are.
    static HWY_INLINE void copy4(const Quad* from, Quad* to) {
        for (std::size_t k = 0; k < 4 * lanes; k += lanes) store(load(&from->x + k), &to->x + k);
    }
    F stiffness_, per_h_;
    F3 about_;
    bool counts_pins_;
    GroupSums<6> drift_;
    BoxOfBlock box_, start_box_;
};

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
