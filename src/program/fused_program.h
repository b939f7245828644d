// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace cotree {

/** Where an operand of a run stands: in one of the arrays of an evaluation, for all instances the same place,
one place after the other, or through a table of places. */
struct Operand {
  enum class Base : uint8_t { kStates, kDerivatives, kWork, kConstants, kScratch } base = Base::kWork;
  enum class Kind : uint8_t { kUniform, kContiguous, kIndexed } kind = Kind::kUniform;
  uint32_t at = 0;      // the first place; of kIndexed: where its places begin in FusedProgram::places
  uint32_t offset = 0;  // of kIndexed: places behind the one of the table
};

/** Code that was put together from the equations on the way to a result: instruction kLoad a reads leaf a,
kParameter a the parameter a. One result, or several of a Jacobian. */
struct FusedKernel {
  Code code;
  uint32_t leaves = 0, parameters = 0;
};

/** The same code for many instances. Operands stand in FusedProgram::operands: leaves, parameters, then one
target for each result.

Rows: the places of one instance stand beside each other, `width` of them, and several operands may share one,
each at its offset (docs/theory/program.md, PR.16). Otherwise (width 1) each operand has a column of its own.
*/
struct FusedRun {
  uint32_t kernel = 0;
  uint32_t count = 0;
  uint32_t first_operand = 0;
  bool sequential = false;  // instances read what those before them wrote
  bool rows = false;
  uint32_t width = 1;
  uint32_t first_place = 0;    // of rows
  uint32_t home = UINT32_MAX;  // the component whose equations it computes; none: several
};

/** What an evaluation is made of. */
struct FusedStep {
  enum class Kind : uint8_t { kRun, kBlock, kForeign } kind;
  uint32_t index;
};

/** A part of a program that computes some slots and nothing else, with as little traffic as possible: each
kernel goes from states straight to a result, through all explicit equations in between. What several read
and is dear to compute is kept; implicit blocks and foreign code stay what they are. The operations and their
order are those of the program, so the bits are the same.

Without blocks and foreign code (`compact`) it has an array of its own for what it keeps, and states in an
order in which neighbours of one kernel stand beside each other; otherwise that array is the values of the
run, by slot.

Theory: docs/theory/program.md, PR.10. */
struct FusedProgram {
  const Program* program = nullptr;
  std::vector<FusedKernel> kernels;
  std::vector<FusedRun> runs;
  std::vector<FusedStep> steps;
  std::vector<Operand> operands;
  LargeVector<uint32_t> places;
  LargeVector<double> constants;                      // values of parameters
  std::vector<uint32_t> states;                       // in the order of this program: numbers of states
  std::vector<uint32_t> state_slots;                  // likewise
  std::vector<std::pair<uint32_t, uint32_t>> copies;  // slot, place: what is taken over into `work` first
  size_t work = 0;                                    // places of the array for what is kept
  size_t scratch = 0;  // places of the array for what straight-line code hands on
  bool compact = true;
  bool complete = true;  // false: what was asked for is too large for it (Jacobians)

  /// Where an operand of an instance stands in its array.
  uint32_t PlaceOf(const FusedRun& run, const Operand& operand, uint32_t instance) const {
    return PlaceOf(operand, instance, run.width);
  }
  uint32_t PlaceOf(const Operand& operand, uint32_t instance, uint32_t width = 1) const {
    switch (operand.kind) {
      case Operand::Kind::kUniform:
        return operand.at;
      case Operand::Kind::kContiguous:
        return operand.at + instance;
      default:
        return places[operand.at + instance * width] + operand.offset;
    }
  }
  size_t instructions() const;
  /// Bytes of code and tables: code does not grow with the number of instances.
  size_t code_bytes() const;
  size_t table_bytes() const;
};

/// What computes the derivatives of all states.
FusedProgram FuseDerivatives(const Program& program);
/// What computes some slots, in the order of states of `like`: result k is derivative k.
FusedProgram FuseSlots(const Program& program, std::span<const uint32_t> slots, const FusedProgram& like);

/** The Jacobian of the derivatives by the states, entry by entry straight into the values of a sparse matrix:
result k of an evaluation is the entry k. By columns, rows ascending, with the whole diagonal. Entries that
parameters alone decide are not computed again: evaluations write into a copy of `values`. */
struct FusedJacobian {
  FusedProgram program;          // of the entries that change
  std::vector<int> first, rows;  // compressed columns, in the order of states of the program
  std::vector<double> values;    // of all entries: those that never change, else 0
};
/// Where derivatives depend on states through explicit equations only, and these are not too long; otherwise
/// not complete.
FusedJacobian FuseJacobian(const Program& program, const FusedProgram& derivatives);

}  // namespace cotree
