#include "measure/clouds.hpp"
#include "validate_groups.hpp"

namespace turgor {

void clouds(Figures& out, Backend backend, bool quick) {
    using namespace measure;
    out.section("Clouds in the meshless model: points on a surface, three times as dense in front");
    struct Scanned {
        const char* name;
        Mesh mesh;
        std::size_t points;
    };
    std::vector<Scanned> scans;
    scans.push_back({"ball", shapes::icosphere(0.25, 5), 10000});
    if (!quick) {
        scans.push_back({"rubber duck", shapes::rubber_duck(0.5, 20000), 10000});
        scans.push_back({"gummy bear", shapes::gummy_bear(0.5, 20000), 10000});
        scans.push_back({"gummy bear", shapes::gummy_bear(0.5, 20000), 150000});
    }
    fmt::print("  {:<24} {:>9} {:>9} {:>10} {:>11} {:>9} {:>9}\n", "", "particles", "ready [s]",
               "flies [ms]", "stands [ms]", "cage", "off it");
    CloudFigures worst;
    for (const auto& [name, mesh, points] : scans) {
        const CloudFigures f = cloud_figures(backend, mesh, points, 3);
        fmt::print("  {:<24} {:>9} {:>9.2f} {:>10.3f} {:>11.3f} {:>8.2f}% {:>8.2f}%\n",
                   fmt::format("{}, {} points", name, points), f.particles, f.prepared, f.flying,
                   f.touching, 100 * f.cage_volume, 100 * f.cage_distance);
        for (double CloudFigures::*value :
             {&CloudFigures::cage_volume, &CloudFigures::cage_distance, &CloudFigures::momentum,
              &CloudFigures::angular, &CloudFigures::volume, &CloudFigures::penetration,
              &CloudFigures::cage_penetration, &CloudFigures::speed})
            worst.*value = std::max(worst.*value, f.*value);
    }
    out.at_most("cage against the mesh: volume", worst.cage_volume, 0.05);
    out.at_most("rms distance of the cage's vertices, of the body's size", worst.cage_distance,
                0.02);
    out.at_most("change of momentum in 4 s of flight", worst.momentum, 1e-6);
    out.at_most("change of angular momentum", worst.angular, 1e-4);
    out.at_most("volume error", worst.volume, 1e-6);
    out.at_most("penetration of the cage, of its size", worst.cage_penetration, 1e-3);
    out.at_most("penetration of the deepest point", worst.penetration, 0.03);
    out.at_most("speed 6 s after it was dropped [m/s]", worst.speed, 0.1);
}

}  // namespace turgor
