#include <algorithm>
#include <cmath>

#include "base/bounds.hpp"
#include "base/cancel.hpp"
#include "base/for_each.hpp"
#include "solid/voxels.hpp"

namespace turgor {
namespace {

/// Voxels from `low` to below `high`.
struct Block {
    std::array<int, 3> low, high;
    bool empty() const { return low[0] >= high[0] || low[1] >= high[1] || low[2] >= high[2]; }
};

/// A triangle with what is quickly said about distances from it.
struct Bounded {
    Corners corners;
    Vec3 low, high;
    Vec3 normal;     ///< zero where it is too thin to have one
    double off = 0;  ///< normal · p of its points

    explicit Bounded(const Corners& t) : corners(t) {
        Bounds box;
        for (const Vec3& p : t) box.add(p);
        low = box.lower, high = box.upper;
        const Vec3 n = cross(t[1] - t[0], t[2] - t[0]), extent = box.extent();
        const double scale = dot(extent, extent);
        if (dot(n, n) > 1e-12 * scale * scale) normal = normalized(n), off = dot(normal, t[0]);
    }
};

class Band {
public:
    Band(const VoxelGrid& grid, double reach, DistanceBand& out)
        : grid_(grid), reach_(reach), out_(out) {}

    /// Of the voxels of a block. Large ones are cut in two, and left out where the triangle is far.
    void add(const Bounded& triangle, const Block& block) {
        const std::array<int, 3> extent{block.high[0] - block.low[0], block.high[1] - block.low[1],
                                        block.high[2] - block.low[2]};
        constexpr int small = 64;
        if (extent[0] * extent[1] * extent[2] <= small) return measure(triangle, block);
        Vec3 middle, half;
        for (int k = 0; k < 3; ++k) {
            const auto a = static_cast<std::size_t>(k);
            half[k] = 0.5 * (extent[a] - 1);
            middle[k] = grid_.middle(k, block.low[a]) + half[k];
        }
        const double far = reach_ + norm(half);
        const Corners& t = triangle.corners;
        if (std::abs(dot(triangle.normal, middle) - triangle.off) > far ||
            squared_distance(t, nearest_on_triangle(t, middle), middle) > far * far)
            return;
        const auto longest =
            static_cast<std::size_t>(std::ranges::max_element(extent) - extent.begin());
        Block low = block, high = block;
        low.high[longest] = high.low[longest] = block.low[longest] + extent[longest] / 2;
        add(triangle, low);
        add(triangle, high);
    }

private:
    static double beyond(double x, double low, double high) {
        return std::max({low - x, x - high, 0.0});
    }

    /// Triangles that cannot be nearer than what is known, by their box and plane, are left out:
    /// where there are many, most are. Errors of these bounds are far below a step.
    void measure(const Bounded& t, const Block& block) {
        for (int i = block.low[0]; i < block.high[0]; ++i)
            for (int j = block.low[1]; j < block.high[1]; ++j) {
                Vec3 p{grid_.middle(0, i), grid_.middle(1, j), 0};
                const double dx = beyond(p.x, t.low.x, t.high.x),
                             dy = beyond(p.y, t.low.y, t.high.y), across2 = dx * dx + dy * dy,
                             plane = dot(t.normal, p) - t.off;
                std::uint16_t* const row = &out_[grid_.index(i, j, 0)];
                for (int k = block.low[2]; k < block.high[2]; ++k) {
                    p.z = grid_.middle(2, k);
                    const double dz = beyond(p.z, t.low.z, t.high.z),
                                 off = plane + t.normal.z * p.z,
                                 least2 = std::max(across2 + dz * dz, off * off),
                                 known = row[k] * distance_step;
                    if (least2 < known * known) row[k] = std::min(row[k], distance(t.corners, p));
                }
            }
    }
    std::uint16_t distance(const Corners& t, Vec3 p) const {
        const double d2 = squared_distance(t, nearest_on_triangle(t, p), p);
        return static_cast<std::uint16_t>(
            std::nearbyint(std::min(reach_, std::sqrt(d2)) / distance_step));
    }

    const VoxelGrid& grid_;
    double reach_;
    DistanceBand& out_;
};

}  // namespace

DistanceBand distance_band(const VoxelGrid& grid, const std::vector<Corners>& triangles,
                           double reach, Scheduler* threads) {
    DistanceBand distances(grid.count(),
                           static_cast<std::uint16_t>(std::nearbyint(reach / distance_step)));
    // Threads share slabs out; which triangles are near one is found once.
    constexpr int thickness = 8;
    const int slabs = (grid.size[0] + thickness - 1) / thickness;
    std::vector<std::vector<std::uint32_t>> near(static_cast<std::size_t>(slabs));
    std::vector<Block> blocks(triangles.size());
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
        Bounds box;
        for (const Vec3& p : triangles[t]) box.add(p);
        for (int k = 0; k < 3; ++k) {
            const auto a = static_cast<std::size_t>(k);
            const double shift = 0.5 * (grid.size[a] - 1);
            blocks[t].low[a] =
                std::max(0, static_cast<int>(std::ceil(box.lower[k] - reach + shift)));
            blocks[t].high[a] = std::min(
                grid.size[a], static_cast<int>(std::floor(box.upper[k] + reach + shift)) + 1);
        }
        if (blocks[t].empty()) continue;
        for (int s = blocks[t].low[0] / thickness; s * thickness < blocks[t].high[0]; ++s)
            near[static_cast<std::size_t>(s)].push_back(t);
    }
    for_each(threads, static_cast<std::uint32_t>(slabs), [&](std::uint32_t s) {
        Band band(grid, reach, distances);
        for (const std::uint32_t t : near[s]) {
            check_cancelled();
            const Bounded triangle(triangles[t]);
            Block block = blocks[t];
            block.low[0] = std::max(block.low[0], static_cast<int>(s) * thickness);
            block.high[0] = std::min(block.high[0], static_cast<int>(s + 1) * thickness);
            band.add(triangle, block);
        }
    });
    return distances;
}

}  // namespace turgor
