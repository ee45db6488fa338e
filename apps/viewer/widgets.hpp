#pragma once

#include <imgui.h>

#include <optional>
#include <string>

namespace turgor {

inline bool slide(const char* label, double& value, double lowest, double highest,
                  const char* format = "%.3g", ImGuiSliderFlags flags = 0) {
    return ImGui::SliderScalar(label, ImGuiDataType_Double, &value, &lowest, &highest, format,
                               flags | ImGuiSliderFlags_AlwaysClamp);
}

/// A box to set a value or leave it to Turgor, before the value's own widget.
template <class T>
bool set_or_not(const char* label, std::optional<T>& value, T usual) {
    bool own = value.has_value();
    const bool changed = ImGui::Checkbox((std::string("##") + label).c_str(), &own);
    if (changed) value = own ? std::optional(usual) : std::nullopt;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-88 * ImGui::GetFontSize() / 15);
    return changed;
}

/// Of the widget before it, while the mouse is on it.
inline void explain(const std::string& text) {
    if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(24 * ImGui::GetFontSize());
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

}  // namespace turgor
