#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "turgor/mesh.hpp"

namespace turgor {

/// A closed manifold triangle surface whose edges can be collapsed, split and flipped, for
/// simplification and remeshing. Half-edge 3t + k runs from corner k of triangle t to the next
/// corner; an edge is named by either of its half-edges.
class EditSurface {
public:
    using Index = std::uint32_t;
    static constexpr Index none = ~Index{0};
    /// No collapse makes a vertex with more triangles; it also bounds the time that one takes.
    static constexpr Index max_valence = 20;

    /// Unused vertices are left out. An Error (bad_mesh) where the mesh is not closed and manifold.
    explicit EditSurface(const Mesh& mesh);

    Index next(Index h) const { return h % 3 == 2 ? h - 2 : h + 1; }
    Index previous(Index h) const { return h % 3 == 0 ? h + 2 : h - 1; }
    Index twin(Index h) const { return twin_[h]; }
    Index origin(Index h) const { return origin_[h]; }
    Index target(Index h) const { return origin_[next(h)]; }
    Index opposite(Index h) const { return origin_[previous(h)]; }
    bool alive(Index h) const { return origin_[h] != none; }
    bool vertex_alive(Index v) const { return edge_of_[v] != none; }
    Index valence(Index v) const { return valence_[v]; }
    /// The connected part that a vertex belongs to, counted from 0.
    Index part(Index v) const { return part_[v]; }
    Index part_count() const { return part_count_; }

    const Vec3& position(Index v) const { return position_[v]; }
    void set_position(Index v, Vec3 p) { position_[v] = p; }

    std::size_t vertex_count() const { return vertex_count_; }
    /// Bounds of the numbers in use; some of them may be dead.
    Index half_edge_end() const { return static_cast<Index>(origin_.size()); }
    Index vertex_end() const { return static_cast<Index>(position_.size()); }

    /// Calls `visit` with each half-edge that leaves `v`, in order around it.
    template <class Visit>
    void for_each_outgoing(Index v, Visit&& visit) const {
        Index h = edge_of_[v];
        do {
            const Index following = twin_[previous(h)];
            visit(h);
            h = following;
        } while (h != edge_of_[v]);
    }

    /// Twice the area times the normal of the triangle that `h` belongs to.
    Vec3 area_vector(Index h) const;
    /// The sum of the area vectors around `v`.
    Vec3 vertex_vector(Index v) const;
    double edge_length(Index h) const { return norm(position(target(h)) - position(origin(h))); }
    double total_area() const;
    std::vector<double> part_volumes() const;

    /// Whether the surface stays manifold and of the same genus (the link condition).
    bool can_collapse(Index h) const;
    /// Merges target(h) into origin(h), which moves to `p`. Requires can_collapse(h).
    void collapse(Index h, Vec3 p);
    /// Whether no edge joins the opposite corners yet.
    bool can_flip(Index h) const;
    void flip(Index h);
    /// Puts a vertex at `p` on the edge; returns its number.
    Index split(Index h, Vec3 p);

    /// Whether no triangle around turns over, as seen along the vertex's unit normal, or
    /// degenerates when `v` moves to `p`.
    bool move_keeps_shape(Index v, Vec3 p, Vec3 normal) const;
    /// The same for the triangles that are left when target(h) and origin(h) merge at `p`.
    bool collapse_keeps_shape(Index h, Vec3 p) const;

    /// Renumbers vertices and triangles so that none is dead, in their present order.
    void compact();
    Mesh to_mesh(std::string name) const;

private:
    void link_twins();
    void require_single_fans();
    void label_parts();
    bool has_edge(Index a, Index b) const;
    void pair(Index g, Index h) { twin_[g] = h, twin_[h] = g; }

    std::vector<Vec3> position_;
    std::vector<Index> edge_of_, valence_, part_;
    std::vector<Index> origin_, twin_;
    std::size_t vertex_count_ = 0;
    Index part_count_ = 0;
};

/// 4√3 area / Σ edge²: 1 for an equilateral triangle, 0 for a flat one.
double triangle_quality(Vec3 a, Vec3 b, Vec3 c);

}  // namespace turgor
