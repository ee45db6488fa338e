#include "elastic/lattice/tearing.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/errors.hpp"
#include "base/hash.hpp"
#include "body/bake.hpp"
#include "mesh/split_edges.hpp"
#include "solid/shape_solid.hpp"

namespace turgor {
namespace {

constexpr std::size_t most_shown_triangles = 400'000;
/// Of sides in a row that are all stretched too far only one in so many cells breaks at once.
constexpr int apart = 2;

std::uint64_t hash_of(const TearingLattice& whole, const SolidPart& part) {
    Hash hash;
    hash.add(whole.lattice->asset->settings);
    hash.add(part.cells.size());
    for (const std::uint32_t c : part.cells) hash.add(c);
    for (const std::uint32_t s : part.broken) hash.add(s);
    return hash.value();
}

/// Of each cell of the whole its number in the part, or none.
std::vector<std::uint32_t> numbers_in(const SolidPart& part, std::size_t cells) {
    std::vector<std::uint32_t> number(cells, SolidSides::none);
    for (std::uint32_t i = 0; i < part.cells.size(); ++i) number[part.cells[i]] = i;
    return number;
}

/// What is shown of a piece. Of a triangle that a tear goes through each side of the tear shows
/// what is on that side; where sides of cells broke, these are shown.
class PieceDisplay {
public:
    PieceDisplay(const TearingLattice& whole, const TornSolid& torn)
        : whole_(whole),
          torn_(torn),
          number_(numbers_in(torn.part, whole.solid.cells.size())),
          vertex_(whole.bindings.size(), SolidSides::none) {
        if (whole.display.triangles.empty()) {
            for (std::uint32_t v = 0; v < vertex_.size(); ++v)
                if (has(whole.cell_of_binding[v])) own(v);
            return;
        }
        for (const Triangle& t : whole.display.triangles) add(t);
        std::map<std::uint32_t, std::uint32_t> vertex_of;
        for (const Triangle& t : std::span(torn.solid.triangles).subspan(2 * torn.first_torn))
            add_side(t, vertex_of);
    }
    EmbeddedDisplay take() { return std::move(shown_); }

private:
    void add(const Triangle& t) {
        std::array<std::uint32_t, 3> cell{};
        for (std::size_t k = 0; k < 3; ++k) cell[k] = whole_.cell_of_binding[t[k]];
        for (std::size_t k = 0; k < 3; ++k) {
            if (!has(cell[k])) continue;
            // Once for the corners that hang together with this one, if none of them was before it.
            const auto is_earlier = [&](std::size_t j) {
                return has(cell[j]) && hang_together(cell[j], cell[k]);
            };
            if ((k > 0 && is_earlier(0)) || (k > 1 && is_earlier(1))) continue;
            Triangle shown{};
            for (std::size_t j = 0; j < 3; ++j)
                shown[j] = has(cell[j]) && hang_together(cell[j], cell[k]) ? own(t[j])
                                                                           : copied(t[j], cell[k]);
            shown_.triangles.push_back(shown);
        }
    }

    bool has(std::uint32_t cell) const { return number_[cell] != SolidSides::none; }
    const std::array<std::uint32_t, 8>& corners(std::uint32_t cell) const {
        return torn_.solid.cells[number_[cell]].corners;
    }
    /// False where a tear goes between two cells of the piece: they share corners of the whole and
    /// have no copy in common.
    bool hang_together(std::uint32_t a, std::uint32_t b) const {
        if (a == b) return true;
        bool met = false;
        for (const std::uint32_t p : corners(a))
            for (const std::uint32_t q : corners(b)) {
                if (p == q) return true;
                met = met || torn_.corner_of[p] == torn_.corner_of[q];
            }
        return !met;
    }

    std::uint32_t bind(const CellBinding& binding) {
        shown_.bindings.push_back(binding);
        return static_cast<std::uint32_t>(shown_.bindings.size() - 1);
    }
    std::uint32_t own(std::uint32_t vertex) {
        if (vertex_[vertex] == SolidSides::none) {
            CellBinding binding = whole_.bindings[vertex];
            binding.corners = corners(whole_.cell_of_binding[vertex]);
            vertex_[vertex] = bind(binding);
        }
        return vertex_[vertex];
    }
    /// A vertex from beyond the tear, drawn back to a side of the cell.
    std::uint32_t copied(std::uint32_t vertex, std::uint32_t cell) {
        const auto [at, is_new] = copy_.try_emplace({vertex, cell}, 0);
        if (is_new) {
            const auto& here = whole_.solid.cells[cell].place;
            const auto& there = whole_.solid.cells[whole_.cell_of_binding[vertex]].place;
            std::array<bool, 3> within{};
            for (std::size_t k = 0; k < 3; ++k) within[k] = here[k] != there[k];
            CellBinding binding =
                bind_to_cell(whole_.solid, cell, whole_.display.vertices[vertex], within);
            binding.corners = corners(cell);
            at->second = bind(binding);
        }
        return at->second;
    }
    /// Half a side of a cell; `vertex_of`: of those corners that have one already.
    void add_side(const Triangle& t, std::map<std::uint32_t, std::uint32_t>& vertex_of) {
        Triangle shown{};
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [at, is_new] = vertex_of.try_emplace(t[k], 0);
            if (is_new) {
                CellBinding binding;
                binding.corners.fill(t[k]);
                binding.weights[0] = 1;
                at->second = bind(binding);
            }
            shown[k] = at->second;
        }
        shown_.triangles.push_back(shown);
    }

    const TearingLattice& whole_;
    const TornSolid& torn_;
    std::vector<std::uint32_t> number_;  ///< of the whole's cells in the piece
    EmbeddedDisplay shown_;
    std::vector<std::uint32_t> vertex_;  ///< of the whole's shown vertices
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> copy_;
};

LatticePiece piece_of(SolidPart part, const Solid& solid,
                      std::shared_ptr<const LatticeCells> lattice,
                      std::span<const std::uint32_t> particle_of_corner) {
    LatticePiece piece{std::move(part), std::move(lattice), {}};
    for (const Solid::Cell& cell : solid.cells) {
        std::array<std::uint32_t, 8> particles{};
        for (std::size_t k = 0; k < 8; ++k) particles[k] = particle_of_corner[cell.corners[k]];
        piece.particles.push_back(particles);
    }
    return piece;
}

Vec3 middle(std::span<const std::uint32_t> corners, std::span<const Vec3> x) {
    Vec3 sum;
    for (const std::uint32_t c : corners) sum += x[c];
    return sum / 8.0;
}

}  // namespace

std::shared_ptr<const TearingLattice> make_tearing_lattice(Solid solid, Mesh display,
                                                           std::uint64_t settings,
                                                           std::vector<double> relative_masses) {
    auto whole = std::make_shared<TearingLattice>();
    whole->solid = std::move(solid);
    whole->sides = SolidSides(whole->solid);
    whole->relative_masses = std::move(relative_masses);
    split_long_edges(display, 0.75 * whole->solid.cell, most_shown_triangles);
    whole->bindings = bind_to_cells(whole->solid, display.vertices);
    whole->display = std::move(display);
    std::vector<std::uint32_t> cell_of_first(whole->solid.corners.size());
    for (std::uint32_t c = 0; c < whole->solid.cells.size(); ++c)
        cell_of_first[whole->solid.cells[c].corners[0]] = c;
    for (const CellBinding& binding : whole->bindings)
        whole->cell_of_binding.push_back(cell_of_first[binding.corners[0]]);
    SolidAsset asset =
        make_solid_asset(whole->solid, EmbeddedDisplay{whole->display.triangles, whole->bindings},
                         settings, {.relative_masses = whole->relative_masses});
    whole->mass_scale = asset.mass_scale;
    whole->particle_of_corner = asset.particle_of_corner;
    whole->lattice =
        std::make_shared<LatticeCells>(make_lattice_cells(whole->solid, std::move(asset)));
    return whole;
}

LatticePiece whole_piece(const TearingLattice& whole) {
    SolidPart all;
    all.cells.resize(whole.solid.cells.size());
    std::iota(all.cells.begin(), all.cells.end(), 0u);
    return piece_of(std::move(all), whole.solid, whole.lattice, whole.particle_of_corner);
}

namespace {

LatticePiece make_piece(const TearingLattice& whole, const TornSolid& torn) {
    std::vector<double> masses;
    if (!whole.relative_masses.empty())
        for (const std::uint32_t corner : torn.corner_of)
            masses.push_back(whole.relative_masses[corner]);
    SolidAsset asset =
        make_solid_asset(torn.solid, PieceDisplay(whole, torn).take(), hash_of(whole, torn.part),
                         {.relative_masses = masses, .mass_scale = whole.mass_scale});
    const std::vector<std::uint32_t> particle_of_corner = asset.particle_of_corner;
    auto lattice = std::make_shared<LatticeCells>(make_lattice_cells(torn.solid, std::move(asset)));
    return piece_of(torn.part, torn.solid, std::move(lattice), particle_of_corner);
}

}  // namespace

std::vector<std::uint32_t> sides_that_break(const TearingLattice& whole, const LatticePiece& piece,
                                            std::span<const Vec3> x, double stretch) {
    const std::vector<std::uint32_t>& cells = piece.part.cells;
    if (cells.size() == 1) return {};
    // A cell's number in the piece, or none; crumbs do not look through the whole.
    const auto number = [&](std::uint32_t cell) {
        const auto at = std::ranges::lower_bound(cells, cell);
        return at != cells.end() && *at == cell ? static_cast<std::uint32_t>(at - cells.begin())
                                                : SolidSides::none;
    };
    const auto beyond = [&](std::uint32_t i, std::size_t side) {
        const std::uint32_t other = whole.sides.beyond(cells[i], side);
        return other == SolidSides::none ? other : number(other);
    };
    std::vector<Vec3> rest(cells.size()), now(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        rest[i] = middle(whole.solid.cells[cells[i]].corners, whole.solid.corners);
        now[i] = middle(piece.particles[i], x);
    }
    // How far each side that may break is stretched beyond what it bears.
    std::vector<double> excess(3 * cells.size());
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t i = 0; i < cells.size(); ++i)
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            const std::uint32_t j = beyond(i, 2 * axis + 1);
            if (j == SolidSides::none) continue;
            const double ratio = norm(now[j] - now[i]) / norm(rest[j] - rest[i]);
            if (!(ratio > stretch) ||
                std::ranges::binary_search(piece.part.broken, 3 * cells[i] + axis))
                continue;
            excess[3 * i + axis] = ratio - stretch;
            candidates.push_back(3 * i + axis);
        }
    std::vector<std::uint32_t> broken;
    for (const std::uint32_t side : candidates) {
        const std::uint32_t axis = side % 3;
        bool most = true;
        for (const std::size_t way : {2 * axis, 2 * axis + 1}) {
            std::uint32_t i = side / 3;
            for (int k = 0; k < apart; ++k) {
                i = beyond(i, way);
                if (i == SolidSides::none) break;
                const double other = excess[3 * i + axis];
                most = most && (other < excess[side] || (other == excess[side] && way % 2 == 1));
            }
        }
        if (most) broken.push_back(3 * cells[side / 3] + axis);
    }
    return broken;
}

namespace {

/// The corners of the whole of which copies that were apart in `before` would be one again.
std::vector<std::uint32_t> merged_corners(const LatticePiece& before, const TornSolid& torn) {
    std::vector<std::uint32_t> particle(torn.solid.corners.size(), SolidSides::none), merged;
    std::size_t at = 0;
    for (std::size_t i = 0; i < torn.part.cells.size(); ++i) {
        while (before.part.cells[at] != torn.part.cells[i]) ++at;
        for (std::size_t k = 0; k < 8; ++k) {
            std::uint32_t& known = particle[torn.solid.cells[i].corners[k]];
            const std::uint32_t was = before.particles[at][k];
            if (known != SolidSides::none && known != was)
                merged.push_back(torn.corner_of[torn.solid.cells[i].corners[k]]);
            known = was;
        }
    }
    return merged;
}

}  // namespace

Torn tear(const TearingLattice& whole, const LatticePiece& piece,
          std::vector<std::uint32_t> breaking) {
    while (!breaking.empty()) {
        SolidPart part = piece.part;
        part.broken.insert(part.broken.end(), breaking.begin(), breaking.end());
        std::ranges::sort(part.broken);
        const std::vector<TornSolid> torn = pieces(whole.solid, whole.sides, part);
        std::vector<std::uint32_t> merged;
        for (const TornSolid& one : torn) {
            const auto more = merged_corners(piece, one);
            merged.insert(merged.end(), more.begin(), more.end());
        }
        if (merged.empty()) {
            const bool is_same = torn.size() == 1 &&
                                 torn.front().corner_of.size() == piece.lattice->asset->rest.size();
            Torn made{std::move(part), {}};
            if (!is_same)
                for (const TornSolid& one : torn) made.pieces.push_back(make_piece(whole, one));
            return made;
        }
        // What gapes stays open: what would close it does not break now.
        std::ranges::sort(merged);
        const auto touches = [&](std::uint32_t side) {
            const Solid::Cell& cell = whole.solid.cells[side / 3];
            return std::ranges::any_of(cell_sides[2 * (side % 3) + 1], [&](std::uint32_t k) {
                return std::ranges::binary_search(merged, cell.corners[k]);
            });
        };
        if (std::erase_if(breaking, touches) == 0) breaking.clear();
    }
    return {piece.part, {}};
}

std::vector<std::uint32_t> particles_before(const LatticePiece& before, const LatticePiece& piece) {
    std::vector<std::uint32_t> of(piece.lattice->asset->rest.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < piece.part.cells.size(); ++i) {
        while (before.part.cells[at] != piece.part.cells[i]) ++at;
        for (std::size_t k = 0; k < 8; ++k) of[piece.particles[i][k]] = before.particles[at][k];
    }
    return of;
}

LatticePiece restored_piece(const TearingLattice& whole, SolidPart part) {
    LatticePiece all = whole_piece(whole);
    if (part.cells.size() == all.part.cells.size() && part.broken.empty()) return all;
    const std::vector<TornSolid> torn = pieces(whole.solid, whole.sides, part);
    if (torn.size() != 1)
        fail(ErrorCode::bad_snapshot, "the cells of a torn lattice do not hang together");
    if (torn.front().part.cells.size() == all.part.cells.size() &&
        torn.front().corner_of.size() == whole.solid.corners.size()) {
        all.part = std::move(part);
        return all;
    }
    return make_piece(whole, torn.front());
}

std::size_t bytes(const TearingLattice& w) {
    const auto size = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
    return size(w.solid.cells) + size(w.solid.corners) + size(w.solid.places) +
           size(w.solid.triangles) + w.sides.cells() * 6 * sizeof(std::uint32_t) +
           size(w.relative_masses) + size(w.display.vertices) + size(w.display.triangles) +
           size(w.bindings) + size(w.cell_of_binding) + bytes(*w.lattice);
}

std::size_t bytes(const LatticePiece& p) {
    return (p.part.cells.capacity() + p.part.broken.capacity()) * sizeof(std::uint32_t) +
           p.particles.capacity() * sizeof(p.particles[0]) + bytes(*p.lattice);
}

}  // namespace turgor
