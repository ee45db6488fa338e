#include "volume/volume_rest.hpp"

#include "base/errors.hpp"

namespace turgor {

Struts make_struts(const BodyAsset& asset, const StrutStiffness& stiffness) {
    const auto& [least, most] = stiffness;
    if (!(least >= 0 && least <= most && most <= 1))
        fail(ErrorCode::bad_argument,
             "The strut stiffness goes from {} to {}: it must ascend within 0 to 1.", least, most);
    return make_struts(asset.rest, asset.triangles, least, most);
}

std::shared_ptr<const CpuStruts> make_cpu_struts(const Struts& struts) {
    auto made = std::make_shared<CpuStruts>();
    const std::size_t count = struts.partner.size(), padded = CpuLayout::padded(count);
    made->strut.resize(padded);
    made->partner.resize(padded);
    for (std::uint32_t i = 0; i < padded; ++i) {
        made->partner[i] = i < count ? struts.partner[i] : i;
        if (i < count)
            made->strut[i] = {static_cast<float>(struts.rest_length[i]),
                              static_cast<float>(struts.stiffness[i])};
    }
    return made;
}

std::size_t bytes(const Struts& struts) {
    const auto size = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
    return size(struts.partner) + size(struts.rest_length) + size(struts.stiffness);
}

std::size_t bytes(const CpuStruts& struts) {
    const auto size = [](const auto& array) { return array.size() * sizeof(array[0]); };
    return size(struts.strut) + size(struts.partner);
}

}  // namespace turgor
