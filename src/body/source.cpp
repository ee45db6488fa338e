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
    return hash.value();
}

}  // namespace turgor
