#pragma once

#include <algorithm>

namespace turgor {

/// How fast parts of a body that may touch close, as its device last found it, and whether that is
/// said of the step to come. Whoever finds it, or changes the body after that, says so here.
///
/// | after        | speed                              | of the step to come |
/// |--------------|------------------------------------|---------------------|
/// | nothing yet  | none close                         | no                  |
/// | looked       | what the device found in a step    | no                  |
/// | looked_ahead | what the device found after a step | yes                 |
/// | outdated     | as it was                          | no                  |
class SelfClosing {
public:
    SelfClosing() = default;
    /// As it was saved.
    SelfClosing(double speed, bool is_ahead) : speed_(speed), is_ahead_(is_ahead) {}

    /// As it was found [m/s]; negative: none close.
    double speed() const { return speed_; }
    bool is_ahead() const { return is_ahead_; }
    /// Of a body that may touch itself in the step to come [m/s]; negative: it will not, since
    /// somebody has looked ahead.
    double expected() const { return is_ahead_ ? speed_ : std::max(0.0, speed_); }

    void looked(double speed) { *this = {speed, false}; }
    void looked_ahead(double speed) { *this = {speed, true}; }
    /// The body was changed, or is about to be, by others than its device.
    void outdated() { is_ahead_ = false; }

private:
    double speed_ = -1;  ///< [m/s]
    bool is_ahead_ = false;
};

}  // namespace turgor
