#include "conformance/conformance.hpp"

#include <algorithm>

#include "conformance/rigid_cluster_model.hpp"

namespace turgor::test {
namespace {

const RigidClusterModel rigid_cluster;

/// Some of them in the mesh of these tests, more on its left than on its right.
const Mesh& points_inside() {
    static const Mesh cloud = [] {
        Mesh points{"points", {}, {}};
        const Mesh bear = shapes::gummy_bear(0.57, 300);
        for (const Vec3& p : bear.vertices)
            if (p.x < 0 || points.vertices.size() % 3 != 0) points.vertices.push_back(p);
        return points;
    }();
    return cloud;
}

}  // namespace

std::vector<Case> cases() {
    static const bool registered = [] {
        register_model(rigid_cluster);
        return true;
    }();
    static_cast<void>(registered);
    std::vector<Case> all;
    for (const ElasticModel* model : models())
        for (const Backend backend : {Backend::reference, Backend::cpu, Backend::opencl})
            all.push_back({model, backend});
    for (const Backend backend : {Backend::reference, Backend::cpu})
        all.push_back({&model_named("meshless"), backend, true});
    return all;
}

std::string name_of(const testing::TestParamInfo<Case>& which) {
    std::string name(which.param.model->name());
    std::ranges::replace(name, ' ', '_');
    if (which.param.cloud) name += "_cloud";
    return name + (which.param.backend == Backend::reference ? "_reference"
                   : which.param.backend == Backend::cpu     ? "_cpu"
                                                             : "_opencl");
}

void Conformance::SetUp() {
    if (GetParam().backend != Backend::opencl) return;
    try {
        World{settings()};
    } catch (const Error& e) {
        GTEST_SKIP() << e.what();
    }
}

WorldSettings Conformance::settings(int threads) const {
    WorldSettings s;
    s.backend = GetParam().backend;
    s.threads = threads;
    return s;
}

BodyOptions options_of(const ElasticModel& model) {
    BodyOptions o;
    o.model.name = model.name();
    // About as many particles as the meshes of these tests have vertices.
    for (const ElasticModel::Setting& setting : model.settings())
        if (setting.name == "cells") o.model.settings["cells"] = 8;
    return o;
}

BodyOptions Conformance::options(Vec3 position) const {
    BodyOptions o = options_of(*GetParam().model);
    o.position = position;
    if (GetParam().cloud) o.display = &points_inside();
    return o;
}

}  // namespace turgor::test
