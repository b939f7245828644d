// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "program/eliminate_block.h"
#include "program/program_builder.h"

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

namespace {

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

}  // namespace

BoundCode ProgramBuilder::MakeCode(uint32_t scalar, std::span<const ExprId> roots,
                                   CodeWriter::Events events) {
  ClassNames names(system_, *sorted_->derived, held_, scalar);
  CodeWriter writer(model_, names);
  Code code = writer.Write(roots, events);
  code.locals = static_cast<uint32_t>(names.locals.size());
  if (code.unsupported) {
    const std::string text = code.what;
    if (std::find(out_->unsupported.begin(), out_->unsupported.end(), text) == out_->unsupported.end())
      out_->unsupported.push_back(text);
  }
  return {AddCode(std::move(code)), std::move(names.locals)};
}

uint32_t ProgramBuilder::AddCode(Code code) {
  out_->codes.push_back(std::move(code));
  return static_cast<uint32_t>(out_->codes.size() - 1);
}

uint32_t ProgramBuilder::BindLocals(const Part& part, const BoundCode& code) {
  const auto first = static_cast<uint32_t>(locals_.size());
  for (const ScalarUse& use : code.locals) locals_.push_back(SlotOf(part, use));
  return first;
}

uint32_t ProgramBuilder::SlotOf(const Part& part, ScalarUse use, bool continuous) {
  if ((use.variable & kHeldLocal) != 0) return held_.Slot(part, use.variable & ~kHeldLocal, continuous);
  const VariableRef ref = system_.Resolve(part, use.variable);
  const VariableRef at{ref.variable, ref.order + use.order};
  COTREE_CHECK(sorted_->HasSlot(at));
  return sorted_->Slot(at);
}

void ProgramBuilder::AddSteps() {
  const auto count = static_cast<uint32_t>(sorted_->blocks());
  units_.resize(count);
  out_->kind_of_block.resize(count);
  for (const Table& table : model_.tables) out_->tables.emplace_back(table);
  CollectExternals();
  for (uint32_t b = 0; b < count; ++b) AddUnit(b);
  Schedule();
}

std::unique_ptr<Program> ProgramBuilder::RunInitial() {
  AddSteps();
  out_->slots = held_.end();
  return std::move(out_);
}

std::unique_ptr<Program> ProgramBuilder::Run(std::string* problem) {
  if (sorted_->singular) {
    *problem = "the equations have no unique solution";
    return nullptr;
  }
  eliminates_ = true;
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

std::unique_ptr<Program> BuildProgram(std::shared_ptr<const SortedSystem> sorted, std::string* problem) {
  return ProgramBuilder(std::move(sorted)).Run(problem);
}

std::unique_ptr<Program> BuildInitialProgram(std::shared_ptr<const SortedSystem> initial,
                                             const Program& run) {
  return ProgramBuilder(std::move(initial), run.held.get()).RunInitial();
}

bool UseParameters(Program& program) {
  for (const Program::Decision& d : program.decisions) {
    if ((AtParameters(program, d.code, d.parameters)[0] != 0) != d.nonzero) return false;
  }
  if (!KeepsPivots(program)) return false;
  for (Program::External& e : program.externals) {
    if (e.period > 0) e.period = AtParameters(program, e.sampling.code, e.sampling.parameters)[0];
  }
  return true;
}

}  // namespace cotree
