#include "variants.hpp"

#include <charconv>
#include <map>

#include "base/errors.hpp"

namespace turgor {
namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

template <class Number>
Number number_in(const std::string& key, const std::string& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        fail(ErrorCode::bad_argument, "--variant: '{}' is no number for '{}'", text, key);
    return value;
}

using Set = void (*)(SceneOverrides&, const std::string& key, const std::string& value);

template <auto Member>
void set_text(SceneOverrides& o, const std::string&, const std::string& value) {
    o.*Member = value;
}
template <auto Member>
void set_number(SceneOverrides& o, const std::string& key, const std::string& value) {
    o.*Member = number_in<typename std::decay_t<decltype(o.*Member)>::value_type>(key, value);
}

const std::map<std::string, Set>& keys() {
    using O = SceneOverrides;
    static const std::map<std::string, Set> all{{"material", set_text<&O::material>},
                                                {"model", set_text<&O::model>},
                                                {"formulation", set_text<&O::formulation>},
                                                {"volume", set_text<&O::volume>},
                                                {"omega", set_number<&O::omega>},
                                                {"stiffness", set_number<&O::stiffness>},
                                                {"damping", set_number<&O::damping>},
                                                {"alpha", set_number<&O::alpha>},
                                                {"beta", set_number<&O::beta>},
                                                {"dt", set_number<&O::dt>},
                                                {"sim-vertices", set_number<&O::sim_vertices>}};
    return all;
}

}  // namespace

Variant parse_variant(const std::string& text) {
    Variant variant;
    const std::size_t colon = text.find(':');
    const std::string changes = trimmed(colon == std::string::npos ? text : text.substr(colon + 1));
    variant.caption = colon == std::string::npos ? changes : trimmed(text.substr(0, colon));
    for (std::size_t at = 0; at < changes.size();) {
        const std::size_t end = std::min(changes.find(',', at), changes.size());
        const std::string one = changes.substr(at, end - at);
        const std::size_t equals = one.find('=');
        if (equals == std::string::npos)
            fail(ErrorCode::bad_argument, "--variant: '{}' is not of the form KEY=VALUE",
                 trimmed(one));
        variant.changes.emplace_back(trimmed(one.substr(0, equals)),
                                     trimmed(one.substr(equals + 1)));
        at = end + 1;
    }
    return variant;
}

void apply(const Variant& variant, SceneOverrides& overrides) {
    for (const auto& [key, value] : variant.changes) {
        const auto known = keys().find(key);
        if (known == keys().end()) {
            std::string names;
            for (const auto& [name, set] : keys()) names += (names.empty() ? "" : ", ") + name;
            fail(ErrorCode::bad_argument, "--variant: there is no '{}'; there is {}", key, names);
        }
        known->second(overrides, key, value);
    }
}

}  // namespace turgor
