// SPDX-License-Identifier: Apache-2.0
#include "simulation/vector_operations.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/machine_clones.h"

namespace cotree {
namespace vector_operations {

#define COTREE_COMBINE(COUNT, EXPRESSION)                                                                                                                                                                                                                      \
  COTREE_CLONES void Combine##COUNT(double* __restrict out, const double* __restrict y,                                                                                                                                                                        \
                                    const double* const* k, const double* c, size_t n) {                                                                                                                                                                       \
    const double c0 = c[0], c1 = COUNT > 1 ? c[1] : 0, c2 = COUNT > 2 ? c[2] : 0, c3 = COUNT > 3 ? c[3] : 0,                                                                                                                                                   \
                 c4 = COUNT > 4 ? c[4] : 0, c5 = COUNT > 5 ? c[5] : 0;                                                                                                                                                                                         \
    const double* __restrict k0 = k[0], * __restrict k1 = COUNT > 1 ? k[1] : k[0], * __restrict k2 = COUNT > 2 ? k[2] : k[0], * __restrict k3 = COUNT > 3 ? k[3] : k[0], * __restrict k4 = COUNT > 4 ? k[4] : k[0], * __restrict k5 = COUNT > 5 ? k[5] : k[0]; \
    (void)c1, (void)c2, (void)c3, (void)c4, (void)c5, (void)k1, (void)k2, (void)k3, (void)k4, (void)k5;                                                                                                                                                        \
    for (size_t i = 0; i < n; ++i) out[i] = y[i] + (EXPRESSION);                                                                                                                                                                                               \
  }

COTREE_COMBINE(1, c0* k0[i])
COTREE_COMBINE(2, c0* k0[i] + c1 * k1[i])
COTREE_COMBINE(3, c0* k0[i] + c1 * k1[i] + c2 * k2[i])
COTREE_COMBINE(4, c0* k0[i] + c1 * k1[i] + c2 * k2[i] + c3 * k3[i])
COTREE_COMBINE(5, c0* k0[i] + c1 * k1[i] + c2 * k2[i] + c3 * k3[i] + c4 * k4[i])
COTREE_COMBINE(6, c0* k0[i] + c1 * k1[i] + c2 * k2[i] + c3 * k3[i] + c4 * k4[i] + c5 * k5[i])

// Sums go into eight parts, whatever the width of the machine: the order of additions is always the same.
constexpr size_t kParts = 8;
inline double Total(const double* part) {
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}
inline double Larger(double a, double b) {
  return a < b ? b : a;
}

template <class F>
[[gnu::always_inline]] inline double SumOfSquares(size_t n, const F& term) {
  double part[kParts] = {};
  size_t i = 0;
  for (; i + kParts <= n; i += kParts) {
    for (size_t j = 0; j < kParts; ++j) {
      const double x = term(i + j);
      part[j] += x * x;
    }
  }
  for (size_t j = 0; i < n; ++i, ++j) {
    const double x = term(i);
    part[j] += x * x;
  }
  return Total(part);
}

[[gnu::always_inline]] inline auto ErrorTerm(const double* const* k, const double* c, const double* y,
                                             const double* z, const double* floor, double unit) {
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5];
  const double *k0 = k[0], *k1 = k[1], *k2 = k[2], *k3 = k[3], *k4 = k[4], *k5 = k[5];
  return [=](size_t i) __attribute__((always_inline)) {
    const double e = c0 * k0[i] + c1 * k1[i] + c2 * k2[i] + c3 * k3[i] + c4 * k4[i] + c5 * k5[i];
    return e / (unit * Larger(Larger(__builtin_fabs(y[i]), __builtin_fabs(z[i])), floor[i]));
  };
}

COTREE_CLONES double CombinedError(const double* const* k, const double* c, const double* __restrict y,
                                   const double* __restrict z, const double* __restrict floor, double unit,
                                   size_t n) {
  return SumOfSquares(n, ErrorTerm(k, c, y, z, floor, unit));
}

COTREE_CLONES void CombinedErrorTerms(double* __restrict out, const double* const* k, const double* c,
                                      const double* __restrict y, const double* __restrict z,
                                      const double* __restrict floor, double unit, size_t n) {
  const auto term = ErrorTerm(k, c, y, z, floor, unit);
  for (size_t i = 0; i < n; ++i) out[i] = term(i);
}

COTREE_CLONES double MeanSquareOfAll(const double* __restrict x, size_t n) {
  return SumOfSquares(n, [=](size_t i) { return x[i]; });
}

COTREE_CLONES double MeanSquare(const double* __restrict x, const double* __restrict y,
                                const double* __restrict floor, double unit, size_t n) {
  return SumOfSquares(n, [=](size_t i) { return x[i] / (unit * Larger(__builtin_fabs(y[i]), floor[i])); });
}

COTREE_CLONES double MeanSquareOfDifference(const double* __restrict a, const double* __restrict b,
                                            const double* __restrict y, const double* __restrict floor,
                                            double unit, size_t n) {
  return SumOfSquares(
      n, [=](size_t i) { return (a[i] - b[i]) / (unit * Larger(__builtin_fabs(y[i]), floor[i])); });
}

COTREE_CLONES void RememberLargest(double* __restrict largest, double* __restrict floor,
                                   const double* __restrict y, double part, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const double size = Larger(largest[i], __builtin_fabs(y[i]));
    largest[i] = size;
    floor[i] = Larger(floor[i], part * size);
  }
}

COTREE_CLONES bool AllFinite(const double* __restrict x, size_t n) {
  uint64_t bad = 0;
  for (size_t i = 0; i < n; ++i)
    bad |= static_cast<uint64_t>(!(__builtin_fabs(x[i]) <= 1.7976931348623157e308));
  return bad == 0;
}

COTREE_CLONES void Residual(double* __restrict out, const double* __restrict f, double c,
                            const double* __restrict p, const double* __restrict d, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = c * f[i] - p[i] - d[i];
}

COTREE_CLONES void AddToBoth(double* __restrict y, double* __restrict d, const double* __restrict x, double s,
                             size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const double step = s * x[i];
    y[i] += step;
    d[i] += step;
  }
}

#define COTREE_PREDICT(Q, SUM, WEIGHTED)                                                                                                                                                                        \
  COTREE_CLONES void Predict##Q(double* __restrict y, double* __restrict p, const double* const* d,                                                                                                             \
                                const double* g, size_t n) {                                                                                                                                                    \
    const double* __restrict d0 = d[0], * __restrict d1 = d[1], * __restrict d2 = d[Q > 1 ? 2 : 1], * __restrict d3 = d[Q > 2 ? 3 : 1], * __restrict d4 = d[Q > 3 ? 4 : 1], * __restrict d5 = d[Q > 4 ? 5 : 1]; \
    const double g1 = g[1], g2 = g[Q > 1 ? 2 : 1], g3 = g[Q > 2 ? 3 : 1], g4 = g[Q > 3 ? 4 : 1],                                                                                                                \
                 g5 = g[Q > 4 ? 5 : 1];                                                                                                                                                                         \
    (void)d2, (void)d3, (void)d4, (void)d5, (void)g2, (void)g3, (void)g4, (void)g5;                                                                                                                             \
    for (size_t i = 0; i < n; ++i) {                                                                                                                                                                            \
      y[i] = SUM;                                                                                                                                                                                               \
      p[i] = WEIGHTED;                                                                                                                                                                                          \
    }                                                                                                                                                                                                           \
  }
COTREE_PREDICT(1, d0[i] + d1[i], g1* d1[i])
COTREE_PREDICT(2, d0[i] + d1[i] + d2[i], g1* d1[i] + g2 * d2[i])
COTREE_PREDICT(3, d0[i] + d1[i] + d2[i] + d3[i], g1* d1[i] + g2 * d2[i] + g3 * d3[i])
COTREE_PREDICT(4, d0[i] + d1[i] + d2[i] + d3[i] + d4[i], g1* d1[i] + g2 * d2[i] + g3 * d3[i] + g4 * d4[i])
COTREE_PREDICT(5, d0[i] + d1[i] + d2[i] + d3[i] + d4[i] + d5[i],
               g1* d1[i] + g2 * d2[i] + g3 * d3[i] + g4 * d4[i] + g5 * d5[i])

constexpr size_t kStrip = 512;

COTREE_CLONES void Advance(double* const* d, const double* __restrict e, int q, size_t n) {
  for (size_t first = 0; first < n; first += kStrip) {
    const size_t end = first + kStrip < n ? first + kStrip : n;
    double* __restrict high = d[q + 2];
    double* __restrict next = d[q + 1];
    for (size_t i = first; i < end; ++i) {
      high[i] = e[i] - next[i];
      next[i] = e[i];
    }
    for (int j = q; j >= 0; --j) {
      double* __restrict low = d[j];
      const double* __restrict above = d[j + 1];
      for (size_t i = first; i < end; ++i) low[i] += above[i];
    }
  }
}

COTREE_CLONES void Transform(double* const* d, const double* m, int q, size_t n) {
  double copy[6][kStrip];
  for (size_t first = 0; first < n; first += kStrip) {
    const size_t count = first + kStrip < n ? kStrip : n - first;
    for (int j = 0; j <= q; ++j) memcpy(copy[j], d[j] + first, count * sizeof(double));
    for (int r = 0; r <= q; ++r) {
      double* __restrict out = d[r] + first;
      const double* __restrict row = m + r * (q + 1);
      for (size_t i = 0; i < count; ++i) out[i] = row[0] * copy[0][i];
      for (int j = 1; j <= q; ++j) {
        const double x = row[j];
        if (x == 0) continue;
        for (size_t i = 0; i < count; ++i) out[i] += x * copy[j][i];
      }
    }
  }
}

}  // namespace vector_operations

namespace v = vector_operations;

void Combine(double* out, const double* y, const double* const* k, const double* c, int count, size_t n) {
  constexpr void (*kOf[])(double*, const double*, const double* const*, const double*, size_t) = {
      v::Combine1, v::Combine2, v::Combine3, v::Combine4, v::Combine5, v::Combine6};
  kOf[count - 1](out, y, k, c, n);
}
double CombinedError(const double* const* k, const double* c, const double* y, const double* z,
                     const double* floor, double unit, size_t n) {
  return n == 0 ? 0 : v::CombinedError(k, c, y, z, floor, unit, n) / static_cast<double>(n);
}
void CombinedErrorTerms(double* out, const double* const* k, const double* c, const double* y,
                        const double* z, const double* floor, double unit, size_t n) {
  v::CombinedErrorTerms(out, k, c, y, z, floor, unit, n);
}
double MeanSquare(const double* x, size_t n) {
  return n == 0 ? 0 : v::MeanSquareOfAll(x, n) / static_cast<double>(n);
}
double MeanSquare(const double* x, const double* y, const double* floor, double unit, size_t n) {
  return n == 0 ? 0 : v::MeanSquare(x, y, floor, unit, n) / static_cast<double>(n);
}
double MeanSquareOfDifference(const double* a, const double* b, const double* y, const double* floor,
                              double unit, size_t n) {
  return n == 0 ? 0 : v::MeanSquareOfDifference(a, b, y, floor, unit, n) / static_cast<double>(n);
}
void RememberLargest(double* largest, double* floor, const double* y, double part, size_t n) {
  v::RememberLargest(largest, floor, y, part, n);
}
bool AllFinite(const double* x, size_t n) {
  return v::AllFinite(x, n);
}
void Residual(double* out, const double* f, double c, const double* p, const double* d, size_t n) {
  v::Residual(out, f, c, p, d, n);
}
void AddToBoth(double* y, double* d, const double* x, double s, size_t n) {
  v::AddToBoth(y, d, x, s, n);
}
void Predict(double* y, double* p, const double* const* d, const double* g, int q, size_t n) {
  constexpr void (*kOf[])(double*, double*, const double* const*, const double*, size_t) = {
      v::Predict1, v::Predict2, v::Predict3, v::Predict4, v::Predict5};
  kOf[q - 1](y, p, d, g, n);
}
void Advance(double* const* d, const double* e, int q, size_t n) {
  v::Advance(d, e, q, n);
}
void Transform(double* const* d, const double* m, int q, size_t n) {
  v::Transform(d, m, q, n);
}

}  // namespace cotree
