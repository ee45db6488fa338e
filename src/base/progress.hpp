#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

/// How far work is that takes long.
namespace turgor {

/// While it lives, long work in this thread tells it what is being done and how much of that is.
class ProgressScope {
public:
    using Listener = std::function<void(std::string_view what, std::size_t done, std::size_t of)>;

    explicit ProgressScope(Listener listener);
    ~ProgressScope();
    ProgressScope(const ProgressScope&) = delete;
    ProgressScope& operator=(const ProgressScope&) = delete;

private:
    friend void tell_progress(std::string_view what, std::size_t done, std::size_t of);
    Listener listener_;
    ProgressScope* outer_;
};

void tell_progress(std::string_view what, std::size_t done, std::size_t of);

}  // namespace turgor
