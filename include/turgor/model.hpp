#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turgor/error.hpp"

namespace turgor {

/// Which elastic model a body has, and settings of that model by name. What is not set follows from
/// the material.
struct Model {
    std::string name = "surface";
    std::map<std::string, double, std::less<>> settings{};
    bool operator==(const Model&) const = default;

    /// Of all models that this build knows.
    static std::vector<std::string> names();
    /// "meshless", or with settings "meshless:mode=linear,beta=0.5". An Error says what is wrong.
    static Model parse(std::string_view text, Status* status = nullptr);
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

/// The meshless model's settings: shape matching of a few clusters of particles, which bend, twist
/// and stretch as wholes. The cheapest props, true rigid bodies, and what stays dented.
struct MeshlessModel {
    /// What a cluster's goals may do.
    enum class Mode {
        rigid,     ///< turn
        linear,    ///< stretch and shear, too
        quadratic  ///< bend and twist, too
    };
    Mode mode = Mode::quadratic;
    /// How far goals follow what the body does, 0 … 0.95. 0: every dent is drawn back like any
    /// other deformation; 0.95: it bends, twists and stretches as a whole long before it dents.
    /// Unset: as far as the frequency allows without sub-steps.
    std::optional<double> beta{};
    /// How many clusters, 1 … 1000. Unset: from shape and firmness; one for what is like a ball.
    std::optional<int> clusters{};
    /// Clusters are cells of the bounding box, as published, rather than parts of the shape.
    bool regular = false;
    /// Share s of the way to the goals per 5 ms, 0 … 1. Unset: from the frequency. 1 in rigid mode
    /// makes a rigid body.
    std::optional<double> stiffness{};

    operator Model() const;
};

/// The lattice model's settings: shape matching over the corners of cells that fill a mesh of any
/// kind, open or closed (Rivers, James 2007). What is drawn is the mesh, which the cells carry.
struct LatticeModel {
    /// Along the longest extent, 1 … 256. Unset: 16.
    std::optional<int> cells{};
    /// Half-width w of a region in cells, 1 … 16. Unset: the smallest that reaches the frequency.
    std::optional<int> half_width{};
    /// Share s of the way to the goal shape per 5 ms, 0 … 1. Unset: from the frequency.
    std::optional<double> stiffness{};
    /// Share k of the non-rigid velocity removed per 5 ms, 0 … 1. Unset: from the damping ratio.
    std::optional<double> damping{};
    /// It tears where neighbouring cells are more than this many times as far apart as at rest,
    /// 1.05 … 10. Pieces that come off become bodies of their own. Unset: never.
    std::optional<double> tear_stretch{};

    operator Model() const;
};

/// The cells model's settings: cells that fill a mesh of any kind, open or closed, each of which
/// keeps its volume, with springs along their edges and diagonals (Diziol, Bender, Bayer 2009).
/// What is drawn is the mesh, which the cells carry.
struct CellsModel {
    /// Along the longest extent, 1 … 256. Unset: 16.
    std::optional<int> cells{};
    /// Young's modulus and shear modulus [Pa], 1 … 1e9. One alone: E = 3 G, as of what is
    /// incompressible. Unset both: from the frequency.
    std::optional<double> E{}, G{};
    /// How far the volume of any cell may be off, relative, 1e-6 … 1: solved until it is met where
    /// nothing holds the body, for at most 20 iterations. Unset: one iteration, which leaves about
    /// a thousandth.
    std::optional<double> tolerance{};

    operator Model() const;
};

/// A figure that a body's model tells of it, by name: "omega" of the surface model.
struct ModelFigure {
    std::string name;
    double value = 0;
    std::string unit{};  ///< empty: none
};

}  // namespace turgor
