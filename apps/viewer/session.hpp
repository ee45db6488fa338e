#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "draw/camera.hpp"
#include "draw/insight.hpp"
#include "hand.hpp"
#include "settings.hpp"
#include "simulation.hpp"
#include "solid_view.hpp"

namespace turgor {

/// All that the viewer is about, but for the window: what runs, what is shown of it, and what can
/// be done. The panel, the keys and the mouse are three ways of calling these functions.
class Session {
public:
    using MakeScene = std::function<Scene()>;

    /// `load`: a built-in scene by its name.
    explicit Session(const ViewerSettings& remembered,
                     std::function<Scene(const std::string&)> load = load_scene)
        : settings(remembered), load_(std::move(load)) {}

    // What runs. The one before it goes on until the new one is ready.
    void open(const std::string& name, MakeScene make);
    void open_built_in(const std::string& name);
    void open_files(const std::vector<std::filesystem::path>& files);
    /// Called once in a frame: takes over what has become ready, and reads.
    void refresh();

    // What can be done with it.
    void toggle_running();
    void step_once();
    void reset();
    void rewind(double seconds);
    void set_pace(double pace);
    void drop_another();
    void set_gravity(Vec3 gravity);
    void set_engine(Backend backend, int threads);
    /// Of the selected body, or of all.
    void change_material(std::function<void(Material&)> change);
    void set_volume(VolumeMode mode);
    /// Likewise, and starts the scene anew, for a body has its model from its beginning. What else
    /// was changed about its bodies and its world stays.
    void change_model(std::function<void(Model&)> change);
    /// Likewise: plastic bodies come back to their first shape.
    void bend_straight();
    void set_overlays(const Overlays& overlays);
    void say(const std::string& sentence);

    ViewerSettings settings;
    std::shared_ptr<Simulation> simulation;
    Readout readout;
    Simulation::Shown shown;
    bool has_shown = false;
    bool needs_framing = false;  ///< the camera is to look at something new
    std::string scene_name;
    bool preparing() const { return pending_ != nullptr; }
    Camera camera;
    Overlays overlays;
    Hand hand;
    SolidView solid;
    bool running = true;
    double pace = 1;
    BodyId selected = 0;  ///< 0: all bodies
    std::string message;  ///< the last thing to tell
    double message_age = 0;
    struct Counts {
        std::size_t frames = 0, grabs = 0, drops = 0, pins = 0, pictures = 0;
    } counts;

private:
    /// It may still be busy: nobody waits for it.
    void say_farewell(std::shared_ptr<Simulation> last);
    void for_selected(std::function<void(Body&)> change);

    void start(const std::string& name, MakeScene make, MakeScene first);

    MakeScene make_, pending_make_;  ///< the scenes as they were opened
    bool starts_anew_ = false;       ///< the pending one is what runs, changed
    std::shared_ptr<Simulation> pending_;
    std::vector<std::future<void>> farewells_;
    std::string pending_name_;
    std::function<Scene(const std::string&)> load_;
};

}  // namespace turgor
