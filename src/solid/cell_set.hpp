#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace turgor {

/// Which cells of a lattice belong to a solid. What is outside the lattice does not; the outermost
/// layer is to stay free.
class CellSet {
public:
    CellSet() = default;
    explicit CellSet(std::array<int, 3> size)
        : size_(size), has_(static_cast<std::size_t>(size[0]) * size[1] * size[2]) {}

    std::array<int, 3> size() const { return size_; }
    std::size_t index(int x, int y, int z) const {
        return (static_cast<std::size_t>(x) * size_[1] + y) * size_[2] + z;
    }
    std::array<int, 3> place(std::size_t i) const {
        const auto z = static_cast<std::size_t>(size_[2]), y = static_cast<std::size_t>(size_[1]);
        return {static_cast<int>(i / z / y), static_cast<int>(i / z % y), static_cast<int>(i % z)};
    }
    bool covers(int x, int y, int z) const {
        return x >= 0 && y >= 0 && z >= 0 && x < size_[0] && y < size_[1] && z < size_[2];
    }
    bool operator()(int x, int y, int z) const { return covers(x, y, z) && has_[index(x, y, z)]; }
    bool operator[](std::size_t i) const { return has_[i] != 0; }
    void add(std::size_t i) { has_[i] = 1; }
    std::size_t places() const { return has_.size(); }
    std::size_t count() const;
    bool operator==(const CellSet&) const = default;

private:
    std::array<int, 3> size_{};
    std::vector<std::uint8_t> has_;
};

/// Steps to the six neighbours of a cell.
inline constexpr std::array<std::array<int, 3>, 6> cell_neighbours{
    {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};

/// All of these treat all cells at once, so that a symmetric set stays symmetric.

/// Adds cells with more than three of six neighbours in the set, until there are none.
void fill_gaps(CellSet& set);
/// Adds cells until no two touch along an edge or at a corner only, nor gaps between them do: then
/// what bounds the set is a 2-manifold (Latecki 1997).
void compose_well(CellSet& set);
/// Joins parts that do not hang together by sides along all shortest ways between them.
void join_parts(CellSet& set);

}  // namespace turgor
