#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cancel.hpp"
#include "base/errors.hpp"
#include "base/for_each.hpp"
#include "base/functions.hpp"
#include "mesh/measures.hpp"
#include "solid/cell_densities.hpp"
#include "solid/polygons.hpp"
#include "solid/shape_solid.hpp"
#include "solid/voxels.hpp"

namespace turgor {
namespace {

/// How far from the surface P falls to 0 [voxels].
constexpr int few_cells = 4;
constexpr double band_reach = 4;
constexpr int padding = 6;  ///< voxels around the mesh
/// Rays that agree less than this tell nothing: the triangles leave gaps everywhere.
constexpr double least_agreement = 0.33;
constexpr double default_p_in = 0.75, default_p_subs = 0.5;
constexpr int most_cells = 256;

constexpr double largest_coordinate = 1e12, least_size = 1e-12;  ///< [m]

double largest_of(Vec3 p) {
    return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
}

int even_above(double x) {
    return 2 * static_cast<int>(std::ceil(0.5 * x - 1e-9));
}

/// Voxels [m] that time and memory are enough for: fewer where the box is full of large triangles,
/// or is a cube of more than 448 voxels along each side.
double smallest_side(const std::vector<Corners>& triangles, Vec3 extent) {
    constexpr double most_area = 1.5e7, most_voxels = 9e7;
    double area = 0;
    for (const Corners& t : triangles) area += 0.5 * norm(cross(t[1] - t[0], t[2] - t[0]));
    return std::max(std::sqrt(area / most_area),
                    portable::cbrt(extent.x * extent.y * extent.z / most_voxels));
}

std::vector<std::uint8_t> majority(std::span<const Votes> votes) {
    std::vector<std::uint8_t> inside(votes.size());
    for (std::size_t i = 0; i < votes.size(); ++i) inside[i] = votes[i].in() > votes[i].out();
    return inside;
}

/// Of voxels that some ray found inside, and that are farther than 2.5 voxels from the surface:
/// how far from even the votes are. Without distances: of all of them.
double agreement_of(std::span<const Votes> votes, const DistanceBand* distances) {
    constexpr double clear = 2.5 / distance_step;
    std::uint64_t sum = 0, count = 0;
    for (std::size_t i = 0; i < votes.size(); ++i) {
        if (votes[i].in() == 0 || (distances && !((*distances)[i] > clear))) continue;
        sum += static_cast<std::uint64_t>(std::abs(votes[i].in() - votes[i].out()));
        ++count;
    }
    return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) / ray_directions : 0;
}

void check(const SolidSettings& s) {
    if (s.cells < 1 || s.cells > most_cells)
        fail(ErrorCode::bad_argument,
             "A solid of {} cells along its longest side: 1 to {} are possible.", s.cells,
             most_cells);
    if (s.smoothing < 0 || s.smoothing > 1000)
        fail(ErrorCode::bad_argument, "{} rounds of smoothing: 0 to 1000 are possible.",
             s.smoothing);
    const auto check_share = [](const char* name, const std::optional<double>& share) {
        if (share && !(*share >= 0 && *share < 1))
            fail(ErrorCode::bad_argument, "{} is {}: it must be 0 or more and less than 1.", name,
                 *share);
    };
    check_share("p_in", s.p_in);
    check_share("p_subs", s.p_subs);
    check_share("density", s.density);
    const double enter = s.p_in.value_or(default_p_in),
                 leave = s.p_subs.value_or(std::min(enter, default_p_subs));
    if (leave > enter)
        fail(ErrorCode::bad_argument,
             "p_subs ({}) is larger than p_in ({}): a ray may change sides again where it is less "
             "likely to be on the surface.",
             leave, enter);
}

/// Members: cells whose share of the inside is large enough.
void add_dense_cells(const CellDensities& inside, const std::optional<double>& wanted,
                     CellSet& set) {
    std::int64_t least = 0;
    if (wanted) {
        least = static_cast<std::int64_t>(*wanted * static_cast<double>(inside.full)) + 1;
    } else {
        // As many cells as have the volume of the inside; all that are as full as the last.
        std::vector<std::int64_t> sorted;
        for (const std::int64_t d : inside.values)
            if (d > 0) sorted.push_back(d);
        if (sorted.empty()) return;
        std::ranges::sort(sorted, std::greater());
        const double cells =
            static_cast<double>(std::accumulate(sorted.begin(), sorted.end(), std::int64_t{0})) /
            static_cast<double>(inside.full);
        double nearest = -1;
        for (std::size_t k = 0; k < sorted.size(); ++k) {
            if (k + 1 < sorted.size() && sorted[k + 1] == sorted[k]) continue;
            const double off = std::abs(static_cast<double>(k + 1) - cells);
            if (nearest < 0 || off <= nearest) nearest = off, least = sorted[k];
        }
    }
    for (std::size_t i = 0; i < set.places(); ++i)
        if (inside.values[i] >= least) set.add(i);
}

/// Members, too: cells that points are in, whatever rays say of those around them.
void add_points(const CellDensities& near, CellSet& set) {
    for (std::size_t i = 0; i < set.places(); ++i)
        if (near.values[i] > 0) set.add(i);
}

/// Members, too: cells that a sheet runs through, too thin to have an inside, where there is none
/// else.
void add_sheets(const CellDensities& near, std::int64_t least, CellSet& set) {
    const CellSet before = set;
    for (std::size_t i = 0; i < set.places(); ++i) {
        if (before[i] || near.values[i] < least || near.values[i] == 0) continue;
        const auto [x, y, z] = set.place(i);
        bool alone = true;
        for (int k = 0; k < 27; ++k)
            alone = alone && !before(x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1);
        if (alone) set.add(i);
    }
}

/// Adds what the set encloses.
void fill_cavities(CellSet& set) {
    std::vector<std::uint8_t> outside(set.places());
    std::vector<std::size_t> open{0};
    outside[0] = 1;
    while (!open.empty()) {
        const auto [x, y, z] = set.place(open.back());
        open.pop_back();
        for (const auto& [dx, dy, dz] : cell_neighbours) {
            if (!set.covers(x + dx, y + dy, z + dz)) continue;
            const std::size_t next = set.index(x + dx, y + dy, z + dz);
            if (outside[next] || set[next]) continue;
            outside[next] = 1;
            open.push_back(next);
        }
    }
    for (std::size_t i = 0; i < set.places(); ++i)
        if (!outside[i]) set.add(i);
}

}  // namespace

struct SolidField::Impl {
    std::string name;
    bool is_cloud = false;  ///< there are points and nothing else
    Vec3 extent;            ///< of the mesh [m]
    VoxelGrid grid;
    Polygons polygons;                       ///< in voxels about the centre
    std::vector<std::uint8_t> inside, near;  ///< the second: half a voxel from the surface at most
    double agreement = 0;

    /// What takes long and is asked for seldom, kept for the next time.
    mutable DistanceBand distances;
    mutable double enter = -1, leave = -1;
    mutable std::vector<std::uint8_t> inside_by_valleys;

    const DistanceBand& band(Scheduler* threads) const {
        if (distances.empty()) distances = distance_band(grid, polygons.all, band_reach, threads);
        return distances;
    }
    /// Which voxels are inside, for given P_in and P_subs or without.
    const std::vector<std::uint8_t>& inside_for(const SolidSettings& s, Scheduler* threads) const {
        if (!s.p_in && !s.p_subs && agreement >= least_agreement) return inside;
        const double p_in = s.p_in.value_or(default_p_in),
                     p_subs = s.p_subs.value_or(std::min(p_in, default_p_subs));
        const double to_enter = band_reach * (1 - p_in), to_leave = band_reach * (1 - p_subs);
        if (to_enter != enter || to_leave != leave || inside_by_valleys.empty()) {
            inside_by_valleys =
                majority(votes_of_valleys(grid, band(threads), to_enter, to_leave, threads));
            enter = to_enter, leave = to_leave;
        }
        return inside_by_valleys;
    }
    CellSet cells(const SolidSettings& s, double cell, Scheduler* threads, double& volume) const;
};

SolidField::SolidField(const Mesh& mesh, int voxels, Scheduler* threads)
    : impl_(std::make_unique<Impl>()) {
    if (voxels < 8 || voxels > 1024)
        fail(ErrorCode::bad_argument, "A field of {} voxels: 8 to 1024 are possible.", voxels);
    Impl& field = *impl_;
    field.name = mesh.name;
    field.is_cloud = mesh.triangles.empty();
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
        if (const Vec3 p = mesh.vertices[v]; !(is_finite(p) && largest_of(p) <= largest_coordinate))
            fail(
                ErrorCode::bad_mesh,
                "mesh \"{}\": vertex {} is at ({:.3g}, {:.3g}, {:.3g}) m: numbers up to {:.0g} are "
                "possible; scale the mesh down.",
                mesh.name, v, p.x, p.y, p.z, largest_coordinate);
    field.polygons = polygons_of(mesh);
    Bounds box;
    for (const Corners& t : field.polygons.all)
        for (const Vec3& p : t) box.add(p);
    field.extent = field.polygons.all.empty() ? Vec3{} : box.extent();
    const double longest = largest_of(field.extent);
    if (!(longest > least_size))
        fail(ErrorCode::bad_mesh,
             "mesh \"{}\" is {:.3g} m across: there is nothing to make a solid of.", mesh.name,
             longest);
    VoxelGrid& grid = field.grid;
    grid.centre = box.centre();
    grid.side = std::max(longest / voxels, smallest_side(field.polygons.all, field.extent));
    for (int k = 0; k < 3; ++k)
        grid.size[static_cast<std::size_t>(k)] =
            even_above(field.extent[k] / grid.side) + 2 * padding;
    for (auto* list : {&field.polygons.all, &field.polygons.crossed})
        for (Corners& t : *list)
            for (Vec3& p : t) p = (p - grid.centre) / grid.side;

    // A sheet between two layers of voxels is as near to both.
    // Points and lines are near the middle of the voxel that they are in: √3/2 at most.
    const double touch = field.polygons.have_area ? 0.5 : 0.87;
    const DistanceBand touching = distance_band(grid, field.polygons.all, touch + 0.1, threads);
    field.near.resize(grid.count());
    const auto most = static_cast<std::uint16_t>(touch / distance_step);
    for (std::size_t i = 0; i < touching.size(); ++i) field.near[i] = touching[i] <= most;
    if (field.polygons.crossed.empty()) {
        field.inside.resize(grid.count());
        return;
    }
    const std::vector<Votes> votes = votes_of_crossings(grid, field.polygons, threads);
    // Beside the surface rays agree less: where all of them agree well, the distances are not
    // needed.
    constexpr double well = 0.6;
    field.agreement = agreement_of(votes, nullptr);
    if (field.agreement < well) field.agreement = agreement_of(votes, &field.band(threads));
    field.inside = majority(votes);
}

SolidField::~SolidField() = default;
SolidField::SolidField(SolidField&&) noexcept = default;
SolidField& SolidField::operator=(SolidField&&) noexcept = default;

double SolidField::agreement() const {
    return impl_->agreement;
}

CellSet SolidField::Impl::cells(const SolidSettings& s, double cell, Scheduler* threads,
                                double& volume) const {
    std::array<int, 3> size{};
    for (int k = 0; k < 3; ++k) {
        // One cell alone need not be even: it stands for the box. A sheet in a side of the box
        // takes cells on both sides of it; beyond them there is to be a free one.
        const auto a = static_cast<std::size_t>(k);
        size[a] = s.cells == 1 ? 3 : std::max(2, even_above(extent[k] / cell)) + 4;
    }
    const double ratio = cell / grid.side;
    const CellDensities dense = cell_densities(grid, inside_for(s, threads), size, ratio, threads),
                        touched = cell_densities(grid, near, size, ratio, threads);
    volume = static_cast<double>(
                 std::accumulate(dense.values.begin(), dense.values.end(), std::int64_t{0})) /
             static_cast<double>(dense.full) * cell * cell * cell;
    CellSet set(size);
    if (s.cells == 1) {
        set.add(set.index(1, 1, 1));
        return set;
    }
    add_dense_cells(dense, s.density, set);
    const auto voxel = static_cast<double>(dense.full) / (ratio * ratio * ratio);
    const double least = polygons.have_area ? 0.25 * ratio * ratio : 1e-3;
    if (is_cloud)
        add_points(touched, set);
    else
        add_sheets(touched, static_cast<std::int64_t>(least * voxel), set);
    if (set.count() == 0) {
        const std::int64_t most = *std::ranges::max_element(touched.values);
        for (std::size_t i = 0; i < set.places(); ++i)
            if (touched.values[i] == most) set.add(i);
    }
    if (!polygons.have_area) {
        compose_well(set);
        fill_cavities(set);
    }
    fill_gaps(set);
    compose_well(set);
    join_parts(set);
    return set;
}

Solid SolidField::solid(const SolidSettings& settings, Scheduler* threads) const {
    check(settings);
    const Impl& field = *impl_;
    const double cell = std::max({field.extent.x, field.extent.y, field.extent.z}) / settings.cells;
    double volume = 0;
    Solid solid = solid_of(field.cells(settings, cell, threads, volume), cell, field.grid.centre);
    solid.name = field.name;
    smooth(solid, settings.smoothing, settings.smooth_over_diagonals);
    // The mesh's own volume is exact where it is that of the inside.
    const double enclosed = std::abs(field.polygons.volume);
    const bool is_closed = field.polygons.closed && std::abs(enclosed - volume) < 0.03 * volume;
    solid.wanted_volume = is_closed ? enclosed : volume;
    // Of few cells smoothing takes much, and they are not near the mesh anyway.
    const double most = settings.cells <= few_cells ? 1.6 : 1.02;
    if (!settings.density) scale_to_volume(solid, solid.wanted_volume, most);
    return solid;
}

Solid make_solid(const Mesh& mesh, const SolidSettings& settings, Status* status) {
    return reporting_to(
        status,
        [&] {
            check(settings);
            const auto threads = make_thread_pool();
            return SolidField(mesh, std::clamp(4 * settings.cells, 16, 1024), threads.get())
                .solid(settings, threads.get());
        },
        Solid{});
}

}  // namespace turgor
