#include "elastic/surface/surface_cache.hpp"

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/hash.hpp"
#include "body/bake.hpp"

namespace turgor {
namespace {

BakeKey rest_key(const BodySource& source, const SurfaceSettings& settings) {
    Hash hash;
    hash.add(settings.omega);
    hash.add(settings.share_mass);
    hash.add(settings.normal_point_weight);
    return {source.hash, "surface", hash.value()};
}

/// Regions, bridges and the wobble's share are kept; what is quickly made of them is not.
void write(ByteWriter& out, const SurfaceBake& bake) {
    write_asset(out, *bake.asset);
    write_lists(out, *bake.rest->regions);
    out.put_array(bake.rest->bridges);
    out.put(bake.rest->wobble_share);
}

SurfaceBake read(std::span<const std::byte> content, const SurfaceSettings& settings,
                 std::size_t vertices) {
    try {
        ByteReader in(content);
        SurfaceBake bake;
        bake.asset = read_asset(in);
        if (!bake.asset || bake.asset->rest.size() != vertices) return {};
        auto regions = std::make_shared<Regions>(read_lists(in, vertices, vertices));
        auto rest = std::make_shared<SurfaceRest>(
            make_surface_rest(*bake.asset, std::move(regions), settings));
        rest->bridges = in.get_array<Link>();
        for (const Link& link : rest->bridges)
            if (link[0] >= vertices || link[1] >= vertices) return {};
        rest->wobble_share = in.get<double>();
        if (in.left() != 0 || !(rest->wobble_share > 0 && rest->wobble_share <= 1)) return {};
        bake.rest = std::move(rest);
        return bake;
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

SurfaceBake cached_surface_bake(const BodySource& source, std::shared_ptr<const BodyAsset> asset,
                                int omega, const BakeContext& context) {
    const auto& surface = context.formulation.surface;
    const SurfaceSettings settings{omega, surface.share_mass, surface.normal_point_weight};
    const BakeKey key = rest_key(source, settings), asset_key{source.hash, "surface asset"};
    if (!asset) asset = context.cache.find<BodyAsset>(asset_key);
    if (asset)
        if (auto rest = context.cache.find<SurfaceRest>(key)) return {asset, rest};
    SurfaceBake bake;
    const std::filesystem::path& folder = context.cache.folder;
    if (!folder.empty())
        if (const auto content = read_bake(folder, key))
            bake = read(*content, settings, source.mesh.vertices.size());
    const bool fresh = !bake.rest;
    if (fresh) {
        if (!asset) asset = cached_swept_asset(source, "surface", context.cache);
        bake = {asset, bake_regions(source.mesh, *asset, settings)};
        auto rest = std::make_shared<SurfaceRest>(*bake.rest);
        rest->wobble_share = find_wobble_share(*bake.asset, *rest);
        bake.rest = std::move(rest);
    }
    if (asset) bake.asset = asset;
    if (fresh && !folder.empty()) {
        // Without the file the next world just bakes again.
        Status status;
        reporting_to(&status, [&] {
            ByteWriter out;
            write(out, bake);
            keep_bake(folder, key, out.bytes);
        });
    }
    bake.asset = context.cache.find_or_make<BodyAsset>(asset_key, [&] { return bake.asset; });
    bake.rest = context.cache.find_or_make<SurfaceRest>(key, [&] { return bake.rest; });
    return bake;
}

std::shared_ptr<const RegionCpuRest> surface_cpu_rest(const BodySource& source,
                                                      const BodyAsset& asset,
                                                      const SurfaceRest& rest,
                                                      const BakeContext& context) {
    const auto& surface = context.formulation.surface;
    BakeKey key = rest_key(source, {rest.omega, surface.share_mass, surface.normal_point_weight});
    key.what = "surface cpu";
    return context.cache.find_or_make<RegionCpuRest>(key, [&] {
        return make_surface_cpu_rest(asset, rest,
                                     make_cpu_regions(*rest.regions, context.summation));
    });
}

std::shared_ptr<const PlasticRest> cached_plastic_rest(const BodySource& source,
                                                       const BodyAsset& asset,
                                                       const SurfaceRest& rest,
                                                       const RegionCpuRest* cpu,
                                                       const BakeContext& context) {
    const auto& surface = context.formulation.surface;
    BakeKey key = rest_key(source, {rest.omega, surface.share_mass, surface.normal_point_weight});
    key.what = cpu ? "surface plastic cpu" : "surface plastic";
    return context.cache.find_or_make<PlasticRest>(
        key, [&] { return make_plastic_rest(asset, rest, cpu); });
}

}  // namespace turgor
