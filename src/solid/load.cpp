#include "mesh/load.hpp"
#include "base/counted.hpp"
#include "base/errors.hpp"
#include "mesh/close_surface.hpp"
#include "mesh/topology.hpp"
#include "turgor/solid.hpp"

// load_mesh and make_mesh stand here and not with the readers because they may wrap.
namespace turgor {
namespace {

Mesh cage_of(const Mesh& mesh, std::size_t vertices, MeshReport& findings) {
    Mesh cage = wrap(mesh, vertices);
    Surface surface;
    surface.vertices = cage.vertices;
    surface.triangles = cage.triangles;
    findings.components = find_parts(scan_edges(surface).opposite).count;
    findings.cavities = findings.components - 1;
    measure(cage, findings);
    findings.repairs.push_back(
        {"wrapped",
         fmt::format("put a closed cage of {} vertices around {} and {}", cage.vertices.size(),
                     counted(mesh.vertices.size(), "vertex", "vertices"),
                     counted(mesh.triangles.size(), "triangle", "triangles")),
         1,
         {}});
    return cage;
}

/// What `close` makes or, if so asked, a cage around what `read` returns.
template <class Close, class Read>
Mesh closed_or_wrapped(const MeshOptions& options, MeshReport* report, Status* status,
                       Close&& close, Read&& read) {
    MeshReport unused;
    MeshReport& findings = report ? *report : unused;
    findings = {};
    return reporting_to(
        status,
        [&] {
            if (options.wrap > 0) return cage_of(read(), options.wrap, findings);
            try {
                return close(findings);
            } catch (const NotClosed& e) {
                throw NotClosed(e.code(), fmt::format("{}; or put a closed cage around it: --wrap, "
                                                      "\"wrap\": true, MeshOptions::wrap",
                                                      e.what()));
            }
        },
        Mesh{});
}

}  // namespace

Mesh load_mesh(const std::filesystem::path& path, const MeshOptions& options, MeshReport* report,
               Status* status) {
    return closed_or_wrapped(
        options, report, status,
        [&](MeshReport& findings) {
            return load_closed(read_source_file(path), options, findings);
        },
        [&] { return read_mesh(path); });
}

Mesh load_mesh(std::span<const std::byte> bytes, const std::string& name,
               const MeshOptions& options, MeshReport* report, Status* status) {
    return closed_or_wrapped(
        options, report, status,
        [&](MeshReport& findings) {
            return load_closed(source_file_of(bytes, name), options, findings);
        },
        [&] { return read_mesh(bytes, name); });
}

Mesh make_mesh(Mesh raw, const MeshOptions& options, MeshReport* report, Status* status) {
    return closed_or_wrapped(
        options, report, status,
        [&](MeshReport& findings) { return closed_mesh(std::move(raw), options, findings); },
        [&] { return std::move(raw); });
}

}  // namespace turgor
