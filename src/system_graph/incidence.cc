// SPDX-License-Identifier: Apache-2.0
#include "system_graph/incidence.h"

namespace cotree {

std::vector<IncidenceView::Entry> IncidenceView::Entries() const {
  std::vector<Entry> out;
  for (uint32_t column = 0; column < columns(); ++column) {
    const GraphEdge& e = graph_.edges[EdgeOfColumn(column).index()];
    if (e.from == e.to) continue;
    const auto add = [&](VertexId v, int8_t sign) {
      const uint32_t row = v.value - domain_.reference.value;
      if (!reduced_)
        out.push_back({row, column, sign});
      else if (row > 0)
        out.push_back({row - 1, column, sign});
    };
    add(e.from, 1);
    add(e.to, -1);
  }
  return out;
}

}  // namespace cotree
