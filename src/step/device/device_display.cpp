#include "step/device/device_display.hpp"

#include <algorithm>

#include "step/display_geometry.hpp"
#include "step/step_world.hpp"

namespace turgor::device {
namespace {

constexpr std::size_t vertices_of_a_block = 2048;

void add_blocks(std::vector<DisplayBlock>& blocks, std::size_t body, std::size_t vertices) {
    for (std::size_t begin = 0; begin < vertices; begin += vertices_of_a_block)
        blocks.push_back({static_cast<uint>(body), static_cast<uint>(begin),
                          static_cast<uint>(std::min(vertices, begin + vertices_of_a_block))});
}

}  // namespace

DeviceDisplay::~DeviceDisplay() {
    try {
        wait();
    } catch (const cl::Error&) {
        // The device is lost, and with it whoever would write into our memory.
    }
}

void DeviceDisplay::wait() {
    if (!in_flight_) return;
    queue_.wait();
    in_flight_ = false;
    // The time that passes here is told by whoever waits.
    std::array<double, stage_names.size()> milliseconds{};
    queue_.note_times(milliseconds);
}

void DeviceDisplay::list(std::span<const Asked> asked) {
    tables_.forget_what_is_gone();
    bodies_.clear();
    blocks_.clear();
    detail_blocks_.clear();
    vertices_ = points_ = 0;
    for (const Asked& body : asked) {
        const DisplayTables::TableEntry& tables = tables_.of(queue_, body.asset);
        const std::size_t particles = body.asset->vertex_of_particle.size(),
                          bound = body.asset->detail() ? body.asset->detail()->bindings.size() : 0;
        add_blocks(blocks_, bodies_.size(), particles);
        add_blocks(detail_blocks_, bodies_.size(), bound);
        bodies_.push_back({{body.origin.x, body.origin.y, body.origin.z},
                           static_cast<uint>(body.particle),
                           body.asset_particle,
                           static_cast<uint>(tables.particle),
                           static_cast<uint>(tables.binding),
                           static_cast<uint>(particles),
                           static_cast<uint>(bound),
                           static_cast<uint>(vertices_),
                           static_cast<uint>(points_)});
        vertices_ += particles + bound;
        points_ += bound;
    }
}

void DeviceDisplay::begin(std::span<const Asked> asked, const DeviceAssets& assets,
                          const Array<Quad>& x) {
    wait();
    list(asked);
    if (bodies_.empty()) return;
    in_flight_ = true;
    evaluated_ = {};
    const auto put = [&](auto& array, const auto& values) {
        array.resize(queue_, values.size());
        array.write(queue_, 0, std::span(values));
    };
    put(bodies_there_, bodies_);
    put(blocks_there_, blocks_);
    put(detail_blocks_there_, detail_blocks_);
    points_there_.resize(queue_, points_);
    positions_there_.resize(queue_, vertices_);
    normals_there_.resize(queue_, vertices_);
    positions_.resize(vertices_);
    normals_.resize(vertices_);
    evaluate(assets, x);
    queue_.commands().enqueueMarkerWithWaitList(nullptr, &evaluated_);
    positions_there_.read(queue_, 0, positions_);
    normals_there_.read(queue_, 0, normals_);
    queue_.commands().flush();
}

void DeviceDisplay::evaluate(const DeviceAssets& assets, const Array<Quad>& x) {
    const unsigned items = queue_.device().groups().blocks;
    queue_.run(show_particles_, Stage::publish, blocks_.size(), items, blocks_there_, bodies_there_,
               x, assets.ring_starts, assets.ring, tables_.vertex_of_particle, positions_there_,
               normals_there_);
    queue_.run(place_detail_, Stage::publish, detail_blocks_.size(), items, detail_blocks_there_,
               bodies_there_, x, normals_there_, tables_.bindings, points_there_, positions_there_);
    queue_.run(detail_normals_, Stage::publish, detail_blocks_.size(), items, detail_blocks_there_,
               bodies_there_, points_there_, tables_.triangle_starts, tables_.others,
               normals_there_);
}

void DeviceDisplay::finish(std::size_t k, DisplayGeometry& out) {
    wait();
    const DisplayBody& body = bodies_[k];
    const auto take = [](std::span<const Vec3f> all, std::size_t first, std::size_t count,
                         std::vector<Vec3f>& to) {
        const auto part = all.subspan(first, count);
        to.assign(part.begin(), part.end());
    };
    take(positions_, body.shown, body.particles, out.positions);
    take(normals_, body.shown, body.particles, out.normals);
    take(positions_, body.shown + body.particles, body.bound, out.display_positions);
    take(normals_, body.shown + body.particles, body.bound, out.display_normals);
}

void DeviceDisplay::go_before(Queue& other) {
    if (!in_flight_ || !evaluated_()) return;
    const std::vector<cl::Event> events{evaluated_};
    other.commands().enqueueBarrierWithWaitList(&events);
}

std::size_t DeviceDisplay::bytes() const {
    const auto sum = [](const auto&... array) { return (array.bytes() + ...); };
    return tables_.bytes() + sum(bodies_there_, blocks_there_, detail_blocks_there_, points_there_,
                                 positions_there_, normals_there_);
}

std::vector<std::pair<std::string, KernelTime>> DeviceDisplay::kernels() const {
    std::vector<std::pair<std::string, KernelTime>> all;
    for (const Kernel* kernel : {&show_particles_, &place_detail_, &detail_normals_})
        all.emplace_back(kernel->name, kernel->done);
    return all;
}

}  // namespace turgor::device
