#pragma once

#include <vector>

#include "draw/drawing.hpp"
#include "turgor/solid.hpp"

namespace turgor {

/// The surface of a solid with the edges of its cells, ready to be drawn.
class SolidDrawing {
public:
    SolidDrawing() = default;
    explicit SolidDrawing(const Solid& solid, const Pose& at = {});

    bool empty() const { return positions_.empty(); }
    /// Speaks of the arrays of this object.
    void add_to(Drawing& drawing) const;

private:
    std::vector<Vec3f> positions_, normals_;
    std::vector<Triangle> triangles_;
    std::vector<DrawnLine> edges_;
};

}  // namespace turgor
