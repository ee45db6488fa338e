#include "base/file_output.hpp"

#include <gtest/gtest.h>

#include <array>

#include "output/film.hpp"
#include "output/readers.hpp"
#include "turgor/error.hpp"

namespace fs = std::filesystem;
using film::Folder;
using readers::read_text;
using turgor::AtomicFile;
using turgor::FileOutput;
using turgor::SpoolFile;

namespace {

using Names = std::vector<std::string>;

TEST(AtomicFile, AppearsWholeOrNotAtAll) {
    const Folder folder;
    film::put_file(folder / "a", "before");
    {
        AtomicFile file(folder / "a");
        file.write("after");
        EXPECT_EQ(read_text(folder / "a"), "before");
    }
    EXPECT_EQ(read_text(folder / "a"), "before");
    {
        AtomicFile file(folder / "a");
        file.write("after");
        file.commit();
        EXPECT_EQ(read_text(folder / "a"), "after");
    }
    EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(AtomicFile, GoesOnAfterPublish) {
    const Folder folder;
    AtomicFile file(folder / "a");
    file.write("12345");
    file.publish();
    EXPECT_EQ(read_text(folder / "a"), "12345");
    file.write("678");
    file.write_at(1, "xy");
    file.write("9");
    file.publish();
    EXPECT_EQ(read_text(folder / "a"), "1xy456789");
    EXPECT_EQ(file.size(), 9u);
    file.abandon(6);
    EXPECT_EQ(read_text(folder / "a"), "1xy456");
    EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(AtomicFile, TwoAtOnceDoNotMeet) {
    const Folder folder;
    AtomicFile one(folder / "a"), two(folder / "a");
    one.write("one");
    two.write("two");
    two.commit();
    one.commit();
    EXPECT_EQ(read_text(folder / "a"), "one");
    EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(AtomicFile, FollowsLinks) {
    const Folder folder;
    fs::create_directory(folder / "elsewhere");
    film::put_file(folder / "elsewhere/real");
    fs::create_symlink(folder / "elsewhere/real", folder / "link");
    AtomicFile file(folder / "link");
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read_text(folder / "elsewhere/real"), "new");
}

TEST(AtomicFile, DoesNotReplaceADevice) {
    AtomicFile file("/dev/null");
    file.write("gone");
    file.commit();
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(FileOutput, SaysThatTheDiskIsFull) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    for (const bool by_closing : {false, true}) {
        FileOutput file("/dev/full");
        try {
            file.write("a few bytes that a buffer hides at first");
            by_closing ? file.close() : file.flush();
            FAIL();
        } catch (const turgor::Error& error) {
            EXPECT_EQ(error.code(), turgor::ErrorCode::io);
            EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos);
        }
    }
}

TEST(SpoolFile, GivesBackWhatWasWrittenAndIsNeverSeen) {
    const Folder folder;
    std::string bytes(3000000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(i * 2654435761u >> 13);
    SpoolFile spool(folder / "a");
    spool.write(bytes);
    EXPECT_TRUE(folder.names().empty());
    FileOutput out(folder / "b");
    spool.copy_to(out, 1000, 2500000);
    spool.write("more");
    spool.copy_to(out, 0, 10);
    spool.copy_to(out, bytes.size(), 4);
    out.close();
    EXPECT_EQ(read_text(folder / "b"), bytes.substr(1000, 2500000) + bytes.substr(0, 10) + "more");
}

}  // namespace
