#include "mesh/simplify_surface.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <utility>

#include "base/errors.hpp"

namespace turgor {

using Index = EditSurface::Index;

double triangle_quality(Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 u = b - a, v = c - a, w = c - b;
    const double squares = dot(u, u) + dot(v, v) + dot(w, w);
    return squares > 0 ? 2 * std::numbers::sqrt3 * norm(cross(u, v)) / squares : 0;
}

EditSurface::EditSurface(const Mesh& mesh) {
    if (mesh.triangles.size() > none / 3 || mesh.vertices.size() >= none)
        fail(ErrorCode::bad_mesh, "mesh \"{}\" has {} triangles, more than can be numbered.",
             mesh.name, mesh.triangles.size());
    std::vector<Index> number(mesh.vertices.size(), none);
    origin_.reserve(mesh.triangles.size() * 3);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const Index v : mesh.triangles[t]) {
            if (v >= mesh.vertices.size())
                fail(ErrorCode::bad_mesh, "mesh \"{}\": triangle {} names vertex {} of {}.",
                     mesh.name, t, v, mesh.vertices.size());
            if (!is_finite(mesh.vertices[v]))
                fail(ErrorCode::bad_mesh, "mesh \"{}\": vertex {} is not finite.", mesh.name, v);
            if (number[v] == none) number[v] = 0;
            origin_.push_back(v);
        }
    for (std::size_t v = 0; v < number.size(); ++v)
        if (number[v] != none) {
            number[v] = static_cast<Index>(position_.size());
            position_.push_back(mesh.vertices[v]);
        }
    for (Index& v : origin_) v = number[v];
    vertex_count_ = position_.size();
    link_twins();
    require_single_fans();
    label_parts();
}

/// Half-edges sorted by origin and target: each must occur once, and its reverse too.
void EditSurface::link_twins() {
    const Index edges = half_edge_end(), vertices = vertex_end();
    valence_.assign(vertices, 0);
    for (const Index v : origin_) ++valence_[v];
    std::vector<Index> start(vertices + 1, 0);
    for (Index v = 0; v < vertices; ++v) start[v + 1] = start[v] + valence_[v];

    struct Outgoing {
        Index target, half_edge;
        bool operator<(const Outgoing& b) const {
            return target != b.target ? target < b.target : half_edge < b.half_edge;
        }
    };
    std::vector<Outgoing> outgoing(edges);
    std::vector<Index> fill(start.begin(), start.end() - 1);
    for (Index h = 0; h < edges; ++h) outgoing[fill[origin_[h]]++] = {target(h), h};
    for (Index v = 0; v < vertices; ++v)
        std::sort(outgoing.begin() + start[v], outgoing.begin() + start[v + 1]);

    twin_.assign(edges, none);
    edge_of_.resize(vertices);
    for (Index v = 0; v < vertices; ++v) {
        edge_of_[v] = outgoing[start[v]].half_edge;
        for (Index i = start[v]; i < start[v + 1]; ++i) {
            const auto [w, h] = outgoing[i];
            const bool repeated = i > start[v] && outgoing[i - 1].target == w;
            const auto reverse = std::lower_bound(outgoing.begin() + start[w],
                                                  outgoing.begin() + start[w + 1], Outgoing{v, 0});
            const bool found = reverse != outgoing.begin() + start[w + 1] && reverse->target == v;
            if (v == w || repeated || !found)
                fail(ErrorCode::bad_mesh,
                     "the mesh is not closed and manifold at the edge from ({:.6g}, {:.6g}, "
                     "{:.6g}) to "
                     "({:.6g}, {:.6g}, {:.6g}); make_mesh repairs what can be repaired.",
                     position_[v].x, position_[v].y, position_[v].z, position_[w].x, position_[w].y,
                     position_[w].z);
            twin_[h] = reverse->half_edge;
        }
    }
}

/// The triangles around a vertex must form one fan, not two that touch in a point.
void EditSurface::require_single_fans() {
    for (Index v = 0; v < vertex_end(); ++v) {
        Index fan = 0;
        for_each_outgoing(v, [&](Index) { ++fan; });
        if (fan != valence_[v])
            fail(ErrorCode::bad_mesh,
                 "the mesh touches itself in the single point ({:.6g}, {:.6g}, {:.6g}); make_mesh "
                 "separates such points.",
                 position_[v].x, position_[v].y, position_[v].z);
    }
}

void EditSurface::label_parts() {
    part_.assign(vertex_end(), none);
    std::vector<Index> stack;
    for (Index seed = 0; seed < vertex_end(); ++seed) {
        if (part_[seed] != none) continue;
        part_[seed] = part_count_;
        stack.push_back(seed);
        while (!stack.empty()) {
            const Index v = stack.back();
            stack.pop_back();
            for_each_outgoing(v, [&](Index h) {
                if (part_[target(h)] != none) return;
                part_[target(h)] = part_count_;
                stack.push_back(target(h));
            });
        }
        ++part_count_;
    }
}

Vec3 EditSurface::area_vector(Index h) const {
    const Vec3 a = position(origin(h));
    return cross(position(target(h)) - a, position(opposite(h)) - a);
}

Vec3 EditSurface::vertex_vector(Index v) const {
    Vec3 sum;
    for_each_outgoing(v, [&](Index h) { sum += area_vector(h); });
    return sum;
}

double EditSurface::total_area() const {
    double sum = 0;
    for (Index h = 0; h < half_edge_end(); h += 3)
        if (alive(h)) sum += norm(area_vector(h)) / 2;
    return sum;
}

std::vector<double> EditSurface::part_volumes() const {
    std::vector<double> volumes(part_count_, 0.0);
    for (Index h = 0; h < half_edge_end(); h += 3)
        if (alive(h))
            volumes[part(origin(h))] +=
                dot(position(origin(h)), cross(position(target(h)), position(opposite(h)))) / 6;
    return volumes;
}

bool EditSurface::has_edge(Index a, Index b) const {
    if (valence(a) > valence(b)) std::swap(a, b);
    bool found = false;
    for_each_outgoing(a, [&](Index h) { found |= target(h) == b; });
    return found;
}

/// The ends may share no neighbour but the two opposite corners (Dey et al. 1999).
bool EditSurface::can_collapse(Index h) const {
    const Index a = origin(h), b = target(h), c = opposite(h), d = opposite(twin(h));
    if (valence(c) <= 3 || valence(d) <= 3 || valence(a) + valence(b) - 4 > max_valence)
        return false;
    std::array<Index, max_valence + 4> ring;
    auto end = ring.begin();
    for_each_outgoing(a, [&](Index g) { *end++ = target(g); });
    int shared = 0;
    for_each_outgoing(b,
                      [&](Index g) { shared += std::find(ring.begin(), end, target(g)) != end; });
    return shared == 2;
}

void EditSurface::collapse(Index h, Vec3 p) {
    const Index g = twin(h), a = origin(h), b = target(h), c = opposite(h), d = opposite(g);
    for_each_outgoing(b, [&](Index out) { origin_[out] = a; });
    const Index ac = twin(previous(h)), ca = twin(next(h));
    const Index da = twin(next(g)), ad = twin(previous(g));
    pair(ac, ca);
    pair(ad, da);
    edge_of_[a] = ac, edge_of_[b] = none, edge_of_[c] = ca, edge_of_[d] = da;
    valence_[a] += valence_[b] - 4;
    --valence_[c], --valence_[d];
    for (const Index dead : {h, next(h), previous(h), g, next(g), previous(g)})
        origin_[dead] = none;
    position_[a] = p;
    --vertex_count_;
}

bool EditSurface::can_flip(Index h) const {
    if (valence(origin(h)) <= 3 || valence(target(h)) <= 3) return false;
    return !has_edge(opposite(h), opposite(twin(h)));
}

void EditSurface::flip(Index h) {
    const Index g = twin(h), hn = next(h), hp = previous(h), gn = next(g), gp = previous(g);
    const Index a = origin_[h], b = origin_[g], c = origin_[hp], d = origin_[gp];
    const Index cb = twin_[hn], ac = twin_[hp], da = twin_[gn], bd = twin_[gp];
    origin_[h] = d, origin_[hn] = c, origin_[hp] = a;
    origin_[g] = c, origin_[gn] = d, origin_[gp] = b;
    pair(hn, ac), pair(hp, da), pair(gn, bd), pair(gp, cb);
    edge_of_[a] = hp, edge_of_[b] = gp, edge_of_[c] = hn, edge_of_[d] = gn;
    --valence_[a], --valence_[b], ++valence_[c], ++valence_[d];
}

Index EditSurface::split(Index h, Vec3 p) {
    const Index g = twin(h), hn = next(h), gp = previous(g);
    const Index b = target(h), c = opposite(h), d = opposite(g);
    const Index cb = twin_[hn], bd = twin_[gp];
    const Index m = vertex_end(), e = half_edge_end(), f = e + 3;
    position_.push_back(p), edge_of_.push_back(hn), valence_.push_back(4);
    part_.push_back(part_[b]);
    origin_.insert(origin_.end(), {m, b, c, b, m, d});
    twin_.resize(origin_.size());
    origin_[hn] = m, origin_[g] = m;
    pair(e, f), pair(e + 1, cb), pair(e + 2, hn), pair(f + 1, gp), pair(f + 2, bd);
    edge_of_[b] = e + 1;
    ++valence_[c], ++valence_[d];
    ++vertex_count_;
    return m;
}

namespace {

constexpr double least_quality = 0.1;

}  // namespace

bool EditSurface::move_keeps_shape(Index v, Vec3 p, Vec3 normal) const {
    bool good = true;
    for_each_outgoing(v, [&](Index h) {
        if (!good) return;
        const Vec3 b = position(target(h)), c = position(opposite(h));
        const Vec3 after = cross(b - p, c - p);
        const double a = norm(after);
        if (!(dot(after, normal) > 0.25 * a)) {
            const Vec3 before = area_vector(h);
            const double size = norm(before);
            good &= dot(after, before) > 0.9 * a * size &&
                    dot(after, normal) * size >= dot(before, normal) * a;
        }
        const double quality = triangle_quality(p, b, c);
        good &= quality >= least_quality || quality >= triangle_quality(position(v), b, c);
    });
    return good;
}

bool EditSurface::collapse_keeps_shape(Index h, Vec3 p) const {
    const Index a = origin(h), b = target(h);
    bool turned = false;
    double worst_before = 1, worst_after = 1;
    auto check = [&](Index g) {
        const Vec3 o = position(origin(g)), c = position(target(g)), d = position(opposite(g));
        worst_before = std::min(worst_before, triangle_quality(o, c, d));
        const bool goes = target(g) == a || target(g) == b || opposite(g) == a || opposite(g) == b;
        if (goes) return;
        const Vec3 before = cross(c - o, d - o), after = cross(c - p, d - p);
        turned |= !(dot(after, before) > 0.3 * norm(after) * norm(before));
        worst_after = std::min(worst_after, triangle_quality(p, c, d));
    };
    for_each_outgoing(a, check);
    for_each_outgoing(b, check);
    return !turned && worst_after >= std::min(least_quality, 0.8 * worst_before);
}

void EditSurface::compact() {
    std::vector<Index> vertex_number(vertex_end(), none), edge_number(half_edge_end(), none);
    Index vertices = 0, edges = 0;
    for (Index v = 0; v < vertex_end(); ++v)
        if (vertex_alive(v)) vertex_number[v] = vertices++;
    for (Index h = 0; h < half_edge_end(); ++h)
        if (alive(h)) edge_number[h] = edges++;
    for (Index v = 0; v < vertex_end(); ++v) {
        const Index to = vertex_number[v];
        if (to == none) continue;
        position_[to] = position_[v], part_[to] = part_[v], valence_[to] = valence_[v];
        edge_of_[to] = edge_number[edge_of_[v]];
    }
    for (Index h = 0; h < half_edge_end(); ++h) {
        const Index to = edge_number[h];
        if (to == none) continue;
        origin_[to] = vertex_number[origin_[h]], twin_[to] = edge_number[twin_[h]];
    }
    position_.resize(vertices), part_.resize(vertices), valence_.resize(vertices);
    edge_of_.resize(vertices), origin_.resize(edges), twin_.resize(edges);
}

Mesh EditSurface::to_mesh(std::string name) const {
    Mesh mesh;
    mesh.name = std::move(name);
    std::vector<Index> number(vertex_end(), none);
    for (Index v = 0; v < vertex_end(); ++v)
        if (vertex_alive(v)) {
            number[v] = static_cast<Index>(mesh.vertices.size());
            mesh.vertices.push_back(position(v));
        }
    for (Index h = 0; h < half_edge_end(); h += 3)
        if (alive(h))
            mesh.triangles.push_back({number[origin(h)], number[target(h)], number[opposite(h)]});
    return mesh;
}

}  // namespace turgor
