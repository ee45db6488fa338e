#include "step/device/device_assets.hpp"

#include "base/assert.hpp"

namespace turgor::device {
namespace {

/// The closed walks around particles, one after the other; CpuAsset has them in pairs.
struct Walks {
    std::vector<std::uint32_t> starts, ring;
    explicit Walks(const CpuAsset& asset) {
        starts.reserve(asset.padded + 1);
        for (std::uint32_t i = 0; i < asset.padded; ++i) {
            starts.push_back(static_cast<std::uint32_t>(ring.size()));
            const std::size_t first = asset.ring_starts[i / 2];
            std::size_t last = asset.ring_starts[i / 2 + 1];
            const auto at = [&](std::size_t k) { return asset.ring[k][i % 2]; };
            // The shorter walk of a pair stays at its end.
            while (last - first > 1 && at(last - 1) == at(last - 2)) --last;
            for (std::size_t k = first; k < last; ++k) ring.push_back(at(k));
        }
        starts.push_back(static_cast<std::uint32_t>(ring.size()));
    }
};

std::vector<std::uint32_t> shifted(std::span<const std::uint32_t> values, std::size_t by) {
    std::vector<std::uint32_t> result(values.begin(), values.end());
    for (std::uint32_t& v : result) v += static_cast<std::uint32_t>(by);
    return result;
}

}  // namespace

DeviceRest device_rest(const BodySim& body) {
    return {body.parts.cpu_asset, body.parts.asset, body.parts.cpu_volume,
            body.elastic->cpu()->rest()};
}

std::uint32_t DeviceAssets::take(Queue& queue, const DeviceRest& wanted,
                                 const UploadElastic& upload_elastic) {
    AssetEntry& entry = entries_[{wanted.asset.get(), wanted.elastic.get()}];
    if (entry.bodies++ == 0) {
        entry.rest = wanted;
        upload(queue, entry);
        upload_elastic(entry.particle, particles_.end());
    }
    return static_cast<std::uint32_t>(entry.particle);
}

void DeviceAssets::upload(Queue& queue, AssetEntry& entry) {
    const CpuAsset& a = *entry.rest.asset;
    const CpuRegions& regions = *entry.rest.volume.smoothing;
    const CpuStruts& struts = *entry.rest.volume.struts;
    const Walks walks(a);
    // One more for the end of the last region and walk.
    const std::size_t particles = a.padded + 1;
    entry.particle = particles_.take(particles);
    entry.run = runs_.take(regions.runs.size());
    entry.rings = walks.ring.size();
    entry.ring = rings_.take(entry.rings);
    const auto put = [&](auto& array, const Ranges& ranges, std::size_t first, const auto& values) {
        array.resize(queue, std::max<std::size_t>(1, ranges.end()));
        array.write(queue, first, std::span(values));
    };
    const std::vector<std::uint32_t> run_starts_here = shifted(regions.run_starts, entry.run),
                                     ring_starts_here = shifted(walks.starts, entry.ring);
    AlignedVector<Quad> rest_and_share(a.padded);
    for (std::uint32_t i = 0; i < a.count; ++i)
        rest_and_share[i] = to_quad(entry.rest.body_asset->rest[i], regions.share[i]);
    put(mass, particles_, entry.particle, a.mass);
    put(per_mass, particles_, entry.particle, a.per_mass);
    put(strut, particles_, entry.particle, struts.strut);
    put(strut_partner, particles_, entry.particle, struts.partner);
    put(rest, particles_, entry.particle, rest_and_share);
    put(run_starts, particles_, entry.particle, run_starts_here);
    put(ring_starts, particles_, entry.particle, ring_starts_here);
    put(runs, runs_, entry.run, regions.runs);
    put(ring, rings_, entry.ring, walks.ring);
    queue.wait();
}

void DeviceAssets::give_back(const DeviceRest& gone) {
    const auto at = entries_.find({gone.asset.get(), gone.elastic.get()});
    TURGOR_ASSERT(at != entries_.end() && at->second.bodies > 0);
    if (--at->second.bodies > 0) return;
    const AssetEntry& entry = at->second;
    particles_.give_back(entry.particle, entry.rest.asset->padded + 1);
    runs_.give_back(entry.run, entry.rest.volume.smoothing->runs.size());
    rings_.give_back(entry.ring, entry.rings);
    entries_.erase(at);
}

std::size_t DeviceAssets::bytes() const {
    const auto size = [](const auto&... array) { return (array.bytes() + ...); };
    return size(rest, mass, per_mass, ring_starts, ring, strut, strut_partner, run_starts, runs);
}

}  // namespace turgor::device
