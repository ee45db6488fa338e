#pragma once

#include <stdexcept>
#include <string>

namespace turgor {

/// What kind of thing went wrong; the numbers are stable.
enum class ErrorCode {
    none = 0,
    bad_argument = 1,  ///< a value outside its range, an unknown name
    bad_file = 2,      ///< a file that cannot be understood
    bad_mesh = 3,      ///< a mesh that cannot be simulated: not closed, no volume, …
    bad_scene = 4,     ///< a scene file that does not say what it must
    io = 5,            ///< a file that cannot be opened, read or written
    bad_snapshot = 6,  ///< bytes that are no snapshot of this version
    failed = 7,        ///< the simulation itself failed
    missing = 8,       ///< a part that this build or this machine lacks
    out_of_memory = 9,
};

/// Thrown by every function of Turgor that can fail. `what()` is one sentence: what, where, what to
/// do.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& sentence)
        : std::runtime_error(sentence), code_(code) {}
    ErrorCode code() const noexcept { return code_; }

private:
    ErrorCode code_;
};

/// The same for callers without exceptions: a function that can fail for what it is given takes a
/// `Status*` last; given one, it never throws and leaves the code and the sentence here. Without
/// one are constructors, the makers of shapes (see their ranges) and what a removed body is asked
/// for.
struct Status {
    ErrorCode code = ErrorCode::none;
    std::string message;
    bool ok() const noexcept { return code == ErrorCode::none; }
    explicit operator bool() const noexcept { return ok(); }
};

}  // namespace turgor
