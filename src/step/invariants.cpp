#include "step/invariants.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "step/stages.hpp"

namespace turgor {

bool is_closed(const BodyAsset& asset) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : asset.triangles)
        for (std::size_t k = 0; k < 3; ++k)
            if (t[k] >= asset.surface_count || !edges.insert({t[k], t[(k + 1) % 3]}).second)
                return false;
    return std::ranges::all_of(edges, [&](const auto& e) {
        return edges.contains({e.second, e.first});
    });
}

bool keeps_promises(const ReferencePass& pass, std::span<const Vec3> before,
                    std::span<const double> mass, bool conserves_momentum) {
    Vec3 moved, weighed;
    bool held = false;
    for (std::size_t i = 0; i < pass.x.size(); ++i) {
        if (!(pass.change[i] >= 0)) return !std::isfinite(norm(before[i]));  // it has exploded
        if (is_held(pass.supports[i])) {
            held = true;
            if (pass.x[i] != before[i]) return false;
        }
        const Vec3 by = mass[i] * (pass.x[i] - before[i]);
        moved += by;
        const Vec3 size{std::abs(before[i].x), std::abs(before[i].y), std::abs(before[i].z)};
        weighed += mass[i] * size;
    }
    return held || !conserves_momentum || !(norm(moved) > 1e-9 * norm(weighed));
}

bool is_coloured(const ContactConstraints& constraints) {
    for (const ContactConstraint& c : constraints.all)
        if (!(std::abs(norm(c.normal) - 1) < 1e-6)) return false;
    for (std::size_t colour = 0; colour + 1 < constraints.colours.size(); ++colour) {
        std::set<std::uint32_t> of_colour;
        for (auto b = constraints.colours[colour]; b < constraints.colours[colour + 1]; ++b) {
            const auto& batch = constraints.batches[b];
            std::set<std::uint32_t> of_batch;
            for (std::uint32_t k = batch.first; k < batch.last; ++k)
                for (const std::uint32_t body : constraints.all[k].body)
                    if (body != ContactConstraint::none) of_batch.insert(body);
            for (const std::uint32_t body : of_batch)
                if (!of_colour.insert(body).second) return false;
        }
    }
    return true;
}

}  // namespace turgor
