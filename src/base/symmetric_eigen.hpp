#pragma once

#include "base/mat3.hpp"

namespace turgor {

/// Eigenvalues of a symmetric matrix, in no order, and its eigenvectors, the columns.
struct SymmetricEigen {
    Vec3 values;
    Mat3 vectors;
};
SymmetricEigen symmetric_eigen(Mat3 a);

}  // namespace turgor
