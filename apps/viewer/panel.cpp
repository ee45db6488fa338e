#include "panel.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "scene/builtin.hpp"
#include "solid_panel.hpp"
#include "widgets.hpp"

namespace turgor {
namespace {

struct KeyHelp {
    const char *keys, *what;
};
constexpr KeyHelp all_keys[] = {{"drag a body", "pull it; let go while moving to throw it"},
                                {"P while pulling", "pin it there; U takes all pins out"},
                                {"drag elsewhere", "go around"},
                                {"right drag, wheel", "move, come nearer"},
                                {"Ctrl + click", "the region of a particle"},
                                {"Space", "pause"},
                                {"S", "one step"},
                                {"T", "slow motion"},
                                {"R", "back to the start"},
                                {"Backspace", "one second back"},
                                {"D", "drop another body"},
                                {"B", "bend plastic bodies straight again"},
                                {"F", "look at everything"},
                                {"W", "wireframe"},
                                {"Q", "fine or fast drawing"},
                                {"K or F12", "screenshot"},
                                {"M or F9", "film: start, stop"},
                                {"Tab", "this panel"},
                                {"H or F1", "this list"},
                                {"Esc", "close"},
                                {"a file dropped here", "is simulated"}};

std::string percent(double share) {
    return fmt::format("{:+.6f} %", 100 * share);
}

}  // namespace

void Panel::draw(Session& s, double seconds, double draw_milliseconds) {
    busy_time_ = s.readout.busy || s.preparing() ? busy_time_ + seconds : 0;
    if (s.settings.panel) {
        const float scale = ImGui::GetFontSize() / 15;
        ImGui::SetNextWindowPos({12 * scale, 12 * scale}, ImGuiCond_Always);
        ImGui::SetNextWindowSizeConstraints(
            {300 * scale, 0}, {300 * scale, ImGui::GetIO().DisplaySize.y - 24 * scale});
        ImGui::Begin("Turgor", nullptr,
                     ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                         ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse |
                         ImGuiWindowFlags_NoTitleBar);
        ImGui::PushItemWidth(-88 * scale);
        scenes(s);
        time(s);
        material_.draw(s, seconds);
        surroundings(s);
        overlays(s);
        draw_solid_panel(s);
        stages(s, draw_milliseconds);
        bodies(s);
        warnings(s);
        ImGui::PopItemWidth();
        ImGui::Separator();
        ImGui::TextDisabled("H: keys   Tab: hide this");
        ImGui::End();
    }
    if (s.settings.help) help(s);
    message(s, seconds);
}

void Panel::scenes(Session& s) {
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::BeginCombo("##scene", s.scene_name.empty() ? "…" : s.scene_name.c_str())) return;
    for (const BuiltInScene& scene : built_in_scenes())
        if (ImGui::Selectable(std::string(scene.name).c_str(), scene.name == s.scene_name))
            s.open_built_in(std::string(scene.name));
    ImGui::EndCombo();
}

void Panel::time(Session& s) {
    const float half = (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x) / 2;
    if (ImGui::Button(s.running ? "Pause" : "Go on", {half, 0})) s.toggle_running();
    ImGui::SameLine();
    if (ImGui::Button("Step", {half, 0})) s.step_once();
    if (ImGui::Button("Back 1 s", {half, 0})) s.rewind(1);
    ImGui::SameLine();
    if (ImGui::Button("Reset", {half, 0})) s.reset();
    if (ImGui::Button("Drop another", {-1, 0})) s.drop_another();
    double pace = s.pace;
    if (slide("pace", pace, 0.02, 1, "%.2f", ImGuiSliderFlags_Logarithmic)) s.set_pace(pace);
    const bool slower = s.running && s.readout.pace_reached < 0.93 * s.pace && s.readout.steps > 50;
    ImGui::Text("%.2f s%s", s.readout.time,
                slower
                    ? fmt::format(", as fast as it goes: x {:.2f}", s.readout.pace_reached).c_str()
                    : "");
    if (busy_time_ > 0.2) ImGui::TextColored({1.0f, 0.75f, 0.3f, 1}, "preparing …");
}

void Panel::surroundings(Session& s) {
    if (!ImGui::CollapsingHeader("Surroundings")) return;
    Vec3 gravity = s.readout.gravity;
    if (slide("gravity", gravity.y, -20, 5, "%.2f m/s2")) s.set_gravity(gravity);
    int threads = s.readout.threads;
    if (ImGui::InputInt("threads", &threads))
        s.set_engine(s.readout.backend, std::clamp(threads, 1, 64));
    int backend = s.readout.backend == Backend::reference ? 1 : 0;
    if (ImGui::Combo("back end", &backend, "cpu\0reference\0"))
        s.set_engine(backend == 1 ? Backend::reference : Backend::cpu, s.readout.threads);
}

void Panel::overlays(Session& s) {
    if (!ImGui::CollapsingHeader("Show")) return;
    Overlays show = s.overlays;
    bool changed = false;
    int column = 0;
    for (const char* name : {"wireframe", "particles", "paths", "struts", "contacts", "weights",
                             "clusters", "goals", "cage", "cells", "surface"}) {
        if (column++ % 2 == 1)
            ImGui::SameLine(ImGui::GetContentRegionAvail().x / 2 +
                            ImGui::GetStyle().WindowPadding.x);
        changed |= ImGui::Checkbox(name, show.named(name));
    }
    if (!s.readout.region)
        ImGui::TextDisabled("Ctrl + click: a particle's region");
    else if (ImGui::Button("hide the region"))
        s.simulation->drop_region();
    if (changed) s.set_overlays(show);
}

void Panel::stages(const Session& s, double draw_milliseconds) const {
    if (!ImGui::CollapsingHeader("Time of a step", ImGuiTreeNodeFlags_DefaultOpen)) return;
    const Readout& r = s.readout;
    ImGui::Text("%.2f ms, drawing %.1f ms", r.step_milliseconds, draw_milliseconds);
    const double whole = std::max(1e-6, r.step_milliseconds);
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        const double ms = r.milliseconds[i];
        std::string name(stage_names[i]);
        std::ranges::replace(name, '_', ' ');
        ImGui::ProgressBar(static_cast<float>(std::min(1.0, ms / whole)),
                           {-1, ImGui::GetFontSize() * 1.15f},
                           fmt::format("{}  {:.2f}", name, ms).c_str());
    }
}

void Panel::bodies(Session& s) {
    const Readout& r = s.readout;
    double worst = 0;
    for (const auto& line : r.bodies)
        if (line.volume != VolumeMode::off && std::fabs(line.volume_error) > std::fabs(worst))
            worst = line.volume_error;
    if (!ImGui::CollapsingHeader(
            fmt::format("{} bodies, {} particles###bodies", r.bodies.size(), r.particles).c_str(),
            ImGuiTreeNodeFlags_DefaultOpen))
        return;
    ImGui::Text("volume error %s", percent(worst).c_str());
    const float height = ImGui::GetFontSize() * 1.35f *
                         static_cast<float>(std::min<std::size_t>(6, r.bodies.size() + 1));
    ImGui::BeginChild("list", {0, height});
    if (ImGui::Selectable("all", s.selected == 0)) s.selected = 0;
    for (const auto& line : r.bodies) {
        const char* state = line.recovering ? "recovering" : line.asleep ? "asleep" : "";
        // Where goals are shown, how far they are away.
        const std::string figure = line.fit_error
                                       ? fmt::format("fit {:.2f} %", 100 * *line.fit_error)
                                       : percent(line.volume_error);
        const std::string text =
            fmt::format("{:<12.12} {} {}##{}", line.name, figure, state, line.id);
        if (ImGui::Selectable(text.c_str(), s.selected == line.id)) s.selected = line.id;
    }
    ImGui::EndChild();
}

void Panel::warnings(const Session& s) const {
    if (s.readout.warnings.empty()) return;
    ImGui::Separator();
    ImGui::PushStyleColor(ImGuiCol_Text, {1.0f, 0.75f, 0.3f, 1});
    ImGui::PushTextWrapPos();
    for (const std::string& warning : s.readout.warnings) ImGui::TextUnformatted(warning.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void Panel::help(Session& s) const {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::Begin("Keys and mouse", &s.settings.help,
                 ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse);
    if (ImGui::BeginTable("keys", 2)) {
        for (const auto& [keys, what] : all_keys) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(keys);
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(what);
        }
        ImGui::EndTable();
    }
    ImGui::End();
}

void Panel::message(Session& s, double seconds) const {
    constexpr double long_enough = 6;
    s.message_age += seconds;
    if (s.message.empty() || s.message_age > long_enough) return;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y - 24}, ImGuiCond_Always, {0.5f, 1});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {0.7f * size.x, size.y});
    ImGui::Begin("message", nullptr,
                 ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoDecoration |
                     ImGuiWindowFlags_NoInputs);
    ImGui::PushTextWrapPos(0.68f * size.x);
    ImGui::TextUnformatted(s.message.c_str());
    ImGui::PopTextWrapPos();
    ImGui::End();
}

}  // namespace turgor
