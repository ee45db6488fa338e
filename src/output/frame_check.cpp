#include "output/frame_check.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace turgor {

namespace {

bool is_finite(Vec3f v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

std::size_t first_not_finite(std::span<const Vec3f> values) {
    return static_cast<std::size_t>(std::ranges::find_if_not(values, is_finite) - values.begin());
}

}  // namespace

bool FrameCheck::check(std::span<const FrameBody> bodies) {
    if (bodies.empty())
        fail(ErrorCode::bad_argument, "frame {} of '{}' has no bodies; add one to the scene",
             frames_, where_);
    for (const FrameBody& body : bodies) check_body(body);
    const bool first = frames_ == 0;
    const bool same = !first && std::ranges::equal(bodies, before_, is_same);
    if (!same && !first && !may_change_) {
        if (bodies.size() != before_.size())
            fail(ErrorCode::bad_argument,
                 "frame {} of '{}' has {} bodies but the first frame has {}; keep the bodies, or "
                 "write frames to .obj/ or .ply/, where they may change",
                 frames_, where_, bodies.size(), before_.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) check_same(bodies[i], before_[i]);
    }
    ++frames_;
    if (same) return false;
    for (const FrameBody& body : bodies) check_triangles(body);
    keep(bodies);
    return !first;
}

void FrameCheck::keep(std::span<const FrameBody> bodies) {
    before_.clear();
    for (const FrameBody& body : bodies)
        before_.push_back(
            {body.name, body.positions.size(), {body.triangles.begin(), body.triangles.end()}});
}

void FrameCheck::check_body(const FrameBody& body) const {
    const std::size_t n = body.positions.size();
    if (n == 0)
        fail(
            ErrorCode::bad_argument,
            "body '{}' in frame {} of '{}' has no vertices; give it some, and triangles where they "
            "are more than points",
            body.name, frames_, where_);
    if (body.normals.size() != n)
        fail(ErrorCode::bad_argument,
             "body '{}' in frame {} of '{}' has {} vertices but {} normals; give one each",
             body.name, frames_, where_, n, body.normals.size());
    if (const std::size_t i = first_not_finite(body.positions); i < n)
        fail(ErrorCode::failed,
             "vertex {} of body '{}' in frame {} is not finite, so '{}' ends before it; try a "
             "smaller time step",
             i, body.name, frames_, where_);
    if (const std::size_t i = first_not_finite(body.normals); i < n)
        fail(ErrorCode::failed,
             "the normal of vertex {} of body '{}' in frame {} is not finite, so '{}' ends before "
             "it; "
             "try a smaller time step",
             i, body.name, frames_, where_);
    if (!is_finite(body.colour))
        fail(ErrorCode::bad_argument,
             "the colour of body '{}' is not finite; use numbers from 0 to 1", body.name);
}

void FrameCheck::check_triangles(const FrameBody& body) const {
    for (std::size_t t = 0; t < body.triangles.size(); ++t)
        for (const std::uint32_t corner : body.triangles[t])
            if (corner >= body.positions.size())
                fail(ErrorCode::bad_argument,
                     "triangle {} of body '{}' names vertex {}, but there are only {}; correct the "
                     "index",
                     t, body.name, corner, body.positions.size());
}

bool FrameCheck::is_same(const FrameBody& body, const Topology& before) {
    return body.name == before.name && body.positions.size() == before.vertices &&
           std::ranges::equal(body.triangles, before.triangles);
}

void FrameCheck::check_same(const FrameBody& body, const Topology& first) const {
    if (is_same(body, first)) return;
    fail(ErrorCode::bad_argument,
         "body '{}' in frame {} of '{}' is not the body '{}' of the first frame: {} vertices and "
         "{} triangles, before {} and {}; keep names and triangles, or write frames to .obj/ or "
         ".ply/, where they may change",
         body.name, frames_, where_, first.name, body.positions.size(), body.triangles.size(),
         first.vertices, first.triangles.size());
}

}  // namespace turgor
