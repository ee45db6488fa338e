#include "elastic/meshless/meshless_model.hpp"

#include "elastic/meshless/meshless_body.hpp"
#include "elastic/meshless/published_body.hpp"

namespace turgor {
namespace {

class MeshlessElasticModel final : public ElasticModel {
public:
    std::string_view name() const override { return "meshless"; }
    Traits traits() const override {
        return {.meets_frequency = true, .rigid_response = true, .plastic = true};
    }
    std::uint32_t snapshot_version() const override { return 1; }
    bool conserves_momentum(const Formulation& f) const override { return !f.meshless.published; }
    bool has_cpu_form(const Formulation& f) const override { return !f.meshless.published; }
    bool knows_matching_weights(const Formulation& f) const override {
        return !f.meshless.published;
    }
    std::vector<Setting> settings() const override {
        return {{.name = "mode",
                 .least = 0,
                 .most = 2,
                 .whole = true,
                 .choices = {"rigid", "linear", "quadratic"}},
                {"beta", 0, 0.95},
                {"clusters", 1, 1000, true},
                {.name = "placement",
                 .least = 0,
                 .most = 1,
                 .whole = true,
                 .choices = {"connected", "regular"}},
                {"stiffness", 0, 1}};
    }

    std::unique_ptr<ElasticBody> bake(std::shared_ptr<const BodySource> source,
                                      const Material& material, const ModelSettings& settings,
                                      const BakeContext& context) const override {
        if (context.formulation.meshless.published)
            return std::make_unique<PublishedBody>(std::move(source), material, settings, context);
        return std::make_unique<MeshlessBody>(std::move(source), material, settings, context);
    }
};

}  // namespace

MeshlessModel::operator Model() const {
    Model model{"meshless"};
    model.settings["mode"] = static_cast<double>(mode);
    if (beta) model.settings["beta"] = *beta;
    if (clusters) model.settings["clusters"] = *clusters;
    if (regular) model.settings["placement"] = 1;
    if (stiffness) model.settings["stiffness"] = *stiffness;
    return model;
}

const ElasticModel& meshless_model() {
    static const MeshlessElasticModel model;
    return model;
}

}  // namespace turgor
