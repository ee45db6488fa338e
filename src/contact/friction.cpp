#include "contact/friction.hpp"

#include <algorithm>
#include <cmath>

namespace turgor {
namespace {

std::uint64_t key_of(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

}  // namespace

ContactCoefficients coefficients_of(const Material& m) {
    return {m.friction, m.static_friction.value_or(m.friction), m.restitution};
}

ContactCoefficients coefficients_of(const RigidBody& body) {
    return {body.friction, body.friction, body.restitution};
}

ContactCoefficients combined(const ContactCoefficients& a, const ContactCoefficients& b) {
    return {std::sqrt(a.friction * b.friction), std::sqrt(a.static_friction * b.static_friction),
            std::max(a.restitution, b.restitution)};
}

ContactCoefficients on_collider(const ContactCoefficients& body, const Collider& c) {
    const double friction = c.friction.value_or(body.friction);
    const double unset = c.friction ? friction : body.static_friction;
    return {friction, std::max(friction, c.static_friction.value_or(unset)),
            c.restitution.value_or(body.restitution)};
}

ContactCoefficients of_pair(const PairFriction& pair, const ContactCoefficients& without) {
    return {pair.friction, pair.static_friction.value_or(pair.friction),
            pair.restitution.value_or(without.restitution)};
}

FrictionPairs::Names FrictionPairs::names(std::string a, std::string b) {
    if (b < a) std::swap(a, b);
    return {std::move(a), std::move(b)};
}

void FrictionPairs::set(const Names& names, const PairFriction& pair) {
    pairs_[names] = pair;
    number();
}

void FrictionPairs::set_all(std::map<Names, PairFriction> pairs) {
    pairs_ = std::move(pairs);
    number();
}

void FrictionPairs::remove(const Names& names) {
    pairs_.erase(names);
    number();
}

void FrictionPairs::number() {
    names_.clear();
    for (const auto& [names, pair] : pairs_) {
        names_.push_back(names.first);
        names_.push_back(names.second);
    }
    std::ranges::sort(names_);
    names_.erase(std::ranges::unique(names_).begin(), names_.end());
    numbered_.clear();
    for (const auto& [names, pair] : pairs_)
        numbered_.push_back({key_of(surface_id(names.first), surface_id(names.second)), pair});
    std::ranges::sort(numbered_, {}, &Numbered::key);
}

std::uint32_t FrictionPairs::surface_id(const std::string& name) const {
    const auto at = std::ranges::lower_bound(names_, name);
    if (at == names_.end() || *at != name) return no_surface_id;
    return static_cast<std::uint32_t>(at - names_.begin());
}

const PairFriction* FrictionPairs::find(std::uint32_t a, std::uint32_t b) const {
    if (a == no_surface_id || b == no_surface_id) return nullptr;
    const auto at = std::ranges::lower_bound(numbered_, key_of(a, b), {}, &Numbered::key);
    return at != numbered_.end() && at->key == key_of(a, b) ? &at->pair : nullptr;
}

}  // namespace turgor
