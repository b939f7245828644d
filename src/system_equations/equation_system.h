// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mechanics/motion_equations.h"
#include "normal_tree/normal_tree.h"
#include "system_graph/parameter_table.h"
#include "system_graph/scalar_element.h"

namespace cotree {

/** A variable of the whole system with a derivative order. */
struct VariableRef {
  uint32_t variable = UINT32_MAX;
  uint32_t order = 0;
};

/** What owns variables and equations: a component, or something the system adds (an association). Its
equations are those of a scalar class; its variables are numbered on from first_variable, its equations from
first_equation; variables of others come through bindings. */
struct Part {
  uint32_t scalar = 0;     // in EquationSystem::scalars
  uint32_t component = 0;  // whose parameters it sees
  uint32_t first_variable = 0;
  uint32_t first_equation = 0;
  uint32_t first_binding = 0;
};

/** What the value of a topological row means, for people. */
enum class RowKind : uint8_t { kCircuit, kCutSet, kSegment, kLink };

/** defined = sum of sign * variable^(order): circuits (across variables of chords), cut-sets (through
variables of branches), sums shared by several of them, and links of composites' signals. */
struct RowEntry {
  uint32_t variable;
  int8_t sign;
  uint8_t order;
};

/** All equations of a system, flat: terminal and signal equations of parts, then topological rows
(docs/theory/system_equations.md, SE.1 to SE.3, SE.2a, SE.3b, SE.6,
SE.7). Symbols stay with the classes; here are integers only.

Unknowns are numbered part by part, then sums. The defined variable of a row is one of an edge (secondary), or
a sum. Each equation has its variables with the highest order in which they occur: `Incidence`. */
struct EquationSystem {
  Model* model = nullptr;
  const SystemGraph* graph = nullptr;
  const NormalTree* tree = nullptr;
  std::vector<ScalarElement> scalars;  // of the elements, then those added
  ParameterTable parameters;
  LargeVector<Part> parts;
  LargeVector<VariableRef> bindings;
  uint32_t part_variables = 0;  // variables of parts; sums follow
  uint32_t part_equations = 0;  // equations of parts; rows follow
  uint32_t variable_count = 0;

  LargeVector<uint32_t> row_first;    // by row, + 1
  LargeVector<uint32_t> row_defined;  // by row
  LargeVector<RowKind> row_kind;
  LargeVector<RowEntry> row_entries;

  std::vector<VariableRef> inputs;  // free inputs: known, and so are their derivatives
  std::vector<std::string> input_names;
  std::vector<bool> is_input;  // by variable; empty: none

  std::vector<VariableRef>
      wanted;  // orders that must be computed though no equation needs them: rates to be shown

  // Variable and highest order of each equation, rows included.
  LargeVector<uint32_t> incidence_first;
  LargeVector<uint32_t> incidence_variable;
  LargeVector<uint8_t> incidence_order;

  bool in_space = false;               // it has equations of motion
  double space_length = 0;             // m, of its rigid bodies: from their own frame to the farthest
  std::vector<uint32_t> motion_homes;  // of the variables of these: the component they belong to
  /** A variable that is 0 in every motion (MotionInvariant). */
  struct Invariant {
    uint32_t variable;
    uint32_t multiplier;  // variable; none: nothing holds it
    std::string loop;     // "`crank`, `rod`, `slider`"; empty: it belongs to none
    bool projected;
    uint32_t order = 0;           // of the variable
    uint32_t below = UINT32_MAX;  // of `invariants`: whose rate it is
  };
  std::vector<Invariant> invariants;

  /** A constraint that chooses no dependent variables (docs/theory/block_triangular.md, BT.9): all that it
  ties together are states. It and its lower derivatives, `times` in number, give `remainder`, left - right,
  in orders 0 ... times - 1, which projection holds at 0. In the derivatives above the remainder counts as 0.
*/
  struct KeptConstraint {
    uint32_t equation, remainder, times;
  };
  // Their remainders are the last variables, in this order.
  std::vector<KeptConstraint> kept_constraints;

  /** What is said of variables that may be states: above 0 wanted, the larger the more; below 0 avoided. */
  std::vector<std::pair<uint32_t, int>> state_wishes;

  /** Equations that were replaced by a combination of several (see ReplaceEquation). */
  std::vector<Part> extra_parts;
  std::unordered_map<uint32_t, uint32_t> replaced;  // equation -> extra part, whose only equation it now is

  /** Where the text of an equation stands: an equation of a part's class, or (part null) a row. */
  struct Source {
    const Part* part;
    uint32_t local;  // equation of the class, or the row
  };
  /** Equations that hold at the beginning only. They are numbered on from equation_count(), and are no
  equations of the system. */
  struct InitialEquation {
    uint32_t part, local;
  };
  std::vector<InitialEquation> initial;
  Source SourceOf(uint32_t equation) const {
    if (!replaced.empty()) {
      const auto at = replaced.find(equation);
      if (at != replaced.end()) return {&extra_parts[at->second], 0};
    }
    if (equation >= equation_count()) {
      const InitialEquation& at = initial[equation - equation_count()];
      return {&parts[at.part], at.local};
    }
    if (equation >= part_equations) return {nullptr, equation - part_equations};
    const Part& part = parts[PartOfEquation(equation)];
    return {&part, equation - part.first_equation};
  }

  uint32_t equation_count() const { return part_equations + static_cast<uint32_t>(row_defined.size()); }
  uint32_t PartOfVariable(uint32_t variable) const;
  uint32_t PartOfEquation(uint32_t equation) const;
  /// The component that a variable belongs to, also where the system added it; UINT32_MAX: none, it is a sum.
  uint32_t HomeOfVariable(uint32_t variable) const;
  bool IsRow(uint32_t equation) const {
    return equation >= part_equations && equation < equation_count() &&
           (replaced.empty() || replaced.count(equation) == 0);
  }
  /// The variable of the system that a local variable of a part is, with the order added.
  VariableRef Resolve(const Part& part, uint32_t local) const {
    const ScalarElement& scalar = scalars[part.scalar];
    if (local < scalar.owned) return {part.first_variable + local, 0};
    return bindings[part.first_binding + (local - scalar.owned)];
  }
  /// Whether it is what a kept constraint leaves.
  bool IsRemainder(uint32_t variable) const {
    return !kept_constraints.empty() && variable >= kept_constraints.front().remainder;
  }
  /// Whether it is an intermediate result of the equations of motion, of no interest in results.
  bool IsInner(uint32_t variable) const;
  std::string VariableName(uint32_t variable, uint32_t order = 0) const;
  /// "R.v = R.R*R.i", in the names of the system; with `differentiations` the derivative.
  std::string EquationText(uint32_t equation, uint32_t differentiations = 0) const;
  /// "resistor R", "circuit of R": where an equation comes from.
  std::string EquationOrigin(uint32_t equation) const;
};

/// Fills the incidence arrays anew.
void FindIncidence(EquationSystem& system);

/** A term of a combination: factor * equation, differentiated. */
struct CombinationTerm {
  uint32_t equation;
  uint32_t times;
  double factor;
};

/// What became of a combination of equations: kSaysNothing is 0 = 0, kContradicts a number or a function of
/// time that should be 0; nothing was changed then.
enum class Combined : uint8_t { kReplaced, kSaysNothing, kContradicts };

/// Puts the combination of some equations in the place of one of them, the first: at the present numbers of
/// the parameters the highest orders of `cancelled` drop out of it (docs/theory/block_triangular.md).
Combined ReplaceEquation(EquationSystem& system, std::span<const CombinationTerm> terms,
                         std::span<const VariableRef> cancelled);

/// The coefficients of an equation by variable and order, where all are numbers; empty: it is not of that
/// kind.
std::map<std::pair<uint32_t, uint32_t>, double> LinearNumbers(EquationSystem& system, uint32_t equation);

/** Gives equations remainders (KeptConstraint), to be held at 0 up to so many differentiations. Those of one
class stay equations of one class. */
class ConstraintKeeper {
 public:
  explicit ConstraintKeeper(EquationSystem& system) : system_(system) {}
  /// False: it stays as it is, since foreign code computes it or a condition of events stands in it.
  bool Keep(uint32_t equation, uint32_t times);

 private:
  uint32_t ScalarOf(const Part& from, uint32_t local);
  EquationSystem& system_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> scalars_;  // by class and equation: with a remainder
};

/// Puts `variable = 0` in the place of an equation that follows from others.
void ReleaseEquation(EquationSystem& system, uint32_t equation, VariableRef variable);

/** An input or output that follows data instead of what drives it. */
struct MeasuredInput {
  std::string input;                // "V.u", "V_u.y"
  std::vector<std::string> tables;  // names of tables of the model over time: it is their sum
};

/** A variable whose motion is given: an equation more. */
struct PrescribedMotion {
  std::string variable;  // "pitch.phi"
  ExprId value;          // of time and the parameters of the system
};

struct EquationOptions {
  std::vector<PrescribedMotion> prescribed;
  std::vector<std::string> freed;  // inputs that become unknowns
  /// Names of inputs or outputs ("V.u", "V_u.y") that become free inputs of the system.
  std::vector<std::string> free_inputs;
  std::vector<MeasuredInput> measured;
  /// Rows are shared by sums where their total length would exceed this many times the edges (design §3.2).
  double longest_rows = 8;
  bool own_parameters = false;              // each component has its numbers for itself (ParameterTable)
  const MotionEquations* motion = nullptr;  // of what moves in space; none: nothing does
};

/// Nothing is reported here: what cannot be resolved (a name in free_inputs or measured) is listed in
/// `problems`.
EquationSystem BuildEquations(Model& model, const SystemGraph& graph, std::vector<ScalarElement> scalars,
                              const NormalTree& tree, const EquationOptions& options,
                              std::vector<std::string>* problems);

/** Finds components and variables by the names people write. Built once, then logarithmic. */
class NameFinder {
 public:
  NameFinder(const Model& model, const SystemGraph& graph);
  /// "rack.drive[3].motor"; empty for the system; none if there is no such component.
  ComponentId FindComponent(std::string_view path) const;
  /// The component with the longest prefix of the path, and what is left of it.
  std::pair<ComponentId, std::string_view> FindLongest(std::string_view path) const;
  /// The first component of an instance of a composite.
  uint32_t FirstOf(ComponentId composite, uint32_t instance) const;
  /// What a symbol of a composite's expressions means, indices (from 1) consumed along the path: a component
  /// and what is left of the name.
  std::pair<ComponentId, std::string_view> FollowSymbol(ComponentId composite, std::string_view path,
                                                        std::span<const uint32_t> indices,
                                                        size_t* used) const;

 private:
  const Model& model_;
  const SystemGraph& graph_;
  std::vector<std::pair<uint64_t, uint32_t>> first_;  // (parent << 32 | instance) -> component, sorted
};

/// A variable by its name: "load.w", "motor.armature.i", "pid.x[2]", "der(pid.x)"; none if unknown.
VariableRef FindVariable(const EquationSystem& system, const NameFinder& names, std::string_view name);

/// The single variables that a name means: all elements of arrays without an index, `c.v`, or of a slice,
/// `c[2:3].v`; the name itself where it is no array.
std::vector<std::string> ElementNames(const EquationSystem& system, const NameFinder& names,
                                      std::string_view name);

}  // namespace cotree
