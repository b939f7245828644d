// SPDX-License-Identifier: Apache-2.0
#include "system_graph/operating_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/builtins.h"
#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/substitute.h"
#include "model/check_bounds.h"
#include "system_graph/element_table.h"

namespace cotree {
namespace {

/** splitmix64: the same numbers on every machine. */
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  double Between(double low, double high) {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return low + (high - low) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

// Something smooth in the place of a table: the same for a name in every call, with its derivatives.
Dual Stand(std::string_view name, const FunctionInfo& function, std::span<const Dual> arguments) {
  constexpr Dual kNone{std::numeric_limits<double>::quiet_NaN(), 0};
  switch (FindBuiltin(name)) {
    case Builtin::kPre:
      return {0.4, 0};
    case Builtin::kNone:
      break;
    default:
      return {0, 0};
  }
  if (arguments.size() != 1) return kNone;
  double a = 0.7, b = 0.3;
  for (const char c : name) a = std::fmod(a * 1.37 + c * 0.013, 1.0) + 0.2;
  const uint32_t order = function.orders.empty() ? 0 : function.orders[0];
  const Dual x = arguments[0];
  if (order == 0) return {a * x.value + b * x.value * x.value / 2, (a + b * x.value) * x.tangent};
  if (order == 1) return {a + b * x.value, b * x.tangent};
  return {order == 2 ? b : 0, 0};
}

/* Solves J*dx = -f for a system with at least as many unknowns as independent rows: the columns that no pivot
falls into stay as they are. Full pivoting; rows that vanish are redundant. False where f cannot be met. */
bool SolveStep(std::vector<double>& j, std::vector<double>& f, size_t rows, size_t columns,
               std::vector<double>& dx) {
  dx.assign(columns, 0);
  double largest = 0;
  for (const double v : j) largest = std::max(largest, std::abs(v));
  std::vector<size_t> pivot_column;
  std::vector<bool> taken(columns, false);
  size_t rank = 0;
  for (; rank < rows; ++rank) {
    size_t best_row = rank, best_column = columns;
    double best = 1e-11 * std::max(largest, 1.0);
    for (size_t r = rank; r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) {
        if (!taken[c] && std::abs(j[r * columns + c]) > best) {
          best = std::abs(j[r * columns + c]);
          best_row = r;
          best_column = c;
        }
      }
    }
    if (best_column == columns) break;
    for (size_t c = 0; c < columns; ++c) std::swap(j[rank * columns + c], j[best_row * columns + c]);
    std::swap(f[rank], f[best_row]);
    taken[best_column] = true;
    pivot_column.push_back(best_column);
    for (size_t r = 0; r < rows; ++r) {
      if (r == rank) continue;
      const double factor = j[r * columns + best_column] / j[rank * columns + best_column];
      if (factor == 0) continue;
      for (size_t c = 0; c < columns; ++c) j[r * columns + c] -= factor * j[rank * columns + c];
      f[r] -= factor * f[rank];
    }
  }
  for (size_t r = 0; r < rank; ++r) dx[pivot_column[r]] = -f[r] / j[r * columns + pivot_column[r]];
  for (const double v : dx) {
    if (!std::isfinite(v)) return false;
  }
  return true;
}

}  // namespace

ExprId EdgePower(Model& model, const Edge& edge, ExprId index) {
  ExprPool& pool = model.expressions;
  const Domain& domain = model.domains[edge.domain.index()];
  std::vector<Replacement> own;
  const auto replace = [&](NameId name, SymbolId symbol, int order) {
    const SymbolId of_domain =
        pool.SymbolOfOrder(pool.DeclareSymbol(model.Text(name), SymbolKind::kVariable), order);
    const ExprId whole = pool.Symbol(symbol, order);
    own.emplace_back(of_domain, edge.shape.empty() ? whole : pool.Element(whole, {index}));
  };
  for (int order = 0; order < 3; ++order) replace(domain.across, edge.across, order);
  replace(domain.through, edge.through, 0);
  return Substitute(pool, domain.power, own);
}

OperatingPoints::OperatingPoints(Model& model, const ElementClass& element)
    : model_(model), element_(element), cls_(model[element.class_id]) {
  ExprPool& pool = model.expressions;
  if (!cls_.external_library.empty()) usable_ = false;
  element_index_ = pool.DeclareSymbol("#edge", SymbolKind::kIndex);
  auto rate = Differentiator::TotalTime(&pool);
  for (const Equation& equation : element.equations) {
    // A condition with a name is what it says at the point.
    const bool named = pool.IsSymbol(equation.left) && equation.loops.count == 0 &&
                       pool.kind(pool.SymbolOf(equation.left)) == SymbolKind::kDiscrete;
    if (named) {
      Collect(equation.left);
      Collect(equation.right);
      conditions_.emplace_back(pool.SymbolOf(equation.left),
                               std::make_unique<Tape>(pool, std::span(&equation.right, 1)));
      continue;
    }
    const ExprId residual = pool.Subtract(equation.left, equation.right);
    for (const ExprId row : {residual, rate.Derivative(residual)}) {
      if (pool.IsZero(row)) continue;
      Collect(row);
      rows_.push_back({std::make_unique<Tape>(pool, std::span(&row, 1)), equation.loops});
    }
  }
  for (const Edge& edge : cls_.edges) {
    const ExprId power = EdgePower(model, edge, pool.Symbol(element_index_));
    if (edge.shape.size() > 1) usable_ = false;
    Collect(power);
    power_.push_back(std::make_unique<Tape>(pool, std::span(&power, 1)));
  }
  const ExprId energy_rate = element.energy.IsNone() ? pool.Zero() : rate.Derivative(element.energy);
  const ExprId loss = element.loss.IsNone() ? pool.Zero() : element.loss;
  Collect(energy_rate);
  Collect(loss);
  energy_rate_ = std::make_unique<Tape>(pool, std::span(&energy_rate, 1));
  loss_ = std::make_unique<Tape>(pool, std::span(&loss, 1));
  environment_.call = Stand;
  if (columns_.size() > kMostUnknowns) usable_ = false;
}

void OperatingPoints::Collect(ExprId expr) {
  for (const SymbolId symbol : FindSymbols(model_.expressions, expr)) AddSymbol(symbol);
}

void OperatingPoints::AddSymbol(SymbolId symbol) {
  const ExprPool& pool = model_.expressions;
  if (pool.kind(symbol) == SymbolKind::kIndex) return;
  if (std::find(symbols_.begin(), symbols_.end(), symbol) != symbols_.end()) return;
  symbols_.push_back(symbol);
  const SymbolId base = pool.symbol(symbol).base;
  const Shape* shape = nullptr;
  for (const Parameter& p : cls_.parameters) {
    if (p.symbol == base) shape = &p.shape;
  }
  for (const Variable& v : cls_.variables) {
    if (v.symbol == base) shape = &v.shape;
  }
  for (const Edge& e : cls_.edges) {
    if (e.across == base || e.through == base) shape = &e.shape;
  }
  size_t array = SIZE_MAX, count = 1;
  if (shape != nullptr && !shape->empty()) {
    std::vector<uint32_t> sizes;
    count = CountElements(model_, *shape, element_.values, &sizes);
    if (count > 10 * kMostUnknowns) {
      usable_ = false;
      return;
    }
    array = environment_.arrays.size();
    environment_.arrays.push_back({symbol, {sizes.begin(), sizes.end()}, std::vector<Dual>(count)});
  }
  // A composite's equations read variables of its parts; these are free here.
  if (pool.kind(symbol) != SymbolKind::kVariable) return;
  for (size_t k = 0; k < count; ++k) columns_.push_back({symbol, array, k});
}

Dual& OperatingPoints::At(const Column& column) const {
  return column.array == SIZE_MAX ? environment_.scalars[column.symbol.index()]
                                  : environment_.arrays[column.array].elements[column.element];
}

void OperatingPoints::Randomise(int number) {
  const ExprPool& pool = model_.expressions;
  environment_.scalars.assign(pool.symbol_count(), Dual{std::nan(""), 0});
  Random random(static_cast<uint64_t>(number / 2) * 7919 + 17);
  environment_.time = {random.Between(0.1, 2), 0};
  // By name, so that the numbers do not depend on the order in which symbols were met.
  std::vector<SymbolId> ordered = symbols_;
  std::sort(ordered.begin(), ordered.end(),
            [&](SymbolId a, SymbolId b) { return pool.CompareSymbols(a, b) < 0; });
  for (const SymbolId symbol : ordered) {
    const SymbolId base = pool.symbol(symbol).base;
    const SymbolKind kind = pool.kind(symbol);
    const auto draw = [&]() -> double {
      if (kind == SymbolKind::kDiscrete) return std::floor(random.Between(0, 2.999));
      if (kind == SymbolKind::kVariable) {
        const double value = random.Between(0.1, 1.1) * (random.Between(-1, 1) < 0 ? -1 : 1);
        return number % 2 == 0 ? value : -value;
      }
      return random.Between(0.4, 1.4);
    };
    bool array = false;
    for (auto& a : environment_.arrays) {
      if (a.symbol != symbol) continue;
      array = true;
      for (Dual& e : a.elements) e = {draw(), 0};
      if (kind != SymbolKind::kParameter) continue;
      // Arrays of parameters are breakpoints, or matrices of a quadratic form, more often than not.
      if (a.sizes.size() == 1) {
        std::sort(a.elements.begin(), a.elements.end(), [](Dual x, Dual y) { return x.value < y.value; });
      } else if (a.sizes.size() == 2 && a.sizes[0] == a.sizes[1]) {
        for (size_t i = 0; i < a.sizes[0]; ++i) {
          for (size_t k = 0; k < i; ++k) a.elements[i * a.sizes[0] + k] = a.elements[k * a.sizes[0] + i];
        }
      }
    }
    if (array) continue;
    double value = draw();
    for (const Parameter& p : cls_.parameters) {
      if (p.symbol != base) continue;
      const NumberBounds bounds = FindBounds(model_, p.type, p.bounds, element_.values);
      const double low = std::max(bounds.min, bounds.above), high = std::min(bounds.max, bounds.below);
      if (low > -1e299 && high < 1e299)
        value = low + (high - low) * (value - 0.4);
      else if (value > high)
        value = high - value;
      else if (value < low)
        value = low + value;
    }
    environment_.scalars[symbol.index()] = {value, 0};
  }
}

void OperatingPoints::LoopOver(const LoopRange& loops, uint32_t k, const Row& row,
                               std::vector<Dual>& out) const {
  if (k == loops.count) {
    Dual value;
    EvaluateDual(*row.tape, environment_, workspace_, std::span(&value, 1));
    out.push_back(value);
    return;
  }
  const Loop& loop = cls_.loops[loops.first + k];
  ParameterValues values = element_.values;
  for (uint32_t i = 0; i < k; ++i) {
    const SymbolId symbol = cls_.loops[loops.first + i].symbol;
    values[symbol.value] = environment_.scalars[symbol.index()].value;
  }
  const double from = EvaluateConstant(model_.expressions, loop.from, values).value_or(1);
  const double to = EvaluateConstant(model_.expressions, loop.to, values).value_or(0);
  for (double i = from; i <= to && out.size() <= 4 * kMostUnknowns; ++i) {
    environment_.scalars[loop.symbol.index()] = {i, 0};
    LoopOver(loops, k + 1, row, out);
  }
}

bool OperatingPoints::Residuals(std::vector<Dual>& out) const {
  out.clear();
  for (size_t turn = 0; turn < conditions_.size(); ++turn) {  // some hang on others
    for (const auto& [symbol, tape] : conditions_)
      environment_.scalars[symbol.index()] = {Evaluate(*tape), 0};
  }
  for (const Row& row : rows_) LoopOver(row.loops, 0, row, out);
  for (const Dual& d : out) {
    if (!std::isfinite(d.value)) return false;
  }
  return true;
}

bool OperatingPoints::MoveTo(int number) {
  if (!usable_) return false;
  Randomise(number);
  std::vector<Dual> now, moved;
  for (int iteration = 0; iteration < 40; ++iteration) {
    if (!Residuals(now)) return false;
    double worst = 0;
    for (const Dual& d : now) worst = std::max(worst, std::abs(d.value));
    if (worst < 1e-11 && iteration > 0) return true;
    if (now.size() > 4 * kMostUnknowns) return false;
    std::vector<double> jacobian(now.size() * columns_.size()), f(now.size()), dx;
    for (size_t c = 0; c < columns_.size(); ++c) {
      At(columns_[c]).tangent = 1;
      if (!Residuals(moved)) return false;
      for (size_t r = 0; r < now.size(); ++r) jacobian[r * columns_.size() + c] = moved[r].tangent;
      At(columns_[c]).tangent = 0;
    }
    for (const double v : jacobian) {
      if (!std::isfinite(v)) return false;
    }
    for (size_t r = 0; r < now.size(); ++r) f[r] = now[r].value;
    if (!SolveStep(jacobian, f, now.size(), columns_.size(), dx)) return false;
    double size = 0;
    for (const double v : dx) size = std::max(size, std::abs(v));
    const double damping = size > 2 ? 2 / size : 1;
    for (size_t c = 0; c < columns_.size(); ++c) At(columns_[c]).value += damping * dx[c];
    if (iteration > 3 && worst < 1e-9 && size < 1e-9) return true;
  }
  return false;
}

double OperatingPoints::Evaluate(const Tape& tape) const {
  Dual value;
  EvaluateDual(tape, environment_, workspace_, std::span(&value, 1));
  return value.value;
}

double OperatingPoints::Power(uint32_t edge) const {
  const ElementEdge& e = element_.edges[edge];
  if (environment_.scalars.size() <= element_index_.index())
    environment_.scalars.resize(element_index_.index() + 1, Dual{std::nan(""), 0});
  environment_.scalars[element_index_.index()] = {static_cast<double>(e.index + 1), 0};
  return Evaluate(*power_[e.edge]);
}

double OperatingPoints::EnergyRate() const {
  return Evaluate(*energy_rate_);
}

double OperatingPoints::Loss() const {
  return Evaluate(*loss_);
}

}  // namespace cotree
