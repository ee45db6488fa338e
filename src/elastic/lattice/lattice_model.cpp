#include "elastic/lattice/lattice_model.hpp"

#include "elastic/lattice/lattice_body.hpp"
#include "elastic/lattice/lattice_cache.hpp"

namespace turgor {
namespace {

class LatticeElasticModel final : public ElasticModel {
public:
    std::string_view name() const override { return "lattice"; }
    Traits traits() const override { return {.meets_frequency = true, .any_mesh = true}; }
    std::uint32_t snapshot_version() const override { return 2; }
    bool has_cpu_form(const Formulation&) const override { return true; }
    std::vector<Setting> settings() const override {
        return {{"cells", 1, cells_max, true},
                {"half_width", 1, half_width_max, true},
                {"stiffness", 0, 1},
                {"damping", 0, 1},
                {"tear_stretch", tear_stretch_min, tear_stretch_max}};
    }

    std::unique_ptr<ElasticBody> bake(std::shared_ptr<const BodySource> source,
                                      const Material& material, const ModelSettings& settings,
                                      const BakeContext& context) const override {
        return std::make_unique<LatticeBody>(std::move(source), material, settings, context);
    }
};

}  // namespace

LatticeModel::operator Model() const {
    Model model{"lattice"};
    if (cells) model.settings["cells"] = *cells;
    if (half_width) model.settings["half_width"] = *half_width;
    if (stiffness) model.settings["stiffness"] = *stiffness;
    if (damping) model.settings["damping"] = *damping;
    if (tear_stretch) model.settings["tear_stretch"] = *tear_stretch;
    return model;
}

const ElasticModel& lattice_model() {
    static const LatticeElasticModel model;
    return model;
}

}  // namespace turgor
