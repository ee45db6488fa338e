#pragma once

#include <cstdint>
#include <type_traits>

#include "turgor/scheduler.hpp"

namespace turgor {

/// Calls work(i) for every i below `count`: on the threads given, or one after the other.
template <class Work>
void for_each(Scheduler* threads, std::uint32_t count, Work&& work) {
    if (!threads || count < 2) {
        for (std::uint32_t i = 0; i < count; ++i) work(i);
        return;
    }
    threads->run(
        count,
        [](void* context, std::uint32_t i) {
            (*static_cast<std::remove_reference_t<Work>*>(context))(i);
        },
        &work);
}

}  // namespace turgor
