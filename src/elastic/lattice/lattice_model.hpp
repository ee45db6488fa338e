#pragma once

namespace turgor {

class ElasticModel;

/// Shape matching over the cubic regions of a lattice.
const ElasticModel& lattice_model();

}  // namespace turgor
