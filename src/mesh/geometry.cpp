#include "mesh/normals.hpp"
#include "turgor/mesh.hpp"

namespace turgor {

double volume(const Mesh& mesh) {
    // About the middle of the mesh: far from the origin the terms would be large and cancel.
    const Vec3 origin = mesh.vertices.empty() ? Vec3{} : bounds(mesh).centre();
    double sum = 0;
    for (const auto& [i, j, k] : mesh.triangles) {
        const Vec3 a = mesh.vertices[i] - origin, b = mesh.vertices[j] - origin,
                   c = mesh.vertices[k] - origin;
        sum += dot(a, cross(b, c));
    }
    return sum / 6;
}

double area(const Mesh& mesh) {
    double sum = 0;
    for (const auto& [i, j, k] : mesh.triangles) {
        const Vec3 a = mesh.vertices[i];
        sum += norm(cross(mesh.vertices[j] - a, mesh.vertices[k] - a));
    }
    return sum / 2;
}

Bounds bounds(const Mesh& mesh) {
    Bounds box;
    for (const Vec3 p : mesh.vertices) box.add(p);
    return box;
}

std::vector<Vec3> vertex_normals(const Mesh& mesh) {
    std::vector<Vec3> normals(mesh.vertices.size());
    unit_normals(mesh.vertices, mesh.triangles, normals);
    return normals;
}

Mesh transformed(Mesh mesh, Vec3 offset, double scale, Quat rotation) {
    for (Vec3& p : mesh.vertices) p = scale * rotate(rotation, p) + offset;
    if (scale < 0)
        for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

}  // namespace turgor
