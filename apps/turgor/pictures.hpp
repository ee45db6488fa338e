#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "scene/live_scene.hpp"
#include "scene/moment.hpp"
#include "turgor/solid.hpp"

namespace turgor {

/// Makes pictures of what is shown, frame after frame.
class PictureOutput {
public:
    virtual ~PictureOutput() = default;
    virtual void take(const Moment& moment) = 0;
    /// Makes the file whole; without it a film is lost.
    virtual void finish() = 0;
    virtual std::filesystem::path file() const = 0;
};

/// Whether the ending says so: .png or .jpg, .mp4, or .png/ for a folder of them.
bool is_picture(const std::filesystem::path& output);
/// An Error where this build makes none, or where they could not be written.
void check_can_make_pictures(const std::filesystem::path& output);
/// Who draws them, in the driver's own words; an Error says why nobody does.
std::string who_draws_pictures();
/// `.png`: of the last frame; `.png/`: of every frame; `.mp4`: a film.
std::unique_ptr<PictureOutput> make_picture_output(const std::filesystem::path& output,
                                                   LiveScene& scene, double fps);

struct CaptionedSolid {
    Solid solid;
    std::string caption;
};
/// A mesh, and beside it the surfaces of solids with the edges of their cells.
void paint_solids(const Mesh& mesh, std::span<const CaptionedSolid> solids,
                  const std::filesystem::path& file);

}  // namespace turgor
