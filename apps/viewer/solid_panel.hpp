#pragma once

#include "session.hpp"

namespace turgor {

/// The part of the panel about the solid of the picked body, or the first one.
void draw_solid_panel(Session& session);

}  // namespace turgor
