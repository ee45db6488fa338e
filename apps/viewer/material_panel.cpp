#include "material_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "elastic/model.hpp"
#include "scene/schema.hpp"
#include "widgets.hpp"

namespace turgor {
namespace {

/// A slider of a number that a material always has or, with a box before it, may have.
struct MaterialSlider {
    const char *label, *key;  ///< `key`: in docs/scene.schema.json, which explains it
    double lowest, highest;
    const char* format;
    ImGuiSliderFlags flags = 0;
};

constexpr ImGuiSliderFlags ratio = ImGuiSliderFlags_Logarithmic;

/// Whether the value is a new one. `usual`: of one that is not set yet.
bool edit_number(const MaterialSlider& slider, double& value) {
    const bool changed =
        slide(slider.label, value, slider.lowest, slider.highest, slider.format, slider.flags);
    explain(described("plasticity", slider.key));
    return changed;
}
bool edit_number(const MaterialSlider& slider, std::optional<double>& value, double usual) {
    bool changed = set_or_not(slider.label, value, usual);
    double number = value.value_or(usual);
    ImGui::BeginDisabled(!value);
    changed |= slide(slider.label, number, slider.lowest, slider.highest,
                     value ? slider.format : "never", slider.flags);
    ImGui::EndDisabled();
    explain(described("plasticity", slider.key));
    if (value) value = number;
    return changed;
}

/// Bodies that differ otherwise stay different.
void copy_changes(const Material& old, const Material& now, Material& target) {
    const auto copy = [&](auto member) {
        if (!(old.*member == now.*member)) target.*member = now.*member;
    };
    copy(&Material::density);
    copy(&Material::frequency);
    copy(&Material::damping_ratio);
    copy(&Material::alpha);
    copy(&Material::beta);
    copy(&Material::friction);
    copy(&Material::static_friction);
    copy(&Material::restitution);
    copy(&Material::omega);
    copy(&Material::stiffness);
    copy(&Material::damping);
    copy(&Material::plasticity);
}

std::string with_spaces(std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name;
}

/// What the body's model uses where it was not told.
std::optional<double> in_use(const Readout::Line& line, std::string_view setting) {
    const auto figure = std::ranges::find(line.figures, setting, &ModelFigure::name);
    return figure == line.figures.end() ? std::nullopt : std::optional(figure->value);
}

// The settings that a material may say as well, of the model that it says them for. They are
// changed in place; all others are for the beginning of a body.
constexpr std::string_view model_of_material = "surface";

std::optional<double> of_material(const Material& m, std::string_view setting) {
    if (setting == "omega") return m.omega;
    if (setting == "stiffness") return m.stiffness;
    return setting == "damping" ? m.damping : std::nullopt;
}

void set_of_material(Material& m, std::string_view setting, std::optional<double> value) {
    if (setting == "omega")
        m.omega = value ? std::optional(static_cast<int>(*value)) : std::nullopt;
    if (setting == "stiffness") m.stiffness = value;
    if (setting == "damping") m.damping = value;
}

/// "automatic" or one of the setting's words.
bool choose(const char* label, const ElasticModel::Setting& setting, std::optional<double>& value) {
    const auto word = [&](double number) {
        return std::string(setting.choices[static_cast<std::size_t>(number)]);
    };
    bool changed = false;
    if (!ImGui::BeginCombo(label, value ? word(*value).c_str() : "automatic")) return false;
    if (ImGui::Selectable("automatic", !value)) value.reset(), changed = true;
    for (std::size_t k = 0; k < setting.choices.size(); ++k)
        if (ImGui::Selectable(word(static_cast<double>(k)).c_str(),
                              value == static_cast<double>(k)))
            value = static_cast<double>(k), changed = true;
    ImGui::EndCombo();
    return changed;
}

/// A slider that waits until the mouse is let go, for a change takes its time.
bool slide_setting(const char* label, const ElasticModel::Setting& setting,
                   std::optional<double>& value, std::optional<double> used) {
    const double usual = std::clamp(used.value_or(setting.least), setting.least, setting.most);
    bool changed = set_or_not(label, value, usual);
    double number = value.value_or(usual);
    const bool wide = setting.least > 0 && setting.most > 100 * setting.least;
    ImGui::BeginDisabled(!value);
    const std::string format =
        !value && !used
            ? "automatic"
            : fmt::format("{}{}", setting.whole ? "%.0f" : "%.3f", value ? "" : " (automatic)");
    slide(label, number, setting.least, setting.most, format.c_str(), wide ? ratio : 0);
    changed |= ImGui::IsItemDeactivatedAfterEdit();
    ImGui::EndDisabled();
    if (value) value = setting.whole ? std::round(number) : number;
    return changed;
}

}  // namespace

std::vector<std::string> model_lines(const Readout::Line& line) {
    std::vector<std::string> lines{
        fmt::format("{} model, {:.2f} Hz", line.model.name, line.frequency)};
    for (const ModelFigure& figure : line.figures)
        lines.push_back(fmt::format("{} {:.4g}{}{}", with_spaces(figure.name), figure.value,
                                    figure.unit.empty() ? "" : " ", figure.unit));
    return lines;
}

bool MaterialPanel::edit(Material& m) {
    bool changed = false;
    bool let_go = false;
    const auto number = [&](const MaterialSlider& slider, double& value) {
        const bool moved =
            slide(slider.label, value, slider.lowest, slider.highest, slider.format, slider.flags);
        let_go = ImGui::IsItemDeactivatedAfterEdit();
        explain(described("material", slider.key));
        return moved;
    };
    // Another frequency needs another bake, which waits until the mouse is let go.
    number({"firmness", "frequency", 0.5, 30, "%.2f Hz", ratio}, m.frequency);
    changed |= let_go;
    changed |= number({"damping", "damping_ratio", 0, 2, "%.2f"}, m.damping_ratio);
    changed |= number({"bulging", "alpha", 0, 1, "%.2f"}, m.alpha);
    changed |= number({"thickness", "beta", 0, 1, "%.2f"}, m.beta);
    changed |= number({"friction", "friction", 0, 2, "%.2f"}, m.friction);
    changed |= number({"restitution", "restitution", 0, 1, "%.2f"}, m.restitution);
    changed |= number({"density", "density", 10, 10000, "%.0f kg/m3", ratio}, m.density);
    changed |= set_or_not("static friction", m.static_friction, m.friction);
    double holds = m.static_friction.value_or(m.friction);
    ImGui::BeginDisabled(!m.static_friction);
    changed |= number({"static friction", "static_friction", m.friction, 2, "%.3f"}, holds);
    ImGui::EndDisabled();
    if (m.static_friction) m.static_friction = std::max(holds, m.friction);
    return changed;
}

bool MaterialPanel::edit_plasticity(Session& s, Material& m) {
    if (!ImGui::TreeNode("Keeps new shapes")) return false;
    bool changed = false, keeps = m.plasticity.has_value();
    if (ImGui::Checkbox("plastic", &keeps)) {
        m.plasticity = keeps ? std::optional(Plasticity{.yield = 0.05}) : std::nullopt;
        changed = true;
    }
    explain("Pressed, bent or twisted far enough it stays so; else it always springs back.");
    ImGui::BeginDisabled(!keeps);
    Plasticity p = m.plasticity.value_or(Plasticity{});
    changed |= edit_number({"yields at", "yield", 0, 1, "strain %.3f"}, p.yield, 0.05);
    changed |= edit_number({"flows in", "flow_time", 1e-4, 10, "%.4f s", ratio}, p.flow_time);
    changed |=
        edit_number({"creeps in", "creep_time", 1e-2, 1e3, "%.2f s", ratio}, p.creep_time, 4);
    changed |=
        edit_number({"heals in", "healing_time", 1e-2, 1e3, "%.2f s", ratio}, p.healing_time, 60);
    changed |= edit_number({"at most", "cap", 0, 1.5, "strain %.2f"}, p.cap);
    changed |= edit_number({"hardens", "hardening", 0, 10, "%.2f"}, p.hardening);
    if (keeps) m.plasticity = p;
    ImGui::EndDisabled();
    if (ImGui::Button("Bend straight again", {-1, 0})) s.bend_straight();
    explain("B: it comes back to the shape that it was made with.");
    ImGui::TreePop();
    return changed;
}

void MaterialPanel::send(Session& s) {
    s.change_material([old = sent_, now = edited_](Material& m) { copy_changes(old, now, m); });
    sent_ = edited_;
    edited_ago_ = 0;
}

/// Whatever models there are, and whatever settings they have, by name.
void MaterialPanel::model(Session& s, const Readout::Line& line) {
    if (!ImGui::TreeNode("Model")) return;
    ImGui::BeginDisabled(s.preparing());
    if (ImGui::BeginCombo("model", model_.name.c_str())) {
        for (const std::string& name : Model::names())
            if (ImGui::Selectable(name.c_str(), name == model_.name)) {
                model_ = {name};
                s.change_model([wanted = model_](Model& m) { m = wanted; });
                edited_ago_ = 0;
            }
        ImGui::EndCombo();
    }
    explain(described("model_" + model_.name));
    for (const ElasticModel::Setting& setting : model_named(model_.name).settings())
        edit_setting(s, line, setting);
    ImGui::EndDisabled();
    ImGui::TextDisabled(model_.name == model_of_material ? "another model starts the scene anew"
                                                         : "a change starts the scene anew");
    for (const std::string& text : model_lines(line)) ImGui::TextDisabled("%s", text.c_str());
    ImGui::TreePop();
}

void MaterialPanel::edit_setting(Session& s, const Readout::Line& line,
                                 const ElasticModel::Setting& setting) {
    const std::string key(setting.name), label = with_spaces(key) + "##model";
    const auto at = model_.settings.find(key);
    const bool in_place = model_.name == model_of_material && at == model_.settings.end();
    std::optional<double> value;
    if (at != model_.settings.end()) value = at->second;
    if (in_place) value = of_material(edited_, key);
    const bool changed = setting.choices.empty()
                             ? slide_setting(label.c_str(), setting, value, in_use(line, key))
                             : choose(label.c_str(), setting, value);
    explain(described("model_" + model_.name, key));
    if (in_place) {
        set_of_material(edited_, key, value);
        if (changed) send(s);
        return;
    }
    const auto put = [key, value](Model& m) {
        if (value)
            m.settings[key] = *value;
        else
            m.settings.erase(key);
    };
    put(model_);
    if (!changed) return;
    s.change_model([put, name = model_.name](Model& m) {
        if (m.name == name) put(m);
    });
    edited_ago_ = 0;
}

void MaterialPanel::draw(Session& s, double seconds) {
    edited_ago_ += seconds;
    if (!ImGui::CollapsingHeader("Material", ImGuiTreeNodeFlags_DefaultOpen)) return;
    const auto& lines = s.readout.bodies;
    if (lines.empty()) return;
    const auto found = std::ranges::find(lines, s.selected, &Readout::Line::id);
    const Readout::Line& line = found == lines.end() ? lines.front() : *found;
    // What was changed takes a moment to come back.
    const bool came_back = edited_ago_ > 0.5 && !s.preparing() && !ImGui::IsAnyItemActive();
    if (edited_of_ != s.selected || came_back) {
        edited_ = sent_ = line.material;
        model_ = line.model;
        edited_of_ = s.selected;
    }
    ImGui::TextDisabled("of %s", s.selected == 0 ? "all bodies" : line.name.c_str());
    if (ImGui::BeginCombo("preset", "choose …")) {
        for (const std::string_view name : Material::names())
            if (ImGui::Selectable(std::string(name).c_str())) {
                edited_ = Material::named(name);
                s.change_material([all = edited_](Material& m) { m = all; });
                sent_ = edited_;
                edited_ago_ = 0;
            }
        ImGui::EndCombo();
    }
    bool changed = edit(edited_);
    changed |= edit_plasticity(s, edited_);
    if (changed) send(s);
    int volume = static_cast<int>(line.volume);
    if (ImGui::Combo("volume", &volume, "local\0global\0off\0"))
        s.set_volume(static_cast<VolumeMode>(volume));
    model(s, line);
}

}  // namespace turgor
