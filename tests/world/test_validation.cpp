#include <gtest/gtest.h>

#include <filesystem>

#include "measure/measure.hpp"

namespace turgor::measure {
namespace {

class Validation : public testing::TestWithParam<Backend> {
protected:
    Laboratory lab{GetParam()};
};

TEST_P(Validation, momentum_is_conserved) {
    for (const Specimen& shape : demo_shapes(200))
        for (const VolumeMode mode : {VolumeMode::local, VolumeMode::global}) {
            const Drift drift = lab.momentum_drift(shape.mesh, mode, 200);
            EXPECT_LT(drift.linear, lab.tolerances().linear) << shape.name;
            EXPECT_LT(drift.angular, lab.tolerances().angular) << shape.name;
            EXPECT_LT(drift.volume, lab.tolerances().volume) << shape.name;
        }
}

TEST_P(Validation, wobble_is_what_the_material_says) {
    for (const char* name : {"jelly", "gummy", "rubber"}) {
        const Material m = Material::named(name);
        const Wobble w = lab.wobble(of_size(shapes::icosphere(0.5, 3), 1), m, 0.005);
        EXPECT_NEAR(w.frequency / m.frequency, 1, 0.05) << name;
        EXPECT_NEAR(w.damping_ratio / m.damping_ratio, 1, 0.1) << name;
    }
}

TEST_P(Validation, time_step_hardly_matters) {
    const Material m = Material::named("gummy");
    for (const Mesh& mesh : {of_size(shapes::uv_sphere(0.5, 16, 15), 1), shapes::cube(0.8, 6)}) {
        const Wobble w = lab.wobble(mesh, m, 0.005);
        const Landing l = lab.land(mesh, m, 0.005);
        for (const double dt : {0.0025, 0.01, 0.0167}) {
            EXPECT_NEAR(lab.wobble(mesh, m, dt).frequency / w.frequency, 1, 0.04) << dt;
            const Landing other = lab.land(mesh, m, dt);
            EXPECT_NEAR(other.sag / l.sag, 1, 0.01) << dt;
            EXPECT_NEAR(other.rebound / l.rebound, 1, 0.08) << dt;
        }
    }
}

TEST_P(Validation, resolution_hardly_matters) {
    const Material m = Material::named("gummy");
    const double coarse =
        lab.wobble(of_size(shapes::uv_sphere(0.5, 20, 20), 1), m, 0.005).frequency;
    const double fine = lab.wobble(of_size(shapes::uv_sphere(0.5, 40, 40), 1), m, 0.005).frequency;
    EXPECT_NEAR(fine / coarse, 1, 0.25);
}

TEST_P(Validation, size_scales_as_the_material_says) {
    const Material m = Material::named("gummy");
    for (const double size : {0.1, 10.0}) {
        const double f =
            lab.wobble(of_size(shapes::icosphere(0.5, 2), size), m, size < 1 ? 0.001 : 0.01)
                .frequency;
        EXPECT_NEAR(f, m.frequency / size, 0.1 * m.frequency / size) << size;
    }
}

TEST_P(Validation, bodies_come_to_rest) {
    const auto shapes = demo_shapes(200);
    for (const Specimen& shape : shapes) {
        const Rest rest = lab.lie_down(shape.mesh, Material::named("gummy"), 10);
        EXPECT_LT(rest.max_speed, 0.005) << shape.name;
        EXPECT_LT(rest.creep, 0.01) << shape.name;
        EXPECT_LT(rest.volume, lab.tolerances().volume) << shape.name;
    }
}

TEST_P(Validation, recovers_from_every_start) {
    for (const Specimen& shape : demo_shapes(200))
        for (const auto& [start, name] : starts) {
            const Recovery r = lab.recover_from(shape.mesh, Material::named("gummy"), start);
            EXPECT_LT(r.shape_error, 0.01) << shape.name << " " << name;
        }
}

TEST_P(Validation, recovers_on_the_ground_without_a_jump) {
    for (const double flat : {1.0, 0.1})
        for (const double small : {0.05, 0.4}) {
            const Mesh ball = shapes::icosphere(0.5, 3);
            World world(WorldSettings{.backend = GetParam()});
            world.add_collider(Collider::ground());
            Body body = world.add_body(ball, Material::named("rubber"), {.position = {0, 0.5, 0}});
            std::vector<Vec3> x;
            for (const Vec3& v : ball.vertices)
                x.push_back({small * v.x, flat * small * (v.y + 0.5) + 1e-3, small * v.z});
            body.set_positions(x);
            double highest = 0, recovered = -1;
            for (int k = 0; k < 400; ++k) {
                world.step();
                highest = std::max(highest, body.centre_of_mass().y);
                if (!body.recovering() && recovered < 0) recovered = world.time();
            }
            EXPECT_GE(recovered, 0) << flat << " " << small;
            EXPECT_FALSE(body.recovering());
            EXPECT_LT(highest, 0.65) << flat << " " << small;
            EXPECT_LT(body.shape_error(), 0.1) << flat << " " << small;
        }
}

TEST_P(Validation, recovers_real_meshes) {
    const std::filesystem::path folder = TURGOR_SHARED_MESHES;
    if (!std::filesystem::exists(folder))
        GTEST_SKIP() << "the meshes for measurements are not here";
    for (const char* name : {"armadillo_1000.obj", "homer_1000.obj", "bob_1000.obj"})
        for (const BodyStart start :
             {BodyStart::flat, BodyStart::random_box, BodyStart::mirrored}) {
            const Recovery r = lab.recover_from(of_size(load_mesh(folder / name), 1),
                                                Material::named("gummy"), start);
            EXPECT_LT(r.shape_error, 0.01) << name << " " << static_cast<int>(start);
        }
}

TEST_P(Validation, ordinary_deeds_are_not_taken_for_lost_shapes) {
    for (const Ordeal& ordeal : lab.ordeals()) {
        EXPECT_FALSE(ordeal.recovered) << ordeal.name;
        EXPECT_LT(ordeal.volume, lab.tolerances().volume) << ordeal.name;
        EXPECT_LT(ordeal.penetration, 0.01) << ordeal.name;
    }
}

TEST_P(Validation, stays_finite_bounded_and_full_for_any_material_and_step) {
    const Stability s = lab.random_combinations(60, 1000);
    EXPECT_EQ(s.failed, 0) << s.worst;
    EXPECT_LT(s.volume, lab.tolerances().volume);
}

INSTANTIATE_TEST_SUITE_P(BackEnds, Validation, testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& case_) {
                             return case_.param == Backend::cpu ? "cpu" : "reference";
                         });

TEST(BackEnds, one_step_from_the_same_state_is_the_same) {
    for (const Specimen& shape : demo_shapes(400))
        for (const char* material : {"jelly", "rubber"}) {
            Material bouncy = Material::named(material);
            bouncy.restitution = 0.8;
            const Difference d = difference_after_one_step(Backend::cpu, shape.mesh, bouncy, 200);
            EXPECT_LT(d.position, 1e-5) << shape.name << " " << material;
            EXPECT_LT(d.velocity, 1e-4) << shape.name << " " << material;
        }
}

}  // namespace
}  // namespace turgor::measure
