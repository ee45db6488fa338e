#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "scene/live_scene.hpp"
#include "scene/vertex_numbers.hpp"

namespace turgor {
namespace {

namespace fs = std::filesystem;

/// A ball of 1 m, red above and blue below, in a file that is gone afterwards.
class PaintedBall {
public:
    PaintedBall()
        : file_(fs::temp_directory_path() / fmt::format("turgor-painted-{}.ply", ::getpid())) {
        Mesh mesh = shapes::icosphere(0.5, 4);
        for (const Vec3 p : mesh.vertices)
            mesh.colours.push_back(p.y > 0 ? Vec3f{1, 0, 0} : Vec3f{0, 0, 1});
        save_mesh(mesh, file_);
    }
    ~PaintedBall() { fs::remove(file_); }
    std::string shape() const { return fmt::format(R"({{"mesh": "{}"}})", file_.string()); }

private:
    fs::path file_;
};

LiveScene make(const std::string& shape, const std::string& more) {
    return LiveScene(parse_scene(
        fmt::format(R"({{"gravity": [0, 0, 0], "bodies": [{{"shape": {}, {}}}]}})", shape, more),
        "my.json"));
}

std::string complaint(const std::string& shape, const std::string& more) {
    try {
        make(shape, more);
    } catch (const Error& e) {
        return e.what();
    }
    return "no complaint";
}

double centre_y(const std::string& shape, const std::string& more) {
    return make(shape, more).bodies()[0].body.centre_of_mass().y;
}

TEST(VertexNumbers, FollowTheColoursOfTheMesh) {
    const PaintedBall ball;
    // Of two half spheres, with their centres at ± r/2: 3 times as heavy above.
    const double expected = 0.25 * (3 - 1) / (3 + 1.0);
    EXPECT_NEAR(
        centre_y(ball.shape(), R"("relative_masses": {"colour": "red", "from": 1, "to": 3})"),
        expected, 0.01);
    EXPECT_NEAR(
        centre_y(ball.shape(), R"("relative_masses": {"colour": "blue", "from": 3, "to": 1})"),
        expected, 0.01);
    for (const char* same : {"green", "brightness"})
        EXPECT_NEAR(
            centre_y(ball.shape(), fmt::format(R"("relative_masses": {{"colour": "{}", "from": 1,
                                                       "to": 3}})",
                                               same)),
            0, 1e-6);
}

TEST(VertexNumbers, OfTheFineMeshReachTheSimplifiedOne) {
    const PaintedBall ball;
    const std::string masses = R"("relative_masses": {"colour": "red", "from": 1, "to": 3})";
    EXPECT_NEAR(centre_y(ball.shape(), masses + R"(, "sim_vertices": 200)"), 0.125, 0.015);
    std::string list;
    for (const Vec3 p : shapes::icosphere(0.5, 4).vertices)
        list += fmt::format("{}{}", list.empty() ? "" : ",", p.y > 0 ? 3 : 1);
    const std::string listed = fmt::format(R"("relative_masses": [{}])", list);
    EXPECT_NEAR(centre_y(ball.shape(), listed), 0.125, 0.01);
    EXPECT_NEAR(centre_y(ball.shape(), listed + R"(, "sim_vertices": 200)"), 0.125, 0.015);
    // What is 1 everywhere is still not above 1 on another mesh.
    make(ball.shape(), R"("model": {"meshless": {}}, "sim_vertices": 200,
         "matching_weights": {"along": "y", "from": 1, "to": 1})");
}

TEST(VertexNumbers, FollowAnAxisFromTheLowestVertexToTheHighest) {
    const Mesh bar = shapes::bar({1, 2, 1}, 5);
    const VertexNumbers numbers{VertexNumbers::Follow::axis, {}, 1, 2, 10, ""};
    const std::vector<double> all = numbers_for(numbers, bar, bar);
    for (std::size_t v = 0; v < all.size(); ++v)
        EXPECT_NEAR(all[v], 6 + 4 * bar.vertices[v].y, 1e-12);
    const std::string shape = R"({"bar": {"size": [1, 2, 1], "points": 5}})";
    EXPECT_GT(centre_y(shape, R"("relative_masses": {"along": "y", "from": 1, "to": 8})"), 0.1);
    EXPECT_LT(centre_y(shape, R"("relative_masses": {"along": "y", "from": 8, "to": 1})"), -0.1);
}

TEST(VertexNumbers, AreSharedByCopies) {
    const LiveScene live = make(R"({"cube": {"points": 4}})",
                                R"("relative_masses": {"along": "x", "from": 1, "to": 4},
        "copies": {"grid": [2, 1, 1], "spacing": [3, 1, 1]})");
    ASSERT_EQ(live.bodies().size(), 2u);
    const auto x = [&](std::size_t k) { return live.bodies()[k].body.centre_of_mass().x; };
    EXPECT_NEAR(x(1) - x(0), 3, 1e-6);
    EXPECT_GT(x(0), -1.5 + 0.05);
}

TEST(VertexNumbers, ThatDoNotFitAreNamedWithTheirPlace) {
    const auto expect = [](const std::string& more, const char* place, const char* part) {
        const std::string said = complaint(R"({"cube": {"points": 3}})", more);
        EXPECT_EQ(said.find(place), 0u) << said;
        EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    expect(R"("relative_masses": {"colour": "red", "from": 1, "to": 2})",
           "my.json: /bodies/0/relative_masses: ", "have no colours");
    expect(R"("relative_masses": [1, 2, 3])", "my.json: /bodies/0/relative_masses: ",
           "there are 3 numbers, but the mesh has 26 vertices");
    expect(R"("relative_masses": {"along": "y", "from": 0.01, "to": 2})",
           "my.json: /bodies/0: ", "at most 100 times");
    expect(R"("matching_weights": {"along": "y", "from": 0, "to": 1})",
           "my.json: /bodies/0: ", "the model 'surface' knows no matching weights");
}

}  // namespace
}  // namespace turgor
