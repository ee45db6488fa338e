#include "mesh/weld.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace turgor {
namespace {

using Cell = std::array<std::int64_t, 3>;

std::uint64_t hash_of(const Cell& cell) {
    std::uint64_t h = 0;
    for (const auto c : cell) {
        h = (h ^ static_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 29;
    }
    return h ^ (h >> 32);
}

/// An open-addressing table of vertices that stand for themselves. Those of one cell follow each
/// other from the slot of the cell's hash on.
class Grid {
public:
    Grid(std::span<const Vec3> vertices, double distance)
        : vertices_(vertices),
          distance_(distance),
          slots_(std::bit_ceil(2 * vertices.size() + 2), empty) {
        Bounds box;
        for (const Vec3 p : vertices) box.add(p);
        origin_ = box.lower;
    }

    /// The first vertex within the distance of vertex v, or v itself, which is then added.
    std::uint32_t find_or_add(std::uint32_t v) {
        const Vec3 p = vertices_[v];
        std::uint32_t found = v;
        if (distance_ == 0) {
            search(cell_of(p), p, found);
        } else {
            const Vec3 reach{distance_, distance_, distance_};
            const Cell low = cell_of(p - reach), high = cell_of(p + reach);
            Cell c;
            for (c[0] = low[0]; c[0] <= high[0]; ++c[0])
                for (c[1] = low[1]; c[1] <= high[1]; ++c[1])
                    for (c[2] = low[2]; c[2] <= high[2]; ++c[2]) search(c, p, found);
        }
        if (found == v) add(cell_of(p), v);
        return found;
    }

private:
    static constexpr std::uint32_t empty = ~std::uint32_t{0};

    /// Eight distances wide: most vertices then look into one or two cells, and a cell holds few.
    Cell cell_of(Vec3 p) const {
        Cell cell;
        for (int k = 0; k < 3; ++k)
            cell[k] =
                distance_ == 0
                    ? std::bit_cast<std::int64_t>(p[k] + 0.0)
                    : static_cast<std::int64_t>(std::floor((p[k] - origin_[k]) / (8 * distance_)));
        return cell;
    }
    void search(const Cell& cell, Vec3 p, std::uint32_t& found) const {
        for (auto i = hash_of(cell) & mask(); slots_[i] != empty; i = (i + 1) & mask()) {
            const Vec3 d = vertices_[slots_[i]] - p;
            if (slots_[i] < found && dot(d, d) <= distance_ * distance_) found = slots_[i];
        }
    }
    void add(const Cell& cell, std::uint32_t v) {
        auto i = hash_of(cell) & mask();
        while (slots_[i] != empty) i = (i + 1) & mask();
        slots_[i] = v;
    }
    std::size_t mask() const { return slots_.size() - 1; }

    std::span<const Vec3> vertices_;
    double distance_;
    Vec3 origin_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace

std::vector<std::uint32_t> weld(std::span<const Vec3> vertices, const std::vector<bool>& movable,
                                double distance) {
    Grid grid(vertices, distance);
    std::vector<std::uint32_t> target(vertices.size());
    for (std::uint32_t v = 0; v < vertices.size(); ++v)
        target[v] = movable[v] ? grid.find_or_add(v) : v;
    return target;
}

}  // namespace turgor
