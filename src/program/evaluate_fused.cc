// SPDX-License-Identifier: Apache-2.0
#include "program/evaluate_fused.h"

#include <algorithm>

namespace cotree {

FusedEvaluation::FusedEvaluation(ProgramRun& run, FusedProgram program)
    : run_(run), program_(std::move(program)), interpreter_(program_) {
  if (program_.compact) work_.resize(program_.work);
  if (!program_.compact) {
    for (uint32_t k = 0; k < program_.states.size(); ++k) states_read_.push_back(k);
    return;
  }
  for (const FusedRun& r : program_.runs) {
    for (uint32_t l = 0; l < program_.kernels[r.kernel].leaves; ++l) {
      const Operand& operand = program_.operands[r.first_operand + l];
      if (operand.base != Operand::Base::kStates) continue;
      const uint32_t count = operand.kind == Operand::Kind::kUniform ? 1 : r.count;
      for (uint32_t i = 0; i < count; ++i)
        states_read_.push_back(operand.kind == Operand::Kind::kIndexed ? program_.places[operand.at + i]
                                                                       : operand.at + i);
    }
  }
  std::sort(states_read_.begin(), states_read_.end());
  states_read_.erase(std::unique(states_read_.begin(), states_read_.end()), states_read_.end());
  states_read_.shrink_to_fit();
}

bool FusedEvaluation::Evaluate(double time, const double* states, double* results) {
  ++evaluations;
  run_.Begin(time);
  FusedArrays arrays{states, results, work_.data(), time, run_.switch_time};
  if (program_.compact) {
    for (const auto& [slot, place] : program_.copies) work_[place] = run_.values[slot];
    for (const FusedStep& step : program_.steps) interpreter_.Run(program_.runs[step.index], arrays);
    return true;
  }
  arrays.work = run_.values.data();
  for (size_t k = 0; k < program_.state_slots.size(); ++k) run_.values[program_.state_slots[k]] = states[k];
  for (const FusedStep& step : program_.steps) {
    switch (step.kind) {
      case FusedStep::Kind::kRun:
        interpreter_.Run(program_.runs[step.index], arrays);
        break;
      case FusedStep::Kind::kBlock:
        if (!run_.RunBlock(step.index, time)) return false;
        break;
      case FusedStep::Kind::kForeign:
        if (!run_.RunGroup(step.index, time)) return false;
        break;
    }
  }
  return true;
}

}  // namespace cotree
