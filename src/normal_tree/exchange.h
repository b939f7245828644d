// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "normal_tree/group_values.h"

namespace cotree {

/// The worth of one degree, and of one wish of the user (clamped); wishes of the classes
/// (GroupValues::wishes) count 1. Each stays below the next, however many there are of it.
constexpr int64_t kDegreeUnit = int64_t{1} << 32;
constexpr int64_t kWishUnit = 4;
constexpr int kWishLimit = 1 << 10;

/// What an across variable is worth against the through variable of its edge, to begin with: the difference
/// of the values where either is a choice; more than any difference where the across variable is in every
/// choice, less where it is in none.
int64_t StartPotential(const GroupValues::Edge& edge);

/** An island with couplers, with vertices, edges and groups numbered from 0. Vertices belong to one block
each: one that is in several stands there several times. Variables: across of edge e is 2e, its through
2e + 1. */
struct Island {
  struct Group {
    GroupValues* values;
    uint32_t first;  // its edges are members[first ... first + values->edges())
  };
  std::vector<std::pair<uint32_t, uint32_t>> ends;  // by edge: from, to
  uint32_t vertices = 0;
  std::vector<uint32_t> roots;  // of the blocks
  std::vector<Group> groups;
  std::vector<uint32_t> members;
  std::vector<int64_t> wishes;  // by variable
};

struct IslandSolution {
  std::vector<uint8_t> primary;     // by edge, as in NormalTree
  std::vector<int64_t> potentials;  // by variable
  int64_t degree = 0;
  std::vector<std::vector<uint32_t>> blocking;  // sets of edges; none: there is a common basis
  uint64_t augmentations = 0, cycles = 0;
};

/** The common basis of M_top and M_F with the greatest value (docs/theory/normal_tree.md, NT.4,
NT.4a, NT.4b; that it gives the order of the system: NT.9b, NT.9c).

Two bases are kept, B1 of M_top and B2 of M_F, and potentials p of the variables such that B1 has the greatest
p among the bases of M_top, and B2 the greatest value - p among those of M_F. For any common basis B

  value(B) = p(B) + (value(B) - p(B)) <= p(B1) + (value(B2) - p(B2)),

so that when B1 = B2 it is best and p proves it. Both conditions are conditions on single exchanges:

  M_top:  p(u) - p(v) >= 0                                 u in B1, v not, B1 - u + v a basis;
  M_F:    value(B2) - value(B2 - u + v) + p(v) - p(u) >= 0  u in B2, v not, B2 - u + v a basis.

The start is Kruskal's tree, T = T', with p(x_e) the difference of the values of {x_e} and {y_e} and p(y_e) =
0: where nothing is coupled that is already B1 = B2. (Nullators, whose two variables are in every choice, and
norators, whose variables are in none, get their own place in T'.) Each variable of B1 that is not in B2 is
then brought to agree by a shortest path in the graph of these exchanges, whose lengths are the left sides
above, of fewest arcs among the shortest (Frank; Murota, Valuated matroid intersection II): u leaves B1 for v
along an arc of M_top, v enters B2 for u along one of M_F. Distances are added to p, so the conditions hold
again.

Arcs of M_top are read from the two forests: a leaves T for b if it is on the path of b in T; a enters T' for
b if b is on the path of a in T'. The search is local: it begins at the variable that disagrees and ends at
the first that disagrees the other way. If there is none, the system is singular, and there are blocking sets
of two kinds. From the edges that lead to a variable of B2 that B1 lacks, there is too much: their equations
determine what the topology determines already (a gear held by position drivers at both ends). The edges
reached from a variable of B1 that B2 lacks have too little: neither their equations nor the topology
determine it. Those with too much come first.

At last, edges with both variables primary are paired with edges that have none, as far as circles of
exchanges of length 0 are found nearby that do so: among equals T = T' is preferred. (To find them all is the
matroid matching problem; this is not attempted.) */
IslandSolution SolveIsland(const Island& island);

}  // namespace cotree
