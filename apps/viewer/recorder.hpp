#pragma once

#include <memory>
#include <string>

#include "draw/film.hpp"
#include "draw/picture.hpp"

namespace turgor {

/// Screenshots and films of the window, numbered, in the folder the viewer was started in.
class Recorder {
public:
    /// Returns what to tell: where it is, or why not.
    std::string screenshot(const Picture& picture);

    bool filming() const { return film_ != nullptr; }
    std::string start_film();
    std::string end_film();
    /// Whether a film runs that wants a picture of this simulated time [s].
    bool wants(double time) const;
    /// Returns a sentence where the film came to a bad end.
    std::string add(const Picture& picture, double time);

private:
    static constexpr double fps = 30;
    std::unique_ptr<Film> film_;
    std::string film_name_;
    double next_ = 0;  ///< [s]
    int width_ = 0, height_ = 0;
};

}  // namespace turgor
