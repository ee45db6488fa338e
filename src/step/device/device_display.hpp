#pragma once

#include "step/device/device_assets.hpp"
#include "step/device/display_tables.hpp"

namespace turgor {
struct DisplayGeometry;
}

namespace turgor::device {

/// What is shown of bodies, evaluated on the device for many at once and read back while the host
/// goes on. It has a queue of its own, so that the next step need not wait until all is read.
class DeviceDisplay {
public:
    explicit DeviceDisplay(std::shared_ptr<Device> device) : queue_(std::move(device)) {}
    ~DeviceDisplay();
    DeviceDisplay(const DeviceDisplay&) = delete;
    DeviceDisplay& operator=(const DeviceDisplay&) = delete;

    /// A body whose particles are on the device, and nothing there is about to change them.
    struct Asked {
        std::shared_ptr<const BodyAsset> asset;
        Vec3 origin;
        std::size_t particle = 0;          ///< its first of all bodies
        std::uint32_t asset_particle = 0;  ///< likewise of all assets
    };
    /// Waits for nothing but what was begun before, which is forgotten.
    void begin(std::span<const Asked> asked, const DeviceAssets& assets, const Array<Quad>& x);
    /// Waits, if need be, and hands out what was asked for as number k.
    void finish(std::size_t k, DisplayGeometry& out);
    /// Whatever another queue is told from now on happens after all kernels of this one.
    void go_before(Queue& other);

    std::size_t bytes() const;
    std::vector<std::pair<std::string, KernelTime>> kernels() const;

private:
    void wait();
    void list(std::span<const Asked> asked);
    void evaluate(const DeviceAssets& assets, const Array<Quad>& x);

    Queue queue_;
    DisplayTables tables_;
    std::vector<DisplayBody> bodies_;
    std::vector<DisplayBlock> blocks_, detail_blocks_;  ///< of meshes and of display meshes
    std::size_t vertices_ = 0, points_ = 0;             ///< of all, and of display meshes
    bool in_flight_ = false;
    cl::Event evaluated_;
    std::vector<Vec3f> positions_, normals_;  ///< as they come back

    Array<DisplayBody> bodies_there_;
    Array<DisplayBlock> blocks_there_, detail_blocks_there_;
    Array<Quad> points_there_;  ///< display vertices relative to their body's origin
    Array<Vec3f> positions_there_, normals_there_;

    Kernel show_particles_{queue_.device(), "show_particles"};
    Kernel place_detail_{queue_.device(), "place_detail"};
    Kernel detail_normals_{queue_.device(), "detail_normals"};
};

}  // namespace turgor::device
