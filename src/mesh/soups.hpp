#pragma once

#include "turgor/mesh.hpp"

/// Meshes as artists leave them: open, of many shells, cutting through each other, with sheets. All
/// have colours. Not to be simulated as they are: wrap them, or make solids of them.
namespace turgor::shapes {

/// A trunk with boughs and twigs, open cones that reach into each other, and `leaves` single quads.
/// It stands on y = 0.
Mesh tree(double height, int leaves);

/// A sitting bunny in shells: body, head, ears, paws and tail, with `holes` holes and as many stray
/// shells near them. About `vertices` vertices, standing on y = 0, looking along +z.
Mesh broken_bunny(double height, std::size_t vertices, int holes);

/// A round cake with cream, berries, candles and a paper flag, all shells of their own: sheets are
/// single. It stands on y = 0.
Mesh cake(double width);

/// One to six shells and sheets anywhere within about 2 m, stretched and turned, every triangle
/// with corners of its own. Of some, triangles are missing, face the wrong way or do not quite
/// meet.
Mesh random_soup(std::uint64_t seed);

}  // namespace turgor::shapes
