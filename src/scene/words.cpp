#include "scene/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace turgor {
namespace {

/// Levenshtein: how many letters to insert, delete or replace.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest_word(std::string_view wrong, std::span<const std::string> words) {
    if (wrong.size() > 100) return {};
    const std::size_t most = wrong.size() < 4 ? 1 : std::max<std::size_t>(2, wrong.size() / 3);
    std::size_t least = most + 1;
    std::string nearest;
    for (const std::string& word : words) {
        const std::size_t distance = edit_distance(wrong, word);
        if (distance >= least) continue;
        least = distance;
        nearest = word;
    }
    return nearest;
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> words) {
    const std::string nearest = nearest_word(wrong, words);
    return nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest);
}

std::string listed(std::span<const std::string> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += fmt::format("\"{}\"", words[i]);
    }
    return text;
}

}  // namespace turgor
