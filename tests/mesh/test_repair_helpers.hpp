#pragma once

#include "mesh/test_read_helpers.hpp"

namespace turgor::test {

inline std::string refusal_of(const Mesh& mesh) {
    return refusal([&] { make_mesh(mesh); });
}

/// Makes it and checks that the repair of this kind (and it alone, if `alone`) was noted.
inline Mesh repaired(const Mesh& raw, const std::string& kind, bool alone = true) {
    MeshReport report;
    Mesh mesh = make_mesh(raw, {}, &report);
    EXPECT_TRUE(is_sound(mesh));
    EXPECT_TRUE(find(report.repairs, kind)) << kind;
    if (alone) {
        EXPECT_EQ(report.repairs.size(), 1u) << kind;
    }
    for (const auto& finding : report.repairs) {
        EXPECT_GT(finding.count, 0u);
        EXPECT_FALSE(finding.sentence.empty());
        EXPECT_LE(finding.elements.size(), 8u);
    }
    return mesh;
}

inline const std::vector<Mesh>& good_meshes() {
    static const std::vector<Mesh> meshes{box({0, 0, 0}, {1, 2, 3}), shapes::icosphere(1, 2),
                                          shapes::torus(1, 0.3, 16, 9), shapes::cube(1, 5)};
    return meshes;
}

}  // namespace turgor::test
