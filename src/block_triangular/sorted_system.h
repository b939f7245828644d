// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "block_triangular/derived_equations.h"
#include "block_triangular/offsets.h"
#include "system_equations/equation_system.h"

namespace cotree {

/** An equation of the sorted system: equation of the EquationSystem, differentiated so many times. */
struct SortedEquation {
  uint32_t equation;
  uint32_t times;
};

/** Storage that is no state, or anything else a user should know about the choice of states. */
struct StateNote {
  VariableRef variable;  // what is not a state though it is differentiated
};

/** The equations of a system in the order of computation (docs/theory/block_triangular.md, BT.3,
BT.4; cost: BT.8).

Every variable j has slots for its orders 0 ... d_j. A slot is a state (known, integrated: its derivative is
the next slot), or an unknown, or a free input. Equations are those of the system with their derivatives up to
c_i; matched with the unknown slots; blocks are strong components, each after those it needs. */
struct SortedSystem {
  const EquationSystem* system = nullptr;
  std::shared_ptr<DerivedEquations> derived;
  Offsets offsets;

  LargeVector<uint32_t> first_slot;      // by variable, + 1
  LargeVector<uint8_t> removed;          // r_j: orders d_j - r_j ... d_j are unknowns, lower ones states
  std::vector<VariableRef> states;       // in the order of variables, then orders
  LargeVector<uint32_t> first_equation;  // by equation: its first sorted equation, + 1
  LargeVector<SortedEquation> equations;
  LargeVector<uint32_t> slot_of_equation;  // the matching
  LargeVector<uint32_t> equation_of_slot;  // UINT32_MAX for states, inputs, discrete variables

  LargeVector<uint32_t> block_first;      // by block, + 1
  LargeVector<uint32_t> block_equations;  // sorted equations, block by block, in the order of computation

  std::vector<VariableRef> dependent;  // orders that would be states but follow from others
  bool singular = false;               // see offsets
  /// An equation with a delay that would have to be differentiated without end; UINT32_MAX: none.
  uint32_t endless_delay = UINT32_MAX;

  size_t blocks() const { return block_first.empty() ? 0 : block_first.size() - 1; }
  std::span<const uint32_t> Block(size_t b) const {
    return std::span(block_equations).subspan(block_first[b], block_first[b + 1] - block_first[b]);
  }
  uint32_t slots() const { return first_slot.back(); }
  uint32_t Slot(VariableRef ref) const { return first_slot[ref.variable] + ref.order; }
  bool HasSlot(VariableRef ref) const {
    return ref.variable != UINT32_MAX && Slot(ref) < first_slot[ref.variable + 1];
  }
  VariableRef OfSlot(uint32_t slot) const;
  bool IsState(VariableRef ref) const {
    return ref.order + removed[ref.variable] < offsets.variable[ref.variable];
  }
  std::string SlotName(uint32_t slot) const;
  std::string EquationText(uint32_t sorted) const;

  /// f(variable, order, sign or 0): everything that occurs in a sorted equation, the same one perhaps twice.
  template <class F>
  void OverUses(uint32_t sorted, F&& f) const {
    const SortedEquation& e = equations[sorted];
    const EquationSystem::Source source = system->SourceOf(e.equation);
    if (source.part == nullptr) {
      const uint32_t row = source.local;
      f(system->row_defined[row], e.times);
      for (uint32_t k = system->row_first[row]; k < system->row_first[row + 1]; ++k) {
        const RowEntry& entry = system->row_entries[k];
        f(entry.variable, entry.order + e.times);
      }
      return;
    }
    OverUsesOf(*source.part, source.local, e.times, f);
  }
  template <class F>
  void OverUsesOf(const Part& part, uint32_t local, uint32_t times, F&& f) const {
    for (const ScalarUse& use : derived->Get(part.scalar, local, times).uses) {
      const VariableRef ref = system->Resolve(part, use.variable);
      if (ref.variable != UINT32_MAX) f(ref.variable, ref.order + use.order);
    }
  }
};

SortedSystem SortEquations(const EquationSystem& system);

/// Fills the blocks from the matching.
void FindBlocks(SortedSystem& sorted);

}  // namespace cotree
