// Which bodies may meet in the next step, on a device (find_islands.cpp): every body is in one cell
// of a grid whose cells are as large as the body, one grid for each power of two. Two that meet are
// in neighbouring cells of the larger one's grid, where the smaller one looks for it.

/// Grids that there may be: cells of 2⁻³² … 2³¹ m.
#define FINEST (-32)
#define GRIDS 64


/// Where a body may come during the next step (motion_of).
void sweep_box(const global SweptInput* given, const global BodyState* state, double dt,
               global SweptBox* box) {
    const double3 low = state->origin + state->low, high = state->origin + state->high;
    const double3 way =
        given->asleep ? (double3)(0) : dt * (state->drift + state->mean_v + given->fall);
    const double spread = given->asleep ? 0 : state->spread;
    // However fast it turns, it stays about as large as it is.
    const double swing = fmin(spread * dt, 0.5 * length(high - low)) + given->margin;
    box->lower = fmin(low, low + way) - swing;
    box->upper = fmax(high, high + way) + swing;
}

long3 cell_at(double3 p, int grid) {
    return convert_long3_rtn(ldexp(p, -grid));
}
uint hash_of_cell(long3 cell, int grid, uint mask) {
    ulong h = (ulong)cell.x * 0x9E3779B97F4A7C15ul ^ (ulong)cell.y * 0xC2B2AE3D27D4EB4Ful ^
              (ulong)cell.z * 0x165667B19E3779F9ul ^ (ulong)(grid - FINEST) << 56;
    h ^= h >> 29;
    return (uint)(h * 0xBF58476D1CE4E5B9ul >> 32) & mask;
}

kernel BODY_GROUP_SIZE void clear_cells(global uint* counts, global uint* found, uint cells) {
    const uint k = get_global_id(0);
    if (k < cells) counts[k] = 0;
    if (k < 3) found[k] = 0;  // pairs, and which grids there are
}

kernel BODY_GROUP_SIZE void sweep_boxes(const global SweptInput* given,
                                        const global BodyState* states, global SweptBox* boxes,
                                        global uint* counts, global uint* found,
                                        const global double* dt, uint count, uint mask) {
    const uint i = get_global_id(0);
    if (i >= count) return;
    global SweptBox* const box = boxes + i;
    sweep_box(given + i, states + given[i].slot, *dt, box);
    const double3 extent = box->upper - box->lower;
    int exponent;
    frexp(fmax(extent.x, fmax(extent.y, extent.z)), &exponent);
    box->grid = clamp(exponent, FINEST, FINEST + GRIDS - 1);
    const long3 cell = cell_at(0.5 * (box->lower + box->upper), box->grid);
    box->cell[0] = cell.x;
    box->cell[1] = cell.y;
    box->cell[2] = cell.z;
    box->hash = hash_of_cell(cell, box->grid, mask);
    atomic_inc(counts + box->hash);
    const uint grid = (uint)(box->grid - FINEST);
    atomic_or(found + 1 + grid / 32, 1u << grid % 32);
}

/// Where the bodies of each cell begin.
kernel GROUP_SIZE void scan_cells(const global uint* counts, global uint* starts, uint cells) {
    local uint sums[GROUP];
    const uint begin = leaf_begin(ITEM, GROUP, cells), end = leaf_begin(ITEM + 1, GROUP, cells);
    uint sum = 0;
    for (uint k = begin; k < end; ++k) sum += counts[k];
    sums[ITEM] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (uint k = 0; k < ITEM; ++k) before += sums[k];
    for (uint k = begin; k < end; ++k) {
        starts[k] = before;
        before += counts[k];
    }
    if (ITEM == GROUP - 1) starts[cells] = before;
}

kernel BODY_GROUP_SIZE void fill_cells(const global SweptBox* boxes, const global uint* starts,
                                       global uint* counts, global uint* in_cells, uint count) {
    const uint i = get_global_id(0);
    if (i >= count) return;
    const uint hash = boxes[i].hash;
    in_cells[starts[hash] + atomic_dec(counts + hash) - 1] = i;
}

bool swept_boxes_meet(const global SweptBox* a, const global SweptBox* b) {
    return all(a->lower <= b->upper) && all(b->lower <= a->upper);
}
bool may_collide(const global SweptInput* a, const global SweptInput* b) {
    return (a->layers & b->collides_with) != 0 && (b->layers & a->collides_with) != 0;
}

/// The order of what is found means nothing: the host sorts it.
kernel BODY_GROUP_SIZE void emit_pairs(const global SweptInput* given,
                                       const global SweptBox* boxes, const global uint* starts,
                                       const global uint* in_cells, global uint* found,
                                       global uint2* pairs, uint count, uint mask,
                                       uint capacity) {
    const uint i = get_global_id(0);
    if (i >= count) return;
    const global SweptBox* const own = boxes + i;
    const double3 middle = 0.5 * (own->lower + own->upper);
    for (int grid = own->grid; grid < FINEST + GRIDS; ++grid) {
        const uint number = (uint)(grid - FINEST);
        if (!(found[1 + number / 32] >> number % 32 & 1)) continue;
        const long3 here = cell_at(middle, grid);
        for (int k = 0; k < 27; ++k) {
            const long3 cell = here + (long3)(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            const uint hash = hash_of_cell(cell, grid, mask);
            for (uint e = starts[hash]; e < starts[hash + 1]; ++e) {
                const uint j = in_cells[e];
                const global SweptBox* const other = boxes + j;
                const bool is_there = other->grid == grid && other->cell[0] == cell.x &&
                                      other->cell[1] == cell.y && other->cell[2] == cell.z;
                // Of two in one grid, the first finds the second.
                if (!is_there || (grid == own->grid && j <= i) ||
                    !may_collide(given + i, given + j) || !swept_boxes_meet(own, other))
                    continue;
                const uint slot = atomic_inc(found);
                if (slot >= capacity) return;  // it is enough to know that there are too many
                pairs[slot] = (uint2)(min(i, j), max(i, j));
            }
        }
    }
}
