#pragma once

#include <memory>

#include "base/quad.hpp"
#include "elastic/regions.hpp"
#include "volume/struts.hpp"
#include "volume/volume_followers.hpp"

namespace turgor {

/// What stages 4 and 5 need of a body at rest.
struct VolumeRest {
    std::shared_ptr<const Struts> struts;
    /// The sets that weights are smoothed over: the elastic model's own, shared with it.
    std::shared_ptr<const Regions> smoothing;
    std::shared_ptr<const VolumeFollowers> followers{};  ///< null: none
};

struct StrutStiffness {
    double least = 0.01;  ///< of the longest strut
    double most = 0.1;    ///< of the shortest
};
Struts make_struts(const BodyAsset& asset, const StrutStiffness& stiffness = {});

/// Struts as the cpu back end measures them, padded to whole groups.
struct CpuStruts {
    AlignedVector<Pair> strut;  ///< rest length, stiffness
    std::vector<std::uint32_t> partner;
};
std::shared_ptr<const CpuStruts> make_cpu_struts(const Struts& struts);

/// The same for the cpu back end.
struct VolumeCpuRest {
    std::shared_ptr<const CpuStruts> struts;
    std::shared_ptr<const CpuRegions> smoothing;
    std::shared_ptr<const CpuVolumeFollowers> followers{};
};

/// Memory [bytes].
std::size_t bytes(const Struts& struts);
std::size_t bytes(const CpuStruts& struts);

}  // namespace turgor
