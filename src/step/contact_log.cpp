#include "step/contact_log.hpp"

#include <algorithm>

namespace turgor {
namespace {

auto place_of(auto& list, std::uint32_t id) {
    return std::ranges::lower_bound(list, id, {}, &Touch::id);
}
bool has(const std::vector<Touch>& list, std::uint32_t id) {
    const auto at = place_of(list, id);
    return at != list.end() && at->id == id;
}

}  // namespace

void TouchLog::begin() {
    std::swap(touching, touched);
    touching.clear();
}

bool TouchLog::touched_before(std::uint32_t id) const {
    return has(touched, id);
}

void TouchLog::add(const Touch& touch) {
    const auto at = place_of(touching, touch.id);
    if (at != touching.end() && at->id == touch.id)
        at->impulse += touch.impulse;
    else
        touching.insert(at, touch);
}

void TouchLog::tell(std::uint32_t own_id, Touch::Kind own_kind) {
    const bool soft = own_kind == Touch::Kind::body;
    const auto tell_of = [&](ContactEvent::Kind kind, const Touch& t) {
        const bool rigid = t.kind == Touch::Kind::rigid;
        if (t.kind == own_kind ? t.id < own_id : t.kind == Touch::Kind::body) return;
        events.push_back({kind, soft ? own_id : 0, t.kind == Touch::Kind::collider ? t.id : 0,
                          t.point, t.normal, t.kind == own_kind ? t.id : 0, t.impulse,
                          soft ? (rigid ? t.id : 0) : own_id});
    };
    for (const Touch& t : touching)
        if (!has(touched, t.id)) tell_of(ContactEvent::Kind::began, t);
    for (const Touch& t : touched)
        if (!has(touching, t.id)) tell_of(ContactEvent::Kind::ended, t);
}

}  // namespace turgor
