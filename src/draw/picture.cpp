#include "draw/picture.hpp"

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#include <stb/stb_truetype.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "base/errors.hpp"
#include "base/file_output.hpp"
#include "draw/font.hpp"

namespace turgor {
namespace {

constexpr Pixel paper{250, 249, 247, 255}, ink{40, 42, 48, 255};

/// Letters of one size.
class Font {
public:
    /// Nothing where the font is not installed.
    static std::optional<Font> of_height(double pixels) {
        std::ifstream in(font_file, std::ios::binary);
        Font font;
        font.bytes_.assign(std::istreambuf_iterator<char>(in), {});
        const auto* data = reinterpret_cast<const unsigned char*>(font.bytes_.data());
        if (font.bytes_.empty() || !stbtt_InitFont(&font.info_, data, 0)) return std::nullopt;
        font.scale_ = stbtt_ScaleForPixelHeight(&font.info_, static_cast<float>(pixels));
        return font;
    }

    double width(const std::string& text) const {
        double sum = 0;
        for (const int letter : letters(text)) sum += advance(letter);
        return sum;
    }

    /// From x on, standing on the line y.
    void write(Picture& on, const std::string& text, double x, int y) const {
        for (const int letter : letters(text)) {
            draw(on, letter, x, y);
            x += advance(letter);
        }
    }

private:
    double advance(int letter) const {
        int width = 0, bearing = 0;
        stbtt_GetCodepointHMetrics(&info_, letter, &width, &bearing);
        return width * static_cast<double>(scale_);
    }

    void draw(Picture& on, int letter, double x, int y) const {
        int w = 0, h = 0, dx = 0, dy = 0;
        const auto shift = static_cast<float>(x - std::floor(x));
        const std::unique_ptr<unsigned char, void (*)(unsigned char*)> glyph(
            stbtt_GetCodepointBitmapSubpixel(&info_, scale_, scale_, shift, 0, letter, &w, &h, &dx,
                                             &dy),
            [](unsigned char* bitmap) { stbtt_FreeBitmap(bitmap, nullptr); });
        for (int row = 0; row < h; ++row)
            for (int column = 0; column < w; ++column) {
                const int px = static_cast<int>(std::floor(x)) + dx + column, py = y + dy + row;
                if (px < 0 || py < 0 || px >= on.width || py >= on.height) continue;
                const int cover = glyph.get()[row * w + column];
                for (std::size_t i = 0; i < 3; ++i) {
                    std::uint8_t& c = on.at(px, py)[i];
                    c = static_cast<std::uint8_t>((c * (255 - cover) + ink[i] * cover) / 255);
                }
            }
    }

    /// The letters of UTF-8 text; bytes that are none are left out.
    static std::vector<int> letters(const std::string& text) {
        std::vector<int> all;
        for (const char byte : text) {
            const auto b = static_cast<unsigned char>(byte);
            if (b < 0x80)
                all.push_back(b);
            else if (b >= 0xc0)
                all.push_back(b & (b >= 0xf0 ? 0x07 : b >= 0xe0 ? 0x0f : 0x1f));
            else if (!all.empty())
                all.back() = all.back() << 6 | (b & 0x3f);
        }
        return all;
    }

    std::vector<char> bytes_;
    stbtt_fontinfo info_{};
    float scale_ = 1;
};

void paste(const Picture& from, Picture& to, int x, int y) {
    for (int row = 0; row < from.height; ++row)
        std::copy_n(&from.at(0, row), from.width, &to.at(x, y + row));
}

int columns_for(std::size_t count, const Picture& one) {
    // The sheet's shape comes near 3 : 2.
    const double ideal = std::sqrt(1.5 * static_cast<double>(count) * one.height / one.width);
    return std::clamp(static_cast<int>(std::lround(ideal)), 1, static_cast<int>(count));
}

}  // namespace

Picture::Picture(int w, int h, Pixel colour)
    : width(w),
      height(h),
      pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), colour) {}

void Picture::turn_upside_down() {
    for (int y = 0; y < height / 2; ++y)
        std::swap_ranges(&at(0, y), &at(0, y) + width, &at(0, height - 1 - y));
}

Picture halved(const Picture& picture) {
    Picture half(picture.width / 2, picture.height / 2);
    for (int y = 0; y < half.height; ++y)
        for (int x = 0; x < half.width; ++x)
            for (std::size_t i = 0; i < 4; ++i)
                half.at(x, y)[i] = static_cast<std::uint8_t>(
                    (picture.at(2 * x, 2 * y)[i] + picture.at(2 * x + 1, 2 * y)[i] +
                     picture.at(2 * x, 2 * y + 1)[i] + picture.at(2 * x + 1, 2 * y + 1)[i] + 2) /
                    4);
    return half;
}

void save_picture(const Picture& picture, const std::filesystem::path& file) {
    constexpr int quality = 88;  // of a .jpg, in percent
    std::string bytes;
    const auto append = [](void* to, void* data, int size) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data),
                                              static_cast<std::size_t>(size));
    };
    const int done = file.extension() == ".jpg"
                         ? stbi_write_jpg_to_func(append, &bytes, picture.width, picture.height, 4,
                                                  picture.pixels.data(), quality)
                         : stbi_write_png_to_func(append, &bytes, picture.width, picture.height, 4,
                                                  picture.pixels.data(), 4 * picture.width);
    if (!done) throw std::bad_alloc();
    AtomicFile out(file);
    out.write(bytes);
    out.commit();
}

Picture load_png(const std::filesystem::path& file) {
    int width = 0, height = 0, channels = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
        stbi_load(file.c_str(), &width, &height, &channels, 4), stbi_image_free);
    if (!bytes) fail(ErrorCode::bad_file, "{}: not a picture that can be read", file.string());
    Picture picture(width, height);
    std::copy_n(bytes.get(), 4 * picture.pixels.size(), picture.pixels.front().data());
    return picture;
}

double difference(const Picture& a, const Picture& b) {
    if (a.width != b.width || a.height != b.height) return 1;
    double sum = 0;
    for (std::size_t p = 0; p < a.pixels.size(); ++p)
        for (std::size_t i = 0; i < 3; ++i) {
            const double d = (a.pixels[p][i] - b.pixels[p][i]) / 255.0;
            sum += d * d;
        }
    return std::sqrt(sum / (3.0 * static_cast<double>(a.pixels.size())));
}

Picture contact_sheet(std::span<const Captioned> pictures, int columns, std::string* note) {
    const Picture& one = pictures.front().picture;
    if (columns <= 0) columns = columns_for(pictures.size(), one);
    const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
    const int gap = std::max(4, one.width / 60);
    const bool words =
        std::ranges::any_of(pictures, [](const Captioned& p) { return !p.caption.empty(); });
    const double letters = std::clamp(one.width / 24.0, 11.0, 40.0);
    const int below = words ? static_cast<int>(1.7 * letters) : 0;
    Picture sheet(columns * (one.width + gap) + gap, rows * (one.height + gap + below) + gap,
                  paper);
    const std::optional<Font> font = words ? Font::of_height(letters) : std::nullopt;
    if (words && !font && note)
        *note = "the captions are missing; the package fonts-dejavu-core brings their font";
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
        const int x = gap + column * (one.width + gap), y = gap + row * (one.height + gap + below);
        paste(pictures[i].picture, sheet, x, y);
        if (!font) continue;
        const double left = x + (one.width - font->width(pictures[i].caption)) / 2;
        font->write(sheet, pictures[i].caption, left,
                    y + one.height + static_cast<int>(1.2 * letters));
    }
    return sheet;
}

}  // namespace turgor
