// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "linear_algebra/matrix.h"

namespace cotree {

/** The eigenvalues of an n by n matrix, row by row, in ascending order of their real, then imaginary part.

States that act on each other in one direction only are taken apart first, and motions that change nothing (a
shaft that turns as a whole) are taken out, so that their eigenvalues are exactly `still`: 0 of a continuous
system, 1 of a sampled one. An eigenvalue counts as `still` where the rounding of the entries could make it
so. */
std::vector<std::complex<double>> Eigenvalues(const std::vector<double>& matrix, size_t n, double still = 0);

/// Scales states by powers of two (Parlett, Reinsch 1969), so that rows and columns are of one size: units
/// differ by many decades. The factors f: entry (i, j) was multiplied by f[j] / f[i].
std::vector<double> Balance(Matrix& a);

/// A direction v with a v = 0 but for the rounding of the entries of a (rows count by their own size); its
/// largest entry is 1, at the place `pivot`. None: a is regular.
struct StillMode {
  std::vector<double> direction;
  size_t pivot;
};
std::optional<StillMode> FindStillMode(const Matrix& a);
/// All of them: each is 1 at its own pivot, and 0 at those of the others.
std::vector<StillMode> FindStillModes(const Matrix& a);

/// The matrix in the coordinates x_j - direction_j x_pivot, without the pivot: all other eigenvalues
/// (NU.13a).
Matrix WithoutMode(const Matrix& a, const StillMode& mode);

/** Eigenvalues with their vectors: A right = right diag(values), left right = 1. */
struct EigenVectors {
  std::vector<std::complex<double>> values;
  std::vector<std::complex<double>> right, left;  // row by row; left is empty: A has too few eigenvectors
};
/// Empty: they were not found.
EigenVectors FindEigenVectors(const Matrix& a);

/// The finite x with det(a - x b) = 0, in no order.
std::vector<std::complex<double>> GeneralizedEigenvalues(const Matrix& a, const Matrix& b);

/// exp(a), by scaling and squaring.
Matrix Exponential(const Matrix& a);

}  // namespace cotree
