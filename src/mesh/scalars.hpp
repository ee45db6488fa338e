#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace turgor {

/// The number types that binary mesh files store.
enum class Scalar { i8, u8, i16, u16, i32, u32, f32, f64 };

inline std::size_t size_of(Scalar type) {
    switch (type) {
        case Scalar::i8:
        case Scalar::u8:
            return 1;
        case Scalar::i16:
        case Scalar::u16:
            return 2;
        case Scalar::f64:
            return 8;
        default:
            return 4;
    }
}
inline bool is_integer(Scalar type) {
    return type != Scalar::f32 && type != Scalar::f64;
}

/// A value of type T at `bytes`, which need not be aligned.
template <class T>
T load(const char* bytes, std::endian order = std::endian::little) {
    char raw[sizeof(T)];
    if (order == std::endian::native)
        std::memcpy(raw, bytes, sizeof(T));
    else
        for (std::size_t i = 0; i < sizeof(T); ++i) raw[i] = bytes[sizeof(T) - 1 - i];
    return std::bit_cast<T>(raw);
}

inline double load_number(const char* bytes, Scalar type, std::endian order = std::endian::little) {
    switch (type) {
        case Scalar::i8:
            return load<std::int8_t>(bytes, order);
        case Scalar::u8:
            return load<std::uint8_t>(bytes, order);
        case Scalar::i16:
            return load<std::int16_t>(bytes, order);
        case Scalar::u16:
            return load<std::uint16_t>(bytes, order);
        case Scalar::i32:
            return load<std::int32_t>(bytes, order);
        case Scalar::u32:
            return load<std::uint32_t>(bytes, order);
        case Scalar::f32:
            return load<float>(bytes, order);
        default:
            return load<double>(bytes, order);
    }
}

/// All integer types fit in a double exactly.
inline std::int64_t load_integer(const char* bytes, Scalar type,
                                 std::endian order = std::endian::little) {
    return static_cast<std::int64_t>(load_number(bytes, type, order));
}

}  // namespace turgor
