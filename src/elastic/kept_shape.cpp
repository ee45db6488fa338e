#include "elastic/kept_shape.hpp"

#include <algorithm>
#include <cmath>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/rigid_system.hpp"
#include "base/rotation.hpp"

namespace turgor {
namespace {

/// Within a thousand sizes: what lies further is what is left of a body that was torn apart.
bool is_shape(std::span<const Vec3> positions, const BodyAsset& asset) {
    const double farthest = 1e3 * asset.size;
    return std::ranges::all_of(positions, [&](const Vec3& p) { return norm(p) < farthest; });
}

}  // namespace

double KeptShape::tolerance(const BodyAsset& asset) const {
    if (positions_.empty()) return 0;
    return (settled_ ? 0.003 : 0.01) * asset.size;
}

void KeptShape::note_flow(double flowed, double h) {
    constexpr double slow = 1e-4;  // [1/s]
    unmeasured_ += flowed;
    if (flowed >= slow * h)
        settled_ = false, quiet_ = 0;
    else if (!settled_)
        quiet_ += h;
}

bool KeptShape::is_out_of_date() const {
    constexpr double noticeable = 1e-3;
    return unmeasured_ > noticeable || (!settled_ && quiet_ >= settle_time);
}

void KeptShape::measure(const BodyAsset& asset, std::vector<Vec3> goals, Quat guess) {
    const std::span<const Vec3> before = positions_.empty() ? asset.rest : positions_;
    const Vec3 centre = centre_of_mass(asset.mass, goals);
    Mat3 a;
    for (std::size_t i = 0; i < goals.size(); ++i)
        a += outer(asset.mass[i] * (goals[i] - centre), before[i]);
    const Quat back = conjugate(nearest_rotation(a, guess));
    for (Vec3& g : goals) g = rotate(back, g - centre);
    unmeasured_ = 0;
    settled_ = quiet_ >= settle_time;
    if (!is_shape(goals, asset)) return;
    positions_ = std::move(goals);
    ++changes_;
}

void KeptShape::forget() {
    positions_.clear();
    unmeasured_ = quiet_ = 0;
    settled_ = true;
    ++changes_;
}

void KeptShape::write(ByteWriter& out) const {
    out.put_array(positions_);
    out.put(unmeasured_);
    out.put(quiet_);
    out.put(static_cast<std::uint8_t>(settled_));
}

void KeptShape::read(ByteReader& in, const BodyAsset& asset) {
    auto positions = in.get_array<Vec3>();
    const auto unmeasured = in.get<double>(), quiet = in.get<double>();
    const auto settled = in.get<std::uint8_t>();
    if ((!positions.empty() && positions.size() != asset.rest.size()) ||
        !is_shape(positions, asset) || !(unmeasured >= 0 && unmeasured < 1e12) ||
        !(quiet >= 0 && quiet < 1e12) || settled > 1)
        fail(ErrorCode::bad_snapshot, "the rest shape of a plastic body is out of range");
    if (!positions_.empty() || !positions.empty()) ++changes_;
    positions_ = std::move(positions);
    unmeasured_ = unmeasured;
    quiet_ = quiet;
    settled_ = settled != 0;
}

}  // namespace turgor
