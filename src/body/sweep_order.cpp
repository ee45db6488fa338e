#include "body/sweep_order.hpp"

#include <algorithm>
#include <utility>

#include "base/cancel.hpp"

namespace turgor {
namespace {

/// A spoke of the fan around a vertex: a neighbour, and the one that follows it counter-clockwise.
using Spoke = std::pair<std::uint32_t, std::uint32_t>;

/// The neighbours of a vertex as they lie around it; fan after fan where several meet in one point.
void append_around(std::vector<Spoke>& spokes, std::vector<std::uint32_t>& items) {
    constexpr std::uint32_t taken = ~0u;
    std::sort(spokes.begin(), spokes.end());
    for (std::size_t first = 0; first < spokes.size(); ++first)
        for (std::size_t k = first; k < spokes.size() && spokes[k].second != taken;) {
            const std::uint32_t next = std::exchange(spokes[k].second, taken);
            items.push_back(spokes[k].first);
            k = static_cast<std::size_t>(
                std::lower_bound(spokes.begin(), spokes.end(), Spoke{next, 0}) - spokes.begin());
        }
}

ListOfLists neighbours_around(const ListOfLists& corners, std::span<const Triangle> triangles) {
    ListOfLists around;
    around.starts.reserve(corners.starts.size());
    around.items.reserve(3 * triangles.size());
    std::vector<Spoke> spokes;
    for (std::uint32_t i = 0; i < corners.size(); ++i) {
        check_cancelled();
        spokes.clear();
        for (const std::uint32_t index : corners[i]) {
            const Triangle& t = triangles[index];
            const std::size_t k = t[0] == i ? 0 : t[1] == i ? 1 : 2;
            spokes.push_back({t[(k + 1) % 3], t[(k + 2) % 3]});
        }
        append_around(spokes, around.items);
        around.end_row();
    }
    return around;
}

class Sweeper {
public:
    explicit Sweeper(const ListOfLists& around) : around_(around), seen_(around.size(), 0) {}

    bool has_seen(std::uint32_t i) const { return seen_[i] > 0; }

    /// Appends the part of `start` breadth first; returns the number of layers.
    int sweep(std::uint32_t start, std::vector<std::uint32_t>& order) {
        ++sweep_;
        std::size_t at = order.size();
        take(start, order);
        int layers = 0;
        for (; at < order.size(); ++layers) {
            check_cancelled();
            for (const std::size_t end = order.size(); at < end; ++at)
                take_around(order[at], order);
        }
        return layers;
    }

private:
    bool is_taken(std::uint32_t i) const { return seen_[i] == sweep_; }
    void take(std::uint32_t i, std::vector<std::uint32_t>& order) {
        if (is_taken(i)) return;
        seen_[i] = sweep_;
        order.push_back(i);
    }
    void take_around(std::uint32_t i, std::vector<std::uint32_t>& order) {
        const auto ring = around_[i];
        std::size_t begin = 0;
        while (begin + 1 < ring.size() && !(is_taken(ring[begin]) && !is_taken(ring[begin + 1])))
            ++begin;
        for (std::size_t k = 0; k < ring.size(); ++k)
            take(ring[(begin + 1 + k) % ring.size()], order);
    }

    const ListOfLists& around_;
    std::vector<std::uint32_t> seen_;  ///< the last sweep that took a vertex, from 1
    std::uint32_t sweep_ = 0;
};

}  // namespace

std::vector<std::uint32_t> sweep_order(const ListOfLists& corners,
                                       std::span<const Triangle> triangles) {
    const ListOfLists around = neighbours_around(corners, triangles);
    Sweeper sweeper(around);
    std::vector<std::uint32_t> order;
    order.reserve(around.size());
    for (std::uint32_t i = 0; i < around.size(); ++i) {
        if (sweeper.has_seen(i)) continue;
        const std::size_t begin = order.size();
        int layers = 0, deeper = sweeper.sweep(i, order);
        // The last vertex reached is farther out; a few repetitions find the rim (George and Liu
        // 1979).
        do {
            const std::uint32_t last = order.back();
            order.resize(begin);
            layers = std::exchange(deeper, sweeper.sweep(last, order));
        } while (deeper > layers);
    }
    return order;
}

}  // namespace turgor
