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

/// Even where there is no memory for the sentence, the code arrives.
inline void report(Status& status, ErrorCode code, const char* sentence) noexcept {
    status.code = code;
    try {
        status.message = sentence;
    } catch (...) {
        status.message.clear();
    }
}

/// Runs `body`, turns whatever it throws into `status` and returns `fallback` then.
template <class Body, class Result = decltype(std::declval<Body>()())>
Result guarded(Status& status, Body&& body, Result fallback = {}) noexcept {
    status = {};
    try {
        return body();
    } catch (const Error& e) {
        report(status, e.code(), e.what());
    } catch (const std::bad_alloc&) {
        report(status, ErrorCode::out_of_memory, "out of memory");
    } catch (const std::exception& e) {
        report(status, ErrorCode::failed, e.what());
    } catch (...) {
        report(status, ErrorCode::failed, "unknown error");
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
