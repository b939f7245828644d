// SPDX-License-Identifier: Apache-2.0
// The groups of foreign code in a run: as steps of their own, and as rows of implicit blocks.
#include <algorithm>
#include <limits>

#include "program/run_program.h"

namespace cotree {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// No values: why, and whether another point may have some.
bool ProgramRun::FailForeign(double time, std::vector<double>& results) {
  std::fill(results.begin(), results.end(), kNoValue);
  if (failure_.final) return false;
  failure_ = {time, UINT32_MAX, foreign != nullptr ? foreign->problem() : "its foreign code was not loaded",
              true, foreign == nullptr || !foreign->may_go_on()};
  return false;
}

// The results of a group at the present values. What has failed for good is not asked again within a Run.
bool ProgramRun::ComputeForeign(uint32_t group, double time) {
  std::vector<double>& results = foreign_[group].results;
  const bool computed = !failure_.final && foreign != nullptr &&
                        foreign->Compute(program_.foreign[group], time, values, results);
  return computed || FailForeign(time, results);
}

// Once for all directions of a point.
const std::vector<double>& ProgramRun::ForeignPartials(uint32_t group, double time) {
  ForeignState& state = foreign_[group];
  if (state.partials_at == evaluations) return state.partials;
  state.partials_at = evaluations;
  if (foreign == nullptr || !foreign->Partials(program_.foreign[group], time, values, state.partials))
    FailForeign(time, state.partials);
  return state.partials;
}

bool ProgramRun::RunForeign(uint32_t group, double time) {
  if (!ComputeForeign(group, time)) return false;
  const std::vector<uint32_t>& slots = program_.foreign[group].results;
  for (size_t k = 0; k < slots.size(); ++k) values[slots[k]] = foreign_[group].results[k];
  return true;
}

// The tangent of one result, from those of the arguments.
double ProgramRun::ForeignTangent(uint32_t group, uint32_t result, double time) {
  const Program::ForeignGroup& of = program_.foreign[group];
  const double* row = ForeignPartials(group, time).data() + result * of.arguments();
  double sum = 0;
  for (size_t k = 0; k < of.arguments(); ++k) {
    const double tangent = dual_values_[of.argument(k)].tangent;
    if (tangent != 0) sum += row[k] * tangent;
  }
  return sum;
}

void ProgramRun::TangentForeign(uint32_t group, double time) {
  const std::vector<uint32_t>& slots = program_.foreign[group].results;
  for (uint32_t k = 0; k < slots.size(); ++k) dual_values_[slots[k]].tangent = ForeignTangent(group, k, time);
}

// Each group of a block once for an iterate; its rows read what was computed.
void ProgramRun::EvaluateForeign(const ImplicitBlock& block, double time) {
  for (const uint32_t group : block.foreign) {
    ForeignState& state = foreign_[group];
    state.partials_at = 0;
    if (ComputeForeign(group, time))
      ForeignPartials(group, time);
    else
      std::fill(state.partials.begin(), state.partials.end(), kNoValue);
  }
}

double ProgramRun::ForeignRow(const BlockRow& row, double* partials) const {
  const Program::ForeignGroup& of = program_.foreign[row.foreign];
  const ForeignState& state = foreign_[row.foreign];
  for (const uint32_t argument : row.arguments)
    *partials++ = argument == UINT32_MAX ? 1 : -state.partials[row.result * of.arguments() + argument];
  return values[of.results[row.result]] - state.results[row.result];
}

}  // namespace cotree
