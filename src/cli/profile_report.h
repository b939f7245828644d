// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/profile_kernels.h"
#include "cli/stage_clock.h"

namespace cotree {

/** Where the time and the memory of a run went. */
struct Profile {
  std::string system;
  uint64_t states = 0, unknowns = 0;
  double start = 0, reached = 0;  // seconds of the model
  uint64_t steps = 0, evaluations = 0, jacobians = 0, iterations = 0, events = 0, rows = 0;
  std::string method, program;  // in words
  std::string problem;          // of the run; empty: it came to its end
  std::vector<StageCost> stages;
  StageCost sum;
  std::optional<EvaluationCost> evaluation;
};

/// "3.21 ms"; "14.2 MB": three digits.
std::string TimeText(double seconds);
std::string BytesText(double bytes);
/// "4.3 %", "33 %".
std::string PercentText(double share);

/// Tables with bars, for a terminal.
std::string ProfileText(const Profile& profile, const Console& console);
/// The same as a picture, .svg or .png. The exit code.
int SaveProfilePicture(const Profile& profile, const std::string& path);

}  // namespace cotree
