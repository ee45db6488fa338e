#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/parse_number.hpp"
#include "elastic/cells/cells_model.hpp"
#include "elastic/lattice/lattice_model.hpp"
#include "elastic/meshless/meshless_model.hpp"
#include "elastic/model.hpp"
#include "elastic/surface/surface_model.hpp"

namespace turgor {
namespace {

/// The built-in models: a new one is a line here.
std::vector<const ElasticModel*>& registry() {
    static std::vector<const ElasticModel*> all{&surface_model(), &meshless_model(),
                                                 &lattice_model(), &cells_model()};
    return all;
}

std::string listed(std::span<const std::string_view> words) {
    std::string all;
    for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
    return all.empty() ? "none" : all;
}

ElasticModel::Setting setting_of(const ElasticModel& model, std::string_view name) {
    std::vector<std::string_view> names;
    for (const ElasticModel::Setting& setting : model.settings()) {
        if (setting.name == name) return setting;
        names.push_back(setting.name);
    }
    fail(ErrorCode::bad_argument, "the model '{}' has no setting '{}'; it has {}", model.name(),
         name, listed(names));
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

void require_knows(const ElasticModel& model, const BodySource& source,
                   const Formulation& formulation) {
    if (source.matching_weights.empty() || model.knows_matching_weights(formulation)) return;
    std::vector<std::string_view> knowing;
    for (const ElasticModel* other : models())
        if (other->knows_matching_weights(formulation)) knowing.push_back(other->name());
    fail(ErrorCode::bad_argument,
         "the model '{}' knows no matching weights; models that do in this formulation: {}",
         model.name(), listed(knowing));
}

const ElasticModel& model_named(std::string_view name) {
    const auto at = std::ranges::find(registry(), name, &ElasticModel::name);
    if (at != registry().end()) return **at;
    std::vector<std::string_view> names;
    for (const ElasticModel* model : registry()) names.push_back(model->name());
    fail(ErrorCode::bad_argument, "there is no elastic model '{}'; the models are {}", name,
         listed(names));
}

const ElasticModel& model_of(const Model& wanted) {
    const ElasticModel& model = model_named(wanted.name);
    for (const auto& [name, value] : wanted.settings) {
        const ElasticModel::Setting setting = setting_of(model, name);
        if (setting.whole && value != std::floor(value))
            fail(ErrorCode::bad_argument, "{} of the model '{}' is {} but must be a whole number",
                 name, wanted.name, value);
        if (!(value >= setting.least && value <= setting.most))
            fail(ErrorCode::bad_argument,
                 "{} of the model '{}' is {} but must be between {} and {}", name, wanted.name,
                 value, setting.least, setting.most);
    }
    return model;
}

double setting_value(const ElasticModel& model, std::string_view name, std::string_view word) {
    const ElasticModel::Setting setting = setting_of(model, name);
    const auto choice = std::ranges::find(setting.choices, word);
    if (choice != setting.choices.end())
        return static_cast<double>(choice - setting.choices.begin());
    double number = 0;
    const char* const end = word.data() + word.size();
    const auto read = parse_number(word.data(), end, number);
    if (setting.choices.empty() && read.ec == std::errc() && read.ptr == end) return number;
    fail(ErrorCode::bad_argument, "{} of the model '{}' is '{}' but must be {}", name, model.name(),
         word, setting.choices.empty() ? "a number" : listed(setting.choices));
}

Model Model::parse(std::string_view text, Status* status) {
    return reporting_to(
        status,
        [&] {
            const auto next = [&](char end) {
                const std::string_view word = text.substr(0, text.find(end));
                text.remove_prefix(std::min(text.size(), word.size() + 1));
                return word;
            };
            Model model{std::string(next(':'))};
            const ElasticModel& known = model_named(model.name);
            while (!text.empty()) {
                std::string_view pair = next(',');
                const auto equals = pair.find('=');
                if (equals == std::string_view::npos)
                    fail(ErrorCode::bad_argument,
                         "'{}' of the model '{}' is no setting; write NAME=VALUE, as in "
                         "meshless:mode=linear,beta=0.5",
                         pair, model.name);
                const std::string_view name = pair.substr(0, equals);
                const double value = setting_value(known, name, pair.substr(equals + 1));
                if (!model.settings.emplace(name, value).second)
                    fail(ErrorCode::bad_argument, "{} of the model '{}' is given twice", name,
                         model.name);
            }
            model_of(model);
            return model;
        },
        Model{});
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
