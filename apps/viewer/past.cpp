#include "past.hpp"

#include <algorithm>

namespace turgor {
namespace {

constexpr std::size_t most_kept = 60;
constexpr std::size_t part_size = 1 << 14;  // [bytes]

}  // namespace

void Past::keep(double time, std::span<const std::byte> snapshot) {
    Kept kept{time, {}};
    for (std::size_t at = 0; at < snapshot.size(); at += part_size) {
        const auto bytes = snapshot.subspan(at, std::min(part_size, snapshot.size() - at));
        const std::size_t number = kept.parts.size();
        if (!kept_.empty() && number < kept_.back().parts.size() &&
            std::ranges::equal(bytes, *kept_.back().parts[number])) {
            kept.parts.push_back(kept_.back().parts[number]);
            continue;
        }
        kept.parts.push_back(
            std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end()));
        bytes_ += bytes.size();
    }
    kept_.push_back(std::move(kept));
    while (kept_.size() > 1 && (kept_.size() > most_kept || bytes_ > most_bytes_)) {
        forget(kept_.front());
        kept_.pop_front();
    }
}

/// What no other one has is gone with it.
void Past::forget(const Kept& kept) {
    for (const Part& part : kept.parts)
        if (part.use_count() == 1) bytes_ -= part->size();
}

std::vector<std::byte> Past::go_back_to(double time) {
    while (kept_.size() > 1 && kept_.back().time > time) {
        forget(kept_.back());
        kept_.pop_back();
    }
    std::vector<std::byte> snapshot;
    if (kept_.empty()) return snapshot;
    for (const Part& part : kept_.back().parts)
        snapshot.insert(snapshot.end(), part->begin(), part->end());
    return snapshot;
}

void Past::clear() {
    kept_.clear();
    bytes_ = 0;
}

}  // namespace turgor
