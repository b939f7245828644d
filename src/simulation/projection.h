// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "program/run_program.h"
#include "simulation/simulate.h"

namespace cotree {

/** What must be zero in every motion, as projection and jumps see it. */
struct HeldAtZero {
  std::vector<uint32_t> slots;
  std::vector<uint32_t> below;  // by slot: the place of the one whose rate it is; UINT32_MAX: of none
  JacobianPattern pattern;      // by states

  explicit HeldAtZero(const Program& program);
  /// Whether an invariant is met by moving a state: a rate is met by what only it reads, not by positions.
  bool IsMovedBy(uint32_t place, uint32_t state) const;
};

/** Puts states back where the invariants of a system vanish (docs/theory/mechanics.md, ME.8).

Loops of mechanisms are held by accelerations; the errors of single steps let them drift. After each step the
nearest states (least squares) with all gaps and rates zero are found: Newton's method with the Jacobian of
the invariants by tangents, which is kept from step to step as long as it converges well. The motion itself
satisfies the invariants, so that an order of accuracy is not lost.

It also watches the matrix in which multipliers are found: where its determinant passes zero, the conditions
of a loop depend on each other there. Near such a position the conditions may give way by next to nothing.

Theory: docs/theory/numerics.md, NU.8 (NU.8a). */
class Projection {
 public:
  Projection(ProgramRun& run, const Program& program);
  ~Projection();

  /// Nothing is to be held at zero.
  bool empty() const { return slots_.empty(); }
  /// Changes `states` to the nearest at which invariants vanish; false: nothing can be computed there.
  /// `fine`: with one more turn behind the last that counts, for methods that take differences of states.
  bool Project(double time, double* states, bool fine = false);
  /// What follows depends on the states alone.
  void Forget();
  /// What was noticed, in words.
  std::vector<std::string> Notes();

 private:
  struct Matrix;
  double Size() const;  // of what is off, in units of rounding
  void FillMatrix(double time);
  void FindScales(const std::vector<std::vector<double>>& columns);
  bool Correct(double* states);
  void Watch(double time);
  struct Watched;
  void Say(Watched& watched);

  ProgramRun& run_;
  const Program& program_;
  std::vector<uint32_t> slots_;  // of the invariants
  std::vector<uint8_t> kept_;    // by invariant: whether it is of a kept constraint; empty: none is
  std::vector<double> column_scale_, row_scale_;  // of the matrix
  std::unique_ptr<Matrix> matrix_;
  bool known_ = false;            // the matrix is that of some step before
  std::vector<double> rounding_;  // by invariant: what counts as zero; empty: not known yet
  std::vector<std::string> notes_;
  uint32_t give_ = UINT32_MAX;  // slot: how much loops may give way; none: they never do
  /** A block with multipliers: the square root of its determinant at the last steps. */
  struct Watched {
    uint32_t block;     // implicit block
    std::string loops;  // names
    double largest;     // logarithm
    double times[2] = {0, 0}, roots[2] = {1, 1};
    double seen = INFINITY;  // the least in a dip that came to zero; none: there is no such dip
    double least_time = 0;
    int count = 0;
  };
  std::vector<Watched> watched_;
};

}  // namespace cotree
