// SPDX-License-Identifier: Apache-2.0
#include "program/strip_operations.h"

#include <cmath>

#include "base/machine_clones.h"
#include "program/code.h"

namespace cotree {
namespace strip {

#define COTREE_STRIP(NAME, EXPRESSION)                                                                      \
  COTREE_CLONES void NAME##Vv(const double* __restrict a, const double* __restrict b,                       \
                              double* __restrict out, size_t count) {                                       \
    for (size_t k = 0; k < count; ++k) {                                                                    \
      const double x = a[k], y = b[k];                                                                      \
      out[k] = EXPRESSION;                                                                                  \
    }                                                                                                       \
  }                                                                                                         \
  COTREE_CLONES void NAME##Vs(const double* __restrict a, double y, double* __restrict out, size_t count) { \
    for (size_t k = 0; k < count; ++k) {                                                                    \
      const double x = a[k];                                                                                \
      out[k] = EXPRESSION;                                                                                  \
    }                                                                                                       \
  }                                                                                                         \
  COTREE_CLONES void NAME##Sv(double x, const double* __restrict b, double* __restrict out, size_t count) { \
    for (size_t k = 0; k < count; ++k) {                                                                    \
      const double y = b[k];                                                                                \
      out[k] = EXPRESSION;                                                                                  \
    }                                                                                                       \
  }

COTREE_STRIP(Add, x + y)
COTREE_STRIP(Multiply, x* y)
COTREE_STRIP(Divide, x / y)
COTREE_STRIP(Min, x < y || x != x ? x : y)
COTREE_STRIP(Max, x < y || y != y ? y : x)
COTREE_STRIP(Less, x < y ? 1.0 : 0.0)
COTREE_STRIP(LessEqual, x <= y ? 1.0 : 0.0)

COTREE_CLONES void SquareRoot(const double* __restrict a, double* __restrict out, size_t count) {
  for (size_t k = 0; k < count; ++k) out[k] = __builtin_sqrt(a[k]);
}
COTREE_CLONES void Absolute(const double* __restrict a, double* __restrict out, size_t count) {
  for (size_t k = 0; k < count; ++k) out[k] = __builtin_fabs(a[k]);
}
COTREE_CLONES void Select(const double* __restrict c, const double* __restrict a, const double* __restrict b,
                          double* __restrict out, size_t count) {
  for (size_t k = 0; k < count; ++k) out[k] = c[k] != 0 ? a[k] : b[k];
}
COTREE_CLONES void Gather(const double* __restrict from, const uint32_t* __restrict places,
                          double* __restrict out, size_t count) {
  for (size_t k = 0; k < count; ++k) out[k] = from[places[k]];
}

}  // namespace strip

void StripBinary(Op op, const double* a, bool a_many, const double* b, bool b_many, double* out,
                 size_t count) {
#define COTREE_DISPATCH(OP, NAME)         \
  case Op::OP:                            \
    if (!a_many)                          \
      strip::NAME##Sv(*a, b, out, count); \
    else if (!b_many)                     \
      strip::NAME##Vs(a, *b, out, count); \
    else                                  \
      strip::NAME##Vv(a, b, out, count);  \
    return;
  switch (op) {
    COTREE_DISPATCH(kAdd, Add)
    COTREE_DISPATCH(kMultiply, Multiply)
    COTREE_DISPATCH(kDivide, Divide)
    COTREE_DISPATCH(kMin, Min)
    COTREE_DISPATCH(kMax, Max)
    COTREE_DISPATCH(kLess, Less)
    COTREE_DISPATCH(kLessEqual, LessEqual)
    default:
      for (size_t k = 0; k < count; ++k) out[k] = ApplyBinary(op, a[a_many ? k : 0], b[b_many ? k : 0]);
  }
#undef COTREE_DISPATCH
}

void StripUnary(Op op, const double* a, double* out, size_t count) {
  switch (op) {
    case Op::kSqrt:
      strip::SquareRoot(a, out, count);
      return;
    case Op::kAbs:
      strip::Absolute(a, out, count);
      return;
    default:
      for (size_t k = 0; k < count; ++k) out[k] = ApplyUnary(op, a[k]);
  }
}

void StripSelect(const double* condition, bool c_many, const double* a, bool a_many, const double* b,
                 bool b_many, double* out, size_t count) {
  if (c_many && a_many && b_many) {
    strip::Select(condition, a, b, out, count);
    return;
  }
  for (size_t k = 0; k < count; ++k)
    out[k] = condition[c_many ? k : 0] != 0 ? a[a_many ? k : 0] : b[b_many ? k : 0];
}

void StripGather(const double* from, const uint32_t* places, double* out, size_t count) {
  strip::Gather(from, places, out, count);
}

void StripScatter(const double* from, const uint32_t* places, double* out, size_t count) {
  for (size_t k = 0; k < count; ++k) out[places[k]] = from[k];
}

}  // namespace cotree
