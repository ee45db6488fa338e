#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "mesh/gltf_buffers.hpp"
#include "mesh/test_read_helpers.hpp"

namespace turgor {
namespace {

using nlohmann::json;
using test::contains;
using test::Folder;
using test::load_bytes;
using test::refusal_of_bytes;

template <class T>
std::string raw(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), sizeof(T) * values.size()};
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = (bits << 8) |
                   (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? letters[(bits >> (18 - 6 * k)) & 63] : '=';
    }
    return text;
}

const std::vector<float> tetrahedron_points{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
const std::vector<int> tetrahedron_indices{0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

/// A file of one mesh that tests change: points in buffer view 0, indices in buffer view 1.
struct Gltf {
    json root;
    std::string buffer;

    template <class Index>
    static Gltf tetrahedron(int component_type) {
        Gltf gltf;
        gltf.buffer = raw(tetrahedron_points);
        const std::vector<Index> indices(tetrahedron_indices.begin(), tetrahedron_indices.end());
        gltf.buffer += raw(indices);
        gltf.root = json::parse(R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
            "nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
            "buffers":[{}],"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48}],
            "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
                         {"bufferView":1,"count":12,"type":"SCALAR"}]})");
        gltf.root["accessors"][1]["componentType"] = component_type;
        gltf.root["bufferViews"][1]["byteLength"] = sizeof(Index) * indices.size();
        return gltf;
    }

    std::string text() const {
        json copy = root;
        copy["buffers"][0] = {{"byteLength", buffer.size()},
                              {"uri", "data:application/octet-stream;base64," + base64(buffer)}};
        return copy.dump();
    }
    Mesh load(MeshReport* report = nullptr) const { return load_bytes("a.gltf", text(), report); }
    std::string refusal() const { return refusal_of_bytes("bad.gltf", text()); }
};

Gltf tetrahedron() {
    return Gltf::tetrahedron<std::uint16_t>(5123);
}

TEST(Base64, DecodesAllLengths) {
    std::string bytes;
    for (int i = 0; i < 70; ++i) {
        std::string decoded;
        ASSERT_TRUE(decode_base64(base64(bytes), decoded));
        EXPECT_EQ(decoded, bytes);
        bytes += static_cast<char>(37 * i + 11);
    }
    std::string decoded;
    EXPECT_FALSE(decode_base64("AB*D", decoded));
    EXPECT_FALSE(decode_base64("ABCDE", decoded));
}

TEST(ReadGltf, UnderstandsAllIndexTypesAndNone) {
    const double expected = 1.0 / 6;
    EXPECT_NEAR(volume(Gltf::tetrahedron<std::uint8_t>(5121).load()), expected, 1e-12);
    EXPECT_NEAR(volume(Gltf::tetrahedron<std::uint16_t>(5123).load()), expected, 1e-12);
    EXPECT_NEAR(volume(Gltf::tetrahedron<std::uint32_t>(5125).load()), expected, 1e-12);

    Gltf plain = tetrahedron();
    plain.buffer.clear();
    for (const int i : tetrahedron_indices)
        plain.buffer += raw(std::vector<float>(tetrahedron_points.begin() + 3 * i,
                                               tetrahedron_points.begin() + 3 * i + 3));
    plain.root["bufferViews"] = {{{"buffer", 0}, {"byteLength", plain.buffer.size()}}};
    plain.root["accessors"] = {
        {{"bufferView", 0}, {"componentType", 5126}, {"count", 12}, {"type", "VEC3"}}};
    plain.root["meshes"][0]["primitives"][0].erase("indices");
    EXPECT_NEAR(volume(plain.load()), expected, 1e-12);
}

TEST(ReadGltf, UnderstandsStripsAndFans) {
    // A tetrahedron is one strip of six corners; its fan of three leaves the bottom open, a hole
    // that closes.
    Gltf strip = tetrahedron();
    strip.buffer = raw(tetrahedron_points) + raw(std::vector<std::uint16_t>{0, 2, 1, 3, 0, 2});
    strip.root["accessors"][1]["count"] = 6;
    strip.root["bufferViews"][1]["byteLength"] = 12;
    strip.root["meshes"][0]["primitives"][0]["mode"] = 5;
    EXPECT_TRUE(test::is_sound(strip.load()));
    EXPECT_NEAR(volume(strip.load()), 1.0 / 6, 1e-12);

    Gltf fan = strip;
    fan.buffer = raw(tetrahedron_points) + raw(std::vector<std::uint16_t>{3, 0, 1, 2, 0, 0});
    fan.root["accessors"][1]["count"] = 5;
    fan.root["meshes"][0]["primitives"][0]["mode"] = 6;
    MeshReport report;
    EXPECT_NEAR(volume(fan.load(&report)), 1.0 / 6, 1e-12);
    EXPECT_TRUE(test::find(report.repairs, "closed_holes"));
}

TEST(ReadGltf, IgnoresPointsAndLinesWithAWarning) {
    Gltf gltf = tetrahedron();
    gltf.root["meshes"][0]["primitives"].push_back(
        {{"attributes", {{"POSITION", 0}}}, {"mode", 0}});
    gltf.root["meshes"][0]["primitives"].push_back(
        {{"attributes", {{"POSITION", 0}}}, {"mode", 1}});
    MeshReport report;
    EXPECT_EQ(gltf.load(&report).triangles.size(), 4u);
    ASSERT_TRUE(test::find(report.warnings, "ignored_primitives"));
    EXPECT_EQ(test::find(report.warnings, "ignored_primitives")->count, 2u);
}

TEST(ReadGltf, AppliesTheTransformsOfTheNodes) {
    Gltf gltf = tetrahedron();
    const double s = std::sqrt(0.5);
    gltf.root["nodes"] = {{{"children", {1}}, {"translation", {10, 0, 0}}, {"scale", {2, 2, 2}}},
                          {{"mesh", 0}, {"rotation", {0, 0, s, s}}}};
    const Mesh mesh = gltf.load();
    EXPECT_NEAR(volume(mesh), 8.0 / 6, 1e-6);
    // (1, 0, 0) turns by 90° about z to (0, 1, 0), is doubled and moved.
    EXPECT_NEAR(norm(mesh.vertices[1] - Vec3{10, 2, 0}), 0, 1e-6);

    gltf.root["nodes"][0] = {{"children", {1}},
                             {"matrix", {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 10, 0, 0, 1}}};
    EXPECT_NEAR(norm(gltf.load().vertices[1] - Vec3{10, 2, 0}), 0, 1e-6);
}

/// With COLOR_0 of this type: numbers one after the other.
template <class Number>
Gltf with_colours(int component_type, const char* type, const std::vector<Number>& numbers) {
    Gltf gltf = tetrahedron();
    gltf.root["bufferViews"].push_back({{"buffer", 0},
                                        {"byteOffset", gltf.buffer.size()},
                                        {"byteLength", sizeof(Number) * numbers.size()}});
    gltf.buffer += raw(numbers);
    gltf.root["accessors"].push_back({{"bufferView", 2},
                                      {"componentType", component_type},
                                      {"normalized", component_type != 5126},
                                      {"count", 4},
                                      {"type", type}});
    gltf.root["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = 2;
    return gltf;
}

TEST(ReadGltf, ReadsTheColoursOfVertices) {
    const std::vector<Vec3f> expected{{0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const std::vector<float> floats{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    EXPECT_EQ(with_colours(5126, "VEC3", floats).load().colours, expected);
    const std::vector<std::uint8_t> bytes{0, 0, 255, 7, 255, 0, 0, 7, 255, 255, 0, 7, 0, 255, 0, 7};
    EXPECT_EQ(with_colours(5121, "VEC4", bytes).load().colours, expected);
    const std::vector<std::uint16_t> shorts{0,     0,     65535, 7, 65535, 0,     0, 7,
                                            65535, 65535, 0,     7, 0,     65535, 0, 7};
    EXPECT_EQ(with_colours(5123, "VEC4", shorts).load().colours, expected);
    EXPECT_TRUE(tetrahedron().load().colours.empty());

    // A part without colours beside one that has some is white.
    Gltf two = with_colours(5126, "VEC3", floats);
    two.root["nodes"].push_back({{"mesh", 1}, {"translation", {5, 0, 0}}});
    two.root["scenes"] = {{{"nodes", {1, 0}}}};
    two.root["meshes"].push_back(tetrahedron().root["meshes"][0]);
    const Mesh mesh = two.load();
    ASSERT_EQ(mesh.colours.size(), 8u);
    EXPECT_EQ(mesh.colours[0], (Vec3f{1, 1, 1}));
    EXPECT_EQ(mesh.colours[4], expected[0]);

    Gltf few = with_colours(5126, "VEC3", floats);
    few.root["accessors"][2]["count"] = 3;
    EXPECT_TRUE(
        contains(few.refusal(), "accessor 2 does not hold a colour for each of 4 vertices"));
    Gltf flat = with_colours(5126, "VEC3", floats);
    flat.root["accessors"][2]["type"] = "VEC2";
    EXPECT_TRUE(contains(flat.refusal(), "accessor 2 does not hold a colour"));
    Gltf whole = with_colours(5121, "VEC4", bytes);
    whole.root["accessors"][2]["normalized"] = false;
    MeshReport report;
    EXPECT_TRUE(whole.load(&report).colours.empty());
    EXPECT_TRUE(test::find(report.warnings, "ignored_colours"));
}

TEST(ReadGltf, KeepsMirroredMeshesOutward) {
    Gltf gltf = tetrahedron();
    gltf.root["nodes"][0]["scale"] = {-1, 1, 1};
    MeshReport report;
    EXPECT_NEAR(volume(gltf.load(&report)), 1.0 / 6, 1e-12);
    EXPECT_TRUE(report.repairs.empty());
}

TEST(ReadGltf, ReadsOnlyTheDefaultScene) {
    Gltf gltf = tetrahedron();
    gltf.root["nodes"].push_back({{"mesh", 0}, {"translation", {5, 0, 0}}});
    gltf.root["scenes"] = {{{"nodes", {0}}}, {{"nodes", {0, 1}}}};
    MeshReport report;
    gltf.load(&report);
    EXPECT_EQ(report.components, 1u);
    gltf.root["scene"] = 1;
    report = {};
    gltf.load(&report);
    EXPECT_EQ(report.components, 2u);
    gltf.root.erase("scene");
    gltf.root.erase("scenes");
    report = {};
    gltf.load(&report);
    EXPECT_EQ(report.components, 2u);
    gltf.root.erase("nodes");
    report = {};
    gltf.load(&report);
    EXPECT_EQ(report.components, 1u);
}

TEST(ReadGltf, UnderstandsInterleavedNormalizedAndSparseData) {
    Gltf strided = tetrahedron();
    std::vector<float> wide;
    for (int v = 0; v < 4; ++v) {
        wide.push_back(99);
        for (int k = 0; k < 3; ++k) wide.push_back(tetrahedron_points[3 * v + k]);
        wide.push_back(-99);
    }
    strided.buffer = raw(wide) + raw(std::vector<std::uint16_t>(tetrahedron_indices.begin(),
                                                                tetrahedron_indices.end()));
    strided.root["bufferViews"][0] = {{"buffer", 0}, {"byteLength", 80}, {"byteStride", 20}};
    strided.root["bufferViews"][1]["byteOffset"] = 80;
    strided.root["accessors"][0]["byteOffset"] = 4;
    EXPECT_NEAR(volume(strided.load()), 1.0 / 6, 1e-12);

    Gltf quantized = tetrahedron();
    quantized.buffer =
        raw(std::vector<std::uint8_t>{0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0}) +
        raw(std::vector<std::uint16_t>(tetrahedron_indices.begin(), tetrahedron_indices.end()));
    quantized.root["bufferViews"][0] = {{"buffer", 0}, {"byteLength", 16}, {"byteStride", 4}};
    quantized.root["bufferViews"][1]["byteOffset"] = 16;
    quantized.root["accessors"][0]["componentType"] = 5121;
    quantized.root["accessors"][0]["normalized"] = true;
    EXPECT_NEAR(volume(quantized.load()), 1.0 / 6, 1e-12);

    Gltf sparse = tetrahedron();
    const auto at = sparse.buffer.size();
    sparse.buffer += raw(std::vector<std::uint8_t>{3, 0, 0, 0}) + raw(std::vector<float>{0, 0, 2});
    sparse.root["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", at}, {"byteLength", 16}});
    sparse.root["accessors"][0]["sparse"] = {
        {"count", 1},
        {"indices", {{"bufferView", 2}, {"componentType", 5121}}},
        {"values", {{"bufferView", 2}, {"byteOffset", 4}}}};
    EXPECT_NEAR(volume(sparse.load()), 2.0 / 6, 1e-12);
    sparse.root["accessors"][0]["sparse"]["count"] = 2;
    EXPECT_TRUE(contains(sparse.refusal(), "bad.gltf: "));
    sparse.root["accessors"][0]["sparse"]["count"] = 1;
    sparse.buffer[at] = 4;
    EXPECT_TRUE(contains(sparse.refusal(), "sparse"));
}

TEST(ReadGltf, ReadsBuffersBesideTheFileOnly) {
    Folder folder;
    const Gltf gltf = tetrahedron();
    std::filesystem::create_directories(folder / "in");
    std::filesystem::create_directories(folder / "in/data");
    folder.write("in/data/my buffer.bin", gltf.buffer);
    folder.write("secret.bin", gltf.buffer);
    const auto load_with = [&](const std::string& uri) {
        json root = gltf.root;
        root["buffers"][0] = {{"byteLength", gltf.buffer.size()}, {"uri", uri}};
        return load_mesh(folder.write("in/a.gltf", root.dump()));
    };
    EXPECT_NEAR(volume(load_with("data/my%20buffer.bin")), 1.0 / 6, 1e-12);
    for (const std::string& uri :
         {std::string("../secret.bin"), std::string("data/../../secret.bin"),
          std::string("%2e%2e/secret.bin"), (folder / "secret.bin").string(),
          "file://" + (folder / "secret.bin").string(), std::string("http://x.org/a.bin"),
          std::string("..\\secret.bin"), std::string("")})
        EXPECT_TRUE(contains(test::refusal([&] { load_with(uri); }), "a.gltf: the buffer")) << uri;
    EXPECT_TRUE(contains(test::refusal([&] { load_with("gone.bin"); }),
                         "a.gltf: its buffer gone.bin: there is no such file"));
}

TEST(ReadGltf, RefusesCompressionAndSaysWhatToDo) {
    Gltf draco = tetrahedron();
    draco.root["extensionsRequired"] = {"KHR_draco_mesh_compression"};
    EXPECT_TRUE(contains(draco.refusal(), "export it without compression"));
    draco.root.erase("extensionsRequired");
    draco.root["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"] =
        json::object();
    EXPECT_TRUE(contains(draco.refusal(), "Draco"));
    Gltf meshopt = tetrahedron();
    meshopt.root["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = json::object();
    EXPECT_TRUE(contains(meshopt.refusal(), "meshopt"));
}

TEST(ReadGltf, ChecksEveryOffsetCountAndIndex) {
    const std::vector<std::pair<std::string, json>> changes{
        {"/accessors/0/count", 5},
        {"/accessors/0/count", 4000000000u},
        {"/accessors/0/count", -1},
        {"/accessors/0/count", 1.5},
        {"/accessors/0/count", 18446744073709551615ull},
        {"/accessors/0/byteOffset", 4},
        {"/accessors/0/byteOffset", 18446744073709551615ull},
        {"/accessors/0/bufferView", 7},
        {"/accessors/0/type", "VEC2"},
        {"/accessors/0/type", 3},
        {"/accessors/0/componentType", 5124},
        {"/accessors/1/count", 13},
        {"/accessors/1/componentType", 5126},
        {"/accessors/1/componentType", 5125},
        {"/accessors/1/type", "VEC3"},
        {"/bufferViews/0/byteLength", 49000},
        {"/bufferViews/0/byteLength", 20},
        {"/bufferViews/0/byteOffset", 1000},
        {"/bufferViews/0/byteStride", 100},
        {"/bufferViews/0/byteStride", 9007199254740992ull},
        {"/bufferViews/0/buffer", 1},
        {"/bufferViews/0", 3},
        {"/meshes/0/primitives/0/indices", 9},
        {"/meshes/0/primitives/0/mode", 7},
        {"/meshes/0/primitives/0/attributes/POSITION", 2},
        {"/meshes/0/primitives", 3},
        {"/nodes/0/mesh", 1},
        {"/nodes/0/children", {0}},
        {"/nodes/0/children", {5}},
        {"/nodes/0/matrix", {1, 2, 3}},
        {"/nodes/0/scale", {1, "x", 1}},
        {"/nodes", 5},
        {"/scenes/0/nodes", {0, 0}},
        {"/scene", 4},
        {"/asset/version", "1.0"},
        {"/asset", nullptr},
        {"/accessors", "none"}};
    for (const auto& [where, value] : changes) {
        Gltf gltf = tetrahedron();
        gltf.root[json::json_pointer(where)] = value;
        EXPECT_TRUE(gltf.refusal().starts_with("bad.gltf: "))
            << where << " " << value << " -> " << gltf.refusal();
    }
    Gltf index = tetrahedron();
    index.buffer[48] = 4;
    EXPECT_TRUE(contains(index.refusal(), "names vertex 4"));
    Gltf nan = tetrahedron();
    nan.buffer.replace(0, 4, raw(std::vector<float>{NAN}));
    EXPECT_TRUE(contains(nan.refusal(), "not finite"));
}

TEST(ReadGltf, RefusesBrokenJson) {
    for (const std::string text : {"{", "{}", "[1,2]", "{\"asset\":{\"version\":2}}",
                                   "{\"asset\":1e999}", "{\"a\":\"\xff\"}"})
        EXPECT_TRUE(refusal_of_bytes("bad.gltf", text).starts_with("bad.gltf: ")) << text;
    std::string deep = "{\"asset\":{\"version\":\"2.0\"},\"x\":";
    for (int i = 0; i < 200000; ++i) deep += '[';
    EXPECT_TRUE(refusal_of_bytes("bad.gltf", deep).starts_with("bad.gltf: "));
}

TEST(ReadGltf, RefusesToPlaceAMeshEndlessly) {
    Gltf gltf = tetrahedron();
    // One accessor of zeros of any length, and very many copies of a mesh, cost nothing in the
    // file.
    gltf.root["accessors"][0] = {
        {"componentType", 5126}, {"count", 4000000000000ull}, {"type", "VEC3"}};
    EXPECT_TRUE(contains(gltf.refusal(), "placed so often"));
    Gltf many = tetrahedron();
    many.root["nodes"] = json::array();
    many.root["scenes"][0]["nodes"] = json::array();
    for (int i = 0; i < 3000; ++i) {
        many.root["nodes"].push_back({{"mesh", 0}});
        many.root["scenes"][0]["nodes"].push_back(i);
    }
    for (int i = 0; i < 500; ++i)
        many.root["meshes"][0]["primitives"].push_back(many.root["meshes"][0]["primitives"][0]);
    EXPECT_TRUE(contains(many.refusal(), "placed so often"));
}

TEST(ReadGltf, WalksDeepNodeChainsWithoutRecursion) {
    Gltf gltf = tetrahedron();
    gltf.root["nodes"] = json::array();
    const int depth = 100000;
    for (int i = 0; i < depth; ++i) gltf.root["nodes"].push_back({{"children", {i + 1}}});
    gltf.root["nodes"].push_back({{"mesh", 0}});
    EXPECT_NEAR(volume(gltf.load()), 1.0 / 6, 1e-12);
}

}  // namespace
}  // namespace turgor
