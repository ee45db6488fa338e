#include "../pictures.hpp"

#include <optional>

#include "base/file_output.hpp"
#include "draw/film.hpp"
#include "draw/offscreen.hpp"
#include "output/frame_folder.hpp"
#include "scene_pictures.hpp"

namespace turgor {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& output) {
    return !output.has_filename() || fs::is_directory(output);
}

fs::path without_slash(const fs::path& output) {
    return output.has_filename() ? output : output.parent_path();
}

class LastPicture final : public PictureOutput {
public:
    LastPicture(const fs::path& file, ScenePictures pictures)
        : file_(file), pictures_(std::move(pictures)) {}
    void take(const Moment& moment) override { last_ = moment; }
    void finish() override {
        if (last_) save_picture(pictures_.paint(*last_), file_);
    }
    fs::path file() const override { return file_; }

private:
    fs::path file_;
    ScenePictures pictures_;
    std::optional<Moment> last_;
};

class PictureFolder final : public PictureOutput {
public:
    PictureFolder(const fs::path& folder, ScenePictures pictures)
        : folder_(folder, folder.extension().string()), pictures_(std::move(pictures)) {}
    void take(const Moment& moment) override {
        if (count_ == 0) folder_.remove_old_frames();
        save_picture(pictures_.paint(moment), folder_.frame(count_++));
    }
    void finish() override {}
    fs::path file() const override { return folder_.path(); }

private:
    FrameFolder folder_;
    ScenePictures pictures_;
    std::size_t count_ = 0;
};

class FilmOutput final : public PictureOutput {
public:
    FilmOutput(const fs::path& file, ScenePictures pictures, double fps)
        : file_(file), pictures_(std::move(pictures)), film_(file, fps) {}
    void take(const Moment& moment) override { film_.add(pictures_.paint(moment)); }
    void finish() override { film_.finish(); }
    fs::path file() const override { return file_; }

private:
    fs::path file_;
    ScenePictures pictures_;
    Film film_;
};

}  // namespace

void check_can_make_pictures(const fs::path& output) {
    const Offscreen can_draw;
    if (output.extension() == ".mp4")
        const Film can_film(output, 30);
    else if (is_folder(output))
        check_can_write_folder(without_slash(output));
    else
        check_can_write_file(output);
}

std::string who_draws_pictures() {
    return Offscreen().driver();
}

std::unique_ptr<PictureOutput> make_picture_output(const fs::path& output, LiveScene& scene,
                                                   double fps) {
    const bool last_only = output.extension() != ".mp4" && !is_folder(output);
    PictureOptions options;
    options.care = last_only ? Offscreen::Care::still : Offscreen::Care::film;
    ScenePictures pictures(scene, options, std::make_shared<Offscreen>());
    if (output.extension() == ".mp4")
        return std::make_unique<FilmOutput>(output, std::move(pictures), fps);
    if (is_folder(output))
        return std::make_unique<PictureFolder>(without_slash(output), std::move(pictures));
    return std::make_unique<LastPicture>(output, std::move(pictures));
}

}  // namespace turgor
