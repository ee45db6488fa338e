#include "mesh/simplify_remesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/cancel.hpp"

namespace turgor {
namespace {

using Index = EditSurface::Index;

/// The cosine of the least angle between two neighbouring triangles that count as one smooth piece.
constexpr double smooth_cosine = 0.5;

/// From this sharpness on a vertex is a tip, which keeps its place while its triangles have this
/// quality.
constexpr double tip_sharpness = 0.45, well_shaped = 0.6;

class Remesher {
public:
    Remesher(EditSurface& surface, std::size_t vertices, const Projection& project)
        : surface_(surface), vertices_(vertices), project_(project) {}

    void run() {
        for (int round = 0; round < 5; ++round) {
            update_target_length();
            const std::size_t changes = collapse_short_edges() + split_long_edges();
            flip_for_valence();
            smooth(2);
            if (changes * 50 < surface_.vertex_count()) break;
        }
        reach_count();
        flip_for_valence();
        smooth(2);
        flip_for_shape();
        smooth(2);
        flip_for_shape();
        surface_.compact();
    }

private:
    void update_target_length() { length_ = equilateral_edge(surface_.total_area(), vertices_); }

    Vec3 edge_middle(Index h) const {
        return 0.5 *
               (surface_.position(surface_.origin(h)) + surface_.position(surface_.target(h)));
    }

    /// The point of the ideal surface next to the edge's middle, if it is near.
    Vec3 edge_point(Index h) const {
        check_cancelled();
        const Vec3 middle = edge_middle(h);
        const Vec3 normal =
            normalized(surface_.area_vector(h) + surface_.area_vector(surface_.twin(h)));
        const Vec3 projected = project_(middle, normal);
        return norm(projected - middle) <= 0.35 * surface_.edge_length(h) ? projected : middle;
    }

    void split_edge(Index h) {
        const Vec3 p = edge_point(h);
        const Index v = surface_.split(h, edge_middle(h));
        if (surface_.move_keeps_shape(v, p, normalized(surface_.vertex_vector(v))))
            surface_.set_position(v, p);
    }

    std::size_t split_long_edges() {
        const double longest = length_ * 4 / 3;
        const std::size_t before = surface_.vertex_count();
        const Index end = surface_.half_edge_end();
        for (Index h = 0; h < end; ++h)
            if (surface_.alive(h) && h < surface_.twin(h) && surface_.edge_length(h) > longest)
                split_edge(h);
        return surface_.vertex_count() - before;
    }

    /// 0 on a plane, 1 − sin α at the tip of a cone with half the opening angle α.
    double sharpness(Index v) const {
        Vec3 sum;
        double sizes = 0;
        surface_.for_each_outgoing(v, [&](Index h) {
            const Vec3 vector = surface_.area_vector(h);
            sum += vector, sizes += norm(vector);
        });
        return sizes > 0 ? 1 - norm(sum) / sizes : 0;
    }

    /// A tip stays where it is, so that ears and tails do not wear down.
    Vec3 collapse_point(Index h) const {
        const Index a = surface_.origin(h), b = surface_.target(h);
        const double sharp_a = sharpness(a), sharp_b = sharpness(b);
        if (std::max(sharp_a, sharp_b) < tip_sharpness) return edge_point(h);
        return surface_.position(sharp_a > sharp_b ? a : b);
    }

    bool try_collapse(Index h, double longest) {
        if (!surface_.can_collapse(h)) return false;
        const Vec3 p = collapse_point(h);
        bool too_long = false;
        for (const Index v : {surface_.origin(h), surface_.target(h)})
            surface_.for_each_outgoing(v, [&](Index g) {
                too_long |= norm(surface_.position(surface_.target(g)) - p) > longest;
            });
        if (too_long || !surface_.collapse_keeps_shape(h, p)) return false;
        surface_.collapse(h, p);
        return true;
    }

    std::size_t collapse_short_edges() {
        const double shortest = length_ * 4 / 5;
        const std::size_t before = surface_.vertex_count();
        for (Index h = 0; h < surface_.half_edge_end(); ++h)
            if (surface_.alive(h) && h < surface_.twin(h) && surface_.edge_length(h) < shortest)
                try_collapse(h, length_ * 4 / 3);
        return before - surface_.vertex_count();
    }

    struct Candidate {
        double length;
        Index edge;
        bool operator<(const Candidate& b) const {
            return length != b.length ? length < b.length : edge < b.edge;
        }
    };
    std::vector<Candidate> edges_by_length() const {
        std::vector<Candidate> edges;
        for (Index h = 0; h < surface_.half_edge_end(); ++h)
            if (surface_.alive(h) && h < surface_.twin(h))
                edges.push_back({surface_.edge_length(h), h});
        std::sort(edges.begin(), edges.end());
        return edges;
    }

    /// Collapses the shortest edges, at most `wanted`. Returns how many.
    std::size_t collapse_shortest(std::size_t wanted) {
        std::size_t done = 0;
        for (const auto& [length, h] : edges_by_length()) {
            if (done == wanted) break;
            // an edge that grew meanwhile is not among the shortest any more
            if (surface_.alive(h) && surface_.edge_length(h) <= length * 1.01)
                done += try_collapse(h, std::numeric_limits<double>::infinity());
        }
        return done;
    }

    std::size_t split_longest(std::size_t wanted) {
        std::vector<Candidate> edges = edges_by_length();
        std::size_t done = 0;
        for (auto edge = edges.rbegin(); edge != edges.rend() && done < wanted; ++edge) {
            if (surface_.edge_length(edge->edge) < edge->length * 0.99) continue;
            split_edge(edge->edge);
            ++done;
        }
        return done;
    }

    /// Makes the count exact, a third of the way at a time, since the lengths change around each
    /// edge that comes or goes. Gives up where hardly any edge can.
    void reach_count() {
        while (surface_.vertex_count() != vertices_) {
            const std::size_t count = surface_.vertex_count();
            const bool too_many = count > vertices_;
            const std::size_t wanted = ((too_many ? count - vertices_ : vertices_ - count) + 2) / 3;
            const std::size_t done = too_many ? collapse_shortest(wanted) : split_longest(wanted);
            if (done < wanted && done <= count / 1000) break;
        }
    }

    bool flip_keeps_shape(Index h) const {
        const Vec3 a = surface_.position(surface_.origin(h)),
                   b = surface_.position(surface_.target(h));
        const Vec3 c = surface_.position(surface_.opposite(h));
        const Vec3 d = surface_.position(surface_.opposite(surface_.twin(h)));
        const Vec3 old1 = surface_.area_vector(h), old2 = surface_.area_vector(surface_.twin(h));
        const Vec3 new1 = cross(d - a, c - a), new2 = cross(c - b, d - b);
        const Vec3 mean = normalized(old1 + old2);
        return dot(new1, mean) > smooth_cosine * norm(new1) &&
               dot(new2, mean) > smooth_cosine * norm(new2) &&
               dot(new1, new2) > smooth_cosine * norm(new1) * norm(new2);
    }

    /// How much better the worse of the two triangles becomes by a flip.
    double quality_gain(Index h) const {
        const Vec3 a = surface_.position(surface_.origin(h)),
                   b = surface_.position(surface_.target(h));
        const Vec3 c = surface_.position(surface_.opposite(h));
        const Vec3 d = surface_.position(surface_.opposite(surface_.twin(h)));
        return std::min(triangle_quality(a, d, c), triangle_quality(b, c, d)) -
               std::min(triangle_quality(a, b, c), triangle_quality(b, a, d));
    }

    /// How much closer to six triangles each the four vertices come by a flip.
    int valence_gain(Index h) const {
        auto off = [&](Index v, int change) {
            return std::abs(static_cast<int>(surface_.valence(v)) + change - 6);
        };
        auto gain = [&](Index v, int change) { return off(v, 0) - off(v, change); };
        return gain(surface_.origin(h), -1) + gain(surface_.target(h), -1) +
               gain(surface_.opposite(h), 1) + gain(surface_.opposite(surface_.twin(h)), 1);
    }

    template <class Wanted>
    void flip_where(Wanted&& wanted) {
        for (int sweep = 0; sweep < 3; ++sweep) {
            check_cancelled();
            for (Index h = 0; h < surface_.half_edge_end(); ++h)
                if (surface_.alive(h) && h < surface_.twin(h) && wanted(h) &&
                    surface_.can_flip(h) && flip_keeps_shape(h))
                    surface_.flip(h);
        }
    }
    void flip_for_valence() {
        flip_where([&](Index h) { return valence_gain(h) > 0 && quality_gain(h) > -0.4; });
    }
    void flip_for_shape() {
        flip_where([&](Index h) { return quality_gain(h) > 0.02; });
    }

    /// Moves each vertex to the centroid of the triangles around it, within the surface.
    void smooth(int times) {
        for (int i = 0; i < times; ++i)
            for (Index v = 0; v < surface_.vertex_end(); ++v)
                if (surface_.vertex_alive(v)) smooth_vertex(v);
    }

    void smooth_vertex(Index v) {
        check_cancelled();
        const Vec3 here = surface_.position(v);
        Vec3 sum, vector;
        double area = 0, worst = 1;
        surface_.for_each_outgoing(v, [&](Index h) {
            const Vec3 b = surface_.position(surface_.target(h));
            const Vec3 c = surface_.position(surface_.opposite(h));
            const Vec3 triangle = cross(b - here, c - here);
            const double weight = norm(triangle);
            sum += weight / 3 * (here + b + c);
            area += weight, vector += triangle;
            worst = std::min(worst, triangle_quality(here, b, c));
        });
        if (!(area > 0)) return;
        const bool is_tip = norm(vector) < (1 - tip_sharpness) * area;
        if (is_tip && worst > well_shaped) return;
        const Vec3 normal = normalized(vector);
        Vec3 step = sum / area - here;
        step -= dot(step, normal) * normal;
        if (norm(step) < 0.005 * length_) return;
        // the centroid includes the vertex itself with a third of the weight
        for (double fraction : {1.5, 0.5}) {
            const Vec3 p = project_(here + fraction * step, normal);
            if (norm(p - here) > length_ || !surface_.move_keeps_shape(v, p, normal)) continue;
            surface_.set_position(v, p);
            return;
        }
    }

    EditSurface& surface_;
    std::size_t vertices_;
    const Projection& project_;
    double length_ = 0;
};

}  // namespace

double equilateral_edge(double area, std::size_t vertices) {
    // two triangles of √3/4 edge² for each vertex
    return std::sqrt(2 * area / (std::numbers::sqrt3 * static_cast<double>(vertices)));
}

void remesh(EditSurface& surface, std::size_t vertices, const Projection& project) {
    Remesher(surface, vertices, project).run();
}

}  // namespace turgor
