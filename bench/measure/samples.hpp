#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace turgor {

/// Median and minimum of many numbers in little memory: of long series every 2ᵏ-th number is kept.
class Samples {
public:
    void add(double value) {
        least_ = std::min(least_, value);
        if (count_++ % stride_ != 0) return;
        kept_.push_back(value);
        if (kept_.size() < most) return;
        for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
        kept_.resize((kept_.size() + 1) / 2);
        stride_ *= 2;
    }
    double min() const { return count_ > 0 ? least_ : 0; }
    double median() const {
        if (kept_.empty()) return 0;
        std::vector<double> sorted = kept_;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        return *middle;
    }

private:
    static constexpr std::size_t most = 1 << 16;
    std::vector<double> kept_;
    std::size_t count_ = 0, stride_ = 1;
    double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace turgor
