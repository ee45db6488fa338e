#include "elastic/meshless/meshless_cpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elastic/meshless/meshless_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/simd-inl.hpp"
#include "elastic/goal_sums-inl.hpp"
#include "elastic/prediction-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
namespace {

/// The positions that are matched: x_n + η (x − x_n).
HWY_INLINE F3 ahead_of(const MeshlessCpuView& body, F3 start, F3 x) {
    return body.look_ahead == 1 ? x : start + all(body.look_ahead) * (x - start);
}

/// Those of a block: of each group its x, y and z.
struct AheadOfBlock {
    alignas(64) float of[3 * CpuLayout::block];
    AheadOfBlock(const MeshlessCpuView& body, BlockRange range) {
        float* to = of;
        for (std::uint32_t i = range.begin; i < range.end; i += group, to += 3 * group)
            for (std::size_t at = 0; at < group; at += lanes) {
                const F3 x =
                    ahead_of(body, load3(&body.pass.x_start[i + at]), load3(&body.pass.x[i + at]));
                store(x.x, to + at);
                store(x.y, to + group + at);
                store(x.z, to + 2 * group + at);
            }
    }
    HWY_INLINE F3 load3_of(std::uint32_t group_of_block, std::size_t at) const {
        const float* const p = of + 3 * group * group_of_block + at;
        return {load(p), load(p + group), load(p + 2 * group)};
    }
};

/// The lanes of a group added up, always in the same order.
HWY_INLINE double total_of(const float* lane) {
    FourSums sums;
    for (std::size_t k = 0; k < group; k += 4) sums.add(hn::Load(Four(), lane + k));
    alignas(32) double each[4];
    sums.store(each);
    return (each[0] + each[1]) + (each[2] + each[3]);
}

/// Sums over the cells of one cluster in a block. Every lane adds up its particles in their order,
/// so the width of the registers does not matter.
template <std::size_t rows>
void sum_cluster(const MeshlessCpuView& body, const AheadOfBlock& ahead, std::uint32_t begin,
                 std::uint32_t end, CellSums& out) {
    constexpr std::uint32_t groups_of_block = CpuLayout::block / group;
    alignas(64) float lane[3][rows][group];
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t at = part * lanes;
        F x[rows], y[rows], z[rows];
        for (std::size_t k = 0; k < rows; ++k) x[k] = y[k] = z[k] = hn::Zero(Floats());
        for (std::uint32_t c = begin; c < end; ++c) {
            const F3 p = ahead.load3_of(body.rest.cells[c].group % groups_of_block, at);
            const float* const row = body.rest.row.data() + std::size_t{c} * rows * group + at;
            for (std::size_t k = 0; k < rows; ++k) {
                const F weight = load(row + k * group);
                x[k] = x[k] + weight * p.x;
                y[k] = y[k] + weight * p.y;
                z[k] = z[k] + weight * p.z;
            }
        }
        for (std::size_t k = 0; k < rows; ++k) {
            store(x[k], &lane[0][k][at]);
            store(y[k], &lane[1][k][at]);
            store(z[k], &lane[2][k][at]);
        }
    }
    for (std::size_t component = 0; component < 3; ++component)
        for (std::size_t k = 0; k < rows; ++k) out[component][k] = total_of(lane[component][k]);
}

template <std::size_t rows>
void move_of(const MeshlessCpuView& body, float s, float weight_stiffness, Quad centre,
             BlockRange range, GoalSums& out) {
    const CpuPass& pass = body.pass;
    const MeshlessCpuRest& rest = body.rest;
    PullToGoals to_goals(s, pass.h, centre);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        const std::uint32_t* const first = rest.group_cells.data() + rest.group_starts[i / group];
        const std::uint32_t* const last =
            rest.group_cells.data() + rest.group_starts[i / group + 1];
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            F3 goal{hn::Zero(Floats()), hn::Zero(Floats()), hn::Zero(Floats())};
            for (const std::uint32_t* c = first; c != last; ++c) {
                const CellGoals& cluster = body.goals[rest.cells[*c].cluster];
                const float* const row = rest.row.data() + std::size_t{*c} * rows * group + at;
                for (std::size_t k = 0; k < rows; ++k) {
                    const F weight = load(row + k * group);
                    goal.x = goal.x + all(cluster[0][k]) * weight;
                    goal.y = goal.y + all(cluster[1][k]) * weight;
                    goal.z = goal.z + all(cluster[2][k]) * weight;
                }
            }
            const F mass = load(&pass.asset.mass[p]);
            const F firm = load(&rest.importance[p]);
            const Mask is_drawn = firm > hn::Zero(Floats());
            const F4 x = load4(&pass.x[p]);
            const F3 start = load3(&pass.x_start[p]);
            const F3 off = load(&rest.per_weight[p]) * goal - ahead_of(body, start, x.xyz);
            const F3 pull = firm * only(is_drawn, off);
            store(all(weight_stiffness) * norm(pull), &pass.change[p]);
            to_goals.move(pass, part, p, start, x, mass, pull);
        }
    }
    to_goals.add_to(out);
}

void sum_motion_of(const MeshlessCpuView& body, std::uint32_t begin, std::uint32_t end,
                   CellMotion& out) {
    const std::size_t rows = body.rest.rows;
    alignas(64) float lane[15][group];
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t at = part * lanes;
        F sums[15];
        for (F& sum : sums) sum = hn::Zero(Floats());
        for (std::uint32_t c = begin; c < end; ++c) {
            const std::size_t p = body.rest.cells[c].group * group + at;
            const F w = load(body.rest.row.data() + std::size_t{c} * rows * group + at);
            const F3 x = load3(&body.pass.x[p]), wv = w * load3(&body.pass.v[p]);
            const F3 wx = w * x, angular = cross(x, wv);
            sums[0] = sums[0] + wv.x;
            sums[1] = sums[1] + wv.y;
            sums[2] = sums[2] + wv.z;
            sums[3] = sums[3] + angular.x;
            sums[4] = sums[4] + angular.y;
            sums[5] = sums[5] + angular.z;
            sums[6] = sums[6] + wx.x;
            sums[7] = sums[7] + wx.y;
            sums[8] = sums[8] + wx.z;
            sums[9] = sums[9] + wx.x * x.x;
            sums[10] = sums[10] + wx.y * x.y;
            sums[11] = sums[11] + wx.z * x.z;
            sums[12] = sums[12] + wx.x * x.y;
            sums[13] = sums[13] + wx.y * x.z;
            sums[14] = sums[14] + wx.z * x.x;
        }
        for (std::size_t k = 0; k < 15; ++k) store(sums[k], &lane[k][at]);
    }
    for (std::size_t k = 0; k < 15; ++k) out[k] = total_of(lane[k]);
}

void damp_and_integrate_of(const MeshlessCpuView& body, float k, const FrameChange& frame,
                           BlockRange range, IntegrateSums& out) {
    const CpuPass& pass = body.pass;
    const MeshlessCpuRest& rest = body.rest;
    Prediction prediction(pass.h, frame);
    for (std::uint32_t i = range.begin; i < range.end; i += group) {
        const std::uint32_t* const first = rest.group_cells.data() + rest.group_starts[i / group];
        const std::uint32_t* const last =
            rest.group_cells.data() + rest.group_starts[i / group + 1];
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t at = part * lanes, p = i + at;
            F3 a{hn::Zero(Floats()), hn::Zero(Floats()), hn::Zero(Floats())}, b = a;
            for (const std::uint32_t* c = first; c != last; ++c) {
                const CellGoals& field = body.goals[rest.cells[*c].cluster];
                const F w = load(rest.row.data() + std::size_t{*c} * rest.rows * group + at);
                a = a + F3{all(field[0][0]) * w, all(field[1][0]) * w, all(field[2][0]) * w};
                b = b + F3{all(field[0][1]) * w, all(field[1][1]) * w, all(field[2][1]) * w};
            }
            const F per_weight = load(&rest.per_weight[p]), firm = load(&rest.importance[p]);
            const Mask is_drawn = firm > hn::Zero(Floats());
            const F4 x = load4(&pass.x[p]), v = load4(&pass.v[p]);
            const F3 rigid = per_weight * (a + cross(b, x.xyz));
            const F3 change = (all(k) * firm) * only(is_drawn, rigid - v.xyz);
            prediction.move(pass, part, p, x, v, v.xyz + change);
        }
    }
    prediction.add_to(out);
}

}  // namespace

void SumMotion(const MeshlessCpuView& body, std::uint32_t block) {
    for (std::size_t c = 0; c < body.clusters; ++c) {
        const std::size_t at = block * body.clusters + c;
        sum_motion_of(body, body.rest.starts[at], body.rest.starts[at + 1], body.motion[at]);
    }
}
void DampAndIntegrateBlock(const MeshlessCpuView& body, float k, const FrameChange& frame,
                           std::uint32_t block, IntegrateSums& sums) {
    damp_and_integrate_of(body, k, frame, BlockRange(body.pass.asset, block), sums);
}
void SumCells(const MeshlessCpuView& body, std::uint32_t block) {
    const AheadOfBlock ahead(body, BlockRange(body.pass.asset, block));
    for (std::size_t c = 0; c < body.clusters; ++c) {
        const std::size_t at = block * body.clusters + c;
        const std::uint32_t begin = body.rest.starts[at], end = body.rest.starts[at + 1];
        body.rest.rows == linear_rows
            ? sum_cluster<linear_rows>(body, ahead, begin, end, body.sums[at])
            : sum_cluster<quadratic_rows>(body, ahead, begin, end, body.sums[at]);
    }
}
void MoveToClusterGoals(const MeshlessCpuView& body, float s, float weight_stiffness, Quad centre,
                        std::uint32_t block, GoalSums& sums) {
    const BlockRange range(body.pass.asset, block);
    body.rest.rows == linear_rows
        ? move_of<linear_rows>(body, s, weight_stiffness, centre, range, sums)
        : move_of<quadratic_rows>(body, s, weight_stiffness, centre, range, sums);
}

}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(SumMotion);
HWY_EXPORT(DampAndIntegrateBlock);
HWY_EXPORT(SumCells);
HWY_EXPORT(MoveToClusterGoals);

void sum_motion(const MeshlessCpuView& body, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(SumMotion)(body, block);
}
void damp_and_integrate_block(const MeshlessCpuView& body, float k, const FrameChange& frame,
                              std::uint32_t block, IntegrateSums& sums) {
    HWY_DYNAMIC_DISPATCH(DampAndIntegrateBlock)(body, k, frame, block, sums);
}
void sum_cells(const MeshlessCpuView& body, std::uint32_t block) {
    HWY_DYNAMIC_DISPATCH(SumCells)(body, block);
}
void move_to_cluster_goals(const MeshlessCpuView& body, float s, float weight_stiffness,
                           Quad centre, std::uint32_t block, GoalSums& sums) {
    HWY_DYNAMIC_DISPATCH(MoveToClusterGoals)(body, s, weight_stiffness, centre, block, sums);
}

}  // namespace turgor
#endif
