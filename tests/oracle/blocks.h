// SPDX-License-Identifier: Apache-2.0
// Reference for the sorted system: dense fundamental circuits and cut-sets of given trees, and the blocks of
// the terminal and topological equations.
//
// Only for networks without mechanical elements, and trees in which every storage element is a state
// (capacitors and tanks in the tree, inductors and inertances not): otherwise equations must be
// differentiated, and which ones is a choice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "oracle/network.h"

namespace cotree::oracle {

/// All edges, numbered by element and port.
inline std::vector<Port> EdgesOf(const Network& network) {
  std::vector<Port> edges;
  for (const Element& e : network.elements) edges.insert(edges.end(), e.ports.begin(), e.ports.end());
  return edges;
}

/** x of each edge that is not in the tree by those that are, and y of each that is by those that are not:
x[c] = sum of q[b][c]*x[b] over the tree, y[b] = -(sum of q[b][c]*y[c] over the others). */
struct Fundamental {
  std::vector<bool> in_tree;        // by edge
  std::vector<std::vector<int>> q;  // by edge of the tree, by edge; empty rows for the others
};

/// By Gaussian elimination of the incidence matrix without its references; none if `tree` is no spanning
/// tree.
inline std::optional<Fundamental> FundamentalMatrices(const std::vector<Port>& edges,
                                                      const std::vector<size_t>& tree) {
  std::map<std::pair<Domain, int>, size_t> row_of;
  for (const Port& e : edges) {
    for (int node : {e.plus, e.minus}) {
      if (node != 0) row_of.try_emplace({e.domain, node}, row_of.size());
    }
  }
  std::vector<std::vector<int>> m(row_of.size(), std::vector<int>(edges.size(), 0));
  for (size_t k = 0; k < edges.size(); ++k) {
    if (edges[k].plus != 0) m[row_of[{edges[k].domain, edges[k].plus}]][k] += 1;
    if (edges[k].minus != 0) m[row_of[{edges[k].domain, edges[k].minus}]][k] -= 1;
  }
  if (tree.size() != m.size()) return std::nullopt;
  Fundamental result{std::vector<bool>(edges.size(), false), std::vector<std::vector<int>>(edges.size())};
  for (size_t k = 0; k < tree.size(); ++k) {
    size_t pivot = k;
    while (pivot < m.size() && m[pivot][tree[k]] == 0) ++pivot;
    if (pivot == m.size()) return std::nullopt;
    std::swap(m[pivot], m[k]);
    const int sign = m[k][tree[k]];  // 1 or -1: the matrix is totally unimodular
    for (int& entry : m[k]) entry *= sign;
    for (size_t row = 0; row < m.size(); ++row) {
      const int factor = m[row][tree[k]];
      if (row == k || factor == 0) continue;
      for (size_t column = 0; column < edges.size(); ++column) m[row][column] -= factor * m[k][column];
    }
  }
  for (size_t k = 0; k < tree.size(); ++k) {
    result.in_tree[tree[k]] = true;
    result.q[tree[k]] = m[k];
  }
  return result;
}

/// The sizes of the strongly connected blocks, sorted; none if there is no matching. `equations[i]` lists
/// unknowns.
inline std::optional<std::vector<size_t>> BlockSizes(const std::vector<std::vector<size_t>>& equations,
                                                     size_t unknowns) {
  const size_t n = equations.size();
  if (n != unknowns) return std::nullopt;
  constexpr size_t none = static_cast<size_t>(-1);
  std::vector<size_t> solves(unknowns, none);  // the equation that an unknown is matched with
  for (size_t i = 0; i < n; ++i) {
    std::vector<bool> tried(unknowns, false);
    const auto find = [&](const auto& self, size_t equation) -> bool {
      for (size_t u : equations[equation]) {
        if (tried[u]) continue;
        tried[u] = true;
        if (solves[u] != none && !self(self, solves[u])) continue;
        solves[u] = equation;
        return true;
      }
      return false;
    };
    if (!find(find, i)) return std::nullopt;
  }
  std::vector<std::vector<bool>> needs(n, std::vector<bool>(n, false));
  for (size_t i = 0; i < n; ++i) {
    needs[i][i] = true;
    for (size_t u : equations[i]) needs[i][solves[u]] = true;
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      if (!needs[i][k]) continue;
      for (size_t j = 0; j < n; ++j) {
        if (needs[k][j]) needs[i][j] = true;
      }
    }
  }
  std::vector<size_t> sizes;
  std::vector<bool> counted(n, false);
  for (size_t i = 0; i < n; ++i) {
    if (counted[i]) continue;
    size_t size = 0;
    for (size_t j = i; j < n; ++j) {
      if (!needs[i][j] || !needs[j][i]) continue;
      counted[j] = true;
      ++size;
    }
    sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

/** Which unknowns each equation has. Unknowns: across 2*k and through 2*k + 1 of edge k, except states, whose
places their derivatives take; then the outputs of sensors and blocks (or their derivatives). */
struct Structure {
  std::vector<std::vector<size_t>> equations;
  size_t unknowns = 0, states = 0;
};

/// Across variables by the circuits of one tree, through variables by the cut-sets of another; with ordinary
/// elements the trees are the same. None for networks outside the limits above.
inline std::optional<Structure> StructureOf(const Network& network, const std::vector<size_t>& across_tree,
                                            const std::vector<size_t>& through_tree) {
  const std::vector<Port> edges = EdgesOf(network);
  const auto across = FundamentalMatrices(edges, across_tree),
             through = FundamentalMatrices(edges, through_tree);
  if (!across || !through) return std::nullopt;
  Structure s;
  s.unknowns = 2 * edges.size();
  std::vector<bool> is_known(s.unknowns,
                             false);  // states: their unknown is the derivative, and only laws have it
  const auto x = [](size_t edge) { return 2 * edge; };
  const auto y = [](size_t edge) { return 2 * edge + 1; };

  struct Law {
    std::vector<size_t> values, derivatives;
  };
  std::vector<Law> laws;
  std::vector<size_t> first_edge;
  size_t edge = 0;
  for (const Element& e : network.elements) {
    first_edge.push_back(edge);
    edge += e.ports.size();
  }
  for (size_t k = 0; k < network.elements.size(); ++k) {
    const Element& e = network.elements[k];
    const size_t e1 = first_edge[k], e2 = e1 + 1;
    switch (e.type) {
      case Type::kResistor:
      case Type::kConductor:
      case Type::kLaminarResistance:
        laws.push_back({{x(e1), y(e1)}, {}});
        break;
      case Type::kCapacitor:
      case Type::kTank:
        if (!across->in_tree[e1]) return std::nullopt;
        is_known[x(e1)] = true;
        laws.push_back({{y(e1)}, {x(e1)}});
        break;
      case Type::kInductor:
      case Type::kInertance:
        if (through->in_tree[e1]) return std::nullopt;
        is_known[y(e1)] = true;
        laws.push_back({{x(e1)}, {y(e1)}});
        break;
      case Type::kCoupledInductors:
        for (size_t port : {e1, e2}) {
          if (through->in_tree[port]) return std::nullopt;
          is_known[y(port)] = true;
          if (e.values[2].num == 0)  // k = 0: two inductors
            laws.push_back({{x(port)}, {y(port)}});
          else
            laws.push_back({{x(port)}, {y(e1), y(e2)}});
        }
        break;
      case Type::kVoltageSource:
      case Type::kPressureSource:
        laws.push_back({{x(e1)}, {}});
        break;
      case Type::kCurrentSource:
      case Type::kFlowSource:
        laws.push_back({{y(e1)}, {}});
        break;
      case Type::kTransformer:
        laws.push_back({{x(e1), x(e2)}, {}});
        laws.push_back({{y(e1), y(e2)}, {}});
        break;
      case Type::kGyrator:
        laws.push_back({{x(e1), y(e2)}, {}});
        laws.push_back({{x(e2), y(e1)}, {}});
        break;
      case Type::kVcvs:
      case Type::kVccs:
        laws.push_back({{y(e1)}, {}});
        laws.push_back({{e.type == Type::kVcvs ? x(e2) : y(e2), x(e1)}, {}});
        break;
      case Type::kCcvs:
      case Type::kCccs:
        laws.push_back({{x(e1)}, {}});
        laws.push_back({{e.type == Type::kCcvs ? x(e2) : y(e2), y(e1)}, {}});
        break;
      case Type::kOpAmp:
        laws.push_back({{x(e1)}, {}});
        laws.push_back({{y(e1)}, {}});
        break;
      case Type::kSignalLink: {
        if (e.sensed == Quantity::kRate || e.driven == Quantity::kRate) return std::nullopt;
        const auto variable = [&](size_t port, Quantity q) {
          return q == Quantity::kAcross ? x(port) : y(port);
        };
        const auto output = [&](bool known) {
          is_known.push_back(known);
          return s.unknowns++;
        };
        size_t driven = e1, signal = 0;
        if (e.reads < 0) {
          driven = e2;
          laws.push_back(
              {{variable(e1, e.sensed == Quantity::kAcross ? Quantity::kThrough : Quantity::kAcross)}, {}});
          signal = output(false);
          laws.push_back({{signal, variable(e1, e.sensed)}, {}});
        } else {
          signal = variable(first_edge[static_cast<size_t>(e.reads)], e.sensed);
        }
        if (e.block != Block::kFirstOrder) {
          const size_t gain = output(false);
          laws.push_back({{gain, signal}, {}});
          signal = gain;
        }
        if (e.block != Block::kGain) {
          const size_t state = output(true);
          laws.push_back({{signal, state}, {state}});  // the state's own value, where it occurs, is known
          signal = state;
        }
        laws.push_back({{variable(driven, e.driven), signal}, {}});
        break;
      }
      default:
        return std::nullopt;
    }
  }
  const auto add = [&](const std::vector<size_t>& values, const std::vector<size_t>& derivatives) {
    std::vector<size_t> equation = derivatives;
    for (size_t v : values) {
      if (!is_known[v]) equation.push_back(v);
    }
    std::sort(equation.begin(), equation.end());
    equation.erase(std::unique(equation.begin(), equation.end()), equation.end());
    s.equations.push_back(equation);
  };
  for (const Law& law : laws) add(law.values, law.derivatives);
  for (size_t c = 0; c < edges.size(); ++c) {
    if (!across->in_tree[c]) {
      std::vector<size_t> values{x(c)};
      for (size_t b : across_tree) {
        if (across->q[b][c] != 0) values.push_back(x(b));
      }
      add(values, {});
    }
    if (through->in_tree[c]) {
      std::vector<size_t> values{y(c)};
      for (size_t other = 0; other < edges.size(); ++other) {
        if (other != c && through->q[c][other] != 0) values.push_back(y(other));
      }
      add(values, {});
    }
  }
  s.states = static_cast<size_t>(std::count(is_known.begin(), is_known.end(), true));
  return s;
}

inline std::optional<std::vector<size_t>> ReferenceBlockSizes(const Network& network,
                                                              const std::vector<size_t>& across_tree,
                                                              const std::vector<size_t>& through_tree) {
  const auto structure = StructureOf(network, across_tree, through_tree);
  if (!structure) return std::nullopt;
  return BlockSizes(structure->equations, structure->unknowns);
}

/// The tree of a network of elements with one edge: across drivers first, then what stores across variables,
/// resistors, what stores through variables, through drivers; the first in each.
inline std::vector<size_t> GreedyTree(const Network& network) {
  const std::vector<Port> edges = EdgesOf(network);
  const auto rank = [](Type type) {
    switch (type) {
      case Type::kVoltageSource:
      case Type::kPressureSource:
        return 0;
      case Type::kCapacitor:
      case Type::kTank:
        return 1;
      case Type::kInductor:
      case Type::kInertance:
        return 3;
      case Type::kCurrentSource:
      case Type::kFlowSource:
        return 4;
      default:
        return 2;
    }
  };
  std::vector<size_t> order;
  for (int r = 0; r < 5; ++r) {
    size_t k = 0;
    for (const Element& e : network.elements) {
      for (size_t p = 0; p < e.ports.size(); ++p, ++k) {
        if (rank(e.type) == r) order.push_back(k);
      }
    }
  }
  std::map<std::pair<Domain, int>, std::pair<Domain, int>> parent;
  const auto root = [&](std::pair<Domain, int> node) {
    while (parent.try_emplace(node, node).first->second != node) node = parent.at(node);
    return node;
  };
  std::vector<size_t> tree;
  for (size_t k : order) {
    const auto a = root({edges[k].domain, edges[k].plus}), b = root({edges[k].domain, edges[k].minus});
    if (a == b) continue;
    parent[a] = b;
    tree.push_back(k);
  }
  return tree;
}

}  // namespace cotree::oracle
