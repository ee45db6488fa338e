#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/random.hpp"
#include "elastic/cells/cells.hpp"
#include "mesh/measures.hpp"
#include "mesh/soups.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

CellsRest cells_of(const Mesh& mesh, int cells) {
    const Solid solid = make_solid(mesh, {.cells = cells});
    return make_cells_rest(solid, make_solid_asset(solid, mesh, 0));
}

/// A unit cube with its corners moved about.
CellCorners crooked(Random& random, double by) {
    CellCorners x;
    for (unsigned k = 0; k < 8; ++k)
        x[k] = Vec3{double(k & 1), double(k >> 1 & 1), double(k >> 2)} + by * random.in_cube();
    return x;
}

/// Both cuts of a cell into five tetrahedra.
double volume_of_tetrahedra(const CellCorners& x, unsigned mirrored) {
    const auto at = [&](unsigned k) { return x[k ^ mirrored]; };
    const double sign = mirrored ? -1 : 1;
    const auto tetrahedron = [&](unsigned a, unsigned b, unsigned c, unsigned d) {
        return sign * dot(at(b) - at(a), cross(at(c) - at(a), at(d) - at(a))) / 6;
    };
    return tetrahedron(0, 1, 2, 4) + tetrahedron(3, 2, 1, 7) + tetrahedron(5, 1, 4, 7) +
           tetrahedron(6, 4, 2, 7) + tetrahedron(1, 2, 4, 7);
}

TEST(CellShape, TheVolumeIsThatOfBothCutsOnTheAverage) {
    Random random(3);
    for (int k = 0; k < 50; ++k) {
        const CellCorners x = crooked(random, 0.6);
        EXPECT_NEAR(cell_volume(cell_modes(x)),
                    0.5 * (volume_of_tetrahedra(x, 0) + volume_of_tetrahedra(x, 1)), 1e-14);
        const CellCorners back = corners_of(cell_modes(x));
        for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(norm(back[i] - x[i]), 1e-15);
    }
}

/// The gradient of a function of the corners by central differences.
template <class F>
CellCorners differences(CellCorners x, const F& f) {
    constexpr double step = 1e-5;
    CellCorners gradient{};
    for (std::size_t k = 0; k < 8; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            const double before = x[k][axis];
            x[k][axis] = before + step;
            const double more = f(x);
            x[k][axis] = before - step;
            gradient[k][axis] = (more - f(x)) / (2 * step);
            x[k][axis] = before;
        }
    return gradient;
}

TEST(CellShape, GradientsAreThoseOfDifferencesAndHaveNeitherForceNorTorque) {
    Random random(7);
    for (int k = 0; k < 20; ++k) {
        const HourglassRest rest = hourglass_rest(cell_modes(crooked(random, 0.3)));
        const CellCorners x = crooked(random, 0.6);
        const auto volume = [](const CellCorners& c) { return cell_volume(cell_modes(c)); };
        const auto energy = [&](const CellCorners& c) {
            return hourglass_energy(rest, cell_modes(c));
        };
        const auto check = [&](const CellCorners& exact, const CellCorners& near) {
            Vec3 force, torque;
            for (std::size_t i = 0; i < 8; ++i) {
                EXPECT_LT(norm(exact[i] - near[i]), 1e-9);
                force += exact[i];
                torque += cross(x[i], exact[i]);
            }
            EXPECT_LT(norm(force), 1e-14);
            EXPECT_LT(norm(torque), 1e-14);
        };
        check(volume_gradient(cell_modes(x)), differences(x, volume));
        check(hourglass_gradient(rest, cell_modes(x)), differences(x, energy));
    }
}

TEST(CellShape, HourglassModesTakeNoNoticeOfAffineMaps) {
    Random random(5);
    const CellCorners x = crooked(random, 0.3);
    const HourglassRest rest = hourglass_rest(cell_modes(x));
    const Mat3 map = Mat3::from_columns(random.in_cube(), random.in_cube(), random.in_cube());
    CellCorners mapped;
    for (std::size_t k = 0; k < 8; ++k) mapped[k] = map * x[k] + Vec3{1, 2, 3};
    EXPECT_LT(hourglass_energy(rest, cell_modes(mapped)), 1e-28);
    // A mode that springs along edges and diagonals do not feel: one side moves to and fro.
    for (unsigned k = 0; k < 8; ++k) mapped[k] += Vec3{((k >> 1 ^ k >> 2) & 1) ? 0.1 : -0.1, 0, 0};
    EXPECT_NEAR(hourglass_energy(rest, cell_modes(mapped)), 0.5 * 0.01, 1e-12);
}

TEST(CellsRest, VolumesAddUpToWhatTheSurfaceEnclosesOnTheAverageOfItsCuts) {
    const CellsRest rest = cells_of(shapes::torus(0.5, 0.17, 40, 16), 20);
    double sum = 0;
    for (const auto& cell : rest.cells) sum += cell.volume;
    EXPECT_NEAR(sum / rest.asset->rest_volume, 1, 1e-3);
    for (const double error : volume_errors(rest, rest.asset->rest))
        EXPECT_LT(std::abs(error), 1e-12);
}

TEST(CellsRest, ForcesAreThoseOfTheEnergyAndHaveNeitherSumNorTorque) {
    const CellsRest rest = cells_of(shapes::torus(0.5, 0.17, 40, 16), 10);
    const CellModuli moduli{3e4, 2e3};
    Random random(11);
    std::vector<Vec3> x = rest.asset->rest, force(x.size());
    for (Vec3& p : x) p += 0.2 * rest.edge * random.in_cube();
    add_spring_forces(rest, moduli, x, force);
    add_hourglass_forces(rest, moduli, x, force);
    Vec3 sum, torque;
    double size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += force[i];
        torque += cross(x[i], force[i]);
        size += norm(force[i]);
    }
    EXPECT_LT(norm(sum), 1e-13 * size);
    EXPECT_LT(norm(torque), 1e-13 * size);
    for (std::size_t i = 0; i < x.size(); i += 37)
        for (int axis = 0; axis < 3; ++axis) {
            const double step = 1e-6, before = x[i][axis];
            x[i][axis] = before + step;
            const double more = elastic_energy(rest, moduli, x);
            x[i][axis] = before - step;
            const double less = elastic_energy(rest, moduli, x);
            x[i][axis] = before;
            EXPECT_NEAR(force[i][axis], -(more - less) / (2 * step), 1e-4);
        }
}

/// S of a body that is deformed, with the right side that makes up for its volumes.
struct Problem {
    PressureSystem system;
    std::vector<double> r;
    std::vector<CellCorners> gradients;  ///< weighted by M^(−½)
};
Problem problem_of(const CellsRest& rest, std::span<const Vec3> x) {
    Problem made{PressureSystem(rest.size, rest.places), {}, {}};
    made.r.resize(made.system.grid().slots());
    for (std::size_t c = 0; c < rest.cells.size(); ++c) {
        const CellModes modes = cell_modes(corners_at(rest.cells[c], x));
        made.r[made.system.slot(c)] = rest.cells[c].volume - cell_volume(modes);
        made.gradients.push_back(volume_gradient(modes));
        for (std::size_t k = 0; k < 8; ++k)
            made.gradients[c][k] /= std::sqrt(rest.asset->mass[rest.cells[c].corners[k]]);
    }
    made.system.assemble(made.gradients);
    return made;
}

double rms(std::span<const double> v) {
    return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

TEST(PressureSystem, HasTheCoefficientsOfThePlainProduct) {
    const CellsRest rest = cells_of(shapes::torus(0.5, 0.17, 40, 16), 14);
    Random random(2);
    std::vector<Vec3> x = rest.asset->rest;
    for (Vec3& p : x) p += 0.1 * rest.edge * random.in_cube();
    const Problem problem = problem_of(rest, x);
    const PressureSystem& s = problem.system;
    std::vector<double> lambda(s.grid().slots()), image(lambda.size());
    for (std::size_t c = 0; c < rest.cells.size(); ++c) lambda[s.slot(c)] = random.between(-1, 1);
    s.apply(lambda, image);
    // G M⁻¹ Gᵀ λ, corner by corner.
    std::vector<Vec3> moved(x.size());
    for (std::size_t c = 0; c < rest.cells.size(); ++c)
        for (std::size_t k = 0; k < 8; ++k)
            moved[rest.cells[c].corners[k]] += lambda[s.slot(c)] * problem.gradients[c][k];
    double largest = 0, off = 0;
    for (std::size_t c = 0; c < rest.cells.size(); ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < 8; ++k)
            sum += dot(problem.gradients[c][k], moved[rest.cells[c].corners[k]]);
        largest = std::max(largest, std::abs(sum));
        off = std::max(off, std::abs(sum - image[s.slot(c)]));
    }
    EXPECT_LT(off, 1e-12 * largest);
}

/// By how much a V-cycle lessens the rms of the residual, in the mean over `cycles`.
double gain_of_cycles(const CellsRest& rest, std::span<const Vec3> x, int cycles) {
    Problem problem = problem_of(rest, x);
    std::vector<double> lambda(problem.r.size()), image(lambda.size());
    const double first = rms(problem.r);
    for (int k = 0; k < cycles; ++k) {
        problem.system.v_cycle(problem.r, lambda);
        problem.system.apply(lambda, image);
        for (std::size_t i = 0; i < image.size(); ++i) problem.r[i] -= image[i];
    }
    return std::pow(first / rms(problem.r), 1.0 / cycles);
}

/// Squashed by a tenth, with some noise.
std::vector<Vec3> squashed(const CellsRest& rest) {
    Random random(4);
    std::vector<Vec3> x = rest.asset->rest;
    for (Vec3& p : x) p = Vec3{p.x, 0.9 * p.y, p.z} + 0.01 * rest.edge * random.in_cube();
    return x;
}

TEST(PressureSystem, VCyclesLessenTheErrorByAFactorWhateverTheSize) {
    for (const int n : {10, 22}) {
        const CellsRest cube = cells_of(shapes::cube(1, 4), n);
        EXPECT_GT(gain_of_cycles(cube, squashed(cube), 4), 3) << cube.cells.size() << " cells";
        const CellsRest torus = cells_of(shapes::torus(0.5, 0.17, 40, 16), 2 * n);
        EXPECT_GT(gain_of_cycles(torus, squashed(torus), 4), 3) << torus.cells.size() << " cells";
    }
}

TEST(Wobble, OfABallIsThatOfAnIncompressibleOne) {
    // The slowest spheroidal mode of second degree: ω R/c = 2.665 (Love 1911, ν = ½).
    const CellsRest rest = cells_of(shapes::icosphere(0.5, 4), 20);
    const double omega = std::sqrt(wobble_of_unit_density(rest, {3000, 1000}));
    EXPECT_NEAR(omega * 0.5 / std::sqrt(1000), 2.665, 0.1);
}

}  // namespace
}  // namespace turgor
