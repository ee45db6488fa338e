// Trees of boxes over triangles, whatever they are stored as: those of a mesh (triangle_tree.hpp)
// and the blocks of cells of a height field.

bool is_grid(const ColliderGeometry* s) {
    return s->given->columns > 0;
}

SearchNode root_of(const ColliderGeometry* s) {
    SearchNode root = {0, 0, 0, 0, 0};
    if (!is_grid(s)) return root;
    root.index = 1;
    root.c1 = s->given->columns - 1;
    root.r1 = s->given->rows - 1;
    return root;
}

NodeBox box_of(const ColliderGeometry* s, SearchNode n) {
    if (is_grid(s)) return grid_box(s, n);
    const NodeBox box = {vload3(0, s->nodes[n.index].lower), vload3(0, s->nodes[n.index].upper)};
    return box;
}

bool is_leaf(const ColliderGeometry* s, SearchNode n) {
    if (is_grid(s)) return n.c1 - n.c0 <= 2 && n.r1 - n.r0 <= 2;
    return s->nodes[n.index].count > 0;
}

void children_of(const ColliderGeometry* s, SearchNode n, SearchNode* first, SearchNode* second) {
    if (is_grid(s)) {
        divide_cells(n, first, second);
        return;
    }
    *first = *second = n;
    first->index = s->nodes[n.index].first;
    second->index = first->index + 1;
}

uint facets_of(const ColliderGeometry* s, SearchNode leaf) {
    return is_grid(s) ? 2 * (leaf.c1 - leaf.c0) * (leaf.r1 - leaf.r0) : s->nodes[leaf.index].count;
}

Facet facet_of(const ColliderGeometry* s, SearchNode leaf, uint k) {
    if (is_grid(s)) return grid_facet(s, leaf, k);
    const uint place = s->nodes[leaf.index].first + k;
    const global TriangleInput* const t = s->triangles + place;
    const Facet facet = {{vload3(0, t->corner), vload3(1, t->corner), vload3(2, t->corner)},
                         t->triangle, place};
    return facet;
}

double3 facet_normal(const ColliderGeometry* s, const Facet* facet) {
    const Corners t = facet->corners;
    if (is_grid(s)) return normalized(cross_of(t.b - t.a, t.c - t.a));
    return vload3(0, s->normals[facet->place].face);
}

/// Whether nothing within a node looks elsewhere than along `normal`, or with `either`, against it:
/// nearly all of a mesh's area; heights that are nowhere steeper than 6°.
bool all_faces(const ColliderGeometry* s, SearchNode n, double3 normal, bool either) {
    if (is_grid(s)) return normal.y > 0.99 && grid_slope(s, n) < 0.1;
    const global NodeInput* const node = s->nodes + n.index;
    const double towards = dot_of(vload3(0, node->normal), normal);
    return (either ? fabs(towards) : towards) > 0.999 * node->area;
}
