#include <algorithm>

#include "base/counted.hpp"
#include "base/errors.hpp"
#include "mesh/repair.hpp"

namespace turgor {
namespace {

/// Below this height over length a triangle counts as flat: its normal is rounding noise.
constexpr double flat = 1e-9;

class FlatTriangleFlipper {
public:
    FlatTriangleFlipper(Surface& surface, std::vector<std::uint32_t>& opposite)
        : surface_(surface), triangles_(surface.triangles), opposite_(opposite) {}

    FlatTriangles run() {
        std::vector<std::uint32_t> todo;
        for (std::uint32_t t = 0; t < triangles_.size(); ++t)
            if (is_flat(t)) todo.push_back(t);
        // A flip may hand the flatness on to the neighbour, which then has its turn.
        for (int pass = 0; pass < 16 && !todo.empty(); ++pass) {
            auto left = flip_all(todo);
            if (left == todo) break;
            todo = std::move(left);
        }
        for (const auto t : todo)
            if (is_flat(t)) add_element(result_.left, [&] { return surface_.triangle_name(t); });
        return std::move(result_);
    }

private:
    std::vector<std::uint32_t> flip_all(const std::vector<std::uint32_t>& todo) {
        std::vector<std::uint32_t> left;
        for (const auto t : todo) {
            if (!is_flat(t)) continue;
            const std::uint32_t h = longest_edge(t), u = opposite_[h] / 3;
            if (can_flip(h)) {
                add_element(result_.flipped, [&] { return surface_.triangle_name(t); });
                flip(h);
            }
            for (const auto k : {t, u})
                if (is_flat(k)) left.push_back(k);
        }
        return left;
    }

    double thickness(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
        const auto& v = surface_.vertices;
        const Vec3 ab = v[b] - v[a], bc = v[c] - v[b], ca = v[a] - v[c];
        return norm(cross(ab, bc)) / std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca), 1e-300});
    }
    bool is_flat(std::uint32_t t) const {
        return thickness(triangles_[t][0], triangles_[t][1], triangles_[t][2]) < flat;
    }
    double squared_length(std::uint32_t h) const {
        const Vec3 d = surface_.vertices[half_edge_to(triangles_, h)] -
                       surface_.vertices[half_edge_from(triangles_, h)];
        return dot(d, d);
    }
    std::uint32_t longest_edge(std::uint32_t t) const {
        std::uint32_t best = 3 * t;
        for (const std::uint32_t h : {3 * t + 1, 3 * t + 2})
            if (squared_length(h) > squared_length(best)) best = h;
        return best;
    }
    /// Whether an edge joins the origin of half-edge h with vertex `other`.
    bool has_edge(std::uint32_t h, std::uint32_t other) const {
        for (std::uint32_t g = h;;) {
            if (half_edge_to(triangles_, g) == other) return true;
            g = opposite_[previous_in_triangle(g)];
            if (g == h) return false;
        }
    }

    bool can_flip(std::uint32_t h) const {
        const std::uint32_t o = opposite_[h];
        const std::uint32_t a = half_edge_from(triangles_, h), b = half_edge_to(triangles_, h);
        const std::uint32_t c = half_edge_apex(triangles_, h), d = half_edge_apex(triangles_, o);
        if (c == d || has_edge(previous_in_triangle(h), d)) return false;
        return std::min(thickness(a, d, c), thickness(d, b, c)) >
               std::min(thickness(a, b, c), thickness(b, a, d));
    }

    /// (a, b, c) and (b, a, d) become (a, d, c) and (d, b, c).
    void flip(std::uint32_t h) {
        const std::uint32_t o = opposite_[h], t = h / 3, u = o / 3;
        const std::uint32_t a = half_edge_from(triangles_, h), b = half_edge_to(triangles_, h);
        const std::uint32_t c = half_edge_apex(triangles_, h), d = half_edge_apex(triangles_, o);
        const std::uint32_t bc = opposite_[next_in_triangle(h)];
        const std::uint32_t ca = opposite_[previous_in_triangle(h)];
        const std::uint32_t ad = opposite_[next_in_triangle(o)];
        const std::uint32_t db = opposite_[previous_in_triangle(o)];
        triangles_[t] = {a, d, c};
        triangles_[u] = {d, b, c};
        link(3 * t, ad);
        link(3 * t + 1, 3 * u + 2);
        link(3 * t + 2, ca);
        link(3 * u, db);
        link(3 * u + 1, bc);
    }
    void link(std::uint32_t h, std::uint32_t o) {
        opposite_[h] = o;
        opposite_[o] = h;
    }

    Surface& surface_;
    std::vector<Triangle>& triangles_;
    std::vector<std::uint32_t>& opposite_;
    FlatTriangles result_{{"flipped_flat_triangles", {}, 0, {}}, {"flat_triangles", {}, 0, {}}};
};

}  // namespace

FlatTriangles flip_flat_triangles(Surface& surface, std::vector<std::uint32_t>& opposite) {
    FlatTriangles result = FlatTriangleFlipper(surface, opposite).run();
    result.flipped.sentence =
        fmt::format("flipped an edge of {} without area, the shape is the same",
                    counted(result.flipped.count, "triangle", "triangles"));
    result.left.sentence =
        fmt::format("{} no area and could not be removed",
                    counted(result.left.count, "triangle has", "triangles have"));
    return result;
}

}  // namespace turgor
