#pragma once

#include <optional>
#include <string>

#include "scene/scene.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

/// The sentence that says how to get the archive, or nothing where it is there. Archives are looked
/// for below the folder in the environment variable TURGOR_PACKAGE_ROOT, by default "/".
std::optional<std::string> problem_with(const PackageShape& shape);

/// Takes the member out of the archive with the system's tar.
Mesh load_package_mesh(const PackageShape& shape, MeshReport* report);
/// As it is: read_mesh.
Mesh read_package_mesh(const PackageShape& shape);

/// Why the scene cannot run on this machine, or nothing.
std::optional<std::string> problem_with_packages(const Scene& scene);

}  // namespace turgor
