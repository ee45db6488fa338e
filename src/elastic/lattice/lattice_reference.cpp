#include "base/cancel.hpp"
#include "base/motion_sums.hpp"
#include "base/rigid_system.hpp"
#include "elastic/lattice/lattice.hpp"

namespace turgor {

void match_lattice(const LatticeCells& lattice, const LatticeRest& rest, std::span<const Vec3> x,
                   std::span<Quat> rotations, std::span<Vec3> goals) {
    const BodyAsset& asset = *lattice.asset;
    const std::vector<std::uint32_t>& row = lattice.row_of_particle;
    // Positions relative to one particle: sums of x x⁰ᵀ would lose digits far from the origin.
    const Vec3 origin = x[0];
    std::vector<RegionMoments> moments(rest.sums.rows());
    for (std::size_t i = 0; i < x.size(); ++i)
        moments[row[i]].add(rest.weight[i] * (x[i] - origin), asset.rest[i]);
    check_cancelled();
    rest.sums.sum(moments, false);
    std::vector<RegionFit> fits(rest.sums.rows());
    for (std::size_t i = 0; i < x.size(); ++i)
        fits[row[i]] =
            fit_region(moments[row[i]], rest.region_weight[i], rest.region_centre[i], rotations[i]);
    check_cancelled();
    rest.sums.sum(fits, true);
    for (std::size_t i = 0; i < x.size(); ++i)
        goals[i] = origin + fits[row[i]].at(asset.rest[i]) / rest.regions_with[i];
}

void blend_lattice_velocities(const LatticeCells& lattice, const LatticeRest& rest,
                              std::span<const Vec3> x, std::span<const Vec3> v,
                              std::span<Vec3> blended) {
    struct Motion : MotionSums {
        Motion& operator+=(const Motion& o) { return add(o), *this; }
        Motion& operator-=(const Motion& o) { return add(o, -1), *this; }
    };
    struct Field : RigidField {
        Field& operator+=(const Field& o) { return a += o.a, b += o.b, *this; }
        Field& operator-=(const Field& o) { return a -= o.a, b -= o.b, *this; }
    };
    const std::vector<std::uint32_t>& row = lattice.row_of_particle;
    const Vec3 origin = x[0];
    std::vector<Motion> motion(rest.sums.rows());
    for (std::size_t i = 0; i < x.size(); ++i)
        motion[row[i]].add(rest.weight[i], x[i] - origin, v[i]);
    rest.sums.sum(motion, false);
    std::vector<Field> fields(rest.sums.rows());
    for (std::size_t i = 0; i < x.size(); ++i) fields[row[i]] = {motion[row[i]].rigid()};
    rest.sums.sum(fields, true);
    for (std::size_t i = 0; i < x.size(); ++i)
        blended[i] = fields[row[i]].at(x[i] - origin) / rest.regions_with[i];
}

}  // namespace turgor
