#include "base/symmetric_eigen.hpp"

#include <cmath>

namespace turgor {

/// Cyclic Jacobi.
SymmetricEigen symmetric_eigen(Mat3 a) {
    Mat3 v = Mat3::identity();
    for (int sweep = 0; sweep < 20; ++sweep) {
        if (std::abs(a.m[0][1]) + std::abs(a.m[0][2]) + std::abs(a.m[1][2]) <
            1e-16 * std::abs(trace(a)))
            break;
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (a.m[p][q] == 0) continue;
                const double theta = (a.m[q][q] - a.m[p][p]) / (2 * a.m[p][q]);
                const double t =
                    (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                Mat3 j = Mat3::identity();
                j.m[p][p] = j.m[q][q] = c;
                j.m[p][q] = s;
                j.m[q][p] = -s;
                a = transpose(j) * a * j;
                v = v * j;
            }
    }
    return {{a.m[0][0], a.m[1][1], a.m[2][2]}, v};
}

}  // namespace turgor
