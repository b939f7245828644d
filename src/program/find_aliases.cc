// SPDX-License-Identifier: Apache-2.0
#include "program/find_aliases.h"

namespace cotree {
namespace {

// The local that a register is, or is the opposite of; false if it is computed otherwise.
bool IsLocal(const Code& code, uint32_t at, uint32_t* local, double* sign) {
  const Instruction& i = code.instructions[at];
  if (i.code == CodeOp::kLoad) {
    *local = i.a;
    return true;
  }
  if (i.code != CodeOp::kBinary || i.op != Op::kMultiply) return false;
  for (const auto& [number, other] : {std::pair(i.a, i.b), std::pair(i.b, i.a)}) {
    const Instruction& factor = code.instructions[number];
    if (factor.code != CodeOp::kNumber || (factor.number != 1 && factor.number != -1)) continue;
    if (code.instructions[other].code != CodeOp::kLoad) continue;
    *local = code.instructions[other].a;
    *sign = factor.number;
    return true;
  }
  return false;
}

}  // namespace

std::vector<SlotAlias> FindAliases(const Program& program) {
  std::vector<SlotAlias> out(program.slots);
  for (uint32_t slot = 0; slot < program.slots; ++slot) out[slot].slot = slot;
  for (const Step& step : program.steps) {
    if (step.kind == Step::Kind::kSums) {
      for (uint32_t i = 0; i < step.count; ++i) {
        const SumRow& row = program.sums[step.index + i];
        if (row.count != 1) continue;
        const SumEntry& entry = program.sum_entries[row.first];
        out[row.target] = {entry.slot, static_cast<double>(entry.sign)};
      }
    } else if (step.kind == Step::Kind::kKernel) {
      const KernelRun& run = program.runs[step.index];
      const Code& code = program.codes[run.code];
      for (size_t k = 0; k < code.results.size(); ++k) {
        uint32_t local = 0;
        double sign = 1;
        if (!IsLocal(code, code.results[k], &local, &sign)) continue;
        for (uint32_t i = 0; i < run.count; ++i)
          out[program.targets[run.first_target + i * code.results.size() + k]] = {
              program.locals[run.first_local + size_t{i} * code.locals + local], sign};
      }
    }
  }
  // Each is computed from what is computed before it, so chains end.
  for (uint32_t slot = 0; slot < program.slots; ++slot) {
    SlotAlias at{slot, 1};
    while (out[at.slot].slot != at.slot) at = {out[at.slot].slot, at.sign * out[at.slot].sign};
    out[slot] = at;
  }
  return out;
}

}  // namespace cotree
