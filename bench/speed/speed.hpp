#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/samples.hpp"
#include "turgor/turgor.hpp"

/// The figures of docs/performance.md: `turgor bench` prints them. Everything is measured in one
/// process, and what is compared takes turns, so that ratios hold on a busy machine, too.
namespace turgor::speed {

struct Row {
    std::string suite, name, what;  ///< `what` is the case, e.g. "omega=3"
    int threads = 1;
    std::size_t particles = 0;
    double ms_median = 0, ms_min = 0;
    std::vector<std::pair<std::string, double>> more{};  ///< other figures, by name

    double ns_per_particle() const {
        return particles > 0 ? 1e6 * ms_median / static_cast<double>(particles) : 0;
    }
    std::optional<double> find(std::string_view figure) const;
};

/// A table as people read it.
struct Table {
    std::string title;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> lines;
    std::vector<std::string> notes;
};

struct Report {
    std::vector<Row> rows;
    std::vector<Table> tables;
};

struct Settings {
    bool quick = false;  ///< smaller and fewer, to see that it works
    int threads = 0;     ///< the most; 0: all that the machine has
    /// Told what is being done.
    std::function<void(const std::string&)> progress = [](const std::string&) {};
    int most_threads() const;
};

/// Something that is measured: steps of a world, or of another engine.
struct Contestant {
    Row row;
    std::function<void()> step;
    std::size_t steps = 0;  ///< per turn; 0: chosen from its speed
};
/// Lets all of them take turns for about `seconds` each and fills in their times.
void compete(std::vector<Contestant>& contestants, double seconds);

/// Bodies without ground or gravity, stretched and turning, that meet neither each other nor
/// themselves: everything but contact is at work.
struct FreeBodies {
    Mesh mesh;
    int count = 1;
    Material material;
    Model model{};
};
void stretch_and_turn(Body body);
/// s and k as the papers give them.
Material plain_material(int omega, double stiffness = 0.5, double damping = 0.2);
World free_world(const FreeBodies& bodies, const WorldSettings& settings);
WorldSettings settings_for(Backend backend, int threads, Summation summation = Summation::fast);

/// Vertices along an edge of a cube of about n particles.
int cube_edge(double n);

/// A world that runs, and how to make its steps.
struct Running {
    std::shared_ptr<void> owner;
    World& world;
    std::function<void()> step;
};

/// A scene of table 1 of the 2011 paper, and the times it prints [ms].
struct PaperScene {
    const char *name, *naive, *fast, *gpu;
    Material material;
};
std::vector<PaperScene> paper_scenes();
/// Nothing where a package with its mesh is missing; else how to run it without contacts.
std::function<Running(const WorldSettings&)> without_contacts(const PaperScene& paper);

/// The scenes of table 1 as heaps in a glass, with bears for armadillos.
struct Heap {
    std::string name;
    std::function<World(const WorldSettings&)> make;
    double paper;  ///< ms on the GPU of 2011, without contacts
};
std::vector<Heap> heaps();
/// Of bodies that fall and never sleep.
WorldSettings falling_settings(Backend backend, int threads);

/// Memory bandwidth of a triad over arrays much larger than any cache [GB/s].
double stream_bandwidth(int threads);

void table1(const Settings& settings, Report& report);
void table2(const Settings& settings, Report& report);
/// The second half of table 2: a lattice against the surface that stands for it.
void lattices(const Settings& settings, Report& report);
void scaling(const Settings& settings, Report& report);
void props(const Settings& settings, Report& report);
void threads(const Settings& settings, Report& report);
void stages(const Settings& settings, Report& report);
void contact(const Settings& settings, Report& report);
void peers(const Settings& settings, Report& report);
void gpu(const Settings& settings, Report& report);

struct Suite {
    std::string_view name, about;
    void (*run)(const Settings&, Report&);
};
inline constexpr Suite suites[] = {
    {"table1", "the scenes of table 1 of the 2011 paper", table1},
    {"table2",
     "a cube of 30248 particles, omega 1 to 5, and a lattice of 31^3, table 2 of the 2011 paper",
     table2},
    {"threads", "one and more threads, many bodies and one", threads},
    {"scaling", "1000 to 1,000,000 particles, one body and many", scaling},
    {"props", "hundreds of small bodies of the meshless model, and its growth", props},
    {"stages", "where the time goes, against the bandwidth of the memory", stages},
    {"contact", "bodies that meet: the scenes of table 1, and ever more balls", contact},
    {"peers", "the same scenes with Bullet's soft bodies", peers},
    {"gpu", "the opencl back end: table 1, its kernels, and 10,000 to 1,000,000 particles", gpu}};

/// Scaling and stages as a picture; empty where neither was measured.
std::string plot_svg(const Report& report);

}  // namespace turgor::speed
