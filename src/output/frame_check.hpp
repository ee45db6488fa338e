#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "output/frame_writer.hpp"

namespace turgor {

/// Refuses frames that no format can hold, or that do not belong to the frames before them.
class FrameCheck {
public:
    /// `may_change`: names, triangles and the number of bodies may differ from frame to frame.
    FrameCheck(const std::filesystem::path& where, bool may_change)
        : where_(where.string()), may_change_(may_change) {}
    /// Whether it differs from the frame before. Throws Error(bad_argument), or Error(failed) where
    /// a number is not finite.
    bool check(std::span<const FrameBody> bodies);

private:
    struct Topology {
        std::string name;
        std::size_t vertices;
        std::vector<Triangle> triangles;
    };
    void check_body(const FrameBody& body) const;
    void check_triangles(const FrameBody& body) const;
    void keep(std::span<const FrameBody> bodies);
    static bool is_same(const FrameBody& body, const Topology& before);
    void check_same(const FrameBody& body, const Topology& first) const;

    std::string where_;
    bool may_change_;
    std::size_t frames_ = 0;
    std::vector<Topology> before_;
};

}  // namespace turgor
