#include "scene/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace turgor {
namespace {

struct Range {
    double low = 1e300, high = -1e300;
};

Range range_along(const Body& body, Vec3 axis) {
    Range range;
    for (const Vec3f& p : body.positions()) {
        const double along = dot(to_double(p), axis);
        range.low = std::min(range.low, along);
        range.high = std::max(range.high, along);
    }
    return range;
}

/// How far along a line through `point` the surface of a body reaches; no number where the line
/// misses it.
double reach_on_line(const Body& body, Vec3 point, Vec3 axis) {
    double reach = -std::numeric_limits<double>::infinity();
    const auto positions = body.positions();
    for (const auto& triangle : body.triangles()) {
        Vec3 corner[3];
        for (std::size_t k = 0; k < 3; ++k) corner[k] = to_double(positions[triangle[k]]) - point;
        double share[3], sum = 0, along = 0;
        for (int k = 0; k < 3; ++k) {
            share[k] = dot(axis, cross(corner[(k + 1) % 3], corner[(k + 2) % 3]));
            sum += share[k];
        }
        const bool is_hit = sum != 0 && std::min({share[0], share[1], share[2]}) / sum >= 0 &&
                            std::max({share[0], share[1], share[2]}) / sum >= 0;
        if (!is_hit) continue;
        for (int k = 0; k < 3; ++k) along += share[k] / sum * dot(corner[k], axis);
        reach = std::max(reach, along);
    }
    return reach;
}

double extent_along(const Body& body, Vec3 axis) {
    const Range range = range_along(body, axis);
    return range.high - range.low;
}

Vec3 velocity_of(const Body& body) {
    return body.momentum() / body.mass();
}

Vec3 sideways(Vec3 way, Vec3 axis) {
    return way - dot(way, axis) * axis;
}

bool applies(const SceneCheck& check, const LiveBody& body) {
    if (check.bodies.empty()) return true;
    return std::any_of(check.bodies.begin(), check.bodies.end(),
                       [&](const auto& name) { return body.is_called(name); });
}

/// What a check is about. The world knows only the deepest penetration of all.
std::string subject_of(const SceneCheck& check, const LiveBody& body) {
    return check.measure == Measure::penetration ? "all bodies" : body.name;
}

/// How far a value is on the wrong side of its limits; negative: inside.
double violation(const SceneCheck& check, double value) {
    if (!std::isfinite(value)) return 1e300;
    double worst = -1e300;
    if (check.at_least) worst = std::max(worst, *check.at_least - value);
    if (check.at_most) worst = std::max(worst, value - *check.at_most);
    return worst;
}

std::string limits_of(const SceneCheck& check) {
    std::string text;
    if (check.at_least) text += fmt::format(", at least {:.4g}", *check.at_least);
    if (check.at_most) text += fmt::format(", at most {:.4g}", *check.at_most);
    return text;
}

}  // namespace

Monitor::Monitor(LiveScene& scene) : scene_(scene) {
    figures_.resize(scene.bodies().size());
    was_recovering_.resize(scene.bodies().size());
    for (const LiveBody& live : scene.bodies()) pieces_.push_back({live.body});
    for (std::size_t i = 0; i < scene.colliders().size(); ++i)
        if (scene.scene().colliders[i].sensor)
            sensors_.push_back({scene.scene().colliders[i].name, scene.colliders()[i]});
    const auto& checks = scene.scene().checks;
    for (std::size_t c = 0; c < checks.size(); ++c)
        for (std::size_t b = 0; b < scene.bodies().size(); ++b)
            if (applies(checks[c], scene.bodies()[b])) watches_.push_back({c, b});
    for (Watch& watch : watches_) begin(watch);
    for (std::size_t c = 0; c < checks.size(); ++c)
        for (const Rigid& rigid : scene.rigids())
            if (std::ranges::find(checks[c].bodies, rigid.name()) != checks[c].bodies.end())
                rigid_watches_.push_back({c, rigid, rigid.pose().position});
    for (RigidWatch& watch : rigid_watches_) update(watch);
}

void Monitor::update(RigidWatch& watch) const {
    const SceneCheck& check = scene_.scene().checks[watch.check];
    if (check.since > 0 && scene_.time() <= check.since + 1e-9)
        watch.start = watch.rigid.pose().position;
    for (const Vec3f& p : watch.rigid.positions()) {
        const double along = dot(to_double(p), check.axis);
        watch.low = std::min(watch.low, along);
        watch.high = std::max(watch.high, along);
    }
}

double Monitor::value_now(const RigidWatch& watch) const {
    const SceneCheck& check = scene_.scene().checks[watch.check];
    const Vec3 place = watch.rigid.pose().position;
    switch (check.measure) {
        case Measure::speed:
            return norm(watch.rigid.velocity());
        case Measure::lowest:
            return watch.low;
        case Measure::highest:
            return watch.high;
        case Measure::travel:
            return dot(place - watch.start, check.axis);
        default:
            return norm(sideways(place - check.point, check.axis));
    }
}

void Monitor::begin(Watch& watch) const {
    const Body& body = scene_.bodies()[watch.body].body;
    const SceneCheck& check = scene_.scene().checks[watch.check];
    watch.centre = body.centre_of_mass();
    watch.velocity = velocity_of(body);
    const Range range = range_along(body, check.axis);
    watch.start = range.high - range.low;
    if (check.measure == Measure::lowest) watch.value = range.low;
    if (check.measure == Measure::highest) watch.value = range.high;
    if (check.measure == Measure::dent) watch.value = reach_on_line(body, check.point, check.axis);
    if (check.measure == Measure::least_extent) watch.value = 1;
    watch.height = watch.centre.y;
}

void Monitor::after_step() {
    const StepReport& report = scene_.world().report();
    max_penetration_ = std::max(max_penetration_, report.max_penetration);
    most_contacts_ = std::max(most_contacts_, report.contacts);
    most_sub_steps_ = std::max(most_sub_steps_, report.sub_steps);
    for (const TearEvent& tear : scene_.world().tears())
        for (std::vector<Body>& pieces : pieces_)
            if (tear.piece != tear.body &&
                std::ranges::find(pieces, tear.body, &Body::id) != pieces.end())
                pieces.push_back(scene_.world().body(tear.piece));
    for (std::size_t i = 0; i < figures_.size(); ++i) {
        BodyFigures& figures = figures_[i];
        double loss = 0;
        bool recovering = false;
        for (const Body& body : pieces_[i]) {
            const double own = 1 - body.volume() / body.rest_volume();
            if (std::abs(own) >= std::abs(loss)) loss = own;
            recovering = recovering || body.recovering();
        }
        figures.final_volume_error = std::abs(loss);
        figures.recovering_steps += recovering;
        // The step that ends a recovery still leaves the volume to the next one.
        if (!recovering && !was_recovering_[i]) {
            figures.max_volume_error = std::max(figures.max_volume_error, std::abs(loss));
            figures.max_volume_loss = std::max(figures.max_volume_loss, loss);
        }
        was_recovering_[i] = recovering;
    }
    for (SensorFigures& sensor : sensors_)
        for (const ContactEvent& event : scene_.world().events())
            if (event.collider == sensor.collider)
                ++(event.kind == ContactEvent::Kind::began ? sensor.entered : sensor.left);
    for (Watch& watch : watches_) update(watch);
    for (RigidWatch& watch : rigid_watches_) update(watch);
}

void Monitor::update(Watch& watch) const {
    const SceneCheck& check = scene_.scene().checks[watch.check];
    const Body& body = scene_.bodies()[watch.body].body;
    if (check.since > 0 && scene_.time() <= check.since + 1e-9) {
        watch.centre = body.centre_of_mass();
        watch.velocity = velocity_of(body);
    }
    switch (check.measure) {
        case Measure::lowest:
            for (const Body& piece : pieces_[watch.body])
                watch.value = std::min(watch.value, range_along(piece, check.axis).low);
            break;
        case Measure::highest:
            for (const Body& piece : pieces_[watch.body])
                watch.value = std::max(watch.value, range_along(piece, check.axis).high);
            break;
        case Measure::least_extent:
            watch.value = std::min(watch.value, extent_along(body, check.axis) / watch.start);
            break;
        case Measure::rebound:
            update_rebound(watch, body);
            break;
        case Measure::touches:
            count_touches(watch);
            break;
        default:
            break;
    }
}

/// Falls until the first touch, is pressed together until it rises, rises until it falls again.
void Monitor::update_rebound(Watch& watch, const Body& body) const {
    using Phase = Watch::Phase;
    const double height = body.centre_of_mass().y, speed = velocity_of(body).y;
    if (watch.phase == Phase::waiting) {
        for (const ContactEvent& event : scene_.world().events())
            if (event.body == body.id() && event.kind == ContactEvent::Kind::began)
                watch.phase = Phase::falling;
        watch.lowest = height;
    } else if (watch.phase == Phase::falling && speed > 0) {
        watch.phase = Phase::rising;
    }
    if (watch.phase != Phase::rising) return;
    watch.value = (height - watch.lowest) / (watch.height - watch.lowest);
    if (speed <= 0) watch.phase = Phase::done;
}

/// Colliders may share a name, as copies of bodies do.
void Monitor::count_touches(Watch& watch) const {
    const SceneCheck& check = scene_.scene().checks[watch.check];
    if (scene_.time() <= check.since) return;
    const auto called = [&](ColliderId id) {
        const auto at = std::ranges::find(scene_.colliders(), id) - scene_.colliders().begin();
        return scene_.scene().colliders[static_cast<std::size_t>(at)].name == check.collider;
    };
    const auto is_of = [&](const Watch& of, BodyId id) {
        return std::ranges::find(pieces_[of.body], id, &Body::id) != pieces_[of.body].end();
    };
    for (const ContactEvent& event : scene_.world().events())
        if (event.kind == ContactEvent::Kind::began && event.collider != 0 &&
            is_of(watch, event.body) && called(event.collider))
            watch.value += 1;
}

double Monitor::value_now(const Watch& watch) const {
    const SceneCheck& check = scene_.scene().checks[watch.check];
    const Body& body = scene_.bodies()[watch.body].body;
    const BodyFigures& figures = figures_[watch.body];
    const double elapsed = scene_.time() - check.since;
    const Vec3 up{0, 1, 0};
    switch (check.measure) {
        case Measure::volume_error:
            return figures.max_volume_error;
        case Measure::final_volume_error:
            return figures.final_volume_error;
        case Measure::volume_loss:
            return figures.max_volume_loss;
        case Measure::recovering_time:
            return static_cast<double>(figures.recovering_steps) * scene_.scene().dt;
        case Measure::speed: {
            double fastest = 0;
            for (const Body& piece : pieces_[watch.body])
                fastest = std::max(fastest, piece.max_speed());
            return fastest;
        }
        case Measure::pieces:
            return static_cast<double>(pieces_[watch.body].size());
        case Measure::creep:
            return norm(sideways(body.centre_of_mass() - watch.centre, up)) / body.size();
        case Measure::penetration:
            return max_penetration_;
        case Measure::shape_error:
            return body.shape_error();
        case Measure::travel:
            return dot(body.centre_of_mass() - watch.centre, check.axis);
        case Measure::acceleration:
            return dot(velocity_of(body) - watch.velocity, check.axis) / elapsed;
        case Measure::final_extent:
            return extent_along(body, check.axis) / watch.start;
        case Measure::dent:
            return (watch.value - reach_on_line(body, check.point, check.axis)) / watch.start;
        case Measure::distance:
            return norm(sideways(body.centre_of_mass() - check.point, check.axis));
        case Measure::lowest:
        case Measure::highest:
        case Measure::least_extent:
        case Measure::rebound:
        case Measure::touches:
            return watch.value;
    }
    return 0;
}

double Monitor::max_volume_error() const {
    double worst = 0;
    for (std::size_t i = 0; i < figures_.size(); ++i)
        if (scene_.bodies()[i].volume != VolumeMode::off)
            worst = std::max(worst, figures_[i].max_volume_error);
    return worst;
}

std::vector<CheckResult> Monitor::results() const {
    const auto& checks = scene_.scene().checks;
    std::vector<CheckResult> results(checks.size());
    std::vector<double> worst(checks.size(), -1e301);
    const auto note = [&](std::size_t check, double value, const std::string& subject) {
        const double by = violation(checks[check], value);
        if (by <= worst[check]) return;
        worst[check] = by;
        results[check].value = value;
        results[check].body = subject;
    };
    for (const Watch& watch : watches_)
        note(watch.check, value_now(watch),
             subject_of(checks[watch.check], scene_.bodies()[watch.body]));
    for (const RigidWatch& watch : rigid_watches_)
        note(watch.check, value_now(watch), watch.rigid.name());
    for (std::size_t c = 0; c < checks.size(); ++c) {
        CheckResult& result = results[c];
        result.measure = name_of(checks[c].measure);
        result.at_least = checks[c].at_least;
        result.at_most = checks[c].at_most;
        result.held = worst[c] <= 0 && worst[c] > -1e301;
        result.sentence = fmt::format("{} of {}: {:.4g}{}", result.measure, result.body,
                                      result.value, limits_of(checks[c]));
    }
    return results;
}

}  // namespace turgor
