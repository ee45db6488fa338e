#include "body/bake_cache.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/bytes.hpp"
#include "body/bake.hpp"
#include "body/bake_folder.hpp"
#include "turgor/mesh.hpp"

namespace turgor {
namespace {

std::shared_ptr<const BodyAsset> baked() {
    const Mesh mesh = shapes::torus(1, 0.3, 20, 10), fine = shapes::torus(1, 0.3, 40, 20);
    std::vector<std::uint32_t> order(mesh.vertices.size());
    std::iota(order.rbegin(), order.rend(), 0);
    return make_body_asset(mesh, order, &fine);
}

std::vector<std::byte> written(const BodyAsset& asset) {
    ByteWriter out;
    write_asset(out, asset);
    return out.bytes;
}

class BakeFile : public test::WithBakeFolder {
protected:
    std::vector<std::byte> content_ = written(*baked());
    BakeKey key_{42, "surface asset", 0x100000002};
};

TEST_F(BakeFile, gives_back_what_it_was_given) {
    EXPECT_FALSE(read_bake(folder_, key_));
    keep_bake(folder_, key_, content_);
    EXPECT_EQ(read_bake(folder_, key_), content_);
    keep_bake(folder_, key_, {});
    EXPECT_EQ(read_bake(folder_, key_), std::vector<std::byte>{});
}

TEST_F(BakeFile, does_not_take_one_bake_for_another) {
    keep_bake(folder_, key_, content_);
    const BakeKey others[] = {{43, "surface asset", key_.settings},
                              {42, "surface", key_.settings},
                              {42, "surface-asset", key_.settings},  // the same name of a file
                              {42, "surface asset", 0x100000003},
                              {42, "surface asset", 0x200000002}};  // the same name, too
    for (const BakeKey& other : others) {
        EXPECT_FALSE(read_bake(folder_, other)) << other.what << " " << other.settings;
        // Nor by a file that has another's name.
        keep_bake(folder_, key_, content_);
        std::filesystem::rename(bake_file(folder_, key_), bake_file(folder_, other));
        EXPECT_FALSE(read_bake(folder_, other)) << other.what << " " << other.settings;
        std::filesystem::remove(bake_file(folder_, other));
        keep_bake(folder_, key_, content_);
    }
    EXPECT_TRUE(read_bake(folder_, key_));
}

TEST_F(BakeFile, sees_every_kind_of_damage) {
    keep_bake(folder_, key_, content_);
    const auto file = bake_file(folder_, key_);
    const std::string whole = text_of(file);
    const auto with = [&](const std::string& bytes) {
        write(file, bytes);
        return read_bake(folder_, key_).has_value();
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

TEST_F(BakeFile, says_where_it_cannot_write) {
    write(folder_, "a file, not a folder");
    EXPECT_THROW(keep_bake(folder_, key_, content_), Error);
}

TEST(BakeCache, keeps_what_somebody_uses) {
    BakeCache cache;
    const BakeKey key{1, "number", 2};
    int made = 0;
    const auto make = [&] { return std::make_shared<const int>(++made); };
    auto first = cache.find_or_make<int>(key, make);
    EXPECT_EQ(cache.find_or_make<int>(key, make), first);
    EXPECT_EQ(cache.find<int>(key), first);
    EXPECT_EQ(made, 1);
    for (const BakeKey& other : {BakeKey{2, "number", 2}, {1, "other", 2}, {1, "number", 3}}) {
        EXPECT_FALSE(cache.find<int>(other));
        EXPECT_NE(*cache.find_or_make<int>(other, make), 1);
    }
    EXPECT_EQ(cache.find<int>(key), first);
    first.reset();
    EXPECT_FALSE(cache.find<int>(key));
    EXPECT_EQ(*cache.find_or_make<int>(key, make), 5);
}

std::shared_ptr<const BodyAsset> read_back(const BodyAsset& asset) {
    const std::vector<std::byte> bytes = written(asset);
    ByteReader in(bytes);
    auto read = read_asset(in);
    EXPECT_EQ(in.left(), 0u);
    return read;
}

TEST(AssetFields, all_of_an_asset_is_written_and_read) {
    const auto asset = baked(), read = read_back(*asset);
    ASSERT_TRUE(read);
    const BodyAsset &a = *asset, &b = *read;
    EXPECT_EQ(b.name, a.name);
    EXPECT_EQ(b.rest, a.rest);
    EXPECT_EQ(b.surface_count, a.surface_count);
    EXPECT_EQ(b.triangles, a.triangles);
    EXPECT_EQ(b.mass, a.mass);
    EXPECT_EQ(b.neighbours.starts, a.neighbours.starts);
    EXPECT_EQ(b.neighbours.items, a.neighbours.items);
    EXPECT_EQ(b.corners.starts, a.corners.starts);
    EXPECT_EQ(b.corners.items, a.corners.items);
    EXPECT_EQ(b.rest_centre, a.rest_centre);
    EXPECT_EQ(b.rest_volume, a.rest_volume);
    EXPECT_EQ(b.contact_length, a.contact_length);
    EXPECT_EQ(b.size, a.size);
    EXPECT_EQ(b.particle_of_vertex, a.particle_of_vertex);
    EXPECT_EQ(b.vertex_of_particle, a.vertex_of_particle);
    EXPECT_EQ(b.mesh_triangle, a.mesh_triangle);
    ASSERT_TRUE(a.detail() && b.detail());
    EXPECT_EQ(b.detail()->triangles, a.detail()->triangles);
    const auto &was = a.detail()->bindings, &is = b.detail()->bindings;
    ASSERT_EQ(is.size(), was.size());
    for (std::size_t i = 0; i < was.size(); ++i) {
        EXPECT_EQ(is[i].triangle, was[i].triangle);
        EXPECT_EQ(is[i].edge, was[i].edge);
        EXPECT_EQ(is[i].weight[1], was[i].weight[1]);
        EXPECT_EQ(is[i].offset, was[i].offset);
        EXPECT_EQ(is[i].rest_error, was[i].rest_error);
    }
}

TEST(AssetFields, an_index_that_leads_nowhere_is_seen) {
    const auto asset = baked();
    const auto refused = [&](auto&& spoil) {
        BodyAsset spoilt = *asset;
        spoil(spoilt);
        return !read_back(spoilt);
    };
    EXPECT_FALSE(refused([](BodyAsset&) {}));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.triangles[3][1] = 200; }));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.mass.pop_back(); }));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.surface_count = 0; }));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.surface_count = 201; }));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.neighbours.items[5] = 200; }));
    EXPECT_TRUE(refused([](BodyAsset& a) { std::swap(a.corners.starts[1], a.corners.starts[3]); }));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.corners.items.pop_back(); }));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.particle_of_vertex[0] = 200; }));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.vertex_of_particle.pop_back(); }));
    EXPECT_TRUE(refused([](BodyAsset& a) { a.mesh_triangle[0] = 400; }));
    EXPECT_TRUE(
        refused([](BodyAsset& a) { std::get<DetailDisplay>(a.display).triangles[0][2] = 800; }));
    EXPECT_TRUE(refused(
        [](BodyAsset& a) { std::get<DetailDisplay>(a.display).bindings[0].triangle = 400; }));
    EXPECT_TRUE(
        refused([](BodyAsset& a) { std::get<DetailDisplay>(a.display).bindings[0].edge = 3; }));
}

TEST(AssetFields, lists_are_read_as_written_and_no_others) {
    const ListOfLists lists = baked()->neighbours;
    ByteWriter out;
    write_lists(out, lists);
    const auto read = [&](std::size_t size, std::size_t limit) {
        ByteReader in(out.bytes);
        return read_lists(in, size, limit);
    };
    EXPECT_EQ(read(200, 200).starts, lists.starts);
    EXPECT_EQ(read(200, 200).items, lists.items);
    EXPECT_THROW(read(199, 200), Error);
    EXPECT_THROW(read(201, 200), Error);
    EXPECT_THROW(read(200, 199), Error);
}

}  // namespace
}  // namespace turgor
