#include <algorithm>

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

const ElasticModel& model_named(std::string_view name) {
    const auto at = std::ranges::find(registry(), name, &ElasticModel::name);
    if (at != registry().end()) return **at;
    std::string names;
    for (const ElasticModel* model : registry())
        names += (names.empty() ? "" : ", ") + std::string(model->name());
    fail(ErrorCode::bad_argument, "there is no elastic model '{}'; the models are {}", name, names);
}

void register_model(const ElasticModel& model) {
    if (std::ranges::find(registry(), model.name(), &ElasticModel::name) != registry().end())
        fail(ErrorCode::bad_argument, "there is an elastic model '{}' already", model.name());
    registry().push_back(&model);
}

}  // namespace turgor
