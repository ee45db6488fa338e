// Snapshots as files, for bindings/web/tests to exchange with the WebAssembly build:
//     snapshot_exchange write SCENE STEPS FILE    runs a built-in scene and writes its snapshot
//     snapshot_exchange read FILE STEPS DT        goes on from a snapshot and prints the hash
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "scene/live_scene.hpp"

namespace {

void write(const std::string& scene, int steps, const char* file) {
    turgor::LiveScene live(turgor::load_scene(scene));
    for (int k = 0; k < steps; ++k) live.step();
    const auto bytes = live.world().snapshot();
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

void read(const char* file, int steps, double dt) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    turgor::World world;
    world.restore(std::as_bytes(std::span(bytes)));
    for (int k = 0; k < steps; ++k) world.step(dt);
    std::printf("%016llx\n", static_cast<unsigned long long>(world.state_hash()));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string command = argc == 5 ? argv[1] : "";
    if (command == "write")
        write(argv[2], std::stoi(argv[3]), argv[4]);
    else if (command == "read")
        read(argv[2], std::stoi(argv[3]), std::stod(argv[4]));
    else
        return 2;
}
