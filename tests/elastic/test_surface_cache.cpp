#include "elastic/surface/surface_cache.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/hash.hpp"
#include "body/bake_folder.hpp"

namespace turgor {
namespace {

/// Bakes of a torus kept in files. What a file gave is told from what was made anew by the wobble's
/// share, which is another in a file that `mark` changed.
class SurfaceCache : public test::WithBakeFolder {
protected:
    /// As a new world would, with nothing in memory.
    SurfaceBake bake(const BodySource& source, int omega, const Formulation& formulation) const {
        BakeCache cache;
        cache.folder = folder_;
        return cached_surface_bake(source, nullptr, omega,
                                   {.formulation = formulation, .cache = cache});
    }
    SurfaceBake bake() const { return bake(source_, 2, {}); }

    std::filesystem::path file() const {
        const std::filesystem::directory_iterator all(folder_);
        EXPECT_EQ(std::distance(begin(all), end(all)), 1);
        return std::filesystem::directory_iterator(folder_)->path();
    }
    /// A file ends with the wobble's share and the sum over everything before.
    static std::string with_share(std::string bytes, double share) {
        std::memcpy(bytes.data() + bytes.size() - 16, &share, sizeof share);
        return sealed(std::move(bytes));
    }
    static std::string sealed(std::string bytes) {
        const std::uint64_t sum =
            hash_of(std::as_bytes(std::span(bytes.data(), bytes.size() - sizeof sum)));
        std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
        return bytes;
    }
    void mark() const { write(file(), with_share(text_of(file()), marked)); }

    static constexpr double marked = 0.125;
    BodySource source_{shapes::torus(1, 0.3, 20, 10), shapes::torus(1, 0.3, 40, 20), 42};
};

TEST_F(SurfaceCache, a_file_gives_what_was_baked) {
    const SurfaceBake made = bake(), kept = bake();
    const BodyAsset &a = *made.asset, &b = *kept.asset;
    EXPECT_NE(&a, &b);
    EXPECT_EQ(b.name, a.name);
    EXPECT_EQ(b.rest, a.rest);
    EXPECT_EQ(b.triangles, a.triangles);
    EXPECT_EQ(b.mass, a.mass);
    EXPECT_EQ(b.vertex_of_particle, a.vertex_of_particle);
    EXPECT_EQ(b.detail()->triangles, a.detail()->triangles);
    EXPECT_EQ(b.detail()->bindings.size(), a.detail()->bindings.size());
    EXPECT_EQ(b.detail()->bindings[7].offset, a.detail()->bindings[7].offset);
    const SurfaceRest &r = *made.rest, &s = *kept.rest;
    EXPECT_EQ(s.omega, 2);
    EXPECT_EQ(s.regions->starts, r.regions->starts);
    EXPECT_EQ(s.regions->items, r.regions->items);
    EXPECT_EQ(s.bridges, r.bridges);
    EXPECT_EQ(s.weight, r.weight);
    EXPECT_EQ(s.region_weight, r.region_weight);
    EXPECT_EQ(s.region_centre, r.region_centre);
    EXPECT_EQ(s.wobble_share, r.wobble_share);
    EXPECT_EQ(s.intervals, r.intervals);
    mark();
    EXPECT_EQ(bake().rest->wobble_share, marked) << "the file was not read";
}

TEST_F(SurfaceCache, what_is_made_is_what_bake_surface_makes) {
    const SurfaceBake made = bake(), direct = bake_surface(source_.mesh, {}, &*source_.display);
    EXPECT_EQ(made.asset->rest, direct.asset->rest);
    EXPECT_EQ(made.asset->detail()->triangles, direct.asset->detail()->triangles);
    EXPECT_EQ(made.rest->regions->items, direct.rest->regions->items);
    EXPECT_EQ(made.rest->weight, direct.rest->weight);
    EXPECT_EQ(made.rest->wobble_share, find_wobble_share(*direct.asset, *direct.rest));
}

TEST_F(SurfaceCache, the_extra_point_and_plain_masses_come_back_from_a_file) {
    const Formulation paper = Formulation::paper();
    const SurfaceBake made = bake(source_, 3, paper), kept = bake(source_, 3, paper);
    EXPECT_FALSE(kept.rest->normal_point.empty());
    EXPECT_EQ(kept.rest->weight, made.asset->mass);
    EXPECT_EQ(kept.rest->normal_point, made.rest->normal_point);
    EXPECT_EQ(kept.rest->normal_length, made.rest->normal_length);
    EXPECT_EQ(kept.rest->normal_point_weight, made.rest->normal_point_weight);
    EXPECT_EQ(kept.rest->region_centre, made.rest->region_centre);
}

TEST_F(SurfaceCache, one_bake_is_not_taken_for_another) {
    bake();
    mark();
    const std::filesystem::path mine = file();
    const auto is_made_anew = [&](const BodySource& source, int omega,
                                  const Formulation& formulation) {
        const SurfaceBake found = bake(source, omega, formulation);
        return found.rest->wobble_share != marked && found.rest->omega == omega &&
               found.asset->rest.size() == source.mesh.vertices.size();
    };
    EXPECT_FALSE(is_made_anew(source_, 2, {}));
    BodySource other = source_;
    other.hash = 43;
    EXPECT_TRUE(is_made_anew(other, 2, {}));
    EXPECT_TRUE(is_made_anew(source_, 3, {}));
    EXPECT_TRUE(is_made_anew(source_, 2, {.surface = {.share_mass = false}}));
    EXPECT_TRUE(is_made_anew(source_, 2, {.surface = {.normal_point_weight = 1}}));
    // Nor by a file that has another's name.
    const std::string bytes = text_of(mine);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) write(entry, bytes);
    EXPECT_TRUE(is_made_anew(other, 2, {}));
    EXPECT_TRUE(is_made_anew(source_, 3, {}));
    EXPECT_FALSE(is_made_anew(source_, 2, {}));
    // Nor for a mesh of another number of vertices, should its hash be the same.
    const BodySource larger{shapes::torus(1, 0.3, 21, 10), {}, 42};
    EXPECT_TRUE(is_made_anew(larger, 2, {}));
}

TEST_F(SurfaceCache, a_damaged_file_is_made_anew) {
    const double share = bake().rest->wobble_share;
    ASSERT_NE(share, marked);
    const std::string whole = text_of(file()), other = with_share(whole, marked);
    const auto is_made_anew = [&](const std::string& bytes) {
        write(file(), bytes);
        return bake().rest->wobble_share == share && text_of(file()) == whole;
    };
    EXPECT_FALSE(is_made_anew(other));
    for (std::size_t at = 0; at < other.size(); at += 1 + other.size() / 40) {
        std::string changed = other;
        changed[at] = static_cast<char>(changed[at] ^ 0x10);
        EXPECT_TRUE(is_made_anew(changed)) << at;
        EXPECT_TRUE(is_made_anew(other.substr(0, at))) << at;
    }
    EXPECT_TRUE(is_made_anew(other + "more"));
    EXPECT_TRUE(is_made_anew(""));
}

TEST_F(SurfaceCache, what_is_whole_but_wrong_inside_is_made_anew) {
    const double share = bake().rest->wobble_share;
    const std::string whole = text_of(file());
    const auto is_made_anew = [&](const std::string& bytes) {
        write(file(), bytes);
        return bake().rest->wobble_share == share && text_of(file()) == whole;
    };
    for (const double wrong : {0.0, -0.5, 1.5, std::nan("")})
        EXPECT_TRUE(is_made_anew(with_share(whole, wrong))) << wrong;
    EXPECT_FALSE(is_made_anew(with_share(whole, 1)));
    // The numbers before it: no bridges, and before them the last particle of the last region.
    std::string changed = whole;
    const std::uint32_t none = 200;
    std::memcpy(changed.data() + changed.size() - 8 - 8 - 8 - 4, &none, sizeof none);
    EXPECT_TRUE(is_made_anew(sealed(changed)));
    EXPECT_TRUE(is_made_anew(sealed(whole + "more....")));
    for (const std::size_t less : {8, 16, 100, 5000})
        EXPECT_TRUE(is_made_anew(sealed(whole.substr(0, whole.size() - less)))) << less;
}

TEST_F(SurfaceCache, a_folder_that_cannot_be_written_only_costs_time) {
    write(folder_, "a file, not a folder");
    EXPECT_GT(bake().rest->wobble_share, 0);
}

TEST_F(SurfaceCache, worlds_without_a_folder_write_nothing) {
    BakeCache cache;
    const Formulation formulation;
    cached_surface_bake(source_, nullptr, 2, {.formulation = formulation, .cache = cache});
    EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(SurfaceCache, bodies_of_one_mesh_share_what_never_changes) {
    BakeCache cache;
    const Formulation formulation;
    const BakeContext context{.formulation = formulation, .cache = cache};
    const SurfaceBake a = cached_surface_bake(source_, nullptr, 2, context),
                      b = cached_surface_bake(source_, nullptr, 2, context),
                      wide = cached_surface_bake(source_, nullptr, 3, context);
    EXPECT_EQ(a.asset, b.asset);
    EXPECT_EQ(a.rest, b.rest);
    EXPECT_EQ(a.asset, wide.asset);
    EXPECT_NE(a.rest, wide.rest);
    EXPECT_EQ(surface_cpu_rest(source_, *a.asset, *a.rest, context),
              surface_cpu_rest(source_, *b.asset, *b.rest, context));
    const auto narrow_cpu = surface_cpu_rest(source_, *a.asset, *a.rest, context),
               wide_cpu = surface_cpu_rest(source_, *wide.asset, *wide.rest, context);
    EXPECT_NE(narrow_cpu, wide_cpu);
}

}  // namespace
}  // namespace turgor
