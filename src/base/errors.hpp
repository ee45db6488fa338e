#pragma once

#include <fmt/format.h>

#include <utility>

#include "turgor/error.hpp"

namespace turgor {

/// throws Error(code, formatted sentence)
template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
    throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

/// Runs `body`, turns whatever it throws into `status` and returns `fallback` then.
template <class Body, class Result = decltype(std::declval<Body>()())>
Result guarded(Status& status, Body&& body, Result fallback = {}) noexcept {
    status = {};
    try {
        return body();
    } catch (const Error& e) {
        status = {e.code(), e.what()};
    } catch (const std::bad_alloc&) {
        status.code = ErrorCode::out_of_memory;
        status.message = "out of memory";  // short enough to need none
    } catch (const std::exception& e) {
        status = {ErrorCode::failed, e.what()};
    }
    return fallback;
}

/// `guarded` where there is a status; without one, errors go on up as exceptions.
template <class Body, class Result>
Result reporting_to(Status* status, Body&& body, Result fallback) {
    return status ? guarded(*status, body, std::move(fallback)) : body();
}
template <class Body>
void reporting_to(Status* status, Body&& body) {
    reporting_to(
        status,
        [&] {
            body();
            return 0;
        },
        0);
}

}  // namespace turgor
