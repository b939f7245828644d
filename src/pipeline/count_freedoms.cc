// SPDX-License-Identifier: Apache-2.0
#include "pipeline/count_freedoms.h"

#include <algorithm>
#include <map>
#include <set>

namespace cotree {
namespace {

// The velocities among the states that the value of a slot is computed from.
std::vector<uint32_t> VelocitiesBehind(const SortedSystem& sorted, const std::set<uint32_t>& velocities,
                                       uint32_t slot) {
  std::vector<uint32_t> out, open{slot};
  std::set<uint32_t> seen{slot};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    const VariableRef ref = sorted.OfSlot(at);
    if (sorted.IsState(ref)) {
      if (ref.order > 0 || velocities.count(at) > 0) out.push_back(at);
      continue;
    }
    if (sorted.equation_of_slot[at] == UINT32_MAX) continue;
    sorted.OverUses(sorted.equation_of_slot[at], [&](uint32_t v, uint32_t order) {
      const uint32_t next = sorted.Slot({v, order});
      if (seen.insert(next).second) open.push_back(next);
    });
  }
  return out;
}

// Finds a state for a freedom, moving others to another one of theirs.
bool Match(const std::vector<std::vector<uint32_t>>& behind, size_t freedom,
           std::map<uint32_t, size_t>& owner, std::set<uint32_t>& tried) {
  for (const uint32_t state : behind[freedom]) {
    if (!tried.insert(state).second) continue;
    const auto at = owner.find(state);
    if (at != owner.end() && !Match(behind, at->second, owner, tried)) continue;
    owner[state] = freedom;
    return true;
  }
  return false;
}

}  // namespace

uint32_t CountFreedoms(const Translation& t) {
  constexpr size_t kMostFreedoms = 300;
  const uint32_t degrees = t.motion.degrees;
  if (t.sorted == nullptr || t.motion.freedoms.empty() || t.motion.freedoms.size() > kMostFreedoms)
    return degrees;
  const EquationSystem& system = *t.equations;
  const Part& main = system.parts[t.graph->components.size()];
  std::vector<uint32_t> slots;
  for (const MotionFreedom& freedom : t.motion.freedoms) {
    VariableRef ref = system.bindings[main.first_binding + freedom.velocity];
    ref.order += freedom.velocity_order;
    if (!t.sorted->HasSlot(ref)) return degrees;
    slots.push_back(t.sorted->Slot(ref));
  }
  const std::set<uint32_t> velocities(slots.begin(), slots.end());
  std::vector<std::vector<uint32_t>> behind;
  for (const uint32_t slot : slots) behind.push_back(VelocitiesBehind(*t.sorted, velocities, slot));
  std::map<uint32_t, size_t> owner;
  uint32_t count = 0;
  for (size_t f = 0; f < behind.size(); ++f) {
    std::set<uint32_t> tried;
    if (Match(behind, f, owner, tried)) ++count;
  }
  return std::min(count, degrees);
}

}  // namespace cotree
