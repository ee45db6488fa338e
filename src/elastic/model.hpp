#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "body/asset.hpp"
#include "body/bake_cache.hpp"
#include "body/response.hpp"
#include "body/source.hpp"
#include "body/support.hpp"
#include "elastic/cpu_pass.hpp"
#include "elastic/device_form.hpp"
#include "elastic/regions.hpp"
#include "turgor/world.hpp"

namespace turgor {

class ByteReader;
class ByteWriter;

/// The seam between elastic models and everything else: what a model owes the world. A model is a
/// folder below src/elastic and a line in models.cpp; nobody else names it.

/// What a model may use while it prepares a body.
struct BakeContext {
    const Formulation& formulation;
    Summation summation = Summation::fast;
    bool for_cpu = true;  ///< prepare the cpu form, too
    BakeCache& cache;
};

/// Settings of a model, by name (turgor/model.hpp).
using ModelSettings = decltype(Model::settings);

/// A figure of one body that only its model knows, by name.
struct Figure {
    std::string_view name;
    double value = 0;
    std::string_view unit{};  ///< empty: none
};

/// Stage 2 of one body in double precision. Spans live as long as the sub-step.
struct ReferencePass {
    double h = 0;                       ///< [s]
    std::span<const Vec3> x_start;      ///< where the sub-step began
    std::span<const Support> supports;  ///< pins hold their particles
    std::span<Vec3> x;                  ///< predicted positions, to be moved
    std::span<double> change;           ///< |cᵢ|: how far elasticity would move a particle [m]
    std::span<Vec3> scratch;            ///< one for each particle
    /// False while the body is brought back to its shape: what it looks like then is no dent.
    bool may_flow = true;
    /// Zero; how far elasticity would have moved the particles that are held: with it, what pins
    /// take is no error of the angular momentum. A model may leave it.
    std::span<Vec3> held_back{};
};

/// What project works on, in double precision. Spans live as long as the call.
struct ProjectPass {
    std::span<const Support> supports;  ///< contacts and pins hold their particles
    std::span<Vec3> x;                  ///< positions, to be moved
    /// Zero; takes what supports push back, as a distance [m]: friction acts by as much.
    std::span<double> pressed;
};

/// How a body resists being deformed: its parameters, and its state beyond positions and
/// velocities. State has one owner at a time, the reference or the cpu form; to_cpu and
/// to_reference hand it over.
class ElasticBody {
public:
    virtual ~ElasticBody() = default;

    const std::shared_ptr<const BodyAsset>& asset() const { return asset_; }

    // Material.
    /// May replace rest data and carries state over; never changes particles, surface or order.
    virtual void set_material(const Material& material, const BakeContext& context) = 0;
    /// The sets that the volume stage smooths its weights over, shared with it, and their form for
    /// the cpu back end (null where there is none).
    virtual std::shared_ptr<const Regions> smoothing() const = 0;
    virtual std::shared_ptr<const CpuRegions> cpu_smoothing() const { return nullptr; }
    /// How many layers of inner particles go along with corrections of the volume.
    virtual int volume_layers() const { return 0; }
    virtual double frequency() const = 0;  ///< of its slowest wobble [Hz]
    /// What of the asked damping stage 2 does not bring about [1/s]: damped for the body as a
    /// whole.
    virtual double residual_damping() const { return 0; }
    /// A volume correction of this much in a sub-step of `h` is still comfortable [m]; a larger one
    /// is spread over the whole body.
    virtual double comfortable_push(double h) const = 0;
    /// What of `change` is nothing but the rounding of floats, relative to the body's size.
    virtual double change_noise() const = 0;
    virtual std::vector<Figure> figures() const { return {}; }

    // Steps.
    virtual double longest_step() const = 0;  ///< [s]
    /// How far particles may move in a sub-step relative to each other, and to colliders that they
    /// may meet [m].
    virtual double longest_way() const { return std::numeric_limits<double>::infinity(); }

    // Stage 2.
    /// Damps velocities; `scratch` has one vector for each particle.
    virtual void damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
                      std::span<Vec3> scratch) = 0;
    virtual void deform(const ReferencePass& pass) = 0;
    /// After contacts, and in turns with them, of bodies whose volume is kept: moves x to where
    /// constraints of its own are met, by pushes that have neither force nor torque at x but for
    /// what supports take. False: it has none.
    virtual bool project(const ProjectPass&) { return false; }
    /// Null: the model has no cpu form, or not for this formulation; the reference form runs then.
    virtual CpuElasticity* cpu() { return nullptr; }
    /// Whether the device form of its model, where it has one, can advance this body.
    virtual bool has_device_form() const { return true; }
    /// How it answers contacts; null: locally. Traits::rigid_response says that there is one.
    virtual Response* response() { return nullptr; }
    /// The last word on velocities in a sub-step: a rigid body's are those of a rigid motion.
    virtual void finish_velocities(std::span<const double>, std::span<const Vec3>,
                                   std::span<Vec3>) {}

    // Tells.
    /// `change` of stage 2 for positions outside a step; leaves the state alone.
    virtual void find_change(std::span<const Vec3> x, std::span<double> change) const = 0;
    /// Where the particles are at rest, the centre of mass at the origin: what recovery returns to
    /// and shape errors are measured from.
    virtual std::span<const Vec3> rest_shape() const { return asset_->rest; }
    /// How far it may be from that: what it keeps is measured now and then [m].
    virtual double rest_shape_tolerance() const { return 0; }
    /// Whether a plastic body's rest shape is out of date, and that it be measured where the body
    /// now is at x: between steps, of bodies that have a shape.
    virtual bool wants_rest_shape() const { return false; }
    virtual void measure_rest_shape(std::span<const Vec3>) {}
    /// Counts changes of rest_shape: what others made of it (struts) is then out of date.
    virtual std::uint64_t rest_shape_changes() const { return 0; }
    /// Whether it takes on new shapes.
    virtual bool is_plastic() const { return false; }
    /// Forgets what it keeps of deformations: the rest shape is that of the source again.
    virtual void reset_shape() {}
    /// False while it changes by itself, though nothing moves: what creeps or heals does not sleep.
    virtual bool at_rest() const { return true; }

    // Tears, between steps.
    /// What a body comes apart into.
    struct Piece {
        std::unique_ptr<ElasticBody> elastic;
        std::vector<std::uint32_t> particle_before;  ///< which each of its particles was
    };
    virtual bool can_tear() const { return false; }
    /// The pieces that it comes apart into where its particles are at x: itself the first of them,
    /// or alone where only its surface changes. None where it stays as it is.
    virtual std::vector<Piece> tear(std::span<const Vec3>) { return {}; }

    // Moved by: teleport; recovery, which leaves the body in its rest shape, turned.
    virtual void turn(Quat by) = 0;
    virtual void reset(Quat orientation) = 0;

    // Kept by: all that changes later bits beyond positions and velocities.
    virtual void write(ByteWriter& out) const = 0;
    /// An Error(bad_snapshot) where a number is out of its range; nothing has changed then. Of a
    /// body that was torn the asset is another one afterwards.
    virtual void read(ByteReader& in) = 0;
    /// Adds the memory of its state, and of rest data that `counted` does not have yet [bytes].
    virtual void count_bytes(std::set<const void*>& counted, std::size_t& total) const = 0;

    // The two forms of the state.
    virtual void to_cpu() {}
    virtual void to_reference() {}

    // Shown by.
    /// Vertices that are matched together around a particle, and paths that sums run along: lists
    /// of particles. Empty where the model has none.
    virtual std::vector<std::uint32_t> region_around(std::uint32_t) const { return {}; }
    virtual std::vector<std::vector<std::uint32_t>> paths() const { return {}; }
    /// Pairs of particles that are neighbours in a lattice; empty where there is none.
    virtual std::vector<std::array<std::uint32_t, 2>> bonds() const { return {}; }
    /// Cells that keep a volume each, for positions x; empty where there are none.
    struct CellVolume {
        std::array<std::uint32_t, 8> corners{};  ///< particles, numbered as in Solid
        double error = 0;                        ///< V / V₀ − 1
    };
    virtual std::vector<CellVolume> cell_volumes(std::span<const Vec3>) const { return {}; }
    /// Which clusters a particle belongs to, and with which shares; empty where there are none.
    struct Membership {
        std::uint32_t particle = 0, cluster = 0;
        double share = 0;
    };
    virtual std::vector<Membership> clusters() const { return {}; }
    /// Where each particle at x would be drawn; false where a model has no goals. The state stays.
    virtual bool find_goals(std::span<const Vec3> x, std::span<Vec3> goals) const {
        return static_cast<void>(x), static_cast<void>(goals), false;
    }

protected:
    std::shared_ptr<const BodyAsset> asset_;
};

/// One stateless object for each model.
class ElasticModel {
public:
    virtual ~ElasticModel() = default;

    virtual std::string_view name() const = 0;
    /// What it promises; conformance tests skip by name what it does not.
    struct Traits {
        bool meets_frequency = false;  ///< of the material
        bool rigid_response = false;   ///< its bodies may have a Response
        bool plastic = false;          ///< keeps dents of materials that have a plasticity
        bool any_mesh = false;         ///< makes bodies of open meshes and soups, too
    };
    virtual Traits traits() const = 0;
    /// An Error where its part of a formulation is out of range.
    virtual void check(const Formulation&) const {}
    /// Whether deform keeps the momentum, angular about the positions that it moves. What
    /// velocities from positions add to that is returned in stage 5.
    virtual bool conserves_momentum(const Formulation&) const { return true; }
    /// Whether it heeds BodySource::matching_weights.
    virtual bool knows_matching_weights(const Formulation&) const { return false; }
    /// Of what its bodies write into snapshots.
    virtual std::uint32_t snapshot_version() const = 0;
    /// Forms beside the reference, which knows every formulation.
    virtual bool has_cpu_form(const Formulation&) const { return false; }
    virtual bool has_device_form(const Formulation&) const { return false; }
    /// Null where there is none, or OpenCL is not in this build.
    virtual std::unique_ptr<device::DeviceElasticity> make_device_form(device::Queue&) const {
        return nullptr;
    }
    /// Its settings: their names and ranges.
    struct Setting {
        std::string_view name;
        double least = 0, most = 0;
        bool whole = false;  ///< a whole number
        /// Names of the numbers 0, 1, …; empty: it is a number.
        std::vector<std::string_view> choices{};
    };
    virtual std::vector<Setting> settings() const { return {}; }

    /// A body made of a source. An Error says why that is not possible.
    virtual std::unique_ptr<ElasticBody> bake(std::shared_ptr<const BodySource> source,
                                              const Material& material,
                                              const ModelSettings& settings,
                                              const BakeContext& context) const = 0;
};

/// All models, the built-in ones first.
std::span<const ElasticModel* const> models();
/// Whether the models that have a cpu form have it for this formulation, too.
bool cpu_forms_know(const Formulation& formulation);
/// An Error where a source has matching weights that the model does not know.
void require_knows(const ElasticModel& model, const BodySource& source,
                   const Formulation& formulation);
/// An Error lists the names.
const ElasticModel& model_named(std::string_view name);
/// The model that `wanted` names. An Error where there is none, or where it has a setting that the
/// model does not know or that is out of range.
const ElasticModel& model_of(const Model& wanted);
/// The number that a word stands for in a setting of the model: a choice by its name, or a number.
/// An Error lists the choices.
double setting_value(const ElasticModel& model, std::string_view setting, std::string_view word);
/// Adds a model beside the built-in ones, for tests and hosts; it must outlive all worlds. An Error
/// where the name is taken.
void register_model(const ElasticModel& model);

}  // namespace turgor
