// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/archive.h"
#include "simulation/simulate.h"

namespace cotree {

/// The least unit of errors for methods with differences where loops are closed: differences of projected
/// states carry their rounding, 1e-15 of the largest of a kind, some thirty times.
constexpr double kLeastProjectedUnit = 5e-13;
/// Where loops are closed, these methods hold errors to this part of what others do: what single steps leave
/// adds up to hundreds of tolerances otherwise (evidence/integrators_on_loops.py).
constexpr double kOfLoops = 0.05;

/// By state: turns, their rates, places and speeds of what moves in space (0 to 3), or none of these (4).
std::vector<uint8_t> StateKinds(const Program& program);

/** How large the error of each state may be in a step: relative to the largest it has been, so that what
passes through zero is not asked for digits it has not. A start value tells the size to be expected, so that
picocoulombs are not taken for zero. Coordinates of a mechanism belong together: one that stays zero while
others of its kind move (a motion in one plane) has only their rounding to show, and is measured against them.

Theory: docs/theory/numerics.md, NU.4: (NU.4a), (NU.4b). */
class ErrorScale {
 public:
  /// `slots`: what the states are.
  ErrorScale(const Program& program, const SimulationOptions& options, std::vector<uint32_t> slots);
  /// At a restart, with the states there.
  void Take(const double* y);
  /// After a step.
  void Remember(const double* y);
  void Exchange(Archive& archive);
  /// The sizes that another method found, of the states that both have.
  void TakeSizesOf(const ErrorScale& other);

  /// An error e of state k at value y counts e / (unit() * max(|y|, floor()[k])); their root mean square is
  /// to be below 1.
  double unit() const { return unit_; }
  const double* floor() const { return floor_.data(); }

 private:
  void FindFloor();
  // Errors of single steps add up over a run: they are held to a part of the tolerance that is asked for.
  static constexpr double kSafety = 0.1;
  static constexpr double kOfItsKind = 1e-2;  // of the largest of its kind: smaller is rounding
  // Of the length of the bodies, and of that by the largest rate of turn: bodies that only turn have places
  // and speeds of rounding.
  static constexpr double kOfLength = 1e-4;
  enum Group : uint8_t { kTurns, kTurnRates, kPlaces, kSpeeds, kNoGroup };

  std::vector<uint32_t> slots_;
  std::vector<std::pair<uint32_t, double>> scales_;
  double unit_;
  std::vector<double> largest_, least_, floor_;
  double length_ = 0;               // of the bodies of a mechanism
  std::vector<uint8_t> group_;      // by state; empty: nothing moves in space
  std::vector<bool> of_free_body_;  // by state: a place or a speed of a body, not of a joint's slide
};

}  // namespace cotree
