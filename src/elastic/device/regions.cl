// Sums over regions, and what the passes of elastic models leave to those that follow.

/// 2³⁰ stands for the largest sum (base/quad.hpp).
#define ONE ((float)TURGOR_FIXED_ONE)

int4 to_fixed(float4 v) {
    return convert_int4_rte(v);
}

/// The sum of the rows of a region, by differences of prefix sums.
void sum_region(const global uint* run_starts, const global uint2* runs, const global int4* rows,
                uint first_row, uint region, int4* sum, uint width) {
    for (uint k = 0; k < width; ++k) sum[k] = 0;
    const uint end = run_starts[region + 1];
    for (uint r = run_starts[region]; r < end; ++r) {
        const uint2 run = runs[r];
        const global int4* const lower = rows + (size_t)(first_row + run.x) * ROW_STRIDE(width);
        const global int4* const upper = rows + (size_t)(first_row + run.y) * ROW_STRIDE(width);
        for (uint k = 0; k < width; ++k) sum[k] += upper[k] - lower[k];
    }
}

/// Numbers of a block after DeviceElasticity::deform: its box and that of where it began.
#define GOAL_LOW 6
#define GOAL_HIGH 9
#define GOAL_START_LOW 12
#define GOAL_START_HIGH 15
