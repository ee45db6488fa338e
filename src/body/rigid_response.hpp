#pragma once

#include <array>
#include <vector>

#include "base/mat3.hpp"
#include "body/response.hpp"

namespace turgor {

/// Answers contacts as a rigid body: its centre moves, and it turns about it.
class RigidResponse final : public Response {
public:
    void open(std::span<const double> mass, std::span<const Vec3> x_start,
              std::span<const Vec3> x) override;
    std::uint32_t add_point(std::span<const std::uint32_t> particles,
                            std::span<const double> weights) override;
    Mat3 compliance(std::uint32_t a, std::uint32_t b) const override;
    Vec3 displacement(Field field, std::uint32_t point) const override;
    void push(Field field, std::uint32_t point, Vec3 by) override;
    Vec3 finish(Field field, std::span<Vec3> particles) override;

private:
    std::vector<Vec3> points_;
    std::array<Vec3, 3> moved_{}, turned_{};  ///< by what was pushed, in each field
    std::span<const double> mass_;
    std::span<const Vec3> x_start_, x_;
    Vec3 centre_;
    double total_ = 1;
    Mat3 inverse_inertia_;
};

}  // namespace turgor
