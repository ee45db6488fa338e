#include "mesh/simplify_decimate.hpp"

#include <algorithm>
#include <cmath>

#include "base/cancel.hpp"

namespace turgor {
namespace {

using Index = EditSurface::Index;

/// The weighted sum of squared distances to planes, Σ w (n·x + d)² (Garland and Heckbert 1997), and
/// of squared distances to the area that was merged here.
struct Quadric {
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    Vec3 linear;
    double constant = 0;
    double area = 0;

    void add_plane(Vec3 unit_normal, Vec3 point, double weight) {
        const Vec3 n = unit_normal;
        const double d = -dot(n, point);
        xx += weight * n.x * n.x, xy += weight * n.x * n.y, xz += weight * n.x * n.z;
        yy += weight * n.y * n.y, yz += weight * n.y * n.z, zz += weight * n.z * n.z;
        linear += weight * d * n;
        constant += weight * d * d;
        area += weight;
    }
    Quadric& operator+=(const Quadric& b) {
        xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz;
        linear += b.linear, constant += b.constant, area += b.area;
        return *this;
    }
    double operator()(Vec3 p) const {
        const Vec3 ap{xx * p.x + xy * p.y + xz * p.z, xy * p.x + yy * p.y + yz * p.z,
                      xz * p.x + yz * p.y + zz * p.z};
        return std::max(0.0, dot(p, ap) + 2 * dot(linear, p) + constant);
    }
    /// The point of least error, drawn towards `guess` where the planes do not determine it.
    Vec3 best_point(Vec3 guess) const {
        const double pull = 0.02 * (xx + yy + zz) + 1e-300;
        const Vec3 c0{xx + pull, xy, xz}, c1{xy, yy + pull, yz}, c2{xz, yz, zz + pull};
        const Vec3 right = pull * guess - linear;
        const double det = dot(c0, cross(c1, c2));
        if (!(std::abs(det) > 0)) return guess;
        return {dot(right, cross(c1, c2)) / det, dot(c0, cross(right, c2)) / det,
                dot(c0, cross(c1, right)) / det};
    }
};

struct Candidate {
    float cost;
    Index edge;
    bool operator<(const Candidate& b) const {
        return cost != b.cost ? cost < b.cost : edge < b.edge;
    }
};

class Decimation {
public:
    explicit Decimation(EditSurface& surface) : surface_(surface) {
        quadrics_.resize(surface.vertex_end());
        for (Index h = 0; h < surface.half_edge_end(); h += 3) {
            if (!surface.alive(h)) continue;
            const Vec3 vector = surface.area_vector(h);
            const double area = norm(vector) / 2;
            for (const Index corner : {h, surface.next(h), surface.previous(h)}) {
                const Index v = surface.origin(corner);
                quadrics_[v].add_plane(normalized(vector), surface.position(v), area / 3);
            }
        }
    }

    /// Collapses the cheapest edges, none of them next to another. Returns how many.
    std::size_t pass(std::size_t wanted) {
        gather_candidates();
        touched_.assign(surface_.vertex_end(), false);
        // stopping early leaves the dearer edges to a later pass, which sees the costs of then
        const std::size_t most = std::min(wanted, surface_.vertex_count() / 4 + 1);
        std::size_t done = 0;
        for (const Candidate& candidate : candidates_) {
            if (done == most) break;
            check_cancelled();
            done += try_collapse(candidate.edge);
        }
        return done;
    }

private:
    Vec3 merged_position(Index h) const {
        const Index a = surface_.origin(h), b = surface_.target(h);
        const double wa = quadrics_[a].area, wb = quadrics_[b].area;
        const Vec3 middle =
            wa + wb > 0 ? (wa * surface_.position(a) + wb * surface_.position(b)) / (wa + wb)
                        : 0.5 * (surface_.position(a) + surface_.position(b));
        Quadric sum = quadrics_[a];
        sum += quadrics_[b];
        const Vec3 best = sum.best_point(middle);
        const double reach = 0.5 * surface_.edge_length(h), away = norm(best - middle);
        return away > reach ? middle + (reach / away) * (best - middle) : best;
    }

    /// The distance to the planes keeps the features. What merging two patches adds to their second
    /// moment (Ward's criterion; the same measure as in centroidal Voronoi clustering) keeps the
    /// vertices evenly spread.
    double cost(Index h) const {
        const Quadric &a = quadrics_[surface_.origin(h)], &b = quadrics_[surface_.target(h)];
        const Vec3 along =
            surface_.position(surface_.target(h)) - surface_.position(surface_.origin(h));
        const double ward = a.area * b.area / (a.area + b.area + 1e-300) * dot(along, along);
        const Vec3 p = merged_position(h);
        return ward + plane_weight * (a(p) + b(p));
    }

    void gather_candidates() {
        candidates_.clear();
        for (Index h = 0; h < surface_.half_edge_end(); ++h) {
            check_cancelled();
            if (surface_.alive(h) && h < surface_.twin(h))
                candidates_.push_back({static_cast<float>(cost(h)), h});
        }
        const auto middle =
            candidates_.begin() + static_cast<std::ptrdiff_t>(candidates_.size() / 2);
        std::nth_element(candidates_.begin(), middle, candidates_.end());
        std::sort(candidates_.begin(), middle);
    }

    bool try_collapse(Index h) {
        if (!surface_.alive(h)) return false;
        const Index a = surface_.origin(h), b = surface_.target(h);
        if (touched_[a] || touched_[b] || !surface_.can_collapse(h)) return false;
        const Vec3 p = merged_position(h);
        if (!surface_.collapse_keeps_shape(h, p)) return false;
        quadrics_[a] += quadrics_[b];
        surface_.collapse(h, p);
        touched_[a] = true;
        return true;
    }

    static constexpr double plane_weight = 4;

    EditSurface& surface_;
    std::vector<Quadric> quadrics_;
    std::vector<Candidate> candidates_;
    std::vector<bool> touched_;
};

}  // namespace

void decimate(EditSurface& surface, std::size_t vertices) {
    Decimation decimation(surface);
    while (surface.vertex_count() > vertices) {
        const std::size_t wanted = surface.vertex_count() - vertices;
        const std::size_t done = decimation.pass(wanted);
        // crawling on for one collapse in a thousand vertices would take quadratic time
        if (done < wanted && done <= surface.vertex_count() / 1000) break;
    }
    surface.compact();
}

}  // namespace turgor
