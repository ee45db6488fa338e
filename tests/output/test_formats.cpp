#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "output/film.hpp"
#include "output/frame_sink.hpp"
#include "output/frame_writer.hpp"
#include "output/readers.hpp"

namespace fs = std::filesystem;
using film::Film;
using film::Folder;
using film::tame_film;
using film::wild_film;
using readers::Point;
using turgor::make_frame_writer;
using turgor::Vec3f;

namespace {

const std::vector<std::string> three = {"bear", "duck", "ball"};

void write_film(const Film& film, const fs::path& where, double fps = 25) {
    const auto writer = make_frame_writer(where, fps);
    film.write_to(*writer);
    writer->finish();
}

bool same_bits(const Point& a, Vec3f b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

void expect_bits(const std::vector<Point>& read, const std::vector<Vec3f>& written) {
    ASSERT_EQ(read.size(), written.size());
    for (std::size_t v = 0; v < read.size(); ++v)
        ASSERT_TRUE(same_bits(read[v], written[v]))
            << "vertex " << v << ": " << read[v][0] << " " << read[v][1] << " " << read[v][2];
}

void expect_near(const std::vector<Point>& read, const std::vector<Vec3f>& written, float error) {
    ASSERT_EQ(read.size(), written.size());
    for (std::size_t v = 0; v < read.size(); ++v) {
        ASSERT_NEAR(read[v][0], written[v].x, error);
        ASSERT_NEAR(read[v][1], written[v].y, error);
        ASSERT_NEAR(read[v][2], written[v].z, error);
    }
}

/// Names, triangles and, bit for bit, positions.
void expect_frame(const readers::Frame& read, const Film& film, std::size_t frame) {
    ASSERT_EQ(read.size(), film.bodies.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
        EXPECT_EQ(read[i].name, film.bodies[i].name);
        EXPECT_EQ(read[i].triangles, film.bodies[i].triangles);
        expect_bits(read[i].positions, film.bodies[i].positions[frame]);
    }
}

TEST(ObjFrames, HoldEveryPositionExactly) {
    const Folder folder;
    const Film film = wild_film(three, 12);
    write_film(film, folder / "film.obj/");
    for (std::size_t f = 0; f < film.frames; ++f)
        expect_frame(readers::read_obj(folder / fmt::format("film.obj/frame_{:05}.obj", f)), film,
                     f);
    EXPECT_FALSE(fs::exists(folder / "film.obj/frame_00012.obj"));
}

TEST(ObjFrames, DoNotMixWithThoseOfAnEarlierRun) {
    const Folder folder;
    const fs::path frames = folder / "film.obj";
    const std::vector<std::string> ours = {"frame_00000.obj", "frame_00001.obj", "frame_00007.obj",
                                           "frame_99999.obj", "frame_123456.obj"};
    const std::vector<std::string> others = {
        "frame_1.obj",        "frame_012345.obj", "frame_0000a.obj",
        "frame_00003.ply",    "Frame_00003.obj",  "frame_00002.obj.bak",
        "my_frame_00002.obj", "frame_.obj",       "notes.txt"};
    fs::create_directory(frames);
    for (const auto& names : {ours, others})
        for (const std::string& name : names) film::put_file(frames / name);
    fs::create_directory(frames / "frame_00008.obj");

    const auto writer = make_frame_writer(frames, 25);
    for (const std::string& name : ours)
        EXPECT_TRUE(fs::exists(frames / name)) << name << " must stay until there is a new frame";
    tame_film(three, 2).write_to(*writer);
    writer->finish();
    for (const std::string& name : ours)
        EXPECT_EQ(fs::exists(frames / name), name < "frame_00002") << name;
    for (const std::string& name : others)
        EXPECT_EQ(readers::read_text(frames / name), "old") << name;
    EXPECT_TRUE(fs::is_directory(frames / "frame_00008.obj"));
}

TEST(PlyFrames, HoldPositionsNormalsColoursAndBodies) {
    const Folder folder;
    const Film film = wild_film({"bear", "gummy bear, \"red\"", "été"}, 5);
    write_film(film, folder / "film.ply");
    for (std::size_t f = 0; f < film.frames; ++f) {
        const readers::Frame read =
            readers::read_ply(folder / fmt::format("film.ply/frame_{:05}.ply", f));
        expect_frame(read, film, f);
        for (std::size_t i = 0; i < read.size(); ++i)
            expect_bits(read[i].normals, film.bodies[i].normals[f]);
    }
    // 0.9/3 and 0.25 linear are 149 and 137 in sRGB.
    const readers::Frame first = readers::read_ply(folder / "film.ply/frame_00000.ply");
    EXPECT_EQ(first[0].colour, (std::array<double, 3>{149, 137, 255}));
}

std::vector<Vec3f> all_positions(const Film& film, std::size_t frame) {
    std::vector<Vec3f> all;
    for (const auto& body : film.bodies)
        all.insert(all.end(), body.positions[frame].begin(), body.positions[frame].end());
    return all;
}

TEST(Still, IsOneFileWithAnObjectForEachBody) {
    const Folder folder;
    const Film film = tame_film(three, 1);
    for (const char* name : {"a/shape.obj", "shape.OBJ", "shape.ply"}) {
        const auto writer = turgor::make_still_writer(folder / name);
        EXPECT_FALSE(fs::exists(folder / name)) << "nothing before it is whole";
        film.write_to(*writer);
        writer->finish();
        ASSERT_TRUE(fs::is_regular_file(folder / name));
        EXPECT_EQ(writer->files(), std::vector<fs::path>{folder / name});
        expect_frame(std::string(name).ends_with("ply") ? readers::read_ply(folder / name)
                                                        : readers::read_obj(folder / name),
                     film, 0);
    }
    for (const char* name : {"shape.glb", "shape", "shape.obj/", ""})
        EXPECT_THROW(turgor::make_still_writer(folder / name), turgor::Error) << name;
}

TEST(PointCache, HoldsAllBodiesOverOneBaseMesh) {
    const Folder folder;
    for (const std::vector<std::string>& names : {three, {"only one"}}) {
        const Film film = wild_film(names, 9);
        write_film(film, folder / "film.pc2");
        const readers::PointCache cache = readers::read_pc2(folder / "film.pc2");
        EXPECT_EQ(cache.start, 0);
        EXPECT_EQ(cache.rate, 1);
        ASSERT_EQ(cache.frames.size(), film.frames);
        for (std::size_t f = 0; f < film.frames; ++f)
            expect_bits(cache.frames[f], all_positions(film, f));

        const readers::Frame base = readers::read_obj(folder / "film.base.obj");
        ASSERT_EQ(base.size(), 1u) << "importers split at objects, and a cache moves one";
        EXPECT_EQ(base[0].name, "film");
        expect_bits(base[0].positions, all_positions(film, 0));
        std::vector<turgor::Triangle> triangles;
        for (std::uint32_t before = 0; const auto& body : film.bodies) {
            for (const auto& t : body.triangles)
                triangles.push_back({t[0] + before, t[1] + before, t[2] + before});
            before += static_cast<std::uint32_t>(body.positions[0].size());
        }
        EXPECT_EQ(base[0].triangles, triangles);
    }
}

TEST(PointCache, LeavesTheMeshOfTheSameNameAlone) {
    const Folder folder;
    film::put_file(folder / "bear.obj", "the input");
    write_film(tame_film(three, 2), folder / "bear.pc2");
    EXPECT_EQ(readers::read_text(folder / "bear.obj"), "the input");
}

TEST(PointCache, IsWholeAfterEveryFrame) {
    const Folder folder;
    const Film film = tame_film(three, 5);
    const auto writer = make_frame_writer(folder / "film.pc2", 25);
    for (std::size_t f = 0; f < film.frames; ++f) {
        writer->write(film.frame(f));
        const readers::PointCache cache = readers::read_pc2(folder / "film.pc2");
        ASSERT_EQ(cache.frames.size(), f + 1);
        expect_bits(cache.frames[f], all_positions(film, f));
    }
}

/// base + (p − base) is p up to the rounding of the difference and of the sum.
void expect_morphed(const std::vector<Point>& read, const std::vector<Vec3f>& base,
                    const std::vector<Vec3f>& written) {
    ASSERT_EQ(read.size(), written.size());
    const auto check = [](float r, float b, float w) {
        const float scale = std::max(std::abs(b), std::abs(w));
        ASSERT_NEAR(r, w, scale * std::numeric_limits<float>::epsilon());
    };
    for (std::size_t v = 0; v < read.size(); ++v) {
        check(read[v][0], base[v].x, written[v].x);
        check(read[v][1], base[v].y, written[v].y);
        check(read[v][2], base[v].z, written[v].z);
    }
}

TEST(Glb, ShowsEveryFrameAtItsTime) {
    for (const std::size_t frames : {1, 2, 9})
        for (const bool wild : {false, true}) {
            const Folder folder;
            const Film film = wild ? wild_film(three, frames) : tame_film(three, frames);
            write_film(film, folder / "film.glb", 30);
            const readers::Glb glb(folder / "film.glb");
            ASSERT_EQ(glb.times().size(), frames);
            for (std::size_t f = 0; f < frames; ++f) {
                const float time = static_cast<float>(f) / 30.0f;
                EXPECT_FLOAT_EQ(glb.times()[f], time);
                const readers::Frame read = glb.at(glb.times()[f]);
                ASSERT_EQ(read.size(), 3u);
                for (std::size_t i = 0; i < 3; ++i) {
                    const auto& body = film.bodies[i];
                    EXPECT_EQ(read[i].name, body.name);
                    EXPECT_EQ(read[i].triangles, body.triangles);
                    EXPECT_NEAR(read[i].colour[0], body.colour.x, 1e-6);
                    EXPECT_NEAR(read[i].colour[1], body.colour.y, 1e-6);
                    expect_morphed(read[i].positions, body.positions[0], body.positions[f]);
                    expect_near(read[i].normals, body.normals[f], 1e-6f);
                }
            }
        }
}

TEST(Glb, BlendsBetweenFrames) {
    const Folder folder;
    const Film film = tame_film({"one"}, 4);
    write_film(film, folder / "film.glb", 10);
    const auto& positions = film.bodies[0].positions;
    std::vector<Vec3f> half;
    for (std::size_t v = 0; v < positions[0].size(); ++v)
        half.push_back(to_float(0.5 * (to_double(positions[2][v]) + to_double(positions[3][v]))));
    expect_near(readers::Glb(folder / "film.glb").at(0.25f)[0].positions, half, 2e-6f);
}

TEST(Glb, GivesAVertexWithoutNormalOne) {
    const Folder folder;
    Film film = tame_film({"one"}, 2);
    film.bodies[0].normals[0][1] = film.bodies[0].normals[1][0] = {0, 0, 0};
    write_film(film, folder / "film.glb");
    EXPECT_NO_THROW(readers::Glb{folder / "film.glb"});
}

TEST(Glb, SharesOneTableOfWeights) {
    const Folder folder;
    write_film(tame_film(three, 5), folder / "film.glb");
    const readers::Glb glb(folder / "film.glb");
    EXPECT_EQ(glb.document()["animations"][0]["samplers"].size(), 1u);
}

/// A wild film has the longest numbers, which the estimate of the size must cover.
TEST(Glb, EndsBeforeItsLimitWithWhatFits) {
    const Film film = wild_film({"bear", std::string(100, '"'), "ball"}, 40);
    for (const std::uint64_t limit : {12000u, 30000u, 60000u}) {
        const Folder folder;
        const fs::path file = folder / "film.glb";
        const auto writer = make_checked_writer(turgor::make_glb_sink(file, 25, limit), file);
        std::size_t written = 0;
        try {
            for (; written < film.frames; ++written) writer->write(film.frame(written));
            FAIL() << "all frames went into " << limit << " bytes";
        } catch (const turgor::Error& error) {
            EXPECT_EQ(error.code(), turgor::ErrorCode::io);
            EXPECT_NE(std::string(error.what()).find(fmt::format("frame {} ", written)),
                      std::string::npos);
        }
        ASSERT_GT(written, 1u);
        EXPECT_THROW(writer->write(film.frame(written)), turgor::Error);
        writer->finish();
        EXPECT_LE(fs::file_size(file), limit);
        EXPECT_GE(fs::file_size(file), limit / 3) << "the estimate is far too careful";
        EXPECT_EQ(readers::Glb(file).times().size(), written);
    }
}

TEST(Glb, RefusesAFirstFrameBeyondItsLimit) {
    const Folder folder;
    const fs::path file = folder / "film.glb";
    const auto writer = make_checked_writer(turgor::make_glb_sink(file, 25, 1000), file);
    EXPECT_THROW(writer->write(tame_film(three, 1).frame(0)), turgor::Error);
    EXPECT_THROW(writer->finish(), turgor::Error);
    EXPECT_TRUE(folder.names().empty());
}

TEST(Glb, WarnsOfManyMorphTargets) {
    const Folder folder;
    const Film film = tame_film({"one"}, 601);
    const auto writer = make_frame_writer(folder / "film.glb", 25);
    for (std::size_t f = 0; f < 600; ++f) writer->write(film.frame(f));
    EXPECT_TRUE(writer->warnings().empty());
    writer->write(film.frame(600));
    EXPECT_EQ(writer->warnings().size(), 1u);
}

TEST(Usda, HoldsEveryFrameExactly) {
    for (const std::size_t frames : {1, 7}) {
        const Folder folder;
        const Film film = wild_film(three, frames);
        write_film(film, folder / "film.usda", 29.97);
        const readers::Usda read = readers::read_usda(folder / "film.usda");
        EXPECT_FLOAT_EQ(read.fps, 29.97);
        EXPECT_EQ(read.start, 0);
        EXPECT_EQ(read.identifiers, three);
        ASSERT_EQ(read.frames.size(), frames);
        for (std::size_t f = 0; f < frames; ++f) {
            expect_frame(read.frames[f], film, f);
            for (std::size_t i = 0; i < 3; ++i) {
                expect_near(read.frames[f][i].normals, film.bodies[i].normals[f], 5.1e-6f);
                EXPECT_FLOAT_EQ(read.frames[f][i].colour[0], film.bodies[i].colour.x);
            }
        }
    }
}

const std::vector<std::string> odd_names = {"plain",
                                            "two words",
                                            "two words",
                                            "say \"hi\"",
                                            "line\nbreak",
                                            "",
                                            "",
                                            "back\\",
                                            "été 木",
                                            "#hash",
                                            "7up",
                                            "tab\there",
                                            "two_words",
                                            "a/b:c",
                                            "\xff\xfe",
                                            "body",
                                            "{braces}",
                                            "\x01\x02",
                                            "(a)\r\n[b]",
                                            "_",
                                            "two words_2",
                                            std::string(3000, 'x')};

void expect_distinct(std::vector<std::string> names) {
    EXPECT_EQ(names.size(), odd_names.size());
    EXPECT_EQ(names[0], "plain");
    for (const std::string& name : names) EXPECT_FALSE(name.empty());
    std::ranges::sort(names);
    EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
}

std::vector<std::string> names_of(const readers::Frame& frame) {
    std::vector<std::string> names;
    for (const readers::Body& body : frame) names.push_back(body.name);
    return names;
}

TEST(Points, AreWrittenAsSuchBesideMeshes) {
    const Folder folder;
    Film film = tame_film(three, 3);
    film.bodies[1].triangles.clear();
    for (const char* name : {"film.obj/", "film.ply/", "film.glb", "film.usda", "film.pc2"})
        write_film(film, folder / name);
    const readers::Usda usda = readers::read_usda(folder / "film.usda");
    const readers::Glb glb(folder / "film.glb");
    for (std::size_t f = 0; f < film.frames; ++f) {
        expect_frame(readers::read_obj(folder / fmt::format("film.obj/frame_{:05}.obj", f)), film,
                     f);
        expect_frame(readers::read_ply(folder / fmt::format("film.ply/frame_{:05}.ply", f)), film,
                     f);
        expect_frame(usda.frames[f], film, f);
        const readers::Frame shown = glb.at(static_cast<float>(f) / 25);
        for (std::size_t i = 0; i < shown.size(); ++i) {
            EXPECT_EQ(shown[i].triangles, film.bodies[i].triangles);
            expect_near(shown[i].positions, film.bodies[i].positions[f], 1e-5f);
        }
    }
    EXPECT_EQ(readers::read_pc2(folder / "film.pc2").frames[1].size(),
              all_positions(film, 1).size());
}

TEST(OddNames, StayReadableAndDistinctInEveryFormat) {
    const Folder folder;
    const Film film = tame_film(odd_names, 2);
    for (const char* name : {"f.obj", "f.ply", "f.pc2", "f.glb", "f.usda"})
        write_film(film, folder / name);
    expect_distinct(names_of(readers::read_obj(folder / "f.obj/frame_00001.obj")));
    expect_distinct(names_of(readers::read_ply(folder / "f.ply/frame_00001.ply")));
    expect_distinct(names_of(readers::Glb(folder / "f.glb").at(0)));
    EXPECT_EQ(readers::read_pc2(folder / "f.pc2").frames.size(), 2u);
    const readers::Usda usda = readers::read_usda(folder / "f.usda");
    expect_distinct(usda.identifiers);
    EXPECT_EQ(usda.frames[0][3].name, "say \"hi\"");
    EXPECT_EQ(usda.frames[0][4].name, "line\nbreak");
    EXPECT_EQ(usda.frames[0][7].name, "back\\");
    EXPECT_EQ(usda.frames[0][8].name, "été 木");
}

TEST(OddNames, KeepWhatAFormatCanSay) {
    const Folder folder;
    const Film film = tame_film({"été 木", "two words"}, 1);
    write_film(film, folder / "f.glb");
    EXPECT_EQ(names_of(readers::Glb(folder / "f.glb").at(0)),
              (std::vector<std::string>{"été 木", "two words"}));
    write_film(film, folder / "f.obj");
    EXPECT_EQ(names_of(readers::read_obj(folder / "f.obj/frame_00000.obj")),
              (std::vector<std::string>{"été_木", "two_words"}));
}

}  // namespace
