#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace turgor::fuzz {

struct Seed {
    std::string name;
    std::vector<std::byte> bytes;
};
/// Snapshots of small worlds that together hold everything a snapshot can hold.
std::vector<Seed> seeds();

}  // namespace turgor::fuzz
