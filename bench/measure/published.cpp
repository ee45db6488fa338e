#include "measure/published.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "base/random.hpp"
#include "base/rigid_system.hpp"
#include "base/rotation.hpp"
#include "body/bake.hpp"
#include "body/graph.hpp"
#include "body/sweep_order.hpp"
#include "elastic/meshless/published.hpp"
#include "turgor/turgor.hpp"

namespace turgor::measure {
namespace {

std::shared_ptr<const BodyAsset> asset_of(const Mesh& mesh) {
    const ListOfLists corners = triangles_around(mesh.vertices.size(), mesh.triangles);
    return make_body_asset(mesh, sweep_order(corners, mesh.triangles));
}

/// Goals of both, for the same clusters.
class Matcher {
public:
    Matcher(const BodyAsset& asset, Form form, MeshlessMode mode, double beta, int clusters)
        : asset_(asset) {
        const ClusterLayout layout = place_clusters(asset, Placement::regular, clusters);
        if (form == Form::published) {
            cells_ = published::make_cells(asset, mode, beta, layout);
            return;
        }
        rest_ = make_meshless_rest(asset, {mode, beta, clusters, Placement::regular}, layout, {});
        states_.rotation.resize(rest_->clusters.size());
    }
    std::vector<Vec3> goals(std::span<const Vec3> x) {
        std::vector<Vec3> goals(x.size());
        if (cells_)
            published::goals_of(asset_, *cells_, x, goals);
        else
            match_clusters(*rest_, x, states_, goals);
        return goals;
    }

private:
    const BodyAsset& asset_;
    std::optional<published::Cells> cells_;
    std::optional<MeshlessRest> rest_;
    ClusterStates states_;
};

World world_of(Form form) {
    WorldSettings settings;
    settings.gravity = {};
    settings.backend = Backend::reference;
    settings.sleeping = false;
    settings.formulation.meshless.published = form == Form::published;
    settings.formulation.recover = false;
    return World(settings);
}

std::vector<std::uint32_t> end_of(const Mesh& mesh, double sign) {
    double reach = 0;
    for (const Vec3& p : mesh.vertices) reach = std::max(reach, p.x);
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i)
        if (sign * mesh.vertices[i].x > 0.98 * reach) vertices.push_back(i);
    return vertices;
}

/// By how much the slices of a bar along x are turned against each other, in all [degrees].
double twist_of(const Mesh& mesh, const Body& body) {
    std::map<double, std::vector<std::uint32_t>> slices;
    for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i)
        slices[std::round(1e6 * mesh.vertices[i].x)].push_back(i);
    double sum = 0;
    std::optional<double> before;
    for (const auto& [along, members] : slices) {
        Vec3 centre;
        for (const auto i : members)
            centre += body.position(i) / static_cast<double>(members.size());
        double same = 0, across = 0;
        for (const auto i : members) {
            const Vec3 q = mesh.vertices[i], p = body.position(i) - centre;
            same += q.y * p.y + q.z * p.z;
            across += q.y * p.z - q.z * p.y;
        }
        const double angle = std::atan2(across, same);
        if (before) sum += std::remainder(angle - *before, 2 * std::numbers::pi);
        before = angle;
    }
    return sum * 180 / std::numbers::pi;
}

}  // namespace

Imbalance imbalance_of_goals(Form form, MeshlessMode mode, int clusters) {
    const auto asset = asset_of(shapes::gummy_bear(1, 500));
    Random random(4);
    std::vector<Vec3> x = asset->rest;
    for (Vec3& p : x) p = Vec3{p.x + 0.6 * p.y * p.y, p.y, p.z} + 0.02 * random.in_cube();
    const std::vector<Vec3> goals = Matcher(*asset, form, mode, 0.8, clusters).goals(x);
    Vec3 force, torque;
    double pulls = 0, arms = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 pull = asset->mass[i] * (goals[i] - x[i]);
        force += pull, torque += cross(x[i], pull);
        pulls += norm(pull), arms += norm(x[i]) * norm(pull);
    }
    return {norm(force) / pulls, norm(torque) / arms};
}

double goals_off_a_plate(Form form) {
    const auto asset = asset_of(shapes::bar({1, 1, 0.02}, 6));
    double worst = 0;
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
        Random random(seed);
        std::vector<Vec3> x = asset->rest;
        for (Vec3& p : x) p += 0.01 * random.in_cube();
        const std::vector<Vec3> goals =
            Matcher(*asset, form, MeshlessMode::linear, 0.8, 1).goals(x);
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += dot(goals[i] - asset->rest[i], goals[i] - asset->rest[i]);
        worst = std::max(worst, std::sqrt(sum / static_cast<double>(x.size())));
    }
    return worst;
}

double speed_after_pressing(Form form, double height) {
    World world = world_of(form);
    Body cube = world.add_body(
        shapes::cube(1, 5), {},
        {.volume = VolumeMode::off,
         .model = MeshlessModel{.mode = MeshlessModel::Mode::linear, .clusters = 1}});
    std::vector<Vec3> x;
    for (std::size_t i = 0; i < cube.positions().size(); ++i) {
        x.push_back(cube.position(i));
        x.back().y *= height;
    }
    cube.set_positions(x);
    Status status;
    world.step(0.005, &status);
    return status ? cube.max_speed() : 1e9;
}

double reach_of_quadratic(Form form, double beta) {
    const auto asset = asset_of(shapes::bar({2, 0.5, 0.5}, 13));
    Matcher matcher(*asset, form, MeshlessMode::quadratic, beta, 1);
    std::vector<Vec3> x = asset->rest, v, ahead(x.size());
    for (const Vec3& p : x) v.push_back({0, 3 * p.x * p.x, 0});
    const Vec3 drift = centre_of_mass(asset->mass, v);
    for (Vec3& u : v) u -= drift;
    double longest = 0;
    for (int k = 0; k < 2000; ++k) {
        constexpr double h = 0.005, alpha = 0.5;
        for (std::size_t i = 0; i < x.size(); ++i) ahead[i] = x[i] + h * v[i];
        const std::vector<Vec3> goals = matcher.goals(ahead);
        for (std::size_t i = 0; i < x.size(); ++i) {
            v[i] += alpha / h * (goals[i] - ahead[i]);
            x[i] += h * v[i];
            longest = std::max(longest, norm(x[i]));
        }
    }
    return longest;
}

double spin_left(Form form, double seconds) {
    World world = world_of(form);
    const Body brick =
        world.add_body(shapes::bar({0.9, 0.6, 0.3}, 4), {},
                       {.angular_velocity = {1, 12, 0.5},
                        .volume = VolumeMode::off,
                        .model = MeshlessModel{.mode = MeshlessModel::Mode::rigid, .clusters = 1}});
    const double before = norm(brick.angular_momentum());
    const int steps = static_cast<int>(std::round(seconds / 0.005));
    for (int k = 0; k < steps; ++k) world.step();
    return norm(brick.angular_momentum()) / before;
}

double wobble(Form form, double h) {
    World world = world_of(form);
    Material material;
    material.frequency = 4;
    material.damping_ratio = 0.03;
    const Mesh mesh = shapes::icosphere(0.5, 2);
    Body ball = world.add_body(
        mesh, material,
        {.volume = VolumeMode::off,
         .model = MeshlessModel{.mode = MeshlessModel::Mode::linear, .beta = 0.5, .clusters = 1}});
    std::vector<Vec3> x;
    for (const Vec3& p : mesh.vertices)
        x.push_back({p.x / std::sqrt(1.04), 1.04 * p.y, p.z / std::sqrt(1.04)});
    ball.set_positions(x);
    const auto height = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum +=
                ball.position(i).y * mesh.vertices[i].y - mesh.vertices[i].y * mesh.vertices[i].y;
        return sum;
    };
    std::vector<double> crossings;
    double before = height();
    while (world.time() < 3 && crossings.size() < 4) {
        world.step(h);
        const double now = height();
        if (before * now < 0) crossings.push_back(world.time() - h * now / (now - before));
        before = now;
    }
    if (crossings.size() < 2) return 0;
    return 0.5 * static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
}

double kept_stretch(Form form, double h, double flow_time) {
    const Plasticity plasticity{.yield = 0.05, .flow_time = flow_time};
    const double across = 1 / std::sqrt(1.3);
    const Mat3 held{{{1.3, 0, 0}, {0, across, 0}, {0, 0, across}}};
    const int steps = static_cast<int>(std::round(0.2 / h));
    if (form == Form::turgor) {
        PlasticShape shape;
        for (int k = 0; k < steps; ++k) flow_linear(PlasticStep(plasticity, h), held, shape);
        return std::log(shape.stretch.m[0][0]);
    }
    // A is what leads from the plastic shape to the one it is held in.
    const published::Flow rule(plasticity);
    Mat3 plastic = Mat3::identity();
    for (int k = 0; k < steps; ++k) {
        published::Match match;
        match.rotation = Mat3::identity();
        for (int a = 0; a < 3; ++a) match.linear.m[a][a] = held.m[a][a] / plastic.m[a][a];
        plastic = published::flow(rule, h, match, plastic).value_or(plastic);
    }
    return std::log(plastic.m[0][0]);
}

double true_kept_stretch(double flow_time) {
    return (std::log(1.3) - 0.05) * (1 - std::exp(-0.2 / flow_time));
}

double kept_twist(Form form, double degrees) {
    World world = world_of(form);
    const Mesh mesh = shapes::bar({2, 0.4, 0.4}, 16);
    Body bar =
        world.add_body(mesh, Material::named("clay"), {.model = MeshlessModel{.clusters = 5}});
    std::vector<HandleId> held;
    for (const double side : {-1.0, 1.0}) {
        Path path;
        constexpr int keys = 16;
        for (int k = 0; k <= keys; ++k) {
            const double angle = side * degrees / 2 * std::numbers::pi / 180 * k / keys;
            path.keys.push_back({static_cast<double>(k) / keys, {{}, rotation_by({angle, 0, 0})}});
        }
        held.push_back(bar.pin(end_of(mesh, side), path));
    }
    while (world.time() < 2) world.step();
    for (const HandleId handle : held) bar.release(handle);
    while (world.time() < 4) world.step();
    return twist_of(mesh, bar);
}

}  // namespace turgor::measure
