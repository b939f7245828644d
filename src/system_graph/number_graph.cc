// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "system_graph/graph_builder.h"

namespace cotree {

// What carries a joint is at rest as seen from the joint: its `housing` is the reference of what turns the
// axis.
void GraphBuilder::HoldHousings() {
  for (const Component& c : graph_.components) {
    const ElementClass& element = graph_.elements[c.element.index()];
    const ComponentClass& cls = model_[element.class_id];
    if (cls.spatial.IsNone()) continue;
    for (uint32_t slot = 0; slot < element.terminals(); ++slot) {
      const Terminal& terminal = cls.terminals[element.slot_terminal[slot]];
      if (!model_.names.Text(terminal.name).ends_with("housing")) continue;
      joints_.Join(domain_order_[terminal.domain.index()], JointOf(c.first_terminal + slot));
    }
  }
}

void GraphBuilder::NumberFrames() {
  bool any = false;
  for (const ElementClass& element : graph_.elements) any = any || !model_[element.class_id].spatial.IsNone();
  if (!any) return;
  graph_.frame_of_terminal.assign(terminals_, UINT32_MAX);
  std::unordered_map<uint32_t, uint32_t> frame_of_joint;
  for (uint32_t d = 0; d < model_.domains.size(); ++d) {
    if (model_.domains[d].spatial) frame_of_joint[joints_.Find(domain_order_[d])] = 0;
  }
  graph_.frame_count = 1;
  for (const Component& c : graph_.components) {
    const ElementClass& element = graph_.elements[c.element.index()];
    for (uint32_t slot = 0; slot < element.terminals(); ++slot) {
      const Terminal& terminal = model_[element.class_id].terminals[element.slot_terminal[slot]];
      if (!model_.domains[terminal.domain.index()].spatial) continue;
      const auto [at, fresh] =
          frame_of_joint.try_emplace(joints_.Find(JointOf(c.first_terminal + slot)), graph_.frame_count);
      if (fresh) ++graph_.frame_count;
      graph_.frame_of_terminal[c.first_terminal + slot] = at->second;
    }
  }
}

void GraphBuilder::Number() {
  HoldHousings();
  NumberFrames();
  const size_t domain_count = model_.domains.size();
  std::vector<bool> used(domain_count, false);
  LargeVector<uint32_t> vertex_of_joint(domain_count + terminals_, UINT32_MAX);
  // Only what an edge touches is a vertex.
  std::vector<uint32_t> count(domain_count, 0);
  for (const Component& c : graph_.components) {
    for (const ElementEdge& e : graph_.elements[c.element.index()].edges)
      used[domain_order_[e.domain.index()]] = true;
  }
  for (uint32_t d = 0; d < domain_count; ++d) {
    if (used[d]) vertex_of_joint[d] = count[d]++;
  }
  const auto touch = [&](uint32_t slot, uint32_t domain) {
    const uint32_t root = joints_.Find(JointOf(slot));
    if (vertex_of_joint[root] == UINT32_MAX) vertex_of_joint[root] = count[domain]++;
  };
  for (const Component& c : graph_.components) {
    for (const ElementEdge& e : graph_.elements[c.element.index()].edges) {
      const uint32_t domain = domain_order_[e.domain.index()];
      touch(c.first_terminal + e.from, domain);
      if (e.to != UINT32_MAX) touch(c.first_terminal + e.to, domain);
    }
  }
  std::vector<uint32_t> first(domain_count + 1, 0);
  for (uint32_t d = 0; d < domain_count; ++d) first[d + 1] = first[d] + count[d];
  std::vector<uint32_t> graph_of(domain_count, UINT32_MAX);
  for (uint32_t d = 0; d < domain_count; ++d) {
    if (!used[d]) continue;
    graph_of[d] = static_cast<uint32_t>(graph_.domains.size());
    graph_.domains.push_back({DomainId(domains_by_name_[d]), VertexId(first[d]), count[d], {}});
  }
  graph_.edges.reserve(edges_);
  graph_.vertex_of_terminal.assign(terminals_, VertexId::None());
  graph_.first_terminal_of_vertex.assign(first.back(), UINT32_MAX);
  std::vector<size_t> edge_count(domain_count, 0);
  for (const Component& c : graph_.components) {
    for (const ElementEdge& e : graph_.elements[c.element.index()].edges)
      ++edge_count[domain_order_[e.domain.index()]];
  }
  for (uint32_t d = 0; d < domain_count; ++d) {
    if (graph_of[d] != UINT32_MAX) graph_.domains[graph_of[d]].edges.reserve(edge_count[d]);
  }
  for (uint32_t i = 0; i < graph_.components.size(); ++i) {
    const Component& c = graph_.components[i];
    for (const ElementEdge& e : graph_.elements[c.element.index()].edges) {
      const uint32_t d = domain_order_[e.domain.index()];
      const auto vertex = [&](uint32_t slot) {
        return VertexId(first[d] + vertex_of_joint[joints_.Find(JointOf(c.first_terminal + slot))]);
      };
      const VertexId from = vertex(e.from);
      const VertexId to = e.to == UINT32_MAX ? VertexId(first[d]) : vertex(e.to);
      graph_.domains[graph_of[d]].edges.push_back(EdgeId(graph_.edges.size()));
      graph_.edges.push_back({ComponentId(i), from, to});
      Name(c.first_terminal + e.from, from);
      if (e.to != UINT32_MAX) Name(c.first_terminal + e.to, to);
    }
    // Terminals of composites, and of parts without an edge there.
    const ElementClass& element = graph_.elements[c.element.index()];
    if (!element.composite) continue;
    for (uint32_t slot = 0; slot < element.terminals(); ++slot) {
      const Terminal& terminal = model_[element.class_id].terminals[element.slot_terminal[slot]];
      const uint32_t local = vertex_of_joint[joints_.Find(JointOf(c.first_terminal + slot))];
      if (local != UINT32_MAX)
        Name(c.first_terminal + slot, VertexId(first[domain_order_[terminal.domain.index()]] + local));
    }
  }
}

void GraphBuilder::Name(uint32_t terminal, VertexId vertex) {
  graph_.vertex_of_terminal[terminal] = vertex;
  uint32_t& name = graph_.first_terminal_of_vertex[vertex.index()];
  name = std::min(name, terminal);
}

}  // namespace cotree
