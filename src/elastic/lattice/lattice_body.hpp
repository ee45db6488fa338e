#pragma once

#include "elastic/lattice/lattice.hpp"
#include "elastic/lattice/tearing.hpp"
#include "elastic/matching/parameters.hpp"
#include "elastic/model.hpp"

namespace turgor {

/// A body of the lattice model: its cells, its stiffness, and the last fit of each region.
class LatticeBody final : public ElasticBody, public CpuElasticity {
public:
    LatticeBody(std::shared_ptr<const BodySource> source, const Material& material,
                const ModelSettings& settings, const BakeContext& context);

    void set_material(const Material& material, const BakeContext& context) override;
    std::shared_ptr<const Regions> smoothing() const override { return prepared_.smoothing; }
    std::shared_ptr<const CpuRegions> cpu_smoothing() const override {
        return prepared_.cpu_smoothing;
    }
    /// Regions wear out what is pushed over some half-widths. With one alone, cubes that are pulled
    /// to 1.6 of their length still lose their skin.
    int volume_layers() const override { return 3 * parameters_.width; }
    double frequency() const override { return parameters_.frequency; }
    double residual_damping() const override { return parameters_.global_damping; }
    double comfortable_push(double h) const override;
    double change_noise() const override { return parameters_.stiffness; }
    std::vector<Figure> figures() const override;
    double longest_step() const override { return parameters_.longest_step(); }

    void damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
              std::span<Vec3> scratch) override;
    void deform(const ReferencePass& pass) override;
    void find_change(std::span<const Vec3> x, std::span<double> change) const override;
    bool find_goals(std::span<const Vec3> x, std::span<Vec3> goals) const override;
    CpuElasticity* cpu() override { return prepared_.cpu_rest ? this : nullptr; }

    bool can_tear() const override { return tear_stretch_.has_value(); }
    std::vector<Piece> tear(std::span<const Vec3> x) override;

    void turn(Quat by) override;
    void reset(Quat orientation) override;
    void write(ByteWriter& out) const override;
    void read(ByteReader& in) override;
    void count_bytes(std::set<const void*>& counted, std::size_t& total) const override;
    void to_cpu() override;
    void to_reference() override;
    std::vector<std::uint32_t> region_around(std::uint32_t particle) const override;
    std::vector<std::array<std::uint32_t, 2>> bonds() const override;

    // The cpu form.
    std::size_t memory() const override;
    void damp(const CpuPass& pass) override;
    IntegrateSums integrate(const CpuPass& pass, const FrameChange& frame) override;
    GoalSums deform(const CpuPass& pass, Quad centre) override;
    bool counts_rounding() const override { return true; }
    std::shared_ptr<const void> rest() const override { return prepared_.cpu_rest; }
    std::span<Quad> state() override { return cpu_rotation_; }

private:
    /// What a width of regions needs.
    struct Prepared {
        std::shared_ptr<const LatticeRest> rest;
        std::shared_ptr<const LatticeCpuRest> cpu_rest;
        std::shared_ptr<const Regions> smoothing;
        std::shared_ptr<const CpuRegions> cpu_smoothing;
    };
    /// A piece of a body that tears.
    LatticeBody(const LatticeBody& from, std::shared_ptr<const LatticePiece> piece,
                std::span<const std::uint32_t> particle_before);
    const LatticeCells& whole() const { return whole_ ? *whole_->lattice : *lattice_; }
    bool is_torn() const { return whole_ && lattice_ != whole_->lattice; }
    /// Of what is torn, which no other body shares.
    static Prepared prepare_piece(const LatticeCells& lattice, int width, Summation summation,
                                  bool for_cpu);
    void adopt(std::shared_ptr<const LatticePiece> piece);
    /// A pass over elements, whose positions and velocities are gathered; and one over particles.
    RegionCpuView elements(const CpuPass& pass, bool with_velocities);
    RegionCpuView particles(const CpuPass& pass);

    std::shared_ptr<const BodySource> source_;
    ModelSettings settings_;
    std::shared_ptr<const LatticeCells> lattice_;
    Prepared prepared_;
    std::optional<double> tear_stretch_;
    std::shared_ptr<const TearingLattice> whole_;  ///< of a body that can tear
    std::shared_ptr<const LatticePiece> piece_;    ///< likewise: what it is of it
    Summation summation_ = Summation::fast;
    RegionParameters parameters_;
    std::vector<Quat> rotation_;  ///< the last fit of each region, by particles: the reference form
    AlignedVector<Quad> cpu_rotation_;  ///< by elements, (x, y, z, w): the cpu form
};

}  // namespace turgor
