#pragma once

#include "mesh/source_file.hpp"
#include "turgor/mesh.hpp"

/// What load_mesh, make_mesh and read_mesh do with a mesh that is not to be wrapped.
namespace turgor {

/// NotClosed (mesh/close_surface.hpp) where the file holds a mesh, but none that can be closed.
Mesh load_closed(const SourceFile& file, const MeshOptions& options, MeshReport& findings);
/// Likewise of a mesh in memory.
Mesh closed_mesh(Mesh raw, const MeshOptions& options, MeshReport& findings);
Mesh read_as_it_is(const SourceFile& file);

}  // namespace turgor
