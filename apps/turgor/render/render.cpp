#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <set>

#include "../commands.hpp"
#include "../number_in.hpp"
#include "../pictures.hpp"
#include "../progress.hpp"
#include "../scene_options.hpp"
#include "../signals.hpp"
#include "base/errors.hpp"
#include "draw/film.hpp"
#include "show.hpp"
#include "variants.hpp"

namespace turgor {
namespace {

struct Options {
    SceneOptions scene;
    std::string output;
    std::vector<std::size_t> frames;
    std::string size = "1280x720";
    std::vector<double> camera;
    double turntable = 0;
    std::vector<std::string> show, variants;
    int columns = 0;
    bool quiet = false;
};

PictureOptions picture_options(const Options& options) {
    PictureOptions picture;
    char rest = 0;
    const int found =
        std::sscanf(options.size.c_str(), "%dx%d%c", &picture.width, &picture.height, &rest);
    const auto possible = [](int side) { return side >= 16 && side <= Offscreen::largest; };
    if (found != 2 || !possible(picture.width) || !possible(picture.height))
        fail(ErrorCode::bad_argument, "--size is '{}' but must be WIDTHxHEIGHT, each 16 to {}",
             options.size, Offscreen::largest);
    const std::vector<double>& camera = options.camera;
    if (!camera.empty()) picture.yaw = camera[0];
    if (camera.size() > 1) picture.pitch = camera[1];
    if (camera.size() > 2) picture.zoom = camera[2];
    if (!(std::fabs(picture.yaw) <= 3600 && std::fabs(picture.pitch) <= 85 &&
          picture.zoom >= 0.01 && picture.zoom <= 100))
        fail(ErrorCode::bad_argument,
             "--camera is YAW,PITCH,ZOOM: a pitch of -85 to 85 degrees, a zoom of 0.01 to 100");
    if (options.output.ends_with(".mp4")) picture.care = Offscreen::Care::film;
    return picture;
}

Overlays overlays_of(const Options& options) {
    Overlays overlays;
    for (const std::string& name : options.show) {
        bool* overlay = overlays.named(name);
        if (!overlay)
            fail(ErrorCode::bad_argument, "--show knows no '{}'; there is {}", name,
                 Overlays::names());
        *overlay = true;
    }
    return overlays;
}

/// All variants of a scene at one time, side by side.
class Shows {
public:
    explicit Shows(const Options& options) : overlays_(overlays_of(options)) {
        const PictureOptions picture = picture_options(options);
        std::vector<Variant> variants;
        for (const std::string& text : options.variants) variants.push_back(parse_variant(text));
        if (variants.empty()) variants.emplace_back();
        const auto offscreen = std::make_shared<Offscreen>();
        for (const Variant& variant : variants) {
            SceneOptions changed = options.scene;
            apply(variant, changed.overrides);
            all_.push_back(std::make_unique<Show>(changed.scene(), variant.caption, picture,
                                                  offscreen, options.quiet));
        }
        if (!options.quiet) print_notes(all_.front()->scene().warnings());
    }

    std::size_t count() const { return all_.size(); }
    const Scene& scene() const { return all_.front()->scene().scene(); }
    double time_of(std::size_t frame) const { return static_cast<double>(frame) / scene().fps; }
    std::size_t last_frame() const {
        return static_cast<std::size_t>(std::floor(scene().duration * scene().fps + 1e-6));
    }

    void advance(std::size_t frame) {
        for (const auto& show : all_) show->advance(time_of(frame));
    }
    void frame() {
        for (const auto& show : all_) show->frame();
    }
    std::vector<Captioned> paint(std::size_t frame, double turned) {
        std::vector<Captioned> pictures;
        for (const auto& show : all_)
            pictures.push_back(show->paint(time_of(frame), overlays_, turned));
        return pictures;
    }

private:
    Overlays overlays_;
    std::vector<std::unique_ptr<Show>> all_;
};

Shows shows_of(const Options& options) {
    const WorkProgress progress(options.quiet);
    return Shows(options);
}

Picture sheet_of(const std::vector<Captioned>& pictures, std::size_t columns, std::string* note) {
    if (pictures.size() == 1 && pictures.front().caption.empty()) return pictures.front().picture;
    return contact_sheet(pictures, static_cast<int>(columns), note);
}

int ended_by_signal(const Options& options, int signal) {
    fmt::print(stderr, "turgor: interrupted; '{}' was not made\n", options.output);
    return 128 + signal;
}

int make_film(const Options& options) {
    Shows shows = shows_of(options);
    Film film(options.output, shows.scene().fps);
    const std::size_t frames = shows.last_frame() + 1;
    Progress progress(options.output, frames, options.quiet, "frames");
    const SignalWatch watch;
    std::string note;
    for (std::size_t k = 0; k < frames; ++k) {
        if (const int signal = SignalWatch::received()) return ended_by_signal(options, signal);
        const double turned =
            options.turntable * static_cast<double>(k) / static_cast<double>(frames);
        const std::size_t columns =
            options.columns ? static_cast<std::size_t>(options.columns) : shows.count();
        film.add(sheet_of(shows.paint(k, turned), columns, &note));
        progress.show(k + 1);
    }
    film.finish();
    progress.clear();
    if (!note.empty() && !options.quiet) print_notes({note});
    if (!options.quiet) fmt::print("made {}: {} frames\n", options.output, frames);
    return exit_done;
}

/// Pictures are kept until the sheet is made: it must fit into memory.
void require_possible(const Options& options, std::size_t pictures) {
    constexpr double most = 2e8;  // pixels
    const PictureOptions one = picture_options(options);
    if (static_cast<double>(pictures) * one.width * one.height > most)
        fail(ErrorCode::bad_argument,
             "a sheet of {} pictures of {} has more than {:.0f} million pixels; make them smaller "
             "or "
             "fewer",
             pictures, options.size, most / 1e6);
}

/// All wanted frames of all variants: a row for each frame where there are variants.
int make_sheet(const Options& options) {
    std::set<std::size_t> wanted(options.frames.begin(), options.frames.end());
    require_possible(options, std::max<std::size_t>(1, wanted.size()) *
                                  std::max<std::size_t>(1, options.variants.size()));
    Shows shows = shows_of(options);
    if (wanted.empty()) wanted.insert(shows.last_frame());
    const bool several = wanted.size() > 1;
    Progress progress(options.output, *wanted.rbegin() + 1, options.quiet, "frames");
    const SignalWatch watch;
    std::vector<Captioned> all;
    double turned = several ? 0 : options.turntable;
    for (std::size_t k = 0; k <= *wanted.rbegin(); ++k) {
        if (const int signal = SignalWatch::received()) return ended_by_signal(options, signal);
        shows.advance(k);
        progress.show(k + 1);
        if (!wanted.contains(k)) continue;
        if (!several) shows.frame();
        for (Captioned& one : shows.paint(k, turned)) {
            if (several)
                one.caption = fmt::format("{:.2f} s{}{}", shows.time_of(k),
                                          one.caption.empty() ? "" : ", ", one.caption);
            all.push_back(std::move(one));
        }
        turned += options.turntable / static_cast<double>(wanted.size());
    }
    progress.clear();
    const std::size_t columns = options.columns     ? static_cast<std::size_t>(options.columns)
                                : shows.count() > 1 ? shows.count()
                                                    : 0;
    std::string note;
    const Picture sheet = sheet_of(all, columns, &note);
    save_picture(sheet, options.output);
    if (options.quiet) return exit_done;
    if (!note.empty()) print_notes({note});
    fmt::print("made {}: {} x {} pixels\n", options.output, sheet.width, sheet.height);
    return exit_done;
}

int render(const Options& options) {
    require_separate_places(options.scene.inputs, {options.output});
    const std::filesystem::path output = options.output;
    if (!is_picture(output) || !output.has_filename())
        fail(ErrorCode::bad_argument, "'{}' cannot be made; --out is a .png, a .jpg or an .mp4",
             options.output);
    if (output.extension() == ".mp4" && !options.frames.empty())
        fail(ErrorCode::bad_argument, "--frames is for a picture; a film has all frames");
    check_can_make_pictures(output);
    return output.extension() == ".mp4" ? make_film(options) : make_sheet(options);
}

void add_picture_options(CLI::App& command, Options& o) {
    const char* const group = "The picture";
    command
        .add_option("--out", o.output,
                    "A picture (.png, .jpg) or a film (.mp4, with the program ffmpeg)")
        ->required()
        ->option_text("FILE");
    command
        .add_option("--frames", o.frames,
                    "Numbers of frames, e.g. 0,50,100: a contact sheet; default: the last one.\n"
                    "Frames are 1/fps apart")
        ->delimiter(',')
        ->check(number_in(0, 1e6))
        ->option_text("N,N...")
        ->group(group);
    command.add_option("--size", o.size, "Of one picture, in pixels; default 1280x720")
        ->option_text("WxH")
        ->group(group);
    command
        .add_option("--camera", o.camera,
                    "From where: degrees around and above, and how much nearer; default 25,17,1")
        ->delimiter(',')
        ->expected(1, 3)
        ->option_text("YAW,PITCH,ZOOM")
        ->group(group);
    command
        .add_option("--turntable", o.turntable,
                    "Degrees that the camera goes around meanwhile, e.g. 360")
        ->check(number_in(-36000, 36000))
        ->option_text("DEGREES")
        ->group(group);
    command
        .add_option(
            "--show", o.show,
            "Also show: " + Overlays::names() + ". goals prints\nhow far each body is from its own")
        ->delimiter(',')
        ->option_text("NAME,NAME...")
        ->group(group);
    command
        .add_option("--variant", o.variants,
                    "\"CAPTION: KEY=VALUE,...\", side by side with others (repeatable), e.g.\n"
                    "\"not kept: volume=off\"")
        ->allow_extra_args(false)
        ->option_text("TEXT")
        ->group(group);
    command.add_option("--columns", o.columns, "Pictures in a row of a contact sheet")
        ->check(number_in(1, 100))
        ->option_text("N")
        ->group(group);
    command.add_flag("--quiet", o.quiet, "Print nothing but errors");
}

}  // namespace

void add_render_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("render", "Make a picture, a contact sheet or a film");
    const auto options = std::make_shared<Options>();
    options->scene.add_to(*command);
    add_picture_options(*command, *options);
    command->callback([options, &run] { run = [options] { return render(*options); }; });
}

}  // namespace turgor
