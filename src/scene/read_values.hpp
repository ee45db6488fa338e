#pragma once

#include <optional>
#include <string>

#include "scene/json_text.hpp"
#include "turgor/collider.hpp"
#include "turgor/math.hpp"

namespace turgor {

/// A value that fits the schema, with its place in the file.
struct Node {
    const Json& value;
    const std::string& source;
    std::string at;

    bool has(const char* key) const { return value.contains(key); }
    Node operator[](const char* key) const { return {value.at(key), source, below(at, key)}; }
    Node operator[](std::size_t index) const { return {value.at(index), source, below(at, index)}; }
    std::size_t size() const { return value.size(); }
    [[noreturn]] void fail(const std::string& sentence) const { fail_at(source, at, sentence); }

    /// Sets `target` where the key is given.
    template <class T>
    void get(const char* key, T& target) const {
        if (has(key)) target = value.at(key).get<T>();
    }
    template <class T>
    void get(const char* key, std::optional<T>& target) const {
        if (has(key)) target = value.at(key).get<T>();
    }
    /// The single key of an object that has one, e.g. the kind of a shape.
    std::string only_key() const { return value.begin().key(); }
};

Vec3 read_vector(const Node& node);
Vec3 read_direction(const Node& node);  ///< unit
Quat read_rotation(const Node& node);
/// `position`: what the keys call what is read as their positions.
Path read_path(const Node& node, const char* position = "position");
void read_vector(const Node& object, const char* key, Vec3& target);
void read_rotation(const Node& object, const char* key, Quat& target);

}  // namespace turgor
