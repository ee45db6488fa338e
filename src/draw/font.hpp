#pragma once

namespace turgor {

/// Of captions and of the viewer's panel, from the package fonts-dejavu-core; it may be missing.
inline constexpr const char* font_file = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

}  // namespace turgor
