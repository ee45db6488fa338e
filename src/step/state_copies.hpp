#pragma once

#include "base/assert.hpp"

namespace turgor {

/// Which copies of a body's state are the current one. There are up to three: the mirror in double
/// precision, which the API and the reference form read and write; the CpuBody; and the device's
/// memory. Whoever changes or copies one of them says so here.
///
/// | after            | mirror | cpu | device                |
/// |------------------|--------|-----|-----------------------|
/// | edited           | yes    | no  | as it was             |
/// | loaded, advanced | no     | yes | no                    |
/// | mirrored         | yes    | as it was | as it was       |
/// | uploaded         | as it was | yes | yes                |
/// | device_advanced  | no     | only what is not a particle | yes |
/// | fetched          | no     | yes | yes                   |
class StateCopies {
public:
    bool mirror_is_current() const { return mirror_; }
    bool cpu_is_current() const { return cpu_; }
    bool device_is_current() const { return device_; }
    /// The device has particles of a later step than the CpuBody.
    bool device_is_ahead() const { return ahead_; }

    /// From outside, or by the reference form: the mirror. A device keeps what it has until the
    /// CpuBody is loaded.
    void edited() {
        mirror_ = true;
        cpu_ = false;
        check();
    }
    /// The CpuBody was made of the mirror: what was rounded is the state from now on.
    void loaded() { advanced(); }
    /// By the cpu form.
    void advanced() {
        mirror_ = false;
        cpu_ = true;
        device_ = ahead_ = false;
        check();
    }
    /// The cpu form is about to change the CpuBody.
    void device_is_left() { device_ = false; }
    void mirrored() {
        mirror_ = true;
        check();
    }
    void uploaded() {
        device_ = true;
        ahead_ = false;
        check();
    }
    void device_advanced() {
        mirror_ = false;
        device_ = ahead_ = true;
        check();
    }
    void fetched() {
        ahead_ = false;
        check();
    }

    // What is shown of it.
    enum class Display : unsigned char { old, on_its_way, current };
    Display display = Display::old;

private:
    void check() const {
        TURGOR_ASSERT(mirror_ || cpu_);  // the state is somewhere on the host …
        TURGOR_ASSERT(!ahead_ || (device_ && cpu_ && !mirror_));  // … or on the device alone
    }
    bool mirror_ = true, cpu_ = false, device_ = false, ahead_ = false;
};

}  // namespace turgor
