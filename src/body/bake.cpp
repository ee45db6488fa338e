#include "body/bake.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "body/check.hpp"
#include "body/detail.hpp"
#include "body/graph.hpp"
#include "body/sweep_order.hpp"
#include "mesh/measures.hpp"
#include "mesh/normals.hpp"

namespace turgor {
namespace {

/// Fills the particles and the triangles, which follow the order of vertex_of_particle; all
/// coordinates are still the mesh's own.
void arrange(const Mesh& mesh, BodyAsset& asset) {
    const std::size_t n = mesh.vertices.size();
    asset.surface_count = n;
    asset.particle_of_vertex.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) asset.particle_of_vertex[asset.vertex_of_particle[i]] = i;
    const auto particle = [&](std::uint32_t v) { return asset.particle_of_vertex[v]; };

    for (const std::uint32_t v : asset.vertex_of_particle) asset.rest.push_back(mesh.vertices[v]);
    const auto lowest = [&](std::uint32_t t) {
        const Triangle& c = mesh.triangles[t];
        return std::min({particle(c[0]), particle(c[1]), particle(c[2])});
    };
    asset.mesh_triangle.resize(mesh.triangles.size());
    std::iota(asset.mesh_triangle.begin(), asset.mesh_triangle.end(), 0u);
    std::stable_sort(asset.mesh_triangle.begin(), asset.mesh_triangle.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return lowest(a) < lowest(b); });
    for (const std::uint32_t t : asset.mesh_triangle) {
        const Triangle& c = mesh.triangles[t];
        asset.triangles.push_back({particle(c[0]), particle(c[1]), particle(c[2])});
    }
    asset.corners = triangles_around(n, asset.triangles);
    asset.neighbours = one_rings(asset.corners, asset.triangles);
}

void move(std::span<Vec3> points, Vec3 offset) {
    for (Vec3& p : points) p += offset;
}

/// A particle whose triangles have no area would weigh nothing: it gets this share of the mean.
constexpr double least_share = 1e-6;

/// Moves the middle of its box to the origin; returns where that was.
Vec3 centre_box(BodyAsset& asset) {
    Bounds box;
    for (const Vec3 p : asset.rest) box.add(p);
    move(asset.rest, -box.centre());
    return box.centre();
}

/// The volume, and masses whose ratios are given already: they add up to it (density 1), or are
/// multiplied by `mass_scale`. Their centre, which becomes the origin, is moved from `middle`.
/// Returns what masses were multiplied by.
double balance(BodyAsset& asset, Vec3 middle, std::optional<double> mass_scale = {}) {
    Bounds box;
    for (const Vec3 p : asset.rest) box.add(p);
    for (const auto& [a, b, c] : asset.triangles)
        asset.rest_volume += dot(asset.rest[a], cross(asset.rest[b], asset.rest[c])) / 6;
    const double size = box.diagonal();
    if (!(asset.rest_volume > 1e-12 * size * size * size))
        fail(ErrorCode::bad_mesh,
             "The mesh '{}' encloses a volume of {} m³: a body needs a positive one; is it flat or "
             "inside out?",
             asset.name, asset.rest_volume);
    const double sum = std::accumulate(asset.mass.begin(), asset.mass.end(), 0.0),
                 scale = mass_scale.value_or(asset.rest_volume / sum);
    Vec3 moment;
    for (std::size_t i = 0; i < asset.rest.size(); ++i)
        asset.mass[i] *= scale, moment += asset.mass[i] * asset.rest[i];
    const Vec3 centre = moment / (mass_scale ? scale * sum : asset.rest_volume);
    move(asset.rest, -centre);
    asset.rest_centre = middle + centre;
    asset.size = sphere_diameter(asset.rest_volume);
    return scale;
}

/// Masses by the particles' shares of the surface, times what is asked for.
void weigh(BodyAsset& asset, std::span<const double> relative_masses) {
    const std::size_t n = asset.rest.size();
    const Vec3 middle = centre_box(asset);
    asset.mass.assign(n, 0);
    for (const Triangle& t : asset.triangles) {
        const Vec3 a = asset.rest[t[0]], b = asset.rest[t[1]], c = asset.rest[t[2]];
        for (const std::uint32_t v : t) asset.mass[v] += norm(cross(b - a, c - a)) / 6;
    }
    const double least = least_share * std::accumulate(asset.mass.begin(), asset.mass.end(), 0.0) /
                         static_cast<double>(n);
    for (double& m : asset.mass) m = std::max(m, least);
    if (!relative_masses.empty())
        for (std::size_t i = 0; i < n; ++i)
            asset.mass[i] *= relative_masses[asset.vertex_of_particle[i]];
    balance(asset, middle);
}

void bind_display(BodyAsset& asset, const Mesh& display) {
    std::vector<Vec3> points = display.vertices, point_normals(points.size()),
                      normals(asset.rest.size());
    move(points, -asset.rest_centre);
    unit_normals(points, display.triangles, point_normals);
    unit_normals(asset.rest, asset.triangles, normals);
    asset.display = DetailDisplay{display.triangles, bind_detail(points, point_normals, asset.rest,
                                                                 normals, asset.triangles)};
}

template <class T>
std::size_t bytes_of(const std::vector<T>& v) {
    return v.capacity() * sizeof(T);
}

std::size_t bytes_of(const ListOfLists& lists) {
    return bytes_of(lists.starts) + bytes_of(lists.items);
}

}  // namespace

std::shared_ptr<const BodyAsset> make_body_asset(const Mesh& mesh,
                                                 std::vector<std::uint32_t> vertex_of_particle,
                                                 const Mesh* display,
                                                 std::span<const double> relative_masses) {
    auto asset = std::make_shared<BodyAsset>();
    asset->name = mesh.name;
    asset->vertex_of_particle = std::move(vertex_of_particle);
    arrange(mesh, *asset);
    weigh(*asset, relative_masses);
    asset->contact_length = mean_edge(asset->rest, asset->triangles);
    asset->neighbours.shrink();
    asset->corners.shrink();
    if (display) bind_display(*asset, *display);
    return asset;
}

namespace {

/// Along edges of cells, all of them for each particle.
ListOfLists cell_edges(const Solid& solid, std::span<const std::uint32_t> particle) {
    std::vector<Link> links;
    for (const Solid::Cell& cell : solid.cells)
        for (std::uint32_t k = 0; k < 8; ++k)
            for (const std::uint32_t bit : {1u, 2u, 4u})
                links.push_back({particle[cell.corners[k]], particle[cell.corners[k ^ bit]]});
    std::ranges::sort(links);
    links.erase(std::unique(links.begin(), links.end()), links.end());
    ListOfLists edges;
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < particle.size(); ++i) {
        for (; at < links.size() && links[at][0] == i; ++at) edges.items.push_back(links[at][1]);
        edges.end_row();
    }
    return edges;
}

/// Layer by layer inwards: what a particle is behind is the mean of what its neighbours nearer to
/// the surface are. The same for a mirrored solid.
void find_followers(const ListOfLists& edges, BodyAsset& asset) {
    constexpr double least = 0.05;
    using Shares = std::vector<std::pair<std::uint32_t, double>>;
    const std::size_t n = asset.rest.size(), surface = asset.surface_count;
    if (surface == n) return;
    constexpr std::uint16_t unseen = 0xffff;
    std::vector<std::uint16_t>& layer = asset.layer;
    layer.assign(n, unseen);
    std::vector<std::uint32_t> queue;
    std::vector<Shares> behind(n);
    for (std::uint32_t c = 0; c < surface; ++c) {
        layer[c] = 0;
        behind[c] = {{c, 1.0}};
        queue.push_back(c);
    }
    for (std::size_t q = 0; q < queue.size(); ++q)
        for (const std::uint32_t next : edges[queue[q]])
            if (layer[next] == unseen) {
                layer[next] = static_cast<std::uint16_t>(layer[queue[q]] + 1);
                queue.push_back(next);
            }
    for (const std::uint32_t i : std::span(queue).subspan(surface)) {
        check_cancelled();
        std::map<std::uint32_t, double> sum;
        double total = 0;
        for (const std::uint32_t j : edges[i]) {
            if (layer[j] >= layer[i]) continue;
            for (const auto& [corner, share] : behind[j]) sum[corner] += share;
            total += 1;
        }
        double kept = 0;
        for (const auto& [corner, share] : sum)
            if (share >= least * total) kept += share;
        for (const auto& [corner, share] : sum)
            if (share >= least * total) behind[i].emplace_back(corner, share / kept);
        // Of many corners none may have that much.
        if (kept == 0)
            for (const auto& [corner, share] : sum) behind[i].emplace_back(corner, share / total);
    }
    std::vector<std::vector<std::pair<std::uint32_t, double>>> of_corner(surface);
    for (auto i = static_cast<std::uint32_t>(surface); i < n; ++i)
        for (const auto& [corner, share] : behind[i]) of_corner[corner].emplace_back(i, share);
    for (const auto& list : of_corner) {
        double mass = 0;
        for (const auto& [i, share] : list) {
            asset.followers.items.push_back(i);
            asset.follower_share.push_back(share);
            mass += share * asset.mass[i];
        }
        asset.follower_mass.push_back(mass);
        asset.followers.end_row();
    }
}

/// The two triangles of a quad meet at two of its corners, so that every other corner has twice the
/// area of its neighbours around it, and would be moved twice as far. `triangles`: two for each
/// quad, one after the other.
std::vector<double> even_shares(std::span<const Vec3> x, std::span<const Triangle> triangles,
                                std::size_t surface) {
    std::vector<double> quads(surface), halves(surface), shares(surface);
    for (std::size_t t = 0; t + 1 < triangles.size(); t += 2) {
        double area = 0;
        for (const Triangle& half : {triangles[t], triangles[t + 1]}) {
            const double part = norm(cross(x[half[1]] - x[half[0]], x[half[2]] - x[half[0]])) / 2;
            for (const std::uint32_t c : half) halves[c] += part;
            area += part;
        }
        std::array<std::uint32_t, 6> corners{};
        for (std::size_t k = 0; k < 6; ++k) corners[k] = triangles[t + k / 3][k % 3];
        std::ranges::sort(corners);
        const auto end = std::unique(corners.begin(), corners.end());
        for (auto c = corners.begin(); c != end; ++c) quads[*c] += area;
    }
    double sum = 0;
    for (std::size_t c = 0; c < surface; ++c) sum += shares[c] = quads[c] / halves[c];
    for (double& share : shares) share *= static_cast<double>(surface) / sum;
    return shares;
}

}  // namespace

SolidAsset make_solid_asset(const Solid& solid, const Mesh& display, std::uint64_t settings,
                            const SolidAssetOptions& options) {
    return make_solid_asset(
        solid, EmbeddedDisplay{display.triangles, bind_to_cells(solid, display.vertices)}, settings,
        options);
}

SolidAsset make_solid_asset(const Solid& solid, EmbeddedDisplay shown, std::uint64_t settings,
                            const SolidAssetOptions& options) {
    const std::size_t n = solid.corners.size(), surface = solid.surface_count;
    SolidAsset made;
    auto& particle = made.particle_of_corner;
    particle.resize(n);
    std::iota(particle.begin(), particle.end(), 0u);
    const ListOfLists corners = triangles_around(surface, solid.triangles);
    const std::vector<std::uint32_t> order = sweep_order(corners, solid.triangles);
    for (std::uint32_t i = 0; i < surface; ++i) particle[order[i]] = i;

    // The surface in the order of the particles, so that its vertices are the particles.
    Mesh mesh{solid.name, std::vector<Vec3>(surface), solid.triangles};
    for (std::size_t c = 0; c < surface; ++c) mesh.vertices[particle[c]] = solid.corners[c];
    for (Triangle& t : mesh.triangles)
        for (std::uint32_t& c : t) c = particle[c];
    auto asset = std::make_shared<BodyAsset>();
    asset->name = solid.name;
    asset->has_own_surface = true;
    asset->is_piece = options.mass_scale.has_value();
    asset->settings = settings;
    asset->vertex_of_particle.resize(surface);
    std::iota(asset->vertex_of_particle.begin(), asset->vertex_of_particle.end(), 0u);
    asset->volume_share = even_shares(mesh.vertices, mesh.triangles, surface);
    arrange(mesh, *asset);
    std::iota(asset->mesh_triangle.begin(), asset->mesh_triangle.end(), 0u);
    asset->contact_length = mean_edge(asset->rest, asset->triangles);
    asset->rest.insert(asset->rest.end(),
                       solid.corners.begin() + static_cast<std::ptrdiff_t>(surface),
                       solid.corners.end());
    asset->mass.assign(n, 0);
    for (const Solid::Cell& cell : solid.cells)
        for (const std::uint32_t c : cell.corners)
            asset->mass[particle[c]] +=
                options.relative_masses.empty() ? 1 : options.relative_masses[c];
    made.mass_scale = balance(*asset, centre_box(*asset), options.mass_scale);
    if (options.with_followers) find_followers(cell_edges(solid, particle), *asset);

    for (CellBinding& binding : shown.bindings)
        for (std::uint32_t& c : binding.corners) c = particle[c];
    asset->display = std::move(shown);
    made.asset = std::move(asset);
    return made;
}

std::shared_ptr<const BodyAsset> cached_swept_asset(const BodySource& source,
                                                    std::string_view model, BakeCache& cache) {
    return cache.find_or_make<BodyAsset>({source.hash, std::string(model) + " asset"}, [&] {
        const Mesh& mesh = source.mesh;
        check_elements(mesh, "mesh");
        check_closed(mesh);
        if (source.display) check_display(*source.display, "display mesh");
        const ListOfLists corners = triangles_around(mesh.vertices.size(), mesh.triangles);
        return make_body_asset(mesh, sweep_order(corners, mesh.triangles),
                               source.display ? &*source.display : nullptr, source.relative_masses);
    });
}

std::size_t bytes(const BodyAsset& asset) {
    const auto& a = asset;
    return sizeof a + a.name.capacity() + bytes_of(a.rest) + bytes_of(a.triangles) +
           bytes_of(a.mass) + bytes_of(a.neighbours) + bytes_of(a.corners) + bytes_of(a.followers) +
           bytes_of(a.follower_share) + bytes_of(a.follower_mass) + bytes_of(a.layer) +
           bytes_of(a.volume_share) + bytes_of(a.particle_of_vertex) +
           bytes_of(a.vertex_of_particle) + bytes_of(a.mesh_triangle) +
           (a.detail() ? bytes_of(a.detail()->triangles) + bytes_of(a.detail()->bindings) : 0) +
           (a.embedded() ? bytes_of(a.embedded()->triangles) + bytes_of(a.embedded()->bindings)
                         : 0);
}

}  // namespace turgor
