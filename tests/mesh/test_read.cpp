#include <fmt/format.h>

#include <bit>
#include <clocale>

#include "mesh/test_read_helpers.hpp"

#if __has_include(<sys/stat.h>)
#include <sys/stat.h>
#endif

namespace turgor {
namespace {

using test::contains;
using test::Folder;
using test::load_bytes;
using test::refusal_of_bytes;

const std::string tetrahedron_obj =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

void expect_tetrahedron(const Mesh& mesh) {
    EXPECT_TRUE(test::is_sound(mesh));
    EXPECT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.triangles.size(), 4u);
    EXPECT_NEAR(volume(mesh), 1.0 / 6, 1e-15);
}

TEST(ReadObj, UnderstandsEveryWayToWriteACorner) {
    for (const std::string corner : {"{}", "{}/1", "{}//1", "{}/1/1", "{}/", "{}/1/"}) {
        std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\n";
        for (const auto& [a, b, c] :
             std::vector<std::array<int, 3>>{{1, 3, 2}, {1, 2, 4}, {2, 3, 4}, {3, 1, 4}})
            text += fmt::format(fmt::runtime("f " + corner + " " + corner + "  " + corner + "\n"),
                                a, b, c);
        expect_tetrahedron(load_bytes("a.obj", text));
    }
}

TEST(LoadMesh, TakesBytesAsItTakesFiles) {
    const auto bytes = std::as_bytes(std::span(tetrahedron_obj));
    const Mesh mesh = load_mesh(bytes, "in/memory.obj");
    expect_tetrahedron(mesh);
    EXPECT_EQ(mesh.name, "memory");
    expect_tetrahedron(load_mesh(bytes, "no ending at all"));
    Status status;
    load_mesh(bytes.first(10), "short.obj", {}, nullptr, &status);
    EXPECT_TRUE(contains(status.message, "short.obj")) << status.message;
    load_mesh({}, "empty.stl", {}, nullptr, &status);
    EXPECT_EQ(status.code, ErrorCode::bad_file);
    EXPECT_TRUE(contains(status.message, "empty.stl: the file is empty")) << status.message;
}

TEST(ReadObj, CountsNegativeIndicesBackFromTheVerticesSoFar) {
    expect_tetrahedron(
        load_bytes("a.obj",
                   "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -1 -2\nv 0 0 1\nf -4 -3 -1\nf -3 -2 "
                   "-1\nf -2 -4 -1\n"));
}

TEST(ReadObj, TakesFacesBeforeTheirVertices) {
    expect_tetrahedron(load_bytes(
        "a.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"));
}

TEST(ReadObj, IgnoresColoursWeightsCommentsAndUnknownStatements) {
    expect_tetrahedron(load_bytes(
        "a.obj",
        "\xEF\xBB\xBF# made by hand\r\nmtllib x.mtl\r\no body\r\nv 0 0 0 1 0.5 0.5 "
        "0.5\r\nv 1 0 0 1\r\n\tv 0 1 0 0.1 0.2 0.3 # here\r\nv +0.0 0 1e0\r\ncurv 1 2 "
        "\\\r\n 3 4\r\ns off\r\nf 1 3 2\r\nf 1 2 4\r\nf 2 \\\r\n3 4\r\nl 1 2\r\nf 3 1 4"));
}

TEST(ReadObj, EndsLinesWithCarriageReturnsAlone) {
    std::string text = tetrahedron_obj;
    for (char& c : text)
        if (c == '\n') c = '\r';
    expect_tetrahedron(load_bytes("a.obj", text));
}

TEST(ReadObj, DoesNotLetACommentContinue) {
    expect_tetrahedron(load_bytes("a.obj", "# from C:\\meshes\\\n" + tetrahedron_obj));
}

TEST(ReadObj, ReadsTinyNumbersAsZero) {
    std::string text = tetrahedron_obj;
    text.replace(text.find("v 0 0 0"), 7, "v 1e-400 -1e-5000 0");
    expect_tetrahedron(load_bytes("a.obj", text));
}

TEST(ReadObj, RefusesBadNumbersWithTheirLine) {
    const auto with = [](const std::string& third) {
        return "# a\n\nv 1 2 3\nv 0 " + third + " 0\nv 0 0 0\nf 1 2 3\n";
    };
    for (const std::string bad :
         {"nan", "inf", "-inf", "NaN", "1e400", "-1e999", "1,5", "1.5x", "0x10", "abc", "--1",
          "+-1", "1e", ".", "1.2.3", "1\xE2\x80\x84"}) {
        const std::string sentence = refusal_of_bytes("bad.obj", with(bad));
        EXPECT_TRUE(sentence.starts_with("bad.obj, line 4: the second coordinate"))
            << bad << " -> " << sentence;
    }
    EXPECT_TRUE(contains(refusal_of_bytes("bad.obj", with("1,5")), "comma"));
    EXPECT_TRUE(contains(refusal_of_bytes("bad.obj", with("nan")), "not a finite number (nan)"));
    EXPECT_TRUE(contains(refusal_of_bytes("bad.obj", with("1e400")), "too large"));
    EXPECT_TRUE(contains(refusal_of_bytes("bad.obj", "v 1 2\nf 1 1 1\n"),
                         "line 1: the third coordinate is missing"));
}

TEST(ReadObj, RefusesBadIndicesWithTheirLine) {
    const auto with = [](const std::string& face) { return tetrahedron_obj + "f " + face + "\n"; };
    for (const std::string bad :
         {"0 1 2", "1 2 5", "1 2 -5", "1 2 1.5", "1 2 x", "1 2", "1", "", "1 2 3/x", "1 2 3/1/1/1",
          "1 2 99999999999999999999", "1 2 9223372036854775807", "1 2 -9223372036854775808",
          "1 2 4294967297"}) {
        const std::string sentence = refusal_of_bytes("bad.obj", with(bad));
        EXPECT_TRUE(sentence.starts_with("bad.obj, line 9: ")) << bad << " -> " << sentence;
    }
}

TEST(ReadObj, ShowsNoRawBytesInItsSentences) {
    const std::string sentence =
        refusal_of_bytes("bad.obj", std::string("v 1 \x01\x02\x7f\0\xff 3\n", 12));
    for (const char c : sentence) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << sentence;
}

TEST(ReadObj, DoesNotDependOnTheLocale) {
    const std::string before = std::setlocale(LC_NUMERIC, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
        std::setlocale(LC_NUMERIC, name);
        std::string text = tetrahedron_obj;
        text.replace(text.find("v 0 0 1"), 7, "v 0 0 1.5");
        EXPECT_NEAR(volume(load_bytes("a.obj", text)), 0.25, 1e-15);
    }
    std::setlocale(LC_NUMERIC, before.c_str());
}

template <class T>
void append(std::string& bytes, T value, std::endian order) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
}

const std::array<std::array<int, 3>, 4> tetrahedron_faces{
    {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};

/// Odd order, odd types, extra properties, extra elements, lists on vertices.
std::string binary_ply(std::endian order, const std::string& line_end = "\n") {
    std::string bytes;
    const std::string format =
        order == std::endian::big ? "binary_big_endian" : "binary_little_endian";
    for (const std::string& line : std::vector<std::string>{
             "ply", "format " + format + " 1.0", "comment odd on purpose", "element camera 2",
             "property uchar kind", "property double focus", "element face 4",
             "property uchar flags", "property list int16 uint16 vertex_index",
             "property list uint8 float texcoord", "element vertex 4", "property float64 z",
             "property list uchar int16 links", "property int8 x", "property float quality",
             "property short y", "element edge 1", "property int a", "end_header"})
        bytes += line + line_end;
    for (int i = 0; i < 2; ++i) {
        append<std::uint8_t>(bytes, 1, order);
        append<double>(bytes, 0.5, order);
    }
    for (const auto& face : tetrahedron_faces) {
        append<std::uint8_t>(bytes, 7, order);
        append<std::int16_t>(bytes, 3, order);
        for (const int v : face) append<std::uint16_t>(bytes, static_cast<std::uint16_t>(v), order);
        append<std::uint8_t>(bytes, 2, order);
        append<float>(bytes, 0.5f, order);
        append<float>(bytes, 0.5f, order);
    }
    for (int v = 0; v < 4; ++v) {
        append<double>(bytes, v == 3, order);
        append<std::uint8_t>(bytes, static_cast<std::uint8_t>(v), order);
        for (int i = 0; i < v; ++i) append<std::int16_t>(bytes, -1, order);
        append<std::int8_t>(bytes, v == 1, order);
        append<float>(bytes, 1, order);
        append<std::int16_t>(bytes, v == 2, order);
    }
    append<std::int32_t>(bytes, 5, order);
    return bytes;
}

TEST(ReadPly, UnderstandsBothByteOrdersAndAnyLayout) {
    for (const std::string line_end : {"\n", "\r\n", "\r"}) {
        expect_tetrahedron(load_bytes("a.ply", binary_ply(std::endian::little, line_end)));
        expect_tetrahedron(load_bytes("a.ply", binary_ply(std::endian::big, line_end)));
    }
}

const std::string ascii_ply =
    "ply\nformat ascii 1.0\nobj_info x\nelement vertex 4\nproperty float y\nproperty float "
    "x\nproperty float "
    "z\nproperty uchar red\nelement face 4\nproperty list uchar int vertex_indices\nproperty int "
    "group\nelement "
    "edge 1\nproperty int a\nend_header\n0 0 0 255\n0 1 0 255\n1 0 0 255\n\n0 0 1 255\n3 0 2 1 "
    "9\n3 0 1 3 9\n3 1 2 "
    "3 9\n3 2 0 3 9\n7\n";

TEST(ReadPly, UnderstandsText) {
    expect_tetrahedron(load_bytes("a.ply", ascii_ply));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(ReadPly, RefusesWhatIsWrong) {
    const auto sentence = [](const std::string& from, const std::string& to) {
        return refusal_of_bytes("bad.ply", replaced(ascii_ply, from, to));
    };
    EXPECT_TRUE(contains(sentence("vertex 4", "vertex -1"), "bad.ply, line 4"));
    EXPECT_TRUE(contains(sentence("vertex 4", "vertex 4000000000000"), "bytes follow"));
    EXPECT_TRUE(contains(sentence("vertex 4", "vertex 99999999999999999999999"), "not a count"));
    EXPECT_TRUE(contains(sentence("face 4", "face 5"), "bad.ply"));
    EXPECT_TRUE(contains(sentence("property float x", "property float u"), "no property x"));
    EXPECT_TRUE(contains(sentence("list uchar int", "list float int"), "not an integer"));
    EXPECT_TRUE(contains(sentence("list uchar int", "list uchar float"), "not integers"));
    EXPECT_TRUE(contains(sentence("vertex_indices", "corners"), "vertex_indices"));
    EXPECT_TRUE(contains(sentence("element face", "element tristrips"), "strips"));
    EXPECT_TRUE(contains(sentence("ascii 1.0", "text 1.0"), "format is unknown"));
    EXPECT_TRUE(contains(sentence("end_header", "property"), "line"));
    EXPECT_TRUE(contains(sentence("3 1 2 3 9", "3 1 2 4 9"), "line 22: the face uses vertex 4"));
    EXPECT_TRUE(contains(sentence("3 1 2 3 9", "3 1 2 -3 9"), "line 22"));
    EXPECT_TRUE(contains(sentence("3 1 2 3 9", "2 1 2 9"), "needs at least 3"));
    EXPECT_TRUE(contains(sentence("0 1 0 255", "0 nan 0 255"),
                         "line 16: the x coordinate is not a finite"));
    EXPECT_TRUE(contains(sentence("0 1 0 255", "0 1"), "line 16: the z coordinate is missing"));
    EXPECT_TRUE(
        contains(refusal_of_bytes("bad.ply", "ply\nformat ascii 1.0\nelement vertex 3"), "header"));
}

TEST(ReadPly, ComparesClaimsWithTheBytesThatFollow) {
    const std::string good = binary_ply(std::endian::little);
    for (const auto& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"vertex 4", "vertex 4000000000"},
                                                          {"face 4", "face 4000000000"},
                                                          {"camera 2", "camera 4000000000"}})
        EXPECT_TRUE(contains(refusal_of_bytes("bad.ply", replaced(good, from, to)), "bad.ply: "))
            << to;
    EXPECT_TRUE(
        contains(refusal_of_bytes("bad.ply", good.substr(0, good.size() - 30)), "bad.ply: "));
}

std::string text_stl(const Mesh& mesh) {
    std::string text = "solid thing of mine\n";
    for (const auto& t : mesh.triangles) {
        text += "  facet normal nan nan nan\n    outer loop\n";
        for (const auto v : t)
            text += fmt::format("      vertex {:e} {} {}\n", mesh.vertices[v].x, mesh.vertices[v].y,
                                mesh.vertices[v].z);
        text += "    endloop\n  endfacet\n";
    }
    return text + "endsolid thing of mine\n";
}

TEST(ReadStl, UnderstandsTextAndSeveralSolids) {
    const Mesh ball = shapes::icosphere(1, 2);
    const std::string one = text_stl(ball);
    EXPECT_NEAR(volume(load_bytes("a.stl", one)), volume(ball), 1e-6);
    const Mesh two = load_bytes("a.stl", one + text_stl(transformed(ball, {5, 0, 0})));
    EXPECT_TRUE(test::is_sound(two));
    EXPECT_NEAR(volume(two), 2 * volume(ball), 1e-6);
}

TEST(ReadStl, RefusesTextThatEndsEarly) {
    const std::string text = text_stl(test::box({0, 0, 0}, {1, 1, 1}));
    EXPECT_TRUE(contains(refusal_of_bytes("a.stl", text.substr(0, text.rfind("endsolid"))),
                         "ends before \"endsolid\""));
    EXPECT_TRUE(
        contains(refusal_of_bytes("a.stl", text.substr(0, text.size() - 30)), "a.stl, line "));
    EXPECT_TRUE(contains(refusal_of_bytes("a.stl", replaced(text, "vertex", "vortex")), "line 4"));
    EXPECT_TRUE(contains(refusal_of_bytes("a.stl", "solid empty\nendsolid\n"), "no "));
}

TEST(ReadStl, TellsBinaryByItsSizeEvenIfItStartsWithSolid) {
    Folder folder;
    const Mesh ball = shapes::icosphere(1, 2);
    save_mesh(ball, folder / "a.stl");
    std::string bytes = test::bytes_of(folder / "a.stl");
    bytes.replace(0, 11, "solid named");
    const Mesh read = load_bytes("a.stl", bytes);
    EXPECT_EQ(read.vertices.size(), ball.vertices.size());
    EXPECT_NEAR(volume(read), volume(ball), 1e-5);
    MeshReport report;
    load_bytes("a.stl", test::bytes_of(folder / "a.stl") + "more", &report);
    EXPECT_TRUE(test::find(report.warnings, "bytes_after_end"));
}

TEST(ReadOff, UnderstandsItsVariants) {
    const std::string faces = "3 0 2 1\n3 0 1 3 255 0 0\n3 1 2 3\n3 2 0 3 # last\n";
    const std::string plain = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
    const std::string more = "0 0 0 1 0 0\n1 0 0 1 0 0\n0 1 0 1 0 0\n\n0 0 1 1 0 0\n";
    for (const std::string& text :
         {"OFF\n4 4 6\n" + plain + faces, "OFF 4 4 6\n" + plain + faces,
          "# c\nOFF # d\n# e\n4 4\n" + plain + faces, "4 4 0\n" + plain + faces,
          "NOFF\n4 4 0\n" + more + faces, "COFF\n4 4 0\n" + more + faces,
          "STOFF\n4 4 0\n" + more + faces, "STCNOFF\r\n4\r\n4\r\n0\r\n" + more + faces})
        expect_tetrahedron(load_bytes("a.off", text));
}

TEST(ReadOff, RefusesWhatIsWrong) {
    for (const std::string text :
         {"OFF\n4 4 0\n0 0 0\n", "OFF\n-4 4 0\n", "OFF\n4000000000 4 0\n0 0 0\n",
          "OFF\n4 4000000000 0\n", "4OFF\n1 1 1\n", "OFF BINARY\n1 1 1\n",
          "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
          "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n",
          "OFF\n3 1 0\n0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n", "OFF\n", "# nothing\n",
          "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3000000000 0 1 2\n"})
        EXPECT_TRUE(refusal_of_bytes("bad.off", text).starts_with("bad.off, line ")) << text;
}

TEST(LoadMesh, KnowsAFormatByItsContent) {
    Folder folder;
    const Mesh ball = shapes::icosphere(1, 1);
    for (const std::string ending : {"obj", "ply", "stl", "off", "glb"}) {
        save_mesh(ball, folder / ("ball." + ending));
        const auto renamed =
            folder.write("ball_" + ending, test::bytes_of(folder / ("ball." + ending)));
        EXPECT_NEAR(volume(load_mesh(renamed)), volume(ball), 1e-6) << ending;
        const auto upper = folder.write("BALL.X." + std::string(ending == "obj"   ? "OBJ"
                                                                : ending == "ply" ? "PLY"
                                                                : ending == "stl" ? "StL"
                                                                : ending == "off" ? "OFF"
                                                                                  : "GLB"),
                                        test::bytes_of(folder / ("ball." + ending)));
        EXPECT_NEAR(volume(load_mesh(upper)), volume(ball), 1e-6) << ending;
    }
    const std::string sentence =
        test::refusal([&] { load_mesh(folder.write("notes.txt", "hello there\n")); });
    EXPECT_TRUE(sentence.starts_with("notes.txt: neither")) << sentence;
}

TEST(LoadMesh, NamesTheMeshAfterTheFile) {
    Folder folder;
    EXPECT_EQ(load_mesh(folder.write("my mesh.obj", tetrahedron_obj)).name, "my mesh");
}

TEST(LoadMesh, RefusesWhatIsNoFile) {
    Folder folder;
    const auto code_of = [](const std::filesystem::path& file) {
        Status status;
        const Mesh mesh = load_mesh(file, {}, nullptr, &status);
        EXPECT_TRUE(mesh.vertices.empty());
        EXPECT_TRUE(status.message.starts_with(file.filename().string())) << status.message;
        return status.code;
    };
    EXPECT_EQ(code_of(folder / "missing.obj"), ErrorCode::io);
    std::filesystem::create_directories(folder / "folder.obj");
    EXPECT_EQ(code_of(folder / "folder.obj"), ErrorCode::io);
    EXPECT_EQ(code_of(folder.write("empty.obj", "")), ErrorCode::bad_file);
    EXPECT_EQ(code_of(folder.write("blank.obj", "\n\n# nothing\n")), ErrorCode::bad_file);
    // Points can be wrapped.
    EXPECT_EQ(code_of(folder.write("points.obj", "v 1 2 3\n")), ErrorCode::bad_mesh);
#if defined(__unix__)
    if (std::filesystem::exists("/dev/zero")) {
        EXPECT_EQ(code_of("/dev/zero"), ErrorCode::io);
    }
    ASSERT_EQ(mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
    EXPECT_EQ(code_of(folder / "pipe.obj"), ErrorCode::io);
#endif
}

TEST(SaveMesh, ReadsBackFromEveryFormat) {
    Folder folder;
    const Mesh mesh = transformed(shapes::torus(1, 0.3, 24, 12), {0.1, 1.0 / 3, -7}, 1.7,
                                  Quat::about({1, 1, 0}, 1));
    for (const std::string ending : {"obj", "ply", "off", "stl", "glb"}) {
        const auto file = folder / ("torus." + ending);
        save_mesh(mesh, file);
        MeshReport report;
        const Mesh read = load_mesh(file, {}, &report);
        EXPECT_TRUE(test::is_sound(read));
        EXPECT_EQ(report.genus, 1);
        EXPECT_EQ(read.vertices.size(), mesh.vertices.size()) << ending;
        EXPECT_NEAR(volume(read), volume(mesh), 1e-5 * volume(mesh)) << ending;
        const bool exact = ending == "obj" || ending == "ply" || ending == "off";
        if (exact) {
            EXPECT_EQ(read.vertices, mesh.vertices) << ending;
            EXPECT_TRUE(report.repairs.empty()) << ending;
        }
        if (ending != "stl") {
            EXPECT_EQ(read.triangles, mesh.triangles) << ending;
        }
        if (ending == "glb") {
            for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
                ASSERT_EQ(to_float(read.vertices[v]), to_float(mesh.vertices[v]));
        }
    }
}

TEST(SaveMesh, WritesAllOrNothing) {
    Folder folder;
    const Mesh mesh = shapes::icosphere(1, 1);
    const auto file = folder.write("old.obj", "precious");
    EXPECT_THROW(save_mesh(mesh, folder / "mesh.xyz"), Error);
    std::filesystem::create_directories(folder / "taken.obj");
    EXPECT_THROW(save_mesh(mesh, folder / "taken.obj"), Error);
    EXPECT_EQ(test::bytes_of(file), "precious");
    save_mesh(mesh, file);
    EXPECT_EQ(load_mesh(file).vertices, mesh.vertices);
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder / ""))
        ++entries;
    EXPECT_EQ(entries, 2u);  // old.obj and the folder taken.obj: no temporary file is left
}

}  // namespace
}  // namespace turgor
