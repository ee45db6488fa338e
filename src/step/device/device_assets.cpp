#include "step/device/device_assets.hpp"

#include "elastic/surface/surface_body.hpp"

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
    return {body.prepared.cpu_asset, body.prepared.cpu_volume,
            static_cast<const SurfaceBody&>(*body.elastic).cpu_rest()};
}

std::uint32_t DeviceAssets::take(Queue& queue, const DeviceRest& rest_data) {
    Place& place = places_[rest_data.surface.get()];
    if (place.bodies++ == 0) {
        place.rest = rest_data;
        upload(queue, place);
    }
    return static_cast<std::uint32_t>(place.particle);
}

void DeviceAssets::upload(Queue& queue, Place& place) {
    const CpuAsset& a = *place.rest.asset;
    const SurfaceCpuRest& s = *place.rest.surface;
    const CpuRegions& regions = *s.regions;
    const CpuStruts& struts = *place.rest.volume.struts;
    const Walks walks(a);
    // One more for the end of the last region and walk.
    const std::size_t particles = a.padded + 1;
    place.particle = particles_.take(particles);
    place.run = runs_.take(regions.runs.size());
    place.rings = walks.ring.size();
    place.ring = rings_.take(place.rings);
    const auto put = [&](auto& array, const Ranges& ranges, std::size_t first, const auto& values) {
        array.resize(queue, std::max<std::size_t>(1, ranges.end()));
        array.write(queue, first, std::span(values));
    };
    const std::vector<std::uint32_t> run_starts_here = shifted(regions.run_starts, place.run),
                                     ring_starts_here = shifted(walks.starts, place.ring);
    put(rest, particles_, place.particle, s.rest);
    put(fit, particles_, place.particle, s.fit);
    put(centre, particles_, place.particle, s.centre);
    put(exact_centre, particles_, place.particle, s.exact_centre);
    put(mass, particles_, place.particle, a.mass);
    put(per_mass, particles_, place.particle, a.per_mass);
    put(strut, particles_, place.particle, struts.strut);
    put(strut_partner, particles_, place.particle, struts.partner);
    put(run_starts, particles_, place.particle, run_starts_here);
    put(ring_starts, particles_, place.particle, ring_starts_here);
    put(runs, runs_, place.run, regions.runs);
    put(ring, rings_, place.ring, walks.ring);
    queue.wait();
}

void DeviceAssets::give_back(const DeviceRest& rest_data) {
    const auto at = places_.find(rest_data.surface.get());
    if (at == places_.end() || --at->second.bodies > 0) return;
    const Place& place = at->second;
    particles_.give_back(place.particle, place.rest.asset->padded + 1);
    runs_.give_back(place.run, place.rest.surface->regions->runs.size());
    rings_.give_back(place.ring, place.rings);
    places_.erase(at);
}

std::size_t DeviceAssets::bytes() const {
    const auto size = [](const auto&... array) { return (array.bytes() + ...); };
    return size(rest, fit, centre, exact_centre, mass, per_mass, run_starts, ring_starts, ring,
                strut_partner, runs, strut);
}

}  // namespace turgor::device
