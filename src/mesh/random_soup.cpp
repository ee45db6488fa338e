#include "base/random.hpp"
#include "mesh/soups.hpp"

namespace turgor::shapes {
namespace {

Mesh random_shell(Random& random) {
    switch (random.bits() % 6) {
        case 0:
            return icosphere(0.5, 2);
        case 1:
            return torus(0.4, 0.15, 20, 10);
        case 2:
            return cube(1, 6);
        case 3:
            return capsule(0.2, 1, 12);
        case 4:
            return bar({1, 0.05, 0.4}, 12);
        default: {  // a sheet
            Mesh sheet;
            for (int i = 0; i < 25; ++i)
                sheet.vertices.push_back({0.25 * (i % 5) - 0.5, 0.1 * random.between(-1, 1),
                                          0.25 * static_cast<double>(i / 5) - 0.5});
            for (std::uint32_t i = 0; i < 20; ++i)
                if (i % 5 < 4) {
                    sheet.triangles.push_back({i, i + 5, i + 1});
                    sheet.triangles.push_back({i + 1, i + 5, i + 6});
                }
            return sheet;
        }
    }
}

}  // namespace

Mesh random_soup(std::uint64_t seed) {
    Random random(seed);
    Mesh soup;
    soup.name = "soup";
    const std::uint64_t shells = 1 + random.bits() % 6;
    // Shares of triangles that are missing and that are turned; how far corners are off.
    const double missing = random.bits() % 2 ? random.between(0, 0.3) : 0,
                 turned = random.bits() % 3 == 0 ? random.between(0, 0.5) : 0,
                 jitter = random.bits() % 4 == 0 ? 0.01 : 0;
    for (std::uint64_t k = 0; k < shells; ++k) {
        const Mesh shell = random_shell(random);
        const Quat rotation = random.rotation();
        const Vec3 stretch = random.in_box({0.1, 0.1, 0.1}, {1, 1, 1}),
                   offset = 0.7 * random.in_cube();
        for (Triangle t : shell.triangles) {
            if (random.between(0, 1) < missing) continue;
            if (random.between(0, 1) < turned) std::swap(t[0], t[1]);
            const auto first = static_cast<std::uint32_t>(soup.vertices.size());
            for (const std::uint32_t v : t) {
                const Vec3 p = shell.vertices[v];
                soup.vertices.push_back(
                    offset +
                    rotate(rotation, Vec3{stretch.x * p.x, stretch.y * p.y, stretch.z * p.z}) +
                    jitter * random.in_cube());
            }
            soup.triangles.push_back({first, first + 1, first + 2});
        }
    }
    return soup;
}

}  // namespace turgor::shapes
