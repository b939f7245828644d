// SPDX-License-Identifier: Apache-2.0
#include "graph/strong_components.h"

#include <algorithm>

namespace cotree {

StrongComponents FindStrongComponents(const DirectedGraph& graph) {
  constexpr uint32_t kNone = UINT32_MAX;
  const size_t n = graph.vertices();
  StrongComponents out;
  out.component_of.assign(n, kNone);
  std::vector<uint32_t> number(n, kNone), low(n, 0), next(n, 0), stack, path;
  uint32_t counter = 0;
  for (uint32_t root = 0; root < n; ++root) {
    if (number[root] != kNone) continue;
    path.push_back(root);
    while (!path.empty()) {
      const uint32_t v = path.back();
      if (number[v] == kNone) {
        number[v] = low[v] = counter++;
        next[v] = graph.first[v];
        stack.push_back(v);
      }
      bool deeper = false;
      while (next[v] < graph.first[v + 1]) {
        const uint32_t w = graph.targets[next[v]];
        if (number[w] == kNone) {
          path.push_back(w);
          deeper = true;
          break;
        }
        if (out.component_of[w] == kNone) low[v] = std::min(low[v], low[w]);
        ++next[v];
      }
      if (deeper) continue;
      path.pop_back();
      if (low[v] != number[v]) continue;
      for (uint32_t w = kNone; w != v;) {
        w = stack.back();
        stack.pop_back();
        out.component_of[w] = out.count;
      }
      ++out.count;
    }
  }
  return out;
}

}  // namespace cotree
