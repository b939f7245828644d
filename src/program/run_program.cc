// SPDX-License-Identifier: Apache-2.0
#include "program/run_program.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "expr/evaluate.h"
#include "program/not_finite.h"

namespace cotree {

ProgramRun::ProgramRun(const Program& program) : program_(program), sorted_(*program.sorted) {
  values.assign(program.slots, 0);
  tangents.assign(program.slots, 0);
  size_t longest = 1;
  for (const Code& code : program.codes) longest = std::max(longest, code.instructions.size());
  registers_.resize(longest);
  dual_registers_.resize(longest);
  blocks_.resize(program.blocks.size());
  for (size_t b = 0; b < program.blocks.size(); ++b) {
    const ImplicitBlock& block = program.blocks[b];
    std::vector<std::vector<uint32_t>> pattern;
    uint32_t entries = 0;
    for (const BlockRow& row : block.rows) {
      pattern.push_back(row.columns);
      blocks_[b].first_entry.push_back(entries);
      entries += static_cast<uint32_t>(row.columns.size());
    }
    blocks_[b].solver = std::make_unique<LinearSolver>(block.unknowns.size(), pattern);
    blocks_[b].jacobian.resize(entries);
    blocks_[b].residual.resize(block.rows.size());
    blocks_[b].old.resize(block.unknowns.size());
    for (uint32_t k = 0; k < block.unknowns.size(); ++k) {
      const std::vector<uint32_t>& rates = program.derivative_slots;
      if (std::find(rates.begin(), rates.end(), block.unknowns[k]) != rates.end())
        blocks_[b].motion.push_back(k);
    }
    if (UsesTears(block)) {
      const size_t tears = block.tearing.tears.size();
      std::vector<uint32_t> all(tears);
      std::iota(all.begin(), all.end(), 0u);
      blocks_[b].by_tears =
          std::make_unique<LinearSolver>(tears, std::vector<std::vector<uint32_t>>(tears, all));
      blocks_[b].schur.resize(tears * tears);
      blocks_[b].sensitivity.resize(block.unknowns.size() * tears);
    }
  }
  for (const Program::ForeignGroup& group : program.foreign) {
    foreign_.emplace_back();
    foreign_.back().results.resize(group.results.size());
    foreign_.back().partials.resize(group.results.size() * group.arguments());
  }
}

bool ProgramRun::Fail(double time, uint32_t block, std::string reason) {
  if (!failure_.foreign) failure_ = {time, block, std::move(reason)};  // else that is why
  return false;
}

std::string ProgramRun::FailureText() const {
  if (failure_.block == UINT32_MAX) return failure_.reason;
  return failure_.reason + ", " + BlockText(failure_.block);
}

std::string ProgramRun::BlockText(uint32_t block) const {
  const auto equations = sorted_.Block(block);
  std::string text = equations.size() == 1 ? "computing " : "solving for ";
  for (size_t k = 0; k < equations.size() && k < 6; ++k)
    text += (k > 0 ? ", " : "") + sorted_.SlotName(sorted_.slot_of_equation[equations[k]]);
  if (equations.size() > 6) text += ", ... (" + std::to_string(equations.size()) + " unknowns)";
  return text;
}

CodeContext<double> ProgramRun::Context(double time) const {
  CodeContext<double> context;
  context.values = values.data();
  context.time = context.time_value = time;
  context.switch_time = switch_time;
  context.tables = &program_.tables;
  return context;
}

CodeContext<Dual> ProgramRun::DualContext(double time, double time_tangent) const {
  CodeContext<Dual> context;
  context.values = dual_values_.data();
  context.time = time;
  context.time_value = {time, time_tangent};
  context.switch_time = switch_time;
  context.tables = &program_.tables;
  return context;
}

void ProgramRun::Forget() {
  for (BlockState& state : blocks_) {
    state.solver->Forget();
    state.constant_done = state.stale = state.shared = false;
    state.refused = 0;
  }
}

double ProgramRun::Compute(const Program::Bound& bound, double time, std::span<double> results) {
  const Code& code = program_.codes[bound.code];
  CodeContext<double> context = Context(time);
  context.locals = program_.locals.data() + bound.first_local;
  context.parameters = sorted_.system->parameters.values.data() + bound.parameters;
  RunCode(code, context, registers_.data());
  for (size_t k = 0; k < results.size(); ++k) results[k] = registers_[code.results[k]];
  return registers_[code.results[0]];
}

double ProgramRun::ComputeTangent(const Program::Bound& bound, double time, double time_tangent) {
  const Code& code = program_.codes[bound.code];
  CodeContext<Dual> context = DualContext(time, time_tangent);
  context.locals = program_.locals.data() + bound.first_local;
  context.parameters = sorted_.system->parameters.values.data() + bound.parameters;
  RunCode(code, context, dual_registers_.data());
  return dual_registers_[code.results[0]].tangent;
}

double ProgramRun::Evaluate(uint32_t code, uint32_t parameters, double time) const {
  CodeContext<double> context = Context(time);
  context.switch_time = time;
  context.parameters = sorted_.system->parameters.values.data() + parameters;
  std::vector<double> registers(program_.codes[code].instructions.size());
  RunCode(program_.codes[code], context, registers.data());
  return registers[program_.codes[code].results[0]];
}

// The residual of a row and its partial derivatives at the present values; foreign code was run before.
void ProgramRun::EvaluateRow(const BlockRow& row, const CodeContext<double>& at, double* residual,
                             double* partials) {
  const EquationSystem& system = *sorted_.system;
  if (row.foreign != UINT32_MAX) {
    *residual = ForeignRow(row, partials);
    return;
  }
  if (row.code == UINT32_MAX) {
    double sum = -values[sorted_.Slot({system.row_defined[row.row], row.times})];
    for (uint32_t k = system.row_first[row.row]; k < system.row_first[row.row + 1]; ++k) {
      const RowEntry& e = system.row_entries[k];
      sum += e.sign * values[sorted_.Slot({e.variable, e.order + row.times})];
    }
    *residual = sum;
    for (const int8_t sign : row.signs) *partials++ = sign;
    return;
  }
  const Code& code = program_.codes[row.code];
  CodeContext<double> context = at;
  context.locals = program_.locals.data() + row.first_local;
  context.parameters = system.parameters.values.data() + row.parameters;
  RunCode(code, context, registers_.data());
  *residual = registers_[code.results[0]];
  for (size_t k = 1; k < code.results.size(); ++k) *partials++ = registers_[code.results[k]];
}

void ProgramRun::EvaluateBlock(const ImplicitBlock& block, BlockState& state, double time) {
  const CodeContext<double> context = Context(time);
  EvaluateForeign(block, time);
  for (size_t r = 0; r < block.rows.size(); ++r)
    EvaluateRow(block.rows[r], context, &state.residual[r], state.jacobian.data() + state.first_entry[r]);
}

// The block's matrix as it was solved last, in factors.
LinearSolver& ProgramRun::Factors(BlockState& state) {
  if (state.stale && !state.solver->Factor(state.jacobian)) state.solver->FactorLeastNorm(state.jacobian);
  state.stale = false;
  return *state.solver;
}

// Forces that several share may be undetermined, but never what moves.
bool ProgramRun::DeterminesMotion(const BlockState& state) const {
  return std::all_of(state.motion.begin(), state.motion.end(),
                     [&](uint32_t column) { return state.solver->Determines(column); });
}

// Of all solutions of a nonlinear block that has many, the least: it depends on no guess.
bool ProgramRun::TakeLeast(const ImplicitBlock& block, BlockState& state, double time) {
  if (!DeterminesMotion(state)) return false;
  const size_t n = block.unknowns.size();
  for (size_t k = 0; k < n; ++k) state.step[k] = state.old[k] = values[block.unknowns[k]];
  state.solver->MakeLeast(state.step);
  for (size_t k = 0; k < n; ++k) values[block.unknowns[k]] = state.step[k];
  EvaluateBlock(block, state, time);
  if (Agrees(block, state, 1e-9, 1e-3)) return true;
  for (size_t k = 0; k < n; ++k) values[block.unknowns[k]] = state.old[k];
  EvaluateBlock(block, state, time);
  return true;
}

void ProgramRun::CountLeast(uint32_t index) {
  least_solved.resize(program_.blocks.size(), 0);
  least_solved[index] = static_cast<uint32_t>(blocks_[index].solver->free_unknowns());
  ++least_solutions;
}

bool ProgramRun::FailSingular(uint32_t index, double time) {
  const ImplicitBlock& block = program_.blocks[index];
  const size_t weak = std::min(blocks_[index].solver->weak_column(), block.unknowns.size() - 1);
  return Fail(
      time, block.block,
      "the equations have no unique solution here (near " + sorted_.SlotName(block.unknowns[weak]) + ")");
}

// With the equation that is furthest from being met, against the terms it is the sum of.
bool ProgramRun::FailToConverge(uint32_t index, double time) {
  const ImplicitBlock& block = program_.blocks[index];
  const BlockState& state = blocks_[index];
  size_t worst = 0;
  double largest = -1;
  for (size_t r = 0; r < block.rows.size(); ++r) {
    double terms = 1e-300;
    for (size_t k = 0; k < block.rows[r].columns.size(); ++k)
      terms += std::fabs(state.jacobian[state.first_entry[r] + k] *
                         values[block.unknowns[block.rows[r].columns[k]]]);
    const double size = std::fabs(state.residual[r]) / terms;
    if (!(size > largest)) continue;
    largest = size;
    worst = r;
  }
  const uint32_t sorted = sorted_.Block(block.block)[worst];
  char off[32];
  std::snprintf(off, sizeof off, "%.3g", state.residual[worst]);
  return Fail(time, block.block,
              "the iteration did not converge: `" + sorted_.EquationText(sorted) + "` of " +
                  sorted_.system->EquationOrigin(sorted_.equations[sorted].equation) + " stays off by " +
                  off + " (try start values nearer to the truth, or a smaller --max-step)");
}

bool ProgramRun::SolveBlock(uint32_t index, double time) {
  BlockState& state = blocks_[index];
  if (!least_solved.empty()) least_solved[index] = 0;
  if (state.by_tears != nullptr && state.refused < kMostRefused && !least_change) {
    if (SolveByTears(index, time)) {
      ++torn_solves;
      state.refused = 0;
      return true;
    }
    ++torn_refused;
    ++state.refused;
  }
  state.stale = false;
  const ImplicitBlock& block = program_.blocks[index];
  if (block.kind != BlockKind::kNonlinear && !least_change) return SolveLinear(index, time);
  if (!homotopy) return SolveNonlinear(index, time);
  std::vector<double> guess;
  for (const uint32_t slot : block.unknowns) guess.push_back(std::isfinite(values[slot]) ? values[slot] : 0);
  if (SolveNonlinear(index, time)) return true;
  for (size_t k = 0; k < guess.size(); ++k) values[block.unknowns[k]] = guess[k];
  if (!SolveByHomotopy(index, time)) return false;
  ++homotopies;
  return SolveNonlinear(index, time);
}

// Whether each residual is small against the terms that it is the sum of.
bool ProgramRun::Agrees(const ImplicitBlock& block, const BlockState& state, double tolerance,
                        double least) const {
  for (size_t r = 0; r < block.rows.size(); ++r) {
    const double* partials = state.jacobian.data() + state.first_entry[r];
    double terms = least;
    for (size_t k = 0; k < block.rows[r].columns.size(); ++k)
      terms += std::fabs(partials[k] * values[block.unknowns[block.rows[r].columns[k]]]);
    if (!(std::fabs(state.residual[r]) <= tolerance * terms)) return false;
  }
  return true;
}

bool ProgramRun::SolveLinear(uint32_t index, double time) {
  const ImplicitBlock& block = program_.blocks[index];
  BlockState& state = blocks_[index];
  const size_t n = block.unknowns.size();
  // From zero: the result depends on nothing but states, inputs and time.
  for (const uint32_t slot : block.unknowns) values[slot] = 0;
  EvaluateBlock(block, state, time);
  const bool keep = block.kind == BlockKind::kLinearConstant && state.constant_done;
  bool least_norm = false;
  if (!keep && !state.solver->Factor(state.jacobian)) {
    least_norm = block.kind == BlockKind::kLinear && state.solver->FactorLeastNorm(state.jacobian);
    if (!least_norm) return FailSingular(index, time);
  }
  state.constant_done = true;
  for (double& r : state.residual) r = -r;
  double asked = 0;
  for (const double r : state.residual) asked = std::max(asked, std::fabs(r));
  state.solver->Solve(state.residual);
  for (size_t k = 0; k < n; ++k) values[block.unknowns[k]] = state.residual[k];
  if (least_norm) {
    // Fine if the equations agree with each other; otherwise they contradict.
    EvaluateBlock(block, state, time);
    const bool agrees = std::all_of(state.residual.begin(), state.residual.end(), [&](double r) {
      return std::fabs(r) <= 1e-9 * std::max(asked, least_load);
    });
    if (!agrees || !DeterminesMotion(state)) {
      contradicted = true;
      FailSingular(index, time);
      if (!pass_contradictions) return false;
    }
    CountLeast(index);
    ++iterations;
    return true;
  }
  // One step of refinement: large blocks of mixed units lose digits otherwise.
  EvaluateBlock(block, state, time);
  for (double& r : state.residual) r = -r;
  state.solver->Solve(state.residual);
  for (size_t k = 0; k < n; ++k) {
    if (std::isfinite(state.residual[k])) values[block.unknowns[k]] += state.residual[k];
  }
  ++iterations;
  return true;
}

bool ProgramRun::SolveNonlinear(uint32_t index, double time) {
  const ImplicitBlock& block = program_.blocks[index];
  BlockState& state = blocks_[index];
  const size_t n = block.unknowns.size();
  for (const uint32_t slot : block.unknowns) {
    if (!std::isfinite(values[slot])) values[slot] = 0;
  }
  const auto norm = [&] {
    double sum = 0;
    for (const double r : state.residual) sum += r * r;
    return std::sqrt(sum);
  };
  EvaluateBlock(block, state, time);
  double size = norm();
  constexpr int kMostIterations = 60, kMostAside = 5, kMostHalvings = 30, kMostLeaps = 8;
  int aside = 0, leaps = 0;
  state.begin.resize(n);
  for (size_t k = 0; k < n; ++k) state.begin[k] = values[block.unknowns[k]];
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    ++iterations;
    const bool regular = state.solver->Factor(state.jacobian);
    const bool least = least_change || state.shared;
    if (!regular && !(least && aside == 0 && state.solver->FactorLeastNorm(state.jacobian))) {
      // Step aside from a point where the matrix is singular (a start at rest, say).
      if (++aside > kMostAside) {
        // It is singular everywhere: in this mode some equations say the same, and loads are shared.
        state.shared = !least;
        if (least) return FailSingular(index, time);
        for (size_t k = 0; k < n; ++k) values[block.unknowns[k]] = state.begin[k];
        EvaluateBlock(block, state, time);
        size = norm();
        aside = 0;
        continue;
      }
      for (size_t k = 0; k < n; ++k)
        values[block.unknowns[k]] += 1e-3 * (1 + static_cast<double>(k % 7)) * aside;
      EvaluateBlock(block, state, time);
      size = norm();
      continue;
    }
    std::vector<double>& step = state.step;
    step.assign(state.residual.begin(), state.residual.end());
    for (double& r : step) r = -r;
    state.solver->Solve(step);
    for (size_t k = 0; k < n; ++k) state.old[k] = values[block.unknowns[k]];
    double damping = 1, change = 0;
    bool leap = false;
    for (int halving = 0;; ++halving) {
      change = 0;
      for (size_t k = 0; k < n; ++k) {
        values[block.unknowns[k]] = state.old[k] + damping * step[k];
        change = std::max(change, std::fabs(step[k]) / (std::fabs(values[block.unknowns[k]]) + 1e-6));
      }
      EvaluateBlock(block, state, time);
      const double next = norm();
      if (std::isfinite(next) && (next <= size || change < 1e-9 || leap || halving >= kMostHalvings)) {
        size = next;
        break;
      }
      if (halving >= kMostHalvings + 10)
        return Fail(time, block.block, "the iteration left the range of numbers");
      damping /= 2;
      // A step of the last digits, and no part of it leads down: there is a kink, and the norm tells nothing
      // of its other side.
      leap = halving == 10 && change < 1e-2 && ++leaps <= kMostLeaps;
      if (leap) damping = 1;
    }
    if (damping == 1 && change < 1e-12) {
      if (regular) {
        state.shared = false;
        state.stale = true;  // the matrix of the last step is not that of the solution
        return true;
      }
      if (Agrees(block, state, 1e-9, 1e-3) && (least_change || TakeLeast(block, state, time))) {
        if (!least_change) CountLeast(index);
        return true;
      }
      aside = 1;  // the equations do not agree here: elsewhere they may
    }
    if ((regular || least_change) && damping == 1 && change < 1e-7 && size == 0) return true;
  }
  // The last digits may not settle: accept what is as good as rounding allows.
  double change = 0;
  for (size_t k = 0; k < n; ++k)
    change = std::max(change, std::fabs(values[block.unknowns[k]] - state.old[k]) /
                                  (std::fabs(values[block.unknowns[k]]) + 1e-6));
  if (change < 1e-8 && Agrees(block, state, 1e-6, 1e-9)) return true;
  // What leaves rounding only is a solution, also where other values would leave no more.
  if (Agrees(block, state, 1e-12, 1e-12)) return true;
  return FailToConverge(index, time);
}

namespace {

// A sum as a value to be written: of tangents it is the tangent.
template <class Value>
Value Sum(double sum);
template <>
double Sum<double>(double sum) {
  return sum;
}
template <>
Dual Sum<Dual>(double sum) {
  return {0, sum};
}

/* Runs the steps of a program in some arithmetic: kernels and sums here, implicit blocks by `solve` and
foreign code by `call`, which end the run where they return false. `read` is what sums add up, `write` takes
results. */
template <class Value, class Read, class Write, class Solve, class Call>
bool OverSteps(const Program& program, CodeContext<Value> context, Value* registers, Read&& read,
               Write&& write, Solve&& solve, Call&& call) {
  const double* parameters = program.sorted->system->parameters.values.data();
  for (const Step& step : program.steps) {
    switch (step.kind) {
      case Step::Kind::kKernel: {
        const KernelRun& run = program.runs[step.index];
        const Code& code = program.codes[run.code];
        const size_t results = code.results.size();
        for (uint32_t i = 0; i < run.count; ++i) {
          context.locals = program.locals.data() + run.first_local + size_t{i} * code.locals;
          context.parameters = parameters + program.bases[run.first_base + i];
          RunCode(code, context, registers);
          for (size_t k = 0; k < results; ++k)
            write(program.targets[run.first_target + i * results + k], registers[code.results[k]]);
        }
        break;
      }
      case Step::Kind::kSums:
        for (uint32_t i = 0; i < step.count; ++i) {
          const SumRow& row = program.sums[step.index + i];
          const auto term = [&](uint32_t k) {
            const SumEntry& e = program.sum_entries[row.first + k];
            return e.sign * read(e.slot);
          };
          double sum = row.count > 0 ? term(0) : 0;
          for (uint32_t k = 1; k < row.count; ++k) sum += term(k);
          write(row.target, Sum<Value>(sum));
        }
        break;
      case Step::Kind::kBlock:
        if (!solve(step.index)) return false;
        break;
      case Step::Kind::kForeign:
        if (!call(step.index)) return false;
        break;
    }
  }
  return true;
}

}  // namespace

void ProgramRun::Begin(double time) {
  ++evaluations;
  failure_.foreign = failure_.final = contradicted = false;
  for (size_t d = 0; d < delay_lines.size(); ++d) {
    const DelayLine& line = delay_lines[d];
    values[program_.delays[d].slot] = line.At(time - line.delay, switch_time - line.delay);
  }
}

bool ProgramRun::RunBlock(uint32_t block, double time) {
  if (IsOpen(block)) {
    EvaluateBlock(program_.blocks[block], blocks_[block], time);
    return true;
  }
  const bool found = SolveBlock(block, time);
  if (found) failure_.foreign = failure_.final = false;  // an iterate without values does no harm
  return found;
}

bool ProgramRun::Run(double time) {
  Begin(time);
  const CodeContext<double> context = Context(time);
  const bool solved = OverSteps(
      program_, context, registers_.data(), [&](uint32_t slot) { return values[slot]; },
      [&](uint32_t slot, double value) { values[slot] = value; },
      [&](uint32_t block) { return RunBlock(block, time); },
      [&](uint32_t group) { return RunForeign(group, time); });
  if (!solved || contradicted) return false;
  for (const uint32_t slot : program_.derivative_slots) {
    if (std::isfinite(values[slot])) continue;
    // The first value on the way that is not finite is to blame.
    const uint32_t first = FirstNotFinite(program_, values);
    return Fail(time, UINT32_MAX, NotFiniteText(program_, *this, first == UINT32_MAX ? slot : first, time));
  }
  return true;
}

void ProgramRun::TangentBlock(uint32_t index, double time, double time_tangent) {
  const ImplicitBlock& block = program_.blocks[index];
  BlockState& state = blocks_[index];
  const EquationSystem& system = *sorted_.system;
  const bool open = IsOpen(index);
  for (const uint32_t slot : block.unknowns) dual_values_[slot].tangent = open ? tangents[slot] : 0;
  CodeContext<Dual> context = DualContext(time, time_tangent);
  thread_local std::vector<double> right;  // nothing is allocated in a step
  right.resize(block.rows.size());
  for (size_t r = 0; r < block.rows.size(); ++r) {
    const BlockRow& row = block.rows[r];
    if (row.foreign != UINT32_MAX) {
      const uint32_t slot = program_.foreign[row.foreign].results[row.result];
      right[r] = ForeignTangent(row.foreign, row.result, time) - dual_values_[slot].tangent;
      continue;
    }
    if (row.code == UINT32_MAX) {
      double sum = -dual_values_[sorted_.Slot({system.row_defined[row.row], row.times})].tangent;
      for (uint32_t k = system.row_first[row.row]; k < system.row_first[row.row + 1]; ++k) {
        const RowEntry& e = system.row_entries[k];
        sum += e.sign * dual_values_[sorted_.Slot({e.variable, e.order + row.times})].tangent;
      }
      right[r] = -sum;
      continue;
    }
    const Code& code = program_.codes[row.code];
    context.locals = program_.locals.data() + row.first_local;
    context.parameters = system.parameters.values.data() + row.parameters;
    RunCode(code, context, dual_registers_.data());
    right[r] = -dual_registers_[code.results[0]].tangent;
  }
  if (open) {
    for (double& r : right) r = -r;
    state.row_tangents.assign(right.begin(), right.end());
    return;
  }
  if (const LinearSolver& factors = Factors(state); factors.factored()) factors.Solve(right);
  for (size_t k = 0; k < block.unknowns.size(); ++k) dual_values_[block.unknowns[k]].tangent = right[k];
}

void ProgramRun::RunTangent(double time, double time_tangent) {
  dual_values_.resize(values.size());
  for (size_t k = 0; k < values.size(); ++k) dual_values_[k] = {values[k], 0};
  for (const uint32_t slot : program_.state_slots) dual_values_[slot].tangent = tangents[slot];
  for (const uint32_t slot : program_.input_slots) dual_values_[slot].tangent = tangents[slot];
  for (const uint32_t slot : program_.discrete_slots) dual_values_[slot].tangent = tangents[slot];
  for (const Program::Pre& pre : program_.pres) dual_values_[pre.slot].tangent = tangents[pre.slot];
  for (const uint32_t b : open_) {
    for (const uint32_t slot : program_.blocks[b].unknowns) dual_values_[slot].tangent = tangents[slot];
  }
  OverSteps(
      program_, DualContext(time, time_tangent), dual_registers_.data(),
      [&](uint32_t slot) { return dual_values_[slot].tangent; },
      [&](uint32_t slot, Dual value) { dual_values_[slot].tangent = value.tangent; },
      [&](uint32_t block) {
        TangentBlock(block, time, time_tangent);
        return true;
      },
      [&](uint32_t group) {
        TangentForeign(group, time);
        return true;
      });
  for (size_t k = 0; k < tangents.size(); ++k) tangents[k] = dual_values_[k].tangent;
}

std::vector<double> ProgramRun::Residuals(double time) const {
  // Independent of the solved forms: the expressions themselves.
  const EquationSystem& system = *sorted_.system;
  const ExprPool& pool = system.model->expressions;
  std::vector<double> out;
  Environment<double> environment;
  environment.time = time;
  environment.scalars.assign(pool.symbol_count(), 0);
  for (uint32_t k = 0; k < sorted_.equations.size(); ++k) {
    const SortedEquation& e = sorted_.equations[k];
    if (system.IsRow(e.equation)) {
      const uint32_t row = e.equation - system.part_equations;
      double sum = -values[sorted_.Slot({system.row_defined[row], e.times})];
      for (uint32_t i = system.row_first[row]; i < system.row_first[row + 1]; ++i) {
        const RowEntry& entry = system.row_entries[i];
        sum += entry.sign * values[sorted_.Slot({entry.variable, entry.order + e.times})];
      }
      out.push_back(sum);
      continue;
    }
    const EquationSystem::Source source = system.SourceOf(e.equation);
    const Part& part = *source.part;
    const ScalarElement& scalar = system.scalars[part.scalar];
    const DerivedEquation& derived = sorted_.derived->Get(part.scalar, source.local, e.times);
    for (const ScalarUse& use : derived.uses) {
      const VariableRef ref = system.Resolve(part, use.variable);
      const SymbolId symbol = system.model->expressions.SymbolOfOrder(scalar.variables[use.variable].symbol,
                                                                      static_cast<int>(use.order));
      if (environment.scalars.size() <= symbol.index()) environment.scalars.resize(symbol.index() + 1, 0);
      environment.scalars[symbol.index()] = values[sorted_.Slot({ref.variable, ref.order + use.order})];
    }
    const auto block = system.parameters.Of(ComponentId(part.component), scalar);
    for (size_t p = 0; p < scalar.parameters.size(); ++p)
      environment.scalars[scalar.parameters[p].symbol.index()] = block[p];
    out.push_back(EvaluateDouble(pool, derived.residual, environment));
  }
  return out;
}

}  // namespace cotree
