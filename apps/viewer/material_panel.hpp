#pragma once

#include "elastic/model.hpp"
#include "session.hpp"

namespace turgor {

/// A body's model and what it tells of the body, by name and with units, a line each.
std::vector<std::string> model_lines(const Readout::Line& line);

/// The part of the panel about what bodies are made of: their material, what it keeps, their model.
class MaterialPanel {
public:
    void draw(Session& session, double seconds);

private:
    bool edit(Material& material);
    bool edit_plasticity(Session& session, Material& material);
    void model(Session& session, const Readout::Line& line);
    void edit_setting(Session& session, const Readout::Line& line,
                      const ElasticModel::Setting& setting);
    void send(Session& session);

    Material edited_, sent_;  ///< what the sliders say, and what the bodies were told
    Model model_;             ///< likewise
    BodyId edited_of_ = ~BodyId{0};
    double edited_ago_ = 0;  ///< [s]
};

}  // namespace turgor
