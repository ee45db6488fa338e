#pragma once

#include <span>

#include "base/motion_sums.hpp"
#include "body/cpu_asset.hpp"
#include "volume/volume_rest.hpp"

namespace turgor {

/// Stages 4 and 5 for the cpu back end: the same correction as in volume.hpp, in single precision.
/// Every function works on one block of particles; what it sums is in double precision and added to
/// its last argument, so that blocks may run at the same time and their sums be added in order
/// afterwards. Masses are those for density 1: the density cancels. What few particles at contacts
/// add is left to the caller. What w says beside each vector is in body/cpu_particle.hpp.

struct VolumeCpuView {
    const CpuAsset& asset;
    const CpuStruts& struts;
    const CpuRegions& smoothing;
    Summation summation = Summation::fast;
    std::span<Quad> x;              ///< positions relative to the body's origin
    std::span<Quad> v;              ///< velocities
    std::span<const Quad> x_start;  ///< where the step began: arms of stage 4
    std::span<Quad> normal;         ///< n̄
    std::span<Quad> direction;      ///< D
    std::span<const float> free;    ///< 1 − hold, of contacts and pins
    std::span<const float> change;  ///< |cᵢ|
    std::span<float> weight;        ///< of the correction, before holds
    std::span<std::int32_t> rows;   ///< scratch: rows()
    // Where inner particles follow: what they follow, and scratch for corners of the surface.
    const CpuVolumeFollowers* followers = nullptr;
    std::span<Quad> arm{};       ///< centres of clumps, which arms lead to
    std::span<Quad> velocity{};  ///< D of stage 5
};

/// n̄ᵢ from the ring around each particle, and the local weights before their scale is known:
/// β sᵢ dᵢ + (1−β) |cᵢ|, less what is nothing but rounding.
struct ShapeSums {
    double nine_volumes = 0;  ///< Σ x·n̄ = 9 V
    double raw_weight = 0;
    void add(const ShapeSums& other);
};
void measure_shape(const VolumeCpuView& body, float beta, float rounding, std::uint32_t block,
                   ShapeSums& sums);
/// The normals alone, for showing.
void find_normals(const VolumeCpuView& body, std::uint32_t block);
/// (1−α) scale w + α, capped at three times the mean, ready to be summed over regions.
void cap_weights(const VolumeCpuView& body, float scale, float alpha, std::uint32_t block);

/// How far a correction with weights w would push (docs/methods.md, "Volume").
struct WeightSums {
    double weight = 0;  ///< Σ w
    double free = 0;    ///< Σ of what of the particles is free
    double slope = 0;   ///< Σ w |n̄|²/(3m)
    float largest = 0;  ///< of w |n̄|/m
    void add(const WeightSums& other);
};
/// Weights smoothed over regions; without `smooth` they are 1.
void smooth_weights(const VolumeCpuView& body, bool smooth, std::uint32_t block, WeightSums& sums);

/// Which particles a correction may not move.
enum class Held {
    by_all,   ///< contacts and pins: stage 4
    by_pins,  ///< stage 5
};

/// Finds the arms r of stage 4, x_start, or of stage 5, x; where inner particles follow, at the
/// centres of clumps. Nothing to do where none do.
void find_arms(const VolumeCpuView& body, Held held, std::uint32_t block);

/// Σ over the particles of what the momentum-free direction is made of, with weights
/// w = free (keep weight + 1 − keep) and the mass M that moves with each corner.
struct DirectionSums {
    double weight = 0;   ///< Σ M w
    Vec3 first;          ///< Σ M w r
    Vec3 second, mixed;  ///< Σ M w r rᵀ: xx yy zz, and xy yz zx
    Vec3 linear;         ///< Σ w n̄
    Vec3 angular;        ///< Σ r × w n̄
    double square = 0;   ///< Σ w |n̄|²/m
    Vec3 momentum;       ///< Σ (M/m) w n̄
    Vec3 moment;         ///< Σ r × (M/m) w n̄
    double push = 0;     ///< Σ (M/m) w; nothing where none follow
    void add(const DirectionSums& other);
    /// (a, b) of the direction D = w (n̄/m − a − b × r) that leaves the given momenta unbalanced.
    RigidField field(Vec3 linear_left = {}, Vec3 angular_left = {}) const;
    /// Σ D·n̄ of that direction.
    double effect(const RigidField& field) const;
};
void direction_sums(const VolumeCpuView& body, Held held, float keep, std::uint32_t block,
                    DirectionSums& sums);

/// D = w (n̄/m − a − b × r). Returns max |D|.
float make_direction(const VolumeCpuView& body, float keep, Quad a, Quad b, std::uint32_t block);
/// x += factor D, v += factor/h D.
void move_along(const VolumeCpuView& body, float factor, float per_h, std::uint32_t block);
/// The same of inner particles by their shares of what corners have; D of stage 4 or of stage 5.
void move_followers(const VolumeCpuView& body, std::span<const Quad> direction, float position,
                    float velocity, std::uint32_t block);

/// After a move: normals anew, and all that is needed to go on.
struct MovedSums {
    double nine_volumes = 0;
    double effect = 0;      ///< Σ D·n̄
    double divergence = 0;  ///< Σ v·n̄
    WeightSums all, pins;   ///< with what is held by contacts and pins, and by pins only
    void add(const MovedSums& other);
};
void measure_moved(const VolumeCpuView& body, std::uint32_t block, MovedSums& sums);

/// The last move of stage 4, small enough for the normals to stay, and that of stage 5:
/// x += position D, v += position/h D − velocity w (n̄/m − a − b × x). The move may be smaller than
/// the spacing of floats; x is rounded up or down at random, so that on the whole it is made all
/// the same.
struct LastMove {
    float position = 0, per_h = 0;
    std::uint32_t dither = 0;  ///< different in every step
    float velocity = 0, keep = 1;
    Quad a, b;
};
/// Of a last move, D of stage 5 alone, for what follows.
void find_last_direction(const VolumeCpuView& body, const LastMove& move, std::uint32_t block);
void move_last(const VolumeCpuView& body, const LastMove& move, std::uint32_t block,
               MotionSums& sums);

/// v = keep v + a + b × x for all that is not pinned.
struct VelocityChange {
    double keep = 1;
    Vec3 a, b;
    /// This one, then another.
    VelocityChange then(const VelocityChange& next) const {
        return {next.keep * keep, next.keep * a + next.a, next.keep * b + next.b};
    }
    Vec3 at(Vec3 x, Vec3 v) const { return keep * v + a + cross(b, x); }
};
struct Extent {
    float reach = 0, speed = 0;  ///< largest component of x and of v
    float deforming = 0;         ///< of v without the body's rigid motion
    void add(const Extent& other);
};
/// `rigid`: the body's rigid motion afterwards.
void change_velocities(const VolumeCpuView& body, const VelocityChange& change,
                       const RigidField& rigid, std::uint32_t block, Extent& extent);

}  // namespace turgor
