#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "body/bake.hpp"
#include "body/bake_cache.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

class BakeCache : public testing::Test {
protected:
    BakeCache()
        : folder_(std::filesystem::temp_directory_path() /
                  ("turgor-bakes-" + std::to_string(getpid()))),
          mesh_(shapes::torus(1, 0.3, 20, 10)),
          fine_(shapes::torus(1, 0.3, 40, 20)),
          bake_{bake(mesh_, BakeSettings{2}, &fine_), 0.125} {
        std::filesystem::remove_all(folder_);
    }
    ~BakeCache() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_;
    Mesh mesh_, fine_;
    KeptBake bake_;
    BakeKey key_{42, 2, true, 0};
};

TEST_F(BakeCache, gives_back_what_it_was_given) {
    EXPECT_FALSE(read_bake(folder_, key_, mesh_.vertices.size()));
    keep_bake(folder_, key_, bake_);
    const auto kept = read_bake(folder_, key_, mesh_.vertices.size());
    ASSERT_TRUE(kept);
    const BodyAsset &a = *bake_.asset, &b = *kept->asset;
    EXPECT_EQ(kept->wobble_share, 0.125);
    EXPECT_EQ(b.name, a.name);
    EXPECT_EQ(b.omega, 2);
    EXPECT_EQ(b.rest, a.rest);
    EXPECT_EQ(b.triangles, a.triangles);
    EXPECT_EQ(b.mass, a.mass);
    EXPECT_EQ(b.regions.items, a.regions.items);
    EXPECT_EQ(b.neighbours.items, a.neighbours.items);
    EXPECT_EQ(b.corners.starts, a.corners.starts);
    EXPECT_EQ(b.struts.partner, a.struts.partner);
    EXPECT_EQ(b.struts.stiffness, a.struts.stiffness);
    EXPECT_EQ(b.rest_volume, a.rest_volume);
    EXPECT_EQ(b.mean_edge, a.mean_edge);
    EXPECT_EQ(b.size, a.size);
    EXPECT_EQ(b.vertex_of_particle, a.vertex_of_particle);
    EXPECT_EQ(b.mesh_triangle, a.mesh_triangle);
    EXPECT_EQ(b.display_triangles, a.display_triangles);
    EXPECT_EQ(b.bindings.size(), a.bindings.size());
    EXPECT_EQ(b.bindings[7].offset, a.bindings[7].offset);
}

TEST_F(BakeCache, does_not_take_one_bake_for_another) {
    keep_bake(folder_, key_, bake_);
    EXPECT_FALSE(read_bake(folder_, {43, 2, true, 0}, mesh_.vertices.size()));
    EXPECT_FALSE(read_bake(folder_, {42, 3, true, 0}, mesh_.vertices.size()));
    EXPECT_FALSE(read_bake(folder_, {42, 2, false, 0}, mesh_.vertices.size()));
    EXPECT_FALSE(read_bake(folder_, {42, 2, true, 1}, mesh_.vertices.size()));
    EXPECT_FALSE(read_bake(folder_, key_, mesh_.vertices.size() + 1));
    // Nor by a file that has another's name.
    std::filesystem::rename(bake_file(folder_, key_), bake_file(folder_, {43, 2, true, 0}));
    EXPECT_FALSE(read_bake(folder_, {43, 2, true, 0}, mesh_.vertices.size()));
}

TEST_F(BakeCache, sees_every_kind_of_damage) {
    keep_bake(folder_, key_, bake_);
    const auto file = bake_file(folder_, key_);
    std::ifstream in(file, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    const auto with = [&](const std::string& bytes) {
        std::ofstream(file, std::ios::binary) << bytes;
        return read_bake(folder_, key_, mesh_.vertices.size()).has_value();
    };
    EXPECT_TRUE(with(whole));
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 300) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x10);
        EXPECT_FALSE(with(changed)) << at;
        EXPECT_FALSE(with(whole.substr(0, at))) << at;
    }
    EXPECT_FALSE(with(whole + "more"));
    EXPECT_FALSE(with(""));
}

TEST_F(BakeCache, says_where_it_cannot_write) {
    std::ofstream(folder_.string()) << "a file, not a folder";
    EXPECT_THROW(keep_bake(folder_, key_, bake_), Error);
}

}  // namespace
}  // namespace turgor
