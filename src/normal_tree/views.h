// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "normal_tree/normal_tree.h"

namespace cotree {

/** The fundamental circuit and cut-set matrices of a forest (paper 000, eqs 3-5), row by row.

With the columns sorted into branches and chords the cut-set matrix is (1, A_C) and the circuit matrix
(B_T, 1), with B_T = -A_C^T. Rows hold what is not zero, ascending by edge:
 - the row of a branch b: y_b + sum of sign * y_chord = 0;
 - the row of a chord e: x_e + sum of sign * x_branch = 0.

For people and tests, never formed on the way of a big system (design §3.2): the cost is that of all
circuits. */
struct ForestView {
  std::vector<EdgeId> branches, chords;           // ascending: the rows' own edges
  std::vector<std::vector<SignedEdge>> cut_sets;  // by branch
  std::vector<std::vector<SignedEdge>> circuits;  // by chord
};

/// `forest` is a spanning forest, in any order.
ForestView ViewForest(const SystemGraph& graph, const std::vector<EdgeId>& forest);

/// The branches of T, and of T', of a tree.
std::vector<EdgeId> TreeEdges(const NormalTree& tree);
std::vector<EdgeId> ThroughTreeEdges(const NormalTree& tree);

/// All elements of a row, by edge.
std::vector<int> DenseRow(const SystemGraph& graph, const std::vector<SignedEdge>& row);

}  // namespace cotree
