#include "mesh/outward.hpp"

#include <cmath>

#include "base/errors.hpp"
#include "mesh/nesting.hpp"

namespace turgor {
namespace {

/// Below this volume over area^(3/2) a part is a flat sheet: thinner than 1e-7 of its width. A
/// sphere has 0.09.
constexpr double least_fullness = 1e-7;

struct PartShape {
    double volume = 0, area = 0;
    std::uint32_t first = 0;  ///< its first triangle
    std::vector<std::uint32_t> around;

    bool inverted() const { return volume < 0; }
    bool is_hole() const { return around.size() % 2 == 1; }
};

std::vector<PartShape> measure(const Surface& s, const SurfaceParts& parts) {
    std::vector<PartShape> shapes(parts.count);
    std::vector<bool> begun(parts.count, false);
    for (std::uint32_t t = 0; t < s.triangles.size(); ++t) {
        PartShape& shape = shapes[parts.of_triangle[t]];
        if (!begun[parts.of_triangle[t]]) shape.first = t;
        begun[parts.of_triangle[t]] = true;
        // About a point of the part itself, so that nothing cancels far from the origin.
        const Vec3 origin = s.vertices[s.triangles[shape.first][0]];
        const auto& [a, b, c] = s.triangles[t];
        const Vec3 n = cross(s.vertices[b] - s.vertices[a], s.vertices[c] - s.vertices[a]);
        shape.volume += dot(s.vertices[a] - origin, n) / 6;
        shape.area += norm(n) / 2;
    }
    return shapes;
}

void refuse_flat(const Surface& s, const std::vector<PartShape>& shapes) {
    for (const auto& shape : shapes)
        if (!(std::fabs(shape.volume) > least_fullness * shape.area * std::sqrt(shape.area)))
            fail(ErrorCode::bad_mesh,
                 "{}: {} encloses (nearly) no volume ({:.3g} m³ in {:.3g} m² of surface); give it "
                 "thickness or delete it",
                 s.label,
                 shapes.size() == 1 ? std::string("the mesh")
                                    : "the part at " + s.triangle_name(shape.first),
                 std::fabs(shape.volume), shape.area);
}

/// Marks the parts to turn. An outermost part that looks inwards turns, and with it what it
/// contains if that agrees with a file turned inside out as a whole.
std::vector<bool> parts_to_turn(const std::vector<PartShape>& shapes) {
    std::vector<bool> turn(shapes.size(), false);
    std::vector<bool> consistent(shapes.size(), true);
    for (const auto& shape : shapes)
        for (const auto outer : shape.around)
            if (shape.inverted() == shape.is_hole()) consistent[outer] = false;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (shapes[i].around.empty()) {
            turn[i] = shapes[i].inverted();
            continue;
        }
        for (const auto outer : shapes[i].around)
            if (shapes[outer].around.empty() && shapes[outer].inverted() && consistent[outer])
                turn[i] = true;
    }
    return turn;
}

void report_parts(const Surface& s, const std::vector<PartShape>& shapes,
                  const std::vector<bool>& turn, MeshReport& report) {
    MeshFinding turned{"turned_parts", {}, 0, {}}, odd{"nested_parts", {}, 0, {}};
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const auto name = [&] { return s.triangle_name(shapes[i].first); };
        if (turn[i]) add_element(turned, name);
        const bool inward = shapes[i].inverted() != turn[i];
        report.cavities += shapes[i].is_hole() && inward;
        if (inward != shapes[i].is_hole()) add_element(odd, name);
    }
    turned.sentence = shapes.size() == 1
                          ? "turned the surface, which was inside out"
                          : fmt::format("turned {} of {} parts, which {} inside out", turned.count,
                                        shapes.size(), turned.count == 1 ? "was" : "were");
    odd.sentence =
        odd.count == 1
            ? "1 part lies inside another part but does not look like its cavity; it is kept as "
              "the file has it, so its volume counts twice"
            : fmt::format(
                  "{} parts lie inside another part but do not look like its cavity; they "
                  "are kept as the file has them, so their volume counts twice",
                  odd.count);
    if (turned.count > 0) report.repairs.push_back(std::move(turned));
    if (odd.count > 0) report.warnings.push_back(std::move(odd));
}

}  // namespace

void turn_outward(Surface& surface, std::vector<std::uint32_t>& opposite, MeshReport& report) {
    const SurfaceParts parts = find_parts(opposite);
    std::vector<PartShape> shapes = measure(surface, parts);
    refuse_flat(surface, shapes);
    if (parts.count > 1) {
        Nesting nesting(surface.vertices, surface.triangles, parts);
        for (std::uint32_t i = 0; i < parts.count; ++i) shapes[i].around = nesting.around(i);
    }
    const auto turn = parts_to_turn(shapes);
    report_parts(surface, shapes, turn, report);
    report.components = parts.count;
    std::vector<bool> turned(surface.triangles.size());
    for (std::size_t t = 0; t < turned.size(); ++t) turned[t] = turn[parts.of_triangle[t]];
    turn_triangles(surface, opposite, turned);
}

}  // namespace turgor
