#pragma once

#include "session.hpp"

namespace turgor {

/// A body's model and what it tells of the body, by name and with units, a line each.
std::vector<std::string> model_lines(const Readout::Line& line);

/// What is drawn over the picture: the panel, messages, the list of keys. `seconds` since the last
/// frame.
class Panel {
public:
    void draw(Session& session, double seconds, double draw_milliseconds);

private:
    void scenes(Session& session);
    void time(Session& session);
    void material(Session& session);
    void surroundings(Session& session);
    void overlays(Session& session);
    void stages(const Session& session, double draw_milliseconds) const;
    void bodies(Session& session);
    void warnings(const Session& session) const;
    void help(Session& session) const;
    void message(Session& session, double seconds) const;
    bool edit(Material& material);
    bool edit_surface(Material& material, const Model& model);

    Material edited_, sent_;  ///< what the sliders say, and what the bodies were told
    BodyId edited_of_ = ~BodyId{0};
    double edited_ago_ = 0;  ///< [s]
    double busy_time_ = 0;
};

}  // namespace turgor
