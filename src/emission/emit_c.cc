// SPDX-License-Identifier: Apache-2.0
#include "emission/emit_c.h"

#include <fmt/format.h>

#include <algorithm>

#include "block_triangular/diagnose_order.h"
#include "emission/c_text.h"
#include "emission/emitter.h"
#include "simulation/condition_bounds.h"
#include "system_equations/loop_give.h"

namespace cotree {
namespace {

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 8;
  std::string out;
  for (size_t k = 0; k < names.size() && k < kMost; ++k) out += (k > 0 ? ", `" : "`") + names[k] + "`";
  return names.size() > kMost ? out + fmt::format(" and {} more", names.size() - kMost) : out;
}

// Of a block that is solved by tears: where these lead nowhere, the whole of it is eliminated.
constexpr size_t kLargestTorn = 256;

}  // namespace

std::string Emitter::Run(std::string* problem) {
  *problem = FindRefusal();
  if (problem->empty()) *problem = Begin();
  if (!problem->empty()) return {};
  FindFeatures();
  FindUses();
  FindPlaces();
  std::string out = Head() + Text("1_functions") + Sizes() + Text("2_interface") + PublicTables();
  out += Text("2_types");
  if (features_.count("tables") > 0) out += Text("3_tables");
  out += Data() + Codes() + HangingBounds();
  if (features_.count("blocks") > 0) out += Blocks() + Text("4_blocks");
  out += Steps() + Text("5_run");
  if (features_.count("events") > 0) out += Text("6_events");
  if (features_.count("projection") > 0) out += Text("6_projection");
  return out + RunOptions() + Text("7_begin") + Text("7_methods") + Text("7_main");
}

std::string Emitter::FindRefusal() const {
  if (!program_.unsupported.empty()) return program_.unsupported.front() + " cannot be computed";
  std::vector<std::string> names;
  for (const Program::External& e : program_.externals) names.push_back(Name(e.component));
  if (!names.empty())
    return fmt::format(
        "{} {} code of {} own in a shared library, which an emitted program cannot call; give {} "
        "equations, "
        "or run the model with `cotree simulate`",
        Listed(names), names.size() == 1 ? "has" : "have", names.size() == 1 ? "its" : "their",
        names.size() == 1 ? "it" : "them");
  for (const ImplicitBlock& block : program_.blocks) {
    const size_t n = block.unknowns.size();
    if (n <= LinearSolver::kDense || (n <= kLargestTorn && UsesTears(block))) continue;
    return fmt::format(
        "a block of {} unknowns, {}, is too large for an emitted program ({} at most, or {} that {} of "
        "them "
        "determine): it joins {}; storage between them (a small capacity, inertia or elasticity) makes "
        "several blocks of it, or run the model with `cotree simulate`",
        n, run_.BlockText(block.block), LinearSolver::kDense, kLargestTorn, LinearSolver::kDense,
        Listed(ComponentsOfBlock(block)));
  }
  return {};
}

std::vector<std::string> Emitter::ComponentsOfBlock(const ImplicitBlock& block) const {
  std::set<uint32_t> components;
  for (const uint32_t k : sorted_.Block(block.block)) {
    for (const ComponentId id : ComponentsOf(system_, sorted_.equations[k].equation))
      components.insert(id.value);
  }
  std::vector<std::string> names;
  for (const uint32_t c : components) {
    if (!Name(c).empty()) names.push_back(Name(c));
  }
  return names;
}

// The values with which a run begins, as Simulate finds them.
std::string Emitter::Begin() {
  const SimulationOptions& o = options_.run;
  const std::vector<double> knots = KnownSwitchTimes(program_, o.start, o.stop);
  run_.switch_time = (o.start + (knots.empty() ? o.stop : knots.front())) / 2;
  const Initialization begin = events_.Begin(starts_, {o.start, o.steady});
  std::string problem = begin.ok ? events_.FindNoValue(o.start) : begin.problem;
  if (problem.empty()) problem = FixedStepProblem(run_, program_, o);
  for (uint32_t k = 0; k < events_.borne().size() && problem.empty(); ++k) {
    if (events_.borne()[k] == 0) continue;
    problem = events_.Names({k}, {}) +
              " bears its limit while others hold it, and an emitted program does not share loads; run it here, "
              "or begin where it slides";
  }
  if (problem.empty()) corners_ = FindDelayedCorners(run_, program_, o.start);
  return problem.empty() ? "" : "at the start: " + problem;
}

void Emitter::FindFeatures() {
  const auto add = [&](const char* name, bool needed) {
    if (needed) features_.insert(name);
  };
  add("states", !program_.state_slots.empty());
  add("blocks", !program_.blocks.empty());
  add("tables", !program_.tables.empty());
  add("switches", !program_.switches.empty());
  add("events", program_.HasEvents() || !program_.terminal_slots.empty());
  add("relations", !program_.relations.empty());
  add("whens", !program_.whens.empty());
  add("actions", !program_.actions.empty());
  add("reinits", std::any_of(program_.actions.begin(), program_.actions.end(),
                             [](const Program::Action& a) { return a.reinit; }));
  add("delays", !program_.delays.empty());
  add("assertions", !program_.assertions.empty());
  add("past", !program_.delays.empty() || !program_.assertions.empty());
  add("decisions", !program_.decisions.empty());
  add("fired", !events_.fired().empty());
  for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
    const ImplicitBlock& block = program_.blocks[b];
    add("linear", block.kind != BlockKind::kNonlinear);
    add("nonlinear", block.kind == BlockKind::kNonlinear);
    add("tears", UsesTears(block));
    if (block.kind == BlockKind::kLinearConstant) continue;
    const auto equations = sorted_.Block(block.block);
    if (std::any_of(equations.begin(), equations.end(),
                    [&](uint32_t k) { return sorted_.offsets.equation[sorted_.equations[k].equation] != 0; }))
      dead_blocks_.push_back(b);
  }
  add("dead_centres", !dead_blocks_.empty());
  FindGaps();
  add("projection", !gap_slots_.empty());
  add("kept", !system_.kept_constraints.empty());
  add("give", give_ != UINT32_MAX && !watched_blocks_.empty());
  add("determinants", !dead_blocks_.empty() || features_.count("give") > 0);
}

// What a Projection holds at zero, and the blocks whose determinants it watches.
void Emitter::FindGaps() {
  HeldAtZero held(program_);
  gap_slots_ = std::move(held.slots);
  for (const uint32_t below : held.below)
    gap_below_.push_back(below == UINT32_MAX ? gap_slots_.size() : below);
  gaps_ = std::move(held.pattern);
  std::set<uint32_t> watched;
  for (const EquationSystem::Invariant& invariant : system_.invariants) {
    if (!invariant.projected) continue;
    gap_kept_.push_back(system_.IsRemainder(invariant.variable) ? 1 : 0);
    if (invariant.multiplier == UINT32_MAX) continue;
    const uint32_t slot = sorted_.Slot({invariant.multiplier, 0});
    for (uint32_t b = 0; b < program_.blocks.size(); ++b) {
      const auto& unknowns = program_.blocks[b].unknowns;
      if (std::find(unknowns.begin(), unknowns.end(), slot) != unknowns.end()) watched.insert(b);
    }
  }
  if (gap_slots_.empty()) return;
  watched_blocks_.assign(watched.begin(), watched.end());
  const uint32_t give = GiveVariable(system_);
  if (give != UINT32_MAX) give_ = sorted_.Slot({give, 0});
  gap_order_ = FindGapOrder(gaps_, gap_slots_.size());
}

// Which codes are called, and which parameters they read.
void Emitter::FindUses() {
  called_.assign(program_.codes.size(), false);
  in_kernel_.assign(program_.codes.size(), false);
  in_block_.assign(program_.codes.size(), false);
  read_.assign(system_.parameters.values.size(), false);
  for (const Step& step : program_.steps) {
    if (step.kind != Step::Kind::kKernel) continue;
    const KernelRun& run = program_.runs[step.index];
    in_kernel_[run.code] = true;
    for (uint32_t i = 0; i < run.count; ++i) Use(run.code, program_.bases[run.first_base + i]);
  }
  for (const ImplicitBlock& block : program_.blocks) {
    for (const BlockRow& row : block.rows) {
      if (row.code == UINT32_MAX) continue;
      in_block_[row.code] = true;
      Use(row.code, row.parameters);
    }
  }
  const auto use = [&](const auto& list) {
    for (const auto& b : list) Use(b.code, b.parameters);
  };
  FindTimes();
  use(program_.switches);
  use(program_.relations);
  use(program_.delays);
  use(program_.whens);
  use(program_.actions);
  use(program_.assertions);
  use(program_.decisions);
  for (uint32_t c = 0; c < system_.graph->components.size(); ++c) {
    const Part& part = system_.parts[c];
    const ScalarElement& scalar = system_.scalars[part.scalar];
    for (uint32_t k = 0; k < scalar.parameters.size(); ++k) {
      const uint32_t at = system_.parameters.first[part.component] + k;
      if (read_[at] && !times_[at]) settable_.push_back({part.component, k, at});
    }
  }
}

// Parameters that periods and delays hang on: those are numbers of the program.
void Emitter::FindTimes() {
  times_.assign(system_.parameters.values.size(), false);
  const auto mark = [&](const Program::Bound& bound, size_t first_result) {
    const Code& code = program_.codes[bound.code];
    std::vector<bool> needed(code.instructions.size(), false);
    for (size_t r = first_result; r < code.results.size(); ++r) needed[code.results[r]] = true;
    for (size_t k = code.instructions.size(); k-- > 0;) {
      if (!needed[k]) continue;
      const Instruction& i = code.instructions[k];
      if (i.code == CodeOp::kParameter) times_[bound.parameters + i.a] = true;
      OverOperands(i, [&](uint32_t operand) { needed[operand] = true; });
    }
  };
  for (const Program::Clock& clock : program_.clocks) mark(clock, 0);
  for (const Program::Delay& delay : program_.delays) mark(delay, 1);
}

void Emitter::Use(uint32_t code, uint32_t parameters) {
  called_[code] = true;
  for (const Instruction& i : program_.codes[code].instructions) {
    if (i.code == CodeOp::kParameter) read_[parameters + i.a] = true;
  }
}

// The pattern of the Jacobian, where the matrices of blocks lie, what the motion between events depends on.
void Emitter::FindPlaces() {
  pattern_ = FindJacobianPattern(program_);
  work_.push_back(0);
  order_.push_back(0);
  for (const ImplicitBlock& block : program_.blocks) {
    const size_t n = block.unknowns.size(), tears = UsesTears(block) ? block.tearing.tears.size() : 0;
    size_t entries = 0;
    for (const BlockRow& row : block.rows) entries += row.columns.size();
    work_.push_back(work_.back() + entries + 3 * n + n * n + tears * tears + n * tears + tears);
    order_.push_back(order_.back() + n + tears);
  }
  for (const Program::Relation& r : program_.relations) {
    if (r.continuous) held_.push_back(r.slot);
  }
  for (const Program::Pre& p : program_.pres) {
    if (p.continuous) held_.push_back(p.slot);
  }
  held_.insert(held_.end(), program_.discrete_slots.begin(), program_.discrete_slots.end());
}

std::string Emitter::Head() const {
  std::string out = "/* Emitted by cotree " COTREE_VERSION "; do not edit.\n";
  for (const std::string& line : options_.head) out += "   " + CComment(line) + "\n";
  for (const ImplicitBlock& block : program_.blocks) {
    if (block.unknowns.size() > LinearSolver::kDense)
      out += fmt::format(
          "   The block of {} unknowns, {}, is\n   solved by its tears; where these lead nowhere, and in "
          "model_jacobian, the last digits differ from cotree's.\n",
          block.unknowns.size(), CComment(run_.BlockText(block.block)));
  }
  out += "   What is the same for all models is licensed under Apache-2.0.\n";
  out +=
      "\n   cc -std=c99 -O2 -ffp-contract=off -fno-builtin -DCOTREE_SLEEF model.c -lsleef -lm   the bits "
      "of cotree\n"
      "   cc -std=c99 -O2 -ffp-contract=off -fno-builtin model.c -lm                          with the "
      "platform's sin, exp, ...\n"
      "   -DMODEL_NO_MAIN leaves the program out: functions for a program of your own.\n\n"
      "   The values with which a run begins were found by cotree and stand here as constants. Other "
      "parameters change\n"
      "   what follows, not the states at the beginning; parameters that cotree computed from others do "
      "not follow them. */\n\n";
  return out;
}

std::string Emitter::Sizes() const {
  size_t results = 2;
  for (size_t c = 0; c < program_.codes.size(); ++c) {
    if (called_[c]) results = std::max(results, program_.codes[c].results.size());
  }
  std::string out = "\nenum {\n";
  const auto add = [&](const char* name, size_t count, const char* what) {
    out += fmt::format(
        "  MODEL_{} = {},{:>{}}/* {} */\n", name, count, "",
        std::max<int>(1, 24 - static_cast<int>(std::string(name).size() + std::to_string(count).size())),
        what);
  };
  add("STATES", program_.state_slots.size(), "of derivatives, too");
  add("OUTPUTS", options_.columns.size(), "columns of the CSV");
  add("SETTABLE", settable_.size(), "parameters by name");
  add("INPUTS", program_.input_slots.size(),
      "free inputs and their derivatives: set m.v[model_input_slots[k]]");
  add("RELATIONS", program_.relations.size(), "conditions on the motion");
  add("JACOBIAN", pattern_.entries, "entries of the Jacobian");
  add("COLOURS", pattern_.colours, "of its columns");
  add("SLOTS", program_.slots, "all values");
  add("PARAMETERS", system_.parameters.values.size(), "their numbers");
  add("RESULTS", results, "of a piece of code, at most");
  if (features_.count("blocks") > 0) {
    add("BLOCKS", program_.blocks.size(), "of equations that are solved together");
    size_t largest = LinearSolver::kDense;
    for (const ImplicitBlock& block : program_.blocks) largest = std::max(largest, block.unknowns.size());
    add("UNKNOWNS", largest, "room for those of a block");
    add("WORK", work_.back(), "numbers for their matrices");
    add("ORDER", order_.back(), "and pivots");
  }
  if (features_.count("projection") > 0) {
    add("GAPS", gap_slots_.size(), "that must stay zero");
    add("GAP_ENTRIES", gaps_.entries, "of their Jacobian");
    add("GAP_COLOURS", gaps_.colours, "of its columns");
    add("GAP_FACTORS", gap_order_.factor_first.back(), "entries of factors");
    add("WATCHED", watched_blocks_.size(), "blocks of multipliers");
  }
  if (features_.count("switches") > 0) {
    add("SWITCHES", program_.switches.size(), "at times known before");
    add("SAMPLES", SwitchSamples(program_, options_.run.start, options_.run.stop),
        "in which they are looked for");
  }
  if (features_.count("relations") > 0)
    add("LOOKS", static_cast<size_t>(FixedLooks(program_, run_, options_.run)),
        "at conditions in a run, at least");
  if (features_.count("delays") > 0) {
    add("DELAYS", program_.delays.size(), "");
    add("CORNERS", corners_.size(), "times at which the start arrives through delays");
  }
  if (features_.count("assertions") > 0) add("ASSERTIONS", program_.assertions.size(), "");
  if (features_.count("decisions") > 0) add("DECISIONS", Decisions().size(), "how equations were solved");
  if (features_.count("dead_centres") > 0)
    add("DEAD", dead_blocks_.size(), "blocks that may have dead centres");
  if (features_.count("events") > 0) {
    add("CLOCKS", program_.clocks.size(), "of samples");
    add("WHENS", program_.whens.size(), "");
    add("ACTIONS", program_.actions.size(), "of whens");
    add("PRES", program_.pres.size(), "values before an event");
    add("HELD", held_.size(), "what the motion between events depends on");
    if (features_.count("projection") == 0) add("GAPS", 0, "nothing must stay zero");
    add("INITIALS", program_.initial_slots.size(), "initial()");
    add("TERMINALS", program_.terminal_slots.size(), "terminal()");
    add("INTEGERS", FindIntegers(program_).size(), "which are counted below 2^53");
  }
  out += "  MODEL_END = 0\n};\n";
  return out;
}

std::string EmitC(const Program& program, const std::vector<StartEntry>& starts, const EmitOptions& options,
                  std::string* problem) {
  return Emitter(program, starts, options).Run(problem);
}

}  // namespace cotree
