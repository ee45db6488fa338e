#include "show.hpp"

#include <fmt/format.h>

#include <cmath>

namespace turgor {

Show::Show(const Scene& scene, std::string caption, const PictureOptions& options,
           std::shared_ptr<Offscreen> offscreen, bool quiet)
    : live_(scene),
      caption_(std::move(caption)),
      quiet_(quiet),
      pictures_(live_, options, std::move(offscreen)),
      now_(taker_.take(live_.world())) {}

void Show::advance(double time) {
    const double dt = live_.scene().dt;
    while (live_.time() < time - 1e-6 * dt) {
        const bool last = live_.time() + dt >= time - 1e-6 * dt;
        if (last) before_ = taker_.take(live_.world());
        live_.step();
        if (last) now_ = taker_.take(live_.world());
    }
}

Captioned Show::paint(double time, const Overlays& overlays, double turned) {
    advance(time);
    if (overlays.any()) {
        const Insight insight = look_inside(live_.world(), overlays);
        for (const LiveBody& live : live_.bodies())
            if (const auto fit = insight.fit_errors.find(live.body.id());
                fit != insight.fit_errors.end() && !quiet_)
                fmt::print("{:.3f} s{}{}: {} is {:.3g} % of its size away from its goals (rms)\n",
                           live_.time(), caption_.empty() ? "" : ", ", caption_, live.name,
                           100 * fit->second);
        return {pictures_.paint(now_, insight, turned), words()};
    }
    const double dt = live_.scene().dt, early = live_.time() - time;
    if (early < 1e-6 * dt) return {pictures_.paint(now_, {}, turned), words()};
    return {pictures_.paint(between(before_, now_, 1 - early / dt), {}, turned), words()};
}

/// The caption, and what became of the volume of the body that lost or gained most.
std::string Show::words() const {
    if (caption_.empty()) return {};
    double most = 0;
    for (const LiveBody& live : live_.bodies()) {
        const double change = live.body.volume() / live.body.rest_volume() - 1;
        if (std::fabs(change) > std::fabs(most)) most = change;
    }
    const double size = std::fabs(most);
    if (size < 1e-5) return fmt::format("{}: volume kept to {:.0e}", caption_, size);
    return fmt::format("{}: volume {}{:.3g} %", caption_, most < 0 ? "−" : "+", 100 * size);
}

}  // namespace turgor
