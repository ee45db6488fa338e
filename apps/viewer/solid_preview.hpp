#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "turgor/solid.hpp"

namespace turgor {

/// The solid of a mesh under settings that change all the time, made in a thread of its own. The
/// field is found once for each mesh; of settings only the last ones asked for count.
class SolidPreview {
public:
    SolidPreview();
    /// Gives up whatever it is busy with.
    ~SolidPreview();
    SolidPreview(const SolidPreview&) = delete;
    SolidPreview& operator=(const SolidPreview&) = delete;

    /// All of these return at once.
    void take(Mesh mesh);
    void set(const SolidSettings& settings);

    struct Made {
        Solid solid;
        SolidQuality quality;
        double milliseconds = 0;  ///< that the solid took, without the field
        std::string error;        ///< why there is none
        bool of_new_mesh = false;
    };
    /// What has become ready since the last call; null: nothing.
    std::shared_ptr<const Made> news();
    bool busy() const;
    /// How many fields were found so far.
    std::size_t fields() const { return fields_; }

private:
    static constexpr int voxels = 192;
    void live();  ///< the thread
    void make();

    // Of the thread only.
    std::optional<SolidField> field_;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    // Guarded.
    std::optional<Mesh> mesh_;
    std::optional<SolidSettings> settings_, next_settings_;
    std::shared_ptr<const Made> made_;
    bool quit_ = false, working_ = false;

    std::atomic<bool> give_up_ = false;  ///< what is being made is no longer wanted
    std::atomic<std::size_t> fields_ = 0;
    std::thread thread_;
};

}  // namespace turgor
