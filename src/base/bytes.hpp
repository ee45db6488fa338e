#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "turgor/error.hpp"

namespace turgor {

/// Appends plain values, arrays and strings to a byte array.
class ByteWriter {
public:
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        append(&value, sizeof value);
    }
    template <class T>
    void put_array(std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put<std::uint64_t>(values.size());
        append(values.data(), values.size_bytes());
    }
    template <class T>
    void put_array(const std::vector<T>& values) {
        put_array(std::span<const T>(values));
    }
    void put_string(const std::string& text) { put_array(std::span<const char>(text)); }

    std::vector<std::byte> bytes;

private:
    void append(const void* data, std::size_t size) {
        if (size == 0) return;
        const std::size_t end = bytes.size();
        bytes.resize(end + size);
        std::memcpy(bytes.data() + end, data, size);
    }
};

/// Reads what ByteWriter wrote; throws Error(bad_snapshot) rather than read past the end.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        take(&value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> get_array() {
        const auto count = get<std::uint64_t>();
        if (count > left_.size() / sizeof(T)) throw Error(ErrorCode::bad_snapshot, too_short);
        std::vector<T> values(count);
        take(values.data(), count * sizeof(T));
        return values;
    }
    std::string get_string() {
        const auto text = get_array<char>();
        return {text.begin(), text.end()};
    }
    std::size_t left() const { return left_.size(); }

private:
    static constexpr const char* too_short =
        "the snapshot is shorter than it says: it was cut off or damaged";
    void take(void* to, std::size_t size) {
        if (size > left_.size()) throw Error(ErrorCode::bad_snapshot, too_short);
        if (size > 0) std::memcpy(to, left_.data(), size);
        left_ = left_.subspan(size);
    }
    std::span<const std::byte> left_;
};

}  // namespace turgor
