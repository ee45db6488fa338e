#include "step/device/device_pairs.hpp"

#include <algorithm>
#include <bit>

#include "device/convert.hpp"

namespace turgor::device {
void DevicePairs::find(Queue& queue, std::span<const SweptInput> bodies,
                       const Array<BodyState>& states, double dt) {
    complete_ = false;
    given_.assign(bodies.begin(), bodies.end());
    dt_ = dt;
    const std::uint32_t n = narrow(bodies.size()), cells = std::bit_ceil(2 * n), mask = cells - 1;
    bodies_.resize(queue, n);
    boxes_.resize(queue, n);
    in_cells_.resize(queue, n);
    counts_.resize(queue, cells);
    starts_.resize(queue, cells + 1);
    counters_.resize(queue, 3);
    step_.resize(queue, 1);
    // The host keeps at most 32 for a body: where bodies have far more, it looks for them itself.
    if (count_ > pairs_.size()) most_for_each_ = 64;
    pairs_.resize(queue, std::max<std::size_t>(1024, most_for_each_ * bodies.size()));
    bodies_.write(queue, 0, given_);
    step_.write(queue, 0, std::span(&dt_, 1));
    const unsigned few = queue.device().groups().bodies, many = queue.device().groups().blocks;
    const auto groups = [&](std::uint32_t items) { return (items + few - 1) / few; };
    const Stage stage = Stage::contact;
    queue.run(clear_cells_, stage, groups(cells), few, counts_, counters_, cells);
    queue.run(sweep_boxes_, stage, groups(n), few, bodies_, states, boxes_, counts_, counters_,
              step_, n, mask);
    queue.run(scan_cells_, stage, 1, many, counts_, starts_, cells);
    queue.run(fill_cells_, stage, groups(n), few, boxes_, starts_, counts_, in_cells_, n);
    queue.run(emit_pairs_, stage, groups(n), few, bodies_, boxes_, starts_, in_cells_, counters_,
              pairs_, n, mask, narrow(pairs_.size()));
}

void DevicePairs::read_count(Queue& queue) {
    counters_.read(queue, 0, std::span(&count_, 1));
}

void DevicePairs::read(Queue& queue) {
    complete_ = count_ <= pairs_.size();
    found_.resize(complete_ ? count_ : 0);
    pairs_.read(queue, 0, std::span(found_));
}

std::size_t DevicePairs::bytes() const {
    const auto sum = [](const auto&... array) { return (array.bytes() + ...); };
    return sum(bodies_, boxes_, counts_, starts_, in_cells_, pairs_);
}

std::vector<const Kernel*> DevicePairs::kernels() const {
    return {&clear_cells_, &sweep_boxes_, &scan_cells_, &fill_cells_, &emit_pairs_};
}

}  // namespace turgor::device
