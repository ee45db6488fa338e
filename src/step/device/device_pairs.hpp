#pragma once

#include "device/shared/device_contact.h"
#include "step/device/step_pass.hpp"

namespace turgor::device {

/// Which bodies may meet in the next step: a hash table of cells that bodies are in.
class DevicePairs {
public:
    explicit DevicePairs(Queue& queue) : device_(queue.device()) {}

    /// Begins to look for them among bodies as they are after a step; nothing is waited for.
    void find(Queue& queue, std::span<const SweptInput> bodies, const Array<BodyState>& states,
              double dt);
    /// Begins to read how many there are, and then which: their places in the list of bodies.
    void read_count(Queue& queue);
    void read(Queue& queue);

    /// What was found, if there was room for all of it.
    std::span<const Two> found() const { return found_; }
    bool complete() const { return complete_; }
    std::size_t bytes() const;
    std::vector<const Kernel*> kernels() const;

private:
    const Device& device_;
    std::vector<SweptInput> given_;
    double dt_ = 0;
    std::uint32_t count_ = 0;
    std::size_t most_for_each_ = 16;
    bool complete_ = false;
    std::vector<Two> found_;

    Array<SweptInput> bodies_;
    Array<SweptBox> boxes_;
    Array<double> step_;
    Array<std::uint32_t> counts_, starts_, in_cells_, counters_;
    Array<Two> pairs_;

    Kernel clear_cells_{device_, "clear_cells"};
    Kernel sweep_boxes_{device_, "sweep_boxes"};
    Kernel scan_cells_{device_, "scan_cells"};
    Kernel fill_cells_{device_, "fill_cells"};
    Kernel emit_pairs_{device_, "emit_pairs"};
};

}  // namespace turgor::device
