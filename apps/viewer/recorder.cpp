#include "recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "turgor/error.hpp"

namespace turgor {
namespace {

/// The first name that is still free.
std::string free_name(const char* ending) {
    for (int k = 1;; ++k) {
        const std::string name = fmt::format("turgor-{:03}{}", k, ending);
        std::error_code ignored;
        if (!std::filesystem::exists(name, ignored)) return name;
    }
}

}  // namespace

std::string Recorder::screenshot(const Picture& picture) {
    try {
        const std::string name = free_name(".png");
        save_picture(picture, name);
        return "saved " + name;
    } catch (const Error& e) {
        return e.what();
    }
}

std::string Recorder::start_film() {
    try {
        film_name_ = free_name(".mp4");
        film_ = std::make_unique<Film>(film_name_, fps);
        next_ = -1;
        return "filming into " + film_name_;
    } catch (const Error& e) {
        return e.what();
    }
}

std::string Recorder::end_film() {
    if (!film_) return {};
    const std::unique_ptr<Film> film = std::move(film_);
    try {
        film->finish();
        return next_ < 0 ? "nothing was filmed" : "saved " + film_name_;
    } catch (const Error& e) {
        return e.what();
    }
}

bool Recorder::wants(double time) const {
    // Rewound: the film goes on from there.
    return film_ && (next_ < 0 || time >= next_ || time < next_ - 2 / fps);
}

std::string Recorder::add(const Picture& picture, double time) {
    if (next_ < 0) {
        width_ = picture.width;
        height_ = picture.height;
    }
    if (picture.width != width_ || picture.height != height_)
        return end_film() + ": the window's size changed";
    const bool follows = next_ >= 0 && time >= next_ && time < next_ + 4 / fps;
    next_ = follows ? next_ + 1 / fps : time + 1 / fps;
    try {
        film_->add(picture);
        return {};
    } catch (const Error& e) {
        film_.reset();
        return e.what();
    }
}

}  // namespace turgor
