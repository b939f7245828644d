// SPDX-License-Identifier: Apache-2.0
#include "expr/print_c.h"

#include <cmath>

#include "expr/builtins.h"

namespace cotree {

namespace {

bool IsIdentifierCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Letters and digits stay; . is _p_, _ is __, everything else its code: no two names become one.
std::string Mangle(std::string_view name) {
  std::string text;
  for (char c : name) {
    if (IsIdentifierCharacter(c)) {
      text += c;
    } else if (c == '_') {
      text += "__";
    } else if (c == '.') {
      text += "_p_";
    } else {
      text += "_x" + std::to_string(static_cast<unsigned char>(c)) + "_";
    }
  }
  return text;
}

std::string FormatC(double value) {
  if (std::isinf(value)) return value < 0 ? "(-INFINITY)" : "INFINITY";
  std::string text = FormatNumber(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

enum Binding { kLoose, kSum, kTerm, kPrimary };

class CPrinter : public PrintLoop {
 public:
  CPrinter(const ExprPool& pool, ExprId root, const PrintCOptions& options)
      : PrintLoop(pool, root, PrintOptions{.limit = SIZE_MAX}), c_options_(options) {}

  bool failed() const { return failed_; }

 private:
  std::string Name(SymbolId symbol) const {
    return c_options_.name ? c_options_.name(symbol) : MangleSymbol(pool_, symbol);
  }

  void PutCall(std::string_view name, std::span<const ExprId> arguments) {
    Put(std::string(name) + "(");
    PutList(arguments, ", ", kLoose);
    Put(")");
  }

  void Wrapped(ExprId id, std::string_view separator) {
    Put("((double)(");
    PutList(pool_.operands(id), separator, kPrimary);
    Put("))");
  }

  void Expand(ExprId id, int context, bool) override {
    const Op op = pool_.op(id);
    const int binding = op == Op::kAdd ? kSum : op == Op::kMultiply || op == Op::kDivide ? kTerm : kPrimary;
    if (binding < context) Put("(");
    PutNode(id, op);
    if (binding < context) Put(")");
  }

  void PutNode(ExprId id, Op op) {
    const auto operands = pool_.operands(id);
    switch (op) {
      case Op::kNumber:
        return Put(FormatC(pool_.NumberValue(id)));
      case Op::kBoolean:
        return Put(pool_.BooleanValue(id) ? "1.0" : "0.0");
      case Op::kSymbol:
        return Put(Name(pool_.SymbolOf(id)));
      case Op::kTime:
        return Put("time");
      case Op::kAdd:
        // C adds from the left; a nested sum keeps its parentheses, also in the first place, to show the
        // order.
        return PutList(operands, " + ", kTerm);
      case Op::kMultiply:
        return PutList(operands, "*", kPrimary);
      case Op::kDivide:
        Put(operands[0], kTerm);
        Put("/");
        return Put(operands[1], kPrimary);
      case Op::kPower:
        if (const auto n = pool_.AsInteger(operands[1])) {
          Put("cotree_power(");
          Put(operands[0], kLoose);
          return Put(", " + std::to_string(*n) + ")");
        }
        return PutCall("pow", operands);
      case Op::kLess:
        return Wrapped(id, " < ");
      case Op::kLessEqual:
        return Wrapped(id, " <= ");
      case Op::kEqual:
        return Wrapped(id, " == ");
      case Op::kNotEqual:
        return Wrapped(id, " != ");
      case Op::kAnd:
        return PutLogic(operands, " && ");
      case Op::kOr:
        return PutLogic(operands, " || ");
      case Op::kNot:
        Put("((double)(");
        Put(operands[0], kPrimary);
        return Put(" == 0.0))");
      case Op::kIf:
        Put("(");
        Put(operands[0], kPrimary);
        Put(" != 0.0 ? ");
        Put(operands[1], kLoose);
        Put(" : ");
        Put(operands[2], kLoose);
        return Put(")");
      case Op::kElement:
        return PutElement(operands);
      case Op::kArray:
      case Op::kSumOver:
        failed_ = true;
        return;
      case Op::kCall: {
        const FunctionId function = pool_.FunctionOf(id);
        const Builtin builtin = FindBuiltin(pool_.FunctionName(function));
        if ((builtin == Builtin::kNoEvent || builtin == Builtin::kSmooth) && !operands.empty())
          return Put(operands.back(), kPrimary);
        std::string name = Mangle(pool_.FunctionName(function));
        for (uint32_t order : pool_.function(function).orders) name += "_d" + std::to_string(order);
        return PutCall(name, operands);
      }
      default:
        return PutCall(FunctionName(op), operands);
    }
  }

  static std::string_view FunctionName(Op op) {
    switch (op) {
      case Op::kAbs:
        return "fabs";
      case Op::kSign:
        return "cotree_sign";
      case Op::kMin:
        return "cotree_min";
      case Op::kMax:
        return "cotree_max";
      case Op::kMod:
        return "cotree_mod";
      default:
        return OpName(op);
    }
  }

  void PutLogic(std::span<const ExprId> operands, std::string_view separator) {
    Put("((double)(");
    for (size_t k = 0; k < operands.size(); ++k) {
      if (k > 0) Put(separator);
      Put(operands[k], kPrimary);
      Put(" != 0.0");
    }
    Put("))");
  }

  void PutElement(std::span<const ExprId> operands) {
    if (!pool_.IsSymbol(operands[0])) {
      failed_ = true;
      return;
    }
    Put(Name(pool_.SymbolOf(operands[0])));
    for (ExprId index : operands.subspan(1)) {
      Put("[(int)(");
      Put(index, kLoose);
      Put(") - 1]");
    }
  }

  const PrintCOptions& c_options_;
  bool failed_ = false;
};

}  // namespace

std::string MangleSymbol(const ExprPool& pool, SymbolId symbol) {
  const SymbolInfo& info = pool.symbol(symbol);
  const std::string name = Mangle(pool.SymbolName(symbol));
  return info.order == 0 ? "v_" + name : "der" + std::to_string(info.order) + "_" + name;
}

std::optional<std::string> PrintC(const ExprPool& pool, ExprId expr, const PrintCOptions& options) {
  CPrinter printer(pool, expr, options);
  std::string text = printer.Run(expr);
  if (printer.failed()) return std::nullopt;
  return text;
}

std::string CPrelude() {
  return R"(#include <math.h>
static inline double cotree_power(double x, long n) {
  unsigned long rest = n < 0 ? 0ul - (unsigned long)n : (unsigned long)n;
  double result;
  if (rest == 0) return 1.0;
  while ((rest & 1) == 0) { x = x * x; rest >>= 1; }
  result = x;
  for (rest >>= 1; rest != 0; rest >>= 1) { x = x * x; if ((rest & 1) != 0) result = result * x; }
  return n < 0 ? 1.0 / result : result;
}
static inline double cotree_sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
static inline double cotree_min(double a, double b) { return a < b || a != a ? a : b; }
static inline double cotree_max(double a, double b) { return a < b || b != b ? b : a; }
static inline double cotree_mod(double a, double b) { return a - b * floor(a / b); }
)";
}

}  // namespace cotree
