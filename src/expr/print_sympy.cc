// SPDX-License-Identifier: Apache-2.0
#include "expr/print_sympy.h"

#include <cmath>

namespace cotree {
namespace {

enum Binding { kLoose, kSum, kTerm, kFactor, kPrimary };

class SympyPrinter : public PrintLoop {
 public:
  SympyPrinter(const ExprPool& pool, ExprId root, const PrintOptions& options)
      : PrintLoop(pool, root, options) {}

 private:
  int BindingOf(ExprId id, bool drop_sign) const {
    switch (pool_.op(id)) {
      case Op::kNumber:
        return pool_.NumberValue(id) < 0 && !drop_sign ? kSum : kPrimary;
      case Op::kAdd:
        return kSum;
      case Op::kMultiply:
        return pool_.IsNegative(id) && !drop_sign ? kSum : kTerm;
      case Op::kDivide:
        return kTerm;
      case Op::kPower:
        return kFactor;
      default:
        return kPrimary;
    }
  }
  void Expand(ExprId id, int context, bool drop_sign) override {
    const bool parentheses = BindingOf(id, drop_sign) < context;
    if (parentheses) Put("(");
    PutNode(id, drop_sign);
    if (parentheses) Put(")");
  }
  void Function(std::string_view name, std::span<const ExprId> operands) {
    Put(std::string(name) + "(");
    PutList(operands, ", ", kLoose);
    Put(")");
  }
  // A symbol may stand for a truth value; what a function returns is a number to SymPy.
  void PutCondition(ExprId id) {
    if (IsLogical(pool_.op(id)) || pool_.IsSymbol(id)) return Put(id, kLoose);
    Put("Ne(");
    Put(id, kLoose);
    Put(", 0)");
  }
  void Conditions(std::string_view name, const std::vector<ExprId>& operands) {
    Put(name);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (k > 0) Put(", ");
      PutCondition(operands[k]);
    }
    Put(")");
  }
  std::string Number(double value) const {
    if (std::isinf(value)) return value < 0 ? "-oo" : "oo";
    return FormatNumber(value, options_.digits);
  }
  void PutNode(ExprId id, bool drop_sign) {
    const auto operands = pool_.operands(id);
    const Op op = pool_.op(id);
    switch (op) {
      case Op::kNumber:
        return Put(Number(drop_sign ? std::fabs(pool_.NumberValue(id)) : pool_.NumberValue(id)));
      case Op::kBoolean:
        return Put(pool_.BooleanValue(id) ? "true" : "false");
      case Op::kSymbol:
        return Put(pool_.SymbolName(pool_.SymbolOf(id)));
      case Op::kTime:
        return Put("t");
      case Op::kAdd: {
        bool first = true;
        for (ExprId term : order_.Terms(id)) {
          const bool negative = pool_.op(term) != Op::kAdd && pool_.IsNegative(term);
          Put(negative ? (first ? "-" : " - ") : (first ? "" : " + "));
          Put(term, kTerm, negative);
          first = false;
        }
        return;
      }
      case Op::kMultiply: {
        bool first = true;
        for (ExprId factor : order_.Factors(id)) {
          if (first && pool_.IsNumber(factor)) {
            const double value = pool_.NumberValue(factor);
            if (value < 0 && !drop_sign) Put("-");
            if (std::fabs(value) == 1) continue;
            Put(Number(std::fabs(value)));
          } else {
            if (!first) Put("*");
            Put(factor, kFactor);
          }
          first = false;
        }
        return;
      }
      case Op::kDivide:
        if (pool_.AsInteger(operands[0]) && pool_.AsInteger(operands[1]))
          return Function("Rational", operands);
        Put(operands[0], kTerm);
        Put("/");
        return Put(operands[1], kPrimary);
      case Op::kPower:
        Put(operands[0], kPrimary);
        Put("**");
        return Put(operands[1], kPrimary);
      case Op::kIf: {
        Put("Piecewise(");
        ExprId rest = id;
        for (; pool_.op(rest) == Op::kIf; rest = pool_.operand(rest, 2)) {
          Put("(");
          Put(pool_.operand(rest, 1), kLoose);
          Put(", ");
          PutCondition(pool_.operand(rest, 0));
          Put("), ");
        }
        Put("(");
        Put(rest, kLoose);
        return Put(", True))");
      }
      case Op::kLess:
        return Function("Lt", operands);
      case Op::kLessEqual:
        return Function("Le", operands);
      case Op::kEqual:
        return Function("Eq", operands);
      case Op::kNotEqual:
        return Function("Ne", operands);
      case Op::kAnd:
        return Conditions("And(", order_.Operands(id));
      case Op::kOr:
        return Conditions("Or(", order_.Operands(id));
      case Op::kNot:
        return Conditions("Not(", {operands[0]});
      case Op::kAbs:
        return Function("Abs", operands);
      case Op::kMin:
        return Function("Min", order_.Operands(id));
      case Op::kMax:
        return Function("Max", order_.Operands(id));
      case Op::kCeil:
        return Function("ceiling", operands);
      case Op::kMod:
        return Function("Mod", operands);
      case Op::kLog10:
        Put("(log(");
        Put(operands[0], kLoose);
        return Put(")/log(10))");
      case Op::kCall:
        return Function("Function('" + std::string(pool_.FunctionName(pool_.FunctionOf(id))) + "')",
                        operands);
      default:
        return Function(OpName(op), operands);
    }
  }
};

}  // namespace

std::string PrintSympy(const ExprPool& pool, ExprId expr, const PrintOptions& options) {
  return SympyPrinter(pool, expr, options).Run(expr);
}

}  // namespace cotree
