#pragma once

#include <cstddef>
#include <map>

namespace turgor::device {

/// Who has which part of an array: ranges are taken from the first gap that is large enough, else
/// from the end.
class Ranges {
public:
    std::size_t take(std::size_t count) {
        for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
            const auto [first, size] = *gap;
            if (size < count) continue;
            gaps_.erase(gap);
            if (size > count) gaps_[first + count] = size - count;
            return first;
        }
        const std::size_t first = end_;
        end_ += count;
        return first;
    }
    void give_back(std::size_t first, std::size_t count) {
        if (count == 0) return;
        auto next = gaps_.lower_bound(first);
        if (next != gaps_.end() && first + count == next->first) {
            count += next->second;
            next = gaps_.erase(next);
        }
        if (next != gaps_.begin()) {
            const auto before = std::prev(next);
            if (before->first + before->second == first) {
                first = before->first;
                count += before->second;
                gaps_.erase(before);
            }
        }
        if (first + count == end_)
            end_ = first;
        else
            gaps_[first] = count;
    }
    std::size_t end() const { return end_; }

private:
    std::map<std::size_t, std::size_t> gaps_;  ///< first and size
    std::size_t end_ = 0;
};

}  // namespace turgor::device
