#pragma once

#include "body/cpu_asset.hpp"
#include "body/cpu_particle.hpp"
#include "contact/contact.hpp"
#include "elastic/cpu_pass.hpp"
#include "step/handles.hpp"
#include "volume/volume_cpu.hpp"

namespace turgor {

/// A body's state as the cpu back end keeps it: single precision, in a frame that moves with the
/// body in double precision, so that neither a long way nor a high speed costs digits. What w says
/// beside each vector is in body/cpu_particle.hpp.
struct CpuBody {
    AlignedVector<Quad> x;  ///< relative to the origin
    AlignedVector<Quad> v;  ///< relative to the drift
    Vec3 origin;            ///< [m]
    Vec3 drift;             ///< velocity of the frame [m/s]
    Vec3 mean_x, mean_v;    ///< of all particles, in the frame
    Extent extent;

    Vec3 world_x(std::size_t i) const { return origin + x[i].xyz(); }
    Vec3 world_v(std::size_t i) const { return drift + v[i].xyz(); }
    /// Mean and extent from scratch, masses being those of the asset.
    void measure(const CpuAsset& asset);
    /// Begins to bring the particles of a small body from memory, without waiting for them.
    void prefetch() const;
};

struct CpuScratch;
VolumeCpuView volume_view(const CpuAsset& asset, const VolumeCpuRest& rest, Summation summation,
                          CpuBody& state, CpuScratch& scratch);

/// Particles at contacts and pins, taken out of a body in double precision and world coordinates.
struct TouchedParticles {
    std::vector<std::uint32_t> particle;
    std::vector<Vec3> x_start, x, v;
    std::vector<double> pressed;
    std::vector<Support> support;
    std::vector<Support> volume_support;  ///< supports as far as the volume correction feels them
    std::vector<Vec3> push;      ///< what supports press back with, per unit of the correction
    std::vector<Vec3> v_before;  ///< v, before contacts changed it
    std::size_t size() const { return particle.size(); }
    void clear();
    void reserve(std::size_t n);
    void add(std::uint32_t i);
};

/// What each block of a body found out.
struct alignas(64) BlockSums {
    struct Largest {
        float value = 0;
        void add(const Largest& other) { value = value < other.value ? other.value : value; }
    };
    Largest direction_length;
    ShapeSums shape;
    WeightSums weight;
    DirectionSums direction;
    MovedSums moved;
    MotionSums motion;
    Extent extent;
};

/// What a step needs of memory besides the state; used for one body after the other.
struct CpuScratch {
    AlignedVector<Quad> x_start, predicted_v, normal, direction;
    AlignedVector<Quad> arm, last_direction;  ///< where inner particles follow the volume
    AlignedVector<float> change, weight;
    AlignedVector<float> free;         ///< all 1 between steps
    AlignedVector<std::byte> elastic;  ///< what the elastic model asks for
    std::vector<ElasticBlockSums> elastic_blocks;
    AlignedVector<std::int32_t> rows;
    std::vector<std::uint32_t> slot;  ///< of a particle in `touched`; `none` between steps
    TouchedParticles touched;
    HandledParticles handled;
    std::vector<Pin> pins;
    std::vector<const Contact*> nearest;
    std::vector<BlockSums> blocks;

    static constexpr std::uint32_t none = 0xffffffff;
    /// `elastic_bytes`: what its elastic model asks for.
    void fit(const CpuAsset& asset, std::size_t elastic_bytes);
    std::size_t bytes() const;
    /// As every body must find it: nothing is held, no particle has a slot.
    bool is_clear() const;
};

}  // namespace turgor
