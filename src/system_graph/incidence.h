// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "system_graph/system_graph.h"

namespace cotree {

/** The incidence matrix of a domain's graph as a view (paper 000, eqs 1-2): row = vertex, column = edge, +1
where the edge leaves the vertex, -1 where it arrives; an edge whose ends are joined has a column of zeros.
The reduced matrix leaves out the reference vertex, whose row is minus the sum of the others. The system's
matrix is the direct sum over the domains.

Nothing is stored; for people and tests, never on the way of a big system (design §3.2).

Theory: docs/theory/system_graph.md, SG.1a. */
class IncidenceView {
 public:
  struct Entry {
    uint32_t row, column;
    int8_t sign;
  };

  IncidenceView(const SystemGraph& graph, const DomainGraph& domain, bool reduced)
      : graph_(graph), domain_(domain), reduced_(reduced) {}

  uint32_t rows() const { return domain_.vertex_count - (reduced_ ? 1 : 0); }
  uint32_t columns() const { return static_cast<uint32_t>(domain_.edges.size()); }
  VertexId VertexOfRow(uint32_t row) const {
    return VertexId(domain_.reference.value + row + (reduced_ ? 1 : 0));
  }
  EdgeId EdgeOfColumn(uint32_t column) const { return domain_.edges[column]; }
  int At(uint32_t row, uint32_t column) const {
    const GraphEdge& e = graph_.edges[EdgeOfColumn(column).index()];
    const VertexId v = VertexOfRow(row);
    return (e.from == v ? 1 : 0) - (e.to == v ? 1 : 0);
  }
  /// The entries that are not zero, column by column.
  std::vector<Entry> Entries() const;

 private:
  const SystemGraph& graph_;
  const DomainGraph& domain_;
  bool reduced_;
};

}  // namespace cotree
