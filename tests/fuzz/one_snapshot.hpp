#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace turgor::fuzz {

enum class Outcome { refused, accepted, wrong };
struct Verdict {
    Outcome outcome = Outcome::refused;
    std::string sentence;  ///< of what refused it, or what is wrong
};

/// Restores bytes into a small world; steps it twice and reads it all where they are accepted.
/// Wrong is: an error that does not say bad_snapshot, a refusal that changed the world, numbers
/// that are not finite afterwards, or a world whose own snapshot is refused.
Verdict judge_snapshot(std::span<const std::byte> bytes);

/// 1 where it was accepted, 0 where it was refused; anything wrong ends the process.
int one_snapshot(std::span<const std::byte> bytes);

}  // namespace turgor::fuzz
