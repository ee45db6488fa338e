#include "solid/cell_set.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/cancel.hpp"

namespace turgor {
namespace {

template <class Visit>
void for_each_inner_place(const CellSet& set, Visit&& visit) {
    const auto size = set.size();
    for (int x = 1; x + 1 < size[0]; ++x)
        for (int y = 1; y + 1 < size[1]; ++y)
            for (int z = 1; z + 1 < size[2]; ++z) visit(x, y, z);
}

/// What is to be added for the eight cells around a corner of the lattice, cell k at +x where k &
/// 1, y: 2, z: 4, given which of them are there.
std::uint8_t missing_around_corner(unsigned there) {
    unsigned add = 0;
    // Around each of the six edges that meet in the corner: two across from each other only.
    for (const unsigned axis : {1u, 2u, 4u}) {
        const unsigned a = axis == 1 ? 2 : 1, b = axis == 4 ? 2 : 4;
        for (const unsigned base : {0u, axis}) {
            const unsigned first = 1u << base | 1u << (base | a | b),
                           second = 1u << (base | a) | 1u << (base | b), all = first | second;
            if ((there & all) == first || (there & all) == second) add |= all;
        }
    }
    // Two opposite ones alone, or alone missing.
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned pair = 1u << k | 1u << (7 - k);
        if (there == pair || there == (0xffu & ~pair)) add |= 0xff;
    }
    return static_cast<std::uint8_t>(add & ~there);
}

/// The parts of a set, by number; −1: not in the set.
struct Parts {
    std::vector<std::int32_t> of_place;
    std::int32_t count = 0;
};

Parts find_parts(const CellSet& set) {
    Parts parts;
    parts.of_place.assign(set.places(), -1);
    std::vector<std::size_t> open;
    for (std::size_t start = 0; start < set.places(); ++start) {
        if (!set[start] || parts.of_place[start] >= 0) continue;
        open.push_back(start);
        parts.of_place[start] = parts.count;
        while (!open.empty()) {
            const auto [x, y, z] = set.place(open.back());
            open.pop_back();
            for (const auto& [dx, dy, dz] : cell_neighbours) {
                if (!set(x + dx, y + dy, z + dz)) continue;
                const std::size_t next = set.index(x + dx, y + dy, z + dz);
                if (parts.of_place[next] >= 0) continue;
                parts.of_place[next] = parts.count;
                open.push_back(next);
            }
        }
        ++parts.count;
    }
    return parts;
}

/// Sets of parts, each kept once.
class PartSets {
public:
    explicit PartSets(std::int32_t parts) {
        for (std::int32_t p = 0; p < parts; ++p) sets_.push_back({p});
    }
    std::span<const std::int32_t> operator[](std::int32_t set) const {
        return sets_[static_cast<std::size_t>(set)];
    }
    bool has(std::int32_t set, std::int32_t part) const {
        return std::ranges::binary_search((*this)[set], part);
    }
    std::int32_t united(std::int32_t a, std::int32_t b) {
        if (a == b) return a;
        const auto [found, is_new] = unions_.try_emplace(std::minmax({a, b}), -1);
        if (!is_new) return found->second;
        std::vector<std::int32_t> all;
        std::ranges::set_union((*this)[a], (*this)[b], std::back_inserter(all));
        const auto [known, was_added] =
            number_.try_emplace(all, static_cast<std::int32_t>(sets_.size()));
        // Those of a single part are not looked up: a union of two sets has more.
        if (was_added) sets_.push_back(std::move(all));
        return found->second = known->second;
    }

private:
    std::vector<std::vector<std::int32_t>> sets_;  ///< the first of them of one part each
    std::map<std::vector<std::int32_t>, std::int32_t> number_;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> unions_;
};

/// Ways through free cells from the parts of a set. Lengths are 3, 4, 5 for a step over a side, an
/// edge, a corner, about the true ones: shortest ways are few.
class Ways {
public:
    explicit Ways(const CellSet& set)
        : set_(set), parts_(find_parts(set)), from_(std::max(parts_.count, 1)) {}
    std::int32_t parts() const { return parts_.count; }

    /// Joins each part to those that are nearest to it.
    void join(CellSet& set) {
        walk();
        std::vector<int> shortest(static_cast<std::size_t>(parts_.count), far);
        for_each_meeting(
            [&](std::size_t, std::int32_t one, std::size_t, std::int32_t other, int length) {
                for (const std::int32_t p : {one, other})
                    shortest[static_cast<std::size_t>(p)] =
                        std::min(shortest[static_cast<std::size_t>(p)], length);
            });
        for_each_meeting(
            [&](std::size_t a, std::int32_t one, std::size_t b, std::int32_t other, int length) {
                if (length != shortest[static_cast<std::size_t>(one)] &&
                    length != shortest[static_cast<std::size_t>(other)])
                    return;
                trace(a, one, set);
                trace(b, other, set);
            });
    }

private:
    static constexpr int far = std::numeric_limits<int>::max() / 4;
    /// From which parts a place is reached, all as near as each other, and how far that is.
    struct Reach {
        int length = far;
        std::int32_t from = -1;  ///< a set of parts
    };

    template <class Visit>
    void for_each_step(std::size_t i, Visit&& visit) const {
        const auto [x, y, z] = set_.place(i);
        const auto size = set_.size();
        for (int dx = -1; dx <= 1; ++dx)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dz = -1; dz <= 1; ++dz) {
                    const int steps = dx * dx + dy * dy + dz * dz;
                    const int px = x + dx, py = y + dy, pz = z + dz;
                    if (steps == 0 || px < 1 || py < 1 || pz < 1 || px + 1 >= size[0] ||
                        py + 1 >= size[1] || pz + 1 >= size[2])
                        continue;
                    visit(set_.index(px, py, pz), 2 + steps);
                }
    }

    /// Breadth first, all places of a length at once.
    void walk() {
        reach_.assign(set_.places(), {});
        std::vector<std::vector<std::size_t>> at(6);  // by length, modulo 6
        std::size_t open = 0;
        for (std::size_t i = 0; i < set_.places(); ++i)
            if (set_[i]) {
                reach_[i] = {0, parts_.of_place[i]};
                at[0].push_back(i);
                ++open;
            }
        for (int length = 0; open > 0; ++length) {
            check_cancelled();
            std::vector<std::size_t> now;
            std::swap(now, at[static_cast<std::size_t>(length % 6)]);
            open -= now.size();
            for (const std::size_t i : now) {
                if (reach_[i].length != length) continue;
                for_each_step(i, [&](std::size_t next, int step) {
                    Reach& r = reach_[next];
                    if (set_[next] || length + step > r.length) return;
                    if (length + step < r.length) {
                        r = {length + step, reach_[i].from};
                        at[static_cast<std::size_t>((length + step) % 6)].push_back(next);
                        ++open;
                    } else {
                        r.from = from_.united(r.from, reach_[i].from);
                    }
                });
            }
        }
    }

    /// Places, or pairs of neighbours, where ways from two parts meet.
    template <class Visit>
    void for_each_meeting(Visit&& visit) const {
        for (std::size_t i = 0; i < reach_.size(); ++i) {
            const Reach& r = reach_[i];
            if (r.from < 0) continue;
            const auto parts = from_[r.from];
            for (std::size_t a = 0; a < parts.size(); ++a)
                for (std::size_t b = 0; b < a; ++b) visit(i, parts[a], i, parts[b], 2 * r.length);
            for_each_step(i, [&](std::size_t next, int step) {
                const Reach& n = reach_[next];
                if (next < i || n.from < 0 || n.from == r.from) return;
                for (const std::int32_t one : parts)
                    for (const std::int32_t other : from_[n.from])
                        if (!from_.has(n.from, one) && !from_.has(r.from, other))
                            visit(i, one, next, other, r.length + n.length + step);
            });
        }
    }

    /// Adds all places on shortest ways to a part.
    void trace(std::size_t place, std::int32_t part, CellSet& set) {
        std::vector<std::size_t> open{place};
        while (!open.empty()) {
            const std::size_t i = open.back();
            open.pop_back();
            if (set_[i] || !traced_.insert({i, part}).second) continue;
            set.add(i);
            for_each_step(i, [&](std::size_t next, int step) {
                if (reach_[next].length + step == reach_[i].length &&
                    from_.has(reach_[next].from, part))
                    open.push_back(next);
            });
        }
    }

    CellSet set_;
    Parts parts_;
    PartSets from_;
    std::vector<Reach> reach_;
    std::set<std::pair<std::size_t, std::int32_t>> traced_;
};

}  // namespace

std::size_t CellSet::count() const {
    return static_cast<std::size_t>(std::accumulate(has_.begin(), has_.end(), std::uint64_t{0}));
}

void fill_gaps(CellSet& set) {
    for (bool changed = true; changed;) {
        check_cancelled();
        changed = false;
        const CellSet before = set;
        for_each_inner_place(before, [&](int x, int y, int z) {
            if (before(x, y, z)) return;
            int neighbours = 0;
            for (const auto& [dx, dy, dz] : cell_neighbours)
                neighbours += before(x + dx, y + dy, z + dz);
            if (neighbours > 3) set.add(set.index(x, y, z)), changed = true;
        });
    }
}

void compose_well(CellSet& set) {
    const auto size = set.size();
    std::array<std::uint8_t, 256> missing{};
    for (unsigned there = 0; there < 256; ++there) missing[there] = missing_around_corner(there);
    for (bool changed = true; changed;) {
        check_cancelled();
        changed = false;
        const CellSet before = set;
        for (int x = 0; x + 1 < size[0]; ++x)
            for (int y = 0; y + 1 < size[1]; ++y)
                for (int z = 0; z + 1 < size[2]; ++z) {
                    unsigned there = 0;
                    for (int k = 0; k < 8; ++k)
                        there |= unsigned{before(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))} << k;
                    for (int k = 0; k < 8; ++k)
                        if (missing[there] >> k & 1)
                            set.add(set.index(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))),
                                changed = true;
                }
    }
}

void join_parts(CellSet& set) {
    // Each round adds cells, or there is no way to add any.
    for (std::size_t cells = 0; cells != set.count();) {
        cells = set.count();
        Ways ways(set);
        if (ways.parts() < 2) return;
        ways.join(set);
        compose_well(set);
    }
}

}  // namespace turgor
