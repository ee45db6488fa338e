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
    explicit FrameCheck(const std::filesystem::path& where) : where_(where.string()) {}
    /// Throws Error(bad_argument), or Error(failed) where a number is not finite.
    void check(std::span<const FrameBody> bodies);

private:
    struct Topology {
        std::string name;
        std::size_t vertices;
        std::vector<Triangle> triangles;
    };
    void check_body(const FrameBody& body) const;
    void check_triangles(const FrameBody& body) const;
    void check_same(const FrameBody& body, const Topology& first) const;

    std::string where_;
    std::size_t frames_ = 0;
    std::vector<Topology> first_;
};

}  // namespace turgor
