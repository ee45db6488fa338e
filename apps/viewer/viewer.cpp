#include "viewer.hpp"

#include <epoxy/gl.h>
// after OpenGL's own header
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/errors.hpp"
#include "draw/font.hpp"
#include "draw/gl.hpp"
#include "draw/painter.hpp"
#include "draw/world_drawing.hpp"
#include "panel.hpp"
#include "recorder.hpp"
#include "scene/builtin.hpp"

namespace turgor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double slow_frame = 45;  // slower than this, drawing is made simpler [ms]

std::string glfw_error;

/// GLFW, for as long as there is a window.
struct Library {
    Library() {
        glfwSetErrorCallback([](int, const char* sentence) { glfw_error = sentence; });
        if (!glfwInit())
            fail(ErrorCode::missing,
                 "there is no screen to open a window on ({}); `turgor render` makes pictures "
                 "without one",
                 glfw_error);
    }
    ~Library() { glfwTerminate(); }
};

/// Dear ImGui, for as long as there is a window.
struct Widgets {
    explicit Widgets(GLFWwindow* window) {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        float across = 1, down = 1;
        glfwGetWindowContentScale(window, &across, &down);
        const float scale = std::max(1.0f, across);
        const float letters = std::round(15 * scale);
        ImFontConfig config;
        config.SizePixels = letters;
        static const ImWchar letters_needed[] = {0x20, 0xff, 0x2026, 0x2026, 0};
        if (std::filesystem::exists(font_file))
            ImGui::GetIO().Fonts->AddFontFromFileTTF(font_file, letters, &config, letters_needed);
        else
            ImGui::GetIO().Fonts->AddFontDefault(&config);
        ImGui::StyleColorsDark();
        ImGuiStyle& style = ImGui::GetStyle();
        style.WindowRounding = 8;
        style.FrameRounding = style.GrabRounding = 4;
        style.WindowBorderSize = 0;
        style.Colors[ImGuiCol_WindowBg] = {0.09f, 0.10f, 0.12f, 0.86f};
        style.Colors[ImGuiCol_PlotHistogram] = {0.85f, 0.45f, 0.20f, 0.9f};
        style.ScaleAllSizes(scale);
        ImGui_ImplGlfw_InitForOpenGL(window, true);
        ImGui_ImplOpenGL3_Init("#version 330 core");
    }
    ~Widgets() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
        ImGui::DestroyContext();
    }
};

class Window {
public:
    explicit Window(const ViewOptions& options);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ViewReport run();

private:
    struct Destroy {
        void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
    };
    static GLFWwindow* open_window(const ViewerSettings& settings);
    static Window& of(GLFWwindow* window) {
        return *static_cast<Window*>(glfwGetWindowUserPointer(window));
    }
    void listen();
    void on_key(int key, int mods);
    void on_button(int button, int action, int mods);
    void on_cursor(double x, double y);
    void on_scroll(double amount);

    double aspect() const { return static_cast<double>(pixels_x_) / pixels_y_; }
    Vec3 direction_at(double x, double y) const;
    double lowest_pitch() const;
    void frame_all();
    void draw();
    void paint();
    void judge_speed(double milliseconds);
    void take_pictures();

    ViewOptions options_;
    Session session_;
    Library library_;
    std::unique_ptr<GLFWwindow, Destroy> window_;
    std::unique_ptr<Widgets> widgets_;
    std::unique_ptr<Painter> painter_;
    std::unique_ptr<WorldDrawing> drawing_;
    std::size_t drawn_colliders_ = 0;
    Panel panel_;
    Recorder recorder_;
    bool wants_screenshot_ = false;
    int pixels_x_ = 1, pixels_y_ = 1;  ///< of the framebuffer
    double cursor_x_ = 0, cursor_y_ = 0;
    enum class Drag { none, body, orbit, pan } drag_ = Drag::none;
    int drag_button_ = 0;
    double draw_milliseconds_ = 0;
    int slow_frames_ = 0;
    bool judged_ = false;  ///< only once: whoever wants fine drawing after that gets it
    Clock::time_point last_frame_ = Clock::now();
};

GLFWwindow* Window::open_window(const ViewerSettings& settings) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    GLFWwindow* window =
        glfwCreateWindow(settings.width, settings.height, "Turgor", nullptr, nullptr);
    if (!window)
        fail(ErrorCode::missing,
             "no window with OpenGL 3.3 can be opened here ({}); `turgor render` makes pictures "
             "without one",
             glfw_error);
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    return window;
}

Window::Window(const ViewOptions& options)
    : options_(options),
      session_(load_settings(settings_file()), options.load),
      window_(open_window(session_.settings)) {
    glfwSetWindowUserPointer(window_.get(), this);
    listen();
    widgets_ = std::make_unique<Widgets>(window_.get());  // after ours: it passes events on
    painter_ = std::make_unique<Painter>();
    if (options.scene)
        session_.open(options.name, options.scene);
    else
        session_.open_built_in(built_in_scene(session_.settings.scene)
                                   ? session_.settings.scene
                                   : std::string(default_scene));
}

Window::~Window() {
    painter_.reset();
    widgets_.reset();
}

void Window::listen() {
    GLFWwindow* window = window_.get();
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int, int action, int mods) {
        const bool repeats = key == GLFW_KEY_S || key == GLFW_KEY_PERIOD ||
                             key == GLFW_KEY_BACKSPACE || key == GLFW_KEY_LEFT;
        if (action == GLFW_PRESS || (action == GLFW_REPEAT && repeats)) of(w).on_key(key, mods);
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
        of(w).on_button(button, action, mods);
    });
    glfwSetCursorPosCallback(window,
                             [](GLFWwindow* w, double x, double y) { of(w).on_cursor(x, y); });
    glfwSetScrollCallback(window,
                          [](GLFWwindow* w, double, double amount) { of(w).on_scroll(amount); });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        of(w).session_.open_files({paths, paths + count});
    });
}

Vec3 Window::direction_at(double x, double y) const {
    int width = 1, height = 1;
    glfwGetWindowSize(window_.get(), &width, &height);
    return session_.camera.direction_through(2 * x / width - 1, 1 - 2 * y / height, aspect());
}

void Window::on_button(int button, int action, int mods) {
    if (drag_ != Drag::none && button != drag_button_) return;
    if (action == GLFW_RELEASE) {
        if (drag_ == Drag::body) session_.hand.let_go(*session_.simulation);
        drag_ = Drag::none;
        return;
    }
    if (ImGui::GetIO().WantCaptureMouse || !session_.has_shown) return;
    drag_button_ = button;
    if (button != GLFW_MOUSE_BUTTON_LEFT) {
        drag_ = Drag::pan;
        return;
    }
    drag_ = Drag::orbit;
    const auto picked =
        pick(session_.shown.moment, session_.camera.position(), direction_at(cursor_x_, cursor_y_));
    if (!picked) return;
    if (mods & GLFW_MOD_CONTROL) {
        if (!picked->rigid) session_.simulation->pick_region(picked->id, picked->point);
        drag_ = Drag::none;
    } else {
        session_.hand.grab(*session_.simulation, *picked, session_.camera);
        if (!picked->rigid) session_.selected = picked->id;
        ++session_.counts.grabs;
        drag_ = Drag::body;
    }
}

void Window::on_cursor(double x, double y) {
    const double dx = x - cursor_x_, dy = y - cursor_y_;
    cursor_x_ = x;
    cursor_y_ = y;
    Camera& camera = session_.camera;
    int width = 1, height = 1;
    glfwGetWindowSize(window_.get(), &width, &height);
    if (drag_ == Drag::body) {
        session_.hand.move(*session_.simulation, camera, direction_at(x, y));
    } else if (drag_ == Drag::orbit) {
        camera.yaw -= 4.0 * dx / height;
        camera.pitch =
            std::clamp(camera.pitch + 4.0 * dy / height, lowest_pitch(), Camera::highest_pitch);
    } else if (drag_ == Drag::pan) {
        const double metres = 2 * camera.distance * std::tan(camera.fov / 2) / height;
        camera.target += -metres * dx * camera.right() + metres * dy * camera.up();
    }
}

void Window::on_scroll(double amount) {
    if (ImGui::GetIO().WantCaptureMouse) return;
    session_.camera.distance =
        std::clamp(session_.camera.distance * std::pow(0.88, amount), 1e-3, 1e4);
}

void Window::on_key(int key, int) {
    Session& s = session_;
    if (ImGui::GetIO().WantTextInput) return;
    switch (key) {
        case GLFW_KEY_SPACE:
            return s.toggle_running();
        case GLFW_KEY_S:
        case GLFW_KEY_PERIOD:
            return s.step_once();
        case GLFW_KEY_T:
            return s.set_pace(s.pace < 1 ? 1 : 0.15);
        case GLFW_KEY_R:
            return s.reset();
        case GLFW_KEY_BACKSPACE:
        case GLFW_KEY_LEFT:
            return s.rewind(1);
        case GLFW_KEY_D:
            return s.drop_another();
        case GLFW_KEY_B:
            return s.bend_straight();
        case GLFW_KEY_F:
            return frame_all();
        case GLFW_KEY_W: {
            Overlays show = s.overlays;
            show.wireframe = !show.wireframe;
            return s.set_overlays(show);
        }
        case GLFW_KEY_P:
            if (!s.hand.holds()) return s.say("P pins what the mouse is pulling");
            s.hand.pin(*s.simulation);
            ++s.counts.pins;
            drag_ = Drag::none;
            return;
        case GLFW_KEY_U:
            if (s.simulation) s.hand.unpin_all(*s.simulation);
            return;
        case GLFW_KEY_Q:
            s.settings.fine = !s.settings.fine;
            return;
        case GLFW_KEY_K:
        case GLFW_KEY_F12:
            wants_screenshot_ = true;
            return;
        case GLFW_KEY_M:
        case GLFW_KEY_F9:
            return s.say(recorder_.filming() ? recorder_.end_film() : recorder_.start_film());
        case GLFW_KEY_TAB:
            s.settings.panel = !s.settings.panel;
            return;
        case GLFW_KEY_H:
        case GLFW_KEY_F1:
            s.settings.help = !s.settings.help;
            return;
        case GLFW_KEY_ESCAPE:
            glfwSetWindowShouldClose(window_.get(), GLFW_TRUE);
            return;
        default:
            return;
    }
}

/// Not from below the ground, if there is one.
double Window::lowest_pitch() const {
    const auto& colliders = session_.shown.colliders;
    const bool ground = std::ranges::any_of(
        colliders, [](const Collider& c) { return c.shape == ColliderShape::plane; });
    return ground ? 0.03 : -Camera::highest_pitch;
}

void Window::frame_all() {
    if (!drawing_ || !session_.has_shown) return;
    session_.camera = drawing_->framing(session_.shown.moment, aspect(), session_.camera);
}

void Window::paint() {
    if (!session_.has_shown) {
        painter_->paint({}, session_.camera, pixels_x_, pixels_y_, 0);
        return;
    }
    const auto& shown = session_.shown;
    if (!drawing_ || drawn_colliders_ != shown.colliders_version || session_.needs_framing) {
        drawing_ = std::make_unique<WorldDrawing>(shown.colliders);
        drawn_colliders_ = shown.colliders_version;
    }
    if (std::exchange(session_.needs_framing, false)) {
        session_.camera = {};
        frame_all();
    }
    Drawing drawing = drawing_->draw(shown.moment, shown.insight);
    session_.solid.add_to(drawing);
    if (session_.hand.holds())
        drawing.points.push_back({to_float(session_.hand.target()), {1.0f, 0.3f, 0.05f}, 12});
    painter_->paint(drawing, session_.camera, pixels_x_, pixels_y_, 0);
}

/// A machine that draws in software gets a simpler picture rather than a slide show.
void Window::judge_speed(double milliseconds) {
    draw_milliseconds_ =
        draw_milliseconds_ == 0 ? milliseconds : 0.9 * draw_milliseconds_ + 0.1 * milliseconds;
    slow_frames_ = milliseconds > slow_frame ? slow_frames_ + 1 : 0;
    const bool hopeless = milliseconds > 5 * slow_frame && session_.has_shown;
    if ((slow_frames_ < 5 && !hopeless) || !session_.settings.fine || judged_) return;
    judged_ = true;
    session_.settings.fine = false;
    session_.say("drawn simply, for this machine draws slowly; Q draws it finely");
}

void Window::take_pictures() {
    const bool film = session_.has_shown && recorder_.wants(session_.shown.moment.time);
    if (!wants_screenshot_ && !film) return;
    const Picture picture = gl::read_pixels(pixels_x_, pixels_y_);
    if (std::exchange(wants_screenshot_, false)) {
        session_.say(recorder_.screenshot(picture));
        ++session_.counts.pictures;
    }
    if (!film) return;
    const std::string trouble = recorder_.add(picture, session_.shown.moment.time);
    if (!trouble.empty()) session_.say(trouble);
}

void Window::draw() {
    const auto start = Clock::now();
    const double seconds = std::chrono::duration<double>(start - last_frame_).count();
    last_frame_ = start;
    glfwGetFramebufferSize(window_.get(), &pixels_x_, &pixels_y_);
    if (pixels_x_ < 1 || pixels_y_ < 1) return;  // minimised
    painter_->set_fine(session_.settings.fine);
    paint();
    take_pictures();
    glFinish();
    judge_speed(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    panel_.draw(session_, seconds, draw_milliseconds_);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glfwSwapBuffers(window_.get());
    ++session_.counts.frames;
}

ViewReport Window::run() {
    const auto start = Clock::now();
    while (!glfwWindowShouldClose(window_.get()) && !options_.interrupted()) {
        glfwPollEvents();
        session_.refresh();
        draw();
        if (options_.seconds &&
            std::chrono::duration<double>(Clock::now() - start).count() > *options_.seconds)
            break;
    }
    if (recorder_.filming()) session_.say(recorder_.end_film());
    glfwGetWindowSize(window_.get(), &session_.settings.width, &session_.settings.height);
    save_settings(session_.settings, settings_file());
    return {session_.counts,
            session_.readout.steps,
            session_.readout.time,
            session_.readout.bodies.size(),
            session_.settings.fine,
            session_.message,
            reinterpret_cast<const char*>(glGetString(GL_RENDERER)),
            session_.camera};
}

}  // namespace

ViewReport view(const ViewOptions& options) {
    return Window(options).run();
}

}  // namespace turgor
