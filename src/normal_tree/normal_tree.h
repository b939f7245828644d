// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/large_vector.h"
#include "system_graph/scalar_element.h"
#include "system_graph/system_graph.h"

namespace cotree {

/** Which variables of the edges are primary (docs/theory/normal_tree.md, NT.1; why this is right: NT.9).

Ground set: across x_e and through y_e of every edge e. P has one variable an edge on average; the others,
secondary, follow from P by topology: x_e by the fundamental circuit of e in the forest T = {e : x_e in P},
y_e by the fundamental cut-set of e in the forest T' = {e : y_e not in P}. With ordinary elements T = T'. */
struct NormalTree {
  LargeVector<uint8_t> primary;  // by edge: kAcrossPrimary | kThroughPrimary
  static constexpr uint8_t kAcrossPrimary = 1, kThroughPrimary = 2;

  bool InTree(EdgeId e) const { return (primary[e.index()] & kAcrossPrimary) != 0; }          // in T
  bool InThroughTree(EdgeId e) const { return (primary[e.index()] & kThroughPrimary) == 0; }  // in T'

  int64_t degree = 0;            // the order of the system as far as the graph shows it
  bool singular = false;         // no common basis: see `blocking`
  std::vector<EdgeId> blocking;  // the edges of the blocking set
  std::vector<std::vector<EdgeId>>
      blocking_sets;  // all that were found, up to a limit; `blocking` is the first
  static constexpr size_t kMostBlockingSets = 64;

  /** What proves that the choice is best: potentials of the 2e variables (x_e at 2e, y_e at 2e + 1) such that
   * no exchange gains (CheckNormalTree). Islands without couplers need none: there Kruskal's tree is best. */
  LargeVector<int64_t> potentials;
  struct Statistics {
    uint64_t islands = 0;  // counted only where anything is coupled
    uint64_t coupled_islands = 0, copied_islands = 0, augmentations = 0, cycles = 0;
  } statistics;
};

/** A forest with parents: circuits and cut-sets are read from it. */
struct RootedForest {
  LargeVector<uint32_t> parent_edge;  // by vertex: the edge towards the root, UINT32_MAX at a root
  LargeVector<uint32_t> parent;       // by vertex
  LargeVector<uint32_t> depth;        // by vertex
  LargeVector<uint32_t> order;        // vertices, parents first
};

/// The forest of the edges with in_forest(e), rooted at the reference vertices (other trees at their smallest
/// vertex), breadth first.
RootedForest RootForest(const SystemGraph& graph, const std::vector<bool>& in_forest);

/** An edge of a circuit or cut-set with its sign. */
struct SignedEdge {
  EdgeId edge;
  int8_t sign;
};
/// The branches by which the chord is expressed: x_chord = sum of sign * x_branch.
std::vector<SignedEdge> FundamentalCircuit(const SystemGraph& graph, const RootedForest& forest,
                                           EdgeId chord);

/** User's wishes for the choice of states: larger is more wanted, by edge and variable. */
struct TreePreferences {
  std::vector<std::pair<EdgeId, int>> across, through;
};

NormalTree FindNormalTree(Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars,
                          const TreePreferences& preferences = {});

}  // namespace cotree
