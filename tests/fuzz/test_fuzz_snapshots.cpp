// Snapshots of small worlds, each with one thing changed: a field set to a value that it should not
// have, or a word anywhere. The check sum is put right, so that only the checks of the fields stand
// between it and the world.
//     TURGOR_FUZZ_RUNS=20000   how many changes, 1500 unless it says otherwise
//     TURGOR_FUZZ_FIRST=7      the number of the first one; a run depends on its number only
//     TURGOR_FUZZ_TELL=1       prints each before it is tried

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/random.hpp"
#include "fuzz/one_snapshot.hpp"
#include "fuzz/snapshot_worlds.hpp"
#include "world/snapshot.hpp"

namespace turgor::fuzz {
namespace {

long setting(const char* name, long usual) {
    const char* text = std::getenv(name);
    return text ? std::strtol(text, nullptr, 10) : usual;
}

template <class T>
T load(const std::vector<std::byte>& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

template <class T>
void store(std::vector<std::byte>& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
T any_of(std::initializer_list<T> values, Random& random) {
    return values.begin()[random.bits() % values.size()];
}

template <class T>
T odd_float(T now, Random& random) {
    const T infinity = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max();
    const T huge = sizeof(T) == 4 ? T(1e30) : T(1e300);
    return any_of<T>({0, T(-0.0), -1, 1, -now, now + 1, 2 * now, T(1e9), T(1e30), -huge, huge, most,
                      1 / huge, std::numeric_limits<T>::denorm_min(), infinity, -infinity,
                      std::numeric_limits<T>::quiet_NaN(), std::nextafter(now, infinity)},
                     random);
}

template <class T>
T odd_integer(T now, Random& random) {
    const T most = std::numeric_limits<T>::max();
    return any_of<T>({0, 1, 2, T(now + 1), T(now - 1), T(2 * now), most, T(most - 1), T(most / 2),
                      T(most / 2 + 1), T(most / 16), T(random.bits())},
                     random);
}

/// Another number of `width` bytes at a place.
void change_number(std::vector<std::byte>& bytes, std::size_t at, std::size_t width, bool floating,
                   Random& random) {
    const auto change = [&]<class T>(T) {
        if constexpr (std::is_floating_point_v<T>)
            store(bytes, at, odd_float(load<T>(bytes, at), random));
        else
            store(bytes, at, odd_integer(load<T>(bytes, at), random));
    };
    if (width == 8 && floating) return change(double{});
    if (width == 4 && floating) return change(float{});
    if (width == 8) return change(std::uint64_t{});
    if (width == 4) return change(std::uint32_t{});
    change(std::uint8_t{});
}

struct Corpus {
    std::vector<Seed> all = seeds();
    std::vector<std::vector<SnapshotField>> fields;
    Corpus() {
        for (const Seed& seed : all) fields.push_back(fields_of(seed.bytes));
    }
};

/// The change of this number, and what it is, in words.
std::pair<std::vector<std::byte>, std::string> changed(const Corpus& corpus, long number,
                                                       long per_seed) {
    Random random(static_cast<std::uint64_t>(number));
    const auto which = static_cast<std::size_t>(number / per_seed) % corpus.all.size();
    const auto turn = static_cast<std::size_t>(number % per_seed);
    std::vector<std::byte> bytes = corpus.all[which].bytes;
    std::string what = corpus.all[which].name + ": ";
    const auto& fields = corpus.fields[which];
    if (turn % 5 < 4) {
        // Every field gets its turn; an odd stride, so that a short run visits all kinds.
        const SnapshotField& f =
            fields[(turn * 7919 + static_cast<std::size_t>(number / per_seed)) % fields.size()];
        what += f.path;
        if (f.count == 0) return {bytes, what};
        change_number(bytes, f.offset + random.bits() % f.count * f.width, f.width, f.is_floating,
                      random);
    } else if (turn % 10 == 9) {
        what += "cut or grown";
        if (random.bits() % 2)
            bytes.resize(20 + random.bits() % bytes.size());
        else
            bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random.bits() % bytes.size()),
                         1 + random.bits() % 16, std::byte(random.bits()));
    } else {
        const std::size_t width = any_of<std::size_t>({1, 4, 8}, random);
        const std::size_t at = 12 + random.bits() % (bytes.size() - 30);
        what += "word at " + std::to_string(at);
        change_number(bytes, at, width, random.bits() % 2, random);
    }
    seal_snapshot(bytes);
    return {bytes, what};
}

TEST(FuzzSnapshots, as_they_are_they_are_accepted) {
    for (const Seed& seed : seeds()) {
        const Verdict verdict = judge_snapshot(seed.bytes);
        EXPECT_EQ(verdict.outcome, Outcome::accepted) << seed.name << ": " << verdict.sentence;
    }
}

TEST(FuzzSnapshots, with_one_thing_changed_they_are_refused_or_run) {
    const Corpus corpus;
    const long runs = setting("TURGOR_FUZZ_RUNS", 1500), first = setting("TURGOR_FUZZ_FIRST", 0);
    const bool tell = setting("TURGOR_FUZZ_TELL", 0) != 0;
    const long per_seed = 125;
    std::map<Outcome, long> count;
    double slowest = 0;
    std::string slowest_what;
    for (long number = first; number < first + runs; ++number) {
        const auto [bytes, what] = changed(corpus, number, per_seed);
        if (tell) std::fprintf(stderr, "%ld %s\n", number, what.c_str());
        const auto begin = std::chrono::steady_clock::now();
        const Verdict verdict = judge_snapshot(bytes);
        const double took =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (took > slowest) slowest = took, slowest_what = what;
        ++count[verdict.outcome];
        EXPECT_NE(verdict.outcome, Outcome::wrong)
            << number << " " << what << ": " << verdict.sentence;
        if (tell) std::fprintf(stderr, "    %s\n", verdict.sentence.c_str());
    }
    std::printf("%ld changed snapshots: %ld refused, %ld accepted; the slowest took %.2f s (%s)\n",
                runs, count[Outcome::refused], count[Outcome::accepted], slowest,
                slowest_what.c_str());
    // Both kinds, or nothing was tried.
    EXPECT_GT(count[Outcome::refused], runs / 10);
    EXPECT_GT(count[Outcome::accepted], runs / 10);
    EXPECT_LT(slowest, 60) << slowest_what;
}

}  // namespace
}  // namespace turgor::fuzz
