// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "system_graph/scalar_element.h"
#include "system_graph/system_graph.h"

namespace cotree {

/** The terminal equations of a group, linearised, with s for d/dt: F(s) z = known.

Columns: across of the group's edge i at 2i, its through at 2i + 1, then the internal variables. The
coefficients are values of the partial derivatives at a random point of the field modulo 2^61 - 1: what is
zero there is zero for all parameters (or almost surely so, EX.15).

Theory: docs/theory/normal_tree.md, NT.2, NT.9a. */
struct GroupEquations {
  struct Term {
    uint32_t row, column, order;
    uint64_t coefficient;  // of s^order, in the field
  };
  uint32_t edges = 0, internals = 0, rows = 0;
  std::vector<Term> terms;
  bool switching = false;  // there is an `if` in them
  std::vector<uint32_t> nonlinear =
      {};  // columns that occur nonlinearly: solving for them may fail somewhere

  uint32_t columns() const { return 2 * edges + internals; }
};

/** The valuated matroid of a group: which k of its 2k variables its k equations can be solved for, and what
that is worth.

The value of a choice P is deg det F[P and internals] in s: the number of states the group adds if P is
primary. kNone: the determinant is zero, P is no choice. Degrees are exact: the determinant is evaluated at
more points than its degree and interpolated.

Groups up to kTableLimit edges are tabulated at once, over all subsets; larger ones are asked choice by choice
and remembered. Of very large ones (beyond a hundred edges, or some thousand internal variables) only the rank
is exact: the value of a choice is then the sum of the highest orders of its columns, as for coupled
inductors. A group whose equations are not as many as its unknowns says nothing: every choice has the value 0
(`free`), and later stages find what is missing. */
class GroupValues {
 public:
  static constexpr int32_t kNone = INT32_MIN;
  static constexpr uint32_t kTableLimit = 8;
  using Choice = std::vector<uint32_t>;  // k variables, ascending: across of edge i is 2i, its through 2i + 1

  /** A choice P with the values of all its neighbours P - u + v. */
  struct Exchanges {
    Choice inside, outside;       // P and the others, ascending
    std::vector<uint32_t> place;  // by variable: its index in `inside` or `outside`
    std::vector<int32_t> values;  // row: index in `inside`; column: index in `outside`
    int32_t value = kNone;        // of P itself

    int32_t At(size_t u, size_t v) const { return values[u * outside.size() + v]; }
  };

  explicit GroupValues(const GroupEquations& equations, uint32_t table_limit = kTableLimit);

  uint32_t edges() const { return edges_; }
  bool free() const { return free_; }
  /// Whether there is any choice.
  bool solvable() const { return !best_.empty(); }
  /// A choice of the greatest value.
  const Choice& best() const { return best_; }
  int32_t Value(const Choice& choice);
  /// Of a choice that is one. Stays valid.
  const Exchanges& ExchangesOf(const Choice& choice);
  /// The choice with the greatest value + sum of weights (by variable), climbing from `best`: in a valuated
  /// matroid a choice that no single exchange betters is best.
  const Exchanges& Maximise(std::span<const int64_t> weights, int64_t degree_unit);

  /** What is known of an edge whatever the others do; of groups that are not tabulated, what is seen from
   * `best`. */
  struct Edge {
    int32_t across = kNone, through = kNone;  // the greatest value of the choices with its across and not its
                                              // through variable, and the reverse; kNone: there is none
    bool always = false, never = false;       // its across variable is in every choice, in none
    bool both = false, neither = false;  // its two variables are in every choice, in none: nullator, norator
    bool branch = false;                 // its across variable is in the best choice with one of every edge
  };
  const std::vector<Edge>& edge() const { return edge_; }
  /// Weights far below a degree, by variable, that decide between equals. A variable that is a choice only
  /// together with the other one of its edge is less wanted: so T = T' where possible. Equations that switch
  /// between modes (`if`) should not be solved for their highest derivative, which one of the modes may lack.
  const std::vector<int32_t>& wishes() const { return wishes_; }
  void MarkSwitching();
  /// A variable that its equations are nonlinear in is less wanted: s = r*sin(phi) is solved for s.
  void MarkNonlinear(const std::vector<uint32_t>& columns);

 private:
  struct Point {
    std::vector<uint64_t> matrix;  // edges x 2*edges: F at s, internal variables eliminated
    uint64_t factor = 1;           // what the elimination took out of the determinant
  };
  void Evaluate(const GroupEquations& equations);
  bool EliminateInternals(const GroupEquations& equations, uint64_t s, Point* point) const;
  void Tabulate();
  int32_t Degree(std::span<uint64_t> values) const;
  int32_t ValueBy(std::span<uint64_t> determinants, int32_t orders) const;
  Choice FirstChoice() const;
  void FillFromTable(Exchanges* out) const;
  void FillByElimination(Exchanges* out) const;
  void FindEdges();
  void FindPaired();
  void FindEdgesNearBest();

  uint32_t edges_ = 0;
  bool free_ = false;
  bool by_rank_ = false;               // very large: one point, values are sums of column_order_
  std::vector<int32_t> column_order_;  // by variable: the highest order in its column
  int32_t internal_order_ = 0;         // the sum of those of the internal variables
  std::vector<Point> points_;          // at s, s + 1, ...; emptied once tabulated
  std::vector<uint64_t> inverses_;     // of 1, 2, ...
  std::vector<int32_t> table_;         // by subset as a mask
  Choice best_;
  std::vector<Edge> edge_;
  std::vector<int32_t> wishes_;
  std::map<Choice, Exchanges> known_;
};

/** The groups of an element class. */
struct ElementGroups {
  std::vector<uint32_t> group_of_edge;       // by element edge
  std::vector<uint32_t> place;               // by element edge: its number in its group
  std::vector<std::vector<uint32_t>> edges;  // by group: element edges, ascending
  std::vector<GroupValues> values;           // by group
};

/** Which equations and which variables belong to which group, and their values.

Edges with one ElementEdge::group start together; equations tie what they hold. Equations that a signal or the
time alone decides, and observers, which define something that nothing else needs, do not count
(system_graph/terminal_equations.h has the same rule for whole arrays). */
ElementGroups FindElementGroups(Model& model, const ElementClass& element, const ScalarElement& scalar);
/// One for each element class.
std::vector<ElementGroups> FindGroups(Model& model, const SystemGraph& graph,
                                      const std::vector<ScalarElement>& scalars);
/// The equations of the groups, before they are valued.
std::vector<GroupEquations> FindGroupEquations(Model& model, const ElementClass& element,
                                               const ScalarElement& scalar, ElementGroups* groups);

}  // namespace cotree
