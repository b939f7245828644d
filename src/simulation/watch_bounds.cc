// SPDX-License-Identifier: Apache-2.0
#include "simulation/watch_bounds.h"

#include <cmath>

#include "model/describe_model.h"
#include "system_equations/variable_bounds.h"
#include "system_equations/variable_unit.h"

namespace cotree {

BoundsWatch::BoundsWatch(const Program& program, const std::vector<uint32_t>& slots) : program_(program) {
  constexpr size_t kMostWatched = 200'000;
  const SortedSystem& sorted = *program.sorted;
  for (size_t k = 0; slots.size() <= kMostWatched && k < slots.size(); ++k) {
    const VariableRef ref = sorted.OfSlot(slots[k]);
    const NumberBounds bounds = BoundsOf(*sorted.system, ref);
    if (bounds.Any()) watched_.push_back({k, ref, bounds, 0, 0, {}, false});
  }
}

void BoundsWatch::Look(double time, std::span<const double> row) {
  for (Watched& w : watched_) {
    const double value = row[w.column];
    const auto broken = FindBroken(w.bounds, value);
    if (!broken || (w.left && std::fabs(value - broken->bound) <= std::fabs(w.worst - w.broken.bound)))
      continue;
    // What is as near as the tolerance lets it be has not left them.
    if (std::fabs(value - broken->bound) <= 1e-6 * (1e-6 + std::fabs(broken->bound))) continue;
    w.left = true;
    w.worst = value;
    w.time = time;
    w.broken = *broken;
  }
}

std::vector<std::string> BoundsWatch::Notes() const {
  constexpr size_t kMostNotes = 5;
  const EquationSystem& system = *program_.sorted->system;
  std::vector<std::string> out;
  size_t more = 0;
  for (const Watched& w : watched_) {
    if (!w.left) continue;
    if (out.size() == kMostNotes) {
      ++more;
      continue;
    }
    const std::string unit = UnitOf(system, w.variable);
    const auto text = [&](double x) { return NumberText(x) + (unit.empty() ? "" : " " + unit); };
    out.push_back("`" + system.VariableName(w.variable.variable, w.variable.order) + "` is " + text(w.worst) +
                  " at " + NumberText(w.time) + " s, but must be " + std::string(w.broken.relation) + " " +
                  text(w.broken.bound) + ": nothing real does what this run shows there");
  }
  if (more > 0) out.push_back("and " + std::to_string(more) + " more variables leave their bounds");
  return out;
}

}  // namespace cotree
