#pragma once

#include "elastic/lattice/lattice.hpp"
#include "elastic/lattice/tearing.hpp"
#include "elastic/model.hpp"

namespace turgor {

inline constexpr int default_cells = 16, cells_max = 256;

/// What lattices are made of, found again for other bodies of the same source and cells.
std::shared_ptr<const LatticeCells> cached_lattice_cells(const BodySource& source, int cells,
                                                         const BakeContext& context);
std::shared_ptr<const TearingLattice> cached_tearing_lattice(const BodySource& source, int cells,
                                                             const BakeContext& context);
std::shared_ptr<const LatticeRest> cached_lattice_rest(const BodySource& source,
                                                       const LatticeCells& lattice, int half_width,
                                                       const BakeContext& context);
std::shared_ptr<const LatticeCpuRest> cached_lattice_cpu_rest(const BodySource& source,
                                                              const LatticeCells& lattice,
                                                              const LatticeRest& rest,
                                                              const BakeContext& context);
/// What the volume stage smooths its weights over: the surface within as many edges.
std::shared_ptr<const Regions> cached_lattice_smoothing(const BodySource& source,
                                                        const BodyAsset& asset, int half_width,
                                                        const BakeContext& context);
std::shared_ptr<const CpuRegions> cached_lattice_cpu_smoothing(const BodySource& source,
                                                               const BodyAsset& asset,
                                                               const Regions& smoothing,
                                                               int half_width,
                                                               const BakeContext& context);

}  // namespace turgor
