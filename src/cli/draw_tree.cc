// SPDX-License-Identifier: Apache-2.0
#include "cli/draw_tree.h"

#include "normal_tree/reasons.h"

namespace cotree {

Drawing DrawTree(const Translation& translation) {
  const EquationSystem& system = *translation.equations;
  ShownTree shown{&translation.tree};
  for (const DependentStorage& storage :
       FindDependentStorage(*system.model, *translation.graph, system.scalars, translation.tree))
    shown.dependent.push_back(storage.edge);
  return DrawGraph(*system.model, *translation.graph, translation.mechanism, shown);
}

}  // namespace cotree
