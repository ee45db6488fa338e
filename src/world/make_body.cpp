#include <algorithm>
#include <limits>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/hash.hpp"
#include "body/check.hpp"
#include "step/cpu_step.hpp"
#include "step/invariants.hpp"
#include "world/world_state.hpp"

namespace turgor {
namespace {

/// Struts by the hash of their source, from a file where there is one.
std::shared_ptr<const Struts> struts_of(const BodySource& source, const BodyAsset& asset,
                                        const ElasticModel& model, BakeCache& cache) {
    const BakeKey key{source.hash, "struts " + std::string(model.name()), asset.settings};
    return cache.find_or_make<Struts>(key, [&] {
        const std::size_t n = asset.surface_count;
        const bool in_files = !cache.folder.empty() && !asset.is_piece;
        if (in_files)
            if (const auto content = read_bake(cache.folder, key)) {
                ByteReader in(*content);
                try {
                    auto struts = std::make_shared<Struts>();
                    struts->partner = in.get_array<std::uint32_t>();
                    struts->rest_length = in.get_array<double>();
                    struts->stiffness = in.get_array<double>();
                    if (struts->partner.size() == n && struts->rest_length.size() == n &&
                        struts->stiffness.size() == n && in.left() == 0 &&
                        std::ranges::all_of(struts->partner, [&](auto i) { return i < n; }))
                        return struts;
                } catch (const Error&) {  // damaged: made anew
                }
            }
        auto struts = std::make_shared<Struts>(make_struts(asset));
        if (in_files) {
            Status status;
            reporting_to(&status, [&] {
                ByteWriter out;
                out.put_array(struts->partner);
                out.put_array(struts->rest_length);
                out.put_array(struts->stiffness);
                keep_bake(cache.folder, key, out.bytes);
            });
        }
        return struts;
    });
}

}  // namespace

std::shared_ptr<const BodySource> WorldImpl::make_source(const Mesh& mesh,
                                                         const BodyOptions& options) {
    if (!(options.scale > 0) || !std::isfinite(options.scale))
        fail(ErrorCode::bad_argument, "the scale of a body must be greater than 0, not {}",
             options.scale);
    check_elements(mesh, "the mesh");
    if (options.display) check_display(*options.display, "the display mesh");
    auto source = std::make_shared<BodySource>();
    source->mesh = transformed(mesh, {}, options.scale);
    source->mesh.colours.clear();
    if (options.display) source->display = transformed(*options.display, {}, options.scale);
    if (source->display) source->display->colours.clear();
    source->relative_masses = options.relative_masses;
    source->matching_weights = options.matching_weights;
    check_vertex_values(*source);
    source->hash = hash_of(*source);
    return bakes.find_or_make<BodySource>({source->hash, "source"}, [&] { return source; });
}

void WorldImpl::apply_material(BodyRecord& body, const Material& material) {
    if (const auto problem = problem_with(material))
        fail(ErrorCode::bad_argument, "the material of body '{}': {}", body.name, *problem);
    const Formulation& formulation = settings.formulation;
    require_knows(*body.model, *body.parts.source, formulation);
    const bool for_cpu = on_cpu() && body.model->has_cpu_form(formulation);
    bakes.folder = settings.bake_folder;
    const BakeContext context{formulation, settings.summation, for_cpu, bakes};
    if (body.elastic)
        body.elastic->set_material(material, context);
    else
        body.elastic =
            body.model->bake(body.parts.source, material, body.made_with.settings, context);
    // A model may have a cpu form of some of its bodies only.
    body.form = for_cpu && body.elastic->cpu() ? Form::cpu : Form::reference;
    join_parts(body);
    body.material = material;
}

void WorldImpl::join_parts(BodySim& body) {
    BodyParts& parts = body.parts;
    const std::uint64_t source = parts.source->hash;
    const std::string model(body.model->name());
    parts.asset = body.elastic->asset();
    const BodyAsset& asset = *parts.asset;
    parts.longest_step = body.elastic->response() ? std::numeric_limits<double>::infinity()
                                                  : longest_step(*parts.source);
    TURGOR_ASSERT(asset.surface_count > 0 && asset.surface_count <= asset.rest.size());
    TURGOR_ASSERT(asset.mass.size() == asset.rest.size());
    TURGOR_ASSERT(asset.vertex_of_particle.size() == asset.surface_count);
    TURGOR_ASSERT(body.elastic->smoothing()->size() >= asset.surface_count);
    TURGOR_ASSERT(body.form != Form::cpu || (body.elastic->cpu() && body.elastic->cpu_smoothing()));
    TURGOR_ASSERT(!body.elastic->response() || body.model->traits().rigid_response);
    TURGOR_ASSERT(body.elastic->longest_step() > 0 && body.elastic->frequency() >= 0);
    TURGOR_ASSERT(body.elastic->rest_shape().size() == asset.rest.size());
    TURGOR_CHECK_ALL(is_closed(asset));
    parts.volume = {struts_of(*parts.source, *parts.asset, *body.model, bakes),
                    body.elastic->smoothing()};
    const int layers = body.elastic->volume_layers();
    const auto key_of_layers = [&](const char* what) {
        Hash hash;
        hash.add(asset.settings), hash.add(layers);
        return BakeKey{source, what + model, hash.value()};
    };
    if (layers > 0)
        parts.volume.followers = bakes.find_or_make<VolumeFollowers>(
            key_of_layers("volume followers "),
            [&] { return make_volume_followers(asset, layers); });
    body.struts_of_shape = 0;  // they are those of the source's shape again
    if (body.form != Form::cpu) return;
    parts.cpu_asset = bakes.find_or_make<CpuAsset>({source, "cpu asset " + model, asset.settings},
                                                   [&] { return make_cpu_asset(*parts.asset); });
    parts.cpu_volume = {
        bakes.find_or_make<CpuStruts>({source, "cpu struts " + model, asset.settings},
                                      [&] { return make_cpu_struts(*parts.volume.struts); }),
        body.elastic->cpu_smoothing()};
    if (parts.volume.followers)
        parts.cpu_volume.followers = bakes.find_or_make<CpuVolumeFollowers>(
            key_of_layers("cpu volume followers "),
            [&] { return make_cpu_volume_followers(asset, *parts.volume.followers); });
}

}  // namespace turgor
