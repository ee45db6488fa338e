#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace turgor {

/// FNV-1a over bytes, 64 bits. For telling states apart, not for security.
class Hash {
public:
    void add_bytes(const void* data, std::size_t size) {
        const auto* bytes = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3ull;
    }
    template <class T>
    void add(const T& value) {
        add_bytes(&value, sizeof value);
    }
    template <class T>
    void add_array(std::span<const T> values) {
        add_bytes(values.data(), values.size_bytes());
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325ull;
};

inline std::uint64_t hash_of(std::span<const std::byte> bytes) {
    Hash hash;
    hash.add_array(bytes);
    return hash.value();
}

}  // namespace turgor
