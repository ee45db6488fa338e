// The names of cpu_particle.hpp for `lanes` particles at once. Included once for each instruction
// set (Highway's foreach_target), hence no ordinary include guard.
#if defined(TURGOR_BODY_CPU_PARTICLE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_BODY_CPU_PARTICLE_INL_HPP
#undef TURGOR_BODY_CPU_PARTICLE_INL_HPP
#else
#define TURGOR_BODY_CPU_PARTICLE_INL_HPP
#endif

#include "base/simd-inl.hpp"
#include "body/cpu_particle.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

HWY_INLINE Mask is_pinned(F4 x) {
    return x.w == hn::Zero(Floats());
}
/// What pins leave free: 0 where pinned, else 1.
HWY_INLINE F free_of_pins(F4 x) {
    return x.w;
}
/// Of elements of v or of x_start [m].
HWY_INLINE F pressed_of(F4 q) {
    return q.w;
}
HWY_INLINE F length_of(F4 normal) {
    return normal.w;
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
