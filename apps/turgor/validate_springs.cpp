#include "measure/springs.hpp"
#include "validate_groups.hpp"

namespace turgor {
namespace {

using Row = std::array<const char*, 7>;

/// Prints a row of the report above ours; how many numbers differ.
int compare(const char* what, const Row& printed, const std::array<std::string, 7>& ours) {
    int different = 0;
    fmt::print("  {:<16} printed", what);
    for (const char* number : printed) fmt::print("{:>9}", number);
    fmt::print("\n  {:<16} ours   ", "");
    for (std::size_t k = 0; k < ours.size(); ++k) {
        fmt::print("{:>9}", ours[k]);
        different += ours[k] != printed[k];
    }
    fmt::print("\n");
    return different;
}

}  // namespace

void springs(Figures& out) {
    for (const measure::SpringTable& table : measure::spring_tables) {
        out.section(
            fmt::format("Symplectic Euler on a spring: table {} of Voigt, Flower and Weisser "
                        "2005, h = {}",
                        table.number, table.h));
        const measure::SpringRows ours = measure::spring_rows(table.h);
        fmt::print("  {:<16} printed", "t");
        for (const char* t : table.time) fmt::print("{:>9}", t);
        fmt::print("\n");
        const int different = compare("correct x(t)", table.exact, ours.exact) +
                              compare("calculated x(t)", table.x, ours.x) +
                              compare("calculated v(t)", table.v, ours.v);
        if (table.number == std::string("2.1"))
            fmt::print("  The report heads the first column 0.1; its numbers are those of 0.0.\n");
        out.at_most("numbers that differ in a printed digit, of 21", different, 0);
    }
}

}  // namespace turgor
