#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "output/frame_writer.hpp"
#include "output/readers.hpp"

/// Made-up films to write, and folders to write them into.
namespace film {

struct FilmBody {
    std::string name;
    turgor::Vec3f colour;
    std::vector<turgor::Triangle> triangles;
    std::vector<std::vector<turgor::Vec3f>> positions, normals;  // per frame
};

struct Film {
    std::vector<FilmBody> bodies;
    std::size_t frames = 0;

    std::vector<turgor::FrameBody> frame(std::size_t number) const;
    void write_to(turgor::FrameWriter& writer) const;
};

/// Tetrahedra, octahedra … with points anywhere: tiny, huge, negative zero; other ones in every
/// frame.
Film wild_film(const std::vector<std::string>& names, std::size_t frames, unsigned seed = 1);
/// The same with coordinates of a few metres.
Film tame_film(const std::vector<std::string>& names, std::size_t frames, unsigned seed = 1);

/// A new empty folder, removed at the end.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    /// The names of everything in it, sorted.
    std::vector<std::string> names() const;

private:
    std::filesystem::path path_;
};

void put_file(const std::filesystem::path& file, const std::string& text = "old");

}  // namespace film
