// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/prepare_run.h"
#include "results/result.h"

namespace cotree {

/** The rows of a run, for comparison: variables that are stored, aliases left out. */
struct RunRecord {
  std::vector<std::string> names, units;
  std::vector<size_t> places;  // of each variable in a row of the run
  std::vector<double> times;
  std::vector<std::vector<double>> columns;  // by variable, then row
  std::vector<double> events;                // sorted
  std::string method, stop_reason;

  void Add(double time, std::span<const double> values);
  void Take(const Trajectory& trajectory);
};
RunRecord RecordFor(const ResultHeader& header);

/** How far two runs agree: the variable and the time at which they differ most. */
struct Agreement {
  double difference = 0;  // of the largest magnitude of the variable
  size_t rows = 0;        // that were compared
  std::string name;
  double time = 0, own = 0, other = 0;
  // Where the difference is larger than allowed for the first time.
  std::string first_name;
  double first_time = 0, first_own = 0, first_other = 0;

  double Digits() const;
};
/// `left_out`: names that mean something else in the other run, sorted. `allowed`: a relative difference; the
/// rows that both runs have are compared, those beside an event that only one of them has at that very time
/// are not.
Agreement CompareRuns(const RunRecord& own, const RunRecord& other, double rtol, double allowed,
                      const std::vector<std::string>& left_out = {});

/** Repeats a run that went well in other ways and prints on how many digits all agree: on standard output, or
on standard error where CSV goes there. The exit code: fine, or numerical. */
int Certify(const SimulateOptions& options, const PreparedRun& prepared, const RunRecord& own);

}  // namespace cotree
