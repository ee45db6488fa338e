#include "elastic/surface/surface_model.hpp"

#include "base/errors.hpp"
#include "elastic/surface/surface_body.hpp"

namespace turgor {
namespace {

class SurfaceElasticModel final : public ElasticModel {
public:
    std::string_view name() const override { return "surface"; }
    Traits traits() const override { return {.meets_frequency = true, .plastic = true}; }
    std::uint32_t snapshot_version() const override { return 2; }
    void check(const Formulation& f) const override {
        if (!(f.surface.normal_point_weight >= 0 && f.surface.normal_point_weight <= 1e6))
            fail(ErrorCode::bad_argument,
                 "the weight of the normal point is {} but must be 0 … 1e6",
                 f.surface.normal_point_weight);
    }
    bool conserves_momentum(const Formulation& f) const override { return f.surface.share_mass; }
    bool has_cpu_form(const Formulation& f) const override {
        return f.surface.share_mass && f.surface.normal_point_weight == 0;
    }
    bool has_device_form(const Formulation& f) const override { return has_cpu_form(f); }
#ifdef TURGOR_OPENCL
    std::unique_ptr<device::DeviceElasticity> make_device_form(
        device::Queue& queue) const override {
        return make_surface_device(queue);
    }
#endif
    std::vector<Setting> settings() const override {
        return {{"omega", 1, 16, true}, {"stiffness", 0, 1}, {"damping", 0, 1}};
    }

    std::unique_ptr<ElasticBody> bake(std::shared_ptr<const BodySource> source,
                                      const Material& material, const ModelSettings& settings,
                                      const BakeContext& context) const override {
        return std::make_unique<SurfaceBody>(std::move(source), material, settings, context);
    }
};

}  // namespace

SurfaceModel::operator Model() const {
    Model model{"surface"};
    if (omega) model.settings["omega"] = *omega;
    if (stiffness) model.settings["stiffness"] = *stiffness;
    if (damping) model.settings["damping"] = *damping;
    return model;
}

const ElasticModel& surface_model() {
    static const SurfaceElasticModel model;
    return model;
}

}  // namespace turgor
