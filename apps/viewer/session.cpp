#include "session.hpp"

#include <algorithm>
#include <cmath>

#include "scene/builtin.hpp"

namespace turgor {
namespace {

/// Finer meshes are simulated coarsely and shown as they are, so that the window stays lively.
constexpr std::size_t many_vertices = 8000, fewer_vertices = 3000;

Scene scene_of_files(const std::vector<std::filesystem::path>& files) {
    if (files.size() == 1 && names_a_scene(files.front().string()))
        return load_scene(files.front().string());
    Scene scene = drop_scene(files, {.wrap = MeshDrop::Wrap::open});
    for (SceneBody& body : scene.bodies) {
        if (body.wrap) continue;
        const auto& meshes = *std::get<GivenShape>(*body.shape).meshes;
        if (std::ranges::any_of(meshes,
                                [](const Mesh& m) { return m.vertices.size() > many_vertices; })) {
            body.sim_vertices = fewer_vertices;
            scene.notes.push_back(
                body.name + " is simulated with about 3000 vertices and shown with all of them");
        }
    }
    std::erase_if(scene.notes, [](const std::string& note) {
        return note.find("--sim-vertices") != std::string::npos;
    });
    return scene;
}

/// Another one of the scene's bodies, above all that is there.
Scene another_body(const LiveScene& live, std::size_t number) {
    Scene more;
    SceneBody body;
    if (live.scene().bodies.empty()) {
        body.shape = std::make_shared<const Shape>(CharacterShape{});
        body.name = "bear";
    } else {
        body = live.scene().bodies[number % live.scene().bodies.size()];
    }
    Bounds box;
    for (const LiveBody& there : live.bodies()) {
        box.add(there.body.bounds().lower);
        box.add(there.body.bounds().upper);
    }
    if (live.bodies().empty()) box = {{-0.5, 0, -0.5}, {0.5, 0.5, 0.5}};
    const double turn = 2.4 * static_cast<double>(number);
    const double aside = 0.15 * std::min(box.extent().x, box.extent().z);
    body.options.position = {box.centre().x + aside * std::cos(turn), 0,
                             box.centre().z + aside * std::sin(turn)};
    body.clearance = std::max(0.0, box.upper.y) + 0.2;
    body.start = BodyStart::rest;
    body.options.velocity = {};
    more.bodies.push_back(body);
    more.source = live.scene().source;
    return more;
}

/// What was changed about what runs is changed about its scene.
void take_over(const Readout& now, Scene& scene) {
    scene.world.backend = now.backend;
    scene.world.threads = now.threads;
    scene.world.gravity = now.gravity;
    for (SceneBody& body : scene.bodies) {
        const auto line = std::ranges::find(now.bodies, body.name, &Readout::Line::name);
        if (line == now.bodies.end()) continue;
        body.material = line->material;
        body.options.model = line->model;
        body.options.volume = line->volume;
    }
}

}  // namespace

void Session::open(const std::string& name, MakeScene make) {
    starts_anew_ = false;
    start(name, make, make);
}

void Session::start(const std::string& name, MakeScene make, MakeScene first) {
    pending_name_ = name;
    pending_make_ = std::move(first);
    say_farewell(std::move(pending_));
    pending_ = std::make_shared<Simulation>(std::move(make));
}

void Session::change_model(std::function<void(Model&)> change) {
    if (!simulation || pending_) return;
    Readout wanted = readout;
    for (Readout::Line& line : wanted.bodies)
        if (selected == 0 || line.id == selected) change(line.model);
    starts_anew_ = true;
    start(
        scene_name,
        [make = make_, wanted] {
            Scene scene = make();
            take_over(wanted, scene);
            return scene;
        },
        make_);
}

void Session::bend_straight() {
    if (simulation)
        simulation->post([only = selected](LiveScene& live) { live.bend_straight(only); });
}

void Session::say_farewell(std::shared_ptr<Simulation> last) {
    if (!last) return;
    std::erase_if(farewells_, [](const std::future<void>& f) {
        return f.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    farewells_.push_back(
        std::async(std::launch::async, [last = std::move(last)]() mutable { last.reset(); }));
}

void Session::open_built_in(const std::string& name) {
    open(name, [name, load = load_] { return load(name); });
}

void Session::open_files(const std::vector<std::filesystem::path>& files) {
    if (files.empty()) return;
    const std::string first = files.front().filename().string();
    open(files.size() == 1 ? first : first + " …", [files] { return scene_of_files(files); });
}

void Session::refresh() {
    if (pending_) {
        const Readout news = pending_->readout();
        if (news.state == Readout::State::failed) {
            say(news.error);
            pending_.reset();
        } else if (news.state == Readout::State::ready) {
            say_farewell(std::move(simulation));
            simulation = std::move(pending_);
            scene_name = pending_name_;
            make_ = std::move(pending_make_);
            if (built_in_scene(scene_name)) settings.scene = scene_name;
            hand = {};
            shown = {};
            const auto before = std::ranges::find(readout.bodies, selected, &Readout::Line::id);
            const auto after =
                before == readout.bodies.end()
                    ? news.bodies.end()
                    : std::ranges::find(news.bodies, before->name, &Readout::Line::name);
            selected = starts_anew_ && after != news.bodies.end() ? after->id : 0;
            needs_framing = !starts_anew_;
            simulation->set_pace(pace);
            simulation->set_running(running);
            simulation->set_overlays(overlays);
        }
    }
    if (!simulation) return;
    readout = simulation->readout();
    has_shown = simulation->shown(shown);
    if (has_shown) solid.refresh(shown.moment, selected);
}

void Session::toggle_running() {
    running = !running;
    if (simulation) simulation->set_running(running);
}

void Session::step_once() {
    if (!simulation) return;
    if (running) toggle_running();
    simulation->step_once();
}

void Session::reset() {
    if (!simulation) return;
    simulation->reset();
    hand.let_go_of_the_past(*simulation);
}

void Session::rewind(double seconds) {
    if (!simulation) return;
    simulation->rewind(seconds);
    hand.let_go_of_the_past(*simulation);
}

void Session::set_pace(double new_pace) {
    pace = new_pace;
    if (simulation) simulation->set_pace(pace);
}

void Session::drop_another() {
    if (!simulation) return;
    ++counts.drops;
    simulation->post(
        [number = counts.drops](LiveScene& live) { live.add(another_body(live, number)); });
}

void Session::set_gravity(Vec3 gravity) {
    if (simulation)
        simulation->post([gravity](LiveScene& live) { live.world().set_gravity(gravity); });
}

void Session::set_engine(Backend backend, int threads) {
    if (simulation) simulation->set_engine(backend, threads);
}

void Session::for_selected(std::function<void(Body&)> change) {
    if (!simulation) return;
    simulation->post([change = std::move(change), only = selected](LiveScene& live) {
        for (Body& body : live.world().bodies())
            if (only == 0 || body.id() == only) change(body);
    });
}

void Session::change_material(std::function<void(Material&)> change) {
    for_selected([change = std::move(change)](Body& body) {
        Material material = body.material();
        change(material);
        body.set_material(material);
    });
}

void Session::set_volume(VolumeMode mode) {
    for_selected([mode](Body& body) { body.set_volume_mode(mode); });
}

void Session::set_overlays(const Overlays& changed) {
    overlays = changed;
    if (simulation) simulation->set_overlays(overlays);
}

void Session::say(const std::string& sentence) {
    message = sentence;
    message_age = 0;
}

}  // namespace turgor
