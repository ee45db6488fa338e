#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turgor {

/// Which elastic model a body has, and settings of that model by name. What is not set follows from
/// the material.
struct Model {
    std::string name = "surface";
    std::map<std::string, double, std::less<>> settings{};
    bool operator==(const Model&) const = default;

    /// Of all models that this build knows.
    static std::vector<std::string> names();
};

/// The surface model's settings: shape matching over regions of a surface mesh.
struct SurfaceModel {
    /// Region width ω in edges, 1 … 16. Unset: the smallest that reaches the frequency.
    std::optional<int> omega{};
    /// Share s of the way to the goal shape per 5 ms, 0 … 1. Unset: from the frequency.
    std::optional<double> stiffness{};
    /// Share k of the non-rigid velocity removed per 5 ms, 0 … 1. Unset: from the damping ratio.
    std::optional<double> damping{};

    operator Model() const;
};

/// A figure that a body's model tells of it, by name: "omega" of the surface model.
struct ModelFigure {
    std::string name;
    double value = 0;
    std::string unit{};  ///< empty: none
};

}  // namespace turgor
