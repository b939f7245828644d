// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/run_program.h"

namespace cotree {

/** What an operating point has to meet. */
struct TrimProblem {
  struct Fixed {
    uint32_t slot;
    double value;
  };
  std::vector<Fixed> fixed;
  std::vector<uint32_t> free;  // slots of inputs that are to be found; other inputs stay
  /** A parameter that is to be found. */
  struct Parameter {
    double value;                     // where it begins
    std::function<void(double)> set;  // gives it another one; what the run computes follows it
  };
  std::vector<Parameter> parameters;
  double time = 0;
};

struct Trim {
  bool ok = false;
  std::string failure;  // of the computation itself, where that is what went wrong
  int iterations = 0;
  std::vector<double> parameters;  // as they were found
  /** A state that moves steadily, and nothing holds it: an angle of what turns freely. */
  struct Drift {
    uint32_t state;
    double rate;
  };
  std::vector<Drift> drifting;
  /** A demand that is not met: a derivative that stays, a fixed variable that is not reached. */
  struct Unmet {
    uint32_t slot;
    double wanted, reached;
    bool derivative;
  };
  std::vector<Unmet> unmet;  // largest first
  size_t undetermined = 0;   // unknowns that nothing determines: they stay near where they began
};

/** Brings a run from where it is to an operating point: all derivatives 0, but along directions of the states
on which nothing depends (angles of what turns freely, with all that turns with it), where steady motion is
allowed. Newton's method in states, free inputs and parameters, with damping; the least change where several
are possible. */
Trim FindTrim(ProgramRun& run, const Program& program, const TrimProblem& problem);

}  // namespace cotree
