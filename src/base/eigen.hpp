#pragma once

#include "base/mat3.hpp"

namespace turgor {

/// Eigenvalues and eigenvectors (columns of `vectors`) of a positive semi-definite matrix by cyclic
/// Jacobi.
Vec3 eigen_symmetric(Mat3 a, Mat3& vectors);

/// V diag(values) Vᵀ
Mat3 from_eigen(const Mat3& vectors, Vec3 values);

/// Of a positive definite matrix, and of any symmetric one.
Mat3 log_symmetric(const Mat3& a);
Mat3 exp_symmetric(const Mat3& a);

/// √ Σ aᵢⱼ²
double frobenius(const Mat3& a);

}  // namespace turgor
