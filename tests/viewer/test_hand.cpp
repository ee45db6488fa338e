#include "viewer/hand.hpp"
#include "viewer/simulation_helpers.hpp"

namespace turgor {
namespace {

using test::advance;
using test::falling_ball;
using test::paused;
using test::settle;

class HandTest : public testing::Test {
protected:
    HandTest(std::function<Scene()> make = falling_ball) : simulation_(paused(std::move(make))) {
        simulation_->shown(shown_);
        camera_.target = {0, 2, 0};
        camera_.yaw = camera_.pitch = 0;
    }
    bool grab() {
        const auto picked = pick(shown_.moment, camera_.position(), {0, 0, -1});
        if (!picked) return false;
        hand_.grab(*simulation_, *picked, camera_);
        return true;
    }
    Vec3 middle() {
        settle(*simulation_);
        simulation_->shown(shown_);
        Bounds box;
        for (const Vec3f& p : shown_.moment.things.back().positions) box.add(to_double(p));
        return box.centre();
    }
    std::unique_ptr<Simulation> simulation_;
    Simulation::Shown shown_;
    Camera camera_;
    Hand hand_;
};

TEST_F(HandTest, pulls_a_body_to_where_it_goes) {
    ASSERT_TRUE(grab());
    hand_.move(*simulation_, camera_, camera_.direction_through(0.3, 0.3, 1.5));
    const Vec3 goal = hand_.target();
    EXPECT_GT(goal.x, 0.2);
    EXPECT_GT(goal.y, 2.2);
    advance(*simulation_, 200);
    const Vec3 at = middle();
    EXPECT_GT(at.x, 0.5 * goal.x);
    EXPECT_GT(at.y, 1.4) << "it fell";
    hand_.let_go(*simulation_);
    EXPECT_FALSE(hand_.holds());
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 1.4);
}

TEST_F(HandTest, pins_it_where_it_is_until_all_pins_are_taken_out) {
    ASSERT_TRUE(grab());
    hand_.pin(*simulation_);
    EXPECT_FALSE(hand_.holds());
    advance(*simulation_, 200);
    EXPECT_GT(middle().y, 1.2);
    hand_.unpin_all(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 1);
}

TEST_F(HandTest, lets_go_of_what_a_rewind_brings_back) {
    ASSERT_TRUE(grab());
    advance(*simulation_, 100);
    hand_.let_go(*simulation_);
    advance(*simulation_, 40);
    simulation_->rewind(0.4);  // to where it was being held
    hand_.let_go_of_the_past(*simulation_);
    settle(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 1.2);
}

TEST_F(HandTest, takes_pins_out_that_a_rewind_brought_back) {
    ASSERT_TRUE(grab());
    hand_.pin(*simulation_);
    advance(*simulation_, 100);
    simulation_->rewind(0.2);
    hand_.let_go_of_the_past(*simulation_);
    hand_.unpin_all(*simulation_);
    settle(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 1.2);
}

TEST_F(HandTest, of_a_body_that_is_gone_holds_nothing) {
    ASSERT_TRUE(grab());
    settle(*simulation_);
    simulation_->post([](LiveScene& live) { live.remove(live.bodies().front().body.id()); });
    hand_.move(*simulation_, camera_, {0, 0, -1});
    hand_.pin(*simulation_);
    hand_.unpin_all(*simulation_);
    settle(*simulation_);
    EXPECT_TRUE(simulation_->readout().warnings.empty());
}

class RigidHandTest : public HandTest {
protected:
    RigidHandTest() : HandTest(rigid_things) {}
    static Scene rigid_things() {
        return parse_scene(R"({"colliders": [{"shape": {"plane": {}}}],
            "bodies": [{"shape": {"icosphere": {"subdivisions": 1}}, "position": [0, 1, -5]}],
            "rigid_bodies": [{"shape": {"box": {"size": [0.2, 0.8, 0.4]}}, "position": [0, 2, 0]}]})",
                           "test.json");
    }
};

TEST_F(RigidHandTest, pulls_it_to_where_it_goes) {
    ASSERT_TRUE(grab());
    hand_.move(*simulation_, camera_, camera_.direction_through(0.3, 0.3, 1.5));
    const Vec3 goal = hand_.target();
    advance(*simulation_, 400);
    EXPECT_LT(norm(middle() - goal), 0.6) << "it hangs from the hand";
    EXPECT_GT(middle().y, goal.y - 0.6);
    hand_.let_go(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 0.6);
}

TEST_F(RigidHandTest, throws_it) {
    ASSERT_TRUE(grab());
    for (int k = 1; k <= 20; ++k) {
        hand_.move(*simulation_, camera_, camera_.direction_through(0.01 * k, 0.02 * k, 1.5));
        advance(*simulation_, 2);
    }
    hand_.let_go(*simulation_);
    const Vec3 then = middle();
    advance(*simulation_, 20);
    EXPECT_GT(middle().x, then.x + 0.05);
    EXPECT_GT(middle().y, then.y + 0.05);
}

TEST_F(RigidHandTest, pins_it_until_all_pins_are_taken_out_or_a_rewind) {
    ASSERT_TRUE(grab());
    hand_.pin(*simulation_);
    EXPECT_FALSE(hand_.holds());
    advance(*simulation_, 200);
    EXPECT_GT(middle().y, 1.2);
    hand_.unpin_all(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 0.6);

    simulation_->reset();
    hand_.let_go_of_the_past(*simulation_);
    middle();
    ASSERT_TRUE(grab());
    hand_.pin(*simulation_);
    advance(*simulation_, 100);
    simulation_->reset();
    hand_.let_go_of_the_past(*simulation_);
    settle(*simulation_);
    advance(*simulation_, 200);
    EXPECT_LT(middle().y, 0.6);
}

TEST_F(RigidHandTest, of_a_body_that_is_gone_holds_nothing) {
    ASSERT_TRUE(grab());
    advance(*simulation_, 2);
    simulation_->post([](LiveScene& live) { live.world().remove_rigid(live.rigids()[0].id()); });
    hand_.move(*simulation_, camera_, {0, 0, -1});
    advance(*simulation_, 2);
    hand_.pin(*simulation_);
    advance(*simulation_, 2);
    hand_.unpin_all(*simulation_);
    settle(*simulation_);
    EXPECT_TRUE(simulation_->readout().warnings.empty());
}

}  // namespace
}  // namespace turgor
