#include "elastic/surface/regions.hpp"

#include <algorithm>
#include <limits>

#include "base/cancel.hpp"
#include "base/errors.hpp"

namespace turgor {
namespace {

constexpr std::size_t items_max = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void fail_too_large(std::size_t particles, int omega, std::size_t items) {
    fail(ErrorCode::bad_argument,
         "The regions of {} particles at omega {} would have about {:.2g} entries, more than "
         "{:.2g}: take a "
         "smaller omega or a coarser mesh.",
         particles, omega, static_cast<double>(items), static_cast<double>(items_max));
}

/// Breadth-first searches of limited depth, one after the other.
class Rings {
public:
    Rings(const ListOfLists& graph, int omega)
        : graph_(graph),
          omega_(omega),
          seen_(graph.size(), std::numeric_limits<std::uint32_t>::max()) {}

    /// Appends everything within ω edges of `centre`; call it once for each centre.
    void append(std::uint32_t centre, std::vector<std::uint32_t>& items) {
        std::size_t at = items.size();
        seen_[centre] = centre;
        items.push_back(centre);
        for (int ring = 0; ring < omega_; ++ring)
            for (const std::size_t end = items.size(); at < end; ++at)
                for (const std::uint32_t j : graph_[items[at]])
                    if (seen_[j] != centre) seen_[j] = centre, items.push_back(j);
    }

private:
    const ListOfLists& graph_;
    int omega_;
    std::vector<std::uint32_t> seen_;  ///< the last centre that reached a vertex
};

/// The number of items to expect, from every so-many-th region: too many are refused before they
/// fill the memory.
std::size_t expected_items(const ListOfLists& graph, int omega) {
    const std::size_t step = graph.size() / 256 + 1;
    Rings rings(graph, omega);
    std::vector<std::uint32_t> row;
    std::size_t sum = 0, samples = 0;
    for (std::size_t i = 0; i < graph.size(); i += step, ++samples) {
        row.clear();
        rings.append(static_cast<std::uint32_t>(i), row);
        sum += row.size();
    }
    return samples > 0 ? sum * graph.size() / samples : 0;
}

}  // namespace

ListOfLists make_regions(const ListOfLists& graph, int omega) {
    const std::size_t expected = expected_items(graph, omega);
    if (expected > items_max) fail_too_large(graph.size(), omega, expected);
    ListOfLists regions;
    regions.starts.reserve(graph.size() + 1);
    regions.items.reserve(std::min(expected + expected / 32 + 64, items_max));
    Rings rings(graph, omega);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        check_cancelled();
        const auto begin = static_cast<std::ptrdiff_t>(regions.items.size());
        rings.append(i, regions.items);
        if (regions.items.size() > items_max)
            fail_too_large(graph.size(), omega, regions.items.size());
        std::sort(regions.items.begin() + begin, regions.items.end());
        regions.end_row();
    }
    regions.shrink();
    return regions;
}

}  // namespace turgor
