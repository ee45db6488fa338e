#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "elastic/model.hpp"
#include "elastic/surface/surface_model.hpp"

namespace turgor {
namespace {

/// The built-in models: a new one is a line here.
std::vector<const ElasticModel*>& registry() {
    static std::vector<const ElasticModel*> all{&surface_model()};
    return all;
}

}  // namespace

std::span<const ElasticModel* const> models() {
    return registry();
}

bool cpu_forms_know(const Formulation& formulation) {
    return std::ranges::all_of(models(), [&](const ElasticModel* model) {
        return !model->has_cpu_form(Formulation{}) || model->has_cpu_form(formulation);
    });
}

const ElasticModel& model_named(std::string_view name) {
    const auto at = std::ranges::find(registry(), name, &ElasticModel::name);
    if (at != registry().end()) return **at;
    std::string names;
    for (const ElasticModel* model : registry())
        names += (names.empty() ? "" : ", ") + std::string(model->name());
    fail(ErrorCode::bad_argument, "there is no elastic model '{}'; the models are {}", name, names);
}

const ElasticModel& model_of(const Model& wanted) {
    const ElasticModel& model = model_named(wanted.name);
    const auto known = model.settings();
    for (const auto& [name, value] : wanted.settings) {
        const auto at = std::ranges::find(known, name, &ElasticModel::Setting::name);
        if (at == known.end()) {
            std::string names;
            for (const auto& setting : known)
                names += (names.empty() ? "" : ", ") + std::string(setting.name);
            fail(ErrorCode::bad_argument, "the model '{}' has no setting '{}'; it has {}",
                 wanted.name, name, names.empty() ? "none" : names);
        }
        if (at->whole && value != std::floor(value))
            fail(ErrorCode::bad_argument, "{} of the model '{}' is {} but must be a whole number",
                 name, wanted.name, value);
        if (!(value >= at->least && value <= at->most))
            fail(ErrorCode::bad_argument,
                 "{} of the model '{}' is {} but must be between {} and {}", name, wanted.name,
                 value, at->least, at->most);
    }
    return model;
}

std::vector<std::string> Model::names() {
    std::vector<std::string> names;
    for (const ElasticModel* model : models()) names.emplace_back(model->name());
    return names;
}

void register_model(const ElasticModel& model) {
    if (std::ranges::find(registry(), model.name(), &ElasticModel::name) != registry().end())
        fail(ErrorCode::bad_argument, "there is an elastic model '{}' already", model.name());
    registry().push_back(&model);
}

}  // namespace turgor
