// SPDX-License-Identifier: Apache-2.0
#include "system_graph/edge_kinds.h"

#include <algorithm>
#include <cmath>

#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/solve.h"
#include "expr/substitute.h"
#include "model/describe_model.h"
#include "system_graph/operating_points.h"

namespace cotree {
namespace {

constexpr double kRounding = 1e-10;  // of powers of the order of 1

/* `expr` with everything at rest that belongs to other groups, and the other edges of the group: what is left
is the edge's own. */
ExprId OwnPart(Model& model, const ComponentClass& cls, const TerminalEquations& bound, uint32_t edge,
               ExprId expr) {
  ExprPool& pool = model.expressions;
  std::vector<Replacement> at_rest;
  for (const SymbolId symbol : FindSymbols(pool, expr)) {
    const SymbolId base = pool.symbol(symbol).base;
    for (uint32_t e = 0; e < cls.edges.size(); ++e) {
      if (e != edge && (cls.edges[e].across == base || cls.edges[e].through == base))
        at_rest.emplace_back(symbol, pool.Zero());
    }
    for (uint32_t v = 0; v < cls.variables.size(); ++v) {
      if (cls.variables[v].symbol == base && bound.variable_group[v] != UINT32_MAX && !bound.Belongs(v, edge))
        at_rest.emplace_back(symbol, pool.Zero());
    }
  }
  return at_rest.empty() ? expr : Substitute(pool, expr, at_rest);
}

// Whether an expression varies at all with the edge: its variables, or variables tied to it.
bool Involves(const Model& model, const ComponentClass& cls, const TerminalEquations& bound, uint32_t edge,
              ExprId expr) {
  for (const Dependence& d : FindDependence(model.expressions, expr)) {
    if (d.base == cls.edges[edge].across || d.base == cls.edges[edge].through) return true;
    for (uint32_t v = 0; v < cls.variables.size(); ++v) {
      if (cls.variables[v].symbol == d.base && bound.Belongs(v, edge)) return true;
    }
  }
  return false;
}

// Whether the edge's equation holds derivatives beyond those of its power: then the sign of the power says
// nothing, since it depends on the past. Without `energy` such an edge stores nothing (design §7); what it
// gives comes from outside.
bool Dynamic(const Model& model, const Domain& domain, const ElementEdge& e) {
  uint32_t order = 0;
  for (const Dependence& d : FindDependence(model.expressions, domain.power)) {
    if (model.expressions.SymbolName(d.base) == model.Text(domain.across)) order = std::max(order, d.order);
  }
  return e.across_order > static_cast<int>(order) || e.through_order > 0;
}

}  // namespace

void FindEdgeKinds(Model& model, const TerminalEquations& bound, ElementClass& element) {
  const ComponentClass& cls = model[element.class_id];
  if (element.edges.empty()) return;
  std::vector<uint32_t> members(element.groups, 0);
  for (const ElementEdge& e : element.edges) ++members[e.group];
  const bool declared = !element.energy.IsNone() || !element.loss.IsNone();

  // Where nothing is declared the power itself tells.
  std::vector<double> least(element.edges.size(), 0), most(element.edges.size(), 0);
  if (!declared) {
    OperatingPoints points(model, element);
    bool any = false;
    for (int k = 0; k < OperatingPoints::kPoints; ++k) {
      if (!points.MoveTo(k)) continue;
      any = true;
      for (uint32_t e = 0; e < element.edges.size(); ++e) {
        const double power = points.Power(e);
        least[e] = std::min(least[e], power);
        most[e] = std::max(most[e], power);
      }
    }
    if (!any) {  // undecided: an edge whose equation has both variables is an element, any other a driver
      for (uint32_t e = 0; e < element.edges.size(); ++e) {
        const bool both = element.edges[e].across_order >= 0 && element.edges[e].through_order >= 0;
        most[e] = 1;
        least[e] = both ? 0 : -1;
      }
    }
  }
  for (uint32_t k = 0; k < element.edges.size(); ++k) {
    ElementEdge& e = element.edges[k];
    if (members[e.group] > 1) e.kinds |= kCouples;
    const auto own = [&](ExprId expr) {
      if (expr.IsNone() || !Involves(model, cls, bound, e.edge, expr)) return false;
      return !model.expressions.IsZero(OwnPart(model, cls, bound, e.edge, expr)) &&
             Involves(model, cls, bound, e.edge, OwnPart(model, cls, bound, e.edge, expr));
    };
    if (declared) {
      if (own(element.energy)) e.kinds |= kStores;
      if (own(element.loss)) e.kinds |= kDissipates;
      continue;
    }
    // Where the across variable has no part in the power (heat is power itself), the equation tells.
    const Domain& domain = model.domains[e.domain.index()];
    bool across_counts = false;
    for (const Dependence& d : FindDependence(model.expressions, domain.power))
      across_counts = across_counts || model.expressions.SymbolName(d.base) == model.Text(domain.across);
    const bool powerless = most[k] < 1e-9 && least[k] > -1e-9;
    if (powerless) {
      if (bound.edges[e.edge].drives)
        e.kinds |= kDrives;  // a constant position takes no power, but it is no sensor
      continue;
    }
    if (!across_counts)
      e.kinds |= e.across_order >= 0 && e.through_order >= 0 ? kDissipates : kDrives;
    else if (members[e.group] == 1)
      e.kinds |= least[k] > -1e-9 && !Dynamic(model, domain, e) ? kDissipates : kDrives;
    else
      e.kinds |= kDrives;
  }
  if (declared) return;
  // Edges that only pass power to each other drive nothing: a transformer whose author declared no `loss =
  // 0`.
  OperatingPoints points(model, element);
  std::vector<double> worst(element.groups, 0);
  std::vector<bool> decided(element.groups, false);
  for (int k = 0; k < OperatingPoints::kPoints; ++k) {
    if (!points.MoveTo(k)) continue;
    std::vector<double> sum(element.groups, 0), scale(element.groups, 0);
    for (uint32_t e = 0; e < element.edges.size(); ++e) {
      sum[element.edges[e].group] += points.Power(e);
      scale[element.edges[e].group] += std::abs(points.Power(e));
    }
    for (uint32_t g = 0; g < element.groups; ++g) {
      decided[g] = true;
      worst[g] = std::max(worst[g], std::abs(sum[g]) / (scale[g] + kRounding));
    }
  }
  for (ElementEdge& e : element.edges) {
    if (members[e.group] > 1 && decided[e.group] && worst[e.group] < 1e-7)
      e.kinds = static_cast<uint8_t>(e.kinds & ~kDrives);
    // A joint drives nothing either: it joins its axis to the bodies behind it.
    if (!cls.spatial.IsNone() && (e.kinds & kDrives) != 0)
      e.kinds = static_cast<uint8_t>((e.kinds & ~kDrives) | kCouples);
  }
}

namespace {

/* Products of sums multiplied out, so that what cancels does; for small expressions shown to people. None
where it grows too large. */
ExprId Expanded(ExprPool& pool, ExprId expr, int depth = 0) {
  constexpr size_t kMostTerms = 40;
  if (expr.IsNone() || depth > 20) return ExprId::None();
  const auto terms_of = [&](ExprId e) {
    const auto operands = pool.operands(e);
    return pool.op(e) == Op::kAdd ? std::vector<ExprId>(operands.begin(), operands.end())
                                  : std::vector<ExprId>{e};
  };
  if (pool.op(expr) == Op::kAdd) {
    std::vector<ExprId> sum;
    for (const ExprId term : terms_of(expr)) {
      const ExprId expanded = Expanded(pool, term, depth + 1);
      if (expanded.IsNone()) return expanded;
      for (const ExprId t : terms_of(expanded)) sum.push_back(t);
    }
    return sum.size() > kMostTerms ? ExprId::None() : pool.Sum(sum);
  }
  std::vector<ExprId> factors;
  ExprId divisor = pool.One();
  if (pool.op(expr) == Op::kMultiply) {
    const auto operands = pool.operands(expr);
    factors.assign(operands.begin(), operands.end());
  } else if (pool.op(expr) == Op::kDivide) {
    factors.push_back(pool.operand(expr, 0));
    divisor = pool.operand(expr, 1);
  } else if (pool.op(expr) == Op::kPower && pool.AsInteger(pool.operand(expr, 1)).value_or(0) == 2) {
    factors.assign(2, pool.operand(expr, 0));
  } else {
    return expr;
  }
  std::vector<ExprId> product{pool.One()};
  for (const ExprId factor : factors) {
    const ExprId expanded = Expanded(pool, factor, depth + 1);
    if (expanded.IsNone()) return expanded;
    std::vector<ExprId> next;
    for (const ExprId a : product) {
      for (const ExprId b : terms_of(expanded)) next.push_back(pool.Multiply(a, b));
    }
    if (next.size() > kMostTerms) return ExprId::None();
    product = std::move(next);
  }
  // 2*x/2 is x: halves are exact.
  const bool halves = pool.IsNumber(divisor, 2) || pool.IsNumber(divisor, 4);
  for (ExprId& term : product) {
    term =
        halves ? pool.Multiply(pool.Number(1 / pool.NumberValue(divisor)), term) : pool.Divide(term, divisor);
  }
  return pool.Sum(product);
}

/* power - der(energy) - loss with the equations put in, as far as rules reach: through variables first, then
the highest derivatives. For people; the decision is made elsewhere. */
std::string DifferenceText(Model& model, const ElementClass& element) {
  ExprPool& pool = model.expressions;
  const ComponentClass& cls = model[element.class_id];
  auto rate = Differentiator::TotalTime(&pool);
  std::vector<ExprId> terms;
  for (const ElementEdge& e : element.edges) {
    const Edge& edge = cls.edges[e.edge];
    if (!edge.shape.empty()) return {};
    terms.push_back(EdgePower(model, edge, pool.One()));
  }
  if (!element.energy.IsNone()) terms.push_back(pool.Negate(rate.Derivative(element.energy)));
  if (!element.loss.IsNone()) terms.push_back(pool.Negate(element.loss));
  ExprId difference = pool.Sum(terms);
  // The equations, then their derivatives: a gear relates angles, power needs speeds.
  std::vector<std::pair<ExprId, bool>> equations;
  for (const bool derived : {false, true}) {
    for (const Equation& equation : element.equations) {
      const ExprId residual = pool.Subtract(equation.left, equation.right);
      equations.emplace_back(derived ? rate.Derivative(residual) : residual, derived);
    }
  }
  for (const auto& [residual, derived] : equations) {
    std::vector<SymbolId> candidates;
    for (const SymbolId symbol : FindSymbols(pool, residual)) {
      if (pool.kind(symbol) == SymbolKind::kVariable && DependsOn(pool, difference, symbol))
        candidates.push_back(symbol);
    }
    const auto weight = [&](SymbolId symbol) {
      bool through = false;
      for (const Edge& e : cls.edges) through = through || pool.symbol(symbol).base == e.through;
      return (through && pool.symbol(symbol).order == 0 ? 100 : 0) +
             static_cast<int>(pool.symbol(symbol).order);
    };
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](SymbolId a, SymbolId b) { return weight(a) > weight(b); });
    // What the equation gives without a division makes the shortest text.
    for (const bool divided : {false, true}) {
      bool done = false;
      for (const SymbolId symbol : candidates) {
        const auto solution = SolveFor(pool, residual, symbol);
        if (!solution || !solution->linear || solution->conditions.empty() == divided || (derived && divided))
          continue;
        difference = Substitute(pool, difference, symbol, solution->value);
        done = true;
        break;
      }
      if (done) break;
    }
  }
  const ExprId expanded = Expanded(pool, difference);
  if (!expanded.IsNone()) difference = expanded;
  const std::string text = ExpressionText(model, difference);
  return text.size() > 120 || pool.IsZero(difference) ? std::string() : text;
}

}  // namespace

std::optional<EnergyMismatch> CheckEnergy(Model& model, const ElementClass& element) {
  if (element.energy.IsNone() && element.loss.IsNone()) return std::nullopt;
  OperatingPoints points(model, element);
  int wrong = 0;
  for (int k = 0; k < OperatingPoints::kPoints; ++k) {
    if (!points.MoveTo(k)) continue;
    double sum = 0, scale = 0;
    for (uint32_t e = 0; e < element.edges.size(); ++e) {
      const double power = points.Power(e);
      sum += power;
      scale += std::abs(power);
    }
    const double rate = points.EnergyRate(), loss = points.Loss();
    scale += std::abs(rate) + std::abs(loss);
    const double difference = sum - rate - loss;
    if (std::isfinite(difference) && std::abs(difference) > 1e-6 * scale + kRounding) ++wrong;
  }
  if (wrong < 2) return std::nullopt;
  return EnergyMismatch{DifferenceText(model, element)};
}

}  // namespace cotree
