#include "solid/tear.hpp"

#include <algorithm>
#include <numeric>

#include "base/list_of_lists.hpp"
#include "solid/cell_set.hpp"
#include "solid/shape_solid.hpp"

namespace turgor {
namespace {

constexpr std::uint32_t none = SolidSides::none;

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

void unite(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
    a = root_of(parent, a), b = root_of(parent, b);
    parent[std::max(a, b)] = std::min(a, b);
}

/// The corners of a part where some of its sides are open. Of the eight cells around a corner those
/// that closed sides join share a copy of it, which is named by the first of them: corner · 8 + its
/// octant.
class OpenedPart {
public:
    OpenedPart(const Solid& whole, const SolidSides& sides, const SolidPart& part)
        : whole_(whole), sides_(sides), cells_(part.cells) {
        local_.assign(whole.cells.size(), none);
        for (std::uint32_t i = 0; i < cells_.size(); ++i) local_[cells_[i]] = i;
        open_.resize(3 * whole.cells.size());
        for (const std::uint32_t side : part.broken) open_[side] = 1;
        std::array<std::uint32_t, 8> nobody;
        nobody.fill(none);
        around_.assign(whole.corners.size(), nobody);
        for (const std::uint32_t c : cells_)
            for (std::uint32_t k = 0; k < 8; ++k) around_[whole.cells[c].corners[k]][k ^ 7] = c;
        copies_.resize(cells_.size());
        for (std::uint32_t corner = 0; corner < around_.size(); ++corner) group(corner);
        while (close_what_pinches()) {
        }
    }

    /// The corners of a cell, as copies.
    const std::array<std::uint32_t, 8>& copies(std::uint32_t cell) const {
        return copies_[local_[cell]];
    }
    bool has(std::uint32_t cell) const { return cell != none && local_[cell] != none; }
    /// Whether a side of a cell bounds its piece.
    bool bounds(std::uint32_t cell, std::size_t side) const {
        const std::uint32_t beyond = sides_.beyond(cell, side);
        return !has(beyond) ||
               (open_[sides_.number(cell, side)] && shared_corners(cell, side, beyond) != 0xf);
    }
    std::array<Triangle, 2> triangles(std::uint32_t cell, std::size_t side) const {
        Solid::Cell named = whole_.cells[cell];
        named.corners = copies(cell);
        const std::uint32_t beyond = sides_.beyond(cell, side);
        const auto usual = triangles_of_side(named, side);
        if (!has(beyond)) return usual;
        // A diagonal between corners that the cell beyond has, too, would be one of its sides'.
        const unsigned shared = shared_corners(cell, side, beyond);
        const auto is_shared = [&](std::uint32_t copy) {
            for (std::size_t k = 0; k < 4; ++k)
                if (named.corners[cell_sides[side][k]] == copy) return (shared >> k & 1) != 0;
            return false;
        };
        const bool touches = is_shared(usual[1][0]) && is_shared(usual[1][1]);
        return touches ? triangles_of_side(named, side, true) : usual;
    }

private:
    /// Which of the four corners of a side are the same copies on both sides, by bits.
    unsigned shared_corners(std::uint32_t cell, std::size_t side, std::uint32_t beyond) const {
        unsigned shared = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::uint32_t at = cell_sides[side][k];
            if (copies(cell)[at] == copies(beyond)[at ^ 1u << side / 2]) shared |= 1u << k;
        }
        return shared;
    }

    /// Calls visit(octant, axis, side's number) for the sides between cells around a corner: the
    /// octant is that of the lower cell.
    template <class Visit>
    void each_side_at(std::uint32_t corner, Visit&& visit) const {
        const auto& around = around_[corner];
        for (std::uint32_t s = 0; s < 8; ++s)
            for (std::uint32_t axis = 0; axis < 3; ++axis)
                if (!(s >> axis & 1) && around[s] != none && around[s | 1u << axis] != none)
                    visit(s, axis, 3 * around[s] + axis);
    }

    void group(std::uint32_t corner) {
        std::array<std::uint32_t, 8> first;
        std::iota(first.begin(), first.end(), 0u);
        for (bool changed = true; changed;) {
            changed = false;
            each_side_at(corner, [&](std::uint32_t s, std::uint32_t axis, std::uint32_t side) {
                std::uint32_t &a = first[s], &b = first[s | 1u << axis];
                if (open_[side] || a == b) return;
                a = b = std::min(a, b);
                changed = true;
            });
        }
        for (std::uint32_t s = 0; s < 8; ++s)
            if (around_[corner][s] != none)
                copies_[local_[around_[corner][s]]][s ^ 7] = 8 * corner + first[s];
    }

    bool close(std::uint32_t side) {
        if (!open_[side]) return false;
        open_[side] = 0;
        return true;
    }

    /// Where the surface is no 2-manifold, sides around are closed. Whether any was.
    bool close_what_pinches() {
        std::vector<Triangle> triangles;
        for (const std::uint32_t c : cells_)
            for (std::size_t s = 0; s < 6; ++s)
                if (bounds(c, s))
                    for (const Triangle& t : this->triangles(c, s)) triangles.push_back(t);
        std::vector<std::array<std::uint32_t, 2>> edges, pinched_edges;
        for (const Triangle& t : triangles)
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t a = t[k], b = t[(k + 1) % 3];
                edges.push_back({std::min(a, b), std::max(a, b)});
            }
        std::ranges::sort(edges);
        for (std::size_t i = 0; i < edges.size();) {
            std::size_t end = i;
            while (end < edges.size() && edges[end] == edges[i]) ++end;
            if (end - i != 2) pinched_edges.push_back({edges[i][0] / 8, edges[i][1] / 8});
            i = end;
        }
        std::vector<std::uint32_t> changed;
        for (const auto& [a, b] : pinched_edges) close_around(a, b, changed);
        if (changed.empty())
            for (const std::uint32_t corner : pinched_corners(triangles))
                close_around(corner, none, changed);
        std::ranges::sort(changed);
        changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
        for (const std::uint32_t corner : changed) group(corner);
        return !changed.empty();
    }

    /// Closes the sides around a corner, or around the edge or diagonal that leads to another one,
    /// and adds their corners to `changed`.
    void close_around(std::uint32_t corner, std::uint32_t other,
                      std::vector<std::uint32_t>& changed) {
        each_side_at(corner, [&](std::uint32_t s, std::uint32_t axis, std::uint32_t side) {
            const Solid::Cell& cell = whole_.cells[around_[corner][s]];
            const auto& at = cell_sides[2 * axis + 1];
            const auto is_other = [&](std::uint32_t k) { return cell.corners[k] == other; };
            if (other != none && std::ranges::none_of(at, is_other)) return;
            if (!close(side)) return;
            for (const std::uint32_t k : at) changed.push_back(cell.corners[k]);
        });
    }

    /// Corners around which triangles go in more than one ring.
    static std::vector<std::uint32_t> pinched_corners(std::span<const Triangle> triangles) {
        struct Wedge {
            std::uint32_t at, from, to;
            auto operator<=>(const Wedge&) const = default;
        };
        std::vector<Wedge> wedges;
        for (const Triangle& t : triangles)
            for (std::size_t k = 0; k < 3; ++k)
                wedges.push_back({t[k], t[(k + 1) % 3], t[(k + 2) % 3]});
        std::ranges::sort(wedges);
        std::vector<std::uint32_t> pinched;
        for (std::size_t i = 0; i < wedges.size();) {
            std::size_t end = i;
            while (end < wedges.size() && wedges[end].at == wedges[i].at) ++end;
            const std::span ring(wedges.begin() + static_cast<std::ptrdiff_t>(i), end - i);
            std::size_t seen = 0;
            std::uint32_t at = ring[0].from;
            do {
                const auto next = std::ranges::lower_bound(ring, at, {}, &Wedge::from);
                if (next == ring.end() || next->from != at) break;
                at = next->to;
                ++seen;
            } while (at != ring[0].from && seen < ring.size());
            if (seen != ring.size()) pinched.push_back(ring[0].at / 8);
            i = end;
        }
        return pinched;
    }

    const Solid& whole_;
    const SolidSides& sides_;
    const std::vector<std::uint32_t>& cells_;
    std::vector<std::uint32_t> local_;                  ///< of a cell of the whole
    std::vector<std::uint8_t> open_;                    ///< by the numbers of sides
    std::vector<std::array<std::uint32_t, 8>> around_;  ///< cells around a corner, by octants
    std::vector<std::array<std::uint32_t, 8>> copies_;  ///< of the corners of cells
};

/// One piece as a solid: its surface's corners first, in the order of the lattice.
TornSolid solid_of(const Solid& whole, const OpenedPart& opened, const SolidSides& sides,
                   SolidPart part) {
    TornSolid torn;
    Solid& solid = torn.solid;
    solid.name = whole.name;
    solid.cell = whole.cell;
    solid.origin = whole.origin;
    solid.centre = whole.centre;
    solid.size = whole.size;
    solid.scale = whole.scale;
    std::vector<Triangle> torn_sides;
    for (const std::uint32_t c : part.cells)
        for (std::size_t s = 0; s < 6; ++s)
            if (opened.bounds(c, s)) {
                auto& list = sides.beyond(c, s) == none ? solid.triangles : torn_sides;
                for (const Triangle& t : opened.triangles(c, s)) list.push_back(t);
            }
    torn.first_torn = solid.triangles.size() / 2;
    solid.triangles.insert(solid.triangles.end(), torn_sides.begin(), torn_sides.end());

    std::vector<std::uint32_t> copies, of_surface;
    for (const Triangle& t : solid.triangles)
        of_surface.insert(of_surface.end(), t.begin(), t.end());
    for (const std::uint32_t c : part.cells)
        copies.insert(copies.end(), opened.copies(c).begin(), opened.copies(c).end());
    const auto make_set = [](std::vector<std::uint32_t>& list) {
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    make_set(of_surface);
    make_set(copies);
    const auto is_of_surface = [&](std::uint32_t c) {
        return std::ranges::binary_search(of_surface, c);
    };
    const auto place_of = [&](std::uint32_t c) {
        return std::tuple(!is_of_surface(c), whole.places[c / 8], c);
    };
    std::vector<std::uint32_t> order = copies;
    std::ranges::sort(order, {}, place_of);
    std::vector<std::uint32_t> number(copies.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        const auto at = std::ranges::lower_bound(copies, order[i]) - copies.begin();
        number[static_cast<std::size_t>(at)] = i;
        torn.corner_of.push_back(order[i] / 8);
        solid.corners.push_back(whole.corners[order[i] / 8]);
        solid.places.push_back(whole.places[order[i] / 8]);
    }
    const auto numbered = [&](std::uint32_t copy) {
        return number[static_cast<std::size_t>(std::ranges::lower_bound(copies, copy) -
                                               copies.begin())];
    };
    solid.surface_count = of_surface.size();
    for (Triangle& t : solid.triangles)
        for (std::uint32_t& c : t) c = numbered(c);
    for (const std::uint32_t c : part.cells) {
        Solid::Cell cell = whole.cells[c];
        for (std::size_t k = 0; k < 8; ++k) cell.corners[k] = numbered(opened.copies(c)[k]);
        solid.cells.push_back(cell);
    }
    torn.part = std::move(part);
    return torn;
}

}  // namespace

SolidSides::SolidSides(const Solid& solid) {
    const auto index = [&](std::array<int, 3> p) {
        return (static_cast<std::size_t>(p[0]) * static_cast<std::size_t>(solid.size[1]) +
                static_cast<std::size_t>(p[1])) *
                   static_cast<std::size_t>(solid.size[2]) +
               static_cast<std::size_t>(p[2]);
    };
    std::vector<std::uint32_t> at(index({solid.size[0], 0, 0}), none);
    for (std::uint32_t c = 0; c < solid.cells.size(); ++c) {
        const auto& p = solid.cells[c].place;
        at[index({p[0], p[1], p[2]})] = c;
    }
    beyond_.resize(solid.cells.size());
    for (std::uint32_t c = 0; c < solid.cells.size(); ++c)
        for (std::size_t s = 0; s < 6; ++s) {
            std::array<int, 3> p{};
            bool inside = true;
            for (std::size_t k = 0; k < 3; ++k) {
                p[k] = solid.cells[c].place[k] + cell_neighbours[s][k];
                inside = inside && p[k] >= 0 && p[k] < solid.size[k];
            }
            beyond_[c][s] = inside ? at[index(p)] : none;
        }
}

std::vector<TornSolid> pieces(const Solid& whole, const SolidSides& sides, const SolidPart& part) {
    const OpenedPart opened(whole, sides, part);
    std::vector<std::uint32_t> parent(whole.cells.size());
    std::iota(parent.begin(), parent.end(), 0u);
    for (const std::uint32_t c : part.cells)
        for (const std::size_t s : {1u, 3u, 5u})
            if (opened.has(sides.beyond(c, s)) && !opened.bounds(c, s))
                unite(parent, c, sides.beyond(c, s));
    std::vector<SolidPart> parts;
    std::vector<std::uint32_t> part_of(whole.cells.size(), none);
    for (const std::uint32_t c : part.cells) {
        const std::uint32_t root = root_of(parent, c);
        if (part_of[root] == none) {
            part_of[root] = static_cast<std::uint32_t>(parts.size());
            parts.emplace_back();
        }
        part_of[c] = part_of[root];
        parts[part_of[c]].cells.push_back(c);
    }
    for (const std::uint32_t side : part.broken) {
        const std::uint32_t one = side / 3, other = sides.beyond(one, 2 * (side % 3) + 1);
        if (part_of[one] != none && part_of[one] == part_of[other])
            parts[part_of[one]].broken.push_back(side);
    }
    std::ranges::stable_sort(parts, std::greater{},
                             [](const SolidPart& p) { return p.cells.size(); });
    std::vector<TornSolid> all;
    for (SolidPart& p : parts) all.push_back(solid_of(whole, opened, sides, std::move(p)));
    return all;
}

}  // namespace turgor
