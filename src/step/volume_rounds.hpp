#pragma once

#include "device/shared/constants.h"

namespace turgor {

/// The plan of stage 4, the same for every form: the volume is corrected; the correction may push
/// particles into a collider that they did not touch, so those join the contacts and everything
/// that is inside is pushed out; then what that changed of the volume is corrected in turn.
///
/// A form has correct(), which returns how far it moved any particle [m]; find_more_contacts(far);
/// and push_out(), which is false where nothing had to be pushed by more than its precision.
template <class Form>
void correct_in_rounds(Form& form, double margin) {
    for (int round = 1;; ++round) {
        const double farthest = form.correct();
        if (round == TURGOR_VOLUME_ROUNDS) return;
        if (farthest > 0.5 * margin) form.find_more_contacts(farthest);
        if (!form.push_out()) return;
    }
}

}  // namespace turgor
