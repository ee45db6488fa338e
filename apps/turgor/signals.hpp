#pragma once

namespace turgor {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP only leaves a note; the second ends the
/// program as usual.
class SignalWatch {
public:
    SignalWatch();
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// The signal that came, or 0.
    static int received();
};

}  // namespace turgor
