// SPDX-License-Identifier: Apache-2.0
// The blocks of a sorted system: solved forms, sums, software groups, implicit blocks.
#include <algorithm>
#include <cmath>

#include "expr/dependence.h"
#include "expr/jacobian.h"
#include "expr/solve.h"
#include "expr/walk.h"
#include "program/eliminate_block.h"
#include "program/program_builder.h"

namespace cotree {

ProgramBuilder::Form& ProgramBuilder::SolvedForm(uint32_t scalar, uint32_t equation, uint32_t times,
                                                 ScalarUse unknown) {
  const uint64_t key = (uint64_t{scalar} << 44) ^ (uint64_t{equation} << 24) ^ (uint64_t{times} << 20) ^
                       (uint64_t{unknown.order} << 16) ^ unknown.variable;
  const auto [at, fresh] = forms_.try_emplace(key);
  Form& form = at->second;
  if (!fresh) return form;
  const ExprId residual = sorted_->derived->Get(scalar, equation, times).residual;
  const SymbolId symbol = pool_.SymbolOfOrder(system_.scalars[scalar].variables[unknown.variable].symbol,
                                              static_cast<int>(unknown.order));
  const auto solution = SolveFor(pool_, residual, symbol);
  // Only what is linear is taken apart here: the other branches of an inverse could be the right ones.
  if (!solution || !(solution->linear || solution->unique)) return form;
  for (const SolveCondition& condition : solution->conditions) {
    if (condition.kind != SolveCondition::Kind::kNonzero) return form;
    if (!solution->linear && DependsOn(pool_, condition.expr, symbol)) return form;
  }
  form.solved = true;
  form.code = MakeCode(scalar, std::span(&solution->value, 1), EventsOf(scalar, equation));
  for (const SolveCondition& condition : solution->conditions) {
    if (IsOfParameters(pool_, condition.expr))
      form.nonzero.push_back(MakeCode(scalar, std::span(&condition.expr, 1)).code);
  }
  if (solution->linear) CollectModes(form, scalar, Differentiate(pool_, residual, symbol));
  return form;
}

// The coefficient of an unknown in each mode, where it is made of parameters there.
void ProgramBuilder::CollectModes(Form& form, uint32_t scalar, ExprId coefficient) {
  std::vector<ExprId> open{coefficient};
  while (!open.empty()) {
    const ExprId at = open.back();
    open.pop_back();
    if (pool_.op(at) == Op::kIf) {
      open.push_back(pool_.operand(at, 1));
      open.push_back(pool_.operand(at, 2));
    } else if (at != coefficient && IsOfParameters(pool_, at)) {
      form.modes.emplace_back(MakeCode(scalar, std::span(&at, 1)).code, at);
    }
  }
}

void ProgramBuilder::NoteGap(const Form& form, uint32_t sorted_equation, uint32_t parameters) {
  for (const auto& [code, coefficient] : form.modes) {
    const bool zero = IsZero(code, parameters);
    out_->decisions.push_back({code, parameters, !zero});
    if (!zero) continue;
    Program::ModeGap gap{sorted_equation, {}};
    for (const SymbolId used : FindSymbols(pool_, coefficient))
      gap.parameters.emplace_back(pool_.SymbolName(used));
    out_->mode_gaps.push_back(std::move(gap));
    return;
  }
}

// Whether the coefficient of the unknown is not zero at the numbers of an instance.
bool ProgramBuilder::Passes(Form& form, uint32_t parameters) {
  if (form.nonzero.empty() || form.checked == parameters) return form.passed;
  form.checked = parameters;
  form.passed = true;
  for (const uint32_t code : form.nonzero) {
    const bool nonzero = !IsZero(code, parameters);
    out_->decisions.push_back({code, parameters, nonzero});
    form.passed = form.passed && nonzero;
  }
  return form.passed;
}

// A topological row, solved for one of its members; for none: what it leaves.
SumRow ProgramBuilder::MakeSum(uint32_t k, uint32_t unknown) {
  const SortedEquation& e = sorted_->equations[k];
  const uint32_t row = e.equation - system_.part_equations;
  SumRow sum{sorted_->Slot({system_.row_defined[row], e.times}),
             static_cast<uint32_t>(out_->sum_entries.size()), 0};
  if (unknown == UINT32_MAX) out_->sum_entries.push_back({sum.target, -1});
  for (uint32_t i = system_.row_first[row]; i < system_.row_first[row + 1]; ++i) {
    const RowEntry& entry = system_.row_entries[i];
    out_->sum_entries.push_back({sorted_->Slot({entry.variable, entry.order + e.times}), entry.sign});
  }
  // Solved for another one than it defines: that one is an entry with coefficient sign.
  if (unknown != UINT32_MAX && sum.target != unknown) {
    for (size_t i = sum.first; i < out_->sum_entries.size(); ++i) {
      if (out_->sum_entries[i].slot != unknown) continue;
      const int32_t sign = out_->sum_entries[i].sign;
      for (size_t j = sum.first; j < out_->sum_entries.size(); ++j) out_->sum_entries[j].sign *= -sign;
      out_->sum_entries[i] = {sum.target, sign};
      sum.target = unknown;
      break;
    }
  }
  sum.count = static_cast<uint32_t>(out_->sum_entries.size()) - sum.first;
  return sum;
}

void ProgramBuilder::AddSum(uint32_t k, uint32_t block) {
  units_[block] = {Step::Kind::kSums, 0, static_cast<uint32_t>(sums_.size())};
  sums_.push_back(MakeSum(k, sorted_->slot_of_equation[k]));
  out_->kind_of_block[block] = BlockKind::kSum;
}

bool ProgramBuilder::AddSingle(uint32_t k, uint32_t block) {
  const SortedEquation& e = sorted_->equations[k];
  if (system_.IsRow(e.equation)) {
    AddSum(k, block);
    return true;
  }
  const EquationSystem::Source source = system_.SourceOf(e.equation);
  const Part& part = *source.part;
  const uint32_t local = source.local;
  const uint32_t slot = sorted_->slot_of_equation[k];
  ScalarUse unknown;
  int found = 0;
  for (const ScalarUse& use : sorted_->derived->Get(part.scalar, local, e.times).uses) {
    const VariableRef ref = system_.Resolve(part, use.variable);
    if (ref.variable == UINT32_MAX || sorted_->Slot({ref.variable, ref.order + use.order}) != slot) continue;
    unknown = use;
    ++found;
  }
  if (found != 1) return false;  // the same variable by two names
  Form& form = SolvedForm(part.scalar, local, e.times, unknown);
  if (!form.solved || !Passes(form, system_.parameters.first[part.component])) return false;
  if (!form.modes.empty()) NoteGap(form, k, system_.parameters.first[part.component]);
  units_[block] = {Step::Kind::kKernel, form.code.code + 1, static_cast<uint32_t>(instances_.size())};
  const uint32_t first_local = BindLocals(part, form.code);
  instances_.push_back(
      {first_local, static_cast<uint32_t>(targets_.size()), system_.parameters.first[part.component]});
  targets_.push_back(slot);
  out_->kind_of_block[block] = BlockKind::kExplicit;
  return true;
}

// The outputs of one software group, each solved for itself, all by one piece of code.
bool ProgramBuilder::AddSoftware(std::span<const uint32_t> equations, uint32_t block) {
  const SortedEquation& first = sorted_->equations[equations[0]];
  if (first.equation >= system_.part_equations || system_.replaced.count(first.equation) > 0) return false;
  const Part& part = system_.parts[system_.PartOfEquation(first.equation)];
  const auto& own = system_.scalars[part.scalar].equations;
  const uint32_t group = own[first.equation - part.first_equation].group;
  if (group == UINT32_MAX) return false;
  std::vector<uint32_t> slots;
  for (const uint32_t k : equations) slots.push_back(sorted_->slot_of_equation[k]);
  std::vector<ExprId> values;
  for (const uint32_t k : equations) {
    const SortedEquation& e = sorted_->equations[k];
    if (e.equation < part.first_equation ||
        e.equation - part.first_equation >= system_.scalars[part.scalar].always ||
        own[e.equation - part.first_equation].group != group)
      return false;
    const DerivedEquation& derived =
        sorted_->derived->Get(part.scalar, e.equation - part.first_equation, e.times);
    std::optional<ScalarUse> unknown;
    for (const ScalarUse& use : derived.uses) {
      const VariableRef ref = system_.Resolve(part, use.variable);
      if (ref.variable == UINT32_MAX) continue;
      const uint32_t slot = sorted_->Slot({ref.variable, ref.order + use.order});
      if (std::find(slots.begin(), slots.end(), slot) == slots.end()) continue;
      if (unknown || slot != sorted_->slot_of_equation[k]) return false;
      unknown = use;
    }
    if (!unknown) return false;
    const SymbolId symbol = pool_.SymbolOfOrder(
        system_.scalars[part.scalar].variables[unknown->variable].symbol, static_cast<int>(unknown->order));
    const auto solution = SolveFor(pool_, derived.residual, symbol);
    if (!solution || !solution->linear) return false;
    values.push_back(solution->value);
  }
  const uint64_t key = (uint64_t{part.scalar} << 32) | (uint64_t{group} << 8) | first.times;
  const auto [at, fresh] = software_forms_.try_emplace(key);
  if (fresh) at->second = MakeCode(part.scalar, values);
  units_[block] = {Step::Kind::kKernel, at->second.code + 1, static_cast<uint32_t>(instances_.size())};
  const uint32_t first_local = BindLocals(part, at->second);
  instances_.push_back(
      {first_local, static_cast<uint32_t>(targets_.size()), system_.parameters.first[part.component]});
  targets_.insert(targets_.end(), slots.begin(), slots.end());
  out_->kind_of_block[block] = BlockKind::kSoftware;
  return true;
}

// The group of foreign code that a sorted equation is a result of, and which.
std::optional<std::pair<uint32_t, uint32_t>> ProgramBuilder::ForeignResult(uint32_t k) const {
  const SortedEquation& e = sorted_->equations[k];
  if (foreign_of_slot_.empty() || e.times > 0 || system_.IsRow(e.equation) ||
      system_.replaced.count(e.equation) > 0)
    return std::nullopt;
  const EquationSystem::Source source = system_.SourceOf(e.equation);
  const ScalarEquation& row = system_.scalars[source.part->scalar].equations[source.local];
  if (!row.foreign) return std::nullopt;
  const SymbolInfo left = pool_.symbol(pool_.SymbolOf(row.left));
  const uint32_t variable = sorted_->derived->VariableOf(source.part->scalar, left.base);
  return foreign_of_slot_.at(sorted_->Slot({source.part->first_variable + variable, left.order}));
}

// One whole group of foreign code, and nothing else: one call.
bool ProgramBuilder::AddForeign(std::span<const uint32_t> equations, uint32_t block) {
  const auto first = ForeignResult(equations[0]);
  if (!first || out_->foreign[first->first].results.size() != equations.size()) return false;
  const Program::ForeignGroup& group = out_->foreign[first->first];
  for (const uint32_t k : equations) {
    const auto result = ForeignResult(k);
    if (!result || result->first != first->first ||
        sorted_->slot_of_equation[k] != group.results[result->second])
      return false;
  }
  for (size_t a = 0; a < group.arguments(); ++a) {
    if (std::count(group.results.begin(), group.results.end(), group.argument(a)) > 0) return false;
  }
  units_[block] = {Step::Kind::kForeign, UINT32_MAX, first->first};
  out_->kind_of_block[block] = BlockKind::kSoftware;
  return true;
}

BlockRow ProgramBuilder::ForeignBlockRow(uint32_t group, uint32_t result,
                                         const std::unordered_map<uint32_t, uint32_t>& column) {
  const Program::ForeignGroup& of = out_->foreign[group];
  BlockRow row;
  row.foreign = group;
  row.result = result;
  const auto add = [&](uint32_t slot, uint32_t argument) {
    const auto at = column.find(slot);
    if (at == column.end()) return;
    row.columns.push_back(at->second);
    row.arguments.push_back(argument);
  };
  add(of.results[result], UINT32_MAX);
  for (uint32_t a = 0; a < of.arguments(); ++a) add(of.argument(a), a);
  return row;
}

void ProgramBuilder::AddImplicit(std::span<const uint32_t> equations, uint32_t block) {
  ImplicitBlock out;
  out.block = block;
  std::unordered_map<uint32_t, uint32_t> column;  // slot -> unknown
  for (const uint32_t k : equations) {
    const uint32_t slot = sorted_->slot_of_equation[k];
    column[slot] = static_cast<uint32_t>(out.unknowns.size());
    out.unknowns.push_back(slot);
  }
  bool linear = true, constant = true;
  std::vector<double> entries;              // at the numbers, where the matrix is constant
  std::vector<std::vector<bool>> solvable;  // by row and its columns: provably not zero
  for (const uint32_t k : equations) {
    const SortedEquation& e = sorted_->equations[k];
    BlockRow row;
    row.times = e.times;
    solvable.emplace_back();
    if (const auto foreign = ForeignResult(k)) {
      linear = false;
      out.rows.push_back(ForeignBlockRow(foreign->first, foreign->second, column));
      solvable.back().assign(out.rows.back().columns.size(), false);
      if (std::count(out.foreign.begin(), out.foreign.end(), foreign->first) == 0)
        out.foreign.push_back(foreign->first);
      continue;
    }
    if (system_.IsRow(e.equation)) {
      row.row = e.equation - system_.part_equations;
      const auto add = [&](uint32_t variable, uint32_t order, int8_t sign) {
        const auto at = column.find(sorted_->Slot({variable, order}));
        if (at == column.end()) return;
        row.columns.push_back(at->second);
        row.signs.push_back(sign);
        solvable.back().push_back(true);
      };
      add(system_.row_defined[row.row], e.times, -1);
      for (uint32_t i = system_.row_first[row.row]; i < system_.row_first[row.row + 1]; ++i) {
        const RowEntry& entry = system_.row_entries[i];
        add(entry.variable, entry.order + e.times, entry.sign);
      }
      entries.insert(entries.end(), row.signs.begin(), row.signs.end());
      out.rows.push_back(std::move(row));
      continue;
    }
    const EquationSystem::Source source = system_.SourceOf(e.equation);
    const Part& part = *source.part;
    const uint32_t local = source.local;
    const DerivedEquation& derived = sorted_->derived->Get(part.scalar, local, e.times);
    std::vector<ScalarUse> unknowns;
    for (const ScalarUse& use : derived.uses) {
      const VariableRef ref = system_.Resolve(part, use.variable);
      if (ref.variable == UINT32_MAX) continue;
      const auto at = column.find(sorted_->Slot({ref.variable, ref.order + use.order}));
      if (at == column.end()) continue;
      unknowns.push_back(use);
      row.columns.push_back(at->second);
    }
    std::vector<uint64_t> key{part.scalar, local, e.times};
    for (const ScalarUse& use : unknowns) key.push_back((uint64_t{use.variable} << 8) | use.order);
    const auto [at, fresh] = residual_forms_.try_emplace(key);
    PartialForm& form = at->second;
    if (fresh) {
      std::vector<SymbolId> symbols;
      for (const ScalarUse& use : unknowns)
        symbols.push_back(pool_.SymbolOfOrder(system_.scalars[part.scalar].variables[use.variable].symbol,
                                              static_cast<int>(use.order)));
      std::vector<ExprId> roots{derived.residual};
      for (const SymbolId symbol : symbols) {
        const ExprId partial = Differentiate(pool_, derived.residual, symbol);
        roots.push_back(partial);
        for (const SymbolId used :
             FindSymbolsBetweenEvents(pool_, partial, system_.scalars[part.scalar].held)) {
          if (std::find(symbols.begin(), symbols.end(), used) != symbols.end()) form.linear = false;
        }
        const bool varies = !IsOfParameters(pool_, partial);
        form.constant_partial.push_back(!varies);
        if (varies) form.constant = false;
      }
      form.code = MakeCode(part.scalar, roots, EventsOf(part.scalar, local));
    }
    linear = linear && form.linear;
    constant = constant && form.constant;
    const std::vector<double> partials =
        AtParameters(*out_, form.code.code, system_.parameters.first[part.component]);
    entries.insert(entries.end(), partials.begin() + 1, partials.end());
    for (size_t i = 0; i < unknowns.size(); ++i)
      solvable.back().push_back(form.constant_partial[i] && std::isnormal(partials[i + 1]));
    row.code = form.code.code;
    row.first_local = static_cast<uint32_t>(out_->locals.size());
    for (const ScalarUse& use : form.code.locals) out_->locals.push_back(SlotOf(part, use));
    row.parameters = system_.parameters.first[part.component];
    out.rows.push_back(std::move(row));
  }
  out.kind = !linear ? BlockKind::kNonlinear : constant ? BlockKind::kLinearConstant : BlockKind::kLinear;
  std::vector<std::vector<uint32_t>> columns;
  for (const BlockRow& r : out.rows) columns.push_back(r.columns);
  out.tearing = FindTears(columns, solvable);
  out_->kind_of_block[block] = out.kind;
  if (eliminates_) {
    out.pivots = FindPivots(out, entries);
    if (!out.pivots.empty() && AddEliminated(equations, out)) {
      out_->eliminated.push_back(std::move(out));
      return;
    }
    out.pivots.clear();
  }
  units_[block] = {Step::Kind::kBlock, UINT32_MAX, static_cast<uint32_t>(out_->blocks.size())};
  out_->blocks.push_back(std::move(out));
}

void ProgramBuilder::AddUnit(uint32_t block) {
  const auto equations = sorted_->Block(block);
  if (AddForeign(equations, block)) return;
  if (equations.size() == 1 && !ForeignResult(equations[0]) && AddSingle(equations[0], block)) return;
  if (equations.size() > 1 && !ForeignResult(equations[0]) && AddSoftware(equations, block)) return;
  AddImplicit(equations, block);
}

}  // namespace cotree
