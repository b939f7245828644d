// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "block_triangular/sorted_system.h"
#include "program/code.h"
#include "program/tearing.h"

namespace cotree {

class HeldTable;

enum class BlockKind : uint8_t {
  kExplicit,        // one equation, solved for its unknown
  kSum,             // a circuit or cut-set: a sum with signs
  kSoftware,        // an output group: several explicit outputs, or foreign code
  kLinearConstant,  // a linear system whose matrix depends on parameters only: factored once
  kLinear,
  kNonlinear,
};
std::string_view BlockKindName(BlockKind kind);

/** An equation of an implicit block: code that computes the residual, then its partial derivatives by the
block's unknowns; or a row of a topological equation. */
struct BlockRow {
  uint32_t code = UINT32_MAX;  // none: a row
  uint32_t first_local = 0;    // in Program::locals
  uint32_t parameters = 0;     // offset
  uint32_t row = 0;            // of the system, if it is one
  uint32_t times = 0;
  std::vector<uint32_t> columns;  // unknowns of the block, one a partial derivative
  std::vector<int8_t> signs;      // of a row: residual = sum of sign * slot
  /// Instead of both: foreign code. Residual = slot of the result - what the group computes.
  uint32_t foreign = UINT32_MAX;    // in Program::foreign
  uint32_t result = 0;              // of the group
  std::vector<uint32_t> arguments;  // by column: argument of the group; UINT32_MAX: its result
};

struct ImplicitBlock {
  uint32_t block = 0;  // of the SortedSystem
  BlockKind kind = BlockKind::kNonlinear;
  std::vector<uint32_t> unknowns;  // slots
  std::vector<BlockRow> rows;
  std::vector<uint32_t> foreign;  // groups of foreign code that have rows in it
  Tearing tearing;
  std::vector<uint32_t> pivots;  // tearing.rows in the order in which explicit steps eliminate; else empty
};

/** One run of a kernel: the same code for many instances, in order, so that chains of dependent instances are
loops. Each writes its results to `targets`. */
struct KernelRun {
  uint32_t code = 0;
  uint32_t first_local = 0;   // in Program::locals: code.locals for each instance
  uint32_t first_target = 0;  // in Program::targets: code.results for each instance
  uint32_t first_base = 0;    // in Program::bases: the parameters of each instance
  uint32_t count = 0;
};

struct Step {
  enum class Kind : uint8_t { kKernel, kSums, kBlock, kForeign } kind;
  uint32_t index = 0;  // kernel run, first sum, implicit block, or group of foreign code
  uint32_t count = 0;  // sums
};

/** One signed sum: slot = sum of sign * slot. */
struct SumRow {
  uint32_t target = 0;
  uint32_t first = 0, count = 0;  // in Program::sum_entries
};
struct SumEntry {
  uint32_t slot;
  int32_t sign;
};

/** What computes a system: derivatives of the states and all other variables, from states, inputs and time
(docs/theory/program.md, PR.2, PR.3). Interpreted here; other tiers compile the same steps.

Kernels look at classes, never at syntax: instances with the same code and no dependence between them form one
run. `Statistics` counts them. */
struct Program {
  std::shared_ptr<const SortedSystem> sorted;
  std::vector<Code> codes;
  std::vector<KernelRun> runs;
  std::vector<Step> steps;
  LargeVector<uint32_t> locals, targets, bases;
  LargeVector<SumRow> sums;
  LargeVector<SumEntry> sum_entries;
  std::vector<ImplicitBlock> blocks;
  std::vector<ImplicitBlock> eliminated;  // blocks that explicit steps solve (eliminate_block.h), in no step
  std::vector<TableFunction> tables;
  LargeVector<BlockKind> kind_of_block;  // by block of the SortedSystem

  std::vector<uint32_t> state_slots, derivative_slots;  // by state
  std::vector<uint32_t> input_slots;  // by input and order: inputs' orders one after another
  uint32_t slots = 0;

  /** A switch at a time that can be known beforehand. */
  struct KnownSwitch {
    TimeSwitch::Kind kind;
    uint32_t code, table, parameters;
  };
  std::vector<KnownSwitch> switches;
  std::vector<std::string> unsupported;  // "delay(...) in line": what has no value in a run
  /** An equation that one of its modes does not let solve for its unknown (an ideal diode that blocks the
  current of an inductor). */
  struct ModeGap {
    uint32_t equation;                    // sorted
    std::vector<std::string> parameters;  // whose zeros make it so
  };
  std::vector<ModeGap> mode_gaps;

  /** Code of one instance that is run at events only. */
  struct Bound {
    uint32_t code = 0, first_local = 0, parameters = 0;
    uint32_t component = 0;  // whose it is, for messages
  };
  /** A condition on the motion, held in a slot between events. Its code gives x: true where x < 0 or x <= 0;
  or the level is floor(x). */
  struct Relation : Bound {
    enum class Kind : uint8_t { kLess, kLessEqual, kLevel } kind = Kind::kLess;
    uint32_t slot = 0;
    bool continuous = false;  // what is computed between events depends on it
  };
  /** pre(x): the value of x before the event, or before the last round of an event. */
  struct Pre {
    uint32_t slot, of;
    bool continuous;
  };
  /** sample(start, period): results of the code; the slot is 1 at ticks. */
  struct Clock : Bound {
    uint32_t slot = 0;
  };
  /** delay(u, T): the code gives u and T; the slot is u as it was T ago. delay(u, T, a): a is third. */
  struct Delay : Bound {
    uint32_t slot = 0;
    bool given = false;          // a is
    uint32_t rate = UINT32_MAX;  // the delay of its derivative, where that is computed
  };
  struct Action : Bound {
    uint32_t target = 0;
    bool reinit = false;
  };
  /** When the condition becomes true, the actions are carried out; an elsewhen only if none before it did. */
  struct When : Bound {
    bool is_elsewhen = false, stops = false;
    std::string reason;
    uint32_t first_action = 0, actions = 0;
    uint32_t external = UINT32_MAX;  // foreign code that acts
  };
  /** A component whose code is in a shared library. Names and slots as the class declares them. */
  struct External {
    std::string library, function, instance;
    uint32_t component = 0;
    uint32_t parameters = 0;  // offset; as many as names
    std::vector<std::string> parameter_names;
    std::vector<std::pair<std::string, uint32_t>> inputs, outputs, states;
    std::vector<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> groups;  // outputs, direct inputs
    Bound sampling;     // code that gives the period, if it has one,
    double period = 0;  // at the present parameters; 0: continuous
  };
  /** What a continuous External computes at once, in one call: an output group, or the derivatives of its
  states. */
  struct ForeignGroup {
    static constexpr uint32_t kDerivatives = UINT32_MAX;
    uint32_t external = 0;
    uint32_t group = kDerivatives;         // of External::groups
    std::vector<uint32_t> results;         // slots: outputs of the group, or der(state) of each state
    std::vector<uint32_t> states, inputs;  // slots it depends on: all states, direct inputs
    std::vector<uint32_t> input_numbers;   // of `inputs`, in External::inputs
    size_t arguments() const { return states.size() + inputs.size(); }
    uint32_t argument(size_t k) const { return k < states.size() ? states[k] : inputs[k - states.size()]; }
  };
  struct Assertion : Bound {
    std::string message;
  };
  std::vector<Relation> relations;
  std::vector<Pre> pres;
  std::vector<Clock> clocks;
  std::vector<Delay> delays;
  std::vector<When> whens;
  std::vector<Action> actions;
  std::vector<Assertion> assertions;
  std::vector<uint32_t> discrete_slots;  // change at events only
  std::vector<uint32_t> initial_slots, terminal_slots;
  std::vector<External> externals;
  std::vector<ForeignGroup> foreign;
  std::shared_ptr<const HeldTable> held;  // which slots are whose: for BuildInitialProgram

  /** A coefficient of parameters that was looked at to choose how an equation is solved. */
  struct Decision {
    uint32_t code, parameters;
    bool nonzero;
  };
  LargeVector<Decision> decisions;

  /// Everything that is implicit, however it is solved.
  template <class F>
  void OverImplicit(F&& f) const {
    for (const ImplicitBlock& block : blocks) f(block);
    for (const ImplicitBlock& block : eliminated) f(block);
  }
  bool HasEvents() const { return !relations.empty() || !clocks.empty() || !whens.empty() || !pres.empty(); }
  uint64_t kernels() const { return runs.size(); }
};

/// Null, with the reason in `problem`, where something cannot be computed.
std::unique_ptr<Program> BuildProgram(std::shared_ptr<const SortedSystem> sorted, std::string* problem);

/// What computes the beginning of a run, from another order of the same system (SortInitial): steps and
/// blocks only, over the slots of `run`.
std::unique_ptr<Program> BuildInitialProgram(std::shared_ptr<const SortedSystem> initial, const Program& run);
/// Takes over new numbers of the parameters (sorted->system->parameters). False: at these numbers some
/// equation would be solved in another way, and the program must be built anew.
bool UseParameters(Program& program);

}  // namespace cotree
