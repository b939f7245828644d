// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "block_triangular/sorted_system.h"
#include "expr/builtins.h"
#include "expr/walk.h"
#include "graph/strong_components.h"

namespace cotree {
namespace {

bool HasDelay(const ExprPool& pool, ExprId root) {
  ExprOrder order;
  FindOrder(pool, std::span(&root, 1), &order);
  return std::any_of(order.nodes.begin(), order.nodes.end(), [&](ExprId id) {
    return pool.op(id) == Op::kCall && FindBuiltin(pool.FunctionName(pool.FunctionOf(id))) == Builtin::kDelay;
  });
}

// Those of the past, too.
std::vector<SymbolId> FindAllSymbols(const ExprPool& pool, ExprId root) {
  ExprOrder order;
  FindOrder(pool, std::span(&root, 1), &order);
  std::vector<SymbolId> out;
  for (const ExprId id : order.nodes) {
    if (pool.IsSymbol(id)) out.push_back(pool.SymbolOf(id));
  }
  return out;
}

class Sorter {
 public:
  explicit Sorter(const EquationSystem& system) : system_(system) {
    out_.system = &system;
    out_.derived = std::make_shared<DerivedEquations>(system);
  }

  SortedSystem Run() {
    out_.offsets = FindOffsets(system_, FindCausality(system_));
    FindDelayed();
    out_.singular = out_.offsets.singular;
    if (out_.singular) {
      out_.first_slot.assign(system_.variable_count + 1, 0);
      return std::move(out_);
    }
    FollowWishes(system_, out_.offsets);
    RaiseInputs();
    ChooseStates();
    AddEquations();
    if (!Match()) {
      out_.singular = out_.offsets.singular = true;
      return std::move(out_);
    }
    FindBlocks(out_);
    return std::move(out_);
  }

 private:
  template <class F>
  void OverEquations(F&& f) const;
  void FindDelayed();
  bool WantDelayed(const std::vector<std::vector<uint32_t>>& delays, std::vector<VariableRef>& wanted);
  void RaiseInputs();
  void ChooseStates();
  uint32_t KeptTimes(const EquationSystem::KeptConstraint& kept) const;
  void AddEquations();
  bool Match();
  bool Augment(uint32_t root, const LargeVector<uint32_t>& first, const LargeVector<uint32_t>& slots);
  bool IsInput(uint32_t variable) const { return !system_.is_input.empty() && system_.is_input[variable]; }
  bool IsUnknown(uint32_t variable, uint32_t order) const {
    return out_.equation_of_slot[out_.first_slot[variable] + order] != kKnown;
  }

  static constexpr uint32_t kKnown = UINT32_MAX, kFree = UINT32_MAX - 1;
  const EquationSystem& system_;
  SortedSystem out_;
};

// f(equation, part or nullptr, equation of the class or row) over all equations; parts are walked, not
// searched.
template <class F>
void Sorter::OverEquations(F&& f) const {
  const auto call = [&](uint32_t e, const Part* part, uint32_t local) {
    if (system_.replaced.empty() || system_.replaced.count(e) == 0) return f(e, part, local);
    const EquationSystem::Source source = system_.SourceOf(e);
    f(e, source.part, source.local);
  };
  for (const Part& part : system_.parts) {
    const uint32_t count = system_.scalars[part.scalar].always;
    for (uint32_t e = 0; e < count; ++e) call(part.first_equation + e, &part, e);
  }
  for (uint32_t e = system_.part_equations; e < system_.equation_count(); ++e)
    call(e, nullptr, e - system_.part_equations);
}

// The derivative of delay(u, T) is the derivative of u as it was: u is differentiated as often as the
// equation. That does not count as a dependence, so offsets do not know it (BT.11).
void Sorter::FindDelayed() {
  const ExprPool& pool = system_.model->expressions;
  std::vector<std::vector<uint32_t>> delays(system_.scalars.size());  // by class: equations with a delay
  bool any = false;
  for (size_t s = 0; s < system_.scalars.size(); ++s) {
    for (uint32_t e = 0; e < system_.scalars[s].always; ++e) {
      if (!HasDelay(pool, system_.scalars[s].equations[e].residual)) continue;
      delays[s].push_back(e);
      any = true;
    }
  }
  if (!any) return;
  std::vector<VariableRef> wanted = system_.wanted;
  while (!out_.offsets.singular && WantDelayed(delays, wanted))
    out_.offsets = FindOffsets(system_, FindCausality(system_), wanted);
}

// Adds what delayed derivatives need beyond the present orders; whether there was any.
bool Sorter::WantDelayed(const std::vector<std::vector<uint32_t>>& delays, std::vector<VariableRef>& wanted) {
  const ExprPool& pool = system_.model->expressions;
  constexpr uint32_t kMost = 20;
  bool any = false;
  for (const Part& part : system_.parts) {
    for (const uint32_t e : delays[part.scalar]) {
      const uint32_t times = out_.offsets.equation[part.first_equation + e];
      if (times > kMost) {
        out_.endless_delay = part.first_equation + e;
        return false;
      }
      for (uint32_t k = 1; k <= times; ++k) {
        for (const SymbolId symbol : FindAllSymbols(pool, out_.derived->Get(part.scalar, e, k).residual)) {
          const SymbolInfo info = pool.symbol(symbol);
          const uint32_t v = out_.derived->VariableOf(part.scalar, info.base);
          if (v == UINT32_MAX ||
              system_.scalars[part.scalar].variables[v].role == ScalarVariable::Role::kDiscrete)
            continue;
          const VariableRef ref = system_.Resolve(part, v);
          if (ref.variable == UINT32_MAX || ref.order + info.order <= out_.offsets.variable[ref.variable])
            continue;
          const uint32_t order = ref.order + info.order;
          // A free input is differentiated as often as somebody asks for it.
          if (IsInput(ref.variable)) {
            out_.offsets.variable[ref.variable] = static_cast<uint8_t>(order);
          } else {
            wanted.push_back({ref.variable, order});
            any = true;
          }
        }
      }
    }
  }
  return any;
}

// Derivatives of free inputs that the derivatives of equations need.
void Sorter::RaiseInputs() {
  if (system_.inputs.empty() && system_.kept_constraints.empty()) return;
  OverEquations([&](uint32_t e, const Part* part, uint32_t local) {
    const uint32_t times = out_.offsets.equation[e];
    const auto raise = [&](uint32_t variable, uint32_t order) {
      uint8_t& d = out_.offsets.variable[variable];
      if (IsInput(variable)) d = static_cast<uint8_t>(std::max<uint32_t>(d, order));
    };
    if (part != nullptr) {
      out_.OverUsesOf(*part, local, times, raise);
    } else {
      const uint32_t row = local;
      for (uint32_t k = system_.row_first[row]; k < system_.row_first[row + 1]; ++k)
        raise(system_.row_entries[k].variable, system_.row_entries[k].order + times);
    }
  });
}

void Sorter::ChooseStates() {
  const uint32_t m = system_.variable_count;
  out_.removed.assign(m, 0);
  out_.first_slot.resize(m + 1);
  uint32_t slot = 0;
  for (uint32_t v = 0; v < m; ++v) {
    const uint32_t e = out_.offsets.equation_of_variable[v];
    out_.removed[v] = e == UINT32_MAX ? out_.offsets.variable[v] : out_.offsets.equation[e];
    out_.first_slot[v] = slot;
    slot += out_.offsets.variable[v] + 1u;
  }
  for (const EquationSystem::KeptConstraint& kept : system_.kept_constraints) {
    uint8_t& removed = out_.removed[out_.offsets.variable_of_equation[kept.equation]];
    removed = static_cast<uint8_t>(removed - KeptTimes(kept));
  }
  out_.first_slot[m] = slot;
  out_.equation_of_slot.assign(slot, kFree);
  for (uint32_t v = 0; v < m; ++v) {
    const uint32_t d = out_.offsets.variable[v];
    if (out_.offsets.equation_of_variable[v] == UINT32_MAX) {  // a free input, or discrete
      for (uint32_t order = 0; order <= d; ++order)
        out_.equation_of_slot[out_.first_slot[v] + order] = kKnown;
      continue;
    }
    for (uint32_t order = 0; order < d; ++order) {
      if (order + out_.removed[v] < d) {
        out_.states.push_back({v, order});
        out_.equation_of_slot[out_.first_slot[v] + order] = kKnown;
      }
    }
  }
  for (const EquationSystem::KeptConstraint& kept : system_.kept_constraints) {
    for (uint32_t order = 0; order < KeptTimes(kept); ++order)
      out_.equation_of_slot[out_.first_slot[kept.remainder] + order] = kFree;
  }
}

// How many of its derivatives, itself included, give the remainder (BT.9a).
uint32_t Sorter::KeptTimes(const EquationSystem::KeptConstraint& kept) const {
  return std::min<uint32_t>(kept.times, out_.offsets.equation[kept.equation]);
}

void Sorter::AddEquations() {
  const uint32_t n = system_.equation_count();
  out_.first_equation.resize(n + 1);
  uint32_t count = 0;
  for (uint32_t e = 0; e < n; ++e) {
    out_.first_equation[e] = count;
    count += out_.offsets.equation[e] + 1u;
  }
  out_.first_equation[n] = count;
  out_.equations.reserve(count);
  for (uint32_t e = 0; e < n; ++e) {
    for (uint32_t k = 0; k <= out_.offsets.equation[e]; ++k) out_.equations.push_back({e, k});
  }
}

bool Sorter::Augment(uint32_t root, const LargeVector<uint32_t>& first, const LargeVector<uint32_t>& slots) {
  std::vector<uint32_t> path{root}, at{first[root]};
  std::vector<uint8_t> seen(out_.equation_of_slot.size(), 0);
  while (!path.empty()) {
    const uint32_t e = path.back();
    if (at.back() >= first[e + 1]) {
      path.pop_back();
      at.pop_back();
      continue;
    }
    const uint32_t slot = slots[at.back()++];
    if (seen[slot] != 0) continue;
    seen[slot] = 1;
    const uint32_t next = out_.equation_of_slot[slot];
    if (next != kFree) {
      path.push_back(next);
      at.push_back(first[next]);
      continue;
    }
    uint32_t take = slot;
    for (size_t p = path.size(); p-- > 0;) {
      const uint32_t before = out_.slot_of_equation[path[p]];
      out_.slot_of_equation[path[p]] = take;
      out_.equation_of_slot[take] = path[p];
      take = before;
    }
    return true;
  }
  return false;
}

// The matching of the offsets, order by order; what a change of states left open is searched.
bool Sorter::Match() {
  const auto n = static_cast<uint32_t>(out_.equations.size());
  out_.slot_of_equation.assign(n, kFree);
  for (const EquationSystem::KeptConstraint& kept : system_.kept_constraints) {
    for (uint32_t order = 0; order < KeptTimes(kept); ++order) {
      const uint32_t k = out_.first_equation[kept.equation] + order;
      out_.slot_of_equation[k] = out_.first_slot[kept.remainder] + order;
      out_.equation_of_slot[out_.slot_of_equation[k]] = k;
    }
  }
  std::vector<uint32_t> open;
  for (uint32_t k = 0; k < n; ++k) {
    if (out_.slot_of_equation[k] != kFree) continue;
    const SortedEquation& e = out_.equations[k];
    const uint32_t v = out_.offsets.variable_of_equation[e.equation];
    const uint32_t order = out_.offsets.variable[v] - out_.offsets.equation[e.equation] + e.times;
    const uint32_t slot = out_.first_slot[v] + order;
    if (out_.equation_of_slot[slot] == kFree) {
      out_.equation_of_slot[slot] = k;
      out_.slot_of_equation[k] = slot;
    } else {
      open.push_back(k);
    }
  }
  if (open.empty()) return true;
  LargeVector<uint32_t> first(n + 1, 0), slots;
  for (uint32_t k = 0; k < n; ++k) {
    out_.OverUses(k, [&](uint32_t v, uint32_t order) {
      const uint32_t slot = out_.first_slot[v] + order;
      if (out_.equation_of_slot[slot] != kKnown) slots.push_back(slot);
    });
    first[k + 1] = static_cast<uint32_t>(slots.size());
  }
  for (const uint32_t k : open) {
    if (!Augment(k, first, slots)) return false;
  }
  return true;
}

}  // namespace

VariableRef SortedSystem::OfSlot(uint32_t slot) const {
  const auto at = std::upper_bound(first_slot.begin(), first_slot.end(), slot);
  const auto variable = static_cast<uint32_t>(at - first_slot.begin()) - 1;
  return {variable, slot - first_slot[variable]};
}

std::string SortedSystem::SlotName(uint32_t slot) const {
  const VariableRef ref = OfSlot(slot);
  return system->VariableName(ref.variable, ref.order);
}

std::string SortedSystem::EquationText(uint32_t sorted) const {
  return system->EquationText(equations[sorted].equation, equations[sorted].times);
}

void FindBlocks(SortedSystem& sorted) {
  const EquationSystem& system = *sorted.system;
  const auto n = static_cast<uint32_t>(sorted.equations.size());
  DirectedGraph arcs;
  arcs.first.resize(n + 1);
  arcs.targets.reserve(system.incidence_variable.size());
  uint32_t part_number = 0;  // sorted equations follow the equations of the system, so parts are walked along
  for (uint32_t k = 0; k < n; ++k) {
    arcs.first[k] = static_cast<uint32_t>(arcs.targets.size());
    const auto [e, times] = sorted.equations[k];
    const auto add = [&](uint32_t v, uint32_t order) {
      const uint32_t slot = sorted.first_slot[v] + order;
      if (slot >= sorted.first_slot[v + 1]) return;
      const uint32_t target = sorted.equation_of_slot[slot];
      if (target != UINT32_MAX && target != k) arcs.targets.push_back(target);
    };
    if (e >= system.part_equations || (!system.replaced.empty() && system.replaced.count(e) > 0)) {
      sorted.OverUses(k, add);
      continue;
    }
    while (part_number + 1 < system.parts.size() && system.parts[part_number + 1].first_equation <= e)
      ++part_number;
    const Part& part = system.parts[part_number];
    const uint32_t local = e - part.first_equation;
    sorted.OverUsesOf(part, local, times, add);
    // The outputs of a software group are computed together.
    const ScalarElement& scalar = system.scalars[part.scalar];
    if (scalar.equations[local].group == UINT32_MAX) continue;
    for (uint32_t other = 0; other < scalar.always; ++other) {
      if (other == local || scalar.equations[other].group != scalar.equations[local].group) continue;
      const uint32_t at = part.first_equation + other;
      for (uint32_t i = sorted.first_equation[at]; i < sorted.first_equation[at + 1]; ++i) {
        if (sorted.equations[i].times == times) arcs.targets.push_back(i);
      }
    }
  }
  arcs.first[n] = static_cast<uint32_t>(arcs.targets.size());
  const StrongComponents strong = FindStrongComponents(arcs);
  sorted.block_first.assign(strong.count + 1, 0);
  for (uint32_t k = 0; k < n; ++k) ++sorted.block_first[strong.component_of[k] + 1];
  for (uint32_t b = 0; b < strong.count; ++b) sorted.block_first[b + 1] += sorted.block_first[b];
  sorted.block_equations.resize(n);
  LargeVector<uint32_t> at(sorted.block_first.begin(), sorted.block_first.end() - 1);
  for (uint32_t k = 0; k < n; ++k) sorted.block_equations[at[strong.component_of[k]]++] = k;
}

SortedSystem SortEquations(const EquationSystem& system) {
  return Sorter(system).Run();
}

}  // namespace cotree
