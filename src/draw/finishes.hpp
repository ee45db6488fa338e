#pragma once

#include <string_view>

#include "draw/drawing.hpp"

namespace turgor {

/// How a finish answers the light; see mesh.frag.
struct FinishValues {
    double wrap = 0, translucency = 0, gloss = 12, shine = 0, opacity = 1, rim = 0;
    double metal = 0;        ///< 1: it mirrors what is around, in its own colour
    double grain = 0;        ///< how high bumps are, in parts of their width
    double grain_width = 1;  ///< in parts of Drawing::nearness
    double speckle = 0;      ///< how much darker the colour is in dips; negative: paler on bumps
};
FinishValues values_of(Finish finish);

/// How bodies of one material look, by the name of its surface (Material::surface).
struct MaterialLook {
    std::string_view surface;
    Finish finish = Finish::gummy;
    Vec3f colour;  ///< linear; of bodies that were given none
};
/// Of a surface without a look of its own: that of a gummy.
MaterialLook look_of_surface(std::string_view surface);

}  // namespace turgor
