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
ExprId FreeLetter(ExprPool& pool, const StateSpace& space) {
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
    linear_.characteristic = pool_.Divide(AsPolynomial(field_, determinant->numerator, *letter, linear_.s),
                                          field_.Shortest(determinant->denominator));
    linear_.factored = field_.Shortest(*determinant);
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
    for (const auto* matrix : {&l.A, &l.B, &l.C, &l.D}) {
      for (const auto& row : *matrix) out.insert(out.end(), row.begin(), row.end());
    }
    return out;
  }
  Polynomial One() const { return Polynomial::Integer(field_.ring(), 1); }

  // C (sI - A)^-1 B + D, by Cramer's rule (CF.10a).
  ExprId Function(const Matrix& m, const Fraction& determinant, size_t o, size_t u, size_t letter) {
    std::optional<Fraction> sum = field_.Convert(linear_.D[o][u]);
    for (size_t j = 0; j < m.size() && sum; ++j) {
      const auto c = field_.Convert(linear_.C[o][j]);
      if (!c) return ExprId();
      if (c->numerator.IsZero()) continue;
      Matrix replaced = m;
      for (size_t i = 0; i < m.size(); ++i) {
        const auto b = field_.Convert(linear_.B[i][u]);
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
  out.s = FreeLetter(pool, space);
  out.at_a_point = !space.linear;
  std::vector<SymbolId> states, inputs;
  for (const ReadableSymbol& s : space.symbols) {
    const SymbolId symbol = pool.SymbolOf(Renamed(pool, space, s.symbol));
    if (s.role == Role::kState) out.states.push_back(&s), states.push_back(symbol);
    if (s.role == Role::kInput) out.inputs.push_back(&s), inputs.push_back(symbol);
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
  const auto row = [&](ExprId right, const std::vector<SymbolId>& by) {
    std::vector<ExprId> entries;
    for (const SymbolId symbol : by)
      entries.push_back(Shorten(pool, Substitute(pool, Differentiate(pool, right, symbol), at_zero)));
    return entries;
  };
  for (const ReadableEquation& e : space.derivatives) {
    const ExprId right = whole(e.right);
    out.A.push_back(row(right, states));
    out.B.push_back(row(right, inputs));
  }
  for (const ReadableEquation& e : space.outputs) {
    out.outputs.push_back(&e);
    const ExprId right = whole(e.right);
    out.C.push_back(row(right, states));
    out.D.push_back(row(right, inputs));
  }
  Transfer(pool, out).Run(transfer_functions);
  return out;
}

double ValueOf(ExprPool& pool, const StateSpace& space, ExprId expr, const std::vector<double>& states) {
  Environment<double> environment;
  environment.scalars.assign(pool.symbol_count(), 0.0);
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
