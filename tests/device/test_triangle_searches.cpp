#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "contact/colliders.hpp"
#include "on_device.hpp"
#include "step/device/device_collider_geometry.hpp"
#include "triangle_shapes.hpp"

namespace turgor {
namespace {

using namespace device;

enum Question : std::uint32_t { nearest, inside, entered, left, another_face, obstacles };

/// What is asked about a point or a way; `number` is a reach, a least share or a margin.
struct Asked {
    double3 from, to;
    double3 normal;  ///< known already, of another_face
    double number = 0;
    double padding[3] = {};
};

/// One plane, or what else was found.
struct Plane {
    double3 point, normal;
    double distance = 0, start_gap = 0;
    double on_face = 0, padding = 0;
};
struct Answer {
    Plane planes[3];
    double count = 0;
    double padding[3] = {};
};

/// Kernels that ask the device's searches as they are.
constexpr const char* asking = R"(
typedef struct { double3 from, to, normal; double number, padding[3]; } Asked;
typedef struct { double3 point, normal; double distance, start_gap, on_face, padding; } Plane;
typedef struct { Plane planes[3]; double count; double padding[3]; } Answer;

kernel void ask(COLLIDER_SURFACES, uint which, uint question, double thickness,
                const global Asked* all_asked, global Answer* answers) {
    const ColliderGeometry surface = SURFACE_AT(which);
    const TriangleShape shape = {surface, thickness / 2, thickness > 0};
    const Asked asked = all_asked[get_global_id(0)];
    global Answer* const answer = answers + get_global_id(0);
    if (question == 0 || question == 4) {
        Wanted known;
        known.count = 1;
        known.shell = shape.shell;
        known.normals[0] = asked.normal;
        const NearestOnGeometry near = question == 0
            ? nearest(&surface, asked.from, asked.number, shape.shell)
            : another_face(&surface, asked.from, asked.number, &known);
        answer->count = near.found;
        answer->planes[0].distance = near.distance;
        answer->planes[0].normal = near.normal;
        answer->planes[0].on_face = near.on_face;
    } else if (question == 1) {
        answer->count = contains(&surface, asked.from);
    } else if (question == 2 || question == 3) {
        const GeometryCrossing crossed = question == 2
            ? entered(&surface, asked.from, asked.to, asked.number, shape.shell)
            : left_at(&surface, asked.from, asked.to, asked.number);
        answer->count = crossed.found;
        answer->planes[0].distance = crossed.share;
        answer->planes[0].point = crossed.point;
        answer->planes[0].normal = crossed.normal;
    } else {
        const Obstacles found = find_obstacles(&shape, asked.from, asked.to, asked.number);
        answer->count = found.count;
        for (uint k = 0; k < found.count; ++k) {
            answer->planes[k].point = found.found[k].point;
            answer->planes[k].normal = found.found[k].normal;
            answer->planes[k].distance = found.found[k].gap;
            answer->planes[k].start_gap = found.found[k].start_gap;
        }
    }
}
)";

double3 to_device(Vec3 v) {
    return {v.x, v.y, v.z};
}
Vec3 from_device(const double3& v) {
    return {v.x, v.y, v.z};
}

/// Questions about one collider in its own frame, to its C++ form and to the device.
class TriangleSearches : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        queue_.emplace(Device::open(""));
        program_ = cl::Program(queue_->device().context(), kernel_sources() + asking);
        program_.build("-cl-std=CL1.2 -DGROUP=1 -DBODY_GROUP=1");
        for (const auto& [name, collider] : shapes_)
            places_[name] = surfaces_.take(*queue_, collider.geometry);
    }

    std::vector<Answer> on_the_device(const std::string& name, const Collider& collider,
                                      Question question, const std::vector<Asked>& asked) {
        Array<Asked> questions;
        Array<Answer> answers;
        std::vector<Answer> result(asked.size());
        questions.resize(*queue_, asked.size());
        answers.resize(*queue_, asked.size());
        questions.write(*queue_, 0, asked);
        answers.write(*queue_, 0, result);
        cl::Kernel kernel(program_, "ask");
        cl_uint k = 0;
        const auto give = [&](const auto& value) { kernel.setArg(k++, value); };
        give(surfaces_.given.buffer());
        give(surfaces_.nodes.buffer());
        give(surfaces_.triangles.buffer());
        give(surfaces_.normals.buffer());
        give(surfaces_.heights.buffer());
        give(surfaces_.ranges.buffer());
        give(places_.at(name));
        give(static_cast<std::uint32_t>(question));
        give(collider.thickness);
        give(questions.buffer());
        give(answers.buffer());
        queue_->commands().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(asked.size()),
                                                cl::NDRange(1));
        answers.read(*queue_, 0, result);
        queue_->wait();
        return result;
    }

    static Answer in_cpp(const Collider& collider, Question question, const Asked& asked) {
        const Vec3 from = from_device(asked.from), to = from_device(asked.to),
                   known[] = {from_device(asked.normal)};
        const bool shell = collider.thickness > 0;
        const double number = asked.number;
        Answer answer;
        const auto put_near = [&](const std::optional<NearestOnGeometry>& near) {
            answer.count = near.has_value();
            if (near)
                answer.planes[0] = {{},
                                    to_device(near->normal),
                                    near->distance,
                                    0,
                                    static_cast<double>(near->on_face)};
        };
        const auto put_crossed = [&](const std::optional<GeometryCrossing>& at) {
            answer.count = at.has_value();
            if (at) answer.planes[0] = {to_device(at->point), to_device(at->normal), at->share};
        };
        std::visit(
            [&](const auto& surface) {
                if (question == nearest) put_near(surface.nearest(from, number, shell));
                if (question == inside) answer.count = surface.contains(from);
                if (question == entered) put_crossed(surface.entered(from, to, number, shell));
                if (question == left) put_crossed(surface.left(from, to, number));
                if (question == another_face)
                    put_near(surface.another_face(from, number, shell, known));
            },
            *collider.geometry->shape);
        if (question == obstacles) {
            const Obstacles found = find_obstacles(collider, from, to, number);
            answer.count = static_cast<double>(found.count);
            for (std::size_t i = 0; i < found.count; ++i)
                answer.planes[i] = {to_device(found.found[i].point),
                                    to_device(found.found[i].normal), found.found[i].gap,
                                    found.found[i].start_gap};
        }
        return answer;
    }

    /// How far apart two answers are; infinitely, where one has more than the other.
    static double apart(const Answer& a, const Answer& b) {
        if (a.count != b.count) return std::numeric_limits<double>::infinity();
        double most = 0;
        const auto differ = [&](double x, double y) {
            most = std::max(most, x == y ? 0 : std::abs(x - y));
        };
        for (int k = 0; k < static_cast<int>(a.count); ++k) {
            const Plane &p = a.planes[k], &q = b.planes[k];
            differ(norm(from_device(p.point) - from_device(q.point)), 0);
            differ(norm(from_device(p.normal) - from_device(q.normal)), 0);
            differ(p.distance, q.distance);
            differ(p.start_gap, q.start_gap);
            differ(p.on_face, q.on_face);
        }
        return most;
    }

    /// Points in and around a surface, half of them close to it, and ways of all lengths from them.
    static std::vector<Asked> random_questions(const Collider& collider, Question question,
                                               std::uint64_t seed) {
        constexpr int count = 4000;
        Random random(seed);
        std::vector<Asked> questions;
        for (int k = 0; k < count; ++k) {
            Vec3 p = random.in_box({-1.2, -0.7, -1.2}, {1.2, 0.9, 1.2});
            if (k % 2 == 0) {
                const SignedDistance near = nearest_surface(collider, p);
                p -= (near.distance - random.between(-0.03, 0.03)) * near.normal;
            }
            const double length = std::pow(10.0, random.between(-3, 0.5));
            Asked asked{to_device(p), to_device(p + length * random.in_cube()), {}, 0};
            switch (question) {
                case nearest:
                    asked.number = k % 3 == 0 ? std::numeric_limits<double>::infinity() : length;
                    break;
                case another_face:
                    asked.normal = to_device(k % 3 == 0 ? nearest_surface(collider, p).normal
                                                        : normalized(random.in_cube()));
                    asked.number = length;
                    break;
                case obstacles:
                    asked.number = random.between(0.001, 0.05);
                    break;
                default:
                    asked.number = k % 3 == 0 ? random.between(0, 0.8) : 0;
            }
            questions.push_back(asked);
        }
        return questions;
    }

    void expect_the_same(Question question, int least_found) {
        for (const auto& [name, collider] : shapes_) {
            const auto questions = random_questions(collider, question, 7 + question);
            const auto answers = on_the_device(name, collider, question, questions);
            double most = 0;
            int found = 0;
            for (std::size_t i = 0; i < questions.size(); ++i) {
                const Answer expected = in_cpp(collider, question, questions[i]);
                most = std::max(most, apart(expected, answers[i]));
                found += expected.count > 0;
            }
            EXPECT_LT(most, 1e-9) << name;
            EXPECT_GT(found, least_found) << name;
        }
    }

    std::optional<Queue> queue_;
    cl::Program program_;
    DeviceColliderGeometry surfaces_;
    std::vector<std::pair<std::string, Collider>> shapes_ = triangle_shapes();
    std::map<std::string, std::uint32_t> places_;  ///< of their surfaces
};

TEST_F(TriangleSearches, nearest_points_are_those_of_the_cpu) {
    expect_the_same(nearest, 1000);
}

TEST_F(TriangleSearches, what_is_inside_is_inside_on_the_device) {
    for (const auto& [name, collider] : shapes_) {
        if (collider.thickness > 0) continue;  // a shell has no inside
        const auto questions = random_questions(collider, inside, 3);
        const auto answers = on_the_device(name, collider, inside, questions);
        int different = 0, within = 0;
        for (std::size_t i = 0; i < questions.size(); ++i) {
            different += in_cpp(collider, inside, questions[i]).count != answers[i].count;
            within += answers[i].count > 0;
        }
        EXPECT_EQ(different, 0) << name;
        EXPECT_GT(within, 100) << name;
    }
}

TEST_F(TriangleSearches, ways_enter_where_they_do_on_the_cpu) {
    expect_the_same(entered, 100);
}

TEST_F(TriangleSearches, ways_leave_where_they_do_on_the_cpu) {
    expect_the_same(left, 100);
}

TEST_F(TriangleSearches, other_faces_are_those_of_the_cpu) {
    expect_the_same(another_face, 20);
}

TEST_F(TriangleSearches, planes_that_stop_particles_are_those_of_the_cpu) {
    expect_the_same(obstacles, 500);
}

TEST_F(TriangleSearches, several_planes_are_found_in_corners) {
    const auto& [name, corner] = shapes_.back();
    const auto questions = random_questions(corner, obstacles, 11);
    const auto answers = on_the_device(name, corner, obstacles, questions);
    EXPECT_GT(std::ranges::count_if(answers, [](const Answer& a) { return a.count > 1; }), 50);
}

TEST_F(TriangleSearches, surfaces_are_uploaded_once_and_make_room_when_they_are_gone) {
    DeviceColliderGeometry surfaces;
    const Collider torus = Collider::mesh(shapes::torus(0.4, 0.15, 30, 14)),
                   ball = Collider::mesh(shapes::icosphere(0.4, 2));
    Collider copy = torus;
    copy.pose.position = {1, 2, 3};
    const auto take_both = [&] {
        surfaces.take(*queue_, torus.geometry);
        return surfaces.take(*queue_, ball.geometry);
    };
    const std::uint32_t place = take_both();
    surfaces.forget_others();
    EXPECT_EQ(surfaces.count(), 2u);
    EXPECT_EQ(surfaces.take(*queue_, copy.geometry), surfaces.take(*queue_, torus.geometry));
    const std::size_t bytes = surfaces.bytes();
    surfaces.forget_others();
    EXPECT_EQ(surfaces.count(), 1u);
    EXPECT_EQ(take_both(), place);
    EXPECT_EQ(surfaces.bytes(), bytes);
    surfaces.forget_others();
    surfaces.forget_others();
    EXPECT_EQ(surfaces.count(), 0u);
}

}  // namespace
}  // namespace turgor
