#include "speed/bullet.hpp"

#ifndef TURGOR_HAS_BULLET

namespace turgor::speed {
bool has_bullet() {
    return false;
}
std::unique_ptr<BulletWorld> make_bullet_world(const Mesh&, std::span<const Vec3>) {
    return nullptr;
}
}  // namespace turgor::speed

#else

#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace turgor::speed {
namespace {

/// Bytes that Bullet holds at the moment.
std::size_t held = 0;

void* allocate(std::size_t size, int alignment) {
    const auto offset = static_cast<std::size_t>(std::max(alignment, 16));
    void* block = std::aligned_alloc(offset, (size + 2 * offset - 1) / offset * offset);
    *static_cast<std::size_t*>(block) = size;
    *reinterpret_cast<std::size_t*>(static_cast<char*>(block) + offset - sizeof(std::size_t)) =
        offset;
    held += size;
    return static_cast<char*>(block) + offset;
}

void release(void* memory) {
    if (!memory) return;
    const std::size_t offset =
        *reinterpret_cast<std::size_t*>(static_cast<char*>(memory) - sizeof(std::size_t));
    void* block = static_cast<char*>(memory) - offset;
    held -= *static_cast<std::size_t*>(block);
    std::free(block);
}

double volume_of(const btSoftBody& body) {
    double six = 0;
    for (int i = 0; i < body.m_faces.size(); ++i) {
        const auto& n = body.m_faces[i].m_n;
        const btVector3 a = n[0]->m_x, b = n[1]->m_x, c = n[2]->m_x;
        six += a.dot(b.cross(c));
    }
    return six / 6;
}

class Bullet final : public BulletWorld {
public:
    Bullet(const Mesh& mesh, std::span<const Vec3> places)
        : start_(held),
          dispatcher_(&configuration_),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
          ground_shape_(btVector3(0, 1, 0), 0),
          ground_(0, nullptr, &ground_shape_) {
        world_.setGravity({0, -9.81f, 0});
        info_.m_broadphase = &broadphase_;
        info_.m_dispatcher = &dispatcher_;
        info_.m_gravity = {0, -9.81f, 0};
        info_.m_sparsesdf.Initialize();
        world_.addRigidBody(&ground_);
        for (const Vec3& place : places) add(mesh, place);
    }
    ~Bullet() override {
        for (auto& body : bodies_) world_.removeSoftBody(body.get());
        world_.removeRigidBody(&ground_);
    }
    void step(double dt) override { world_.stepSimulation(static_cast<float>(dt), 0); }
    double volume_error() const override {
        double worst = 0;
        for (const auto& body : bodies_)
            worst = std::max(worst, std::abs(volume_of(*body) / rest_volume_ - 1));
        return worst;
    }
    double bytes() const override { return static_cast<double>(held - start_); }

private:
    void add(const Mesh& mesh, Vec3 place) {
        std::vector<btScalar> vertices;
        std::vector<int> corners;
        for (const Vec3& v : mesh.vertices)
            for (int k = 0; k < 3; ++k) vertices.push_back(static_cast<float>(v[k] + place[k]));
        for (const Triangle& t : mesh.triangles)
            for (const auto i : t) corners.push_back(static_cast<int>(i));
        std::unique_ptr<btSoftBody> body(
            btSoftBodyHelpers::CreateFromTriMesh(info_, vertices.data(), corners.data(),
                                                 static_cast<int>(mesh.triangles.size()), false));
        body->getCollisionShape()->setMargin(0.01f);
        body->generateBendingConstraints(2);
        body->m_cfg.kVC = 1e6f;
        body->m_cfg.kMT = 0.05f;
        body->m_cfg.piterations = 5;
        body->m_cfg.collisions = btSoftBody::fCollision::SDF_RS;
        rest_volume_ = volume_of(*body);
        body->setTotalDensity(1000);
        body->setPose(true, true);
        world_.addSoftBody(body.get());
        bodies_.push_back(std::move(body));
    }

    std::size_t start_;
    btSoftBodyRigidBodyCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btSoftRigidDynamicsWorld world_;
    btSoftBodyWorldInfo info_;
    btStaticPlaneShape ground_shape_;
    btRigidBody ground_;
    std::vector<std::unique_ptr<btSoftBody> > bodies_;
    double rest_volume_ = 0;
};

}  // namespace

bool has_bullet() {
    return true;
}

std::unique_ptr<BulletWorld> make_bullet_world(const Mesh& mesh, std::span<const Vec3> places) {
    static const bool counted = [] {
        btAlignedAllocSetCustomAligned(allocate, release);
        return true;
    }();
    (void)counted;
    return std::make_unique<Bullet>(mesh, places);
}

}  // namespace turgor::speed

#endif
