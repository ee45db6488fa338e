#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "speed/speed.hpp"

namespace turgor::speed {
namespace {

constexpr double width = 460, height = 300, left = 70, top = 50;

std::string text(double x, double y, const std::string& words, const char* anchor,
                 const char* more = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                       anchor, more, words);
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                       y1, x2, y2, style);
}

/// ns per particle over the number of particles, which grows by powers of ten.
std::string plot_scaling(const std::vector<const Row*>& rows) {
    double most = 0;
    for (const Row* row : rows) most = std::max(most, row->ns_per_particle());
    const double step = most > 200 ? 100 : 50, ceiling = step * std::ceil(1.1 * most / step);
    const auto x = [&](double n) { return left + width * (std::log10(n) - 3) / 3.05; };
    const auto y = [&](double ns) { return top + height * (1 - ns / ceiling); };
    std::string svg =
        text(left + width / 2, top - 20, "ns per particle and step, one thread, ω = 3", "middle");
    for (double ns = 0; ns <= ceiling; ns += step)
        svg += line(left, y(ns), left + width, y(ns), "stroke=\"#ddd\"") +
               text(left - 8, y(ns) + 5, fmt::format("{:.0f}", ns), "end");
    for (const auto& [n, name] : std::map<double, const char*>{
             {1e3, "1,000"}, {1e4, "10,000"}, {1e5, "100,000"}, {1e6, "1,000,000"}})
        svg += text(x(n), top + height + 20, name, "middle");
    svg += text(left + width / 2, top + height + 42, "particles", "middle");
    const char* const colours[] = {"#d1495b", "#2e86ab"};
    int k = 0;
    for (const char* name : {"one body", "many bodies"}) {
        std::string points;
        for (const Row* row : rows)
            if (row->name == name)
                points += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(row->particles)),
                                      y(row->ns_per_particle()));
        svg += fmt::format(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"3\"/>\n", points,
            colours[k]);
        svg += text(left + 14, y(0) - 38 + 22 * k, name, "start",
                    fmt::format("fill=\"{}\"", colours[k]).c_str());
        ++k;
    }
    return svg;
}

/// A bar for each stage; the dark part is what moving its bytes would take at the memory's speed.
std::string plot_stages(const std::vector<const Row*>& rows, double x0) {
    double most = 0;
    for (const Row* row : rows) most = std::max(most, row->ns_per_particle());
    std::string svg = text(x0 + width / 2, top - 20,
                           "ns per particle of each stage (dark: moving its bytes)", "middle");
    const double gap = height / static_cast<double>(rows.size()), bar = 0.55 * gap;
    const double scale = (width - 190) / most;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = *rows[i];
        const double y = top + gap * (static_cast<double>(i) + 0.2);
        const double ns = row.ns_per_particle();
        const double bound =
            row.find("bytes_per_particle").value_or(0) / row.find("stream_gb_per_s").value_or(1);
        const auto rect = [&](double w, const char* colour) {
            return fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                "fill=\"{}\"/>\n",
                x0 + 140, y, w, bar, colour);
        };
        svg += text(x0 + 132, y + 0.7 * bar, row.name, "end") + rect(scale * ns, "#9fc5d8") +
               rect(scale * std::min(ns, bound), "#2e86ab") +
               text(x0 + 148 + scale * ns, y + 0.7 * bar, fmt::format("{:.1f}", ns), "start");
    }
    return svg;
}

}  // namespace

std::string plot_svg(const Report& report) {
    std::vector<const Row*> scaling, stages;
    for (const Row& row : report.rows) {
        if (row.suite == "scaling") scaling.push_back(&row);
        if (row.suite == "stages" && row.threads == 1) stages.push_back(&row);
    }
    if (scaling.empty() && stages.empty()) return {};
    const double second = scaling.empty() ? 0 : left + width + 60;
    const double all = second + (stages.empty() ? 0 : width + 60);
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"14\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        all, top + height + 60);
    if (!scaling.empty()) svg += plot_scaling(scaling);
    if (!stages.empty()) svg += plot_stages(stages, second);
    return svg + "</svg>\n";
}

}  // namespace turgor::speed
