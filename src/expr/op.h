// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace cotree {

/** What a node of an expression does with its operands. The order of the enumerators is part of the
structural order of expressions (ExprPool::Compare), so append, do not insert. */
enum class Op : uint8_t {
  kNumber,    // a finite double (or an infinity a user wrote)
  kBoolean,   // true or false; 1 or 0 where a number is asked for
  kSymbol,    // payload SymbolId
  kTime,      // the independent variable
  kAdd,       // n >= 2: [numbers...], terms
  kMultiply,  // n >= 2: [coefficient], factors
  kDivide,    // numerator, denominator
  kPower,     // base, exponent
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kExp,
  kLog,
  kLog10,
  kSqrt,
  kAbs,
  kSign,  // -1, 0, 1
  kFloor,
  kCeil,
  kAtan2,  // y, x
  kMin,
  kMax,
  kMod,  // a - b*floor(a/b)
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kAnd,  // n >= 2
  kOr,   // n >= 2
  kNot,
  kIf,       // condition, value if true, value if false
  kElement,  // array, index, index...; indices count from 1
  kSumOver,  // payload SymbolId of the loop variable; from, to, body
  kArray,    // n >= 1 elements (arrays themselves for more than one dimension)
  kCall,     // payload FunctionId; arguments
};

inline constexpr int kOpCount = static_cast<int>(Op::kCall) + 1;

/// The name of the operation in text: "sin", "atan2", "+", "and", "if".
std::string_view OpName(Op op);

constexpr bool IsUnaryFunction(Op op) {
  return op >= Op::kSin && op <= Op::kCeil;
}
constexpr bool IsBinaryFunction(Op op) {
  return op >= Op::kAtan2 && op <= Op::kMod;
}
constexpr bool IsRelation(Op op) {
  return op >= Op::kLess && op <= Op::kNotEqual;
}
/// The value is true or false.
constexpr bool IsLogical(Op op) {
  return op == Op::kBoolean || (op >= Op::kLess && op <= Op::kNot);
}
/// f(-x) = -f(x)
constexpr bool IsOddFunction(Op op) {
  return op == Op::kSin || op == Op::kTan || op == Op::kAsin || op == Op::kAtan || op == Op::kSinh ||
         op == Op::kTanh || op == Op::kSign;
}
/// f(-x) = f(x)
constexpr bool IsEvenFunction(Op op) {
  return op == Op::kCos || op == Op::kCosh || op == Op::kAbs;
}

}  // namespace cotree
