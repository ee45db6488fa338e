#include "draw/insight.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "world/inspection.hpp"

namespace turgor {
namespace {

constexpr std::array<std::pair<std::string_view, bool Overlays::*>, 11> switches{{
    {"wireframe", &Overlays::wireframe},
    {"particles", &Overlays::particles},
    {"paths", &Overlays::paths},
    {"struts", &Overlays::struts},
    {"contacts", &Overlays::contacts},
    {"weights", &Overlays::weights},
    {"clusters", &Overlays::clusters},
    {"goals", &Overlays::goals},
    {"cage", &Overlays::cage},
    {"cells", &Overlays::cells},
    {"surface", &Overlays::surface},
}};

constexpr Vec3f dark{0.02f, 0.03f, 0.05f}, red{0.8f, 0.03f, 0.02f}, orange{0.95f, 0.35f, 0.02f},
    teal{0.0f, 0.25f, 0.35f};

/// How far a cell's volume is off that is drawn in blue (too small) or red; right ones are green.
constexpr double widest_error = 0.02;

/// A bright colour of any hue 0 … 1.
Vec3f hue(double h) {
    const auto channel = [&](double shift) {
        const double k = std::fmod(h * 6 + shift, 6.0);
        const double value = std::clamp(std::min(k, 4 - k), 0.0, 1.0);
        return static_cast<float>(0.5 - 0.48 * value);
    };
    return {channel(5), channel(3), channel(1)};
}

/// Of one of many; neighbouring numbers get colours far apart.
Vec3f colour_of(std::uint32_t number) {
    constexpr double golden = 0.61803398875;
    return hue(std::fmod(golden * number, 1.0));
}

/// Blue over green to red, 0 … 1.
Vec3f heat(double t) {
    return hue(2.0 / 3 * (1 - std::clamp(t, 0.0, 1.0)));
}

/// Draws one body's inside.
class Inside {
public:
    Inside(const Body& body, Insight& insight)
        : body_(body), insight_(insight), at_(body.positions()) {}

    void particles() {
        for (const Vec3f& p : at_) insight_.points.push_back({p, dark, 5});
    }

    void region(std::uint32_t picked) {
        for (const std::uint32_t vertex : Inspection::region(body_, picked))
            if (vertex != picked) insight_.points.push_back({at_[vertex], orange, 9});
        insight_.points.push_back({at_[picked], red, 14});
    }

    void paths() {
        std::uint32_t number = 0;
        for (const Inspection::Vertices& path : Inspection::paths(body_)) {
            const Vec3f colour = colour_of(number++);
            for (std::size_t i = 0; i + 1 < path.size(); ++i) line(path[i], path[i + 1], colour);
        }
    }

    void struts() {
        insight_.line_width = 1.8f;
        for (const auto& [from, to] : Inspection::struts(body_)) line(from, to, teal);
    }

    void contacts() {
        const double length = 0.08 * body_.size();
        for (const auto& [point, normal] : Inspection::contacts(body_)) {
            insight_.points.push_back({to_float(point), red, 8});
            insight_.lines.push_back({to_float(point), to_float(point + length * normal), red});
        }
    }

    void weights() {
        std::vector<Vec3f>& colours = insight_.colours[body_.id()];
        for (const double weight : Inspection::on_display(body_, Inspection::weights(body_)))
            colours.push_back(heat(weight / 3));
    }

    void clusters() {
        const auto shares = Inspection::clusters(body_);
        if (shares.empty()) return;
        std::array<std::vector<double>, 3> channels;
        for (auto& c : channels) c.resize(at_.size());
        for (const auto& [vertex, cluster, share] : shares) {
            const Vec3f colour = colour_of(cluster);
            const std::array<float, 3> rgb{colour.x, colour.y, colour.z};
            for (std::size_t k = 0; k < 3; ++k) channels[k][vertex] += share * rgb[k];
        }
        for (auto& c : channels) c = Inspection::on_display(body_, c);
        std::vector<Vec3f>& colours = insight_.colours[body_.id()];
        for (std::size_t i = 0; i < channels[0].size(); ++i)
            colours.push_back(to_float({channels[0][i], channels[1][i], channels[2][i]}));
    }

    void goals() {
        const std::vector<Vec3> goals = Inspection::goals(body_);
        double square = 0;
        for (std::size_t i = 0; i < goals.size(); ++i) {
            const double off = norm(goals[i] - body_.position(i));
            square += off * off / static_cast<double>(goals.size());
            insight_.points.push_back({to_float(goals[i]), red, 7});
            insight_.lines.push_back({at_[i], to_float(goals[i]), red});
        }
        insight_.line_width = 1.4f;
        if (!goals.empty()) insight_.fit_errors[body_.id()] = std::sqrt(square) / body_.size();
    }

    void cage() {
        insight_.line_width = 1.4f;
        for (const Triangle& t : body_.triangles())
            for (std::size_t k = 0; k < 3; ++k)
                if (t[k] < t[(k + 1) % 3]) line(t[k], t[(k + 1) % 3], dark);
    }

    void cells() {
        insight_.line_width = 1;
        const auto volumes = Inspection::cell_volumes(body_);
        for (const auto& cell : volumes) {
            const Vec3f colour = heat(0.5 + 0.5 * cell.error / widest_error);
            for (std::size_t k = 0; k < 8; ++k)
                for (const std::size_t bit : {1u, 2u, 4u})
                    if (!(k & bit))
                        insight_.lines.push_back(
                            {to_float(cell.corners[k]), to_float(cell.corners[k | bit]), colour});
        }
        if (!volumes.empty()) return;
        for (const auto& [a, b] : Inspection::cells(body_)) insight_.lines.push_back({a, b, teal});
    }

    void surface() {
        const auto normals = body_.normals();
        const auto triangles = body_.triangles();
        insight_.surfaces[body_.id()] = {{at_.begin(), at_.end()},
                                         {normals.begin(), normals.end()},
                                         {triangles.begin(), triangles.end()}};
    }

private:
    void line(std::uint32_t a, std::uint32_t b, Vec3f colour) {
        insight_.lines.push_back({at_[a], at_[b], colour});
    }

    const Body& body_;
    Insight& insight_;
    std::span<const Vec3f> at_;
};

}  // namespace

bool* Overlays::named(std::string_view name) {
    for (const auto& [known, member] : switches)
        if (known == name) return &(this->*member);
    return nullptr;
}

std::string Overlays::names() {
    std::string all;
    for (const auto& [name, member] : switches)
        all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
}

bool Overlays::any() const {
    return region.has_value() ||
           std::ranges::any_of(switches, [&](const auto& s) { return this->*s.second; });
}

Insight look_inside(World& world, const Overlays& show) {
    Insight insight;
    insight.wireframe = show.wireframe;
    insight.through = show.struts || show.cage || show.goals || show.cells;
    insight.pale = show.paths || show.particles || show.region;
    for (const Body& body : world.bodies()) {
        Inside inside(body, insight);
        if (show.particles) inside.particles();
        if (show.region && show.region->body == body.id() &&
            show.region->vertex < body.positions().size())
            inside.region(show.region->vertex);
        if (show.paths) inside.paths();
        if (show.struts) inside.struts();
        if (show.contacts) inside.contacts();
        if (show.weights) inside.weights();
        if (show.clusters) inside.clusters();
        if (show.goals) inside.goals();
        if (show.cage) inside.cage();
        if (show.cells) inside.cells();
        if (show.surface) inside.surface();
    }
    return insight;
}

}  // namespace turgor
