#include <random>

#include "mesh/test_read_helpers.hpp"

namespace turgor {
namespace {

using test::contains;
using test::find;

/// A row of the README beside those files, and what Turgor does with it.
struct Row {
    std::string file;
    std::string refusal;  ///< part of the sentence; "" where the file loads
    std::string finding;  ///< a repair or warning that must be reported
    std::size_t vertices = 0;
    double volume = 0;
    ErrorCode code = ErrorCode::none;
};

Row refused(std::string file, std::string sentence, ErrorCode code = ErrorCode::bad_file) {
    return {std::move(file), std::move(sentence), {}, 0, 0, code};
}
Row loads(std::string file, std::size_t vertices, double volume, std::string finding = {}) {
    return {std::move(file), {}, std::move(finding), vertices, volume, ErrorCode::none};
}

const std::vector<Row>& rows() {
    constexpr auto bad_mesh = ErrorCode::bad_mesh;
    static const std::vector<Row> all{
        refused("01_empty.obj", "no vertices and no faces"),
        refused("03_truncated_in_face.obj", "line 2144: the face has 2 corners"),
        refused("04_truncated_in_vertices.obj", "line 293: "),
        refused("05_nan.obj", "line 11: the first coordinate is not a finite number (nan)"),
        refused("07_overflow_1e400.obj", "too large for a number (1e400)"),
        refused("09_index_out_of_range.obj", "line 171: the face uses vertex 163"),
        refused("11_index_negative_oob.obj", "line 171: a face uses the relative vertex -500"),
        refused("13_index_not_integer.obj",
                "line 171: the vertex index of a face is not an integer"),
        loads("15_bom_crlf_vtvn.obj", 162, 4.04704),
        refused("17_comma_decimals.obj", "line 1: "),
        loads("19_long_line.obj", 162, 4.04704),
        loads("21_quads_bob.obj", 334, 0.735, "self_intersections"),
        refused("23_face_two_indices.obj", "line 483: the face has 2 corners"),
        loads("25_soup_unwelded.obj", 999, 0.71826, "welded_vertices"),
        loads("26_soup_jitter_1e-7.obj", 999, 0.71826, "welded_vertices"),
        loads("27_hole_1tri.obj", 642, 4.15274, "closed_holes"),
        loads("29_t_junction.obj", 163, 4.04704, "split_t_junctions"),
        loads("31_nonmanifold_edge_4faces.obj", 16, 2, "separated_edges"),
        loads("33_inverted.obj", 642, 4.15274, "turned_parts"),
        loads("35_duplicate_faces.obj", 162, 4.04704, "dropped_duplicates"),
        refused("37_klein_bottle.obj", "has no inside", bad_mesh),
        loads("39_two_components.obj", 324, 8.09409),
        loads("41_nested_cavity.obj", 324, 3.54116),
        loads("43_zero_length_edge.obj", 162, 4.04704, "collapsed_edges"),
        refused("45_single_triangle.obj", "not closed: 3 border edges", bad_mesh),
        refused("47_flat_tetra.obj", "no volume", bad_mesh),
        loads("49_scale_1e9.obj", 642, 4.15274e27),
        refused("51_scale_1e300.obj", "too large", bad_mesh),
        loads("53_binary_le.ply", 642, 4.15274),
        refused("55_truncated.ply", "shorter than its header says"),
        refused("57_claims_negative.ply", "line 3: "),
        loads("59_binary.stl", 642, 4.15274, "welded_vertices"),
        refused("61_stl_count_4e9.stl", "4294967295 triangles, but the file has room for 3"),
        refused("63_truncated.glb", "header says"),
        loads("65_embedded.gltf", 162, 4.04704),
    };
    return all;
}

std::filesystem::path bad_folder() {
    return std::filesystem::path(TURGOR_SHARED_MESHES) / "bad";
}

class BadFile : public ::testing::TestWithParam<Row> {};

TEST_P(BadFile, GetsWhatItsRowSays) {
    const Row& row = GetParam();
    const auto file = bad_folder() / row.file;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no file " << file;
    Status status;
    MeshReport report;
    const Mesh mesh = load_mesh(file, {1e-6, true}, &report, &status);
    EXPECT_EQ(status.code, row.code) << status.message;
    if (!row.refusal.empty()) {
        EXPECT_TRUE(status.message.starts_with(row.file)) << status.message;
        EXPECT_TRUE(contains(status.message, row.refusal));
        EXPECT_TRUE(mesh.vertices.empty());
        return;
    }
    EXPECT_TRUE(test::is_sound(mesh));
    EXPECT_EQ(mesh.vertices.size(), row.vertices);
    EXPECT_NEAR(report.volume, row.volume, 1e-4 * row.volume);
    if (row.finding.empty()) {
        EXPECT_TRUE(report.repairs.empty()) << report.repairs[0].sentence;
        EXPECT_TRUE(report.warnings.empty()) << report.warnings[0].sentence;
    } else {
        const auto* repair = find(report.repairs, row.finding);
        EXPECT_TRUE(repair || find(report.warnings, row.finding)) << row.finding;
    }
}

INSTANTIATE_TEST_SUITE_P(Shared, BadFile, ::testing::ValuesIn(rows()), [](const auto& instance) {
    std::string name = instance.param.file;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
});

TEST(BadFiles, AllHaveARow) {
    if (!std::filesystem::exists(bad_folder())) GTEST_SKIP() << "no folder " << bad_folder();
    for (const auto& entry : std::filesystem::directory_iterator(bad_folder())) {
        const auto name = entry.path().filename().string();
        if (name == "README.md") continue;
        EXPECT_TRUE(std::any_of(rows().begin(), rows().end(), [&](const Row& row) {
            return row.file == name;
        })) << name;
    }
}

TEST(BadFiles, BobCutsThroughItselfAboutSevenTimes) {
    const auto file = bad_folder() / "21_quads_bob.obj";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no file " << file;
    MeshReport report;
    load_mesh(file, {1e-6, true}, &report);
    ASSERT_TRUE(find(report.warnings, "self_intersections"));
    EXPECT_NEAR(static_cast<double>(find(report.warnings, "self_intersections")->count), 7, 2);
    EXPECT_EQ(report.genus, 1);
}

TEST(BadFiles, AreEachTakenByEveryReaderWithoutACrash) {
    if (!std::filesystem::exists(bad_folder())) GTEST_SKIP() << "no folder " << bad_folder();
    for (const auto& entry : std::filesystem::directory_iterator(bad_folder())) {
        const std::string bytes = test::bytes_of(entry.path());
        if (bytes.size() > 100000 || bytes.empty()) continue;
        for (const std::string name : {"a.obj", "a.ply", "a.stl", "a.off", "a.gltf", "a.glb", "a"})
            test::refusal_of_bytes(name, bytes);
    }
}

/// Small files of every format, as this program writes them and as others do.
std::vector<std::pair<std::string, std::string>> small_files() {
    test::Folder folder;
    const Mesh mesh = shapes::icosphere(0.7, 0);
    std::vector<std::pair<std::string, std::string>> files;
    for (const std::string ending : {"obj", "ply", "stl", "off", "glb"}) {
        save_mesh(mesh, folder / ("a." + ending));
        files.emplace_back("a." + ending, test::bytes_of(folder / ("a." + ending)));
    }
    std::string
        text = "solid a\n",
        ascii =
            "ply\nformat ascii 1.0\nelement vertex 12\nproperty float x\nproperty float "
            "y\nproperty "
            "float z\nelement face 20\nproperty list uchar int vertex_indices\nend_header\n";
    for (const Vec3 p : mesh.vertices)
        ascii += std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z) + "\n";
    for (const auto& t : mesh.triangles) {
        text += "facet normal 0 0 0\nouter loop\n";
        for (const auto v : t)
            text += "vertex " + std::to_string(mesh.vertices[v].x) + " " +
                    std::to_string(mesh.vertices[v].y) + " " + std::to_string(mesh.vertices[v].z) +
                    "\n";
        text += "endloop\nendfacet\n";
        ascii += "3 " + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " +
                 std::to_string(t[2]) + "\n";
    }
    files.emplace_back("text.stl", text + "endsolid a\n");
    files.emplace_back("text.ply", ascii);
    return files;
}

/// Either an Error with a sentence that names the file, or a mesh that can be simulated.
::testing::AssertionResult is_refused_or_sound(const std::string& name, std::string_view bytes) {
    try {
        const Mesh mesh = test::load_bytes(name, bytes);
        return test::is_sound(mesh);
    } catch (const Error& e) {
        if (std::string_view(e.what()).starts_with(name)) return ::testing::AssertionSuccess();
        return ::testing::AssertionFailure() << e.what();
    }
}

TEST(DamagedFiles, CutOffAnywhereAreRefusedOrSound) {
    for (const auto& [name, bytes] : small_files())
        for (std::size_t size = 1; size<bytes.size(); size += bytes.size()> 2000 ? 3 : 1)
            ASSERT_TRUE(is_refused_or_sound(name, std::string_view(bytes).substr(0, size)))
                << name << " at " << size;
}

TEST(DamagedFiles, CutOffInTheMiddleAreRefused) {
    for (const auto& [name, bytes] : small_files())
        EXPECT_NE(test::refusal_of_bytes(name, std::string_view(bytes).substr(0, bytes.size() / 2)),
                  "")
            << name;
}

TEST(DamagedFiles, WithChangedBytesAreRefusedOrSound) {
    std::mt19937 random(11);
    for (const auto& [name, bytes] : small_files())
        for (std::size_t at = 0; at<bytes.size(); at += bytes.size()> 1500 ? 2 : 1) {
            std::string damaged = bytes;
            switch (random() % 4) {
                case 0:
                    damaged[at] = static_cast<char>(random());
                    break;
                case 1:
                    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
                    break;
                case 2:
                    damaged[at] = "0919-e.,\n# {}[]"[random() % 15];
                    break;
                default:
                    damaged.replace(at, 4, std::string(4, static_cast<char>(0xff)));
                    break;
            }
            ASSERT_TRUE(is_refused_or_sound(name, damaged)) << name << " at " << at;
        }
}

TEST(DamagedFiles, WithManyChangesAtOnceAreRefusedOrSound) {
    std::mt19937 random(13);
    for (const auto& [name, bytes] : small_files())
        for (int n = 0; n < 150; ++n) {
            std::string damaged = bytes;
            for (unsigned k = 1 + random() % 8; k-- > 0 && !damaged.empty();) {
                const std::size_t at = random() % damaged.size(), length = random() % 20;
                if (random() % 2)
                    damaged.erase(at, length);
                else
                    damaged.insert(at, damaged.substr(random() % damaged.size(), length));
            }
            if (damaged.empty()) continue;
            ASSERT_TRUE(is_refused_or_sound(name, damaged)) << name << " " << n;
        }
}

TEST(DamagedFiles, OfOneKindAreRefusedInEveryFormat) {
    test::Folder folder;
    Mesh open = shapes::torus(1, 0.4, 20, 12);
    std::erase_if(open.triangles, [&](const Triangle& t) {
        return open.vertices[t[0]].y > 0.1 && open.vertices[t[0]].x > 0;
    });
    const Mesh inverted = test::turned(shapes::torus(1, 0.4, 20, 12));
    const Mesh hole = [] {
        Mesh mesh = shapes::torus(1, 0.4, 20, 12);
        mesh.triangles.pop_back();
        return mesh;
    }();
    for (const std::string ending : {"obj", "ply", "stl", "off", "glb"}) {
        const auto file = folder / ("a." + ending);
        save_mesh(open, file);
        EXPECT_TRUE(
            contains(test::refusal([&] { load_mesh(file); }), "a." + ending + ": not closed"))
            << ending;
        save_mesh(inverted, file);
        MeshReport report;
        EXPECT_GT(volume(load_mesh(file, {}, &report)), 0) << ending;
        EXPECT_TRUE(find(report.repairs, "turned_parts")) << ending;
        save_mesh(hole, file);
        EXPECT_NEAR(volume(load_mesh(file, {}, &report)), -volume(inverted), 1e-5) << ending;
        EXPECT_TRUE(find(report.repairs, "closed_holes")) << ending;
    }
}

}  // namespace
}  // namespace turgor
