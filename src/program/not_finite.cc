// SPDX-License-Identifier: Apache-2.0
#include "program/not_finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cotree {
namespace {

/* What the registers of a piece of code can be. */
struct CodeTraits {
  std::vector<uint8_t> constant;     // by register: of numbers and parameters alone
  std::vector<uint8_t> fragile;      // by register: something below it may have no finite value
  std::vector<uint8_t> by_result;    // by result: it is fragile
  std::vector<uint32_t> comparison;  // registers of comparisons with a fragile operand
  /// By result: locals whose value, where it is not finite, makes the result not finite.
  std::vector<std::vector<uint32_t>> exposed;
};

// Whether finite operands may give no finite value. Sums and products only do where something explodes: then
// it does so in all that is recorded.
bool IsFragile(const Program& program, const Instruction& i, const std::vector<uint8_t>& constant) {
  if (i.code == CodeOp::kTable) return program.tables[i.c].extrapolation() == Table::Extrapolation::kError;
  if (i.code == CodeOp::kIntegerPower) return i.number < 0;
  if (i.code == CodeOp::kBinary) {
    switch (i.op) {
      case Op::kDivide:
        return constant[i.b] == 0;
      case Op::kPower:
      case Op::kMod:
        return true;
      default:
        return false;
    }
  }
  if (i.code != CodeOp::kUnary) return false;
  switch (i.op) {
    case Op::kTan:
    case Op::kAsin:
    case Op::kAcos:
    case Op::kSinh:
    case Op::kCosh:
    case Op::kExp:
    case Op::kLog:
    case Op::kLog10:
    case Op::kSqrt:
      return true;
    default:
      return false;
  }
}

bool IsComparison(const Instruction& i) {
  return i.code == CodeOp::kBinary && IsRelation(i.op);
}

std::vector<uint32_t> ExposedLocals(const Code& code, uint32_t result) {
  std::vector<uint32_t> open{result}, out;
  std::vector<uint8_t> seen(code.instructions.size(), 0);
  while (!open.empty()) {
    const uint32_t r = open.back();
    open.pop_back();
    if (std::exchange(seen[r], 1) != 0) continue;
    const Instruction& i = code.instructions[r];
    switch (i.code) {
      case CodeOp::kLoad:
        out.push_back(i.a);
        break;
      case CodeOp::kIntegerPower:
        if (i.number > 0) open.push_back(i.a);
        break;
      case CodeOp::kUnary:
        if (i.op == Op::kSin || i.op == Op::kCos || i.op == Op::kTan || i.op == Op::kLog ||
            i.op == Op::kLog10 || i.op == Op::kSqrt || i.op == Op::kAbs || i.op == Op::kAsin ||
            i.op == Op::kAcos || i.op == Op::kSinh || i.op == Op::kCosh)
          open.push_back(i.a);
        break;
      case CodeOp::kBinary:
        if (i.op == Op::kAdd || i.op == Op::kMultiply) open.push_back(i.b);
        if (i.op == Op::kAdd || i.op == Op::kMultiply || i.op == Op::kDivide) open.push_back(i.a);
        break;
      default:
        break;
    }
  }
  return out;
}

CodeTraits TraitsOf(const Program& program, const Code& code) {
  CodeTraits out;
  const size_t n = code.instructions.size();
  out.constant.assign(n, 1);
  out.fragile.assign(n, 0);
  for (size_t k = 0; k < n; ++k) {
    const Instruction& i = code.instructions[k];
    if (i.code == CodeOp::kLoad || i.code == CodeOp::kTime || i.code == CodeOp::kSwitchTime)
      out.constant[k] = 0;
    OverOperands(i, [&](uint32_t r) {
      out.constant[k] &= out.constant[r];
      out.fragile[k] |= out.fragile[r];
    });
    if (out.constant[k] != 0) out.fragile[k] = 0;  // known before the run
    if (out.constant[k] == 0 && IsFragile(program, i, out.constant)) out.fragile[k] = 1;
    if (!IsComparison(i)) continue;
    if (out.fragile[k] != 0) out.comparison.push_back(static_cast<uint32_t>(k));
    out.fragile[k] = 0;
  }
  for (const uint32_t r : code.results) {
    out.by_result.push_back(out.fragile[r]);
    out.exposed.push_back(ExposedLocals(code, r));
  }
  return out;
}

class GuardFinder {
 public:
  explicit GuardFinder(const Program& program) : program_(program) {}

  FiniteGuard Run() {
    traits_.reserve(program_.codes.size());
    for (const Code& code : program_.codes) traits_.push_back(TraitsOf(program_, code));
    shown_.assign(program_.slots, 0);
    for (const uint32_t slot : program_.derivative_slots) shown_[slot] = 1;
    // Whatever uses a slot comes behind it.
    for (size_t s = program_.steps.size(); s-- > 0;) {
      const Step& step = program_.steps[s];
      if (step.kind == Step::Kind::kKernel) Kernel(program_.runs[step.index]);
      if (step.kind == Step::Kind::kSums) Sums(step);
      if (step.kind == Step::Kind::kBlock) Block(program_.blocks[step.index]);
    }
    // Sums are of no interest: what they add up is.
    const uint32_t own = program_.sorted->first_slot[program_.sorted->system->part_variables];
    std::erase_if(out_.slots, [&](uint32_t slot) { return slot >= own; });
    std::sort(out_.slots.begin(), out_.slots.end());
    out_.read.insert(out_.read.end(), out_.slots.begin(), out_.slots.end());
    std::sort(out_.read.begin(), out_.read.end());
    out_.read.erase(std::unique(out_.read.begin(), out_.read.end()), out_.read.end());
    return std::move(out_);
  }

 private:
  void Kernel(const KernelRun& run) {
    const Code& code = program_.codes[run.code];
    const CodeTraits& traits = traits_[run.code];
    const size_t results = code.results.size();
    for (uint32_t i = run.count; i-- > 0;) {
      const uint32_t first = run.first_local + i * code.locals;
      for (uint32_t k = 0; k < results; ++k) {
        const uint32_t target = program_.targets[run.first_target + i * results + k];
        if (shown_[target] != 0)
          Show(traits.exposed[k], first);
        else if (traits.by_result[k] != 0)
          out_.slots.push_back(target);
      }
      if (traits.comparison.empty()) continue;
      const SortedSystem& sorted = *program_.sorted;
      const uint32_t target = program_.targets[run.first_target + i * results];
      const uint32_t home = sorted.system->HomeOfVariable(sorted.OfSlot(target).variable);
      out_.comparisons.push_back(
          {run.code, first, program_.bases[run.first_base + i], home == UINT32_MAX ? 0 : home});
      for (uint32_t l = 0; l < code.locals; ++l) out_.read.push_back(program_.locals[first + l]);
    }
  }
  void Show(const std::vector<uint32_t>& locals, uint32_t first) {
    for (const uint32_t local : locals) shown_[program_.locals[first + local]] = 1;
  }
  void Sums(const Step& step) {
    for (uint32_t i = step.count; i-- > 0;) {
      const SumRow& row = program_.sums[step.index + i];
      if (shown_[row.target] == 0) continue;
      for (uint32_t k = 0; k < row.count; ++k) shown_[program_.sum_entries[row.first + k].slot] = 1;
    }
  }
  // What is not finite in a row leaves a nonlinear block unsolved, and reaches every unknown of a linear one.
  void Block(const ImplicitBlock& block) {
    const bool shows =
        block.kind == BlockKind::kNonlinear || std::any_of(block.unknowns.begin(), block.unknowns.end(),
                                                           [&](uint32_t slot) { return shown_[slot] != 0; });
    if (!shows) {
      out_.slots.insert(out_.slots.end(), block.unknowns.begin(), block.unknowns.end());
      return;
    }
    const EquationSystem& system = *program_.sorted->system;
    for (const BlockRow& row : block.rows) {
      if (row.code != UINT32_MAX) {
        Show(traits_[row.code].exposed[0], row.first_local);
      } else if (row.foreign == UINT32_MAX) {
        for (uint32_t k = system.row_first[row.row]; k < system.row_first[row.row + 1]; ++k) {
          const RowEntry& e = system.row_entries[k];
          shown_[program_.sorted->Slot({e.variable, e.order + row.times})] = 1;
        }
      }
    }
  }

  const Program& program_;
  std::vector<CodeTraits> traits_;
  std::vector<uint8_t> shown_;  // by slot: a derivative is not finite where it is not
  FiniteGuard out_;
};

CodeContext<double> ContextOf(const Program& program, const ProgramRun& run, const Program::Bound& bound,
                              double time) {
  CodeContext<double> context;
  context.values = run.values.data();
  context.time = context.time_value = time;
  context.switch_time = run.switch_time;
  context.tables = &program.tables;
  context.locals = program.locals.data() + bound.first_local;
  context.parameters = program.sorted->system->parameters.values.data() + bound.parameters;
  return context;
}

/* A piece of code with the values of its registers at the present values of a run. */
class CodeView {
 public:
  CodeView(const Program& program, const ProgramRun& run, const Program::Bound& bound, double time)
      : program_(program),
        run_(run),
        time_(time),
        bound_(bound),
        code_(program.codes[bound.code]),
        context_(ContextOf(program, run, bound, time)),
        registers_(Values(code_)) {}

  // The operation below a register that gives no finite value though its operands have one; empty: none.
  std::string Culprit(uint32_t at) const {
    while (true) {
      if (std::isfinite(registers_[at])) return {};
      const Instruction& i = code_.instructions[at];
      uint32_t next = UINT32_MAX;
      if (i.code == CodeOp::kIf) {
        next = registers_[i.a] != 0 ? i.b : i.c;
      } else {
        OverOperands(i, [&](uint32_t r) {
          if (next == UINT32_MAX && !std::isfinite(registers_[r])) next = r;
        });
      }
      if (next == UINT32_MAX) return Text(i);
      at = next;
    }
  }
  std::string CulpritOfResult(uint32_t result) const { return Culprit(code_.results[result]); }
  std::string FirstCulprit() const {
    for (size_t k = 0; k < code_.instructions.size(); ++k) {
      const std::string text = Culprit(static_cast<uint32_t>(k));
      if (!text.empty()) return text;
    }
    return {};
  }

  // Of comparisons that are no numbers: whether the results depend on one.
  bool Undecided() const {
    for (size_t k = 0; k < code_.instructions.size(); ++k) {
      const Instruction& i = code_.instructions[k];
      if (!IsComparison(i) || (!std::isnan(registers_[i.a]) && !std::isnan(registers_[i.b]))) continue;
      std::vector<double> outcome[2];
      for (int truth = 0; truth < 2; ++truth) {
        Code decided = code_;
        decided.instructions[k] = {CodeOp::kNumber, Op::kNumber, 0, 0, 0, static_cast<double>(truth)};
        const std::vector<double> registers = Values(decided);
        for (const uint32_t r : code_.results) outcome[truth].push_back(registers[r]);
      }
      if (outcome[0] != outcome[1]) return true;
    }
    return false;
  }

 private:
  std::vector<double> Values(const Code& code) const {
    std::vector<double> registers(code.instructions.size() + 1);
    RunCode(code, context_, registers.data());
    return registers;
  }
  static std::string Number(double x) {
    return x < 0 ? fmt::format("({:.6g})", x) : fmt::format("{:.6g}", 0.0 + x);
  }
  std::string NameOf(uint32_t at) const {
    const Instruction& i = code_.instructions[at];
    if (i.code == CodeOp::kLoad) {
      const uint32_t slot = context_.locals[i.a];
      return slot < program_.sorted->slots() ? program_.sorted->SlotName(slot) : "";
    }
    return i.code == CodeOp::kParameter ? ParameterName(i.a) : "";
  }
  std::string ParameterName(uint32_t number) const {
    const EquationSystem& system = *program_.sorted->system;
    const uint32_t c = bound_.component;
    if (c >= system.graph->components.size() || system.parameters.first[c] != bound_.parameters) return {};
    const ScalarElement& scalar = system.scalars[system.parts[c].scalar];
    if (number >= scalar.parameters.size()) return {};
    const std::string owner = ComponentName(*system.model, *system.graph, ComponentId(c));
    return (owner.empty() ? owner : owner + ".") +
           std::string(system.model->expressions.SymbolName(scalar.parameters[number].symbol));
  }
  std::string Text(const Instruction& i) const {
    const auto value = [&](uint32_t r) { return Number(registers_[r]); };
    const auto plain = [&](uint32_t r) { return fmt::format("{:.6g}", 0.0 + registers_[r]); };
    switch (i.code) {
      case CodeOp::kParameter:
        return "the parameter `" + ParameterName(i.a) + "`";
      case CodeOp::kLoad: {
        const std::string name = NameOf(static_cast<uint32_t>(&i - code_.instructions.data()));
        if (!name.empty()) return "`" + name + "`";
        // What a condition or a mod() holds.
        for (const Program::Relation& r : program_.relations) {
          if (r.slot == context_.locals[i.a]) return CodeView(program_, run_, r, time_).FirstCulprit();
        }
        return "";
      }
      case CodeOp::kIntegerPower:
        return fmt::format("{}^{}{}", value(i.a), Number(i.number),
                           registers_[i.a] == 0 ? ", a division by zero" : ", beyond the largest number");
      case CodeOp::kUnary: {
        const bool above = i.op == Op::kExp || i.op == Op::kSinh || i.op == Op::kCosh;
        return fmt::format("{}({}){}", OpName(i.op), plain(i.a), above ? ", beyond the largest number" : "");
      }
      case CodeOp::kBinary: {
        if (i.op == Op::kDivide) {
          std::string text = value(i.a) + "/" + value(i.b);
          const bool zero = registers_[i.b] == 0;
          const std::string below = NameOf(i.b);
          if (!below.empty()) text += fmt::format(", where `{}` is {}", below, plain(i.b));
          return text + (zero ? below.empty() ? ", a division by zero" : "" : ", beyond the largest number");
        }
        if (i.op == Op::kPower) return fmt::format("{}^{}", value(i.a), value(i.b));
        if (i.op == Op::kAdd || i.op == Op::kMultiply)
          return fmt::format("{} {} {}, beyond the largest number", value(i.a), OpName(i.op), value(i.b));
        return fmt::format("{}({}, {})", OpName(i.op), plain(i.a), plain(i.b));
      }
      case CodeOp::kTable:
        return fmt::format("a table at {}, beyond its ends", plain(i.a));
      default:
        return "";
    }
  }

  const Program& program_;
  const ProgramRun& run_;
  double time_;
  const Program::Bound& bound_;
  const Code& code_;
  CodeContext<double> context_;
  std::vector<double> registers_;
};

// What computes a slot has no finite value, in words.
std::string CulpritOfSlot(const Program& program, const ProgramRun& run, uint32_t slot, double time) {
  const uint32_t home = program.sorted->system->HomeOfVariable(program.sorted->OfSlot(slot).variable);
  for (const Step& step : program.steps) {
    if (step.kind == Step::Kind::kKernel) {
      const KernelRun& kernel = program.runs[step.index];
      const Code& code = program.codes[kernel.code];
      const auto results = static_cast<uint32_t>(code.results.size());
      for (uint32_t k = 0; k < kernel.count * results; ++k) {
        if (program.targets[kernel.first_target + k] != slot) continue;
        const uint32_t i = k / results;
        const Program::Bound bound{kernel.code, kernel.first_local + i * code.locals,
                                   program.bases[kernel.first_base + i], home};
        return CodeView(program, run, bound, time).CulpritOfResult(k % results);
      }
    } else if (step.kind == Step::Kind::kBlock) {
      const ImplicitBlock& block = program.blocks[step.index];
      if (std::find(block.unknowns.begin(), block.unknowns.end(), slot) == block.unknowns.end()) continue;
      for (const BlockRow& row : block.rows) {
        if (row.code == UINT32_MAX) continue;
        const Program::Bound bound{row.code, row.first_local, row.parameters, home};
        const std::string text = CodeView(program, run, bound, time).CulpritOfResult(0);
        if (!text.empty()) return text;
      }
    }
  }
  return {};
}

}  // namespace

FiniteGuard FindFiniteGuard(const Program& program) {
  return GuardFinder(program).Run();
}

uint32_t FirstNotFinite(const Program& program, std::span<const double> values) {
  const SortedSystem& sorted = *program.sorted;
  const uint32_t own = sorted.first_slot[sorted.system->part_variables];
  bool finite = true;
  for (uint32_t slot = 0; slot < own; ++slot) finite = finite && std::isfinite(values[slot]);
  if (finite) return UINT32_MAX;
  for (uint32_t slot = 0; slot < own; ++slot) {  // what nothing computes
    if (sorted.equation_of_slot[slot] == UINT32_MAX && !std::isfinite(values[slot])) return slot;
  }
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    for (const uint32_t k : sorted.Block(b)) {
      if (!std::isfinite(values[sorted.slot_of_equation[k]])) return sorted.slot_of_equation[k];
    }
  }
  return UINT32_MAX;
}

std::string NotFiniteText(const Program& program, const ProgramRun& run, uint32_t slot, double time) {
  const SortedSystem& sorted = *program.sorted;
  std::string out = "`" + sorted.SlotName(slot) + "` is not finite";
  const uint32_t equation = sorted.equation_of_slot[slot];
  if (equation == UINT32_MAX) {
    const bool state =
        std::find(program.state_slots.begin(), program.state_slots.end(), slot) != program.state_slots.end();
    return out + (state ? ": it grew beyond the largest number" : "");
  }
  const std::string culprit = CulpritOfSlot(program, run, slot, time);
  if (!culprit.empty()) out += ": " + culprit;
  constexpr size_t kLongest = 160;
  const std::string text = sorted.EquationText(equation);
  if (text.size() <= kLongest) out += ", in `" + text + "`";
  return out;
}

std::string ParameterNotFinite(const Program& program) {
  const EquationSystem& system = *program.sorted->system;
  const auto& values = system.parameters.values;
  if (std::none_of(values.begin(), values.end(), [](double x) { return std::isinf(x); })) return {};
  for (uint32_t c = 0; c < system.graph->components.size(); ++c) {
    const ScalarElement& scalar = system.scalars[system.parts[c].scalar];
    const auto block = system.parameters.Of(ComponentId(c), scalar);
    for (size_t p = 0; p < scalar.parameters.size(); ++p) {
      if (!std::isinf(block[p])) continue;
      const std::string owner = ComponentName(*system.model, *system.graph, ComponentId(c));
      return fmt::format("the parameter `{}{}` is not finite: its number is beyond the largest number",
                         owner.empty() ? owner : owner + ".",
                         system.model->expressions.SymbolName(scalar.parameters[p].symbol));
    }
  }
  return {};
}

std::vector<uint8_t> FindFragileComparisons(const Program& program) {
  std::vector<uint8_t> out;
  for (const Code& code : program.codes) out.push_back(TraitsOf(program, code).comparison.empty() ? 0 : 1);
  return out;
}

bool HasUndecidedComparison(const Program& program, const ProgramRun& run, const Program::Bound& bound,
                            double time) {
  const Code& code = program.codes[bound.code];
  thread_local std::vector<double> registers;  // nothing is allocated in a step
  registers.resize(std::max(registers.size(), code.instructions.size()));
  RunCode(code, ContextOf(program, run, bound, time), registers.data());
  const bool defined =
      std::none_of(code.instructions.begin(), code.instructions.end(), [&](const Instruction& i) {
        return IsComparison(i) && (std::isnan(registers[i.a]) || std::isnan(registers[i.b]));
      });
  return !defined && CodeView(program, run, bound, time).Undecided();
}

std::string ValueWithoutNumber(const Program& program, const ProgramRun& run, const Program::Bound& bound,
                               double time) {
  return CodeView(program, run, bound, time).FirstCulprit();
}

}  // namespace cotree
