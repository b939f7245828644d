// SPDX-License-Identifier: Apache-2.0
// Small networks made by hand: kinds of elements as tables of their equations, a graph from a list of parts.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "expr/field.h"
#include "normal_tree/select_normal_tree.h"

namespace cotree::testing_networks {

using Term = GroupEquations::Term;

/// Coefficients that are "any number": never the same twice in a kind.
constexpr uint64_t Any(uint64_t n) {
  return 0x1234567890ABCDu * (n + 3) % FieldElement::kPrime;
}
constexpr uint64_t kMinusOne = FieldElement::kPrime - 1;

/** Columns: x1 y1 x2 y2 ... internals; terms: row, column, order, coefficient. */
struct Kind {
  std::string name;
  GroupEquations equations;
};

enum : uint32_t {
  kR,
  kC,
  kL,
  kV,
  kI,
  kMass,
  kTransformer,
  kGyrator,
  kNullor,
  kVccs,
  kVcvs,
  kCccs,
  kCcvs,
  kCoupledInductors,
  kMotor,
  kKinds
};

inline std::vector<Kind> AllKinds() {
  std::vector<Kind> out(kKinds);
  const auto set = [&](uint32_t kind, const char* name, uint32_t edges, uint32_t internals,
                       std::vector<Term> terms) {
    out[kind] = {name, {edges, internals, edges + internals, std::move(terms)}};
  };
  set(kR, "R", 1, 0, {{0, 0, 0, 1}, {0, 1, 0, Any(0)}});
  set(kC, "C", 1, 0, {{0, 0, 1, Any(1)}, {0, 1, 0, kMinusOne}});
  set(kL, "L", 1, 0, {{0, 0, 0, 1}, {0, 1, 1, Any(2)}});
  set(kV, "V", 1, 0, {{0, 0, 0, 1}});
  set(kI, "I", 1, 0, {{0, 1, 0, 1}});
  set(kMass, "mass", 1, 0, {{0, 0, 2, Any(3)}, {0, 1, 0, kMinusOne}});
  set(kTransformer, "TF", 2, 0, {{0, 0, 0, 1}, {0, 2, 0, Any(4)}, {1, 3, 0, 1}, {1, 1, 0, Any(4)}});
  set(kGyrator, "GY", 2, 0, {{0, 0, 0, 1}, {0, 3, 0, Any(5)}, {1, 2, 0, 1}, {1, 1, 0, Any(6)}});
  set(kNullor, "nullor", 2, 0, {{0, 0, 0, 1}, {1, 1, 0, 1}});
  set(kVccs, "VCCS", 2, 0, {{0, 1, 0, 1}, {1, 3, 0, 1}, {1, 0, 0, Any(7)}});
  set(kVcvs, "VCVS", 2, 0, {{0, 1, 0, 1}, {1, 2, 0, 1}, {1, 0, 0, Any(8)}});
  set(kCccs, "CCCS", 2, 0, {{0, 0, 0, 1}, {1, 3, 0, 1}, {1, 1, 0, Any(9)}});
  set(kCcvs, "CCVS", 2, 0, {{0, 0, 0, 1}, {1, 2, 0, 1}, {1, 1, 0, Any(10)}});
  set(kCoupledInductors, "M", 2, 0,
      {{0, 0, 0, 1},
       {0, 1, 1, Any(11)},
       {0, 3, 1, Any(12)},
       {1, 2, 0, 1},
       {1, 1, 1, Any(12)},
       {1, 3, 1, Any(13)}});
  // v = R i + L di + K w, tau = -K i + J dw + d w, w = dphi: edges armature (v, i), shaft (phi, tau), inside
  // w.
  set(kMotor, "motor", 2, 1,
      {{0, 0, 0, 1},
       {0, 1, 0, Any(14)},
       {0, 1, 1, Any(15)},
       {0, 4, 0, Any(16)},
       {1, 3, 0, 1},
       {1, 1, 0, Any(16)},
       {1, 4, 1, Any(17)},
       {1, 4, 0, Any(18)},
       {2, 4, 0, 1},
       {2, 2, 1, kMinusOne}});
  return out;
}

/** A part: its kind and the vertices of its edges. */
struct Part {
  uint32_t kind;
  std::vector<std::pair<uint32_t, uint32_t>> ends;
};

struct Network {
  SystemGraph graph;
  std::vector<ElementGroups> groups;
};

inline std::vector<ElementGroups> GroupsOf(const std::vector<Kind>& kinds) {
  std::vector<ElementGroups> out;
  for (const Kind& kind : kinds) {
    ElementGroups groups;
    groups.edges.emplace_back();
    for (uint32_t e = 0; e < kind.equations.edges; ++e) {
      groups.group_of_edge.push_back(0);
      groups.place.push_back(e);
      groups.edges[0].push_back(e);
    }
    groups.values.emplace_back(kind.equations);
    out.push_back(std::move(groups));
  }
  return out;
}

/// One domain, whose reference is vertex 0.
inline Network MakeNetwork(const std::vector<Kind>& kinds, uint32_t vertices,
                           const std::vector<Part>& parts) {
  Network out;
  out.groups = GroupsOf(kinds);
  for (const Kind& kind : kinds) {
    out.graph.elements.emplace_back();
    out.graph.elements.back().edges.resize(kind.equations.edges);
    out.graph.elements.back().groups = 1;
  }
  out.graph.domains.push_back({DomainId(0), VertexId(0), vertices, {}});
  out.graph.first_terminal_of_vertex.assign(vertices, 0);
  for (const Part& part : parts) {
    Component component;
    component.element = ElementId(part.kind);
    component.first_edge = static_cast<uint32_t>(out.graph.edges.size());
    for (const auto& [from, to] : part.ends) {
      out.graph.domains[0].edges.push_back(EdgeId(out.graph.edges.size()));
      out.graph.edges.push_back({ComponentId(out.graph.components.size()), VertexId(from), VertexId(to)});
    }
    out.graph.components.push_back(component);
  }
  return out;
}

}  // namespace cotree::testing_networks
