#pragma once

#include <filesystem>

#include "turgor/mesh.hpp"

namespace turgor {

/// About how many vertices a cage has where nothing is said.
inline constexpr std::size_t vertices_of_a_cage = 2000;

/// wrap(), kept in the folder for the next time if there is one.
Mesh kept_cage(const Mesh& mesh, std::size_t vertices, const std::filesystem::path& bake_folder);

/// A sentence for whoever did not ask for a cage.
std::string cage_note(const std::string& name);
/// The same for a file that has nothing but points.
std::string cloud_note(const std::string& name, std::size_t points);
/// Of more points than the meshless model takes as particles.
std::string thinned_note(const std::string& name, std::size_t points);

}  // namespace turgor
