#include "output/solid_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace turgor {
namespace {

namespace fs = std::filesystem;

class SolidFiles : public testing::Test {
protected:
    SolidFiles()
        : folder_(fs::temp_directory_path() / ("turgor-solid-" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        solid_ = make_solid(shapes::icosphere(0.5, 2), {.cells = 7});
    }
    ~SolidFiles() override { fs::remove_all(folder_); }

    std::string text_of(const char* name) const {
        save_solid(solid_, folder_ / name);
        std::ifstream in(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    double volume_of(const std::vector<Vec3>& points,
                     const std::vector<std::array<std::uint32_t, 4>>& tetrahedra) const {
        double sum = 0;
        for (const auto& t : tetrahedra) {
            const double six = dot(points[t[1]] - points[t[0]],
                                   cross(points[t[2]] - points[t[0]], points[t[3]] - points[t[0]]));
            EXPECT_GT(six, 0);
            sum += six / 6;
        }
        return sum;
    }

    fs::path folder_;
    Solid solid_;
};

std::vector<unsigned char> from_base64(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<unsigned char> bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
        count += 6;
        if (count >= 8) bytes.push_back(static_cast<unsigned char>(bits >> (count -= 8)));
    }
    return bytes;
}

/// The numbers of an array by its name, checked against its header.
template <class T>
std::vector<T> array_of(const std::string& vtu, const std::string& type, const std::string& name) {
    const std::size_t at = vtu.find("type=\"" + type + "\" Name=\"" + name + "\"");
    EXPECT_NE(at, std::string::npos) << name;
    const std::size_t begin = vtu.find('>', at) + 1;
    const auto bytes = from_base64(vtu.substr(begin, vtu.find('<', begin) - begin));
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), 8);
    EXPECT_EQ(size + 8, bytes.size()) << name;
    std::vector<T> values(size / sizeof(T));
    std::memcpy(values.data(), bytes.data() + 8, size);
    return values;
}

TEST_F(SolidFiles, VtuHoldsTheTetrahedra) {
    const std::string vtu = text_of("a.vtu");
    const auto numbers = array_of<double>(vtu, "Float64", "Points");
    const auto corners = array_of<std::int64_t>(vtu, "Int64", "connectivity"),
               offsets = array_of<std::int64_t>(vtu, "Int64", "offsets");
    const auto types = array_of<std::uint8_t>(vtu, "UInt8", "types");
    ASSERT_EQ(numbers.size(), 3 * solid_.corners.size());
    ASSERT_EQ(corners.size(), 20 * solid_.cells.size());
    ASSERT_EQ(types, std::vector<std::uint8_t>(5 * solid_.cells.size(), 10));
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < numbers.size(); i += 3)
        points.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
    EXPECT_EQ(points, solid_.corners);
    std::vector<std::array<std::uint32_t, 4>> tetrahedra(offsets.size());
    for (std::size_t t = 0; t < offsets.size(); ++t) {
        EXPECT_EQ(offsets[t], static_cast<std::int64_t>(4 * t + 4));
        for (std::size_t k = 0; k < 4; ++k)
            tetrahedra[t][k] = static_cast<std::uint32_t>(corners[4 * t + k]);
    }
    EXPECT_NEAR(volume_of(points, tetrahedra), solid_.wanted_volume, 1e-12);
    EXPECT_NE(vtu.find("NumberOfPoints=\"" + std::to_string(points.size()) + "\""),
              std::string::npos);
}

TEST_F(SolidFiles, MshHoldsTetrahedraAndTheSurface) {
    std::istringstream in(text_of("a.msh"));
    std::string line;
    std::vector<Vec3> points;
    std::vector<std::array<std::uint32_t, 4>> tetrahedra;
    Mesh surface{"surface", {}, {}};
    std::map<std::string, std::size_t> promised;
    while (std::getline(in, line)) {
        if (line != "$Nodes" && line != "$Elements") continue;
        const bool nodes = line == "$Nodes";
        std::size_t count = 0;
        in >> count;
        for (std::size_t i = 1; i <= count; ++i) {
            std::size_t number = 0;
            in >> number;
            ASSERT_EQ(number, i);
            if (nodes) {
                Vec3 p;
                in >> p.x >> p.y >> p.z;
                points.push_back(p);
                continue;
            }
            int type = 0, tags = 0, group = 0, geometry = 0;
            in >> type >> tags >> group >> geometry;
            ASSERT_EQ(tags, 2);
            std::array<std::uint32_t, 4> v{1, 1, 1, 1};
            for (std::size_t k = 0; k < (type == 4 ? 4u : 3u); ++k) in >> v[k];
            for (auto& index : v) --index;
            ASSERT_EQ(group, type == 4 ? 2 : 1);
            if (type == 4)
                tetrahedra.push_back(v);
            else
                surface.triangles.push_back({v[0], v[1], v[2]});
        }
    }
    EXPECT_EQ(points, solid_.corners);
    EXPECT_EQ(tetrahedra, solid_.tetrahedra());
    EXPECT_EQ(surface.triangles, solid_.triangles);
    surface.vertices = points;
    EXPECT_NEAR(volume(surface), volume_of(points, tetrahedra), 1e-12);
}

TEST_F(SolidFiles, ObjIsTheSurface) {
    text_of("a.obj");
    const Mesh mesh = load_mesh(folder_ / "a.obj");
    EXPECT_EQ(mesh.vertices.size(), solid_.surface_count);
    EXPECT_NEAR(volume(mesh), solid_.wanted_volume, 1e-12);
}

TEST_F(SolidFiles, OtherEndingsAreRefused) {
    EXPECT_THROW(save_solid(solid_, folder_ / "a.stl"), Error);
    EXPECT_FALSE(fs::exists(folder_ / "a.stl"));
}

}  // namespace
}  // namespace turgor
