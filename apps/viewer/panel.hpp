#pragma once

#include "material_panel.hpp"
#include "session.hpp"

namespace turgor {

/// What is drawn over the picture: the panel, messages, the list of keys. `seconds` since the last
/// frame.
class Panel {
public:
    void draw(Session& session, double seconds, double draw_milliseconds);

private:
    void scenes(Session& session);
    void time(Session& session);
    void surroundings(Session& session);
    void overlays(Session& session);
    void stages(const Session& session, double draw_milliseconds) const;
    void bodies(Session& session);
    void warnings(const Session& session) const;
    void help(Session& session) const;
    void message(Session& session, double seconds) const;

    MaterialPanel material_;
    double busy_time_ = 0;
};

}  // namespace turgor
