// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace cotree {

/* What integrators do with whole vectors of states, each in one pass through memory, compiled for the vectors
of each kind of machine; never contracted and always summed in the same order, so that the bits are the same
on all. */

/// out = y + sum of c[j] * k[j], for 1 <= count <= 6.
void Combine(double* out, const double* y, const double* const* k, const double* c, int count, size_t n);

/// The mean square of e / (unit * max(|y|, |z|, floor)), where e = sum of c[j] * k[j] (count 6).
double CombinedError(const double* const* k, const double* c, const double* y, const double* z,
                     const double* floor, double unit, size_t n);
/// The same in two passes, with the same bits: the terms, which may be found in any order, and their mean
/// square.
void CombinedErrorTerms(double* out, const double* const* k, const double* c, const double* y,
                        const double* z, const double* floor, double unit, size_t n);
double MeanSquare(const double* x, size_t n);

/// The mean square of x / (unit * max(|y|, floor)).
double MeanSquare(const double* x, const double* y, const double* floor, double unit, size_t n);

/// The mean square of (a - b) / (unit * max(|y|, floor)).
double MeanSquareOfDifference(const double* a, const double* b, const double* y, const double* floor,
                              double unit, size_t n);

/// largest = max(largest, |y|), floor = max(floor, part * largest).
void RememberLargest(double* largest, double* floor, const double* y, double part, size_t n);

/// Whether all are finite.
bool AllFinite(const double* x, size_t n);

/// out = c * f - p - d: the residual of a backward difference.
void Residual(double* out, const double* f, double c, const double* p, const double* d, size_t n);
/// y += s * x, d += s * x.
void AddToBoth(double* y, double* d, const double* x, double s, size_t n);

/// y = d[0] + ... + d[q], p = sum of g[j] * d[j], 1 <= j <= q <= 5: what backward differences predict.
void Predict(double* y, double* p, const double* const* d, const double* g, int q, size_t n);
/// The differences after a step with the correction e: d[q + 2] = e - d[q + 1], d[q + 1] = e, then d[i] +=
/// d[i + 1] for i = q ... 0.
void Advance(double* const* d, const double* e, int q, size_t n);
/// d[i] = sum of m[i * (q + 1) + j] * d[j], 0 <= i, j <= q <= 5.
void Transform(double* const* d, const double* m, int q, size_t n);

}  // namespace cotree
