#include "solid/embedding.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "mesh/soups.hpp"
#include "solid_helpers.hpp"
#include "turgor/scheduler.hpp"

namespace turgor {
namespace {

double size_of(const Mesh& mesh) {
    return bounds(mesh).diagonal();
}

TEST(Embedding, IsExactAtRest) {
    for (const Mesh& mesh :
         {shapes::tree(2, 80), shapes::gummy_bear(1, 900), shapes::cake(1), test::sheet(8, 1)})
        for (const int cells : {1, 5, 16}) {
            const Solid solid = make_solid(mesh, {.cells = cells});
            const auto bindings = bind_to_cells(solid, mesh.vertices);
            ASSERT_EQ(bindings.size(), mesh.vertices.size());
            for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
                ASSERT_LT(norm(place_in_cell(bindings[v], solid.corners) - mesh.vertices[v]),
                          1e-12 * size_of(mesh))
                    << mesh.name << ", " << cells;
        }
}

TEST(Embedding, IsExactUnderAffineMaps) {
    Random random(7);
    const Mesh mesh = shapes::tree(2, 80);
    const Solid solid = make_solid(mesh, {.cells = 12});
    const auto bindings = bind_to_cells(solid, mesh.vertices);
    for (int k = 0; k < 10; ++k) {
        const Vec3 a = random.in_cube(), b = random.in_cube(), c = random.in_cube(),
                   d = 10 * random.in_cube();
        const auto map = [&](Vec3 p) { return p.x * a + p.y * b + p.z * c + d; };
        std::vector<Vec3> corners = solid.corners;
        for (Vec3& p : corners) p = map(p);
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
            ASSERT_LT(norm(place_in_cell(bindings[v], corners) - map(mesh.vertices[v])), 1e-11);
    }
}

TEST(Embedding, StaysNearTheCellsWhenTheyAreTwisted) {
    const Mesh mesh = shapes::gummy_bear(1, 2000);
    const Solid solid = make_solid(mesh, {.cells = 24});
    const auto bindings = bind_to_cells(solid, mesh.vertices);
    const auto twisted = [](Vec3 p) { return rotate(Quat::about({0, 1, 0}, 3.14159 * p.y), p); };
    std::vector<Vec3> corners = solid.corners;
    for (Vec3& p : corners) p = twisted(p);
    double most = 0, sum = 0;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        const double off = norm(place_in_cell(bindings[v], corners) - twisted(mesh.vertices[v]));
        most = std::max(most, off / solid.cell);
        sum += off * off / solid.cell / solid.cell;
    }
    EXPECT_LT(most, 0.5);
    EXPECT_LT(std::sqrt(sum / static_cast<double>(mesh.vertices.size())), 0.05);
}

TEST(Embedding, BindsPointsThatAreFarFromAnyCell) {
    const Solid solid = make_solid(shapes::icosphere(0.5, 2), {.cells = 8});
    const std::vector<Vec3> points{{9, 0, 0}, {-3, 4, 5}, {0, 0, 0}, {0.5, 0.5, 0.5}, {1e6, 0, 0}};
    const auto bindings = bind_to_cells(solid, points);
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_LT(norm(place_in_cell(bindings[i], solid.corners) - points[i]),
                  1e-12 * std::max(1.0, norm(points[i])));
}

TEST(Embedding, DoesNotDependOnThreads) {
    const Mesh mesh = shapes::gummy_bear(1, 2000);
    const Solid solid = make_solid(mesh, {.cells = 16});
    const auto alone = bind_to_cells(solid, mesh.vertices);
    const auto pool = make_thread_pool(3);
    const auto shared = bind_to_cells(solid, mesh.vertices, pool.get());
    for (std::size_t v = 0; v < alone.size(); ++v) {
        ASSERT_EQ(alone[v].corners, shared[v].corners);
        ASSERT_EQ(alone[v].weights, shared[v].weights);
    }
}

}  // namespace
}  // namespace turgor
