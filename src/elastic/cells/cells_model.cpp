#include "elastic/cells/cells_model.hpp"

#include "elastic/cells/cells_body.hpp"

namespace turgor {
namespace {

class CellsElasticModel final : public ElasticModel {
public:
    std::string_view name() const override { return "cells"; }
    Traits traits() const override { return {.meets_frequency = true, .any_mesh = true}; }
    std::uint32_t snapshot_version() const override { return 1; }
    std::vector<Setting> settings() const override {
        return {{"cells", 1, 256, true}, {"E", 1, 1e9}, {"G", 1, 1e9}, {"tolerance", 1e-6, 1}};
    }

    std::unique_ptr<ElasticBody> bake(std::shared_ptr<const BodySource> source,
                                      const Material& material, const ModelSettings& settings,
                                      const BakeContext& context) const override {
        return std::make_unique<CellsBody>(std::move(source), material, settings, context);
    }
};

}  // namespace

CellsModel::operator Model() const {
    Model model{"cells"};
    if (cells) model.settings["cells"] = *cells;
    if (E) model.settings["E"] = *E;
    if (G) model.settings["G"] = *G;
    if (tolerance) model.settings["tolerance"] = *tolerance;
    return model;
}

const ElasticModel& cells_model() {
    static const CellsElasticModel model;
    return model;
}

}  // namespace turgor
