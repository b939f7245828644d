// SPDX-License-Identifier: Apache-2.0
#include "program/run_fused.h"

#include <algorithm>
#include <cstring>

#include "program/strip_operations.h"

namespace cotree {
FusedInterpreter::FusedInterpreter(const FusedProgram& program) : program_(program) {
  uint32_t rooms = 1;
  size_t longest = 1, leaves = 1;
  for (const FusedKernel& kernel : program.kernels) {
    const std::vector<Instruction>& code = kernel.code.instructions;
    Plan plan;
    std::vector<uint32_t> last(code.size(), 0);
    for (uint32_t k = 0; k < code.size(); ++k) OverOperands(code[k], [&](uint32_t r) { last[r] = k; });
    for (const uint32_t r : kernel.code.results) last[r] = UINT32_MAX;
    std::vector<uint32_t> free;
    plan.room.resize(code.size());
    for (uint32_t k = 0; k < code.size(); ++k) {
      // What is read here for the last time makes room only afterwards: no operation overwrites its operands.
      if (free.empty()) free.push_back(plan.rooms++);
      plan.room[k] = free.back();
      free.pop_back();
      OverOperands(code[k], [&](uint32_t r) {
        if (last[r] == k && std::find(free.begin(), free.end(), plan.room[r]) == free.end())
          free.push_back(plan.room[r]);
      });
    }
    rooms = std::max(rooms, plan.rooms);
    longest = std::max(longest, code.size());
    leaves = std::max<size_t>(leaves, kernel.leaves + kernel.parameters);
    plans_.push_back(std::move(plan));
  }
  strips_.resize(size_t{rooms} * kStrip + 8);
  registers_.resize(longest);
  views_.resize(longest);
  leaves_.resize(leaves);
}

double* FusedInterpreter::ArrayOf(Operand::Base base, const FusedArrays& arrays) const {
  switch (base) {
    case Operand::Base::kStates:
      return const_cast<double*>(arrays.states);
    case Operand::Base::kDerivatives:
      return arrays.derivatives;
    case Operand::Base::kWork:
      return arrays.work;
    case Operand::Base::kScratch:
      return arrays.scratch;
    default:
      return const_cast<double*>(program_.constants.data());
  }
}

void FusedInterpreter::Run(const FusedRun& run, const FusedArrays& arrays) {
  Run(run, arrays, 0, arrays.count != 0 ? arrays.count : run.count);
}

void FusedInterpreter::Run(const FusedRun& run, const FusedArrays& arrays, uint32_t first, uint32_t count) {
  if (run.sequential || run.rows || count <= kFew) {
    RunSingle(run, arrays, first, count);
    return;
  }
  for (const uint32_t end = first + count; first < end; first += kStrip)
    RunStrip(run, arrays, first, std::min(kStrip, end - first));
}

void FusedInterpreter::RunStrip(const FusedRun& run, const FusedArrays& arrays, uint32_t first,
                                uint32_t count) {
  const FusedKernel& kernel = program_.kernels[run.kernel];
  const Plan& plan = plans_[run.kernel];
  const Operand* operands = program_.operands.data() + run.first_operand;
  const std::vector<Instruction>& code = kernel.code.instructions;
  const uint32_t inputs = kernel.leaves + kernel.parameters;
  const bool one = kernel.code.results.size() == 1;
  for (uint32_t k = 0; k < code.size(); ++k) {
    const Instruction& i = code[k];
    double* out = strips_.data() + size_t{plan.room[k]} * kStrip;
    // The result goes where it belongs at once.
    if (one && kernel.code.results[0] == k && i.code >= CodeOp::kIntegerPower &&
        operands[inputs].kind == Operand::Kind::kContiguous)
      out = ArrayOf(operands[inputs].base, arrays) + operands[inputs].at + first;
    View& view = views_[k];
    switch (i.code) {
      case CodeOp::kNumber:
        view = {&i.number, false};
        break;
      case CodeOp::kLoad:
      case CodeOp::kParameter: {
        const Operand& operand = operands[i.code == CodeOp::kLoad ? i.a : kernel.leaves + i.a];
        const double* array = ArrayOf(operand.base, arrays);
        if (operand.kind == Operand::Kind::kUniform) {
          view = {array + operand.at, false};
        } else if (operand.kind == Operand::Kind::kContiguous) {
          view = {array + operand.at + first, true};
        } else {
          StripGather(array, program_.places.data() + operand.at + first, out, count);
          view = {out, true};
        }
        break;
      }
      case CodeOp::kTime:
        view = {&arrays.time, false};
        break;
      case CodeOp::kSwitchTime:
        view = {&arrays.switch_time, false};
        break;
      case CodeOp::kIntegerPower: {
        const View a = views_[i.a];
        view = {out, a.many};
        const size_t n = a.many ? count : 1;
        const auto power = static_cast<int64_t>(i.number);
        for (size_t j = 0; j < n; ++j) out[j] = PowerChain<double>(a.data[j], power, 1.0);
        break;
      }
      case CodeOp::kIf: {
        const View a = views_[i.a], b = views_[i.b], c = views_[i.c];
        view = {out, a.many || b.many || c.many};
        StripSelect(a.data, a.many, b.data, b.many, c.data, c.many, out, view.many ? count : 1);
        break;
      }
      case CodeOp::kTable: {
        const View a = views_[i.a], b = views_[i.b];
        view = {out, a.many || b.many};
        const auto orders = static_cast<uint32_t>(i.number);
        const TableFunction& table = program_.program->tables[i.c];
        const size_t n = view.many ? count : 1;
        for (size_t j = 0; j < n; ++j)
          out[j] =
              ApplyTable(table, a.data[a.many ? j : 0], b.data[b.many ? j : 0], orders / 16, orders % 16);
        break;
      }
      case CodeOp::kUnary: {
        const View a = views_[i.a];
        view = {out, a.many};
        StripUnary(i.op, a.data, out, a.many ? count : 1);
        break;
      }
      case CodeOp::kBinary: {
        const View a = views_[i.a], b = views_[i.b];
        view = {out, a.many || b.many};
        StripBinary(i.op, a.data, a.many, b.data, b.many, out, view.many ? count : 1);
        break;
      }
    }
  }
  for (size_t r = 0; r < kernel.code.results.size(); ++r) {
    const Operand& target = operands[inputs + r];
    double* array = ArrayOf(target.base, arrays);
    const View view = views_[kernel.code.results[r]];
    if (target.kind == Operand::Kind::kContiguous) {
      double* out = array + target.at + first;
      if (!view.many)
        std::fill(out, out + count, *view.data);
      else if (view.data != out)
        std::memcpy(out, view.data, count * sizeof(double));
      continue;
    }
    const uint32_t* places = program_.places.data() + target.at + first;
    if (view.many) {
      StripScatter(view.data, places, array, count);
    } else {
      for (uint32_t j = 0; j < count; ++j) array[places[j]] = *view.data;
    }
  }
}

void FusedInterpreter::RunSingle(const FusedRun& run, const FusedArrays& arrays, uint32_t first,
                                 uint32_t count) {
  const FusedKernel& kernel = program_.kernels[run.kernel];
  const Operand* operands = program_.operands.data() + run.first_operand;
  const std::vector<Instruction>& code = kernel.code.instructions;
  const uint32_t inputs = kernel.leaves + kernel.parameters;
  double* r = registers_.data();
  for (uint32_t instance = first; instance < first + count; ++instance) {
    for (uint32_t k = 0; k < inputs; ++k)
      leaves_[k] = ArrayOf(operands[k].base, arrays) + program_.PlaceOf(run, operands[k], instance);
    for (size_t k = 0; k < code.size(); ++k) {
      const Instruction& i = code[k];
      switch (i.code) {
        case CodeOp::kNumber:
          r[k] = i.number;
          break;
        case CodeOp::kLoad:
          r[k] = *leaves_[i.a];
          break;
        case CodeOp::kParameter:
          r[k] = *leaves_[kernel.leaves + i.a];
          break;
        case CodeOp::kTime:
          r[k] = arrays.time;
          break;
        case CodeOp::kSwitchTime:
          r[k] = arrays.switch_time;
          break;
        case CodeOp::kIntegerPower:
          r[k] = PowerChain<double>(r[i.a], static_cast<int64_t>(i.number), 1.0);
          break;
        case CodeOp::kIf:
          r[k] = r[i.a] != 0 ? r[i.b] : r[i.c];
          break;
        case CodeOp::kTable: {
          const auto orders = static_cast<uint32_t>(i.number);
          r[k] = ApplyTable(program_.program->tables[i.c], r[i.a], r[i.b], orders / 16, orders % 16);
          break;
        }
        case CodeOp::kUnary:
          r[k] = ApplyUnary(i.op, r[i.a]);
          break;
        case CodeOp::kBinary:
          switch (i.op) {
            case Op::kAdd:
              r[k] = r[i.a] + r[i.b];
              break;
            case Op::kMultiply:
              r[k] = r[i.a] * r[i.b];
              break;
            case Op::kDivide:
              r[k] = r[i.a] / r[i.b];
              break;
            default:
              r[k] = ApplyBinary(i.op, r[i.a], r[i.b]);
          }
          break;
      }
    }
    for (size_t k = 0; k < kernel.code.results.size(); ++k) {
      const Operand& target = operands[inputs + k];
      ArrayOf(target.base, arrays)[program_.PlaceOf(run, target, instance)] = r[kernel.code.results[k]];
    }
  }
}

}  // namespace cotree
