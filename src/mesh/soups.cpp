#include "mesh/soups.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/errors.hpp"
#include "base/functions.hpp"
#include "base/random.hpp"

namespace turgor::shapes {
namespace {

constexpr double pi = std::numbers::pi;
constexpr Vec3f bark{0.3f, 0.19f, 0.11f}, leaf_green{0.16f, 0.42f, 0.1f},
    young_green{0.36f, 0.58f, 0.16f};

/// Two unit vectors square to a unit vector and to each other.
std::pair<Vec3, Vec3> beside(Vec3 axis) {
    const Vec3 other = std::abs(axis.y) < 0.9 ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
    const Vec3 u = normalized(cross(other, axis));
    return {u, cross(axis, u)};
}

/// A mesh that grows by shells.
class Soup {
public:
    explicit Soup(const char* name) { mesh_.name = name; }

    void add(const Mesh& shell, Vec3 offset, Vec3f colour, Vec3 stretch = {1, 1, 1}) {
        const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
        for (const Vec3& p : shell.vertices)
            vertex(offset + Vec3{stretch.x * p.x, stretch.y * p.y, stretch.z * p.z}, colour);
        for (const auto& [a, b, c] : shell.triangles)
            mesh_.triangles.push_back({first + a, first + b, first + c});
    }
    /// Four corners in turn, a sheet.
    void add_quad(Vec3 a, Vec3 b, Vec3 c, Vec3 d, Vec3f colour) {
        const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
        for (const Vec3 p : {a, b, c, d}) vertex(p, colour);
        mesh_.triangles.push_back({first, first + 1, first + 2});
        mesh_.triangles.push_back({first, first + 2, first + 3});
    }
    /// Circles of the given radii around points, joined: open at both ends.
    void add_tube(std::span<const Vec3> centres, std::span<const double> radii, int sides,
                  Vec3f colour) {
        const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
        const auto n = static_cast<std::uint32_t>(sides);
        for (std::size_t k = 0; k < centres.size(); ++k) {
            const Vec3 axis = normalized(centres[std::min(k + 1, centres.size() - 1)] -
                                         centres[k == 0 ? 0 : k - 1]);
            const auto [u, v] = beside(axis);
            for (int s = 0; s < sides; ++s) {
                const double angle = 2 * pi * s / sides;
                vertex(
                    centres[k] + radii[k] * (portable::cos(angle) * u + portable::sin(angle) * v),
                    colour);
            }
        }
        for (std::uint32_t k = 0; k + 1 < centres.size(); ++k)
            for (std::uint32_t s = 0; s < n; ++s) {
                const std::uint32_t a = first + k * n + s, b = first + k * n + (s + 1) % n;
                mesh_.triangles.push_back({a, b, b + n});
                mesh_.triangles.push_back({a, b + n, a + n});
            }
    }
    Mesh take() { return std::move(mesh_); }
    Mesh& mesh() { return mesh_; }

private:
    void vertex(Vec3 p, Vec3f colour) {
        mesh_.vertices.push_back(p);
        mesh_.colours.push_back(colour);
    }
    Mesh mesh_;
};

void check_length(const char* name, const char* what, double length) {
    if (!(std::isfinite(length) && length > 0))
        fail(ErrorCode::bad_argument,
             "{}: the {} is {}, but it must be a positive number of metres.", name, what, length);
}

/// Grows a tree of height 1.
class Tree {
public:
    Tree(Soup& soup, int leaves) : soup_(soup), leaves_(leaves) {}

    void grow() {
        grow_branch({0, 0, 0}, {0, 1, 0}, 0.62, 0.045, 0);
        for (int k = 0; k < leaves_ && !tips_.empty(); ++k) {
            const Tip& tip = tips_[static_cast<std::size_t>(k) % tips_.size()];
            add_leaf(tip);
        }
    }

private:
    static constexpr int levels = 3;
    struct Tip {
        Vec3 from, to;
    };

    void grow_branch(Vec3 from, Vec3 direction, double length, double radius, int level) {
        constexpr std::size_t rings = 4;
        std::vector<Vec3> centres{from};
        std::vector<double> radii{radius};
        Vec3 heading = direction;
        for (std::size_t k = 1; k < rings; ++k) {
            heading = normalized(heading + 0.12 * random_.in_cube() + Vec3{0, 0.06 * level, 0});
            centres.push_back(centres.back() + length / (rings - 1) * heading);
            radii.push_back(radius * (1 - 0.7 * static_cast<double>(k) / (rings - 1)));
        }
        soup_.add_tube(centres, radii, std::max(4, 8 - 2 * level), bark);
        if (level == levels) {
            tips_.push_back({centres[1], centres.back()});
            return;
        }
        const int children = level == 0 ? 8 : 5;
        const auto [u, v] = beside(heading);
        double turn = random_.between(0, 2 * pi);
        for (int c = 0; c < children; ++c) {
            const double along = 0.35 + 0.65 * (c + 0.5) / children;
            const auto at = along * (rings - 1);
            const auto k = std::min(static_cast<std::size_t>(at), rings - 2);
            const Vec3 start =
                centres[k] + (at - static_cast<double>(k)) * (centres[k + 1] - centres[k]);
            // The golden angle: no branch stands right above another.
            turn += 2.39996;
            const Vec3 aside = portable::cos(turn) * u + portable::sin(turn) * v;
            const double lean = 1.1 - 0.7 * along;
            grow_branch(start, normalized(heading + lean * aside), length * 0.56,
                        radius * (1 - 0.7 * along) * 0.75, level + 1);
        }
    }
    void add_leaf(const Tip& tip) {
        const Vec3 along = tip.to - tip.from;
        const Vec3 at = tip.from + random_.between(0.1, 1) * along;
        const Vec3 out = normalized(normalized(along) + 0.9 * random_.in_cube());
        const auto [u, v] = beside(out);
        const double length = random_.between(0.035, 0.055), width = 0.3 * length;
        const double turn = random_.between(0, 2 * pi);
        const Vec3 aside = portable::cos(turn) * u + portable::sin(turn) * v;
        const double age = random_.between(0, 1);
        const auto mix = [&](float a, float b) { return a + static_cast<float>(age) * (b - a); };
        soup_.add_quad(at, at + 0.5 * length * out - width * aside, at + length * out,
                       at + 0.5 * length * out + width * aside,
                       {mix(leaf_green.x, young_green.x), mix(leaf_green.y, young_green.y),
                        mix(leaf_green.z, young_green.z)});
    }

    Soup& soup_;
    int leaves_;
    Random random_{3};
    std::vector<Tip> tips_;
};

/// Standing on y = 0, centred in x and z, with the exact height.
void stand_up(Mesh& mesh, double height) {
    const Bounds box = bounds(mesh);
    const double scale = height / box.extent().y;
    const Vec3 foot{box.centre().x, box.lower.y, box.centre().z};
    for (Vec3& p : mesh.vertices) p = scale * (p - foot);
}

/// Drops the triangles within a ball.
void cut_hole(Mesh& mesh, Vec3 centre, double radius) {
    std::erase_if(mesh.triangles, [&](const Triangle& t) {
        const Vec3 middle = (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3;
        return norm(middle - centre) < radius;
    });
}

}  // namespace

Mesh tree(double height, int leaves) {
    check_length("tree", "height", height);
    if (leaves < 0 || leaves > 100000)
        fail(ErrorCode::bad_argument, "tree: {} leaves: 0 to 100000 are possible.", leaves);
    Soup soup("tree");
    Tree(soup, leaves).grow();
    Mesh mesh = soup.take();
    stand_up(mesh, height);
    return mesh;
}

Mesh broken_bunny(double height, std::size_t vertices, int holes) {
    check_length("broken_bunny", "height", height);
    if (vertices < 200 || vertices > 1'000'000)
        fail(ErrorCode::bad_argument, "broken_bunny: {} vertices: 200 to 1000000 are possible.",
             vertices);
    if (holes < 0 || holes > 100)
        fail(ErrorCode::bad_argument, "broken_bunny: {} holes: 0 to 100 are possible.", holes);
    constexpr Vec3f fur{0.55f, 0.47f, 0.4f}, pale{0.8f, 0.75f, 0.68f}, pink{0.75f, 0.45f, 0.42f};
    // Balls of about equal triangles; there are twelve.
    const double across = std::sqrt(static_cast<double>(vertices) / 12 / 0.5);
    const auto ball = [&](double size) {
        const int n = std::clamp(static_cast<int>(std::lround(across * size)), 6, 2000);
        return uv_sphere(1, n, std::max(3, n / 2));
    };
    Soup soup("broken_bunny");
    soup.add(ball(1.6), {0, 0.3, -0.05}, fur, {0.27, 0.29, 0.31});
    soup.add(ball(1.2), {0, 0.62, 0.17}, fur, {0.18, 0.17, 0.19});
    soup.add(ball(0.6), {0, 0.57, 0.34}, pale, {0.09, 0.07, 0.07});
    soup.add(ball(0.5), {0, 0.22, -0.36}, pale, {0.09, 0.09, 0.09});
    for (const double side : {-1.0, 1.0}) {
        soup.add(ball(0.9), {side * 0.09, 0.88, 0.1}, pink, {0.05, 0.22, 0.035});
        soup.add(ball(0.9), {side * 0.2, 0.15, 0.02}, fur, {0.12, 0.15, 0.2});
        soup.add(ball(0.7), {side * 0.17, 0.04, 0.2}, pale, {0.07, 0.05, 0.14});
        soup.add(ball(0.7), {side * 0.1, 0.13, 0.24}, fur, {0.06, 0.13, 0.07});
    }
    Mesh mesh = soup.take();
    Random random(11);
    Soup stray("broken_bunny");
    const std::size_t whole = mesh.triangles.size();
    for (int k = 0; k < holes && whole > 0; ++k) {
        const Triangle& t = mesh.triangles[random.bits() % mesh.triangles.size()];
        const Vec3 at = mesh.vertices[t[0]];
        cut_hole(mesh, at, random.between(0.03, 0.06));
        // What was cut out lies about: a small shell, half of it missing.
        Mesh shell = uv_sphere(random.between(0.01, 0.025), 8, 5);
        shell.triangles.resize(shell.triangles.size() / 2);
        stray.add(shell, at + 0.02 * random.in_cube(), pale);
        if (mesh.triangles.empty()) break;
    }
    const Mesh shells = stray.take();
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), shells.vertices.begin(), shells.vertices.end());
    mesh.colours.insert(mesh.colours.end(), shells.colours.begin(), shells.colours.end());
    for (const auto& [a, b, c] : shells.triangles)
        mesh.triangles.push_back({first + a, first + b, first + c});
    stand_up(mesh, height);
    return mesh;
}

Mesh cake(double width) {
    check_length("cake", "width", width);
    constexpr Vec3f dough{0.62f, 0.4f, 0.2f}, jam{0.5f, 0.03f, 0.06f}, cream{0.9f, 0.86f, 0.78f},
        berry{0.65f, 0.03f, 0.05f}, candle{0.15f, 0.4f, 0.75f}, flame{0.95f, 0.6f, 0.1f},
        paper{0.2f, 0.55f, 0.3f};
    Soup soup("cake");
    // Layers: tubes with flat lids, that do not meet exactly.
    const auto layer = [&](double low, double high, double radius, Vec3f colour) {
        constexpr int sides = 48;
        const std::vector<Vec3> centres{{0, low, 0}, {0, low, 0}, {0, high, 0}, {0, high, 0}};
        const std::vector<double> radii{1e-3, radius, radius, 1e-3};
        std::vector<Vec3> spread = centres;
        spread[0].y -= 1e-4, spread[3].y += 1e-4;
        soup.add_tube(spread, radii, sides, colour);
    };
    layer(0, 0.13, 0.5, dough);
    layer(0.125, 0.165, 0.49, jam);
    layer(0.16, 0.29, 0.5, dough);
    layer(0.285, 0.33, 0.515, cream);
    for (int k = 0; k < 16; ++k) {
        const double angle = 2 * pi * k / 16;
        const Vec3 at{0.42 * portable::cos(angle), 0.34, 0.42 * portable::sin(angle)};
        soup.add(uv_sphere(1, 10, 6), at, cream, {0.07, 0.05, 0.07});
        if (k % 2 == 0) soup.add(icosphere(0.045, 1), at + Vec3{0, 0.06, 0}, berry);
    }
    for (int k = 0; k < 5; ++k) {
        const double angle = 2 * pi * (k + 0.25) / 5;
        const Vec3 foot{0.2 * portable::cos(angle), 0.3, 0.2 * portable::sin(angle)};
        const std::vector<Vec3> rod{foot, foot + Vec3{0, 0.2, 0}};
        soup.add_tube(rod, std::vector{0.018, 0.018}, 8, candle);
        soup.add_quad(foot + Vec3{0, 0.21, 0}, foot + Vec3{0.02, 0.235, 0}, foot + Vec3{0, 0.28, 0},
                      foot + Vec3{-0.02, 0.235, 0}, flame);
    }
    const std::vector<Vec3> pole{{0, 0.3, 0}, {0, 0.62, 0}};
    soup.add_tube(pole, std::vector{0.01, 0.01}, 6, dough);
    soup.add_quad({0, 0.5, 0}, {0.2, 0.5, 0}, {0.17, 0.61, 0}, {0, 0.61, 0}, paper);
    Mesh mesh = soup.take();
    for (Vec3& p : mesh.vertices) p *= width;
    return mesh;
}

}  // namespace turgor::shapes
