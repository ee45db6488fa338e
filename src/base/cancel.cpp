#include "base/cancel.hpp"

#include <utility>

namespace turgor {
namespace {

thread_local const std::atomic<bool>* cancel_wanted = nullptr;

}  // namespace

CancelScope::CancelScope(const std::atomic<bool>* wanted)
    : outer_(std::exchange(cancel_wanted, wanted)) {}

CancelScope::~CancelScope() {
    cancel_wanted = outer_;
}

const std::atomic<bool>* cancel_wanted_here() {
    return cancel_wanted;
}

void check_cancelled() {
    if (cancel_wanted && cancel_wanted->load(std::memory_order_relaxed)) throw Cancelled();
}

}  // namespace turgor
