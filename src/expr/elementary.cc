// SPDX-License-Identifier: Apache-2.0
#include "expr/elementary.h"

#include <sleef.h>

#include <cmath>

namespace cotree {

double UnaryValue(Op op, double x) {
  switch (op) {
    case Op::kSin:
      return Sleef_cinz_sind1_u10purec(x);
    case Op::kCos:
      return Sleef_cinz_cosd1_u10purec(x);
    case Op::kTan:
      return Sleef_cinz_tand1_u10purec(x);
    case Op::kAsin:
      return Sleef_cinz_asind1_u10purec(x);
    case Op::kAcos:
      return Sleef_cinz_acosd1_u10purec(x);
    case Op::kAtan:
      return Sleef_cinz_atand1_u10purec(x);
    case Op::kSinh:
      return Sleef_cinz_sinhd1_u10purec(x);
    case Op::kCosh:
      return Sleef_cinz_coshd1_u10purec(x);
    case Op::kTanh:
      return Sleef_cinz_tanhd1_u10purec(x);
    case Op::kExp:
      return Sleef_cinz_expd1_u10purec(x);
    case Op::kLog:
      return Sleef_cinz_logd1_u10purec(x);
    case Op::kLog10:
      return Sleef_cinz_log10d1_u10purec(x);
    case Op::kSqrt:
      return std::sqrt(x);
    case Op::kAbs:
      return std::fabs(x);
    case Op::kSign:
      return x > 0 ? 1 : x < 0 ? -1 : x;
    case Op::kFloor:
      return std::floor(x);
    default:
      return std::ceil(x);
  }
}

double UnarySlope(Op op, double x) {
  switch (op) {
    case Op::kSin:
      return Sleef_cinz_cosd1_u10purec(x);
    case Op::kCos:
      return -Sleef_cinz_sind1_u10purec(x);
    case Op::kTan:
      return 1 + Sleef_cinz_tand1_u10purec(x) * Sleef_cinz_tand1_u10purec(x);
    case Op::kAsin:
      return 1 / std::sqrt(1 - x * x);
    case Op::kAcos:
      return -1 / std::sqrt(1 - x * x);
    case Op::kAtan:
      return 1 / (1 + x * x);
    case Op::kSinh:
      return Sleef_cinz_coshd1_u10purec(x);
    case Op::kCosh:
      return Sleef_cinz_sinhd1_u10purec(x);
    case Op::kTanh:
      return 1 - Sleef_cinz_tanhd1_u10purec(x) * Sleef_cinz_tanhd1_u10purec(x);
    case Op::kExp:
      return Sleef_cinz_expd1_u10purec(x);
    case Op::kLog:
      return 1 / x;
    case Op::kLog10:
      return 1 / (x * Sleef_cinz_logd1_u10purec(10.0));
    case Op::kSqrt:
      return 1 / (2 * std::sqrt(x));
    case Op::kAbs:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    default:
      return 0;
  }
}

double BinaryValue(Op op, double a, double b) {
  switch (op) {
    case Op::kPower:
      return Sleef_cinz_powd1_u10purec(a, b);
    case Op::kAtan2:
      return Sleef_cinz_atan2d1_u10purec(a, b);
    case Op::kMin:
      return a < b || a != a ? a : b;  // what is not a number is never hidden
    case Op::kMax:
      return a < b || b != b ? b : a;
    case Op::kMod:
      return a - b * std::floor(a / b);
    case Op::kLess:
      return a < b;
    case Op::kLessEqual:
      return a <= b;
    case Op::kEqual:
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace cotree
