// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/prepare_run.h"

namespace cotree {

/** What computes something in an evaluation of the derivatives. */
struct KernelCost {
  enum class Kind : uint8_t { kKernel, kBlock, kForeign } kind = Kind::kKernel;
  std::string what;           // "der(Capacitor.v)"
  uint64_t runs = 0;          // how often it begins in an evaluation,
  uint64_t instances = 0;     // for how many instances in all,
  uint64_t instructions = 0;  // and each of them has so many
  double interpreted = 0;     // seconds of an evaluation
  std::optional<double> compiled;
};

/** One evaluation of the derivatives of all states, as measured at the start of a run. */
struct EvaluationCost {
  std::vector<KernelCost> kernels;  // the dearest first
  double interpreted = 0;           // seconds, as a whole
  std::optional<double> compiled;
  uint64_t states = 0, instances = 0;
  uint64_t instructions = 0;   // of all instances
  uint64_t code_bytes = 0;     // of the interpreter's code,
  uint64_t table_bytes = 0;    // of places and constants,
  uint64_t machine_bytes = 0;  // and of machine code
  double compiling = 0;        // seconds to make it, or to find it on disk
  bool from_cache = false;
  std::string not_compiled;  // why there is no machine code
  double of_kernels(bool machine) const {
    double sum = 0;
    for (const KernelCost& k : kernels) sum += machine ? k.compiled.value_or(0) : k.interpreted;
    return sum;
  }
};

/// Nothing where there are no states, or the run does not begin.
std::optional<EvaluationCost> MeasureEvaluation(const PreparedRun& prepared);

}  // namespace cotree
