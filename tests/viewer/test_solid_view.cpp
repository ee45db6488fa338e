#include "viewer/solid_view.hpp"

#include "mesh/mesh_checks.hpp"
#include "viewer/session.hpp"
#include "viewer/simulation_helpers.hpp"

namespace turgor {
namespace {

using test::comes;

bool open_ball(Session& session) {
    session.running = false;
    session.open("ball", test::falling_ball);
    return comes([&] {
        session.refresh();
        return !session.preparing() && session.has_shown;
    });
}

/// The solid that is shown once nothing is left to do.
const SolidPreview::Made* settled(Session& session) {
    comes([&] {
        session.refresh();
        return session.solid.made() && !session.solid.busy();
    });
    session.refresh();
    return session.solid.made();
}

TEST(SolidView, shows_the_cells_of_the_body_at_once_and_finds_the_field_once) {
    Session session({});
    ASSERT_TRUE(open_ball(session));
    Drawing drawing;
    session.solid.add_to(drawing);
    EXPECT_TRUE(drawing.meshes.empty()) << "it is off";
    session.solid.set_on(true);
    const auto* made = settled(session);
    ASSERT_TRUE(made);
    const std::size_t cells = made->solid.cells.size();
    EXPECT_TRUE(checks::is_closed_manifold(made->solid.surface()));
    std::size_t fewest = cells;
    for (const int along : {24, 12, 6, 1}) {
        session.solid.set({.cells = along});
        ASSERT_TRUE(comes([&] {
            session.refresh();
            return session.solid.made()->solid.cells.size() < fewest;
        })) << along;
        fewest = session.solid.made()->solid.cells.size();
    }
    EXPECT_EQ(fewest, 1u);
    EXPECT_EQ(session.solid.fields(), 1u);
}

TEST(SolidView, takes_the_place_of_the_body_and_moves_with_it) {
    Session session({});
    ASSERT_TRUE(open_ball(session));
    session.solid.set_on(true);
    ASSERT_TRUE(settled(session));
    const auto centre = [&] {
        Drawing drawing;
        drawing.meshes.resize(session.shown.moment.things.size());
        session.solid.add_to(drawing);
        EXPECT_EQ(drawing.meshes.size(), session.shown.moment.things.size());
        Bounds box;
        for (const Vec3f& p : drawing.meshes.back().positions) box.add(to_double(p));
        return box.centre();
    };
    const Vec3 before = centre();
    EXPECT_LT(norm(before - session.shown.moment.bounds().centre()), 0.02);
    test::advance(*session.simulation, 40);
    test::settle(*session.simulation);
    ASSERT_TRUE(comes([&] {
        session.refresh();
        return session.shown.moment.bounds().centre().y < before.y - 0.1;
    }));
    EXPECT_LT(norm(centre() - session.shown.moment.bounds().centre()), 0.02);
    session.solid.set_on(false);
    Drawing drawing;
    session.solid.add_to(drawing);
    EXPECT_TRUE(drawing.meshes.empty());
}

TEST(SolidView, says_why_there_is_none) {
    Session session({});
    ASSERT_TRUE(open_ball(session));
    session.solid.set({.cells = 0});
    session.solid.set_on(true);
    const auto* made = settled(session);
    ASSERT_TRUE(made);
    EXPECT_NE(made->error.find("0 cells"), std::string::npos) << made->error;
    session.solid.set({.cells = 4});
    EXPECT_TRUE(comes([&] {
        session.refresh();
        return session.solid.made() && session.solid.made()->error.empty();
    }));
}

TEST(SolidPreview, gives_up_what_nobody_waits_for) {
    const auto start = std::chrono::steady_clock::now();
    {
        SolidPreview preview;
        for (int k = 0; k < 20; ++k) preview.take(shapes::icosphere(0.5, 5));
        preview.set({.cells = 48});
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(taken.count(), 5);
}

}  // namespace
}  // namespace turgor
