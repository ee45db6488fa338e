#pragma once

#include "elastic/model.hpp"
#include "step/island_scratch.hpp"

namespace turgor {

/// What must hold at the seams, for TURGOR_CHECK_ALL: each looks at a whole body or island.

/// Every edge of the surface has two triangles, one in each direction, and corners on the surface.
bool is_closed(const BodyAsset& asset);

/// After ElasticBody::deform: pinned particles are where they were, `change` is a length for each,
/// and a body that nothing holds has the momentum that it had. `before`: positions before.
bool keeps_promises(const ReferencePass& pass, std::span<const Vec3> before,
                    std::span<const double> mass, bool conserves_momentum);

/// Batches of one colour have no body in common; all constraints have unit normals.
bool is_coloured(const ContactConstraints& constraints);

}  // namespace turgor
