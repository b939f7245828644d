// SPDX-License-Identifier: Apache-2.0
#include "state_space/linear_symbols.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "closed_form/fraction.h"
#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/evaluate.h"
#include "expr/substitute.h"
#include "state_space/rewrite.h"

namespace cotree {
namespace {

using Role = ReadableSymbol::Role;
using Matrix = std::vector<std::vector<Fraction>>;

// A letter that is not taken.
ExprId FreeFrequency(ExprPool& pool, const StateSpace& space) {
  for (const char* letter : {"s", "p", "lambda", "s_laplace"}) {
    if (std::none_of(space.symbols.begin(), space.symbols.end(),
                     [&](const ReadableSymbol& x) { return x.name == letter; }))
      return pool.Symbol(pool.DeclareSymbol(letter, SymbolKind::kVariable));
  }
  return pool.Symbol("s_");
}

// Powers of s with their coefficients, the highest first.
ExprId AsPolynomial(FractionField& field, const Polynomial& p, size_t s, ExprId letter) {
  ExprPool& pool = field.pool();
  const std::vector<Polynomial> coefficients = p.CoefficientsOf(s);
  std::vector<ExprId> terms;
  for (size_t k = 0; k < coefficients.size(); ++k) {
    if (coefficients[k].IsZero()) continue;
    terms.push_back(
        pool.Multiply(field.Shortest(coefficients[k]), pool.Power(letter, static_cast<double>(k))));
  }
  return pool.Sum(terms);
}

// Conditions as they are at the point, just behind the start.
ExprId DecideConditions(ExprPool& pool, const StateSpace& space, ExprId expr,
                        const std::vector<double>& point) {
  return Rewrite(pool, expr, [&](ExprId id) -> std::optional<ExprId> {
    if (!IsRelation(pool.op(id))) return std::nullopt;
    const double value = ValueOf(pool, space, id, point);
    if (std::isnan(value)) return std::nullopt;
    return pool.Boolean(value != 0);
  });
}

class Transfer {
 public:
  Transfer(ExprPool& pool, LinearSymbols& linear)
      : pool_(pool), linear_(linear), field_(pool, All(linear), 1500) {}

  void Run(bool transfer_functions) {
    constexpr size_t kMostForPolynomial = 10, kMostForTransfer = 8;
    const size_t n = linear_.A.size();
    const auto letter = field_.GeneratorOf(linear_.s);
    if (n == 0 || n > kMostForPolynomial || !letter) return;
    Matrix m;
    for (size_t i = 0; i < n; ++i) {
      m.emplace_back();
      for (size_t j = 0; j < n; ++j) {
        auto entry = field_.Convert(linear_.A[i][j]);
        if (!entry) return;
        entry = field_.Negate(*entry);
        if (i == j) entry = field_.Add(*entry, {Polynomial::Generator(field_.ring(), *letter), One()});
        if (!entry) return;
        m.back().push_back(*entry);
      }
    }
    const auto determinant = field_.Determinant(m);
    if (!determinant || determinant->numerator.size() > 150) return;
    // s^n + ..., each coefficient over the first one.
    const std::vector<Polynomial> coefficients = determinant->numerator.CoefficientsOf(*letter);
    while (linear_.poles_at_zero < coefficients.size() && coefficients[linear_.poles_at_zero].IsZero())
      ++linear_.poles_at_zero;
    std::vector<ExprId> terms;
    for (size_t k = 0; k < coefficients.size(); ++k) {
      const auto ratio = field_.Divide({coefficients[k], One()}, {coefficients.back(), One()});
      if (!ratio) return;
      terms.push_back(
          pool_.Multiply(field_.Shortest(*ratio), pool_.Power(linear_.s, static_cast<double>(k))));
    }
    linear_.characteristic = pool_.Sum(terms);
    // As a product, where it is one of several factors with s.
    std::vector<ExprId> product;
    for (const auto& [factor, power] : determinant->numerator.Factors()) {
      if (factor.Degree(*letter) == 0) continue;
      product.push_back(
          pool_.Power(AsPolynomial(field_, factor, *letter, linear_.s), static_cast<double>(power)));
    }
    if (product.size() > 1) linear_.factored = pool_.Product(product);
    if (!transfer_functions || n > kMostForTransfer) return;
    for (size_t o = 0; o < linear_.C.size(); ++o) {
      linear_.transfer.emplace_back();
      for (size_t u = 0; u < linear_.inputs.size(); ++u) {
        const ExprId g = Function(m, *determinant, o, u, *letter);
        if (g.IsNone()) {
          linear_.transfer.clear();
          return;
        }
        linear_.transfer.back().push_back(g);
      }
    }
  }

 private:
  static std::vector<ExprId> All(const LinearSymbols& l) {
    std::vector<ExprId> out{l.s};
    const auto add = [&](const std::vector<std::vector<ExprId>>& matrix) {
      for (const auto& row : matrix) out.insert(out.end(), row.begin(), row.end());
    };
    add(l.A);
    add(l.C);
    for (const auto& matrix : l.B) add(matrix);
    for (const auto& matrix : l.D) add(matrix);
    return out;
  }
  Polynomial One() const { return Polynomial::Integer(field_.ring(), 1); }

  // Sum of s^k times the entries of the orders.
  std::optional<Fraction> OfOrders(const std::vector<std::vector<std::vector<ExprId>>>& by_order, size_t i,
                                   size_t u, size_t letter) {
    std::optional<Fraction> sum = field_.Integer(0);
    for (uint32_t k = 0; k < by_order.size() && sum; ++k) {
      const auto entry = field_.Convert(by_order[k][i][u]);
      if (!entry) return std::nullopt;
      const auto part =
          field_.Multiply(*entry, {Polynomial::Generator(field_.ring(), letter).Power(k), One()});
      if (!part) return std::nullopt;
      sum = field_.Add(*sum, *part);
    }
    return sum;
  }

  // C (sI - A)^-1 (B + s B_1 + ...) + D + s D_1 + ..., by Cramer's rule (CF.10a).
  ExprId Function(const Matrix& m, const Fraction& determinant, size_t o, size_t u, size_t letter) {
    std::optional<Fraction> sum = OfOrders(linear_.D, o, u, letter);
    for (size_t j = 0; j < m.size() && sum; ++j) {
      const auto c = field_.Convert(linear_.C[o][j]);
      if (!c) return ExprId();
      if (c->numerator.IsZero()) continue;
      Matrix replaced = m;
      for (size_t i = 0; i < m.size(); ++i) {
        const auto b = OfOrders(linear_.B, i, u, letter);
        if (!b) return ExprId();
        replaced[i][j] = *b;
      }
      const auto x = field_.Determinant(replaced);
      if (!x) return ExprId();
      const auto part = field_.Multiply(*c, *x);
      if (!part) return ExprId();
      const auto ratio = field_.Divide(*part, determinant);
      if (!ratio) return ExprId();
      sum = field_.Add(*sum, *ratio);
    }
    if (!sum) return ExprId();
    constexpr size_t kMostTerms = 80;
    if (sum->numerator.size() > kMostTerms || sum->denominator.size() > kMostTerms) return ExprId();
    return pool_.Divide(AsPolynomial(field_, sum->numerator, letter, linear_.s),
                        AsPolynomial(field_, sum->denominator, letter, linear_.s));
  }

  ExprPool& pool_;
  LinearSymbols& linear_;
  FractionField field_;
};

}  // namespace

LinearSymbols FindLinearSymbols(ExprPool& pool, const StateSpace& space, const std::vector<double>& point,
                                bool transfer_functions) {
  LinearSymbols out;
  if (!space.groups.empty()) return out;
  out.s = FreeFrequency(pool, space);
  out.at_a_point = !space.linear;
  std::vector<SymbolId> states;
  std::vector<std::vector<SymbolId>> inputs;  // with their derivatives
  for (const ReadableSymbol& s : space.symbols) {
    const SymbolId symbol = pool.SymbolOf(Renamed(pool, space, s.symbol));
    if (s.role == Role::kState) out.states.push_back(&s), states.push_back(symbol);
    if (s.role != Role::kInput) continue;
    // Derivatives of an input follow it.
    if (s.path.starts_with("der(") && !inputs.empty()) {
      inputs.back().push_back(symbol);
      continue;
    }
    out.inputs.push_back(&s);
    inputs.push_back({symbol});
  }
  // Definitions put in, last to first.
  const auto whole = [&](ExprId expr) {
    for (size_t k = space.definitions.size(); k-- > 0;)
      expr = Substitute(pool, expr, pool.SymbolOf(space.definitions[k].symbol), space.definitions[k].right);
    return Renamed(pool, space, expr);
  };
  std::vector<Replacement> at_zero;
  if (out.at_a_point) {
    for (size_t k = 0; k < states.size() && k < point.size(); ++k) {
      if (std::fabs(point[k]) < 1e-12) at_zero.emplace_back(states[k], pool.Zero());
    }
  }
  const auto entry = [&](ExprId right, SymbolId by) {
    ExprId derivative = Differentiate(pool, right, by);
    if (out.at_a_point) derivative = DecideConditions(pool, space, derivative, point);
    return Shorten(pool, Substitute(pool, derivative, at_zero));
  };
  const auto row = [&](ExprId right) {
    std::vector<ExprId> entries;
    for (const SymbolId symbol : states) entries.push_back(entry(right, symbol));
    return entries;
  };
  size_t orders = 1;
  for (const auto& input : inputs) orders = std::max(orders, input.size());
  out.B.resize(orders);
  out.D.resize(orders);
  const auto add = [&](ExprId right, std::vector<std::vector<std::vector<ExprId>>>& by_order) {
    for (size_t k = 0; k < orders; ++k) {
      by_order[k].emplace_back();
      for (const auto& input : inputs)
        by_order[k].back().push_back(k < input.size() ? entry(right, input[k]) : pool.Zero());
    }
  };
  for (const ReadableEquation& e : space.derivatives) {
    const ExprId right = whole(e.right);
    out.A.push_back(row(right));
    add(right, out.B);
  }
  for (const ReadableEquation& e : space.outputs) {
    out.outputs.push_back(&e);
    const ExprId right = whole(e.right);
    out.C.push_back(row(right));
    add(right, out.D);
  }
  Transfer(pool, out).Run(transfer_functions);
  return out;
}

double ValueOf(ExprPool& pool, const StateSpace& space, ExprId expr, const std::vector<double>& states) {
  Environment<double> environment;
  environment.scalars.assign(pool.symbol_count(), 0.0);
  environment.time = 1e-9;  // just behind the start
  size_t state = 0;
  for (const ReadableSymbol& s : space.symbols) {
    const ExprId symbol = Renamed(pool, space, s.symbol);
    double value = s.value;
    if (s.role == Role::kState) value = state < states.size() ? states[state] : 0, ++state;
    SetValue(environment, pool.SymbolOf(symbol), value);
  }
  return EvaluateDouble(pool, expr, environment);
}

}  // namespace cotree
