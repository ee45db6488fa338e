#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "elastic/model.hpp"
#include "turgor/turgor.hpp"

namespace turgor::test {

/// A model on a back end.
struct Case {
    const ElasticModel* model;
    Backend backend;
    bool cloud = false;  ///< with points inside
};

/// All models, that of this suite (rigid_cluster_model.hpp) included, on all back ends.
std::vector<Case> cases();
/// With settings that make its bodies small.
BodyOptions options_of(const ElasticModel& model);
std::string name_of(const testing::TestParamInfo<Case>& which);

class Conformance : public testing::TestWithParam<Case> {
protected:
    void SetUp() override;
    WorldSettings settings(int threads = 1) const;
    BodyOptions options(Vec3 position = {}) const;
    bool exact() const { return GetParam().backend == Backend::reference; }
    /// Far from any mesh's own symmetry.
    static Mesh mesh() { return shapes::gummy_bear(0.6, 300); }
    static Material material() { return Material::named("gummy"); }
};

inline double volume_error(const Body& body) {
    return std::abs(body.volume() / body.rest_volume() - 1);
}

}  // namespace turgor::test
