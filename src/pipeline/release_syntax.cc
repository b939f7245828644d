// SPDX-License-Identifier: Apache-2.0
#include "pipeline/release_syntax.h"

#include "language/release_syntax.h"

namespace cotree {

void ReleaseLargeSyntax(LoadedModel& loaded) {
  constexpr size_t kLarge = 1000000;  // nodes
  if (!loaded.readable || !loaded.diagnostics.ok()) return;
  for (const auto& tree : loaded.model.trees) {
    // Files of the library are parsed declaration by declaration.
    if (tree->nodes.size() >= kLarge && !loaded.declarations->IsLibrary(tree->file)) ReleaseSyntax(*tree);
  }
}

}  // namespace cotree
