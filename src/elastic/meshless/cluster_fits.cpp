#include "elastic/meshless/cluster_fits.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elastic/meshless/cluster_fits.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/rigid_system.hpp"
#include "base/rotation.hpp"
#include "base/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace turgor::HWY_NAMESPACE {
#if HWY_HAVE_FLOAT64
namespace {

using Doubles = hn::CappedTag<double, fits_at_once>;
using D = hn::Vec<Doubles>;
using DMask = hn::Mask<Doubles>;
constexpr std::size_t at_a_time = hn::MaxLanes(Doubles());

HWY_INLINE D every(double v) {
    return hn::Set(Doubles(), v);
}

struct D3 {
    D x, y, z;
};
HWY_INLINE D3 operator+(D3 a, D3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
HWY_INLINE D3 operator-(D3 a, D3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
HWY_INLINE D3 operator*(D s, D3 a) {
    return {s * a.x, s * a.y, s * a.z};
}
HWY_INLINE D dot(D3 a, D3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
HWY_INLINE D3 cross(D3 a, D3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Row by row.
struct DMatrix {
    D3 row0, row1, row2;
};
HWY_INLINE D3 times(D3 row, const DMatrix& b) {
    return {row.x * b.row0.x + row.y * b.row1.x + row.z * b.row2.x,
            row.x * b.row0.y + row.y * b.row1.y + row.z * b.row2.y,
            row.x * b.row0.z + row.y * b.row1.z + row.z * b.row2.z};
}
HWY_INLINE DMatrix operator*(const DMatrix& a, const DMatrix& b) {
    return {times(a.row0, b), times(a.row1, b), times(a.row2, b)};
}
HWY_INLINE DMatrix transposed(const DMatrix& a) {
    return {{a.row0.x, a.row1.x, a.row2.x},
            {a.row0.y, a.row1.y, a.row2.y},
            {a.row0.z, a.row1.z, a.row2.z}};
}

struct DQuat {
    D w;
    D3 v;
};
/// Like rotate(Quat, Vec3), down to its products with zero.
HWY_INLINE D3 rotated(const DQuat& q, double x, double y, double z) {
    const D3 a{every(x), every(y), every(z)};
    const D3 t = every(2) * cross(q.v, a);
    return a + q.w * t + cross(q.v, t);
}
HWY_INLINE DMatrix matrix_of(const DQuat& q) {
    return transposed({rotated(q, 1, 0, 0), rotated(q, 0, 1, 0), rotated(q, 0, 0, 1)});
}

/// A symmetric 3×3 system by Cholesky, like solve_positive_definite.
struct Solved {
    D3 x;
    DMask fine;  ///< all pivots are large enough
};
struct Symmetric {
    D xx, yy, zz, xy, yz, zx;
};
HWY_INLINE Solved solve(const Symmetric& h, D3 g, D least_pivot) {
    const D d0 = h.xx;
    const D l10 = h.xy / d0, l20 = h.zx / d0;
    const D d1 = h.yy - l10 * h.xy;
    const D c21 = h.yz - l20 * h.xy;
    const D l21 = c21 / d1;
    const D d2 = h.zz - l20 * h.zx - l21 * c21;
    const D y1 = g.y - l10 * g.x;
    const D y2 = g.z - l20 * g.x - l21 * y1;
    const D w2 = y2 / d2;
    const D w1 = y1 / d1 - l21 * w2;
    return {{g.x / d0 - l10 * w1 - l20 * w2, w1, w2},
            hn::And(d0 > least_pivot, hn::And(d1 > least_pivot, d2 > least_pivot))};
}

/// Numbers of each fit that shares the registers.
using Column = std::array<double, fits_at_once>;
using Columns3 = std::array<Column, 3>;
using Columns33 = std::array<Columns3, 3>;

/// Some of the lanes: those from `at` on.
class Lanes {
public:
    explicit HWY_INLINE Lanes(std::size_t at) : at_(at) {}
    HWY_INLINE D operator()(const Column& column) const {
        return hn::Load(Doubles(), column.data() + at_);
    }
    HWY_INLINE D3 operator()(const Columns3& c) const {
        return {(*this)(c[0]), (*this)(c[1]), (*this)(c[2])};
    }
    HWY_INLINE DMatrix operator()(const Columns33& c) const {
        return {(*this)(c[0]), (*this)(c[1]), (*this)(c[2])};
    }
    HWY_INLINE void put(D v, Column& column) const { hn::Store(v, Doubles(), column.data() + at_); }
    HWY_INLINE void put(D3 v, Columns3& c) const {
        put(v.x, c[0]);
        put(v.y, c[1]);
        put(v.z, c[2]);
    }

private:
    std::size_t at_;
};

/// nearest_rotation_for_floats; returns the lanes that need its slow way. Lanes that are done stay
/// as they are.
HWY_INLINE DMask turn_towards(const DMatrix& given, DQuat& q) {
    const D zero = hn::Zero(Doubles()), half = every(0.5);
    D scale = zero;
    for (const D3& r : {given.row0, given.row1, given.row2})
        scale = hn::Max(scale, hn::Max(hn::Abs(r.x), hn::Max(hn::Abs(r.y), hn::Abs(r.z))));
    const D per_scale = every(1) / scale;
    const DMatrix a{per_scale * given.row0, per_scale * given.row1, per_scale * given.row2};
    DMask active = hn::And(scale > zero, scale < every(1e300));
    DMask slow = hn::Not(active);
    constexpr int most = 12;
    for (int i = 0; i < most && !hn::AllFalse(Doubles(), active); ++i) {
        const DMatrix s = transposed(matrix_of(q)) * a;
        const D trace = s.row0.x + s.row1.y + s.row2.z;
        const Symmetric hessian{trace - s.row0.x,
                                trace - s.row1.y,
                                trace - s.row2.z,
                                zero - half * (s.row0.y + s.row1.x),
                                zero - half * (s.row1.z + s.row2.y),
                                zero - half * (s.row2.x + s.row0.z)};
        const D3 axial{s.row2.y - s.row1.z, s.row0.z - s.row2.x, s.row1.x - s.row0.y};
        const Solved step = solve(hessian, axial, every(1e-3));
        slow = hn::Or(slow, hn::AndNot(step.fine, active));
        active = hn::And(active, step.fine);
        const D3 b = half * step.x, v = q.v;
        const DQuat t{
            q.w - v.x * b.x - v.y * b.y - v.z * b.z,
            {q.w * b.x + v.x + v.y * b.z - v.z * b.y, q.w * b.y - v.x * b.z + v.y + v.z * b.x,
             q.w * b.z + v.x * b.y - v.y * b.x + v.z}};
        const D length = hn::Sqrt(t.w * t.w + t.v.x * t.v.x + t.v.y * t.v.y + t.v.z * t.v.z);
        q.w = hn::IfThenElse(active, t.w / length, q.w);
        q.v.x = hn::IfThenElse(active, t.v.x / length, v.x);
        q.v.y = hn::IfThenElse(active, t.v.y / length, v.y);
        q.v.z = hn::IfThenElse(active, t.v.z / length, v.z);
        // Like the scalar form: NaN is not done.
        active = hn::AndNot(dot(step.x, step.x) < every(1e-4 * 1e-4), active);
    }
    return hn::Or(slow, active);
}

struct alignas(64) FieldColumns {
    std::array<Column, std::tuple_size_v<CellMotion>> motion;
    Column weight, fine;
    Columns3 a, b;
};

/// RigidSystem::solve_for_single_precision.
HWY_INLINE void solve_fields(FieldColumns& all, Lanes lane) {
    const auto& m = all.motion;
    const D weight = lane(all.weight), zero = hn::Zero(Doubles());
    const D3 linear{lane(m[0]), lane(m[1]), lane(m[2])};
    const D3 angular{lane(m[3]), lane(m[4]), lane(m[5])};
    const D3 first{lane(m[6]), lane(m[7]), lane(m[8])};
    const D3 square{lane(m[9]), lane(m[10]), lane(m[11])};
    const D trace = square.x + square.y + square.z;
    const D3 c{first.x / weight, first.y / weight, first.z / weight};
    const D cc = dot(c, c);
    const Symmetric inertia{(trace - square.x) - weight * (cc - c.x * c.x),
                            (trace - square.y) - weight * (cc - c.y * c.y),
                            (trace - square.z) - weight * (cc - c.z * c.z),
                            (zero - lane(m[12])) - weight * (zero - c.x * c.y),
                            (zero - lane(m[13])) - weight * (zero - c.y * c.z),
                            (zero - lane(m[14])) - weight * (zero - c.z * c.x)};
    const D least_pivot = every(1e-3) * (inertia.xx + inertia.yy + inertia.zz);
    const Solved b = solve(inertia, angular - cross(c, linear), least_pivot);
    const D3 mean{linear.x / weight, linear.y / weight, linear.z / weight};
    lane.put(mean - cross(b.x, c), all.a);
    lane.put(b.x, all.b);
    lane.put(hn::IfThenElseZero(hn::And(b.fine, weight > zero), every(1)), all.fine);
}

struct alignas(64) GoalColumns {
    std::array<Columns3, quadratic_rows> sum;  ///< and then the goals
    std::array<Column, quadratic_rows> row_sum;
    Columns33 wide, inverse_moment;
    Column beta, radius, mass, w, fine;
    Columns3 v;
};

/// fit_cluster for elastic clusters, with moments as GoalFit::make_alone finds them.
template <std::size_t rows>
HWY_INLINE void fit_goals(GoalColumns& all, Lanes lane) {
    const D3 s = lane(all.sum[0]);
    const D left = lane(all.row_sum[0]), beta = lane(all.beta), mass = lane(all.mass);
    const D3 centre{s.x / left, s.y / left, s.z / left};
    const auto moment = [&](std::size_t row) {
        return lane(all.sum[row]) - lane(all.row_sum[row]) * centre;
    };
    const DMatrix linear = transposed({moment(1), moment(2), moment(3)});
    const DMatrix wide = lane(all.wide);
    const D one = every(1), zero = hn::Zero(Doubles());
    const DMatrix drawn_back{
        D3{one, zero, zero} - beta * wide.row0,
        D3{zero, one, zero} - beta * wide.row1,
        D3{zero, zero, one} - beta * wide.row2,
    };
    DQuat q{lane(all.w), lane(all.v)};
    const DMask hard = turn_towards(linear * drawn_back, q);
    lane.put(hn::IfThenZeroElse(hard, one), all.fine);
    lane.put(q.w, all.w);
    lane.put(q.v, all.v);
    const DMatrix rigid = matrix_of(q) * drawn_back;
    const DMatrix moved = linear * lane(all.inverse_moment);
    const DMatrix goal = transposed({rigid.row0 + beta * moved.row0, rigid.row1 + beta * moved.row1,
                                     rigid.row2 + beta * moved.row2});
    lane.put(mass * centre, all.sum[0]);
    lane.put(mass * goal.row0, all.sum[1]);
    lane.put(mass * goal.row1, all.sum[2]);
    lane.put(mass * goal.row2, all.sum[3]);
    if constexpr (rows > linear_rows) {
        D square = zero;
        for (std::size_t k = linear_rows; k < rows; ++k) {
            const D3 m = moment(k);
            square = square + dot(m, m);
        }
        const D relative = hn::Sqrt(square) / lane(all.radius), most = every(largest_bend);
        const D bend = hn::IfThenElse(relative > most, beta * most / relative, beta);
        for (std::size_t k = linear_rows; k < rows; ++k)
            lane.put(mass * (bend * moment(k)), all.sum[k]);
    }
}

}  // namespace

/// Returns which fits are to be made alone, as bits.
std::uint32_t MakeFieldFits(std::span<const FieldFit> fits) {
    FieldColumns all{};
    for (std::size_t n = 0; n < fits.size(); ++n) {
        for (std::size_t k = 0; k < all.motion.size(); ++k) all.motion[k][n] = (*fits[n].sum)[k];
        all.weight[n] = fits[n].row_sum;
    }
    for (std::size_t at = 0; at < fits.size(); at += at_a_time) solve_fields(all, Lanes(at));
    std::uint32_t alone = 0;
    for (std::size_t n = 0; n < fits.size(); ++n) {
        alone |= std::uint32_t{all.fine[n] == 0} << n;
        const double mass = fits[n].mass;
        for (std::size_t i = 0; i < 3; ++i) {
            (*fits[n].field)[i][0] = static_cast<float>(mass * all.a[i][n]);
            (*fits[n].field)[i][1] = static_cast<float>(mass * all.b[i][n]);
        }
    }
    return alone;
}

std::uint32_t MakeGoalFits(std::span<const GoalFit> fits) {
    GoalColumns all{};
    bool bends = false;
    for (std::size_t n = 0; n < fits.size(); ++n) {
        const GoalFit& fit = fits[n];
        const Cluster& cluster = fit.rest->clusters[fit.cluster];
        const auto& row_sums = fit.cpu_rest->row_sums[fit.cluster];
        for (std::size_t k = 0; k < fit.cpu_rest->rows; ++k) {
            for (std::size_t i = 0; i < 3; ++i) all.sum[k][i][n] = (*fit.sum)[i][k];
            all.row_sum[k][n] = row_sums[k];
        }
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                all.wide[i][j][n] = cluster.wide.m[i][j];
                all.inverse_moment[i][j][n] = cluster.inverse_moment.m[i][j];
            }
        all.beta[n] = fit.rest->settings.beta;
        all.radius[n] = cluster.radius;
        all.mass[n] = cluster.mass;
        const Quat& last = fit.states->rotation[fit.cluster];
        all.w[n] = last.w;
        all.v[0][n] = last.x;
        all.v[1][n] = last.y;
        all.v[2][n] = last.z;
        bends = bends || fit.cpu_rest->rows > linear_rows;
    }
    for (std::size_t at = 0; at < fits.size(); at += at_a_time)
        bends ? fit_goals<quadratic_rows>(all, Lanes(at)) : fit_goals<linear_rows>(all, Lanes(at));
    std::uint32_t alone = 0;
    for (std::size_t n = 0; n < fits.size(); ++n) {
        if (all.fine[n] == 0) {
            alone |= 1u << n;
            continue;
        }
        const GoalFit& fit = fits[n];
        fit.states->rotation[fit.cluster] = {all.w[n], all.v[0][n], all.v[1][n], all.v[2][n]};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < fit.cpu_rest->rows; ++k)
                (*fit.goals)[i][k] = static_cast<float>(all.sum[k][i][n]);
    }
    return alone;
}

#else

// Without doubles in registers, as in WebAssembly, all fits are made alone.
std::uint32_t MakeFieldFits(std::span<const FieldFit>) {
    return ~0u;
}
std::uint32_t MakeGoalFits(std::span<const GoalFit>) {
    return ~0u;
}

#endif
}  // namespace turgor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace turgor {

HWY_EXPORT(MakeFieldFits);
HWY_EXPORT(MakeGoalFits);

void FieldFit::make_alone() const {
    const CellMotion& m = *sum;
    const RigidSystem system(row_sum, {m[6], m[7], m[8]},
                             symmetric({m[9], m[10], m[11]}, {m[12], m[13], m[14]}));
    const RigidField found =
        system.solve_for_single_precision({m[0], m[1], m[2]}, {m[3], m[4], m[5]});
    for (int n = 0; n < 3; ++n) {
        auto& row = (*field)[static_cast<std::size_t>(n)];
        row[0] = static_cast<float>(mass * found.a[n]);
        row[1] = static_cast<float>(mass * found.b[n]);
    }
}

void GoalFit::make_alone(const PlasticStep* step, double& flowed) const {
    const Cluster& fitted = rest->clusters[cluster];
    // The rounded rows do not quite add up to 1, 0, 0: what that makes of the mean is taken off.
    const auto& left = cpu_rest->row_sums[cluster];
    ClusterMoments moments;
    for (int n = 0; n < 3; ++n) {
        const auto& s = (*sum)[static_cast<std::size_t>(n)];
        const double mean = s[0] / left[0];
        moments.centre[n] = mean;
        for (std::size_t k = 0; k < 3; ++k) moments.linear.m[n][k] = s[1 + k] - mean * left[1 + k];
        for (std::size_t k = 0; k < fitted.bends; ++k)
            moments.bend[k][n] = s[linear_rows + k] - mean * left[linear_rows + k];
    }
    const ClusterGoals found =
        match_cluster(*rest, cluster, moments, step, *states, flowed, Precision::single);
    for (int n = 0; n < 3; ++n) {
        auto& row = (*goals)[static_cast<std::size_t>(n)];
        row = {};
        row[0] = static_cast<float>(fitted.mass * found.centre[n]);
        for (std::size_t k = 0; k < 3; ++k)
            row[1 + k] = static_cast<float>(fitted.mass * found.linear.m[n][k]);
        for (std::size_t k = 0; k < fitted.bends; ++k)
            row[linear_rows + k] = static_cast<float>(fitted.mass * found.bend[k][n]);
    }
}

void make_fits(std::span<const FieldFit> fits) {
    if (fits.size() == 1) return fits[0].make_alone();
    const std::uint32_t alone = HWY_DYNAMIC_DISPATCH(MakeFieldFits)(fits);
    for (std::size_t n = 0; n < fits.size(); ++n)
        if (alone >> n & 1) fits[n].make_alone();
}

void make_fits(std::span<const GoalFit> fits) {
    double none = 0;
    if (fits.size() == 1) return fits[0].make_alone(nullptr, none);
    const std::uint32_t alone = HWY_DYNAMIC_DISPATCH(MakeGoalFits)(fits);
    for (std::size_t n = 0; n < fits.size(); ++n)
        if (alone >> n & 1) fits[n].make_alone(nullptr, none);
}

}  // namespace turgor
#endif
