#include "body/source.hpp"

#include "base/hash.hpp"

namespace turgor {

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
