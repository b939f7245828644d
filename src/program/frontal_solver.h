// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cotree {

/** Sparse LU of large systems with much fill, by dense fronts (Duff, Reid, The multifrontal solution of
indefinite sparse symmetric linear systems, ACM TOMS 9, 1983), for matrices whose pivots may stay on the
diagonal: those of implicit steps.

Columns of the pattern of A + A' that have nearly the same rows below the diagonal are one *front*: a small
dense matrix that takes the entries of A and what earlier fronts left for it, is eliminated in vectors, and
leaves the rest to its parent in the elimination tree. Everything but numbers is found once; then nothing is
allocated. Each number is a sum in a fixed order and never contracted: the bits are the same on every machine.

Rows are scaled to their largest entry. A pivot must be a thousandth of its column at least, as with KLU; if
one is not, there are no factors, and whoever asked takes a solver that exchanges rows. */
class FrontalSolver {
 public:
  /// Pattern by compressed columns, rows ascending; an order of elimination with little fill.
  FrontalSolver(const std::vector<int>& first, const std::vector<int>& rows, const int* order);

  /// Values in the order of the pattern. False: pivots must not stay on the diagonal.
  bool Factor(const double* values);
  void Solve(double* right);

 private:
  struct Front {
    uint32_t first, pivots;         // unknowns that it eliminates
    uint32_t below;                 // rows below
    uint32_t padded;                // these, a multiple of the vectors
    size_t rows;                    // where they begin in below_
    size_t block, panel;            // of factors: pivots_, lower_ and upper_
    size_t entries_end;             // of the matrix, in entries_
    size_t children, children_end;  // in child_
    size_t update;                  // where it leaves its rest
  };
  void Order(const std::vector<int>& first, const std::vector<int>& rows);
  void FindFronts(const std::vector<int>& first, const std::vector<int>& rows);
  void PlaceEntries(const std::vector<int>& first, const std::vector<int>& rows);
  void Keep(const Front& front);
  static size_t Stride(const Front& front);

  size_t n_;
  std::vector<int> order_, place_;  // unknown by place of elimination, and back
  std::vector<int> parent_;         // of places, in the elimination tree
  std::vector<Front> fronts_;       // children before parents
  std::vector<uint32_t> below_;     // places
  std::vector<uint32_t> relative_;  // for each of below_: where it stands in the parent's front
  std::vector<uint32_t> child_;
  struct Entry {
    uint32_t value, row, at;  // number of the value, its row, and where it goes in the front
  };
  std::vector<Entry> entries_;
  // Factors of each front: LU of its pivots by columns, L below by columns, U beside by rows.
  std::vector<double> pivots_, lower_, upper_;
  std::vector<double> front_, updates_, scale_, x_, gathered_;
};

}  // namespace cotree
