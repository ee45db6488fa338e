#include "solid_preview.hpp"

#include <chrono>
#include <utility>

#include "base/cancel.hpp"
#include "turgor/scheduler.hpp"

namespace turgor {

SolidPreview::SolidPreview() : thread_([this] { live(); }) {}

SolidPreview::~SolidPreview() {
    {
        const std::scoped_lock lock(mutex_);
        quit_ = true;
        give_up_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void SolidPreview::take(Mesh mesh) {
    {
        const std::scoped_lock lock(mutex_);
        mesh_ = std::move(mesh);
        made_.reset();
        give_up_ = true;
    }
    wake_.notify_one();
}

void SolidPreview::set(const SolidSettings& settings) {
    {
        const std::scoped_lock lock(mutex_);
        next_settings_ = settings;
    }
    wake_.notify_one();
}

std::shared_ptr<const SolidPreview::Made> SolidPreview::news() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(made_, nullptr);
}

bool SolidPreview::busy() const {
    const std::scoped_lock lock(mutex_);
    return working_ || mesh_ || (next_settings_ && field_);
}

void SolidPreview::live() {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            working_ = false;
            wake_.wait(lock, [&] { return quit_ || mesh_ || (next_settings_ && field_); });
            if (quit_) return;
            working_ = true;
            give_up_ = false;
        }
        const CancelScope scope(give_up_);
        try {
            make();
        } catch (const Cancelled&) {
        }
    }
}

void SolidPreview::make() {
    using Clock = std::chrono::steady_clock;
    std::optional<Mesh> mesh;
    SolidSettings settings;
    {
        const std::scoped_lock lock(mutex_);
        mesh = std::exchange(mesh_, std::nullopt);
        if (next_settings_) settings_ = std::exchange(next_settings_, std::nullopt);
        settings = settings_.value_or(SolidSettings{});
    }
    Made made;
    made.of_new_mesh = mesh.has_value();
    try {
        // The simulation has threads of its own: this one does it alone.
        if (mesh) {
            field_.reset();
            field_.emplace(*mesh, voxels);
            ++fields_;
        }
        const auto start = Clock::now();
        made.solid = field_->solid(settings);
        made.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        made.quality = quality(made.solid);
    } catch (const std::exception& e) {
        if (dynamic_cast<const Cancelled*>(&e)) throw;
        made.error = e.what();
    }
    const std::scoped_lock lock(mutex_);
    if (!mesh_) made_ = std::make_shared<const Made>(std::move(made));
}

}  // namespace turgor
