// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "system_graph/system_graph.h"

namespace cotree {

/** One scalar of an element class. */
struct ScalarVariable {
  enum class Role : uint8_t {
    kAcross,    // of element edge `index`
    kThrough,   // of element edge `index`
    kVariable,  // continuous variable `index` of the class, array element `element`
    kDiscrete,  // likewise, but it changes at events only (also Booleans, integers, enumerations)
    kInput,     // input slot `index` of the component: another component's variable, or exogenous
    kInner,     // what a composite reads of its parts by path: `inner[index]`
  };
  Role role = Role::kVariable;
  uint32_t index = 0;
  uint32_t element = 0;
  SymbolId symbol;  // of order 0; elements of arrays have symbols of their own, named "x[2]"
};

/** One number of the parameters of a class. */
struct ScalarParameter {
  uint32_t parameter = 0;
  uint32_t element = 0;
  SymbolId symbol;
};

/** A variable in an equation. */
struct ScalarUse {
  uint32_t variable = 0;  // of ScalarElement::variables
  uint32_t order = 0;     // the highest that occurs
};

/** left = right, for scalars; residual = left - right. */
struct ScalarEquation {
  ExprId left, right, residual;
  uint32_t equation = 0;  // of ElementClass::equations, or UINT32_MAX
  uint32_t turn = 0;      // which turn of its loops
  bool initial = false;
  std::vector<ScalarUse> uses;  // continuous variables and inputs, each once, in the order of `variables`
  uint32_t group = UINT32_MAX;  // software: the output group it computes
  /// Foreign code computes it: the right side says only of what it is a function. Derivatives of the states
  /// form one more group behind those of the class.
  bool foreign = false;
};

/** The equations of an element class, scalar by scalar: loops turned out, sums written out, elements of
arrays as variables of their own. Everything later is done with these, once per element class (design §3.1).

The variables a component owns come first: across and through of each element edge (2*k and 2*k + 1), then
its continuous variables, then its discrete ones; inputs and what is read from inside follow and belong to
others. */
struct ScalarElement {
  std::vector<ScalarVariable> variables;
  uint32_t owned = 0;       // variables[0 .. owned) belong to the component
  uint32_t continuous = 0;  // variables[0 .. continuous) are continuous unknowns
  std::vector<ScalarParameter> parameters;
  std::vector<ScalarEquation> equations;  // those that hold always, then those of the beginning
  uint32_t always = 0;                    // how many hold always
  struct Inner {
    SymbolId symbol;                // of order 0, as the composite names it: "motor.armature.i"
    std::vector<uint32_t> indices;  // of the arrays on the way and of the variable itself, from 1
  };
  std::vector<Inner> inner;
  ExprId energy, loss;        // scalar; none where not declared
  std::vector<ExprId> power;  // into each element edge
  /** What events need, collected; scalar. */
  struct When {
    ExprId condition;
    bool is_elsewhen = false, stops = false;
    std::string stop_reason;
    struct Action {
      uint32_t variable;
      uint32_t order;
      ExprId value;
      bool reinit;
    };
    std::vector<Action> actions;
    Origin origin;
  };
  std::vector<When> whens;  // those of a sampled component included
  std::vector<std::pair<ExprId, std::string>> assertions;
  std::vector<ExprId> held;  // conditions of equations, `when`s and assertions that are held between events, sorted
  /// What conditions, `when`s, assertions and values from before (pre, delay) read, with the highest order.
  std::vector<ScalarUse> event_uses;
  /** A start value of the class itself. */
  struct Start {
    uint32_t variable, order;
    ExprId value;
    bool fixed;
    StateWish wish = StateWish::kNone;
    bool given = true;  // false: only the wish was said, no value
  };
  std::vector<Start> starts;
  std::string refused;  // why it cannot be made scalar; empty: it could
};

ScalarElement MakeScalar(Model& model, const ElementClass& element);
/// One for each element class of the graph.
std::vector<ScalarElement> MakeScalars(Model& model, const SystemGraph& graph);

/// "load.w", "motor.armature.i", "pid.x[2]": a variable of a component with its derivative order, as the
/// user would write it; `der(...)` around it where the order has no name.
std::string ScalarName(const Model& model, const SystemGraph& graph, const ScalarElement& scalar,
                       ComponentId component, uint32_t variable, uint32_t order);

}  // namespace cotree
