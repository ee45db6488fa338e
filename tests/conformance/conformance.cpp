#include "conformance/conformance.hpp"

#include <algorithm>

#include "conformance/rigid_cluster_model.hpp"

namespace turgor::test {
namespace {

const RigidClusterModel rigid_cluster;

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
    return all;
}

std::string name_of(const testing::TestParamInfo<Case>& which) {
    std::string name(which.param.model->name());
    std::ranges::replace(name, ' ', '_');
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
    return o;
}

}  // namespace turgor::test
