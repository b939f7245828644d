// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "program/held_table.h"
#include "program/program.h"

namespace cotree {

/// Results of a code at the numbers of an instance, of use where they depend on parameters only.
std::vector<double> AtParameters(const Program& program, uint32_t number, uint32_t parameters);

/** A code with what binds it: which local variable, in which order, each local of the code is. */
struct BoundCode {
  uint32_t code = 0;
  std::vector<ScalarUse> locals;
};

/** Builds a Program: forms and blocks (build_blocks.cc, eliminate_block.cc), their order (schedule.cc),
events and foreign code (build_events.cc). */
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::shared_ptr<const SortedSystem> sorted, const HeldTable* held = nullptr)
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
  SumRow MakeSum(uint32_t sorted_equation, uint32_t unknown);
  void AddSum(uint32_t sorted_equation, uint32_t block);
  uint32_t AddCode(Code code);
  void FindSuccessors();
  void Schedule();
  void Emit(uint32_t unit);
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
  void CollectHeld(HeldTable::Entry entry);
  void FindRatesOfDelays();
  Program::Bound Bind(const Part& part, std::span<const ExprId> roots,
                      CodeWriter::Events events = CodeWriter::Events::kOn, bool continuous = false);

  /** What a block of the sorted system becomes, before it is scheduled; units behind those of the blocks
  are what blocks go on with. */
  struct Unit {
    Step::Kind kind = Step::Kind::kKernel;
    uint32_t key = 0;  // units with the same key may share a run
    uint32_t index = 0;
    uint32_t next = UINT32_MAX;  // none: the block is done
    uint32_t block = 0;          // of units behind those of the blocks
  };
  struct Instance {  // of a kernel
    uint32_t first_local, first_target, base;
  };

  // Elimination (eliminate_block.cc).
  struct EliminatedRow;
  struct Sweep;
  bool AddEliminated(std::span<const uint32_t> equations, const ImplicitBlock& block);
  const BoundCode& CombinedForm(const EliminatedRow& row, bool alone);
  void Append(uint32_t block, Unit unit);
  void AppendKernel(uint32_t block, uint32_t code, uint32_t parameters, const std::vector<uint32_t>& locals,
                    const std::vector<uint32_t>& targets);
  void AppendRow(uint32_t block, const EliminatedRow& row, const Sweep& sweep, uint32_t target);
  void EmitNumbers();

  std::shared_ptr<const SortedSystem> sorted_;
  const EquationSystem& system_;
  Model& model_;
  ExprPool& pool_;
  std::unique_ptr<Program> out_;
  std::unordered_map<uint64_t, Form> forms_;
  std::map<std::vector<uint64_t>, PartialForm> residual_forms_;
  std::unordered_map<uint64_t, BoundCode> software_forms_;
  bool eliminates_ = false;                                    // blocks, where that is safe
  std::map<std::vector<uint64_t>, BoundCode> combined_forms_;  // of rows of eliminated blocks
  std::vector<uint32_t> tear_codes_;                           // by number of tears, less one
  uint32_t chain_ = UINT32_MAX;                                // the last unit of the present block
  uint32_t zero_slot_ = UINT32_MAX, one_slot_ = UINT32_MAX;    // hold these numbers
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

}  // namespace cotree
