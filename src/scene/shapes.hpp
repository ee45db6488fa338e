#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/scene.hpp"

namespace turgor {

/// About how many vertices the shape will have, without making it; 0 where only the file can tell.
double estimated_vertices(const Shape& shape);

/// What is simulated and, where it differs, what is shown.
struct BodyMesh {
    Mesh simulated;
    std::optional<Mesh> shown;
    std::vector<double> relative_masses{}, matching_weights{};  ///< of `simulated`
    bool open = false;  ///< as it is, for a model that makes bodies of any mesh
};

/// What a body says about its meshes.
struct MeshMaking {
    std::optional<std::size_t> sim_vertices{};
    bool wrap = false;
    /// The model makes bodies of open meshes, too: neither `wrap` nor `sim_vertices` counts.
    bool any_mesh = false;
    std::filesystem::path bake_folder{};  ///< for cages; empty: none are kept
};

/// The meshes of a body: several where a file holds several that stand apart and that are not
/// wrapped. `warnings` gets what a person should know.
std::vector<BodyMesh> make_body_meshes(const Shape& shape, const MeshMaking& how,
                                       std::vector<std::string>& warnings);

/// One sentence for each thing that reading a mesh found or repaired.
void note_findings(const std::string& what, const MeshReport& report,
                   std::vector<std::string>& notes);

}  // namespace turgor
