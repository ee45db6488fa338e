#include "scene/starts.hpp"

#include "base/random.hpp"

namespace turgor {

std::vector<Vec3> start_positions(BodyStart start, std::span<const Vec3> rest,
                                  std::span<const Vec3f> normals, double size, std::uint64_t seed) {
    Bounds box;
    for (const Vec3& p : rest) box.add(p);
    const Vec3 centre = box.centre();
    const double noise = 1e-3 * size;
    Random random(seed);
    std::vector<Vec3> x(rest.begin(), rest.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 r = rest[i] - centre;
        switch (start) {
            case BodyStart::rest:
                break;
            case BodyStart::flat:
                x[i].y = centre.y;
                break;
            case BodyStart::point:
                x[i] = centre + random.in_box({-noise, -noise, -noise}, {noise, noise, noise});
                break;
            case BodyStart::random_box:
                x[i] = random.in_box(box.lower, box.upper);
                break;
            case BodyStart::mirrored:
                x[i].x = centre.x - r.x;
                break;
            case BodyStart::shrunk:
                x[i] = centre + 0.1 * r;
                break;
            case BodyStart::inside_out:
                x[i] = rest[i] - size * to_double(normals[i]);
                break;
            case BodyStart::one_point:
                x[i] = centre;
                break;
        }
    }
    return x;
}

}  // namespace turgor
