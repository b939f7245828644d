// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "linear_algebra/matrix.h"
#include "mechanics/motion_equations.h"

namespace cotree {

/// By column: whether it follows from the others, where all rows times the columns' values are given. Those
/// with the lower `rank` are made to follow first; of equal ones that with the largest part across those
/// chosen.
std::vector<bool> FindDependent(Matrix rows, const std::vector<int>& rank);

/** Closes the loops of a mechanism: finds positions near given ones, by Gauss-Newton steps of least length.

Readings are numbered as those of the main part of the equations of motion.

Theory: docs/theory/mechanics.md, ME.10. */
class LoopSolver {
 public:
  static constexpr double kClosed = 1e-10;

  LoopSolver(ExprPool& pool, const MotionEquations& motion);
  ~LoopSolver();

  double& reading(uint32_t number);
  /// What a symbol of the equations of motion had at the last positions, everything at rest.
  double ValueOf(SymbolId symbol) const;
  /// Moves the freedoms that are not held (by freedom; empty: none is) until the loops are closed; what is
  /// left of the gaps, or infinity.
  double Close(const std::vector<bool>& held);
  /// Moves all freedoms, velocities times a time.
  void Move(std::span<const double> step);
  /// What is left of the gaps at the present positions, or infinity.
  double Gap();
  /// Of the last positions.
  size_t WorstRow() const;
  const Matrix& Jacobian() const;
  /// What each row lacks at the last positions.
  const std::vector<double>& Gaps() const;
  /// The coordinates of chords (MotionEquations::measures) at the last positions, and their derivatives by
  /// the freedoms.
  const std::vector<double>& Measures() const;
  const Matrix& MeasureJacobian() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cotree
