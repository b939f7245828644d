// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "program/run_program.h"

namespace cotree {

/** x' = A x + sum B_k u^(k),  y = C x + sum D_k u^(k), around the point of a ProgramRun. Row by row.

With a period: x[k+1] = A x[k] + B u[k],  y[k] = C x[k] + D u[k] (control/sampled_model.h).

Theory: docs/theory/program.md, PR.8 (PR.8a). */
struct LinearModel {
  std::vector<std::string> states, inputs, outputs;
  std::vector<double> A, C;                 // n*n, p*n
  std::vector<std::vector<double>> B, D;    // by order of the input's derivative: n*m, p*m
  std::vector<std::complex<double>> poles;  // sorted by real part, then imaginary part
  double period = 0;                        // s; 0: continuous
  std::vector<std::string> notes;           // for people: what limits what it says

  size_t n() const { return states.size(); }
  size_t m() const { return inputs.size(); }
  size_t p() const { return outputs.size(); }
};

/// At the point of the last `run.Run(time)`. Outputs may be any variables with slots. Where invariants hold
/// (loops of mechanisms), the states are those that they leave free, chosen by pivoting at that point.
/// Theory: docs/theory/mechanics.md, ME.15.
LinearModel Linearize(ProgramRun& run, const Program& program, const std::vector<VariableRef>& outputs,
                      double time);

}  // namespace cotree
