// SPDX-License-Identifier: Apache-2.0
#include "simulation/initialize.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "expr/evaluate.h"
#include "simulation/trim.h"
#include "system_equations/variable_unit.h"

namespace cotree {
namespace {

using Start = InitialDemands::Start;

// Matrices of what looks at all states at once are dense.
constexpr size_t kMostStates = 200;

/* Slots that something depends on: f(slot) is called once for each slot from which one of `slots` is
computed, these included. */
template <class F>
void OverNeeded(const SortedSystem& sorted, std::vector<uint32_t> slots, F&& f) {
  std::vector<bool> seen(sorted.slots(), false);
  for (const uint32_t slot : slots) seen[slot] = true;
  while (!slots.empty()) {
    const uint32_t slot = slots.back();
    slots.pop_back();
    f(slot);
    const uint32_t equation = sorted.equation_of_slot[slot];
    if (equation == UINT32_MAX) continue;
    // A block is computed as a whole; its equations lead to each other's unknowns.
    sorted.OverUses(equation, [&](uint32_t v, uint32_t order) {
      const uint32_t next = sorted.first_slot[v] + order;
      if (seen[next]) return;
      seen[next] = true;
      slots.push_back(next);
    });
  }
}

// States that influence a derivative, not counting that a position's rate is the speed.
std::vector<bool> HeldStates(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  std::vector<uint32_t> rates;
  for (const uint32_t slot : program.derivative_slots) {
    if (sorted.equation_of_slot[slot] != UINT32_MAX) rates.push_back(slot);
  }
  std::vector<bool> needed(sorted.slots(), false), out;
  OverNeeded(sorted, std::move(rates), [&](uint32_t slot) { needed[slot] = true; });
  // What holds a position holds its speed, too; orders of a variable stand in ascending order.
  for (size_t k = 0; k < program.state_slots.size(); ++k) {
    if (needed[program.state_slots[k]]) needed[program.derivative_slots[k]] = true;
  }
  for (const uint32_t slot : program.state_slots) out.push_back(needed[slot]);
  return out;
}

// "5 V".
std::string ValueText(const SortedSystem& sorted, uint32_t slot, double number) {
  const std::string unit = UnitOf(*sorted.system, sorted.OfSlot(slot));
  return fmt::format("{:.6g}{}{}", number, unit.empty() ? "" : " ", unit);
}

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 6;
  std::string text;
  for (size_t k = 0; k < names.size() && k < kMost; ++k) text += (k > 0 ? ", " : "") + names[k];
  return names.size() > kMost ? text + fmt::format(" and {} more", names.size() - kMost) : text;
}

// What is no state though it is differentiated: it follows from others. What the equations of motion add is
// placed with the mechanism.
bool IsStorage(const SortedSystem& sorted, VariableRef ref) {
  const EquationSystem& system = *sorted.system;
  if (sorted.equation_of_slot[sorted.Slot(ref)] == UINT32_MAX || ref.variable >= system.part_variables)
    return false;
  return ref.order < sorted.offsets.variable[ref.variable] &&
         system.PartOfVariable(ref.variable) < system.graph->components.size();
}

}  // namespace

// (G G^T) y = right, x = G^T y.
bool LeastChange(const std::vector<double>& rows, std::vector<double> right, std::vector<double>* x) {
  const size_t m = right.size(), n = x->size();
  std::vector<double> a(m * m, 0), diagonal(m);
  for (size_t i = 0; i < m; ++i) {
    for (size_t k = 0; k < m; ++k) {
      for (size_t j = 0; j < n; ++j) a[i * m + k] += rows[i * n + j] * rows[k * n + j];
    }
    diagonal[i] = a[i * m + i];
  }
  std::vector<size_t> pivots;
  for (size_t p = 0; p < m; ++p) {
    if (!(a[p * m + p] > 1e-12 * diagonal[p])) continue;
    pivots.push_back(p);
    for (size_t i = 0; i < m; ++i) {
      if (i == p) continue;
      const double factor = a[i * m + p] / a[p * m + p];
      for (size_t k = 0; k < m; ++k) a[i * m + k] -= factor * a[p * m + k];
      right[i] -= factor * right[p];
    }
  }
  std::fill(x->begin(), x->end(), 0);
  for (const size_t p : pivots) {
    for (size_t j = 0; j < n; ++j) (*x)[j] += rows[p * n + j] * (right[p] / a[p * m + p]);
  }
  return !pivots.empty();
}

InitialValues FindInitialValues(const Program& program, const std::vector<StartEntry>& starts, bool steady) {
  const SortedSystem& sorted = *program.sorted;
  std::unordered_map<uint32_t, size_t> state_of_slot;
  for (size_t k = 0; k < program.state_slots.size(); ++k) state_of_slot[program.state_slots[k]] = k;
  InitialValues out;
  out.demands.start.assign(program.state_slots.size(), Start::kFree);
  std::vector<std::pair<uint32_t, double>> pins;
  for (const StartEntry& start : starts) {
    if (!sorted.HasSlot(start.variable)) continue;
    const uint32_t slot = sorted.Slot(start.variable);
    const auto state = state_of_slot.find(slot);
    if (state != state_of_slot.end()) {
      out.demands.start[state->second] = start.fixed                                     ? Start::kFixed
                                         : start.wish == StateWish::kPrefer              ? Start::kPreferred
                                         : start.given && start.wish == StateWish::kNone ? Start::kProposed
                                                                                         : Start::kFree;
    } else if (start.fixed && sorted.equation_of_slot[slot] != UINT32_MAX) {
      pins.emplace_back(slot, start.value);
    } else if (start.given && start.wish != StateWish::kAvoid && IsStorage(sorted, start.variable)) {
      out.demands.proposed.push_back(slot);
      out.proposed.push_back(start.value);
    }
  }
  for (const EquationSystem::Invariant& kept : sorted.system->invariants) {
    if (sorted.system->IsRemainder(kept.variable))
      pins.emplace_back(sorted.Slot({kept.variable, kept.order}), 0.0);
  }
  if (steady) {
    const std::vector<bool> held = HeldStates(program);
    for (size_t k = 0; k < program.state_slots.size(); ++k) {
      if (out.demands.start[k] == Start::kFixed || !held[k]) continue;
      const auto rate = state_of_slot.find(program.derivative_slots[k]);
      if (rate != state_of_slot.end() && out.demands.start[rate->second] == Start::kFixed) continue;
      pins.emplace_back(program.derivative_slots[k], 0.0);
    }
  }
  std::stable_sort(pins.begin(), pins.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [slot, value] : pins) {
    if (!out.demands.pinned.empty() && out.demands.pinned.back() == slot) continue;  // fixed counts more
    out.demands.pinned.push_back(slot);
    out.pinned.push_back(value);
  }
  return out;
}

Initializer::Initializer(ProgramRun& run, const Program& program, const std::vector<StartEntry>& starts,
                         const InitializeOptions& options)
    : run_(run),
      program_(program),
      sorted_(*program.sorted),
      system_(*sorted_.system),
      starts_(starts),
      options_(options),
      initial_(FindInitialValues(program, starts, options.steady)) {
  if (initial_.demands.pinned.empty() && initial_.demands.proposed.empty() && system_.initial.empty()) return;
  if (!system_.kept_constraints.empty()) ChooseDependent();
  FindOrder();
}

void Initializer::FindOrder() {
  order_ = SortInitial(sorted_, initial_.demands);
  initial_program_ = BuildInitialProgram(std::make_shared<SortedSystem>(order_.sorted), program_);
  initial_run_ = std::make_unique<ProgramRun>(*initial_program_);
}

Initializer::~Initializer() = default;

/* Which states are found from kept constraints: in the structure any of those that they tie together would
do, in numbers only such as they determine. By elimination of their derivatives at the starts, the largest
pivot first, among states without a start, then among those with one, then among preferred ones. */
void Initializer::ChooseDependent() {
  const size_t n = program_.state_slots.size();
  std::vector<uint32_t> slots;
  for (const EquationSystem::Invariant& kept : system_.invariants) {
    if (system_.IsRemainder(kept.variable)) slots.push_back(sorted_.Slot({kept.variable, kept.order}));
  }
  const size_t m = slots.size();
  if (n > kMostStates || m > n) return;
  PlaceStarts(true);
  if (!run_.Run(options_.time)) return;
  std::vector<double> rows(m * n);
  for (size_t j = 0; j < n; ++j) {
    for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
    for (const uint32_t slot : program_.state_slots) run_.tangents[slot] = 0;
    run_.tangents[program_.state_slots[j]] = 1;
    run_.RunTangent(options_.time);
    for (size_t i = 0; i < m; ++i) rows[i * n + j] = run_.tangents[slots[i]];
  }
  if (!std::all_of(rows.begin(), rows.end(), [](double x) { return std::isfinite(x); })) return;
  std::vector<double> size(m, 0);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) size[i] = std::max(size[i], std::fabs(rows[i * n + j]));
  }
  constexpr double kRegular = 1e-6;
  std::vector<bool> used(m, false), chosen(n, false);
  for (const Start level : {Start::kFree, Start::kProposed, Start::kPreferred}) {
    for (;;) {
      size_t row = m, column = n;
      double best = kRegular;
      for (size_t i = 0; i < m; ++i) {
        if (used[i] || !(size[i] > 0)) continue;
        for (size_t j = 0; j < n; ++j) {
          const double pivot = std::fabs(rows[i * n + j]) / size[i];
          if (chosen[j] || initial_.demands.start[j] != level || !(pivot > best)) continue;
          best = pivot;
          row = i;
          column = j;
        }
      }
      if (row == m) break;
      used[row] = chosen[column] = true;
      for (size_t i = 0; i < m; ++i) {
        if (used[i]) continue;
        const double factor = rows[i * n + column] / rows[row * n + column];
        for (size_t j = 0; j < n; ++j) rows[i * n + j] -= factor * rows[row * n + j];
        rows[i * n + column] = 0;
      }
    }
  }
  const bool all = std::all_of(used.begin(), used.end(), [](bool u) { return u; });
  if (!all) return;
  for (size_t j = 0; j < n; ++j) {
    Start& start = initial_.demands.start[j];
    if (chosen[j]) start = Start::kDependent;
  }
}

void Initializer::PlaceStarts(bool keep_discrete) {
  std::vector<bool> is_state(sorted_.slots(), false);
  for (const uint32_t slot : program_.state_slots) is_state[slot] = true;
  for (const Guess& guess : FindGuesses(system_)) {
    if (!sorted_.HasSlot(guess.variable)) continue;
    const uint32_t slot = sorted_.Slot(guess.variable);
    if (!is_state[slot] && sorted_.equation_of_slot[slot] != UINT32_MAX) run_.values[slot] = guess.value;
  }
  for (const StartEntry& start : starts_) {
    if (!start.given || !sorted_.HasSlot(start.variable)) continue;
    const uint32_t slot = sorted_.Slot(start.variable);
    const bool discrete = !is_state[slot] && sorted_.equation_of_slot[slot] == UINT32_MAX;
    if (!(discrete && keep_discrete)) run_.values[slot] = start.value;
  }
  if (keep_discrete) return;
  for (const Program::Pre& p : program_.pres) run_.values[p.slot] = run_.values[p.of];
}

void Initializer::Sides(const EquationSystem::InitialEquation& equation, double* left, double* right) const {
  const Part& part = system_.parts[equation.part];
  const ScalarElement& scalar = system_.scalars[part.scalar];
  ExprPool& pool = system_.model->expressions;
  Environment<double> environment;
  environment.time = options_.time;
  environment.scalars.assign(pool.symbol_count() + 8, 0);
  const auto numbers = system_.parameters.Of(ComponentId(part.component), scalar);
  for (size_t p = 0; p < scalar.parameters.size(); ++p)
    environment.scalars[scalar.parameters[p].symbol.index()] = numbers[p];
  for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
    const VariableRef ref = system_.Resolve(part, v);
    if (scalar.variables[v].role == ScalarVariable::Role::kDiscrete && sorted_.HasSlot(ref))
      environment.scalars[scalar.variables[v].symbol.index()] = run_.values[sorted_.Slot(ref)];
  }
  for (const ScalarUse& use : scalar.equations[equation.local].uses) {
    const VariableRef ref = system_.Resolve(part, use.variable);
    for (uint32_t order = 0; order <= use.order; ++order) {
      const VariableRef at{ref.variable, ref.order + order};
      const SymbolId symbol =
          pool.SymbolOfOrder(scalar.variables[use.variable].symbol, static_cast<int>(order));
      if (environment.scalars.size() <= symbol.index()) environment.scalars.resize(symbol.index() + 1, 0);
      if (sorted_.HasSlot(at)) environment.scalars[symbol.index()] = run_.values[sorted_.Slot(at)];
    }
  }
  const ScalarEquation& sides = scalar.equations[equation.local];
  *left = EvaluateDouble(pool, sides.left, environment);
  *right = EvaluateDouble(pool, sides.right, environment);
}

// "(`c1.v` is fixed at 5 V, `c2.v` is free ...)": what some slots follow from.
std::string Initializer::Reasons(const std::vector<uint32_t>& slots) const {
  std::unordered_map<uint32_t, uint32_t> state_of_slot, pin_of_slot;
  for (uint32_t k = 0; k < program_.state_slots.size(); ++k) state_of_slot[program_.state_slots[k]] = k;
  for (uint32_t k = 0; k < initial_.demands.pinned.size(); ++k) pin_of_slot[initial_.demands.pinned[k]] = k;
  std::vector<std::string> fixed, free;
  OverNeeded(sorted_, slots, [&](uint32_t slot) {
    const std::string name = "`" + sorted_.SlotName(slot) + "`";
    const bool own = std::find(slots.begin(), slots.end(), slot) != slots.end();
    if (pin_of_slot.count(slot) > 0) {
      if (!own)
        fixed.push_back(
            fmt::format("{} = {}", name, ValueText(sorted_, slot, initial_.pinned[pin_of_slot[slot]])));
      return;
    }
    if (state_of_slot.count(slot) == 0) return;
    if (initial_.demands.start[state_of_slot[slot]] == Start::kFixed) {
      fixed.push_back(fmt::format("{} = {}", name, ValueText(sorted_, slot, run_.values[slot])));
    } else {
      free.push_back(name);
    }
  });
  std::string text = fixed.empty() ? "nothing else is fixed" : "fixed: " + Listed(fixed);
  text += free.empty() ? "; nothing is free" : "; free, but used up by other demands: " + Listed(free);
  return text;
}

// A kept constraint that the starts do not meet.
std::string Initializer::ConstraintContradiction(uint32_t slot) const {
  const VariableRef ref = sorted_.OfSlot(slot);
  const auto kept = std::find_if(system_.kept_constraints.begin(), system_.kept_constraints.end(),
                                 [&](const auto& k) { return k.remainder == ref.variable; });
  return fmt::format("the starts contradict a constraint of {}: the sides of `{}` differ by {:.6g} ({})",
                     system_.EquationOrigin(kept->equation), system_.EquationText(kept->equation, ref.order),
                     run_.values[slot], Reasons({slot}));
}

// What the values of the run do not meet, with what it follows from; empty: everything is met.
std::string Initializer::FindContradiction() const {
  // Where every equation had something to be solved for, nothing can contradict.
  if (order_.redundant.empty()) return {};
  // Rounding of what is 0 has no size to be compared with.
  const auto met = [](double is, double wanted) {
    const double size = std::max(std::fabs(is), std::fabs(wanted));
    return std::fabs(is - wanted) <= 1e-6 * (wanted == 0 || is == 0 ? 1 + size : size);
  };
  for (size_t k = 0; k < initial_.demands.pinned.size(); ++k) {
    const uint32_t slot = initial_.demands.pinned[k];
    const double is = run_.values[slot];
    if (met(is, initial_.pinned[k])) continue;
    if (system_.IsRemainder(sorted_.OfSlot(slot).variable)) return ConstraintContradiction(slot);
    const bool rate = std::find(program_.derivative_slots.begin(), program_.derivative_slots.end(), slot) !=
                      program_.derivative_slots.end();
    if (options_.steady && rate && initial_.pinned[k] == 0)
      return fmt::format("no state of rest was found: `{}` = 0 cannot be met, it is {} ({})",
                         sorted_.SlotName(slot), ValueText(sorted_, slot, is), Reasons({slot}));
    return fmt::format(
        "the start of `{}`, fixed at {}, contradicts the other start values: from these it is "
        "{} ({}). Say `guess` instead of `fixed` for one of them",
        sorted_.SlotName(slot), ValueText(sorted_, slot, initial_.pinned[k]), ValueText(sorted_, slot, is),
        Reasons({slot}));
  }
  for (uint32_t k = 0; k < system_.initial.size(); ++k) {
    double left = 0, right = 0;
    Sides(system_.initial[k], &left, &right);
    if (met(left, right)) continue;
    const uint32_t equation = system_.equation_count() + k;
    std::vector<uint32_t> slots;
    const EquationSystem::Source source = system_.SourceOf(equation);
    sorted_.OverUsesOf(*source.part, source.local, 0,
                       [&](uint32_t v, uint32_t order) { slots.push_back(sorted_.first_slot[v] + order); });
    return fmt::format(
        "the {}, `{}`, contradicts the other start values: its sides are {:.6g} and {:.6g} ({})",
        system_.EquationOrigin(equation), system_.EquationText(equation), left, right, Reasons(slots));
  }
  return {};
}

// A state that does not rest though `steady` asks for it: all but positions do, and those with a fixed start.
// Positions are states whose rate has a name of its own in its domain; with nothing to hold them they may
// move.
std::string Initializer::FindUnsteady() const {
  if (!options_.steady) return {};
  for (size_t k = 0; k < program_.state_slots.size(); ++k) {
    const uint32_t slot = program_.state_slots[k], rate = program_.derivative_slots[k];
    const double is = run_.values[rate];
    // Against one second, as the size of its own motion is not known.
    if (std::fabs(is) <= 1e-6 * (1 + std::fabs(run_.values[slot]))) continue;
    if (initial_.demands.start[k] == Start::kFixed || !sorted_.SlotName(rate).starts_with("der(")) continue;
    return fmt::format(
        "there is no steady state: `{}` is {}, and nothing brings it to 0; begin without `initial = steady`, "
        "or fix the start of `{}`",
        sorted_.SlotName(rate), ValueText(sorted_, rate, is), sorted_.SlotName(slot));
  }
  return {};
}

// Why the program of the beginning has no solution, with the demands that are part of it.
std::string Initializer::InitialFailure() const {
  const uint32_t block = initial_run_->failure().block;
  std::string text = "the start values were not found: " + initial_run_->FailureText();
  if (block == UINT32_MAX) return text;
  std::vector<std::string> demands, found;
  for (const uint32_t e : order_.sorted.Block(block)) {
    const uint32_t equation = order_.sorted.equations[e].equation;
    if (equation >= system_.equation_count()) demands.push_back("`" + system_.EquationText(equation) + "`");
    order_.sorted.OverUses(e, [&](uint32_t v, uint32_t order) {
      const uint32_t slot = sorted_.first_slot[v] + order;
      const auto pin = std::lower_bound(initial_.demands.pinned.begin(), initial_.demands.pinned.end(), slot);
      if (pin == initial_.demands.pinned.end() || *pin != slot) return;
      const std::string name =
          fmt::format("`{}` = {}", sorted_.SlotName(slot),
                      ValueText(sorted_, slot,
                                initial_.pinned[static_cast<size_t>(pin - initial_.demands.pinned.begin())]));
      if (std::find(demands.begin(), demands.end(), name) == demands.end()) demands.push_back(name);
    });
  }
  for (const uint32_t state : order_.determined) {
    const uint32_t slot = program_.state_slots[state];
    const auto equations = order_.sorted.Block(block);
    if (std::find(equations.begin(), equations.end(), order_.sorted.equation_of_slot[slot]) !=
        equations.end())
      found.push_back("`" + sorted_.SlotName(slot) + "`");
  }
  if (!demands.empty()) text += "; demanded: " + Listed(demands);
  if (!found.empty()) text += "; to be found: " + Listed(found);
  return text + ". Proposed starts near the solution help, or fewer demands";
}

bool Initializer::SolveInOrder() {
  ProgramRun& initial = *initial_run_;
  std::copy(run_.values.begin(), run_.values.end(), initial.values.begin());
  for (size_t k = 0; k < initial_.pinned.size(); ++k)
    initial.values[initial_.demands.pinned[k]] = initial_.pinned[k];
  for (size_t k = 0; k < initial_.proposed.size(); ++k)
    initial.values[initial_.demands.proposed[k]] = initial_.proposed[k];
  initial.switch_time = run_.switch_time;
  initial.foreign = run_.foreign;
  initial.homotopy = initial.least_change = true;
  const uint64_t before = initial.iterations, followed = initial.homotopies;
  const bool solved = initial.Run(options_.time);
  out_.iterations = initial.iterations - before;
  out_.homotopies = initial.homotopies - followed;
  if (!solved) {
    out_.problem = InitialFailure();
    return SolveByStates();
  }
  // A division by zero; if nothing helps, the program of the run says where it leads.
  const bool finite = std::all_of(program_.state_slots.begin(), program_.state_slots.end(),
                                  [&](uint32_t slot) { return std::isfinite(initial.values[slot]); });
  if (!finite && SolveByStates()) return true;
  std::copy(initial.values.begin(), initial.values.begin() + static_cast<std::ptrdiff_t>(run_.values.size()),
            run_.values.begin());
  return true;
}

// Newton's method on states that are not fixed, with the least change of each step. Initial equations have no
// tangents here: they are left to the order of the beginning.
bool Initializer::SolveByStates() {
  constexpr int kMostSteps = 20;
  const size_t n = program_.state_slots.size(), m = initial_.demands.pinned.size();
  if (n > kMostStates || m > 2 * n || !system_.initial.empty()) return false;
  std::vector<double> right(m), rows(m * n), change(n);
  for (int step = 0; step < kMostSteps; ++step) {
    if (!run_.Run(options_.time)) return false;
    double worst = 0;
    for (size_t i = 0; i < m; ++i) {
      right[i] = initial_.pinned[i] - run_.values[initial_.demands.pinned[i]];
      worst = std::max(worst, std::fabs(right[i]) / (1 + std::fabs(initial_.pinned[i])));
    }
    if (!std::isfinite(worst)) return false;
    if (worst <= 1e-10) return true;
    for (size_t j = 0; j < n; ++j) {
      for (const uint32_t slot : program_.input_slots) run_.tangents[slot] = 0;
      for (const uint32_t slot : program_.state_slots) run_.tangents[slot] = 0;
      const bool fixed = initial_.demands.start[j] == Start::kFixed;
      if (!fixed) {
        run_.tangents[program_.state_slots[j]] = 1;
        run_.RunTangent(options_.time);
      }
      for (size_t i = 0; i < m; ++i) rows[i * n + j] = fixed ? 0 : run_.tangents[initial_.demands.pinned[i]];
    }
    if (!LeastChange(rows, right, &change)) return false;
    for (size_t j = 0; j < n; ++j) run_.values[program_.state_slots[j]] += change[j];
  }
  return false;
}

// Steady motion: nothing changes but along directions on which nothing depends. Initial equations have no
// tangents, as above.
bool Initializer::SolveMoving() {
  if (!options_.steady || program_.state_slots.size() > kMostStates || !system_.initial.empty()) return false;
  PlaceStarts(true);
  TrimProblem problem;
  problem.time = options_.time;
  for (size_t k = 0; k < program_.state_slots.size(); ++k) {
    const uint32_t slot = program_.state_slots[k];
    if (initial_.demands.start[k] == Start::kFixed) problem.fixed.push_back({slot, run_.values[slot]});
  }
  for (size_t k = 0; k < initial_.pinned.size(); ++k) {
    const uint32_t slot = initial_.demands.pinned[k];
    const std::vector<uint32_t>& rates = program_.derivative_slots;
    if (initial_.pinned[k] != 0 || std::find(rates.begin(), rates.end(), slot) == rates.end())
      problem.fixed.push_back({slot, initial_.pinned[k]});
  }
  const Trim trim = FindTrim(run_, program_, problem);
  if (trim.ok && run_.Run(options_.time)) {
    const std::string unsteady = FindUnsteady();
    if (unsteady.empty()) return true;
    out_.problem = unsteady;
    return false;
  }
  std::vector<std::string> unmet;
  for (const Trim::Unmet& u : trim.unmet)
    unmet.push_back(fmt::format("`{}` is {} instead of {}", sorted_.SlotName(u.slot),
                                ValueText(sorted_, u.slot, u.reached), ValueText(sorted_, u.slot, u.wanted)));
  if (!unmet.empty()) out_.problem += ". Steady motion was not found either: " + Listed(unmet);
  return false;
}

// As demanded, and checked; otherwise `problem` says what is wrong.
bool Initializer::FindValues() {
  if (initial_program_ != nullptr && !SolveInOrder()) return false;
  run_.homotopy = true;
  const uint64_t followed = run_.homotopies;
  const bool computed = run_.Run(options_.time);
  run_.homotopy = false;
  out_.homotopies += run_.homotopies - followed;
  out_.problem = !computed ? run_.FailureText() : initial_program_ != nullptr ? FindContradiction() : "";
  if (out_.problem.empty()) out_.problem = FindUnsteady();
  return out_.problem.empty();
}

// Proposals are no demands: where they lead nowhere the states begin as if there were none.
bool Initializer::FindValuesWithoutProposals(bool keep_discrete) {
  if (initial_.proposed.empty()) return false;
  const std::string problem = out_.problem;
  initial_.proposed.clear();
  initial_.demands.proposed.clear();
  if (initial_.demands.pinned.empty() && system_.initial.empty()) {
    order_ = {};
    initial_run_.reset();
    initial_program_.reset();
  } else {
    FindOrder();
  }
  PlaceStarts(keep_discrete);
  if (FindValues()) return true;
  out_.problem = problem;
  return false;
}

// Which states keep their start, and which are found.
void Initializer::ListStates() {
  out_.determined = order_.determined;
  for (uint32_t k = 0; k < program_.state_slots.size(); ++k) {
    const bool found = std::binary_search(out_.determined.begin(), out_.determined.end(), k);
    const bool pinned = std::binary_search(initial_.demands.pinned.begin(), initial_.demands.pinned.end(),
                                           program_.state_slots[k]);
    if (initial_.demands.start[k] != Start::kFixed && !found && !pinned) out_.kept.push_back(k);
  }
}

Initialization Initializer::Solve(bool keep_discrete) {
  out_ = {};
  PlaceStarts(keep_discrete);
  for (const StartEntry& start : starts_) {
    if (!start.fixed || start.variable.order == 0 || sorted_.HasSlot(start.variable)) continue;
    out_.ok = false;
    out_.problem =
        fmt::format("the start of `{}` is fixed, but nothing computes it; say it as an `initial equation`",
                    system_.VariableName(start.variable.variable, start.variable.order));
    return out_;
  }
  out_.ok = FindValues() || FindValuesWithoutProposals(keep_discrete) || SolveMoving();
  ListStates();
  if (out_.ok) out_.problem.clear();
  return out_;
}

}  // namespace cotree
