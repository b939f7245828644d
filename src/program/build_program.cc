// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>

#include "expr/dependence.h"
#include "expr/jacobian.h"
#include "expr/solve.h"
#include "expr/walk.h"
#include "program/held_table.h"
#include "program/program.h"
#include "program/tearing.h"

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

// The first result of code that reads parameters only.
double OfParameters(const Program& program, uint32_t number, uint32_t parameters) {
  const Code& code = program.codes[number];
  CodeContext<double> context;
  context.parameters = program.sorted->system->parameters.values.data() + parameters;
  context.tables = &program.tables;
  std::vector<double> registers(code.instructions.size());
  RunCode(code, context, registers.data());
  return registers[code.results[0]];
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
  explicit Builder(std::shared_ptr<const SortedSystem> sorted)
      : sorted_(std::move(sorted)),
        system_(*sorted_->system),
        model_(*system_.model),
        pool_(model_.expressions),
        out_(std::make_unique<Program>()),
        held_(system_.scalars.size(), sorted_->slots()) {
    out_->sorted = sorted_;
  }

  std::unique_ptr<Program> Run(std::string* problem);

 private:
  /** How a single equation is solved. */
  struct Form {
    bool solved = false;
    BoundCode code;
    std::vector<uint32_t> nonzero;  // codes of parameters only that must not be zero
    uint32_t checked = UINT32_MAX;  // the parameters they were last evaluated for,
    bool passed = true;             // and the outcome
  };
  struct PartialForm {
    bool linear = true, constant = true;
    BoundCode code;
  };

  BoundCode MakeCode(uint32_t scalar, std::span<const ExprId> roots,
                     CodeWriter::Events events = CodeWriter::Events::kOn);
  uint32_t SlotOf(const Part& part, ScalarUse use, bool continuous = true);
  bool Passes(Form& form, uint32_t parameters);
  Form& SolvedForm(uint32_t scalar, uint32_t equation, uint32_t times, ScalarUse unknown);
  uint32_t BindLocals(const Part& part, const BoundCode& code);
  void AddUnit(uint32_t block);
  bool AddSingle(uint32_t sorted_equation, uint32_t block);
  bool AddSoftware(std::span<const uint32_t> equations, uint32_t block);
  void AddImplicit(std::span<const uint32_t> equations, uint32_t block);
  void AddSum(uint32_t sorted_equation, uint32_t block);
  void FindSuccessors();
  void Schedule();
  void Emit(uint32_t block);
  void CollectSwitches();
  void CollectEvents();
  void CollectWhens(const Part& part);
  void CollectExternal(const Part& part);
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
  form.code = MakeCode(scalar, std::span(&solution->value, 1));
  for (const SolveCondition& condition : solution->conditions) {
    bool parameters_only = true;
    for (const SymbolId used : FindSymbols(pool_, condition.expr))
      parameters_only = parameters_only && pool_.kind(used) == SymbolKind::kParameter;
    if (parameters_only) form.nonzero.push_back(MakeCode(scalar, std::span(&condition.expr, 1)).code);
  }
  return form;
}

// Whether the coefficient of the unknown is not zero at the numbers of an instance.
bool Builder::Passes(Form& form, uint32_t parameters) {
  if (form.nonzero.empty() || form.checked == parameters) return form.passed;
  form.checked = parameters;
  form.passed = true;
  for (const uint32_t code : form.nonzero) {
    const bool nonzero = OfParameters(*out_, code, parameters) != 0;
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
  if (system_.IsRow(first.equation) || system_.replaced.count(first.equation) > 0) return false;
  const Part& part = system_.parts[system_.PartOfEquation(first.equation)];
  const auto& own = system_.scalars[part.scalar].equations;
  const uint32_t group = own[first.equation - part.first_equation].group;
  if (group == UINT32_MAX) return false;
  std::vector<uint32_t> slots;
  for (const uint32_t k : equations) slots.push_back(sorted_->slot_of_equation[k]);
  std::vector<ExprId> values;
  for (const uint32_t k : equations) {
    const SortedEquation& e = sorted_->equations[k];
    if (system_.IsRow(e.equation) || e.equation < part.first_equation ||
        e.equation - part.first_equation >= own.size() ||
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
        for (const ExprId node : order.nodes) {
          const bool variable =
              pool_.IsSymbol(node) && pool_.kind(pool_.SymbolOf(node)) != SymbolKind::kParameter;
          if (variable || pool_.op(node) == Op::kTime || pool_.op(node) == Op::kCall) form.constant = false;
        }
      }
      form.code = MakeCode(part.scalar, roots);
    }
    linear = linear && form.linear;
    constant = constant && form.constant;
    for (size_t i = 0; i < unknowns.size(); ++i) {
      const Instruction& result =
          out_->codes[form.code.code].instructions[out_->codes[form.code.code].results[i + 1]];
      solvable.back().push_back(result.code == CodeOp::kNumber && result.number != 0);
    }
    row.code = form.code.code;
    row.first_local = static_cast<uint32_t>(out_->locals.size());
    for (const ScalarUse& use : form.code.locals) out_->locals.push_back(SlotOf(part, use));
    row.parameters = system_.parameters.first[part.component];
    out.rows.push_back(std::move(row));
  }
  out.kind = !linear ? BlockKind::kNonlinear : constant ? BlockKind::kLinearConstant : BlockKind::kLinear;
  out.tears = FindTears(out, solvable);
  out_->kind_of_block[block] = out.kind;
  units_[block] = {Step::Kind::kBlock, UINT32_MAX, static_cast<uint32_t>(out_->blocks.size())};
  out_->blocks.push_back(std::move(out));
}

void Builder::AddUnit(uint32_t block) {
  const auto equations = sorted_->Block(block);
  if (equations.size() == 1 && AddSingle(equations[0], block)) return;
  if (equations.size() > 1 && AddSoftware(equations, block)) return;
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
      p.steps.push_back({Step::Kind::kBlock, unit.index, 0});
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

// Foreign code acts at the samples of its component.
void Builder::CollectExternal(const Part& part) {
  const ElementClass& element = system_.graph->elements[part.scalar];
  const ComponentClass& cls = model_[element.class_id];
  if (cls.sample_period.IsNone()) {
    out_->unsupported.push_back("the foreign code of `" + std::string(model_.Text(cls.name)) +
                                "`, which is not sampled,");
    return;
  }
  const ScalarElement& scalar = system_.scalars[part.scalar];
  Program::External out;
  const std::filesystem::path file(model_.files[model_.SpanOf(cls.origin).file].path());
  out.library = (file.parent_path() / cls.external_library).string();
  if (out.library.find('/') == std::string::npos) out.library = "./" + out.library;
  out.function = cls.external_function;
  out.instance = ComponentName(model_, *system_.graph, ComponentId(part.component));
  out.parameters = system_.parameters.first[part.component];
  for (const ScalarParameter& p : scalar.parameters)
    out.parameter_names.emplace_back(pool_.SymbolName(p.symbol));
  std::unordered_map<uint32_t, std::vector<uint32_t>> input_of, output_of;  // by variable of the class
  for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
    const ScalarVariable& variable = scalar.variables[v];
    const std::string name(pool_.SymbolName(variable.symbol));
    if (variable.role == ScalarVariable::Role::kInput) {
      input_of[element.slot_variable[variable.index]].push_back(static_cast<uint32_t>(out.inputs.size()));
      out.inputs.emplace_back(name, SlotOf(part, {v, 0}, false));
    } else if (variable.role == ScalarVariable::Role::kDiscrete &&
               cls.variables[variable.index].role == VariableRole::kOutput) {
      output_of[variable.index].push_back(static_cast<uint32_t>(out.outputs.size()));
      out.outputs.emplace_back(name, SlotOf(part, {v, 0}, false));
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
  const ExprId tick = pool_.Call("sample", {pool_.Zero(), cls.sample_period});
  Program::When when;
  static_cast<Program::Bound&>(when) = Bind(part, std::span(&tick, 1));
  when.first_action = static_cast<uint32_t>(out_->actions.size());
  when.external = static_cast<uint32_t>(out_->externals.size());
  out_->whens.push_back(when);
  out.sampling = Bind(part, std::span(&cls.sample_period, 1));
  out.period = OfParameters(*out_, out.sampling.code, out.sampling.parameters);
  out_->externals.push_back(std::move(out));
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
  for (const Part& part : system_.parts) {
    if (part.scalar < system_.graph->elements.size() &&
        !model_[system_.graph->elements[part.scalar].class_id].external_library.empty())
      CollectExternal(part);
  }
  for (size_t k = 0; k < held_.entries().size(); ++k) CollectHeld(held_.entries()[k]);
  out_->slots = held_.end();
}

std::unique_ptr<Program> Builder::Run(std::string* problem) {
  if (sorted_->singular) {
    *problem = "the equations have no unique solution";
    return nullptr;
  }
  const auto count = static_cast<uint32_t>(sorted_->blocks());
  units_.resize(count);
  out_->kind_of_block.resize(count);
  for (const Table& table : model_.tables) out_->tables.emplace_back(table);
  for (uint32_t b = 0; b < count; ++b) AddUnit(b);
  Schedule();
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
  return std::move(out_);
}

}  // namespace

std::unique_ptr<Program> BuildProgram(std::shared_ptr<const SortedSystem> sorted, std::string* problem) {
  return Builder(std::move(sorted)).Run(problem);
}

bool UseParameters(Program& program) {
  for (const Program::Decision& d : program.decisions) {
    if ((OfParameters(program, d.code, d.parameters) != 0) != d.nonzero) return false;
  }
  for (Program::External& e : program.externals)
    e.period = OfParameters(program, e.sampling.code, e.sampling.parameters);
  return true;
}

}  // namespace cotree
