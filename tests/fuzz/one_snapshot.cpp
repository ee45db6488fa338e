#include "fuzz/one_snapshot.hpp"

#include <cstdio>
#include <cstdlib>

#include "turgor/turgor.hpp"

namespace turgor::fuzz {
namespace {

WorldSettings settings() {
    WorldSettings s;
    s.threads = 1;
    return s;
}

double read_all(World& world) {
    double sum = 0;
    for (const Body& body : world.bodies()) {
        for (const Vec3f& p : body.positions()) sum += p.x;
        for (const Vec3f& p : body.display_normals()) sum += p.y;
        sum += body.volume() + static_cast<double>(body.name().size());
    }
    for (const Rigid& rigid : world.rigids())
        for (const Vec3f& p : rigid.positions()) sum += p.x;
    for (const ColliderId id : world.colliders()) sum += world.collider_pose(id).position.x;
    if (const auto hit = world.cast_ray({0, 5, 0}, {0, -1, 0})) sum += hit->distance;
    if (const auto hit = world.closest_point({1, 0.5, 0}, 10)) sum += hit->distance;
    return sum;
}

/// The first number that is not finite.
std::string not_finite(World& world) {
    for (const Body& body : world.bodies())
        for (std::size_t i = 0; i < body.positions().size(); ++i)
            for (const Vec3& a : {body.position(i), body.velocity(i)})
                if (!std::isfinite(a.x + a.y + a.z))
                    return body.name() + ", vertex " + std::to_string(i) + ": " +
                           std::to_string(a.x) + " " + std::to_string(a.y) + " " +
                           std::to_string(a.z);
    return "a rigid body";
}

Verdict judge_restored(World& world) {
    bool stopped = false;
    for (int k = 0; k < 2; ++k) {
        Status status;
        world.step(0.005, &status);
        stopped = stopped || !status.ok();
        if (!status.ok() && status.code != ErrorCode::failed)
            return {Outcome::wrong, "step: " + status.message};
        if (!world.finite())
            return {Outcome::wrong, "not finite: " + not_finite(world) + "; " + status.message};
        (void)read_all(world);
    }
    Status status;
    World(settings()).restore(world.snapshot(), &status);
    if (!status.ok() && !stopped) return {Outcome::wrong, "its own snapshot: " + status.message};
    return {Outcome::accepted, {}};
}

}  // namespace

Verdict judge_snapshot(std::span<const std::byte> bytes) {
    // One world for all, so that meshes that did not change need not be baked again.
    static World world(settings());
    const auto before = world.state_hash();
    Status status;
    world.restore(bytes, &status);
    if (status.ok()) return judge_restored(world);
    if (status.code != ErrorCode::bad_snapshot)
        return {Outcome::wrong, "refused otherwise: " + status.message};
    if (status.message.empty()) return {Outcome::wrong, "refused without a sentence"};
    if (world.state_hash() != before)
        return {Outcome::wrong, "refused and changed: " + status.message};
    return {Outcome::refused, status.message};
}

int one_snapshot(std::span<const std::byte> bytes) {
    const Verdict verdict = judge_snapshot(bytes);
    if (verdict.outcome == Outcome::wrong) {
        std::fprintf(stderr, "%s\n", verdict.sentence.c_str());
        std::abort();
    }
    return verdict.outcome == Outcome::accepted ? 1 : 0;
}

}  // namespace turgor::fuzz
