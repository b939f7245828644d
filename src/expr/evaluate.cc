// SPDX-License-Identifier: Apache-2.0
#include "expr/evaluate.h"

#include <cmath>

#include "base/check.h"
#include "expr/builtins.h"
#include "expr/elementary.h"
#include "expr/power_chain.h"

namespace cotree {

Dual operator+(Dual a, Dual b) {
  return {a.value + b.value, a.tangent + b.tangent};
}
Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.tangent * b.value + a.value * b.tangent};
}
Dual operator/(Dual a, Dual b) {
  const double q = a.value / b.value;
  return {q, (a.tangent - q * b.tangent) / b.value};
}

namespace {

double ValueOf(double x) {
  return x;
}
double ValueOf(Dual x) {
  return x.value;
}

/// What doubles and duals have in common: conditions, arrays, loops, calls.
template <class Scalar, class Self>
struct RealArithmetic {
  using Value = Scalar;

  Value Unknown() const { return Self::Make(NAN); }
  Value Number(double x) const { return Self::Make(x); }
  Value IntegerPower(Value x, int64_t n) const { return PowerChain<Value>(x, n, Self::Make(1)); }
  // A comparison with what is no number is neither true nor false (NaN), and so is what it decides.
  Value Choose(Value condition, Value a, Value b) const {
    const double truth = ValueOf(condition);
    return truth != truth ? Unknown() : truth != 0 ? a : b;
  }

  Value Logic(Op op, std::span<const Value> arguments) const {
    bool known = true;
    if (op == Op::kNot) {
      const double truth = ValueOf(arguments[0]);
      return truth != truth ? Unknown() : Self::Make(truth == 0);
    }
    for (const Value& argument : arguments) {
      const double truth = ValueOf(argument);
      if (truth != truth)
        known = false;
      else if ((truth != 0) == (op == Op::kOr))
        return Self::Make(op == Op::kOr);
    }
    return known ? Self::Make(op == Op::kAnd) : Unknown();
  }

  Value Call(const ExprPool& pool, const Tape::Instruction& i, std::span<const Value> arguments,
             Environment<Value>& environment) const {
    const std::string_view name = pool.FunctionName(FunctionId(i.payload));
    const Builtin builtin = FindBuiltin(name);
    if ((builtin == Builtin::kNoEvent || builtin == Builtin::kSmooth) && !arguments.empty())
      return arguments.back();
    if (!environment.call) return Unknown();
    return environment.call(name, pool.function(FunctionId(i.payload)), arguments);
  }

  /// 0-based, or past the end of everything.
  static size_t Index(Value index) {
    const double value = ValueOf(index);
    return value >= 1 && value < 9e15 && value == std::floor(value) ? static_cast<size_t>(value) - 1
                                                                    : SIZE_MAX;
  }

  Value Element(const Tape& tape, const Tape::Instruction& i, std::span<const Value> slots,
                Environment<Value>& environment) const {
    const auto in = tape.operand_slots(i);
    uint32_t array = in[0];
    for (size_t k = 1;;) {
      const Tape::Instruction& a = tape.instructions()[array];
      const auto inside = tape.operand_slots(a);
      if (a.op == Op::kIf) {
        const double truth = ValueOf(slots[inside[0]]);
        if (truth != truth) return Unknown();
        array = truth != 0 ? inside[1] : inside[2];
      } else if (a.op == Op::kArray && k < in.size()) {
        const size_t index = Index(slots[in[k++]]);
        if (index >= inside.size()) return Unknown();
        array = inside[index];
      } else if (k == in.size() || a.op == Op::kNumber) {
        return slots[array];
      } else if (a.op == Op::kSymbol) {
        return ElementOfSymbol(SymbolId(a.payload), in.subspan(k), slots, environment);
      } else {
        return Unknown();
      }
    }
  }

  Value ElementOfSymbol(SymbolId symbol, std::span<const uint32_t> indices, std::span<const Value> slots,
                        Environment<Value>& environment) const {
    for (const ArrayValue<Value>& array : environment.arrays) {
      if (array.symbol != symbol || array.sizes.size() != indices.size()) continue;
      size_t at = 0;
      for (size_t k = 0; k < indices.size(); ++k) {
        const size_t index = Index(slots[indices[k]]);
        if (index >= array.sizes[k]) return Unknown();
        at = at * array.sizes[k] + index;
      }
      return at < array.elements.size() ? array.elements[at] : Unknown();
    }
    return Unknown();
  }

  Value SumOver(const Tape& tape, const Tape::Instruction& i, Value from, Value to,
                Environment<Value>& environment, Workspace<Value>& workspace) {
    const SymbolId loop = tape.pool().SymbolOf(i.id);
    const Tape& body = tape.body(i);
    if (environment.scalars.size() <= loop.index()) environment.scalars.resize(loop.index() + 1, Unknown());
    const Value before = environment.scalars[loop.index()];
    Value sum = Self::Make(0);
    for (double k = ValueOf(from); k <= ValueOf(to); ++k) {
      environment.scalars[loop.index()] = Self::Make(k);
      RunTape(body, static_cast<Self&>(*this), environment, workspace);
      sum = sum + workspace.slots[body.root_slots()[0]];
    }
    environment.scalars[loop.index()] = before;
    return sum;
  }
};

struct DoubleArithmetic : RealArithmetic<double, DoubleArithmetic> {
  static double Make(double x) { return x; }
  double Unary(Op op, double x) const { return UnaryValue(op, x); }
  double Binary(Op op, double a, double b) const {
    return IsRelation(op) && (a != a || b != b) ? NAN : BinaryValue(op, a, b);
  }
};

struct DualArithmetic : RealArithmetic<Dual, DualArithmetic> {
  static Dual Make(double x) { return {x, 0}; }
  Dual Unary(Op op, Dual x) const {
    return {UnaryValue(op, x.value), x.tangent == 0 ? 0 : UnarySlope(op, x.value) * x.tangent};
  }
  Dual Binary(Op op, Dual a, Dual b) const {
    const double value = IsRelation(op) && (a.value != a.value || b.value != b.value)
                             ? NAN
                             : BinaryValue(op, a.value, b.value);
    switch (op) {
      case Op::kPower: {
        double tangent = 0;
        if (a.tangent != 0) tangent += b.value * std::pow(a.value, b.value - 1) * a.tangent;
        if (b.tangent != 0) tangent += value * std::log(a.value) * b.tangent;
        return {value, tangent};
      }
      case Op::kAtan2:
        return {value, (b.value * a.tangent - a.value * b.tangent) / (a.value * a.value + b.value * b.value)};
      case Op::kMin:
        return a.value < b.value || std::isnan(a.value) ? a : b;
      case Op::kMax:
        return a.value < b.value || std::isnan(b.value) ? b : a;
      case Op::kMod:
        return {value, a.tangent - b.tangent * std::floor(a.value / b.value)};
      default:
        return {value, 0};
    }
  }
};

template <class Arithmetic, class Value>
void Run(const Tape& tape, Environment<Value>& environment, Workspace<Value>& workspace,
         std::span<Value> results) {
  COTREE_CHECK(results.size() == tape.root_slots().size());
  Arithmetic arithmetic;
  RunTape(tape, arithmetic, environment, workspace);
  for (size_t k = 0; k < results.size(); ++k) results[k] = workspace.slots[tape.root_slots()[k]];
}

}  // namespace

void EvaluateDouble(const Tape& tape, Environment<double>& environment, Workspace<double>& workspace,
                    std::span<double> results) {
  Run<DoubleArithmetic>(tape, environment, workspace, results);
}

void EvaluateDual(const Tape& tape, Environment<Dual>& environment, Workspace<Dual>& workspace,
                  std::span<Dual> results) {
  Run<DualArithmetic>(tape, environment, workspace, results);
}

std::vector<double> EvaluateDouble(const ExprPool& pool, std::span<const ExprId> roots,
                                   Environment<double>& environment) {
  std::vector<double> results(roots.size());
  Workspace<double> workspace;
  EvaluateDouble(Tape(pool, roots), environment, workspace, results);
  return results;
}

double EvaluateDouble(const ExprPool& pool, ExprId root, Environment<double>& environment) {
  return EvaluateDouble(pool, std::span(&root, 1), environment)[0];
}

Dual EvaluateDual(const ExprPool& pool, ExprId root, Environment<Dual>& environment) {
  Dual result;
  Workspace<Dual> workspace;
  EvaluateDual(Tape(pool, std::span(&root, 1)), environment, workspace, std::span(&result, 1));
  return result;
}

void SetValue(Environment<double>& environment, SymbolId symbol, double value) {
  environment.Set(symbol, value, NAN);
}

void SetValue(Environment<Dual>& environment, SymbolId symbol, double value, double tangent) {
  environment.Set(symbol, {value, tangent}, {NAN, 0});
}

}  // namespace cotree
