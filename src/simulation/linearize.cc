// SPDX-License-Identifier: Apache-2.0
#include "simulation/linearize.h"

namespace cotree {

LinearModel Linearize(ProgramRun& run, const Program& program, const std::vector<VariableRef>& outputs,
                      double time) {
  const SortedSystem& sorted = *program.sorted;
  const EquationSystem& system = *sorted.system;
  LinearModel out;
  const size_t n = program.state_slots.size(), p = outputs.size(), m = system.inputs.size();
  for (const VariableRef& state : sorted.states)
    out.states.push_back(system.VariableName(state.variable, state.order));
  out.inputs = system.input_names;
  std::vector<uint32_t> output_slots;
  for (const VariableRef& ref : outputs) {
    out.outputs.push_back(system.VariableName(ref.variable, ref.order));
    output_slots.push_back(sorted.Slot(ref));
  }
  out.A.resize(n * n);
  out.C.resize(p * n);
  const auto along = [&](uint32_t slot) {
    for (const uint32_t s : program.state_slots) run.tangents[s] = 0;
    for (const uint32_t s : program.input_slots) run.tangents[s] = 0;
    run.tangents[slot] = 1;
    run.RunTangent(time);
  };
  for (size_t j = 0; j < n; ++j) {
    along(program.state_slots[j]);
    for (size_t i = 0; i < n; ++i) out.A[i * n + j] = run.tangents[program.derivative_slots[i]];
    for (size_t i = 0; i < p; ++i) out.C[i * n + j] = run.tangents[output_slots[i]];
  }
  for (size_t j = 0; j < m; ++j) {
    const VariableRef input = system.inputs[j];
    for (uint32_t order = 0; order <= sorted.offsets.variable[input.variable]; ++order) {
      while (out.B.size() <= order) {
        out.B.emplace_back(n * m, 0.0);
        out.D.emplace_back(p * m, 0.0);
      }
      along(sorted.Slot({input.variable, order}));
      for (size_t i = 0; i < n; ++i) out.B[order][i * m + j] = run.tangents[program.derivative_slots[i]];
      for (size_t i = 0; i < p; ++i) out.D[order][i * m + j] = run.tangents[output_slots[i]];
    }
  }
  if (n <= 2000) out.poles = Eigenvalues(out.A, n);
  return out;
}

}  // namespace cotree
