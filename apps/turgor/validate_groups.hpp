#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "turgor/world.hpp"

namespace turgor {

/// Prints each figure beside its limit and remembers whether all held.
class Figures {
public:
    void section(const std::string& title) { fmt::print("\n{}\n", title); }
    void at_most(const std::string& what, double value, double limit) {
        show(what, fmt::format("{:.3g}", value), fmt::format("≤ {:.3g}", limit), value <= limit);
    }
    void at_least(const std::string& what, double value, double limit) {
        show(what, fmt::format("{:.3g}", value), fmt::format("≥ {:.3g}", limit), value >= limit);
    }
    void is(const std::string& what, bool holds, const std::string& wanted) {
        show(what, holds ? wanted : "not so", wanted, holds);
    }
    bool all_hold() const { return missed_ == 0; }
    int missed() const { return missed_; }

private:
    void show(const std::string& what, const std::string& value, const std::string& limit,
              bool holds) {
        fmt::print("  {:<62} {:>12}   {:<10} {}\n", what, value, limit, holds ? "ok" : "MISSED");
        std::fflush(stdout);
        missed_ += !holds;
    }
    int missed_ = 0;
};

// Groups of figures about the report on Müller et al. 2005 and what it reports on.
void springs(Figures& out);
void published_formulation(Figures& out);

/// Solids made of cells, also of the meshes in a folder; it may be empty.
void solids(Figures& out, bool quick, const std::filesystem::path& folder);
/// Lattices against surfaces, and what of them does not depend on the step.
void lattices(Figures& out, Backend backend, bool quick);
/// Clouds of points that are particles of meshless bodies.
void clouds(Figures& out, Backend backend, bool quick);
/// Cages around the meshes of a folder, if one is named, and around random soups.
void wrapping(Figures& out, Backend backend, const std::filesystem::path& meshes, int soups);

}  // namespace turgor
