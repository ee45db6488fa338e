#include "elastic/lattice/lattice_body.hpp"

#include <algorithm>
#include <cmath>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "elastic/lattice/lattice_cache.hpp"

namespace turgor {
namespace {

std::optional<double> setting(const ModelSettings& settings, std::string_view name) {
    const auto at = settings.find(name);
    return at == settings.end() ? std::nullopt : std::optional(at->second);
}

/// What of a material counts here: ω, s and k are the surface model's, whose regions are others.
Material with(const ModelSettings& settings, Material material) {
    const auto half_width = setting(settings, "half_width");
    material.omega = half_width ? std::optional(static_cast<int>(*half_width)) : std::nullopt;
    material.stiffness = setting(settings, "stiffness");
    material.damping = setting(settings, "damping");
    return material;
}

/// A piece as a snapshot has it.
LatticePiece read_piece(const TearingLattice& whole, SolidPart part) {
    const auto sound = [&](std::span<const std::uint32_t> list, std::size_t limit) {
        return std::ranges::is_sorted(list, std::ranges::less_equal{}) &&
               (list.empty() || list.back() < limit);
    };
    const std::size_t cells = whole.solid.cells.size();
    const bool known =
        !part.cells.empty() && sound(part.cells, cells) && sound(part.broken, 3 * cells) &&
        std::ranges::all_of(part.broken, [&](std::uint32_t side) {
            const auto has = [&](std::uint32_t cell) {
                return std::ranges::binary_search(part.cells, cell);
            };
            return has(side / 3) && has(whole.sides.beyond(side / 3, 2 * (side % 3) + 1));
        });
    if (!known)
        fail(ErrorCode::bad_snapshot, "the cells of a torn lattice are not those of its mesh");
    return restored_piece(whole, std::move(part));
}

/// Calls visit(element) for those within `half_width` of an element along an axis.
template <class Visit>
void for_each_in_window(const std::vector<std::uint32_t>& next, int half_width,
                        std::uint32_t element, const Visit& visit) {
    std::uint32_t first = element;
    for (int w = 0; w < half_width; ++w) {
        // Bonds along an axis keep the order of elements, but for those of the same place.
        constexpr std::uint32_t most_of_place = 8;
        std::uint32_t k = first;
        while (k > 0 && next[k - 1] != first &&
               next[k - 1] > first - std::min(first, most_of_place))
            --k;
        if (k == 0 || next[k - 1] != first) break;
        first = k - 1;
    }
    for (std::uint32_t k = first; k != element; k = next[k]) visit(k);
    visit(element);
    std::uint32_t k = next[element];
    for (int w = 0; w < half_width && k != NestedSums::none; ++w, k = next[k]) visit(k);
}

}  // namespace

LatticeBody::LatticeBody(std::shared_ptr<const BodySource> source, const Material& material,
                         const ModelSettings& settings, const BakeContext& context)
    : source_(std::move(source)),
      settings_(settings),
      tear_stretch_(setting(settings, "tear_stretch")) {
    const auto cells = static_cast<int>(setting(settings, "cells").value_or(default_cells));
    if (tear_stretch_) {
        whole_ = cached_tearing_lattice(*source_, cells, context);
        adopt(std::make_shared<LatticePiece>(whole_piece(*whole_)));
    } else {
        lattice_ = cached_lattice_cells(*source_, cells, context);
        asset_ = lattice_->asset;
    }
    set_material(material, context);
    rotation_.resize(asset_->rest.size());
}

LatticeBody::LatticeBody(const LatticeBody& from, std::shared_ptr<const LatticePiece> piece,
                         std::span<const std::uint32_t> particle_before)
    : source_(from.source_),
      settings_(from.settings_),
      tear_stretch_(from.tear_stretch_),
      whole_(from.whole_),
      summation_(from.summation_),
      parameters_(from.parameters_) {
    adopt(std::move(piece));
    prepared_ =
        prepare_piece(*lattice_, parameters_.width, summation_, from.prepared_.cpu_rest != nullptr);
    for (const std::uint32_t i : particle_before) rotation_.push_back(from.rotation_[i]);
}

void LatticeBody::adopt(std::shared_ptr<const LatticePiece> piece) {
    piece_ = std::move(piece);
    lattice_ = piece_->lattice;
    asset_ = lattice_->asset;
}

LatticeBody::Prepared LatticeBody::prepare_piece(const LatticeCells& lattice, int width,
                                                 Summation summation, bool for_cpu) {
    Prepared made;
    const auto rest = std::make_shared<LatticeRest>(make_lattice_rest(lattice, width, summation));
    made.rest = rest;
    made.smoothing = std::make_shared<Regions>(make_regions(lattice.asset->neighbours, width));
    if (!for_cpu) return made;
    made.cpu_rest = make_lattice_cpu_rest(lattice, *rest);
    made.cpu_smoothing = make_cpu_regions(*made.smoothing, summation);
    return made;
}

void LatticeBody::set_material(const Material& material, const BakeContext& context) {
    // Of what is torn, too, parameters are those of the whole: they do not change as it tears.
    const auto prepared = [&](int half_width) {
        return cached_lattice_rest(*source_, whole(), half_width, context);
    };
    // A material may try several half-widths before it finds its own: each is baked once.
    std::map<int, std::shared_ptr<const LatticeRest>> tried;
    const BodyScale scale{whole().asset->size, whole().cell,
                          [&](int half_width) {
                              auto& rest = tried[half_width];
                              if (!rest) rest = prepared(half_width);
                              return rest->wobble_share;
                          },
                          1};
    const RegionParameters parameters = derive_parameters(with(settings_, material), scale);
    Prepared made;
    if (is_torn()) {
        made = prepare_piece(*lattice_, parameters.width, context.summation, context.for_cpu);
    } else {
        made.rest =
            tried.contains(parameters.width) ? tried[parameters.width] : prepared(parameters.width);
        made.smoothing = cached_lattice_smoothing(*source_, *asset_, parameters.width, context);
        if (context.for_cpu) {
            made.cpu_rest = cached_lattice_cpu_rest(*source_, *lattice_, *made.rest, context);
            made.cpu_smoothing = cached_lattice_cpu_smoothing(*source_, *asset_, *made.smoothing,
                                                              parameters.width, context);
        }
    }
    // Nothing fails from here on.
    parameters_ = parameters;
    prepared_ = std::move(made);
    summation_ = context.summation;
}

std::vector<ElasticBody::Piece> LatticeBody::tear(std::span<const Vec3> x) {
    const std::vector<std::uint32_t> breaking =
        sides_that_break(*whole_, *piece_, x, *tear_stretch_);
    if (breaking.empty()) return {};
    Torn torn = turgor::tear(*whole_, *piece_, breaking);
    std::vector<Piece> all;
    for (LatticePiece& piece : torn.pieces) {
        Piece& one = all.emplace_back();
        one.particle_before = particles_before(*piece_, piece);
        one.elastic.reset(new LatticeBody(*this, std::make_shared<LatticePiece>(std::move(piece)),
                                          one.particle_before));
    }
    if (all.empty() && torn.part != piece_->part) {
        // Broken, but held by what is around.
        LatticePiece same = *piece_;
        same.part = std::move(torn.part);
        piece_ = std::make_shared<LatticePiece>(std::move(same));
    }
    return all;
}

double LatticeBody::comfortable_push(double h) const {
    return 0.03 * parameters_.stiffness_at(h) * asset_->contact_length;
}

std::vector<Figure> LatticeBody::figures() const {
    return {{"half_width", static_cast<double>(parameters_.width), "cells"},
            {"stiffness", parameters_.stiffness},
            {"damping", parameters_.damping},
            {"cells", static_cast<double>(lattice_->cells)},
            {"cell", lattice_->cell, "m"},
            {"particles", static_cast<double>(asset_->rest.size())}};
}

void LatticeBody::damp(double h, std::span<const Vec3> x, std::span<Vec3> v,
                       std::span<Vec3> blended) {
    const double k = parameters_.damping_at(h);
    if (!(k > 0)) return;
    blend_lattice_velocities(*lattice_, *prepared_.rest, x, v, blended);
    for (std::size_t i = 0; i < x.size(); ++i) v[i] += k * (blended[i] - v[i]);
}

void LatticeBody::deform(const ReferencePass& pass) {
    const double s = parameters_.stiffness_at(pass.h);
    match_lattice(*lattice_, *prepared_.rest, pass.x, rotation_, pass.scratch);
    for (std::size_t i = 0; i < pass.x.size(); ++i) {
        const Vec3 pull = pass.scratch[i] - pass.x[i];
        pass.change[i] = parameters_.stiffness * norm(pull);
        (is_held(pass.supports[i]) ? pass.held_back : pass.x)[i] += s * pull;
    }
}

bool LatticeBody::find_goals(std::span<const Vec3> x, std::span<Vec3> goals) const {
    std::vector<Quat> rotations = rotation_;
    match_lattice(*lattice_, *prepared_.rest, x, rotations, goals);
    return true;
}

void LatticeBody::find_change(std::span<const Vec3> x, std::span<double> change) const {
    std::vector<Vec3> goals(x.size());
    find_goals(x, goals);
    for (std::size_t i = 0; i < x.size(); ++i)
        change[i] = parameters_.stiffness * norm(goals[i] - x[i]);
}

void LatticeBody::turn(Quat by) {
    for (Quat& q : rotation_) q = normalized(by * q);
}

void LatticeBody::reset(Quat q) {
    std::ranges::fill(rotation_, q);
    std::ranges::fill(cpu_rotation_, to_quad({q.x, q.y, q.z}, q.w));
}

void LatticeBody::write(ByteWriter& out) const {
    if (piece_) {
        out.put_array(piece_->part.cells);
        out.put_array(piece_->part.broken);
    }
    out.put_array(rotation_);
}

void LatticeBody::read(ByteReader& in) {
    std::shared_ptr<const LatticePiece> piece = piece_;
    if (piece) {
        SolidPart part{in.get_array<std::uint32_t>(), in.get_array<std::uint32_t>()};
        piece = std::make_shared<LatticePiece>(read_piece(*whole_, std::move(part)));
    }
    auto rotation = in.get_array<Quat>();
    const auto is_unit = [](const Quat& q) {
        return std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) <= 1e-4;
    };
    const std::size_t particles = (piece ? piece->lattice : lattice_)->asset->rest.size();
    if (rotation.size() != particles || !std::ranges::all_of(rotation, is_unit))
        fail(ErrorCode::bad_snapshot,
             "the rotations of a lattice's regions are not one unit quaternion for each");
    if (piece && piece->lattice != lattice_)
        prepared_ = prepare_piece(*piece->lattice, parameters_.width, summation_,
                                  prepared_.cpu_rest != nullptr);
    if (piece) adopt(std::move(piece));
    rotation_ = std::move(rotation);
}

void LatticeBody::count_bytes(std::set<const void*>& counted, std::size_t& total) const {
    total += rotation_.size() * sizeof(Quat) + cpu_rotation_.size() * sizeof(Quad);
    if (counted.insert(lattice_.get()).second) total += turgor::bytes(*lattice_);
    if (counted.insert(prepared_.rest.get()).second) total += turgor::bytes(*prepared_.rest);
    if (prepared_.cpu_rest && counted.insert(prepared_.cpu_rest.get()).second)
        total += turgor::bytes(*prepared_.cpu_rest);
    if (whole_ && counted.insert(whole_.get()).second) total += turgor::bytes(*whole_);
    if (piece_ && piece_->lattice != whole_->lattice && counted.insert(piece_.get()).second)
        total += turgor::bytes(*piece_);
    if (counted.insert(prepared_.smoothing.get()).second)
        total += turgor::bytes(*prepared_.smoothing);
    if (prepared_.cpu_smoothing && counted.insert(prepared_.cpu_smoothing.get()).second)
        total += turgor::bytes(*prepared_.cpu_smoothing);
}

void LatticeBody::to_cpu() {
    cpu_rotation_.assign(CpuLayout::padded(rotation_.size()), {0, 0, 0, 1});
    for (std::size_t k = 0; k < rotation_.size(); ++k) {
        const Quat& q = rotation_[lattice_->particle_of_row[k]];
        cpu_rotation_[k] = to_quad({q.x, q.y, q.z}, q.w);
    }
}

void LatticeBody::to_reference() {
    for (std::size_t k = 0; k < rotation_.size(); ++k) {
        const Quad& q = cpu_rotation_[k];
        rotation_[lattice_->particle_of_row[k]] = {q.w, q.x, q.y, q.z};
    }
}

std::vector<std::uint32_t> LatticeBody::region_around(std::uint32_t particle) const {
    std::vector<std::uint32_t> region;
    const std::uint32_t element = element_of(lattice_->row_of_particle[particle]);
    const auto window = [&](std::size_t axis, std::uint32_t around, const auto& visit) {
        for_each_in_window(lattice_->next[axis], parameters_.width, around, visit);
    };
    window(0, element, [&](std::uint32_t a) {
        window(1, a, [&](std::uint32_t b) {
            window(2, b, [&](std::uint32_t c) {
                const std::uint32_t i = lattice_->particle_of_row[c];
                if (i < asset_->surface_count) region.push_back(i);
            });
        });
    });
    std::ranges::sort(region);
    return region;
}

std::vector<std::array<std::uint32_t, 2>> LatticeBody::bonds() const {
    std::vector<std::array<std::uint32_t, 2>> bonds;
    for (const std::vector<std::uint32_t>& next : lattice_->next)
        for (std::size_t k = 0; k < next.size(); ++k)
            if (next[k] != NestedSums::none)
                bonds.push_back({lattice_->particle_of_row[k], lattice_->particle_of_row[next[k]]});
    return bonds;
}

}  // namespace turgor
