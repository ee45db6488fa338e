#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "mesh/close_surface.hpp"
#include "mesh/readers.hpp"
#include "turgor/mesh.hpp"

namespace turgor::test {

/// A folder of its own for each test, removed with it.
class Folder {
public:
    Folder() {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string(info->test_suite_name()) + "." + info->name();
        for (char& c : name)
            if (c == '/') c = '_';
        path_ = std::filesystem::path(::testing::TempDir()) / ("turgor_" + name);
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    std::filesystem::path write(const std::string& name, std::string_view bytes) const {
        std::ofstream(path_ / name, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline SourceFile in_memory(const std::string& name, std::string_view bytes) {
    SourceFile file{name, name, std::make_unique<char[]>(bytes.size()), bytes.size()};
    if (!bytes.empty()) std::memcpy(file.data.get(), bytes.data(), bytes.size());
    return file;
}

/// What load_mesh does, for bytes that are not in a file.
inline Mesh load_bytes(const std::string& name, std::string_view bytes,
                       MeshReport* report = nullptr, const MeshOptions& options = {}) {
    MeshReport unused;
    const SourceFile file = in_memory(name, bytes);
    PolygonSoup soup = read_polygons(file);
    MeshReport& findings = report ? *report : unused;
    findings = {};
    findings.warnings = soup.warnings;
    return close_surface(triangulated(std::move(soup), name), options, findings);
}

/// The sentence of the Error that `body` throws, or "" where it throws none.
template <class Body>
std::string refusal(Body&& body) {
    try {
        body();
    } catch (const Error& e) {
        return e.what();
    }
    return {};
}

inline std::string refusal_of_bytes(const std::string& name, std::string_view bytes) {
    return refusal([&] { load_bytes(name, bytes); });
}

inline ::testing::AssertionResult contains(const std::string& text, std::string_view part) {
    if (text.find(part) != text.npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << '"' << text << "\" does not contain \"" << part << '"';
}

/// Closed, manifold and consistently oriented, checked without the code under test.
inline ::testing::AssertionResult is_sound(const Mesh& mesh) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> half_edges;
    std::vector<std::set<std::uint32_t>> triangles_at(mesh.vertices.size());
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
        for (int c = 0; c < 3; ++c) {
            const auto a = mesh.triangles[t][c], b = mesh.triangles[t][(c + 1) % 3];
            if (a >= mesh.vertices.size() || a == b)
                return ::testing::AssertionFailure() << "triangle " << t << " is bad";
            if (!half_edges.insert({a, b}).second)
                return ::testing::AssertionFailure() << "half-edge " << a << "-" << b << " twice";
            triangles_at[a].insert(t);
        }
    for (const auto& [a, b] : half_edges)
        if (!half_edges.contains({b, a}))
            return ::testing::AssertionFailure() << "border edge " << a << "-" << b;
    for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v) {
        if (triangles_at[v].empty()) return ::testing::AssertionFailure() << "unused vertex " << v;
        // Walk the fan from the first triangle: it must reach all of them.
        std::set<std::uint32_t> link;
        std::vector<std::uint32_t> todo{*triangles_at[v].begin()};
        while (!todo.empty()) {
            const auto t = todo.back();
            todo.pop_back();
            if (!link.insert(t).second) continue;
            for (const auto u : triangles_at[v]) {
                int common = 0;
                for (const auto w : mesh.triangles[u])
                    for (const auto x : mesh.triangles[t]) common += w == x;
                if (common >= 2) todo.push_back(u);
            }
        }
        if (link.size() != triangles_at[v].size())
            return ::testing::AssertionFailure() << "vertex " << v << " has several fans";
    }
    if (!(volume(mesh) > 0)) return ::testing::AssertionFailure() << "volume " << volume(mesh);
    return ::testing::AssertionSuccess();
}

inline const MeshFinding* find(const std::vector<MeshFinding>& findings, std::string_view kind) {
    for (const auto& finding : findings)
        if (finding.kind == kind) return &finding;
    return nullptr;
}

/// `b` after `a` in one mesh.
inline Mesh joined(Mesh a, const Mesh& b) {
    const auto offset = static_cast<std::uint32_t>(a.vertices.size());
    a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
    for (const auto& t : b.triangles)
        a.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    return a;
}

inline Mesh turned(Mesh mesh) {
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

/// Every triangle with three vertices of its own.
inline Mesh unwelded(const Mesh& mesh) {
    Mesh soup;
    for (const auto& t : mesh.triangles) {
        const auto first = static_cast<std::uint32_t>(soup.vertices.size());
        for (const auto v : t) soup.vertices.push_back(mesh.vertices[v]);
        soup.triangles.push_back({first, first + 1, first + 2});
    }
    return soup;
}

/// A box of 8 vertices and 12 triangles.
inline Mesh box(Vec3 lower, Vec3 upper) {
    Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.vertices.push_back(
            {i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y, i & 4 ? upper.z : lower.z});
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

}  // namespace turgor::test
