#include "step/contact_log.hpp"

#include <algorithm>

namespace turgor {
namespace {

auto place_of(auto& list, std::uint32_t id) {
    return std::ranges::lower_bound(list, id, {}, &ActiveContact::id);
}
bool has(const std::vector<ActiveContact>& list, std::uint32_t id) {
    const auto at = place_of(list, id);
    return at != list.end() && at->id == id;
}

}  // namespace

void ContactLog::begin_sub_step() {
    std::swap(touching, touching_before);
    touching.clear();
}

bool ContactLog::was_touching(std::uint32_t id) const {
    return has(touching_before, id);
}

void ContactLog::add(const ActiveContact& touch) {
    const auto at = place_of(touching, touch.id);
    if (at != touching.end() && at->id == touch.id)
        at->impulse += touch.impulse;
    else
        touching.insert(at, touch);
}

void ContactLog::emit_events(std::uint32_t own_id, ActiveContact::Kind own_kind) {
    const bool soft = own_kind == ActiveContact::Kind::body;
    const auto emit = [&](ContactEvent::Kind kind, const ActiveContact& t) {
        const bool rigid = t.kind == ActiveContact::Kind::rigid;
        if (t.kind == own_kind ? t.id < own_id : t.kind == ActiveContact::Kind::body) return;
        events.push_back({kind, soft ? own_id : 0,
                          t.kind == ActiveContact::Kind::collider ? t.id : 0, t.point, t.normal,
                          t.kind == own_kind ? t.id : 0, t.impulse,
                          soft ? (rigid ? t.id : 0) : own_id});
    };
    for (const ActiveContact& t : touching)
        if (!has(touching_before, t.id)) emit(ContactEvent::Kind::began, t);
    for (const ActiveContact& t : touching_before)
        if (!has(touching, t.id)) emit(ContactEvent::Kind::ended, t);
}

}  // namespace turgor
