#include "body/source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/hash.hpp"
#include "body/papers_step.hpp"

namespace turgor {

double longest_step(const BodySource& source) {
    // What is pressed by neighbours that are e times as heavy gives way e times as far. Found by
    // dropping bodies with a heavy upper half: none gains energy.
    constexpr double harmless = 5;
    double steepest = harmless;
    const std::vector<double>& masses = source.relative_masses;
    if (!masses.empty())
        for (const Triangle& t : source.mesh.triangles)
            for (std::size_t k = 0; k < 3; ++k)
                steepest = std::max(steepest, masses[t[k]] / masses[t[(k + 1) % 3]]);
    return steepest > harmless ? papers_step * std::sqrt(harmless / steepest)
                               : std::numeric_limits<double>::infinity();
}

std::uint64_t hash_of(const BodySource& source) {
    Hash hash;
    const auto add = [&](const Mesh& m) {
        hash.add_array(std::span<const Vec3>(m.vertices));
        hash.add_array(std::span<const Triangle>(m.triangles));
        hash.add<std::uint64_t>(m.vertices.size());
    };
    add(source.mesh);
    if (source.display) add(*source.display);
    // Of a source that has neither the hash is that of its meshes.
    const auto add_values = [&](const char* what, const std::vector<double>& values) {
        if (values.empty()) return;
        hash.add_array(std::span(std::string_view(what)));
        hash.add_array(std::span(values));
    };
    add_values("relative masses", source.relative_masses);
    add_values("matching weights", source.matching_weights);
    return hash.value();
}

}  // namespace turgor
