// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "block_triangular/sorted_system.h"

namespace cotree {

/** A letter of the printed equations. */
struct ReadableSymbol {
  enum class Role : uint8_t { kState, kInput, kParameter, kDefined, kDiscrete };
  ExprId symbol;
  std::string name;       // short: "i_a"; unique among the symbols of a StateSpace
  std::string path;       // "motor.armature.i"
  std::string component;  // "motor"; empty: the system itself
  std::string unit;       // SI; empty: none
  Role role = Role::kDefined;
  double value = 0;            // of a parameter
  uint32_t slot = UINT32_MAX;  // of the sorted system; none: a parameter, a determinant
};

/** left = right, where left is a symbol, or the derivative of one. */
struct ReadableEquation {
  ExprId symbol;  // of a ReadableSymbol
  ExprId right;
  std::string component;  // that of the symbol
};

/** Equations that hold together and are solved at each evaluation: matrix * unknowns = right where they are
linear, otherwise residuals = 0. */
struct ReadableGroup {
  std::vector<ExprId> unknowns;
  bool linear = false;
  bool is_motion = false;  // equations of motion: the matrix is that of masses
  /// Of equations of motion: row i < freedoms is that of unknown i, an acceleration; the others are
  /// conditions of loops, their unknowns the multipliers: M q'' + V + G = Q + J' lambda, J q'' = gamma. 0:
  /// rows and unknowns are in no such order.
  uint32_t freedoms = 0;
  std::vector<std::string> row_names;       // of these rows: joints, loops
  std::string network;                      // "Mesh currents", "Node voltages"; empty: none of these
  std::vector<std::string> loops;           // by condition, the joints around it: "`crank`, `rod`"
  std::vector<std::vector<ExprId>> matrix;  // if linear
  std::vector<ExprId> right;                // if linear
  /// Of equations of motion, taken out of the right side: M q'' + coriolis + gravity = right. Empty: they
  /// could not be told apart.
  std::vector<ExprId> coriolis, gravity;
  std::vector<ExprId> residuals;  // otherwise
  std::string component;
};

/** Definitions and groups come in the order in which they are computed. */
struct ReadableStep {
  bool is_group = false;
  uint32_t index = 0;  // of `definitions` or `groups`
};

/** x' = f(x, u), y = g(x, u), as one would write it (docs/theory/closed_forms.md, CF.6 to CF.9). All
expressions are in the model's pool, over the symbols listed here, named by their paths: RenameAll turns them
into short names. */
struct StateSpace {
  std::vector<ReadableSymbol> symbols;  // states, inputs, what is defined, discrete ones, parameters
  std::vector<ReadableEquation> definitions;
  std::vector<ReadableGroup> groups;
  std::vector<ReadableStep> steps;
  std::vector<ReadableEquation> derivatives;  // by state, in the order of the system
  std::vector<ReadableEquation> outputs;
  /// Symbols that are nothing but the derivative of a state (alpha of w): by both symbols.
  std::vector<std::pair<ExprId, ExprId>> rates;
  std::vector<std::string> notes;  // what was asked for and could not be had, and why
  uint32_t eliminated = 0;         // unknowns of the sorted system that do not appear any more
  bool linear = false;  // every derivative and output is linear in states and inputs, nothing else occurs

  const ReadableSymbol* Find(ExprId symbol) const;
};

/** Which parameters stay letters. Usually those that are not 0, nor 1 or -1 without a unit; all: those that
are not 0 (a zero is structure, design §3.9); otherwise those that are named. Conditions on parameters alone
are always decided.
*/
struct SymbolChoice {
  enum class Kind : uint8_t { kUsual, kAll, kListed, kNone } kind = Kind::kUsual;
  std::vector<std::string> names;  // of kListed: paths, or components
};

struct StateSpaceOptions {
  SymbolChoice symbols;
  std::vector<VariableRef> outputs;
  std::vector<std::string> output_names;
  bool solve_motion = false;  // accelerations as fractions instead of M q'' = Q
  /// Joints whose equations of motion are written as one (motion_chains.h).
  std::vector<std::vector<ComponentId>> chains;
  bool expand = false;      // every fraction as one sum over one sum
  bool inline_all = false;  // no definitions: everything is put in
  /// What remains unknown where equations hold together: across variables (voltages) or through variables
  /// (currents) rather.
  enum class Prefer : uint8_t { kNothing, kAcross, kThrough } prefer = Prefer::kNothing;
  std::string prefer_domain;  // of which domain; empty: of all
};

StateSpace FindStateSpace(const SortedSystem& sorted, const StateSpaceOptions& options);

/// A letter that is no name of the model: itself, or with a subscript. "M", "M_q".
std::string FreeLetter(const StateSpace& space, const std::string& letter);

/// Gives every symbol the shortest name that is unique among them (CF.9).
void ChooseNames(StateSpace& space);

/// The expression in short names; what is the derivative of a state is written so.
ExprId Renamed(ExprPool& pool, const StateSpace& space, ExprId expr);
std::vector<ExprId> Renamed(ExprPool& pool, const StateSpace& space, std::span<const ExprId> exprs);

}  // namespace cotree
