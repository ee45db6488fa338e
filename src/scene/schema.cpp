#include "scene/schema.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/errors.hpp"
#include "scene/builtin.hpp"
#include "scene/words.hpp"

namespace turgor {
namespace {

std::string kind_of(const Json& value) {
    if (value.is_number_integer()) return "an integer";
    if (value.is_number()) return "a number";
    if (value.is_string()) return "a string";
    if (value.is_boolean()) return "true or false";
    if (value.is_array()) return "a list";
    if (value.is_object()) return "an object";
    return "null";
}

std::string kind_named(const std::string& type) {
    if (type == "integer") return "an integer";
    if (type == "boolean") return "true or false";
    if (type == "array") return "a list";
    if (type == "object") return "an object";
    return "a " + type;
}

bool has_type(const Json& value, const std::string& type) {
    if (type == "integer")
        return value.is_number_integer() ||
               (value.is_number() && value == std::floor(value.get<double>()));
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
}

/// What was written, short enough for a message.
std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::vector<std::string> keys_of(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& item : object.items()) keys.push_back(item.key());
    return keys;
}

class Checker {
public:
    Checker(const Json& root, const std::string& source) : root_(root), source_(source) {}

    void check(const Json& reference, const Json& value, const std::string& at) const {
        const Json& schema = resolved(reference);
        require_known_keywords(schema);
        if (schema.contains("anyOf"))
            return check(branch_for(schema.at("anyOf"), value, at), value, at);
        if (schema.contains("type") && !has_type(value, schema.at("type")))
            fail_at(source_, at,
                    fmt::format("must be {}, not {}", kind_named(schema.at("type")), wrong(value)));
        if (schema.contains("enum")) check_enum(schema.at("enum"), value, at);
        if (value.is_number()) check_range(schema, value, at);
        if (value.is_string()) check_length(schema, value, at);
        if (value.is_array()) check_array(schema, value, at);
        if (value.is_object()) check_object(schema, value, at);
    }

private:
    static std::string wrong(const Json& value) {
        return value.is_structured() || value.is_null() ? kind_of(value) : shown(value);
    }

    const Json& resolved(const Json& schema) const {
        const Json* now = &schema;
        while (now->contains("$ref"))
            now = &root_.at(Json::json_pointer(now->at("$ref").get<std::string>().substr(1)));
        return *now;
    }

    /// A keyword that is not understood here would be a hole in the check.
    static void require_known_keywords(const Json& schema) {
        static const std::set<std::string> known{"$schema",
                                                 "$id",
                                                 "$defs",
                                                 "title",
                                                 "description",
                                                 "type",
                                                 "enum",
                                                 "anyOf",
                                                 "required",
                                                 "properties",
                                                 "additionalProperties",
                                                 "items",
                                                 "minItems",
                                                 "maxItems",
                                                 "minimum",
                                                 "maximum",
                                                 "exclusiveMinimum",
                                                 "minLength",
                                                 "maxLength",
                                                 "minProperties",
                                                 "maxProperties"};
        for (const auto& item : schema.items())
            if (!known.contains(item.key()))
                fail(ErrorCode::failed,
                     "the schema of scenes uses the keyword {}, which is not understood",
                     item.key());
    }

    /// Branches differ in their types, so the value itself tells which one is meant.
    const Json& branch_for(const Json& branches, const Json& value, const std::string& at) const {
        std::vector<std::string> kinds;
        for (const Json& branch : branches) {
            const std::string type = resolved(branch).at("type");
            if (has_type(value, type)) return branch;
            kinds.push_back(kind_named(type));
        }
        fail_at(source_, at,
                fmt::format("must be {}, not {}", fmt::join(kinds, " or "), wrong(value)));
    }

    void check_enum(const Json& choices, const Json& value, const std::string& at) const {
        for (const Json& choice : choices)
            if (choice == value) return;
        const auto words = choices.get<std::vector<std::string>>();
        const std::string hint =
            value.is_string() ? did_you_mean(value.get<std::string>(), words) : "";
        fail_at(source_, at,
                fmt::format("must be {}, not {}{}", listed(words), wrong(value), hint));
    }

    void check_range(const Json& schema, const Json& value, const std::string& at) const {
        const double number = value.get<double>();
        const bool has_low = schema.contains("minimum"), has_high = schema.contains("maximum");
        const bool open = schema.contains("exclusiveMinimum");
        const double low = has_low ? schema.at("minimum").get<double>() : -1e300;
        const double high = has_high ? schema.at("maximum").get<double>() : 1e300;
        const double above = open ? schema.at("exclusiveMinimum").get<double>() : -1e300;
        if (number >= low && number <= high && number > above) return;
        fail_at(
            source_, at,
            open ? fmt::format("must be above {} and at most {}, not {}", above, high, shown(value))
                 : fmt::format("must be between {} and {}, not {}", low, high, shown(value)));
    }

    void check_length(const Json& schema, const Json& value, const std::string& at) const {
        const std::size_t length = value.get_ref<const std::string&>().size();
        if (length < schema.value("minLength", std::size_t{0}))
            fail_at(source_, at, "must not be empty");
        if (length > schema.value("maxLength", ~std::size_t{0}))
            fail_at(source_, at,
                    fmt::format("must have at most {} letters, not {}",
                                schema.at("maxLength").dump(), length));
    }

    void check_array(const Json& schema, const Json& value, const std::string& at) const {
        const std::size_t low = schema.value("minItems", std::size_t{0}),
                          high = schema.value("maxItems", ~std::size_t{0});
        if (value.size() < low || value.size() > high) {
            const std::string wanted = low == high          ? fmt::format("{}", low)
                                       : value.size() < low ? fmt::format("at least {}", low)
                                                            : fmt::format("at most {}", high);
            fail_at(source_, at, fmt::format("must have {} entries, not {}", wanted, value.size()));
        }
        if (!schema.contains("items")) return;
        for (std::size_t i = 0; i < value.size(); ++i)
            check(schema.at("items"), value[i], below(at, i));
    }

    void check_object(const Json& schema, const Json& value, const std::string& at) const {
        static const Json nothing = Json::object();
        const Json& properties = schema.contains("properties") ? schema.at("properties") : nothing;
        check_keys(schema, properties, value, at);
        if (schema.contains("minProperties") && value.size() != 1)
            fail_at(source_, at,
                    fmt::format("must have exactly one of {}, not {}", listed(keys_of(properties)),
                                value.size()));
        if (schema.contains("minProperties"))
            check_choice(properties, value.begin().key(), value.front(), at);
        for (const auto& item : value.items()) {
            const Json& member = properties.contains(item.key())
                                     ? properties.at(item.key())
                                     : schema.at("additionalProperties");
            check(member, item.value(), below(at, item.key()));
        }
    }

    /// Of several, one was chosen: what only the others know was meant for them.
    void check_choice(const Json& properties, const std::string& chosen, const Json& value,
                      const std::string& at) const {
        if (!value.is_object()) return;
        const auto knows = [&](const std::string& name, const std::string& key) {
            const Json& of = resolved(properties.at(name));
            return of.contains("properties") && of.at("properties").contains(key);
        };
        for (const auto& item : value.items()) {
            if (knows(chosen, item.key())) continue;
            std::vector<std::string> owners = keys_of(properties);
            std::erase_if(owners, [&](auto& name) { return !knows(name, item.key()); });
            if (!owners.empty())
                fail_at(source_, below(below(at, chosen), item.key()),
                        fmt::format("is not a known key of \"{}\", but one of {}", chosen,
                                    listed(owners)));
        }
    }

    void check_keys(const Json& schema, const Json& properties, const Json& value,
                    const std::string& at) const {
        const bool closed = schema.at("additionalProperties").is_boolean();
        const auto known = keys_of(properties);
        for (const auto& item : value.items())
            if (closed && !properties.contains(item.key())) {
                const std::string hint = did_you_mean(item.key(), known);
                fail_at(source_, below(at, item.key()),
                        fmt::format("is not a known key{}",
                                    hint.empty() ? "; known here are " + listed(known) : hint));
            }
        for (const Json& key : schema.value("required", Json::array()))
            if (!value.contains(key.get<std::string>()))
                fail_at(source_, at, fmt::format("lacks the key {}", key.dump()));
    }

    const Json& root_;
    const std::string& source_;
};

}  // namespace

void require_schema(const Json& schema, const Json& value, const std::string& source) {
    Checker(schema, source).check(schema, value, "");
}

std::string described(const std::string& definition, const std::string& key) {
    static const Json schema = Json::parse(scene_schema());
    Json::json_pointer at = Json::json_pointer("/$defs") / definition;
    if (!key.empty()) at = at / "properties" / key;
    at = at / "description";
    return schema.contains(at) ? schema[at].get<std::string>() : std::string();
}

}  // namespace turgor
