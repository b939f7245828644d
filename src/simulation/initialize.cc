// SPDX-License-Identifier: Apache-2.0
#include "simulation/initialize.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "expr/differentiate.h"
#include "expr/evaluate.h"

namespace cotree {
namespace {

/** Something that must be zero at the beginning. */
struct Condition {
  enum class Kind { kValue, kDerivative, kEquation } kind;
  uint32_t slot = 0;  // kValue: slot - value; kDerivative: the slot itself
  double value = 0;
  const Part* part = nullptr;  // kEquation
  ExprId residual;
  uint32_t equation = 0;
};

class Initializer {
 public:
  Initializer(ProgramRun& run, const Program& program, const std::vector<StartEntry>& starts,
              const InitializeOptions& options)
      : run_(run),
        program_(program),
        sorted_(*program.sorted),
        system_(*sorted_.system),
        starts_(starts),
        options_(options) {}

  Initialization Solve();

 private:
  void PlaceStarts();
  void AddConditions();
  double Residual(const Condition& c) const;
  double Tangent(const Condition& c) const;
  bool Newton();
  std::string Describe(const Condition& c) const;

  ProgramRun& run_;
  const Program& program_;
  const SortedSystem& sorted_;
  const EquationSystem& system_;
  const std::vector<StartEntry>& starts_;
  const InitializeOptions& options_;
  Initialization out_;
  std::vector<int> priority_;  // by state: 0 free, 1 proposed, 2 preferred; -1 fixed
  std::vector<Condition> conditions_;
};

void Initializer::PlaceStarts() {
  std::unordered_map<uint32_t, size_t> state_of_slot;
  for (size_t k = 0; k < program_.state_slots.size(); ++k) state_of_slot[program_.state_slots[k]] = k;
  priority_.assign(program_.state_slots.size(), 0);
  for (const StartEntry& start : starts_) {
    if (!sorted_.HasSlot(start.variable)) continue;
    const uint32_t slot = sorted_.Slot(start.variable);
    const auto state = state_of_slot.find(slot);
    const bool discrete = state == state_of_slot.end() && sorted_.equation_of_slot[slot] == UINT32_MAX;
    if (start.given && !(discrete && options_.keep_discrete)) run_.values[slot] = start.value;
    if (state != state_of_slot.end()) {
      priority_[state->second] = start.fixed ? -1 : start.prefer ? 2 : 1;
    } else if (start.fixed && sorted_.equation_of_slot[slot] != UINT32_MAX) {
      conditions_.push_back({Condition::Kind::kValue, slot, start.value, nullptr, {}, 0});
    }
  }
}

void Initializer::AddConditions() {
  for (const Part& part : system_.parts) {
    const ScalarElement& scalar = system_.scalars[part.scalar];
    for (uint32_t e = scalar.always; e < scalar.equations.size(); ++e)
      conditions_.push_back({Condition::Kind::kEquation, 0, 0, &part, scalar.equations[e].residual, e});
  }
  if (!options_.steady) return;
  for (size_t k = 0; k < program_.state_slots.size(); ++k) {
    if (priority_[k] != -1)
      conditions_.push_back({Condition::Kind::kDerivative, program_.derivative_slots[k], 0, nullptr, {}, 0});
  }
}

double Initializer::Residual(const Condition& c) const {
  if (c.kind != Condition::Kind::kEquation) return run_.values[c.slot] - c.value;
  const ScalarElement& scalar = system_.scalars[c.part->scalar];
  ExprPool& pool = system_.model->expressions;
  Environment<double> environment;
  environment.time = options_.time;
  environment.scalars.assign(pool.symbol_count() + 8, 0);
  const auto numbers = system_.parameters.Of(ComponentId(c.part->component), scalar);
  for (size_t p = 0; p < scalar.parameters.size(); ++p)
    environment.scalars[scalar.parameters[p].symbol.index()] = numbers[p];
  for (const ScalarUse& use : scalar.equations[c.equation].uses) {
    const VariableRef ref = system_.Resolve(*c.part, use.variable);
    for (uint32_t order = 0; order <= use.order; ++order) {
      const VariableRef at{ref.variable, ref.order + order};
      const SymbolId symbol =
          pool.SymbolOfOrder(scalar.variables[use.variable].symbol, static_cast<int>(order));
      if (environment.scalars.size() <= symbol.index()) environment.scalars.resize(symbol.index() + 1, 0);
      if (sorted_.HasSlot(at)) environment.scalars[symbol.index()] = run_.values[sorted_.Slot(at)];
    }
  }
  return EvaluateDouble(pool, c.residual, environment);
}

double Initializer::Tangent(const Condition& c) const {
  if (c.kind != Condition::Kind::kEquation) return run_.tangents[c.slot];
  const ScalarElement& scalar = system_.scalars[c.part->scalar];
  ExprPool& pool = system_.model->expressions;
  Environment<Dual> environment;
  environment.time = {options_.time, 0};
  environment.scalars.assign(pool.symbol_count() + 8, Dual{});
  const auto numbers = system_.parameters.Of(ComponentId(c.part->component), scalar);
  for (size_t p = 0; p < scalar.parameters.size(); ++p)
    environment.scalars[scalar.parameters[p].symbol.index()] = {numbers[p], 0};
  for (const ScalarUse& use : scalar.equations[c.equation].uses) {
    const VariableRef ref = system_.Resolve(*c.part, use.variable);
    for (uint32_t order = 0; order <= use.order; ++order) {
      const VariableRef at{ref.variable, ref.order + order};
      const SymbolId symbol =
          pool.SymbolOfOrder(scalar.variables[use.variable].symbol, static_cast<int>(order));
      if (environment.scalars.size() <= symbol.index())
        environment.scalars.resize(symbol.index() + 1, Dual{});
      if (sorted_.HasSlot(at))
        environment.scalars[symbol.index()] = {run_.values[sorted_.Slot(at)],
                                               run_.tangents[sorted_.Slot(at)]};
    }
  }
  return EvaluateDual(pool, c.residual, environment).tangent;
}

std::string Initializer::Describe(const Condition& c) const {
  switch (c.kind) {
    case Condition::Kind::kValue:
      return "the start of `" + sorted_.SlotName(c.slot) + "`";
    case Condition::Kind::kDerivative:
      return "`" + sorted_.SlotName(c.slot) + "` = 0";
    case Condition::Kind::kEquation:
      return "the initial equation of `" +
             ComponentName(*system_.model, *system_.graph, ComponentId(c.part->component)) + "`";
  }
  return {};
}

// Newton's method in the states that may move; where conditions leave some free, those with the least wanted
// start move (elimination with columns in the order of priority).
bool Initializer::Newton() {
  const size_t n = program_.state_slots.size(), m = conditions_.size();
  std::vector<size_t> movable;
  for (size_t k = 0; k < n; ++k) {
    if (priority_[k] != -1) movable.push_back(k);
  }
  std::stable_sort(movable.begin(), movable.end(),
                   [&](size_t a, size_t b) { return priority_[a] < priority_[b]; });
  constexpr int kMost = 60;
  double last = INFINITY;
  for (int iteration = 0; iteration < kMost; ++iteration) {
    out_.iterations = iteration + 1;
    if (!run_.Run(options_.time)) {
      out_.problem = run_.FailureText();
      return false;
    }
    std::vector<double> right(m);
    double size = 0;
    for (size_t i = 0; i < m; ++i) {
      right[i] = -Residual(conditions_[i]);
      size = std::max(size, std::fabs(right[i]));
    }
    std::vector<double> matrix(m * movable.size());
    for (size_t j = 0; j < movable.size(); ++j) {
      for (const uint32_t slot : program_.state_slots) run_.tangents[slot] = 0;
      for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
      run_.tangents[program_.state_slots[movable[j]]] = 1;
      run_.RunTangent(options_.time);
      for (size_t i = 0; i < m; ++i) matrix[i * movable.size() + j] = Tangent(conditions_[i]);
    }
    // Scale the rows, then eliminate.
    std::vector<double> scale(m, 0);
    for (size_t i = 0; i < m; ++i) {
      for (size_t j = 0; j < movable.size(); ++j)
        scale[i] = std::max(scale[i], std::fabs(matrix[i * movable.size() + j]));
      if (scale[i] == 0) continue;
      for (size_t j = 0; j < movable.size(); ++j) matrix[i * movable.size() + j] /= scale[i];
      right[i] /= scale[i];
    }
    std::vector<bool> used(m, false);
    std::vector<std::pair<size_t, size_t>> pivots;  // row, column
    for (int priority = 0; priority <= 2 && pivots.size() < m; ++priority) {
      for (bool again = true; again && pivots.size() < m;) {
        again = false;
        size_t row = 0, column = 0;
        double best = 1e-9;
        for (size_t j = 0; j < movable.size(); ++j) {
          if (priority_[movable[j]] != priority) continue;
          if (std::any_of(pivots.begin(), pivots.end(), [&](const auto& p) { return p.second == j; }))
            continue;
          for (size_t i = 0; i < m; ++i) {
            if (used[i] || std::fabs(matrix[i * movable.size() + j]) <= best) continue;
            best = std::fabs(matrix[i * movable.size() + j]);
            row = i;
            column = j;
          }
        }
        if (best <= 1e-9) break;
        again = true;
        used[row] = true;
        pivots.emplace_back(row, column);
        for (size_t i = 0; i < m; ++i) {
          if (i == row) continue;
          const double factor = matrix[i * movable.size() + column] / matrix[row * movable.size() + column];
          if (factor == 0) continue;
          for (size_t j = 0; j < movable.size(); ++j)
            matrix[i * movable.size() + j] -= factor * matrix[row * movable.size() + j];
          right[i] -= factor * right[row];
        }
      }
    }
    double change = 0;
    for (const auto& [row, column] : pivots) {
      const double step = right[row] / matrix[row * movable.size() + column];
      double& value = run_.values[program_.state_slots[movable[column]]];
      value += step;
      change = std::max(change, std::fabs(step) / (std::fabs(value) + 1e-9));
    }
    out_.determined.clear();
    for (const auto& pivot : pivots) out_.determined.push_back(static_cast<uint32_t>(movable[pivot.second]));
    if (change < 1e-12 || (change < 1e-9 && size >= last)) {
      run_.Run(options_.time);
      // Conditions that nothing could move must hold by themselves.
      for (size_t i = 0; i < m; ++i) {
        if (used[i] || std::fabs(Residual(conditions_[i])) <= 1e-6 * (1 + std::fabs(conditions_[i].value)))
          continue;
        out_.problem = conditions_[i].kind == Condition::Kind::kDerivative
                           ? "no state of rest was found: " + Describe(conditions_[i]) + " cannot be met"
                           : Describe(conditions_[i]) + " contradicts the other start values";
        return false;
      }
      return true;
    }
    last = size;
  }
  out_.problem = "the start values were not found: the iteration did not converge";
  return false;
}

Initialization Initializer::Solve() {
  PlaceStarts();
  if (!options_.keep_discrete) {
    for (const Program::Pre& p : program_.pres) run_.values[p.slot] = run_.values[p.of];
  }
  AddConditions();
  if (conditions_.empty()) {
    out_.ok = run_.Run(options_.time);
    if (!out_.ok) out_.problem = run_.FailureText();
  } else {
    out_.ok = Newton();
  }
  for (uint32_t k = 0; k < priority_.size(); ++k) {
    const bool found = std::find(out_.determined.begin(), out_.determined.end(), k) != out_.determined.end();
    if (priority_[k] != -1 && !found) out_.kept.push_back(k);
  }
  return std::move(out_);
}

}  // namespace

Initialization Initialize(ProgramRun& run, const Program& program, const std::vector<StartEntry>& starts,
                          const InitializeOptions& options) {
  return Initializer(run, program, starts, options).Solve();
}

}  // namespace cotree
