#include <gtest/gtest.h>

#include "base/random.hpp"
#include "contact/collider_geometry.hpp"
#include "contact/contact.hpp"
#include "turgor/turgor.hpp"

namespace turgor {
namespace {

/// An open sheet in the plane y = 0.
Mesh sheet(double side, int cells) {
    Mesh mesh;
    const auto n = static_cast<std::uint32_t>(cells);
    for (std::uint32_t r = 0; r <= n; ++r)
        for (std::uint32_t c = 0; c <= n; ++c)
            mesh.vertices.push_back(
                {side * (c / (1.0 * n) - 0.5), 0, side * (r / (1.0 * n) - 0.5)});
    for (std::uint32_t r = 0; r < n; ++r)
        for (std::uint32_t c = 0; c < n; ++c) {
            const std::uint32_t a = r * (n + 1) + c, b = a + n + 1;
            mesh.triangles.push_back({a, b + 1, a + 1});
            mesh.triangles.push_back({a, b, b + 1});
        }
    return mesh;
}

/// Two steps of a stair, solid: an L along z.
Mesh corner_mesh() {
    const Vec3 profile[6] = {{0, -1, 0}, {2, -1, 0}, {2, 1, 0}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    Mesh mesh;
    for (const double z : {-2.0, 2.0})
        for (const Vec3& p : profile) mesh.vertices.push_back(p + Vec3{0, 0, z});
    for (std::uint32_t k = 0; k < 6; ++k) {
        const std::uint32_t a = k, b = (k + 1) % 6;
        mesh.triangles.push_back({a, b, b + 6});
        mesh.triangles.push_back({a, b + 6, a + 6});
    }
    for (const Triangle t : {Triangle{0, 1, 4}, {1, 2, 3}, {1, 3, 4}, {0, 4, 5}}) {
        mesh.triangles.push_back({t[2], t[1], t[0]});
        mesh.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
    }
    return mesh;
}

Collider field(std::size_t columns, std::size_t rows, double spacing, auto&& height) {
    std::vector<double> heights;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            heights.push_back(height(spacing * (static_cast<double>(c) - 0.5 * (columns - 1.0)),
                                     spacing * (static_cast<double>(r) - 0.5 * (rows - 1.0))));
    return Collider::height_field(columns, rows, heights, spacing, spacing);
}

void expect_same_distance(const Collider& a, const Collider& b, double size, unsigned seed) {
    Random random(seed);
    for (int k = 0; k < 5000; ++k) {
        const Vec3 p = size * random.in_cube();
        const SignedDistance here = nearest_surface(a, p), there = nearest_surface(b, p);
        EXPECT_NEAR(here.distance, there.distance, 1e-12);
        EXPECT_NEAR(norm(here.normal), 1, 1e-12);
        if (there.distance > 1e-6) {
            EXPECT_LT(norm(here.normal - there.normal), 1e-8);
        }
    }
}

TEST(MeshCollider, a_box_of_triangles_is_a_box) {
    const Vec3 half{0.3, 0.5, 0.2};
    const Collider box = Collider::box({}, half);
    for (const int points : {2, 9})
        expect_same_distance(Collider::mesh(shapes::bar(2 * half, points)), box, 1, 1);
    // On and near faces, edges and corners of a finely cut one.
    const Collider fine = Collider::mesh(shapes::bar(2 * half, 9));
    Random random(2);
    for (int k = 0; k < 5000; ++k) {
        Vec3 p;
        for (int i = 0; i < 3; ++i) {
            const double any = random.between(-1, 1);
            p[i] = half[i] * (any > 0.3 ? 1 : any < -0.3 ? -1 : any);
        }
        const Vec3 q = p + 1e-4 * random.in_cube();
        EXPECT_NEAR(nearest_surface(fine, p).distance, nearest_surface(box, p).distance, 1e-15);
        EXPECT_NEAR(nearest_surface(fine, q).distance, nearest_surface(box, q).distance, 1e-15);
    }
}

TEST(MeshCollider, a_ball_of_triangles_is_nearly_a_ball) {
    const Collider ball = Collider::mesh(shapes::icosphere(0.5, 4));
    Random random(3);
    for (int k = 0; k < 3000; ++k) {
        const Vec3 p = random.in_cube();
        EXPECT_NEAR(nearest_surface(ball, p).distance, norm(p) - 0.5, 1.5e-3);
    }
    // A bound changes nothing within it, and what is deep inside is never far outside.
    for (int k = 0; k < 3000; ++k) {
        const Vec3 p = random.in_cube();
        const double whole = nearest_surface(ball, p).distance;
        const double bounded = nearest_surface(ball, p, 0.1).distance;
        if (whole <= 0.1) {
            EXPECT_EQ(bounded, whole);
        } else {
            EXPECT_GT(bounded, 0.1);
        }
    }
}

TEST(MeshCollider, inside_and_outside_are_told_at_sharp_edges_and_corners) {
    const Mesh spike{"spike",
                     {{0, 2, 0.3}, {-0.1, 0, -0.1}, {0.1, 0, -0.1}, {0.1, 0, 0.1}, {-0.1, 0, 0.1}},
                     {{0, 2, 1}, {0, 3, 2}, {0, 4, 3}, {0, 1, 4}, {1, 2, 3}, {1, 3, 4}}};
    Random random(10);
    for (const Mesh& mesh : {spike, corner_mesh(), shapes::torus(0.5, 0.2, 9, 6)}) {
        const Collider collider = Collider::mesh(mesh);
        const Mesh& clean = collider.geometry->mesh()->mesh();
        const TriangleTree tree(clean.vertices, clean.triangles);
        const Bounds box = bounds(clean);
        for (int k = 0; k < 4000; ++k) {
            const Vec3 corner = clean.vertices[random.bits() % clean.vertices.size()];
            const Vec3 p =
                k % 2 ? corner + 0.2 * random.in_cube() : random.in_box(box.lower, box.upper);
            EXPECT_EQ(nearest_surface(collider, p).distance<0, tree.winding_number(p)> 0.5);
        }
    }
}

TEST(MeshCollider, seams_of_game_meshes_do_not_matter) {
    // A cube of which each face has its own corners, one of them twice, and turned inside out.
    const Mesh cube = shapes::cube(1, 2);
    Mesh apart;
    for (const Triangle& t : cube.triangles) {
        const auto n = static_cast<std::uint32_t>(apart.vertices.size());
        for (const auto v : t) apart.vertices.push_back(cube.vertices[v]);
        apart.triangles.push_back({n + 2, n + 1, n});
    }
    apart.triangles.push_back({0, 0, 1});
    expect_same_distance(Collider::mesh(apart), Collider::box({}, {0.5, 0.5, 0.5}), 1, 4);
}

TEST(MeshCollider, a_shell_has_two_sides) {
    const Collider wall = Collider::shell(sheet(2, 5), 0.1);
    for (const double side : {-1.0, 1.0})
        for (const double height : {0.01, 0.05, 0.3}) {
            const SignedDistance s = nearest_surface(wall, {0.1, side * height, 0.2});
            EXPECT_NEAR(s.distance, height - 0.05, 1e-15);
            EXPECT_NEAR(s.normal.y, side, 1e-15);
        }
    EXPECT_NEAR(nearest_surface(wall, {1.3, 0.4, 0}).distance, 0.45, 1e-15);  // round at its rim
    const Collider hollow = [] {
        Collider c = Collider::mesh(shapes::icosphere(0.5, 4));
        c.thickness = 0.02;
        return c;
    }();
    EXPECT_NEAR(nearest_surface(hollow, {}).distance, 0.49, 2e-3);
}

TEST(HeightField, is_above_and_below_like_a_plane_and_has_sides) {
    const double slope = 0.5;
    const Collider hill = field(17, 9, 0.25, [&](double x, double) { return slope * x; });
    const Vec3 up = normalized(Vec3{-slope, 1, 0});
    Random random(5);
    for (int k = 0; k < 2000; ++k) {
        const Vec3 p{random.between(-1, 1), random.between(-1, 1), random.between(-0.5, 0.5)};
        const double above = dot(p, up);
        if (std::abs(above) > 0.4) continue;
        const SignedDistance s = nearest_surface(hill, p);
        EXPECT_NEAR(s.distance, above, 1e-12);
        EXPECT_LT(norm(s.normal - up), 1e-9);
    }
    // Beside, deep below and outside of its extent.
    EXPECT_NEAR(nearest_surface(hill, {2.5, 0, 0}).distance, 0.5, 1e-12);
    EXPECT_NEAR(nearest_surface(hill, {0, -100, 0.8}).distance, -0.2, 1e-12);
    EXPECT_NEAR(nearest_surface(hill, {0, -100, 3}).distance, 2, 1e-12);
    EXPECT_GT(nearest_surface(hill, {0, -100, 3}, 0.5).distance, 0.5);
    EXPECT_NEAR(nearest_surface(hill, {0, -100, 0}, 0.5).distance, -1, 1e-12);
}

TEST(HeightField, is_the_distance_of_its_triangles) {
    Random random(6);
    const Collider rough =
        field(23, 14, 0.1, [&](double, double) { return random.between(0, 0.3); });
    Mesh mesh;
    const HeightGrid& grid = rough.geometry->heights()->grid();
    const auto gather = [&](auto&& self, const HeightGrid::Node& node) -> void {
        if (!grid.is_leaf(node)) {
            self(self, grid.children(node).first);
            return self(self, grid.children(node).second);
        }
        grid.each_triangle(node, [&](std::uint32_t, const Corners& t) {
            const auto n = static_cast<std::uint32_t>(mesh.vertices.size());
            mesh.vertices.insert(mesh.vertices.end(), t.begin(), t.end());
            mesh.triangles.push_back({n, n + 1, n + 2});
        });
    };
    gather(gather, grid.root());
    EXPECT_EQ(mesh.triangles.size(), 2 * 22 * 13u);
    const TriangleTree tree(mesh.vertices, mesh.triangles);
    for (int k = 0; k < 3000; ++k) {
        const Vec3 p = 0.9 * random.in_cube() + Vec3{0, 0.3, 0};
        if (std::abs(p.x) > 1 || std::abs(p.z) > 0.6 || p.y < 0.3) continue;
        EXPECT_NEAR(nearest_surface(rough, p).distance, tree.nearest(p).distance, 1e-14);
        const Vec3 way = Vec3{0, -0.8, 0} + 0.5 * random.in_cube();
        const auto hit = tree.first_hit(p, way, 0);
        const auto share = first_touch(rough, p, p + way, 0);
        ASSERT_EQ(hit && hit->distance <= 1, share.has_value());
        if (share) {
            EXPECT_NEAR(*share, hit->distance, 1e-12);
        }
    }
}

TEST(MeshCollider, nothing_passes_a_wall_however_it_is_cut) {
    Random random(7);
    const Vec3 half{1, 0.0025, 1};
    std::vector<Collider> walls{
        Collider::mesh(shapes::bar(2 * half, 2)), Collider::mesh(shapes::bar(2 * half, 40)),
        Collider::shell(sheet(2, 1), 0.005), Collider::shell(sheet(2, 37), 0.005)};
    for (const Collider& wall : walls)
        for (int k = 0; k < 4000; ++k) {
            const double side = k % 2 ? 1 : -1;
            // Through seams and corners of the grid as well.
            const auto place = [&](double y) {
                return k % 3 ? Vec3{random.between(-0.9, 0.9), y, random.between(-0.9, 0.9)}
                             : Vec3{std::round(random.between(-9, 9)) / 10, y, 0};
            };
            // Free, at the wall, and a little inside it.
            const double start = k % 5 == 0   ? 0.0025
                                 : k % 5 == 1 ? 0.0025 - random.between(0, 0.001)
                                              : 0.0025 + random.between(0, 0.5);
            const Vec3 from = place(side * start);
            const Vec3 to = place(side * (0.0025 - random.between(1e-6, 1.6)));
            const Obstacles obstacles = find_obstacles(wall, from, to, 0.01);
            ASSERT_GE(obstacles.count, 1u) << k;
            EXPECT_NEAR(obstacles.found[0].normal.y, side, 1e-9) << k;
            EXPECT_NEAR(side * (to - obstacles.found[0].gap * obstacles.found[0].normal).y, 0.0025,
                        1e-8);
        }
}

TEST(MeshCollider, sliding_over_seams_meets_nothing_but_the_floor) {
    Random random(8);
    for (const Collider& floor : {Collider::mesh(shapes::bar({2, 0.5, 2}, 30)),
                                  field(21, 21, 0.1, [](double, double) { return 0.25; })})
        for (int k = 0; k < 4000; ++k) {
            const Vec3 from{random.between(-0.8, 0.8), 0.25 + random.between(-1e-9, 1e-9),
                            random.between(-0.8, 0.8)};
            const Vec3 to = from + Vec3{random.between(-0.1, 0.1), random.between(-1e-3, 1e-3),
                                        random.between(-0.1, 0.1)};
            const Obstacles obstacles = find_obstacles(floor, from, to, 0.01);
            ASSERT_EQ(obstacles.count, 1u);
            EXPECT_NEAR(obstacles.found[0].normal.y, 1, 1e-12);
            EXPECT_NEAR(obstacles.found[0].point.y, 0.25, 1e-8);
        }
}

TEST(MeshCollider, both_faces_of_a_concave_corner_stop_a_particle) {
    Random random(9);
    for (const Collider& corner :
         {Collider::mesh(corner_mesh()), Collider::shell(corner_mesh(), 1e-3)})
        for (int k = 0; k < 3000; ++k) {
            const double half = corner.thickness / 2;
            const Vec3 from{random.between(0.3, 1 - 2 * half), random.between(2 * half, 0.7), 0};
            const Vec3 to{random.between(0.95, 3), random.between(-2, 0.05), random.between(-1, 1)};
            const MovingCollider there{&corner, 1, {}, {}};
            const std::vector<Vec3> start{from};
            std::vector<Vec3> x{to};
            std::vector<Contact> contacts;
            find_contacts(std::span(&there, 1), {0.1, 0.3, 0}, start, x, start, contacts);
            EXPECT_GE(contacts.size(), 2u) << k;
            push_out(contacts, start, x, 0);
            EXPECT_GT(x[0].y, half - 1e-8) << k;
            EXPECT_LT(x[0].x, 1 - half + 1e-8) << k;
        }
}

TEST(MeshCollider, cutting_a_low_crest_is_free_and_a_steep_one_is_not) {
    const auto tent = [](double slope) {
        return field(41, 3, 0.05, [=](double x, double) { return -slope * std::abs(x); });
    };
    const Vec3 from{-0.1, -0.009, 0}, to{0.1, -0.009, 0};
    EXPECT_FALSE(find_obstacle(tent(0.1), from, to, 0));
    EXPECT_TRUE(find_obstacle(tent(3), from - Vec3{0, 0.2, 0}, to - Vec3{0, 0.2, 0}, 0));
}

TEST(MeshCollider, bad_input_is_one_clear_sentence) {
    World world;
    const auto refused = [&](const Collider& c, const char* part) {
        Status status;
        EXPECT_EQ(world.add_collider(c, &status), 0u) << part;
        EXPECT_NE(status.message.find(part), std::string::npos) << status.message;
    };
    Mesh lidless = shapes::cube(1, 3);
    std::erase_if(lidless.triangles, [&](const Triangle& t) {
        return lidless.vertices[t[0]].y > 0.4 && lidless.vertices[t[1]].y > 0.4 &&
               lidless.vertices[t[2]].y > 0.4;
    });
    refused(Collider::mesh(lidless), "Collider::shell");
    refused(Collider::mesh(sheet(1, 3)), "Collider::shell");
    refused(Collider::mesh({}), "Collider::shell");
    refused(Collider::shell({}, 0.1), "empty");
    refused(Collider::shell(sheet(1, 3), 0), "thickness");
    refused(Collider::shell(sheet(1, 3), -1), "thickness");
    refused(Collider::shell(sheet(1, 3), std::nan("")), "thickness");
    Mesh wrong = sheet(1, 3);
    wrong.triangles[4][1] = 1000;
    refused(Collider::shell(wrong, 0.1), "1000");
    refused(Collider::mesh(wrong), "1000");
    wrong = sheet(1, 3);
    wrong.vertices[5].y = std::nan("");
    refused(Collider::shell(wrong, 0.1), "5");
    refused(Collider::mesh(wrong), "5");
    Collider bare;
    bare.shape = ColliderShape::mesh;
    refused(bare, "Collider::mesh");
    bare.shape = ColliderShape::height_field;
    refused(bare, "height_field");
    refused(Collider::height_field(1, 5, std::vector<double>(5), 1, 1), "1 × 5");
    refused(Collider::height_field(5000, 5, {}, 1, 1), "4096");
    refused(Collider::height_field(3, 3, std::vector<double>(8), 1, 1), "not 8");
    refused(Collider::height_field(2, 2, {0, 0, 0, std::nan("")}, 1, 1), "height 1 in row 1");
    refused(Collider::height_field(2, 2, {0, 0, 0, 0}, 0, 1), "spacing");
    // Flat and doubled triangles are none of a shell's business.
    Mesh flat = sheet(1, 3);
    flat.triangles.push_back({0, 0, 1});
    flat.triangles.push_back({0, 1, 2});
    flat.triangles.push_back(flat.triangles[0]);
    EXPECT_NE(world.add_collider(Collider::shell(flat, 0.1)), 0u);
    const Collider ok = Collider::shell(flat, 0.1);
    EXPECT_NEAR(nearest_surface(ok, {0.05, 0.2, 0.05}).distance, 0.15, 1e-15);
}

}  // namespace
}  // namespace turgor
