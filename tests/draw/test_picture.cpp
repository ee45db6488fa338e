#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "draw/film.hpp"
#include "draw/picture.hpp"
#include "turgor/error.hpp"

namespace turgor {
namespace {

namespace fs = std::filesystem;

class InFolder : public testing::Test {
protected:
    InFolder() : folder_(fs::temp_directory_path() / ("turgor-draw-" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~InFolder() override { fs::remove_all(folder_); }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder_))
            all.push_back(entry.path().filename());
        return all;
    }
    fs::path folder_;
};

Picture colourful(int width, int height) {
    Picture picture(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            picture.at(x, y) = {static_cast<std::uint8_t>(5 * x), static_cast<std::uint8_t>(7 * y),
                                static_cast<std::uint8_t>(x * y), 255};
    return picture;
}

using PictureFile = InFolder;

TEST_F(PictureFile, comes_back_as_it_was) {
    const Picture picture = colourful(31, 17);
    save_picture(picture, folder_ / "a.png");
    EXPECT_EQ(load_png(folder_ / "a.png").pixels, picture.pixels);
    EXPECT_EQ(difference(picture, load_png(folder_ / "a.png")), 0);
}

TEST_F(PictureFile, that_cannot_be_written_is_an_error) {
    EXPECT_THROW(save_picture(colourful(4, 4), "/proc/no/such.png"), Error);
    EXPECT_THROW(load_png(folder_ / "none.png"), Error);
}

TEST(Picture, difference_is_that_of_the_colours) {
    const Picture black(4, 4, {0, 0, 0, 255}), white(4, 4), other(5, 4);
    EXPECT_NEAR(difference(black, white), 1, 1e-12);
    EXPECT_EQ(difference(white, other), 1);
}

TEST(Picture, halved_is_the_mean_of_four) {
    Picture picture(4, 2, {0, 0, 0, 255});
    picture.at(0, 0) = {200, 0, 0, 255};
    EXPECT_EQ(halved(picture).at(0, 0), (Pixel{50, 0, 0, 255}));
    EXPECT_EQ(halved(picture).at(1, 0), (Pixel{0, 0, 0, 255}));
}

TEST(ContactSheet, has_all_pictures_and_captions) {
    std::vector<Captioned> pictures;
    const Pixel red{255, 0, 0, 255};
    for (int k = 0; k < 5; ++k) pictures.push_back({Picture(120, 80, red), "0.50 s"});
    std::string note;
    const Picture sheet = contact_sheet(pictures, 3, &note);
    EXPECT_GT(sheet.width, 3 * 120);
    EXPECT_LT(sheet.width, 3 * 120 + 60);
    EXPECT_GT(sheet.height, 2 * 80);
    EXPECT_EQ(std::ranges::count(sheet.pixels, red), 5 * 120 * 80);
    if (!note.empty()) GTEST_SKIP() << note;
    EXPECT_GT(std::ranges::count_if(sheet.pixels, [](Pixel p) { return p[0] < 120; }), 100)
        << "no ink";
}

TEST(ContactSheet, without_words_is_no_higher_than_its_pictures) {
    const std::vector<Captioned> pictures(2, Captioned{Picture(100, 50), ""});
    EXPECT_LT(contact_sheet(pictures, 2, nullptr).height, 50 + 20);
}

/// While it lives, another PATH.
class OtherPath {
public:
    explicit OtherPath(const std::string& path) : old_(getenv("PATH")) {
        setenv("PATH", path.c_str(), 1);
    }
    ~OtherPath() { setenv("PATH", old_.c_str(), 1); }

private:
    std::string old_;
};

using FilmFile = InFolder;

TEST_F(FilmFile, needs_ffmpeg_and_says_so) {
    const OtherPath nowhere(folder_);
    try {
        Film film(folder_ / "a.mp4", 30);
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::missing);
        EXPECT_NE(std::string(e.what()).find("ffmpeg"), std::string::npos);
    }
}

TEST_F(FilmFile, of_an_ffmpeg_that_fails_is_an_error_with_its_words) {
    std::ofstream(folder_ / "ffmpeg") << "#!/bin/sh\necho 'no such codec' >&2\nexit 1\n";
    fs::permissions(folder_ / "ffmpeg", fs::perms::owner_all);
    const OtherPath fake(folder_.string() + ":/bin:/usr/bin");
    Film film(folder_ / "a.mp4", 30);
    try {
        for (int k = 0; k < 50; ++k) film.add(colourful(64, 64));
        film.finish();
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("no such codec"), std::string::npos) << e.what();
    }
    EXPECT_EQ(names(), std::vector<std::string>{"ffmpeg"});
}

TEST_F(FilmFile, is_made_whole_or_not_at_all) {
    if (!has_ffmpeg()) GTEST_SKIP() << "the package ffmpeg is missing";
    {
        Film lost(folder_ / "lost.mp4", 30);
        lost.add(colourful(63, 41));
    }
    EXPECT_TRUE(names().empty());
    Film film(folder_ / "a.mp4", 30);
    for (int k = 0; k < 10; ++k) film.add(colourful(63, 41));  // odd sides
    film.finish();
    ASSERT_EQ(names(), std::vector<std::string>{"a.mp4"});
    std::ifstream in(folder_ / "a.mp4", std::ios::binary);
    char start[8] = {};
    in.read(start, 8);
    EXPECT_EQ(std::string(start + 4, 4), "ftyp");
    EXPECT_GT(fs::file_size(folder_ / "a.mp4"), 1000u);
}

}  // namespace
}  // namespace turgor
