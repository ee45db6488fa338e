#include "solid_panel.hpp"

#include <fmt/format.h>

#include "widgets.hpp"

namespace turgor {
namespace {

bool slide_share(const char* label, std::optional<double>& value, double usual) {
    const bool changed = set_or_not(label, value, usual);
    if (!value) {
        ImGui::TextDisabled("%s by itself", label);
        return changed;
    }
    return slide(label, *value, 0, 0.99, "%.2f") || changed;
}

}  // namespace

void draw_solid_panel(Session& session) {
    if (!ImGui::CollapsingHeader("Solid")) return;
    SolidView& view = session.solid;
    bool on = view.on();
    if (ImGui::Checkbox("show the cells", &on)) view.set_on(on);
    explain("What turgor solidify makes of the mesh of the picked body, or of the first one");
    if (!on) return;
    SolidSettings s = view.settings();
    bool changed = ImGui::SliderInt("cells", &s.cells, 1, 96, "%d", ImGuiSliderFlags_AlwaysClamp);
    explain("Along the longest side");
    changed |= slide_share("P_in", s.p_in, 0.75);
    explain("How likely a place is to be on the surface where a ray changes sides");
    changed |= slide_share("P_subs", s.p_subs, 0.5);
    explain("Where it may do so again; at most P_in");
    const double p_in = s.p_in.value_or(0.75);
    if (s.p_subs && *s.p_subs > p_in) s.p_subs = p_in;
    changed |= slide_share("density", s.density, 0.5);
    explain("What share of a cell must be inside");
    changed |= ImGui::SliderInt("smoothing", &s.smoothing, 0, 50, "%d rounds");
    changed |= ImGui::Checkbox("over diagonals, too", &s.smooth_over_diagonals);
    if (changed) view.set(s);
    if (const auto* made = view.made()) {
        if (!made->error.empty()) return ImGui::TextWrapped("%s", made->error.c_str());
        ImGui::TextWrapped(
            "%s", fmt::format("{} cells, {} tetrahedra, smallest angle {:.1f} deg, volume {:.4g} "
                              "of {:.4g} m3, made in {:.0f} ms",
                              made->solid.cells.size(), 5 * made->solid.cells.size(),
                              made->quality.smallest_angle, made->quality.volume,
                              made->solid.wanted_volume, made->milliseconds)
                      .c_str());
    } else if (view.busy()) {
        ImGui::TextDisabled("looking for the inside …");
    }
}

}  // namespace turgor
