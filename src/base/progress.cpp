#include "base/progress.hpp"

#include <utility>

namespace turgor {
namespace {

thread_local ProgressScope* listening = nullptr;

}  // namespace

ProgressScope::ProgressScope(Listener listener)
    : listener_(std::move(listener)), outer_(std::exchange(listening, this)) {}

ProgressScope::~ProgressScope() {
    listening = outer_;
}

void tell_progress(std::string_view what, std::size_t done, std::size_t of) {
    if (listening) listening->listener_(what, done, of);
}

}  // namespace turgor
