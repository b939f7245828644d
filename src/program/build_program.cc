// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "expr/dependence.h"
#include "expr/jacobian.h"
#include "expr/solve.h"
#include "expr/walk.h"
#include "program/held_table.h"
#include "program/program.h"

namespace cotree {

std::string_view BlockKindName(BlockKind kind) {
  switch (kind) {
    case BlockKind::kExplicit:
      return "explicit";
    case BlockKind::kSum:
      return "sum";
    case BlockKind::kSoftware:
      return "software";
    case BlockKind::kLinearConstant:
      return "linear, constant matrix";
    case BlockKind::kLinear:
      return "linear";
    case BlockKind::kNonlinear:
      return "nonlinear";
  }
  return "";
}

namespace {

// Results of a code at the numbers of an instance, of use where they depend on parameters only.
std::vector<double> AtParameters(const Program& program, uint32_t number, uint32_t parameters) {
  const Code& code = program.codes[number];
  const std::vector<double> zeros(code.locals, 0.0);
  std::vector<uint32_t> locals(code.locals);
  std::iota(locals.begin(), locals.end(), 0u);
  CodeContext<double> context;
  context.values = zeros.data();
  context.locals = locals.data();
  context.parameters = program.sorted->system->parameters.values.data() + parameters;
  context.tables = &program.tables;
  std::vector<double> registers(code.instructions.size()), out;
  RunCode(code, context, registers.data());
  for (const uint32_t result : code.results) out.push_back(registers[result]);
  return out;
}

/** A code with what binds it: which local variable, in which order, each local of the code is. */
struct BoundCode {
  uint32_t code = 0;
  std::vector<ScalarUse> locals;
};

// A local that is something held (HeldTable), not a variable.
constexpr uint32_t kHeldLocal = uint32_t{1} << 31;

/* Numbers locals and parameters of a scalar class as the code asks for them. */
class ClassNames : public CodeWriter::Names {
 public:
  ClassNames(const EquationSystem& system, DerivedEquations& derived, HeldTable& held, uint32_t scalar)
      : pool_(system.model->expressions),
        derived_(derived),
        held_(held),
        conditions_(system.scalars[scalar].held),
        scalar_(scalar) {
    const auto& parameters = system.scalars[scalar].parameters;
    for (uint32_t p = 0; p < parameters.size(); ++p) parameters_.try_emplace(parameters[p].symbol.value, p);
  }
  uint32_t Local(SymbolId symbol) override {
    const SymbolInfo info = pool_.symbol(symbol);
    const uint32_t variable = derived_.VariableOf(scalar_, info.base);
    if (variable == UINT32_MAX) return UINT32_MAX;
    locals.push_back({variable, info.order});
    return static_cast<uint32_t>(locals.size() - 1);
  }
  uint32_t Parameter(SymbolId symbol) override {
    const auto at = parameters_.find(symbol.value);
    return at == parameters_.end() ? UINT32_MAX : at->second;
  }
  bool IsHeld(ExprId condition) const override {
    return std::binary_search(conditions_.begin(), conditions_.end(), condition,
                              [](ExprId a, ExprId b) { return a.value < b.value; });
  }
  uint32_t Held(HeldUse use) override {
    locals.push_back({kHeldLocal | held_.Number(scalar_, use), 0});
    return static_cast<uint32_t>(locals.size() - 1);
  }
  std::vector<ScalarUse> locals;

 private:
  const ExprPool& pool_;
  DerivedEquations& derived_;
  HeldTable& held_;
  const std::vector<ExprId>& conditions_;
  uint32_t scalar_;
  std::unordered_map<uint32_t, uint32_t> parameters_;
};

class Builder {
 public:
  explicit Builder(std::shared_ptr<const SortedSystem> sorted, const HeldTable* held = nullptr)
      : sorted_(std::move(sorted)),
        system_(*sorted_->system),
        model_(*system_.model),
        pool_(model_.expressions),
        out_(std::make_unique<Program>()),
        held_(held != nullptr ? *held : HeldTable(system_.scalars.size(), sorted_->slots())) {
    out_->sorted = sorted_;
  }

  std::unique_ptr<Program> Run(std::string* problem);
  std::unique_ptr<Program> RunInitial();

 private:
  /** How a single equation is solved. */
  struct Form {
    bool solved = false;
    BoundCode code;
    std::vector<uint32_t> nonzero;                   // codes of parameters only that must not be zero
    std::vector<std::pair<uint32_t, ExprId>> modes;  // likewise, the coefficient in each mode
    uint32_t checked = UINT32_MAX;                   // the parameters they were last evaluated for,
    bool passed = true;                              // and the outcome
  };
  struct PartialForm {
    bool linear = true, constant = true;
    std::vector<bool> constant_partial;  // by unknown: depends on parameters only
    BoundCode code;
  };

  BoundCode MakeCode(uint32_t scalar, std::span<const ExprId> roots,
                     CodeWriter::Events events = CodeWriter::Events::kOn);
  // Conditions in an equation of the beginning are not held: they are as they are found.
  CodeWriter::Events EventsOf(uint32_t scalar, uint32_t equation) const {
    return equation < system_.scalars[scalar].always ? CodeWriter::Events::kOn : CodeWriter::Events::kOff;
  }
  uint32_t SlotOf(const Part& part, ScalarUse use, bool continuous = true);
  bool Passes(Form& form, uint32_t parameters);
  bool IsZero(uint32_t code, uint32_t parameters) const {
    return AtParameters(*out_, code, parameters)[0] == 0;
  }
  bool OfParameters(ExprId expr) const;
  void CollectModes(Form& form, uint32_t scalar, ExprId coefficient);
  void NoteGap(const Form& form, uint32_t sorted_equation, uint32_t parameters);
  Form& SolvedForm(uint32_t scalar, uint32_t equation, uint32_t times, ScalarUse unknown);
  uint32_t BindLocals(const Part& part, const BoundCode& code);
  void AddUnit(uint32_t block);
  void AddSteps();
  bool AddSingle(uint32_t sorted_equation, uint32_t block);
  bool AddSoftware(std::span<const uint32_t> equations, uint32_t block);
  bool AddForeign(std::span<const uint32_t> equations, uint32_t block);
  std::optional<std::pair<uint32_t, uint32_t>> ForeignResult(uint32_t sorted_equation) const;
  BlockRow ForeignBlockRow(uint32_t group, uint32_t result,
                           const std::unordered_map<uint32_t, uint32_t>& column);
  void AddImplicit(std::span<const uint32_t> equations, uint32_t block);
  void AddSum(uint32_t sorted_equation, uint32_t block);
  void FindSuccessors();
  void Schedule();
  void Emit(uint32_t block);
  void CollectSwitches();
  void CollectEvents();
  void CollectWhens(const Part& part);
  void CollectExternals();
  Program::External MakeExternal(const Part& part) const;
  void AddForeignGroups(uint32_t external);
  void AddSamples(const Part& part, uint32_t external);
  bool IsExternal(const Part& part) const {
    return part.scalar < system_.graph->elements.size() &&
           !model_[system_.graph->elements[part.scalar].class_id].external_library.empty();
  }
  void CollectHeld(const HeldTable::Entry& entry);
  Program::Bound Bind(const Part& part, std::span<const ExprId> roots,
                      CodeWriter::Events events = CodeWriter::Events::kOn);

  /** What a block of the sorted system becomes, before it is scheduled. */
  struct Unit {
    Step::Kind kind = Step::Kind::kKernel;
    uint32_t key = 0;  // units with the same key may share a run
    uint32_t index = 0;
  };
  struct Instance {  // of a kernel
    uint32_t first_local, first_target, base;
  };

  std::shared_ptr<const SortedSystem> sorted_;
  const EquationSystem& system_;
  Model& model_;
  ExprPool& pool_;
  std::unique_ptr<Program> out_;
  std::unordered_map<uint64_t, Form> forms_;
  std::map<std::vector<uint64_t>, PartialForm> residual_forms_;
  std::unordered_map<uint64_t, BoundCode> software_forms_;
  LargeVector<Unit> units_;
  LargeVector<Instance> instances_;
  LargeVector<uint32_t> locals_, targets_;  // before scheduling
  LargeVector<SumRow> sums_;
  LargeVector<uint32_t> successor_first_, successors_, open_;
  LargeVector<uint32_t> block_of_equation_;
  HeldTable held_;
  std::unordered_map<uint32_t, std::pair<uint32_t, uint32_t>>
      foreign_of_slot_;  // group of foreign code, result
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, BoundCode> event_codes_;  // by class and expressions
};

BoundCode Builder::MakeCode(uint32_t scalar, std::span<const ExprId> roots, CodeWriter::Events events) {
  ClassNames names(system_, *sorted_->derived, held_, scalar);
  CodeWriter writer(model_, names);
  Code code = writer.Write(roots, events);
  code.locals = static_cast<uint32_t>(names.locals.size());
  if (code.unsupported) {
    const std::string text = code.what;
    if (std::find(out_->unsupported.begin(), out_->unsupported.end(), text) == out_->unsupported.end())
      out_->unsupported.push_back(text);
  }
  out_->codes.push_back(std::move(code));
  return {static_cast<uint32_t>(out_->codes.size() - 1), std::move(names.locals)};
}

Builder::Form& Builder::SolvedForm(uint32_t scalar, uint32_t equation, uint32_t times, ScalarUse unknown) {
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
    if (OfParameters(condition.expr))
      form.nonzero.push_back(MakeCode(scalar, std::span(&condition.expr, 1)).code);
  }
  if (solution->linear) CollectModes(form, scalar, Differentiate(pool_, residual, symbol));
  return form;
}

bool Builder::OfParameters(ExprId expr) const {
  const std::vector<SymbolId> used = FindSymbols(pool_, expr);
  return std::all_of(used.begin(), used.end(),
                     [&](SymbolId s) { return pool_.kind(s) == SymbolKind::kParameter; });
}

// The coefficient of an unknown in each mode, where it is made of parameters there.
void Builder::CollectModes(Form& form, uint32_t scalar, ExprId coefficient) {
  std::vector<ExprId> open{coefficient};
  while (!open.empty()) {
    const ExprId at = open.back();
    open.pop_back();
    if (pool_.op(at) == Op::kIf) {
      open.push_back(pool_.operand(at, 1));
      open.push_back(pool_.operand(at, 2));
    } else if (at != coefficient && OfParameters(at)) {
      form.modes.emplace_back(MakeCode(scalar, std::span(&at, 1)).code, at);
    }
  }
}

void Builder::NoteGap(const Form& form, uint32_t sorted_equation, uint32_t parameters) {
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
bool Builder::Passes(Form& form, uint32_t parameters) {
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

uint32_t Builder::BindLocals(const Part& part, const BoundCode& code) {
  const auto first = static_cast<uint32_t>(locals_.size());
  for (const ScalarUse& use : code.locals) locals_.push_back(SlotOf(part, use));
  return first;
}

uint32_t Builder::SlotOf(const Part& part, ScalarUse use, bool continuous) {
  if ((use.variable & kHeldLocal) != 0) return held_.Slot(part, use.variable & ~kHeldLocal, continuous);
  const VariableRef ref = system_.Resolve(part, use.variable);
  // An order beyond those of the sorted system does not occur in what was sorted.
  const VariableRef at{ref.variable, ref.order + use.order};
  return sorted_->HasSlot(at) ? sorted_->Slot(at) : 0;
}

void Builder::AddSum(uint32_t k, uint32_t block) {
  const SortedEquation& e = sorted_->equations[k];
  const uint32_t row = e.equation - system_.part_equations;
  SumRow sum{sorted_->Slot({system_.row_defined[row], e.times}),
             static_cast<uint32_t>(out_->sum_entries.size()), 0};
  for (uint32_t i = system_.row_first[row]; i < system_.row_first[row + 1]; ++i) {
    const RowEntry& entry = system_.row_entries[i];
    out_->sum_entries.push_back({sorted_->Slot({entry.variable, entry.order + e.times}), entry.sign});
  }
  // Solved for another one than it defines: that one is an entry with coefficient sign.
  const uint32_t unknown = sorted_->slot_of_equation[k];
  if (sum.target != unknown) {
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
  units_[block] = {Step::Kind::kSums, 0, static_cast<uint32_t>(sums_.size())};
  sums_.push_back(sum);
  out_->kind_of_block[block] = BlockKind::kSum;
}

bool Builder::AddSingle(uint32_t k, uint32_t block) {
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
bool Builder::AddSoftware(std::span<const uint32_t> equations, uint32_t block) {
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
std::optional<std::pair<uint32_t, uint32_t>> Builder::ForeignResult(uint32_t k) const {
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
bool Builder::AddForeign(std::span<const uint32_t> equations, uint32_t block) {
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

BlockRow Builder::ForeignBlockRow(uint32_t group, uint32_t result,
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

void Builder::AddImplicit(std::span<const uint32_t> equations, uint32_t block) {
  ImplicitBlock out;
  out.block = block;
  std::unordered_map<uint32_t, uint32_t> column;  // slot -> unknown
  for (const uint32_t k : equations) {
    const uint32_t slot = sorted_->slot_of_equation[k];
    column[slot] = static_cast<uint32_t>(out.unknowns.size());
    out.unknowns.push_back(slot);
  }
  bool linear = true, constant = true;
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
        ExprOrder order;
        FindOrder(pool_, std::span(&partial, 1), &order);
        bool varies = false;
        for (const ExprId node : order.nodes) {
          const bool variable =
              pool_.IsSymbol(node) && pool_.kind(pool_.SymbolOf(node)) != SymbolKind::kParameter;
          varies = varies || variable || pool_.op(node) == Op::kTime || pool_.op(node) == Op::kCall;
        }
        form.constant_partial.push_back(!varies);
        if (varies) form.constant = false;
      }
      form.code = MakeCode(part.scalar, roots, EventsOf(part.scalar, local));
    }
    linear = linear && form.linear;
    constant = constant && form.constant;
    const std::vector<double> partials =
        AtParameters(*out_, form.code.code, system_.parameters.first[part.component]);
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
  units_[block] = {Step::Kind::kBlock, UINT32_MAX, static_cast<uint32_t>(out_->blocks.size())};
  out_->blocks.push_back(std::move(out));
}

void Builder::AddUnit(uint32_t block) {
  const auto equations = sorted_->Block(block);
  if (AddForeign(equations, block)) return;
  if (equations.size() == 1 && !ForeignResult(equations[0]) && AddSingle(equations[0], block)) return;
  if (equations.size() > 1 && !ForeignResult(equations[0]) && AddSoftware(equations, block)) return;
  AddImplicit(equations, block);
}

// Blocks that need each block; the number of blocks each one waits for.
void Builder::FindSuccessors() {
  const auto count = static_cast<uint32_t>(sorted_->blocks());
  block_of_equation_.resize(sorted_->equations.size());
  for (uint32_t b = 0; b < count; ++b) {
    for (const uint32_t k : sorted_->Block(b)) block_of_equation_[k] = b;
  }
  successor_first_.assign(count + 1, 0);
  open_.assign(count, 0);
  const auto over = [&](auto&& f) {
    for (uint32_t k = 0; k < sorted_->equations.size(); ++k) {
      const uint32_t own = block_of_equation_[k];
      sorted_->OverUses(k, [&](uint32_t v, uint32_t order) {
        const uint32_t e = sorted_->equation_of_slot[sorted_->first_slot[v] + order];
        if (e == UINT32_MAX) return;
        const uint32_t needed = block_of_equation_[e];
        if (needed != own) f(needed, own);
      });
    }
  };
  over([&](uint32_t needed, uint32_t own) {
    ++successor_first_[needed + 1];
    ++open_[own];
  });
  for (uint32_t b = 0; b < count; ++b) successor_first_[b + 1] += successor_first_[b];
  successors_.resize(successor_first_.back());
  LargeVector<uint32_t> at(successor_first_.begin(), successor_first_.end() - 1);
  over([&](uint32_t needed, uint32_t own) { successors_[at[needed]++] = own; });
}

void Builder::Emit(uint32_t block) {
  const Unit& unit = units_[block];
  Program& p = *out_;
  switch (unit.kind) {
    case Step::Kind::kSums:
      if (p.steps.empty() || p.steps.back().kind != Step::Kind::kSums)
        p.steps.push_back({Step::Kind::kSums, static_cast<uint32_t>(p.sums.size()), 0});
      ++p.steps.back().count;
      p.sums.push_back(sums_[unit.index]);
      return;
    case Step::Kind::kBlock:
    case Step::Kind::kForeign:
      p.steps.push_back({unit.kind, unit.index, 0});
      return;
    case Step::Kind::kKernel:
      break;
  }
  const uint32_t code = unit.key - 1;
  const Instance& instance = instances_[unit.index];
  if (p.steps.empty() || p.steps.back().kind != Step::Kind::kKernel || p.runs.back().code != code) {
    p.steps.push_back({Step::Kind::kKernel, static_cast<uint32_t>(p.runs.size()), 0});
    p.runs.push_back({code, static_cast<uint32_t>(p.locals.size()), static_cast<uint32_t>(p.targets.size()),
                      static_cast<uint32_t>(p.bases.size()), 0});
  }
  ++p.runs.back().count;
  const Code& c = p.codes[code];
  for (uint32_t k = 0; k < c.locals; ++k) p.locals.push_back(locals_[instance.first_local + k]);
  for (uint32_t k = 0; k < c.results.size(); ++k) p.targets.push_back(targets_[instance.first_target + k]);
  p.bases.push_back(instance.base);
}

/* Units with the same key are taken one after the other as long as there are any that are ready, those that
become ready on the way included: one run for a whole level, and one for a whole chain. */
void Builder::Schedule() {
  FindSuccessors();
  const auto count = static_cast<uint32_t>(sorted_->blocks());
  std::unordered_map<uint32_t, uint32_t> queue_of_key;
  std::vector<std::vector<uint32_t>> queues;
  std::vector<size_t> taken;
  std::deque<uint32_t> waiting;
  std::vector<bool> listed;
  const auto ready = [&](uint32_t block) {
    const auto [at, fresh] =
        queue_of_key.try_emplace(units_[block].key, static_cast<uint32_t>(queues.size()));
    if (fresh) {
      queues.emplace_back();
      taken.push_back(0);
      listed.push_back(false);
    }
    queues[at->second].push_back(block);
    if (!listed[at->second]) {
      listed[at->second] = true;
      waiting.push_back(at->second);
    }
  };
  for (uint32_t b = 0; b < count; ++b) {
    if (open_[b] == 0) ready(b);
  }
  while (!waiting.empty()) {
    const uint32_t queue = waiting.front();
    waiting.pop_front();
    while (taken[queue] < queues[queue].size()) {
      const uint32_t block = queues[queue][taken[queue]++];
      Emit(block);
      for (uint32_t k = successor_first_[block]; k < successor_first_[block + 1]; ++k) {
        if (--open_[successors_[k]] == 0) ready(successors_[k]);
      }
    }
    listed[queue] = false;
    queues[queue].clear();
    taken[queue] = 0;
  }
}

void Builder::CollectSwitches() {
  std::vector<std::vector<std::pair<TimeSwitch, uint32_t>>> of_class(system_.scalars.size());
  for (uint32_t s = 0; s < system_.scalars.size(); ++s) {
    std::vector<ExprId> roots;
    for (uint32_t e = 0; e < system_.scalars[s].always; ++e)
      roots.push_back(system_.scalars[s].equations[e].residual);
    for (const ScalarElement::When& when : system_.scalars[s].whens) roots.push_back(when.condition);
    if (roots.empty()) continue;
    for (const TimeSwitch& found : FindTimeSwitches(model_, roots))
      of_class[s].emplace_back(found, MakeCode(s, std::span(&found.argument, 1)).code);
  }
  uint32_t last_scalar = UINT32_MAX, last_base = UINT32_MAX;
  for (const Part& part : system_.parts) {
    if (of_class[part.scalar].empty()) continue;
    const uint32_t base = system_.parameters.first[part.component];
    if (part.scalar == last_scalar && base == last_base) continue;
    last_scalar = part.scalar;
    last_base = base;
    for (const auto& [found, code] : of_class[part.scalar])
      out_->switches.push_back({found.kind, code, found.table, base});
  }
}

// Code of an instance that runs at events; made once a class.
Program::Bound Builder::Bind(const Part& part, std::span<const ExprId> roots, CodeWriter::Events events) {
  std::vector<uint32_t> key{static_cast<uint32_t>(events)};
  for (const ExprId root : roots) key.push_back(root.value);
  const auto [at, fresh] = event_codes_.try_emplace({part.scalar, std::move(key)});
  if (fresh) at->second = MakeCode(part.scalar, roots, events);
  const Program::Bound out{at->second.code, static_cast<uint32_t>(out_->locals.size()),
                           system_.parameters.first[part.component], part.component};
  for (const ScalarUse& use : at->second.locals) out_->locals.push_back(SlotOf(part, use, false));
  return out;
}

void Builder::CollectWhens(const Part& part) {
  const ScalarElement& scalar = system_.scalars[part.scalar];
  for (const ScalarElement::When& when : scalar.whens) {
    Program::When out;
    static_cast<Program::Bound&>(out) = Bind(part, std::span(&when.condition, 1));
    out.is_elsewhen = when.is_elsewhen;
    out.stops = when.stops;
    out.reason = when.stop_reason;
    out.first_action = static_cast<uint32_t>(out_->actions.size());
    for (const ScalarElement::When::Action& a : when.actions) {
      Program::Action action;
      static_cast<Program::Bound&>(action) = Bind(part, std::span(&a.value, 1), CodeWriter::Events::kOff);
      action.target = SlotOf(part, {a.variable, a.order}, false);
      action.reinit = a.reinit;
      out_->actions.push_back(action);
    }
    out.actions = static_cast<uint32_t>(out_->actions.size()) - out.first_action;
    out_->whens.push_back(std::move(out));
  }
  for (const auto& [condition, message] : scalar.assertions) {
    Program::Assertion out;
    static_cast<Program::Bound&>(out) = Bind(part, std::span(&condition, 1), CodeWriter::Events::kOff);
    out.message = message;
    out_->assertions.push_back(std::move(out));
  }
}

// What the class of a component with foreign code declares, with its slots.
Program::External Builder::MakeExternal(const Part& part) const {
  const ElementClass& element = system_.graph->elements[part.scalar];
  const ComponentClass& cls = model_[element.class_id];
  const ScalarElement& scalar = system_.scalars[part.scalar];
  Program::External out;
  const std::filesystem::path file(model_.files[model_.SpanOf(cls.origin).file].path());
  out.library = (file.parent_path() / cls.external_library).string();
  if (out.library.find('/') == std::string::npos) out.library = "./" + out.library;
  out.function = cls.external_function;
  out.instance = ComponentName(model_, *system_.graph, ComponentId(part.component));
  out.component = part.component;
  out.parameters = system_.parameters.first[part.component];
  for (const ScalarParameter& p : scalar.parameters)
    out.parameter_names.emplace_back(pool_.SymbolName(p.symbol));
  std::unordered_map<uint32_t, std::vector<uint32_t>> input_of, output_of;  // by variable of the class
  for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
    const ScalarVariable& variable = scalar.variables[v];
    const std::string name(pool_.SymbolName(variable.symbol));
    const VariableRef ref = system_.Resolve(part, v);
    const uint32_t slot = sorted_->HasSlot(ref) ? sorted_->Slot(ref) : 0;
    if (variable.role == ScalarVariable::Role::kInput) {
      input_of[element.slot_variable[variable.index]].push_back(static_cast<uint32_t>(out.inputs.size()));
      out.inputs.emplace_back(name, slot);
    } else if (v < scalar.owned && cls.variables[variable.index].role == VariableRole::kOutput) {
      output_of[variable.index].push_back(static_cast<uint32_t>(out.outputs.size()));
      out.outputs.emplace_back(name, slot);
    } else if (v < scalar.continuous && cls.variables[variable.index].role == VariableRole::kState) {
      out.states.emplace_back(name, slot);
    }
  }
  for (const OutputGroup& group : cls.groups) {
    out.groups.emplace_back();
    for (const uint32_t v : group.outputs)
      out.groups.back().first.insert(out.groups.back().first.end(), output_of[v].begin(), output_of[v].end());
    for (const uint32_t v : group.inputs)
      out.groups.back().second.insert(out.groups.back().second.end(), input_of[v].begin(), input_of[v].end());
    std::sort(out.groups.back().second.begin(), out.groups.back().second.end());
  }
  return out;
}

// Its output groups, and the derivatives of its states: one call each.
void Builder::AddForeignGroups(uint32_t external) {
  const Program::External& of = out_->externals[external];
  const auto add = [&](uint32_t number) {
    const bool derivatives = number == of.groups.size();
    Program::ForeignGroup group;
    group.external = external;
    group.group = derivatives ? Program::ForeignGroup::kDerivatives : number;
    for (const auto& [name, slot] : of.states) {
      group.states.push_back(slot);
      if (derivatives) group.results.push_back(slot + 1);
    }
    if (!derivatives) {
      for (const uint32_t output : of.groups[number].first)
        group.results.push_back(of.outputs[output].second);
    }
    for (uint32_t k = 0; k < of.inputs.size(); ++k) {
      if (!derivatives &&
          std::count(of.groups[number].second.begin(), of.groups[number].second.end(), k) == 0)
        continue;
      group.inputs.push_back(of.inputs[k].second);
      group.input_numbers.push_back(k);
    }
    if (group.results.empty()) return;
    for (uint32_t r = 0; r < group.results.size(); ++r)
      foreign_of_slot_[group.results[r]] = {static_cast<uint32_t>(out_->foreign.size()), r};
    out_->foreign.push_back(std::move(group));
  };
  for (uint32_t g = 0; g <= of.groups.size(); ++g) add(g);
}

void Builder::CollectExternals() {
  for (const Part& part : system_.parts) {
    if (!IsExternal(part)) continue;
    out_->externals.push_back(MakeExternal(part));
    if (model_[system_.graph->elements[part.scalar].class_id].sample_period.IsNone())
      AddForeignGroups(static_cast<uint32_t>(out_->externals.size() - 1));
  }
}

// Sampled foreign code acts at the samples of its component.
void Builder::AddSamples(const Part& part, uint32_t external) {
  const ComponentClass& cls = model_[system_.graph->elements[part.scalar].class_id];
  if (cls.sample_period.IsNone()) return;
  const ExprId tick = pool_.Call("sample", {pool_.Zero(), cls.sample_period});
  Program::When when;
  static_cast<Program::Bound&>(when) = Bind(part, std::span(&tick, 1));
  when.first_action = static_cast<uint32_t>(out_->actions.size());
  when.external = external;
  out_->whens.push_back(when);
  Program::External& own = out_->externals[external];
  own.sampling = Bind(part, std::span(&cls.sample_period, 1));
  own.period = AtParameters(*out_, own.sampling.code, own.sampling.parameters)[0];
}

// What gives a held slot its value.
void Builder::CollectHeld(const HeldTable::Entry& entry) {
  const HeldUse use = held_.Use(entry);
  const Part& part = *entry.part;
  switch (use.kind) {
    case HeldUse::Kind::kRelation:
    case HeldUse::Kind::kLevel: {
      Program::Relation out;
      const bool level = use.kind == HeldUse::Kind::kLevel;
      const ExprId x =
          level ? use.expr : pool_.Subtract(pool_.operand(use.expr, 0), pool_.operand(use.expr, 1));
      static_cast<Program::Bound&>(out) = Bind(part, std::span(&x, 1));
      out.kind = level                             ? Program::Relation::Kind::kLevel
                 : pool_.op(use.expr) == Op::kLess ? Program::Relation::Kind::kLess
                                                   : Program::Relation::Kind::kLessEqual;
      out.slot = entry.slot;
      out.continuous = entry.continuous;
      out_->relations.push_back(out);
      return;
    }
    case HeldUse::Kind::kPre: {
      const SymbolInfo info = pool_.symbol(pool_.SymbolOf(use.expr));
      const uint32_t variable = sorted_->derived->VariableOf(part.scalar, info.base);
      if (variable != UINT32_MAX)
        out_->pres.push_back({entry.slot, SlotOf(part, {variable, info.order}, false), entry.continuous});
      return;
    }
    case HeldUse::Kind::kClock:
    case HeldUse::Kind::kDelay: {
      const std::vector<ExprId> roots(pool_.operands(use.expr).begin(), pool_.operands(use.expr).end());
      const Program::Bound bound = Bind(part, roots);
      if (use.kind == HeldUse::Kind::kClock) {
        out_->clocks.emplace_back();
        static_cast<Program::Bound&>(out_->clocks.back()) = bound;
        out_->clocks.back().slot = entry.slot;
      } else {
        out_->delays.emplace_back();
        static_cast<Program::Bound&>(out_->delays.back()) = bound;
        out_->delays.back().slot = entry.slot;
      }
      return;
    }
    case HeldUse::Kind::kInitial:
      out_->initial_slots.push_back(entry.slot);
      return;
    case HeldUse::Kind::kTerminal:
      out_->terminal_slots.push_back(entry.slot);
      return;
  }
}

// What happens at events: after all other code is made, since that decides what is held.
void Builder::CollectEvents() {
  for (const Part& part : system_.parts) {
    const ScalarElement& scalar = system_.scalars[part.scalar];
    if (!scalar.whens.empty() || !scalar.assertions.empty()) CollectWhens(part);
    for (uint32_t v = scalar.continuous; v < scalar.owned; ++v)
      out_->discrete_slots.push_back(sorted_->Slot({part.first_variable + v, 0}));
  }
  uint32_t external = 0;
  for (const Part& part : system_.parts) {
    if (IsExternal(part)) AddSamples(part, external++);
  }
  for (size_t k = 0; k < held_.entries().size(); ++k) CollectHeld(held_.entries()[k]);
  out_->slots = held_.end();
}

void Builder::AddSteps() {
  const auto count = static_cast<uint32_t>(sorted_->blocks());
  units_.resize(count);
  out_->kind_of_block.resize(count);
  for (const Table& table : model_.tables) out_->tables.emplace_back(table);
  CollectExternals();
  for (uint32_t b = 0; b < count; ++b) AddUnit(b);
  Schedule();
}

std::unique_ptr<Program> Builder::RunInitial() {
  AddSteps();
  out_->slots = held_.end();
  return std::move(out_);
}

std::unique_ptr<Program> Builder::Run(std::string* problem) {
  if (sorted_->singular) {
    *problem = "the equations have no unique solution";
    return nullptr;
  }
  AddSteps();
  for (const VariableRef& state : sorted_->states) {
    out_->state_slots.push_back(sorted_->Slot(state));
    out_->derivative_slots.push_back(sorted_->Slot({state.variable, state.order + 1}));
  }
  for (const VariableRef& input : system_.inputs) {
    for (uint32_t order = 0; order <= sorted_->offsets.variable[input.variable]; ++order)
      out_->input_slots.push_back(sorted_->Slot({input.variable, order}));
  }
  CollectSwitches();
  CollectEvents();
  out_->held = std::make_shared<HeldTable>(held_);
  return std::move(out_);
}

}  // namespace

std::unique_ptr<Program> BuildProgram(std::shared_ptr<const SortedSystem> sorted, std::string* problem) {
  return Builder(std::move(sorted)).Run(problem);
}

std::unique_ptr<Program> BuildInitialProgram(std::shared_ptr<const SortedSystem> initial,
                                             const Program& run) {
  return Builder(std::move(initial), run.held.get()).RunInitial();
}

bool UseParameters(Program& program) {
  for (const Program::Decision& d : program.decisions) {
    if ((AtParameters(program, d.code, d.parameters)[0] != 0) != d.nonzero) return false;
  }
  for (Program::External& e : program.externals) {
    if (e.period > 0) e.period = AtParameters(program, e.sampling.code, e.sampling.parameters)[0];
  }
  return true;
}

}  // namespace cotree
