#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace turgor {

using Pixel = std::array<std::uint8_t, 4>;  ///< red, green, blue, opacity

/// A picture in memory, row after row from the top.
struct Picture {
    int width = 0, height = 0;
    std::vector<Pixel> pixels;

    Picture() = default;
    Picture(int width, int height, Pixel colour = {255, 255, 255, 255});
    Pixel& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
    void turn_upside_down();  ///< OpenGL begins at the bottom
    const Pixel& at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
};

/// Half as wide and high; both must be even.
Picture halved(const Picture& picture);

/// By the ending: `.png`, or `.jpg`, which loses a little. All of the file or nothing.
void save_picture(const Picture& picture, const std::filesystem::path& file);
Picture load_png(const std::filesystem::path& file);

/// Root mean square difference of two pictures of one size, 0 … 1; of different sizes, 1.
double difference(const Picture& a, const Picture& b);

/// A picture with words below it.
struct Captioned {
    Picture picture;
    std::string caption;
};
/// Side by side in rows of `columns` (0: as square as they come), captions below. Without the font
/// (fonts-dejavu-core) there are no captions: then `note` says so.
Picture contact_sheet(std::span<const Captioned> pictures, int columns, std::string* note);

}  // namespace turgor
