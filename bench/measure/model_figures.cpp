#include "measure/model_figures.hpp"

namespace turgor::measure {

double mean_figure(std::span<const Body> bodies, std::string_view name) {
    double sum = 0, vertices = 0;
    for (const Body& body : bodies)
        for (const ModelFigure& figure : body.figures())
            if (figure.name == name) {
                const auto count = static_cast<double>(body.positions().size());
                sum += figure.value * count;
                vertices += count;
            }
    return vertices > 0 ? sum / vertices : 0;
}

}  // namespace turgor::measure
