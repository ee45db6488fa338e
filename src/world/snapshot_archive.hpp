#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/quad.hpp"
#include "turgor/mesh.hpp"
#include "world/snapshot.hpp"

/// Every structure of a snapshot has one description, a function template
///     template <class A> void describe(A& a, Of<A, Thing>& thing)
/// that names its fields with their legal ranges, in their order. The archive `a` is a
/// SnapshotWriter or a SnapshotReader; the reader refuses what is out of range by an Error that
/// names the field. A number without a range must be finite, a quaternion of unit length.
namespace turgor {

// Legal ranges of numbers.

struct Any {
    bool holds(auto) const { return true; }
    std::string said() const { return "any number"; }
};
struct Finite {
    bool holds(double x) const { return std::isfinite(x); }
    std::string said() const { return "finite"; }
};
struct Between {
    double low, high;
    bool holds(double x) const { return x >= low && x <= high; }
    std::string said() const { return fmt::format("between {} and {}", low, high); }
};
struct Positive {
    double most;
    bool holds(double x) const { return x > 0 && x <= most; }
    std::string said() const { return fmt::format("above 0 and at most {}", most); }
};
struct Below {
    std::uint64_t count;
    bool holds(std::uint64_t i) const { return i < count; }
    std::string said() const { return fmt::format("below {}", count); }
};
/// Of a quaternion, whatever the order of its components.
struct UnitLength {
    double tolerance = 1e-6;
};
inline constexpr double largest_double = std::numeric_limits<double>::max();
inline constexpr Between not_negative{0, largest_double};

/// How many elements an array must have.
struct Size {
    std::uint64_t least, most;
    static Size exactly(std::uint64_t n) { return {n, n}; }
    static Size any() { return {0, std::numeric_limits<std::uint64_t>::max()}; }
};

/// Values that are nothing but numbers of one type, stored as they are in memory.
template <class T>
struct Plain {
    using Number = T;
    static constexpr bool is = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
};
template <class N>
struct PlainOf {
    using Number = N;
    static constexpr bool is = true;
};
template <>
struct Plain<Vec3> : PlainOf<double> {};
template <>
struct Plain<Quat> : PlainOf<double> {};
template <>
struct Plain<Vec3f> : PlainOf<float> {};
template <>
struct Plain<Quad> : PlainOf<float> {};
template <>
struct Plain<Triangle> : PlainOf<std::uint32_t> {};
template <class T>
concept IsPlain = Plain<T>::is;

template <IsPlain T>
auto numbers_of(const T& value) {
    using Number = typename Plain<T>::Number;
    std::array<Number, sizeof(T) / sizeof(Number)> numbers;
    std::memcpy(numbers.data(), &value, sizeof(T));
    return numbers;
}

template <class T>
constexpr auto usual_range() {
    if constexpr (std::is_same_v<T, Quat>)
        return UnitLength{};
    else if constexpr (std::is_integral_v<typename Plain<T>::Number>)
        return Any{};
    else
        return Finite{};
}

/// What an archive works on: writing does not change it.
template <class A, class T>
using Of = std::conditional_t<A::reads, T, const T>;

class SnapshotWriter {
public:
    static constexpr bool reads = false;

    template <IsPlain T, class Range = Any>
    void operator()(const char*, const T& value, const Range& = {}) {
        out_.put(value);
    }
    void operator()(const char*, bool value) { out_.put<std::uint8_t>(value ? 1 : 0); }
    void operator()(const char*, const std::string& value) { out_.put_string(value); }
    template <class T>
    void operator()(const char* name, const std::optional<T>& value) {
        (*this)(name, value.has_value());
        if (value) (*this)(name, *value);
    }
    template <class T>
    requires std::is_class_v<T> &&(!IsPlain<T>)void operator()(const char*, const T& value) {
        describe(*this, value);
    }
    template <class Enum>
    void kind(const char*, Enum value, Enum) {
        out_.put(static_cast<std::uint32_t>(value));
    }
    /// Plain values, one after the other.
    template <class Values, class Range = Any>
    void array(const char*, const Values& values, Size = Size::any(), const Range& = {}) {
        out_.put_array(std::span<const typename Values::value_type>(values.data(), values.size()));
    }
    /// each(element)
    template <class List, class Each>
    void list(const char*, const List& list, Each&& each) {
        out_.put<std::uint64_t>(list.size());
        for (const auto& element : list) each(element);
    }
    /// What a part of the library owns, with its name, version and length.
    template <class Content>
    void chunk(const char*, const char* owner, std::uint32_t version, Content&& content) {
        out_.put_string(owner);
        out_.put(version);
        const std::size_t at = out_.bytes.size();
        out_.put<std::uint64_t>(0);
        content();
        const std::uint64_t length = out_.bytes.size() - at - sizeof length;
        std::memcpy(out_.bytes.data() + at, &length, sizeof length);
    }

    std::vector<std::byte>& bytes() { return out_.bytes; }

private:
    ByteWriter out_;
};

class SnapshotReader {
public:
    static constexpr bool reads = true;

    /// Where each field is found goes to `log`, if there is one.
    explicit SnapshotReader(std::span<const std::byte> bytes, std::vector<SnapshotField>* log)
        : bytes_(bytes), log_(log) {}

    template <IsPlain T, class Range = decltype(usual_range<T>())>
    void operator()(const char* name, T& value, const Range& range = usual_range<T>()) {
        const In in(*this, name);
        take_numbers(std::span(&value, 1));
        require_range(value, range);
    }
    void operator()(const char* name, bool& value) {
        const In in(*this, name);
        std::uint8_t byte = 0;
        take_numbers(std::span(&byte, 1));
        if (byte > 1) refuse("is {} but must be 0 or 1", byte);
        value = byte == 1;
    }
    void operator()(const char* name, std::string& value) {
        const In in(*this, name);
        value.resize(take_count(1, Size::any()));
        take_numbers(std::span(value));
    }
    template <class T>
    void operator()(const char* name, std::optional<T>& value) {
        bool there = false;
        (*this)(name, there);
        value.reset();
        if (there) (*this)(name, value.emplace());
    }
    template <class T>
    requires std::is_class_v<T> &&(!IsPlain<T>)void operator()(const char* name, T& value) {
        const In in(*this, name);
        describe(*this, value);
    }
    template <class Enum>
    void kind(const char* name, Enum& value, Enum last) {
        std::uint32_t number = 0;
        (*this)(name, number, Below{static_cast<std::uint64_t>(last) + 1});
        value = static_cast<Enum>(number);
    }
    template <class Values, class Range = decltype(usual_range<typename Values::value_type>())>
    void array(const char* name, Values& values, Size size = Size::any(),
               const Range& range = usual_range<typename Values::value_type>()) {
        const In in(*this, name);
        values.resize(take_count(sizeof(typename Values::value_type), size));
        take_numbers(std::span(values));
        for (std::size_t i = 0; i < values.size(); ++i) {
            path_.back().index = static_cast<std::int64_t>(i);
            require_range(values[i], range);
        }
    }
    template <class List, class Each>
    void list(const char* name, List& list, Each&& each) {
        const In in(*this, name);
        const std::size_t count = take_count(1, Size::any());
        list.clear();
        for (std::size_t i = 0; i < count; ++i) {
            path_.back().index = static_cast<std::int64_t>(i);
            each(list.emplace_back());
        }
    }
    template <class Content>
    void chunk(const char* name, const char* owner, std::uint32_t version, Content&& content) {
        const In in(*this, name);
        std::string found;
        (*this)("name", found);
        if (found != owner) refuse("is a '{}', and this build knows '{}' only", found, owner);
        std::uint32_t number = 0;
        (*this)("version", number);
        if (number != version)
            refuse("is of version {}, and this build reads version {} of '{}'", number, version,
                   owner);
        std::uint64_t length = 0;
        (*this)("length", length, Below{left() + 1});
        const std::size_t end = at_ + static_cast<std::size_t>(length);
        content();
        if (at_ != end) refuse("is not as long as it says");
    }

    std::size_t left() const { return bytes_.size() - at_; }
    /// "the snapshot's bodies[3].name …": the field, and what is wrong.
    template <class... Args>
    [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
        fail(ErrorCode::bad_snapshot, "the snapshot's {} {}", path(),
             fmt::format(format, std::forward<Args>(args)...));
    }
    void require(bool holds, const char* sentence) const {
        if (!holds) refuse("{}", sentence);
    }
    void require(const std::optional<std::string>& problem) const {
        if (problem) refuse("is wrong: {}", *problem);
    }
    /// What `work` says about its arguments is said about the field.
    template <class Work>
    auto naming(Work&& work) const {
        try {
            return work();
        } catch (const Error& e) {
            if (e.code() != ErrorCode::bad_argument && e.code() != ErrorCode::bad_mesh) throw;
            refuse("is wrong: {}", e.what());
        }
    }

private:
    struct Segment {
        const char* name;
        std::int64_t index = -1;
    };
    /// The field that is being read, for as long as it is.
    struct In {
        In(SnapshotReader& reader, const char* name) : path(reader.path_) {
            path.push_back({name});
        }
        ~In() { path.pop_back(); }
        In(const In&) = delete;
        In& operator=(const In&) = delete;
        std::vector<Segment>& path;
    };

    std::string path() const {
        std::string text;
        for (const Segment& s : path_) {
            if (!text.empty()) text += '.';
            text += s.name;
            if (s.index >= 0) text += fmt::format("[{}]", s.index);
        }
        return text;
    }

    template <class T>
    void take_numbers(std::span<T> values) {
        using Number = typename Plain<T>::Number;
        if (values.size_bytes() > left())
            refuse("is missing: the snapshot is shorter than it says");
        if (log_)
            log_->push_back({path(), at_, sizeof(Number), std::is_floating_point_v<Number>,
                             values.size_bytes() / sizeof(Number)});
        if (!values.empty()) std::memcpy(values.data(), bytes_.data() + at_, values.size_bytes());
        at_ += values.size_bytes();
    }
    /// Of elements of so many bytes at least, which must still be there.
    std::size_t take_count(std::size_t element, Size size) {
        std::uint64_t count = 0;
        take_numbers(std::span(&count, 1));
        if (count < size.least || count > size.most)
            refuse("has {} entries but must have {} to {}", count, size.least, size.most);
        if (count > left() / element)
            refuse("has {} entries, but the snapshot is shorter than that", count);
        return static_cast<std::size_t>(count);
    }

    template <class T, class Range>
    void require_range(const T& value, const Range& range) const {
        for (const auto number : numbers_of(value))
            if (!range.holds(number)) refuse("is {} but must be {}", number, range.said());
    }
    template <class T>
    void require_range(const T& value, const UnitLength& unit) const {
        double squared = 0;
        for (const double number : numbers_of(value)) squared += number * number;
        if (!(std::abs(squared - 1) <= unit.tolerance))
            refuse("has a squared length of {} but must be a unit quaternion", squared);
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    std::vector<Segment> path_;
    std::vector<SnapshotField>* log_;
};

}  // namespace turgor
