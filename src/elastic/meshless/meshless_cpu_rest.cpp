#include <algorithm>

#include "elastic/meshless/meshless_cpu.hpp"

namespace turgor {

std::shared_ptr<const MeshlessCpuRest> make_meshless_cpu_rest(const CpuAsset& asset,
                                                              const MeshlessRest& rest) {
    auto made = std::make_shared<MeshlessCpuRest>();
    MeshlessCpuRest& cpu = *made;
    const bool bends =
        std::ranges::any_of(rest.clusters, [](const Cluster& c) { return c.bends > 0; });
    cpu.rows = bends ? quadratic_rows : linear_rows;
    const std::uint32_t group = CpuLayout::group, groups = asset.padded / group;
    const std::size_t clusters = rest.clusters.size();

    cpu.per_weight.assign(asset.padded, 0);
    cpu.importance.assign(asset.padded, 0);
    for (std::uint32_t i = 0; i < asset.count; ++i) {
        const double firm = rest.importance.empty() ? 1 : rest.importance[i];
        cpu.importance[i] = static_cast<float>(firm);
        if (firm > 0) cpu.per_weight[i] = static_cast<float>(1 / (firm * double{asset.mass[i]}));
    }
    // Which cells there are: by block, then cluster, then group.
    constexpr std::uint32_t groups_of_block = CpuLayout::block / CpuLayout::group;
    std::vector<std::vector<std::uint32_t>> groups_in(clusters);
    for (std::size_t c = 0; c < clusters; ++c) {
        auto& list = groups_in[c];
        for (std::uint32_t k = rest.clusters[c].begin; k < rest.clusters[c].end; ++k)
            list.push_back(rest.members[k].particle / group);
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    std::vector<std::vector<std::uint32_t>> cells_of(groups);
    std::vector<std::vector<std::uint32_t>> cell_at(clusters);  // of groups_in
    for (std::size_t c = 0; c < clusters; ++c) cell_at[c].resize(groups_in[c].size());
    for (std::uint32_t block = 0; block < asset.blocks; ++block)
        for (std::uint32_t c = 0; c < clusters; ++c) {
            cpu.starts.push_back(static_cast<std::uint32_t>(cpu.cells.size()));
            for (std::size_t k = 0; k < groups_in[c].size(); ++k) {
                const std::uint32_t g = groups_in[c][k];
                if (g / groups_of_block != block) continue;
                const auto cell = static_cast<std::uint32_t>(cpu.cells.size());
                cell_at[c][k] = cell;
                cells_of[g].push_back(cell);
                cpu.cells.push_back({g, c});
            }
        }
    cpu.starts.push_back(static_cast<std::uint32_t>(cpu.cells.size()));
    cpu.group_starts.push_back(0);
    for (const auto& list : cells_of) {
        cpu.group_cells.insert(cpu.group_cells.end(), list.begin(), list.end());
        cpu.group_starts.push_back(static_cast<std::uint32_t>(cpu.group_cells.size()));
    }
    cpu.row.assign(cpu.cells.size() * cpu.rows * group, 0);
    cpu.row_sums.resize(clusters);
    for (std::size_t c = 0; c < clusters; ++c) {
        const Cluster& cluster = rest.clusters[c];
        for (std::uint32_t k = cluster.begin; k < cluster.end; ++k) {
            const Member& m = rest.members[k];
            const auto at = std::ranges::lower_bound(groups_in[c], m.particle / group);
            const std::size_t cell =
                cell_at[c][static_cast<std::size_t>(at - groups_in[c].begin())];
            std::array<double, quadratic_rows> values{m.weight, m.weight * m.offset.x,
                                                      m.weight * m.offset.y, m.weight * m.offset.z};
            for (std::size_t b = 0; b < most_bends; ++b)
                values[linear_rows + b] = m.weight * m.bend[b];
            for (std::size_t r = 0; r < cpu.rows; ++r) {
                const auto value = static_cast<float>(values[r]);
                cpu.row[(cell * cpu.rows + r) * group + m.particle % group] = value;
                cpu.row_sums[c][r] += double{value};
            }
        }
    }
    return made;
}

std::size_t bytes(const MeshlessCpuRest& rest) {
    const auto size = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
    return sizeof rest + size(rest.cells) + size(rest.row) + size(rest.starts) +
           size(rest.group_starts) + size(rest.group_cells) + size(rest.per_weight) +
           size(rest.importance) + size(rest.row_sums);
}

}  // namespace turgor
