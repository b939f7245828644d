// SPDX-License-Identifier: Apache-2.0
#include "expr/print_text.h"

#include <algorithm>
#include <cmath>

#include "expr/exact_number.h"
#include "expr/print_names.h"

namespace cotree {

namespace {

enum Binding { kLoose, kOr, kAnd, kNot, kRelation, kSum, kTerm, kFactor, kPower, kPrimary };

class TextPrinter : public PrintLoop {
 public:
  TextPrinter(const ExprPool& pool, ExprId root, const PrintOptions& options)
      : PrintLoop(pool, root, options) {}

 private:
  // 1/12, 2·π: for people only.
  std::optional<ExactText> Exact(double value) const {
    if (!options_.unicode) return std::nullopt;
    const auto exact = FindExact(value);
    if (!exact) return std::nullopt;
    return TextOfExact(*exact, "·", "π", "²", "³");
  }
  static std::string Below(const std::string& text) {
    return text.find("·") == std::string::npos ? text : "(" + text + ")";
  }
  // What stands below the line of a product's coefficient; empty: nothing.
  std::string BelowOf(ExprId id) const {
    if (!options_.unicode || pool_.op(id) != Op::kMultiply || pool_.IsNegative(id)) return {};
    for (const ExprId factor : pool_.operands(id)) {
      if (!pool_.IsNumber(factor)) continue;
      const auto exact = Exact(pool_.NumberValue(factor));
      return exact ? exact->below : std::string();
    }
    return {};
  }

  int BindingOf(ExprId id, bool drop_sign) const {
    switch (pool_.op(id)) {
      case Op::kNumber: {
        if (pool_.NumberValue(id) < 0 && !drop_sign) return kSum;
        const auto exact = Exact(pool_.NumberValue(id));
        return exact && (!exact->below.empty() || exact->above.find("·") != std::string::npos) ? kTerm
                                                                                               : kPrimary;
      }
      case Op::kIf:
        return kLoose;
      case Op::kOr:
        return kOr;
      case Op::kAnd:
        return kAnd;
      case Op::kNot:
        return kNot;
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kEqual:
      case Op::kNotEqual:
        return kRelation;
      case Op::kAdd:
        return kSum;
      case Op::kMultiply:
        return pool_.IsNegative(id) && !drop_sign ? kSum : kTerm;
      case Op::kDivide:
        return kTerm;
      case Op::kPower:
        return kPower;
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

  void PutSymbol(SymbolId symbol, std::span<const ExprId> indices) {
    const uint32_t order = pool_.symbol(symbol).order;
    if (options_.unicode) {
      Put(UnicodeName(pool_.SymbolName(symbol)) + std::string(order, '\''));
      if (!indices.empty()) {
        Put("[");
        PutList(indices, ", ", kLoose);
        Put("]");
      }
      return;
    }
    std::string text;
    for (uint32_t k = 0; k < order; ++k) text += "der(";
    Put(text += pool_.SymbolName(symbol));
    if (!indices.empty()) {
      Put("[");
      PutList(indices, ", ", kLoose);
      Put("]");
    }
    Put(std::string(order, ')'));
  }

  void PutSum(ExprId id) {
    bool first = true;
    for (ExprId term : order_.Terms(id)) {
      const bool negative = pool_.op(term) != Op::kAdd && pool_.IsNegative(term);
      if (negative) {
        Put(first ? "-" : " - ");
      } else if (!first) {
        Put(" + ");
      }
      Put(term, kTerm, negative);
      first = false;
    }
  }

  // `with_below`: with what stands below the line of its coefficient, or without.
  void PutProduct(ExprId id, bool drop_sign, bool with_below = true) {
    std::vector<ExprId> factors = order_.Factors(id);
    bool first = true;
    std::string below;
    for (ExprId factor : factors) {
      if (first && pool_.IsNumber(factor)) {  // the coefficient
        const double value = pool_.NumberValue(factor);
        if (value < 0 && !drop_sign) Put("-");
        const auto exact = Exact(value);
        const std::string text = exact ? exact->above : FormatNumber(std::fabs(value), options_.digits);
        if (exact) below = exact->below;
        if (text == "1" || text.empty()) continue;
        Put(text);
      } else {
        if (!first) Put(options_.unicode ? "·" : "*");
        Put(factor, first && pool_.op(factor) == Op::kDivide ? kTerm : kFactor);
      }
      first = false;
    }
    if (first) Put("1");
    if (with_below && !below.empty()) Put("/" + Below(below));
  }

  void PutCall(ExprId id) {
    const FunctionInfo& function = pool_.function(pool_.FunctionOf(id));
    if (!function.orders.empty()) Put("partial(");
    const std::string name(pool_.FunctionName(pool_.FunctionOf(id)));
    Put((options_.unicode ? UnicodeName(name) : name) + "(");
    PutList(pool_.operands(id), ", ", kLoose);
    Put(")");
    if (!function.orders.empty()) {
      for (uint32_t order : function.orders) Put(", " + std::to_string(order));
      Put(")");
    }
  }

  void PutNode(ExprId id, bool drop_sign) {
    const auto operands = pool_.operands(id);
    const Op op = pool_.op(id);
    switch (op) {
      case Op::kNumber: {
        const double value = drop_sign ? std::fabs(pool_.NumberValue(id)) : pool_.NumberValue(id);
        if (const auto exact = Exact(value))
          return Put((value < 0 ? "-" : "") + (exact->above.empty() ? "1" : exact->above) +
                     (exact->below.empty() ? "" : "/" + Below(exact->below)));
        return Put(FormatNumber(value, options_.digits));
      }
      case Op::kBoolean:
        return Put(pool_.BooleanValue(id) ? "true" : "false");
      case Op::kSymbol:
        return PutSymbol(pool_.SymbolOf(id), {});
      case Op::kTime:
        return Put(options_.unicode ? "t" : "time");
      case Op::kAdd:
        return PutSum(id);
      case Op::kMultiply:
        return PutProduct(id, drop_sign);
      case Op::kDivide:
        if (const std::string below = BelowOf(operands[0]); !below.empty()) {
          PutProduct(operands[0], false, false);
          Put("/(" + below + "·");
          Put(operands[1], kFactor);
          return Put(")");
        }
        Put(operands[0], kTerm);
        Put("/");
        return Put(operands[1], kFactor);
      case Op::kPower:
        Put(operands[0], kPrimary);
        if (const auto n = pool_.AsInteger(operands[1]); options_.unicode && n && *n >= 2 && *n <= 9) {
          static constexpr std::string_view kSuperscripts[] = {"²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
          return Put(kSuperscripts[*n - 2]);
        }
        Put("^");
        return Put(operands[1], kPrimary);
      case Op::kEqual:
      case Op::kNotEqual:
        return PutList(order_.Operands(id), op == Op::kEqual ? " == " : " != ", kSum);
      case Op::kLess:
      case Op::kLessEqual:
        return PutList(operands, op == Op::kLess ? " < " : " <= ", kSum);
      case Op::kAnd:
        return PutList(order_.Operands(id), " and ", kNot);
      case Op::kOr:
        return PutList(order_.Operands(id), " or ", kAnd);
      case Op::kNot:
        Put("not ");
        return Put(operands[0], kRelation);
      case Op::kIf:
        Put("if ");
        Put(operands[0], kOr);
        Put(" then ");
        Put(operands[1], kLoose);
        Put(" else ");
        return Put(operands[2], kLoose);
      case Op::kElement:
        if (pool_.IsSymbol(operands[0])) return PutSymbol(pool_.SymbolOf(operands[0]), operands.subspan(1));
        Put(operands[0], kPrimary);
        Put("[");
        PutList(operands.subspan(1), ", ", kLoose);
        return Put("]");
      case Op::kSumOver:
        Put("sum(");
        Put(operands[2], kLoose);
        Put(" for " + std::string(pool_.SymbolName(pool_.SymbolOf(id))) + " in ");
        Put(operands[0], kSum);
        Put(":");
        Put(operands[1], kSum);
        return Put(")");
      case Op::kArray:
        Put("{");
        PutList(operands, ", ", kLoose);
        return Put("}");
      case Op::kCall:
        return PutCall(id);
      default:
        Put(std::string(OpName(op)) + "(");
        PutList(op == Op::kMin || op == Op::kMax ? order_.Operands(id)
                                                 : std::vector<ExprId>(operands.begin(), operands.end()),
                ", ", kLoose);
        return Put(")");
    }
  }
};

}  // namespace

std::string UnicodeName(std::string_view name) {
  const size_t end = std::min(name.find_first_of("_0123456789[."), name.size());
  const std::string_view greek = GreekLetter(name.substr(0, end));
  return greek.empty() ? std::string(name) : std::string(greek) + std::string(name.substr(end));
}

std::string PrintText(const ExprPool& pool, ExprId expr, const PrintOptions& options) {
  return TextPrinter(pool, expr, options).Run(expr);
}

}  // namespace cotree
