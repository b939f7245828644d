// SPDX-License-Identifier: Apache-2.0
#include "simulation/integrator_problem.h"

#include <algorithm>
#include <set>

#include "base/plural.h"
#include "block_triangular/diagnose_order.h"

namespace cotree {

std::string StateWithBlock(const Program& program, size_t state) {
  const SortedSystem& sorted = *program.sorted;
  const std::string text = "`" + sorted.SlotName(program.state_slots[state]) + "`";
  const uint32_t derivative = program.derivative_slots[state];
  for (const ImplicitBlock& block : program.blocks) {
    if (std::find(block.unknowns.begin(), block.unknowns.end(), derivative) == block.unknowns.end()) continue;
    std::set<uint32_t> components;
    for (const uint32_t k : sorted.Block(block.block)) {
      for (const ComponentId id : ComponentsOf(*sorted.system, sorted.equations[k].equation))
        components.insert(id.value);
    }
    std::string names;
    size_t shown = 0;
    for (const uint32_t c : components) {
      if (shown++ == 6) {
        names += ", ...";
        break;
      }
      names += (names.empty() ? "`" : ", `") +
               ComponentName(*sorted.system->model, *sorted.system->graph, ComponentId(c)) + "`";
    }
    return text + " (its derivative: from a " +
           (block.kind == BlockKind::kNonlinear ? "nonlinear" : "linear") + " block of " +
           Plural(block.unknowns.size(), "unknown") + (names.empty() ? "" : " of " + names) + ")";
  }
  return text;
}

}  // namespace cotree
