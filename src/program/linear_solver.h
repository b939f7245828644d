// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace cotree {

/** Solves square systems of a fixed pattern again and again: dense LU with partial pivoting up to 32
unknowns, KLU above (design §3.5). Rows are scaled to their largest entry first. Of patterns by columns those
with much fill are factored by dense fronts while pivots may stay on the diagonal (frontal_solver.h). */
class LinearSolver {
 public:
  static constexpr size_t kDense = 32;

  /// Pattern by rows: the columns of each row, possibly repeated (repeated entries add up).
  LinearSolver(size_t size, std::span<const std::vector<uint32_t>> rows);
  /// Pattern by compressed columns, rows ascending: KLU at any size.
  LinearSolver(std::vector<int> first, std::vector<int> rows);
  ~LinearSolver();
  LinearSolver(LinearSolver&&) noexcept;

  /// Values row by row in the order of the pattern. False: singular to working precision; `worst_pivot` then
  /// says how small the smallest pivot was relative to its column, `weak_column` which.
  bool Factor(std::span<const double> values);
  /// The same for a pattern by columns: values in its order.
  bool FactorColumns(std::span<const double> values);
  void Solve(std::span<double> right) const;
  /// Where Factor says singular: Solve gives the solution of least size, if there is one (two brakes that
  /// hold one shaft share the torque). False: too large for it.
  bool FactorLeastNorm(std::span<const double> values);
  /// Behind it: how many of the unknowns the equations leave free.
  size_t free_unknowns() const;
  /// Behind it: whether all solutions have the same value of an unknown.
  bool Determines(size_t column) const;
  /// Behind it: of the solutions that differ from this one by what the equations leave free, the least.
  void MakeLeast(std::span<double> solution) const;

  /** sign * exp(log): the determinant of what was factored last. */
  struct Determinant {
    int sign = 0;  // 0: singular, or not factored
    double log = 0;
  };
  Determinant FindDeterminant() const;

  /// The next Factor chooses its pivots as if it were the first.
  void Forget();
  double smallest_pivot() const { return smallest_pivot_; }
  size_t weak_column() const { return weak_column_; }
  size_t size() const { return size_; }
  bool factored() const { return factored_; }
  /// Factors cost much more than a solution.
  bool has_much_fill() const;

 private:
  struct Sparse;
  struct LeastNorm;
  bool FactorDense(std::span<const double> values);
  bool FactorSparse(std::span<const double> values);
  bool FactorKlu(const double* values);

  size_t size_;
  std::vector<uint32_t> row_, column_;  // of each value
  std::vector<double> lu_, scale_;
  mutable std::vector<double> scratch_;
  std::vector<uint32_t> order_;
  std::unique_ptr<Sparse> sparse_;
  std::unique_ptr<LeastNorm> least_norm_;  // while it is in force
  double smallest_pivot_ = 0;
  size_t weak_column_ = 0;
  bool factored_ = false;
};

}  // namespace cotree
