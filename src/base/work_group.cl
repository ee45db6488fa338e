// What work-items of one group do together. GROUP work-items share a block of particles, BODY_GROUP
// a body; on a processor both are 1 and all of this melts away.

#define ITEM ((uint)get_local_id(0))

/// A block's particles, one after the other for each work-item, so that neighbours read neighbours.
#define FOR_EACH_PARTICLE(i, block) for (uint i = (block).begin + ITEM; i < (block).end; i += GROUP)

/// How many numbers are added up at once; with GROUP work-items that fills 16 KiB of local memory.
#define BATCH 8

/// The sums over all work-items of n numbers that each of them has; the first work-item gets them.
void sum_over(uint items, double* mine, uint n, local double* scratch) {
    if (items == 1) return;
    for (uint first = 0; first < n; first += BATCH) {
        const uint m = min((uint)BATCH, n - first);
        for (uint k = 0; k < m; ++k) scratch[k * items + ITEM] = mine[first + k];
        for (uint half_of = items / 2; half_of > 0; half_of /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (ITEM < half_of)
                for (uint k = 0; k < m; ++k)
                    scratch[k * items + ITEM] += scratch[k * items + ITEM + half_of];
        }
        if (ITEM == 0)
            for (uint k = 0; k < m; ++k) mine[first + k] = scratch[k * items];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/// Likewise the largest.
void largest_over(uint items, double* mine, uint n, local double* scratch) {
    if (items == 1) return;
    for (uint first = 0; first < n; first += BATCH) {
        const uint m = min((uint)BATCH, n - first);
        for (uint k = 0; k < m; ++k) scratch[k * items + ITEM] = mine[first + k];
        for (uint half_of = items / 2; half_of > 0; half_of /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (ITEM < half_of)
                for (uint k = 0; k < m; ++k)
                    scratch[k * items + ITEM] =
                        fmax(scratch[k * items + ITEM], scratch[k * items + ITEM + half_of]);
        }
        if (ITEM == 0)
            for (uint k = 0; k < m; ++k) mine[first + k] = scratch[k * items];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/// What a block found out: so many numbers at most.
#define BLOCK_SUMS 40
/// Where a block keeps what a second pass finds out before its body has read the first.
#define SECOND_PLACE 20

/// Puts a block's sums, and behind them its largest numbers, where its body finds them.
void store_block(global double* sums, double* mine, uint n, double* most, uint m,
                 local double* scratch) {
    sum_over(GROUP, mine, n, scratch);
    largest_over(GROUP, most, m, scratch);
    if (ITEM != 0) return;
    global double* const out = sums + (size_t)get_group_id(0) * BLOCK_SUMS;
    for (uint k = 0; k < n; ++k) out[k] = mine[k];
    for (uint k = 0; k < m; ++k) out[n + k] = most[k];
}

/// What the blocks of a body found out, put together: n sums and m largest numbers.
void gather_blocks(const global double* sums, uint first_block, uint blocks, double* total, uint n,
                   uint m, local double* scratch) {
    for (uint k = 0; k < n; ++k) total[k] = 0;
    for (uint k = n; k < n + m; ++k) total[k] = -INFINITY;
    for (uint block = ITEM; block < blocks; block += BODY_GROUP) {
        const global double* const in = sums + (size_t)(first_block + block) * BLOCK_SUMS;
        for (uint k = 0; k < n; ++k) total[k] += in[k];
        for (uint k = n; k < n + m; ++k) total[k] = fmax(total[k], in[k]);
    }
    sum_over(BODY_GROUP, total, n, scratch);
    largest_over(BODY_GROUP, total + n, m, scratch);
}

// Prefix sums of rows of fixed-point numbers. Each work-item has a stretch of consecutive rows;
// addition wraps and is exact, so the sums do not depend on how many work-items there are.

/// Quads from row to row: a row of three starts a cache line, too.
#define ROW_STRIDE(width) ((width) == 3 ? 4 : (width))

/// The stretch of a work-item.
typedef struct {
    uint begin, end;
} Stretch;
Stretch stretch_of(BlockInput block) {
    const uint length = (block.end - block.begin + GROUP - 1) / GROUP;
    const uint begin = min(block.end, block.begin + ITEM * length);
    const Stretch s = {begin, min(block.end, begin + length)};
    return s;
}

/// Adds a row's terms. A single work-item knows all sums before it; others have to wait for them.
void put_row(global int4* row, const int4* term, int4* before, uint width) {
    for (uint k = 0; k < width; ++k) {
        row[k] = GROUP == 1 ? before[k] : term[k];
        before[k] += term[k];
    }
}

/// Terms become sums of all terms before them, and the row after the last the sum of all.
void finish_rows(global int4* rows, BlockInput block, int4* sum, uint width,
                 local int4* scratch) {
    const uint stride = ROW_STRIDE(width);
    if (GROUP > 1) {
        const Stretch mine = stretch_of(block);
        for (uint k = 0; k < width; ++k) scratch[k * GROUP + ITEM] = sum[k];
        for (uint step = 1; step < GROUP; step *= 2) {
            int4 other[4];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint k = 0; k < width; ++k)
                other[k] = ITEM >= step ? scratch[k * GROUP + ITEM - step] : (int4)(0);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint k = 0; k < width; ++k) scratch[k * GROUP + ITEM] += other[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int4 before[4];
        for (uint k = 0; k < width; ++k) {
            before[k] = scratch[k * GROUP + ITEM] - sum[k];
            sum[k] = scratch[k * GROUP + GROUP - 1];
        }
        for (uint i = mine.begin; i < mine.end; ++i) {
            global int4* const row = rows + (size_t)(block.row + i - block.begin) * stride;
            for (uint k = 0; k < width; ++k) {
                const int4 term = row[k];
                row[k] = before[k];
                before[k] += term;
            }
        }
    }
    if (ITEM == 0)
        for (uint k = 0; k < width; ++k)
            rows[(size_t)(block.row + block.end - block.begin) * stride + k] = sum[k];
}
