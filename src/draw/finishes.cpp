#include "draw/finishes.hpp"

#include <algorithm>

#include "turgor/world.hpp"

namespace turgor {
namespace {

constexpr MaterialLook material_looks[] = {
    {"clay", Finish::clay, {0.42f, 0.17f, 0.08f}},
    {"dough", Finish::dough, {0.80f, 0.66f, 0.44f}},
    {"metal", Finish::metal, {0.56f, 0.57f, 0.58f}},
    {"foam", Finish::foam, {0.80f, 0.66f, 0.30f}},
};

}  // namespace

FinishValues values_of(Finish finish) {
    switch (finish) {
        case Finish::matte:
            return {.wrap = 0.05, .gloss = 12, .shine = 0.04};
        case Finish::gummy:
            return {.wrap = 0.45, .translucency = 0.9, .gloss = 70, .shine = 0.5};
        case Finish::smooth:
            return {.wrap = 0.05, .gloss = 120, .shine = 0.6};
        case Finish::glass:
            return {.gloss = 220, .shine = 1, .opacity = 0.05, .rim = 1};
        case Finish::ghost:
            return {.gloss = 220, .shine = 0.6, .opacity = 0.22};
        case Finish::clay:
            return {.wrap = 0.08,
                    .gloss = 9,
                    .shine = 0.05,
                    .grain = 0.16,
                    .grain_width = 0.5,
                    .speckle = 0.25};
        case Finish::dough:
            return {.wrap = 0.5,
                    .gloss = 8,
                    .shine = 0.03,
                    .grain = 0.07,
                    .grain_width = 0.9,
                    .speckle = -0.35};
        case Finish::metal:
            return {.wrap = 0, .gloss = 60, .shine = 0.9, .metal = 1};
        case Finish::foam:
            return {.wrap = 0.3,
                    .gloss = 8,
                    .shine = 0.02,
                    .grain = 0.12,
                    .grain_width = 0.075,
                    .speckle = 0.6};
    }
    return {};
}

MaterialLook look_of_surface(std::string_view surface) {
    const auto* const known = std::ranges::find(material_looks, surface, &MaterialLook::surface);
    if (known != std::end(material_looks)) return *known;
    return {{}, Finish::gummy, BodyOptions{}.colour};
}

}  // namespace turgor
