// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "units/dimension.h"

namespace cotree {

using DimVarId = Id<struct DimVarTag>;

/** Solves for unknown dimensions (DM.3a): equations Π variable_k^c_k = constant, one after the other.

In exponents these are linear equations over the rationals, with the same left side for each base unit and
each generic. A new equation is reduced by all earlier ones at once (DM.4), and so it is either independent of
them, implied by them, or contradicts them; nothing is found out later. An equation that contradicts, or whose
exponents do not fit, is left out; the others go on.

Cost: variables that are equal, or powers of one another times a constant, are classes of a weighted
union-find, so that any number of equations x = y, x = y/s and x = constant takes near-linear time. Equations
that leave three or more unknowns define one by the others; the one that occurs least is taken, and exchanged
later for another that occurs nowhere else, so that chains y[k+1] = gain[k]*y[k] do not fill in. Dense systems
cost what elimination costs. Nothing recurses.

Not determined by the order of memory or hashing: the same calls give the same answers. Which variables count
as free depends on the order of the equations; values and contradictions as such do not (which equation of a
contradicting set is rejected: the last). */
class DimensionSystem {
 public:
  struct Term {
    DimVarId variable;
    Rational exponent = 1;
  };

  enum class Status : uint8_t {
    kNew,            // told something new
    kImplied,        // was known already
    kContradiction,  // cannot hold with the earlier ones; left out
    kTooLarge,       // an exponent does not fit; left out, nothing is known about it
  };

  /// Why a variable of a rejected equation has its value.
  struct Cause {
    DimVarId variable;  // of the rejected equation, in its order
    uint32_t tag;       // the equation that last fixed this variable's class
  };

  struct Outcome {
    Status status = Status::kNew;
    // Only for kContradiction:
    DimensionVector implied;    // what the left side must be, by the earlier equations
    DimensionVector stated;     // what this equation says it is
    std::vector<Cause> causes;  // one for each variable that an earlier equation fixed or expressed;
                                // empty only if the equation contradicts itself (x/x = m)
  };

  /** What is known of a variable: variable = value * Π free_j^c_j. Determined if `free` is empty. */
  struct Answer {
    DimensionVector value;
    std::vector<Term> free;       // ascending; each is free itself: its answer is 1 * itself
    std::optional<uint32_t> tag;  // the equation that last fixed the variable's class, if any
    bool too_large = false;       // an exponent does not fit; the rest is then meaningless

    bool determined() const { return free.empty() && !too_large; }
  };

  DimensionSystem();
  ~DimensionSystem();
  DimensionSystem(DimensionSystem&&) noexcept;
  DimensionSystem& operator=(DimensionSystem&&) noexcept;

  DimVarId AddVariable();
  size_t size() const;

  /// Π variable^exponent = constant. A variable may occur more than once. `tag`, less than UINT32_MAX, names
  /// the equation in later contradictions.
  Outcome AddEquation(std::span<const Term> terms, const DimensionVector& constant, uint32_t tag);
  /// a = b
  Outcome AddEqual(DimVarId a, DimVarId b, uint32_t tag);
  /// a = constant
  Outcome AddValue(DimVarId a, const DimensionVector& constant, uint32_t tag);

  /// Not const: it shortens paths on its way.
  Answer Find(DimVarId variable);
  /// The value, if the variable is determined and fits; cheaper than Find.
  std::optional<DimensionVector> FindValue(DimVarId variable);

 private:
  class Elimination;
  std::unique_ptr<Elimination> elimination_;
};

/// The name of the task for the same thing.
using DimensionSolver = DimensionSystem;

}  // namespace cotree
