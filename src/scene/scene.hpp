#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "turgor/collider.hpp"
#include "turgor/material.hpp"
#include "turgor/math.hpp"
#include "turgor/mesh.hpp"
#include "turgor/world.hpp"

/// A scene as data: what a scene file says, checked, with its names resolved.
/// docs/scene.schema.json says what each value means.
namespace turgor {

struct SphereShape {
    double radius = 0.5;
    int segments = 40, rings = 39;
};
struct IcosphereShape {
    double radius = 0.5;
    int subdivisions = 3;
};
struct TorusShape {
    double ring_radius = 0.4, tube_radius = 0.15;
    int major = 32, minor = 16;
};
struct CubeShape {
    double side = 1;
    int points = 16;
};
struct BarShape {
    Vec3 size{1, 1, 1};
    int points = 31;
    double rounding = 0;  ///< radius of its edges [m]
};
struct CapsuleShape {
    double radius = 0.25, height = 1;
    int segments = 24;
};
struct CharacterShape {
    enum class Who { gummy_bear, rubber_duck, shoe } who = Who::gummy_bear;
    double height = 1;
    std::size_t vertices = 2000;
};
/// Open, of many shells, with sheets; its bodies have a cage around it.
struct TreeShape {
    double height = 1;
    int leaves = 300;
};
struct BrokenBunnyShape {
    double height = 1;
    std::size_t vertices = 5000;
    int holes = 8;
};
struct CakeShape {
    double width = 1;
};
struct FileShape {
    std::filesystem::path file;
};
/// A member of a .tar.gz that a Debian package brings.
struct PackageShape {
    std::string package, archive, member;
};
/// Meshes that are in memory already.
struct GivenShape {
    std::shared_ptr<const std::vector<Mesh>> meshes;
};
using Shape = std::variant<SphereShape, IcosphereShape, TorusShape, CubeShape, BarShape,
                           CapsuleShape, CharacterShape, TreeShape, BrokenBunnyShape, CakeShape,
                           FileShape, PackageShape, GivenShape>;

enum class BodyStart { rest, flat, point, random_box, mirrored, shrunk, inside_out, one_point };

/// A number for each vertex of a body's mesh.
struct VertexNumbers {
    enum class Follow { list, colour, axis } follow = Follow::list;
    std::vector<double> list;
    std::size_t channel = 0;  ///< red, green, blue, brightness; or x, y, z
    double from = 1, to = 1;  ///< at 0 and 1 of the channel; at the lowest and highest vertex
    std::string where;        ///< its JSON path
};

/// One body, copies already told apart.
struct SceneBody {
    std::string name;
    std::string group;                   ///< the name its copies share
    std::string where;                   ///< its JSON path
    std::shared_ptr<const Shape> shape;  ///< copies share it
    /// Models that take any mesh as it is heed neither of these two.
    std::optional<std::size_t> sim_vertices;
    bool wrap = false;           ///< a cage around the shape, whatever it is, of sim_vertices
    std::optional<double> size;  ///< [m]
    Material material = Material::named("gummy");
    std::optional<double> clearance;  ///< [m]
    BodyStart start = BodyStart::rest;
    /// Of the shape's mesh, the fine one; copies share them. Null: all alike.
    std::shared_ptr<const VertexNumbers> relative_masses{}, matching_weights{};
    BodyOptions options;
};

struct SceneRigid {
    RigidBody body;
    std::string where;                    ///< its JSON path
    std::shared_ptr<const Shape> mesh{};  ///< of a convex one
};

struct SphereRegion {
    Vec3 centre;
    double radius = 0;
};
struct BoxRegion {
    Vec3 lower, upper;
};
struct WholeRegion {};
using Region = std::variant<SphereRegion, BoxRegion, WholeRegion>;

struct SceneHandle {
    enum class Kind { pin, drag, follow, force } kind = Kind::pin;
    std::string body;
    std::string where;
    Region region;
    Path path;                    ///< of a force: its positions are forces [N]
    Vec3 target;                  ///< of a drag [m]
    double frequency = 4;         ///< of a drag [Hz]
    double strength = 1;          ///< of a follow, 0 … 1
    std::optional<double> until;  ///< [s]
};

enum class Measure {
    volume_error,
    final_volume_error,
    volume_loss,
    recovering_time,
    speed,
    creep,
    penetration,
    shape_error,
    lowest,
    highest,
    travel,
    acceleration,
    least_extent,
    final_extent,
    distance,
    rebound,
    touches,
    dent,
    pieces
};
std::string_view name_of(Measure measure);
/// Whether it can be measured of a rigid body.
bool is_for_rigids(Measure measure);

struct SceneCheck {
    Measure measure = Measure::volume_error;
    std::vector<std::string> bodies;  ///< empty: all soft ones, as always for penetration
    std::optional<double> at_least, at_most;
    Vec3 axis{0, 1, 0};  ///< unit
    Vec3 point;
    double since = 0;      ///< [s]
    std::string collider;  ///< of touches
};

/// How two surfaces rub on each other.
struct SceneFriction {
    std::array<std::string, 2> surfaces;  ///< in the order of the alphabet
    PairFriction friction;
    std::string where;  ///< its JSON path
};

/// Where the triangles of a mesh collider are, which are read when the scene comes alive.
struct ColliderFile {
    std::size_t collider = 0;  ///< its place in the list
    std::filesystem::path file;
    double scale = 1;
};

struct Scene {
    std::string name, description;
    std::string source;  ///< the file it was read from, for messages
    WorldSettings world;
    double duration = 3;  ///< [s]
    double dt = 0.005;    ///< [s]
    double fps = 30;
    std::vector<std::pair<std::string, Material>> materials;
    std::vector<std::string> layers{"default"};  ///< bit by bit; what says nothing is in the first
    std::vector<Collider> colliders;
    std::vector<SceneFriction> friction_pairs;
    std::vector<ColliderFile> collider_files;
    std::vector<SceneBody> bodies;
    std::vector<SceneRigid> rigids;
    std::vector<SceneHandle> handles;
    std::vector<SceneCheck> checks;
    std::vector<std::string> notes;  ///< what was noticed while reading, for a person

    std::size_t steps() const;
};

/// Reads a scene from JSON text. `source` is what messages call it; mesh files are looked for
/// beside it.
Scene parse_scene(std::string_view text, const std::filesystem::path& source);

/// The built-in scene of that name, or the scene in that file.
Scene load_scene(const std::string& name_or_file);

/// True where `name` is a built-in scene or looks like a scene file rather than a mesh.
bool names_a_scene(const std::string& name);

struct MeshDrop {
    double scale = 1;
    bool z_up = false;
    bool simplified = false;  ///< they are going to be: many vertices need no note
    /// Which of them get cages; those that are not closed with a note.
    enum class Wrap { none, open, all } wrap = Wrap::none;
    bool any_mesh = false;  ///< their model takes them as they are: none is refused or gets a cage
};
/// Every mesh falls onto the ground from half its height, several of them side by side.
Scene drop_scene(const std::vector<std::filesystem::path>& meshes, const MeshDrop& how = {});

/// What the command line changes about a scene.
struct SceneOverrides {
    std::optional<std::string> model, material, formulation;
    std::optional<int> omega;
    std::optional<double> stiffness, damping, alpha, beta, dt, fps;
    std::optional<std::string> volume;
    std::optional<std::size_t> sim_vertices;
};
/// An Error says which of them is out of range.
void apply(const SceneOverrides& overrides, Scene& scene);

/// "local", "global", "off"; "turgor", "paper". An Error lists the names.
VolumeMode volume_mode_named(std::string_view name);
Formulation formulation_named(std::string_view name);
/// A preset or one of the scene's own. An Error lists the names.
Material material_named(const Scene& scene, std::string_view name);

}  // namespace turgor
