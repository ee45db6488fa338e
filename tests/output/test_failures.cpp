#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>
#include <limits>

#include "output/film.hpp"
#include "output/frame_writer.hpp"
#include "output/readers.hpp"

namespace fs = std::filesystem;
using film::Film;
using film::Folder;
using film::tame_film;
using turgor::ErrorCode;
using turgor::make_frame_writer;

namespace {

const std::vector<std::string> three = {"bear", "duck", "ball"};
constexpr double fps = 25;

/// The code of the Error that `action` throws, whose sentence must be one and must say `mention`.
template <class Action>
ErrorCode code_of(Action&& action, const std::string& mention) {
    try {
        action();
    } catch (const turgor::Error& error) {
        const std::string sentence = error.what();
        EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
        EXPECT_NE(sentence.find(mention), std::string::npos) << sentence;
        EXPECT_NE(sentence.find(';'), std::string::npos) << "what to do? " << sentence;
        return error.code();
    }
    return ErrorCode::none;
}

/// How many whole frames there are; 0 where nothing was written.
std::size_t frames_in(const fs::path& output) {
    const std::string ending = output.extension();
    if (!fs::exists(output)) return 0;
    if (ending == ".pc2") return readers::read_pc2(output).frames.size();
    if (ending == ".glb") return readers::Glb(output).times().size();
    if (ending == ".usda") return readers::read_usda(output).frames.size();
    std::size_t frames = 0;
    for (const auto& entry : fs::directory_iterator(output)) {
        EXPECT_EQ(entry.path().extension(), ending) << entry.path();
        const auto read = ending == ".obj" ? readers::read_obj : readers::read_ply;
        EXPECT_EQ(read(entry.path()).size(), three.size());
        ++frames;
    }
    return frames;
}

class EveryFormat : public ::testing::TestWithParam<const char*> {
protected:
    fs::path output() const { return folder_ / GetParam(); }
    /// Nothing but the output itself: no temporary files.
    void expect_tidy() const {
        for (const std::string& name : folder_.names())
            EXPECT_TRUE(name == GetParam() || name == "film.base.obj") << name;
    }
    Folder folder_;
    Film film_ = tame_film(three, 6);
};

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         ::testing::Values("film.obj", "film.ply", "film.pc2", "film.glb",
                                           "film.usda"),
                         [](const auto& format) { return std::string(format.param).substr(5); });

TEST_P(EveryFormat, WritesFramesAndSaysWhere) {
    const auto writer = make_frame_writer(output(), fps);
    film_.write_to(*writer);
    writer->finish();
    EXPECT_EQ(frames_in(output()), film_.frames);
    EXPECT_EQ(writer->files().at(0), output());
    for (const fs::path& file : writer->files()) EXPECT_TRUE(fs::exists(file)) << file;
    EXPECT_TRUE(writer->warnings().empty());
    expect_tidy();
    EXPECT_NO_THROW(writer->finish());
    EXPECT_EQ(code_of([&] { writer->write(film_.frame(0)); }, "closed"), ErrorCode::bad_argument);
}

TEST_P(EveryFormat, CreatesMissingFoldersAndTakesCapitalsAndSlashes) {
    std::string name = GetParam();
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    const fs::path where = folder_ / ("a/b c/" + name);
    const auto writer = make_frame_writer(where / "", fps);
    film_.write_to(*writer);
    writer->finish();
    EXPECT_TRUE(fs::exists(where));
}

TEST_P(EveryFormat, ReplacesAnEarlierOutput) {
    for (const std::size_t frames : {6u, 2u}) {
        const auto writer = make_frame_writer(output(), fps);
        for (std::size_t f = 0; f < frames; ++f) writer->write(film_.frame(f));
        writer->finish();
        EXPECT_EQ(frames_in(output()), frames);
    }
}

TEST_P(EveryFormat, KeepsTheFramesOfAnInterruptedRun) {
    {
        const auto writer = make_frame_writer(output(), fps);
        for (std::size_t f = 0; f < 4; ++f) writer->write(film_.frame(f));
    }
    EXPECT_EQ(frames_in(output()), 4u);
    expect_tidy();
}

TEST_P(EveryFormat, HidesWhatIsNotWhole) {
    const auto writer = make_frame_writer(output(), fps);
    writer->write(film_.frame(0));
    expect_tidy();
    const std::string ending = output().extension();
    EXPECT_EQ(fs::exists(output()), ending != ".glb" && ending != ".usda");
}

TEST_P(EveryFormat, LeavesTheOldOutputUntilAFrameComes) {
    for (const std::size_t frames : {3u, 0u}) {
        const auto writer = make_frame_writer(output(), fps);
        for (std::size_t f = 0; f < frames; ++f) writer->write(film_.frame(f));
    }
    EXPECT_EQ(frames_in(output()), 3u);
}

TEST_P(EveryFormat, NeedsAFrameAndABody) {
    const auto writer = make_frame_writer(output(), fps);
    EXPECT_EQ(code_of([&] { writer->finish(); }, GetParam()), ErrorCode::bad_argument);
    EXPECT_EQ(code_of([&] { writer->write({}); }, "no bodies"), ErrorCode::bad_argument);
    EXPECT_EQ(frames_in(output()), 0u);
    expect_tidy();
}

TEST_P(EveryFormat, RefusesNumbersThatAreNotFinite) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity()})
        for (float turgor::Vec3f::*axis :
             {&turgor::Vec3f::x, &turgor::Vec3f::y, &turgor::Vec3f::z}) {
            Film film = film_;
            film.bodies[1].positions[2][4].*axis = bad;
            film.bodies[2].normals[3][0].*axis = bad;
            const auto writer = make_frame_writer(output(), fps);
            for (std::size_t f = 0; f < 2; ++f) writer->write(film.frame(f));
            EXPECT_EQ(code_of([&] { writer->write(film.frame(2)); },
                              "vertex 4 of body 'duck' in frame 2"),
                      ErrorCode::failed);
            EXPECT_EQ(code_of([&] { writer->write(film.frame(4)); }, "no more frames"),
                      ErrorCode::bad_argument);
            writer->finish();
            EXPECT_EQ(frames_in(output()), 2u);
            EXPECT_EQ(
                code_of([&] { make_frame_writer(output(), fps)->write(film.frame(3)); }, "normal"),
                ErrorCode::failed);
        }
}

/// A file for each frame.
bool may_change(const std::string& format) {
    return format == "film.obj" || format == "film.ply";
}

TEST_P(EveryFormat, RefusesAnotherTopologyWhereItHasOne) {
    if (may_change(GetParam())) GTEST_SKIP() << "each frame has triangles of its own";
    const std::vector<std::pair<std::string, std::function<void(Film&)>>> changes = {
        {"2 bodies", [](Film& f) { f.bodies.pop_back(); }},
        {"4 bodies", [](Film& f) { f.bodies.push_back(f.bodies[0]); }},
        {"'duck'", [](Film& f) { std::swap(f.bodies[0], f.bodies[1]); }},
        {"'duck'", [](Film& f) { std::swap(f.bodies[1].triangles[0], f.bodies[1].triangles[1]); }},
        {"'duck'", [](Film& f) { f.bodies[1].triangles.pop_back(); }},
        {"'duck'",
         [](Film& f) {
             f.bodies[1].positions[1].emplace_back();
             f.bodies[1].normals[1].emplace_back();
         }},
    };
    for (const auto& [mention, change] : changes) {
        Film other = film_;
        change(other);
        {
            const auto writer = make_frame_writer(output(), fps);
            writer->write(film_.frame(0));
            EXPECT_EQ(code_of([&] { writer->write(other.frame(1)); }, mention),
                      ErrorCode::bad_argument);
        }
        EXPECT_EQ(frames_in(output()), 1u);
        expect_tidy();
    }
}

TEST_P(EveryFormat, OfAFileForEachFrameFollowsWhatChanges) {
    const auto writer = make_frame_writer(output(), fps);
    EXPECT_EQ(writer->may_change(), may_change(GetParam()));
    if (!writer->may_change()) return;
    Film more = film_;
    more.bodies.push_back(more.bodies[0]);
    more.bodies[1].triangles.pop_back();
    for (const Film* film : {&film_, &more, &more, &film_}) writer->write(film->frame(1));
    writer->finish();
    const auto read = [&](int frame) {
        const std::string ending = output().extension();
        const fs::path file = output() / fmt::format("frame_{:05}{}", frame, ending);
        return ending == ".obj" ? readers::read_obj(file) : readers::read_ply(file);
    };
    ASSERT_EQ(read(0).size(), 3u);
    for (const int frame : {1, 2}) {
        ASSERT_EQ(read(frame).size(), 4u);
        EXPECT_EQ(read(frame)[1].triangles.size(), film_.bodies[1].triangles.size() - 1);
        EXPECT_EQ(read(frame)[3].positions, read(frame)[0].positions);
    }
    ASSERT_EQ(read(3).size(), 3u);
    EXPECT_EQ(read(3)[1].triangles.size(), film_.bodies[1].triangles.size());
}

TEST_P(EveryFormat, RefusesABodyThatIsNone) {
    const std::vector<std::pair<std::string, std::function<void(Film&)>>> changes = {
        {"no vertices", [](Film& f) { f.bodies[1].positions[0].clear(); }},
        {"normals", [](Film& f) { f.bodies[1].normals[0].pop_back(); }},
        {"names vertex 6", [](Film& f) { f.bodies[1].triangles[3][2] = 6; }},
        {"colour", [](Film& f) { f.bodies[1].colour.y = std::numeric_limits<float>::quiet_NaN(); }},
    };
    for (const auto& [mention, change] : changes) {
        Film film = film_;
        change(film);
        const auto writer = make_frame_writer(output(), fps);
        EXPECT_EQ(code_of([&] { writer->write(film.frame(0)); }, mention), ErrorCode::bad_argument);
        EXPECT_EQ(frames_in(output()), 0u);
    }
    expect_tidy();
}

TEST_P(EveryFormat, RefusesAPlaceOfTheWrongKind) {
    const std::string ending = output().extension();
    const bool makes_folder = ending == ".obj" || ending == ".ply";
    if (makes_folder)
        film::put_file(output());
    else
        fs::create_directory(output());
    EXPECT_EQ(code_of([&] { make_frame_writer(output(), fps); }, GetParam()), ErrorCode::io);
    EXPECT_EQ(fs::is_directory(output()), !makes_folder);
    expect_tidy();
}

TEST_P(EveryFormat, RefusesAPlaceWhereNothingCanBeWritten) {
    film::put_file(folder_ / "file");
    const fs::path below_a_file = folder_ / (std::string("file/") + GetParam());
    EXPECT_EQ(code_of([&] { make_frame_writer(below_a_file, fps); }, "file"), ErrorCode::io);
    EXPECT_EQ(readers::read_text(folder_ / "file"), "old");
    const fs::path in_proc = fs::path("/proc/turgor") / GetParam();
    if (fs::exists("/proc/self")) {
        EXPECT_EQ(code_of([&] { make_frame_writer(in_proc, fps); }, "/proc/turgor"), ErrorCode::io);
    }
    const fs::path too_long = folder_ / (std::string(300, 'x') + GetParam());
    EXPECT_EQ(code_of([&] { make_frame_writer(too_long, fps); }, "xxx"), ErrorCode::io);
}

/// A disk that is full behaves like this limit: writes of some bytes succeed, then they fail.
class FileSizeLimit {
public:
    explicit FileSizeLimit(std::uint64_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit now = before_;
        now.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
};

std::uint64_t largest_file(const fs::path& output) {
    if (!fs::is_directory(output)) return fs::file_size(output);
    std::uint64_t size = 0;
    for (const auto& entry : fs::directory_iterator(output))
        size = std::max(size, entry.file_size());
    return size;
}

/// Every limit below the needed size must give one Error and leave whole frames only.
TEST_P(EveryFormat, SurvivesAFullDiskAtAnyMoment) {
    const Film film = tame_film(three, 30);
    {
        const auto writer = make_frame_writer(output(), fps);
        film.write_to(*writer);
        writer->finish();
    }
    const std::uint64_t needed = largest_file(output());
    for (int part = 0; part < 40; ++part) {
        const Folder folder;
        const fs::path place = folder / GetParam();
        ErrorCode code = ErrorCode::none;
        {
            const FileSizeLimit limit(needed * part / 40);
            code = code_of(
                [&] {
                    const auto writer = make_frame_writer(place, fps);
                    film.write_to(*writer);
                    writer->finish();
                },
                "film.");
        }
        EXPECT_EQ(code, ErrorCode::io) << part;
        EXPECT_LT(frames_in(place), film.frames) << part;
        for (const std::string& name : folder.names())
            EXPECT_TRUE(name == GetParam() || name == "film.base.obj") << name;
    }
}

TEST(FrameWriter, KnowsItsEndings) {
    const Folder folder;
    for (const char* name : {"film.abc", "film", "obj", "film.obj.txt", ""})
        EXPECT_EQ(code_of([&] { make_frame_writer(folder / name, fps); }, ".usda"),
                  ErrorCode::bad_argument)
            << name;
    EXPECT_TRUE(folder.names().empty());
    EXPECT_NO_THROW(make_frame_writer(folder / ".obj/", fps));
}

TEST(FrameWriter, NeedsAFrameRate) {
    const Folder folder;
    for (const double bad :
         {0.0, -1.0, 1e-320, 1e300, std::nan(""), std::numeric_limits<double>::infinity()})
        EXPECT_EQ(
            code_of([&] { make_frame_writer(folder / "film.glb", bad); }, "frames per second"),
            ErrorCode::bad_argument);
}

}  // namespace
