// SPDX-License-Identifier: Apache-2.0
#include "emission/c_code.h"

#include <fmt/format.h>

#include "emission/c_text.h"

namespace cotree {
namespace {

std::string UnaryName(Op op) {
  switch (op) {
    case Op::kSqrt:
      return "sqrt";
    case Op::kAbs:
      return "fabs";
    case Op::kSign:
      return "f_sign";
    case Op::kFloor:
      return "floor";
    case Op::kCeil:
      return "ceil";
    default:
      return "f_" + std::string(OpName(op));
  }
}

/* Writes one function; registers are a0, a1, ..., their tangents t0, t1, ... */
class FunctionWriter {
 public:
  FunctionWriter(const Code& code, bool tangents, size_t results)
      : code_(code),
        tangents_(tangents),
        results_(code.results.begin(), code.results.begin() + static_cast<std::ptrdiff_t>(results)) {}

  std::string Write(std::string_view name) {
    FindNeeded();
    for (uint32_t k = 0; k < code_.instructions.size(); ++k) {
      if (needed_[k]) Instruct(k, code_.instructions[k]);
    }
    for (size_t k = 0; k < results_.size(); ++k)
      Line(fmt::format("r[{}] = {}{}", k, tangents_ ? 't' : 'a', results_[k]));
    std::string head =
        fmt::format("static void {}(const model* m, const double* p, const int* s, double* r) {{\n", name);
    if (!uses_model_) head += "  (void)m;\n";
    if (!uses_parameters_) head += "  (void)p;\n";
    if (!uses_slots_) head += "  (void)s;\n";
    return head + body_ + "}\n";
  }

 private:
  void FindNeeded() {
    needed_.assign(code_.instructions.size(), false);
    for (const uint32_t r : results_) needed_[r] = true;
    for (size_t k = code_.instructions.size(); k-- > 0;) {
      if (!needed_[k]) continue;
      const Instruction& i = code_.instructions[k];
      const bool ternary = i.code == CodeOp::kIf, binary = i.code == CodeOp::kBinary;
      if (ternary || binary || i.code == CodeOp::kUnary || i.code == CodeOp::kIntegerPower ||
          i.code == CodeOp::kTable)
        needed_[i.a] = true;
      if (ternary || binary || i.code == CodeOp::kTable) needed_[i.b] = true;
      if (ternary) needed_[i.c] = true;
    }
  }
  void Line(const std::string& text) { body_ += "  " + text + ";\n"; }
  // Values of a tangent function may serve nothing but values that serve nothing.
  void Set(uint32_t k, const std::string& value, const std::string& tangent) {
    Line(fmt::format("{}const double a{} = {}", tangents_ ? "MAYBE_UNUSED " : "", k, value));
    if (tangents_) Line(fmt::format("MAYBE_UNUSED const double t{} = {}", k, tangent));
  }
  std::string A(uint32_t k) const { return fmt::format("a{}", k); }
  std::string T(uint32_t k) const { return fmt::format("t{}", k); }

  void Instruct(uint32_t k, const Instruction& i) {
    switch (i.code) {
      case CodeOp::kNumber:
        return Set(k, CNumber(i.number), "0.0");
      case CodeOp::kLoad:
        uses_model_ = uses_slots_ = true;
        return Set(k, fmt::format("m->v[s[{}]]", i.a), fmt::format("m->d[s[{}]]", i.a));
      case CodeOp::kParameter:
        uses_parameters_ = true;
        return Set(k, fmt::format("p[{}]", i.a), "0.0");
      case CodeOp::kTime:
        uses_model_ = true;
        return Set(k, "m->time", "m->time_tangent");
      case CodeOp::kSwitchTime:
        uses_model_ = true;
        return Set(k, "m->switch_time", "0.0");
      case CodeOp::kIntegerPower:
        return Power(k, i.a, static_cast<int64_t>(i.number));
      case CodeOp::kIf:
        return Set(k, fmt::format("a{} != 0 ? a{} : a{}", i.a, i.b, i.c),
                   fmt::format("a{} != 0 ? t{} : t{}", i.a, i.b, i.c));
      case CodeOp::kTable: {
        const auto orders = static_cast<uint32_t>(i.number);
        return Set(k,
                   fmt::format("table_value(tables + {}, a{}, a{}, {}, {})", i.c, i.a, i.b, orders / 16,
                               orders % 16),
                   fmt::format("table_tangent(tables + {0}, a{1}, t{1}, a{2}, t{2}, {3}, {4})", i.c, i.a, i.b,
                               orders / 16, orders % 16));
      }
      case CodeOp::kUnary:
        return Unary(k, i.op, i.a);
      case CodeOp::kBinary:
        return Binary(k, i.op, A(i.a), A(i.b), T(i.a), T(i.b));
    }
  }

  void Unary(uint32_t k, Op op, uint32_t x) {
    if (op == Op::kNot) return Set(k, fmt::format("a{} == 0 ? 1.0 : 0.0", x), "0.0");
    const std::string name = UnaryName(op);
    const bool flat = op == Op::kSign || op == Op::kFloor || op == Op::kCeil;
    const std::string slope =
        flat ? fmt::format("(0.0 * t{})", x)
             : fmt::format("slope_{}(a{}) * t{}", name.starts_with("f_") ? name.substr(2) : name, x, x);
    Set(k, fmt::format("{}(a{})", name, x), fmt::format("t{} == 0 ? 0 : {}", x, slope));
  }

  void Binary(uint32_t k, Op op, const std::string& a, const std::string& b, const std::string& ta,
              const std::string& tb) {
    const auto plain = [&](std::string_view sign) { return fmt::format("{} {} {}", a, sign, b); };
    const auto truth = [&](const std::string& condition) {
      Set(k, "(" + condition + ") ? 1.0 : 0.0", "0.0");
    };
    switch (op) {
      case Op::kAdd:
        return Set(k, plain("+"), fmt::format("{} + {}", ta, tb));
      case Op::kMultiply:
        return Set(k, plain("*"), fmt::format("{} * {} + {} * {}", ta, b, a, tb));
      case Op::kDivide:
        return Set(k, plain("/"), fmt::format("({} - a{} * {}) / {}", ta, k, tb, b));
      case Op::kPower:
        Set(k, fmt::format("f_pow({}, {})", a, b),
            fmt::format("(0.0 + ({2} != 0 ? {1} * f_pow({0}, {1} - 1) * {2} : 0.0)) + "
                        "({3} != 0 ? a{4} * f_log({0}) * {3} : 0.0)",
                        a, b, ta, tb, k));
        return;
      case Op::kAtan2:
        return Set(k, fmt::format("f_atan2({}, {})", a, b),
                   fmt::format("({1} * {2} - {0} * {3}) / ({0} * {0} + {1} * {1})", a, b, ta, tb));
      case Op::kMin:
        return Set(k, fmt::format("{0} < {1} || {0} != {0} ? {0} : {1}", a, b),
                   fmt::format("{0} < {1} || {0} != {0} ? {2} : {3}", a, b, ta, tb));
      case Op::kMax:
        return Set(k, fmt::format("{0} < {1} || {1} != {1} ? {1} : {0}", a, b),
                   fmt::format("{0} < {1} || {1} != {1} ? {2} : {3}", a, b, tb, ta));
      case Op::kMod:
        return Set(k, fmt::format("{0} - {1} * floor({0} / {1})", a, b),
                   fmt::format("{2} - {3} * floor({0} / {1})", a, b, ta, tb));
      case Op::kAnd:
        return truth(fmt::format("{} != 0 && {} != 0", a, b));
      case Op::kOr:
        return truth(fmt::format("{} != 0 || {} != 0", a, b));
      case Op::kLess:
        return truth(plain("<"));
      case Op::kLessEqual:
        return truth(plain("<="));
      case Op::kEqual:
        return truth(plain("=="));
      default:
        return truth(plain("!="));
    }
  }

  // The chain of PowerChain: squares from the lowest bit up, multiplied in that order.
  void Power(uint32_t k, uint32_t x, int64_t n) {
    if (n == 0) return Set(k, "1.0", "0.0");
    uint64_t rest = n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
    std::string a = A(x), t = T(x);
    uint32_t made = 0;
    const auto multiply = [&](const std::string& b, const std::string& tb, std::string& to, std::string& tt) {
      const std::string value = fmt::format("a{}_{}", k, made), tangent = fmt::format("t{}_{}", k, made);
      ++made;
      Line(fmt::format("const double {} = {} * {}", value, to, b));
      if (tangents_)
        Line(fmt::format("MAYBE_UNUSED const double {} = {} * {} + {} * {}", tangent, tt, b, to, tb));
      to = value;
      tt = tangent;
    };
    while ((rest & 1) == 0) {
      multiply(std::string(a), std::string(t), a, t);
      rest >>= 1;
    }
    std::string result = a, result_tangent = t;
    for (rest >>= 1; rest != 0; rest >>= 1) {
      multiply(std::string(a), std::string(t), a, t);
      if ((rest & 1) != 0) multiply(a, t, result, result_tangent);
    }
    if (n > 0) return Set(k, result, result_tangent);
    Set(k, "1.0 / " + result, fmt::format("(0.0 - a{} * {}) / {}", k, result_tangent, result));
  }

  const Code& code_;
  const bool tangents_;
  const std::vector<uint32_t> results_;
  std::vector<bool> needed_;
  std::string body_;
  bool uses_model_ = false, uses_parameters_ = false, uses_slots_ = false;
};

}  // namespace

std::string CFunction(const Code& code, uint32_t number) {
  return FunctionWriter(code, false, code.results.size()).Write(fmt::format("code_{}", number));
}

std::string CTangent(const Code& code, uint32_t number, bool first_only) {
  return FunctionWriter(code, true, first_only ? 1 : code.results.size())
      .Write(fmt::format("tangent_{}", number));
}

}  // namespace cotree
