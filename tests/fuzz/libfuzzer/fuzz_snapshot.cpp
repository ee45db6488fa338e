// For libFuzzer: fuzz_snapshot CORPUS_FOLDER. Inputs are snapshots; the check sum is put right, so
// that mutations reach what is behind it. Called with --seeds FOLDER, which must exist, it writes a
// first corpus there.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/one_snapshot.hpp"
#include "fuzz/snapshot_worlds.hpp"
#include "world/snapshot.hpp"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    if (*count < 3 || (*arguments)[1] != std::string("--seeds")) return 0;
    const std::filesystem::path folder = (*arguments)[2];
    for (const auto& [name, bytes] : turgor::fuzz::seeds())
        std::ofstream(folder / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto all = std::as_bytes(std::span(data, size));
    std::vector<std::byte> bytes(all.begin(), all.end());
    turgor::seal_snapshot(bytes);
    turgor::fuzz::one_snapshot(bytes);
    return 0;
}
