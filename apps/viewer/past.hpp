#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace turgor {

/// Snapshots to go back to. Parts of one that the one before it has at the same place, such as
/// meshes, are kept once for both.
class Past {
public:
    /// The oldest are forgotten beyond `most_bytes` of all; the last one always stays.
    explicit Past(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    void keep(double time, std::span<const std::byte> snapshot);
    /// The last one that is not later than `time`, else the first; later ones are forgotten.
    /// Nothing where there is none.
    std::vector<std::byte> go_back_to(double time);
    void clear();

    bool empty() const { return kept_.empty(); }
    std::size_t size() const { return kept_.size(); }
    double last_time() const { return kept_.back().time; }
    std::size_t bytes() const { return bytes_; }

private:
    using Part = std::shared_ptr<const std::vector<std::byte>>;
    struct Kept {
        double time = 0;
        std::vector<Part> parts;
    };
    void forget(const Kept& kept);

    std::size_t most_bytes_, bytes_ = 0;
    std::deque<Kept> kept_;
};

}  // namespace turgor
