// Rounding up or down at random. Included once for each instruction set (Highway's
// foreach_target), hence no ordinary include guard.
#if defined(TURGOR_VOLUME_DITHER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TURGOR_VOLUME_DITHER_INL_HPP
#undef TURGOR_VOLUME_DITHER_INL_HPP
#else
#define TURGOR_VOLUME_DITHER_INL_HPP
#endif

#include "base/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {

/// Numbers of −½ … ½ in units of the last digit of x, for `lanes` particles from p on.
HWY_INLINE F dither(F x, std::uint32_t p, std::uint32_t salt) {
    const hn::RebindToUnsigned<Floats> uints;
    auto bits = hn::Iota(uints, p + salt) * hn::Set(uints, 0x9E3779B1u);
    bits = (bits ^ hn::ShiftRight<15>(bits)) * hn::Set(uints, 0x85EBCA77u);
    const F share = all(0x1p-32f) * hn::ConvertTo(Floats(), hn::BitCast(Ints(), bits));
    const F power_of_two =
        hn::BitCast(Floats(), hn::BitCast(uints, x) & hn::Set(uints, 0x7F800000u));
    return share * (all(0x1p-23f) * power_of_two);
}
HWY_INLINE F3 dither(F3 x, std::size_t p, std::uint32_t salt) {
    const auto i = static_cast<std::uint32_t>(p);
    return {dither(x.x, i, salt), dither(x.y, i, salt + 0x10000001u),
            dither(x.z, i, salt + 0x20000002u)};
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
