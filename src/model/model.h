// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "base/source.h"
#include "expr/expr_pool.h"
#include "language/syntax_tree.h"
#include "model/member_map.h"
#include "units/unit_table.h"

namespace cotree {

using ClassId = Id<struct ClassTag>;
using DomainId = Id<struct DomainTag>;
using QuantityId = Id<struct QuantityTag>;
using EnumerationId = Id<struct EnumerationTag>;
using TableId = Id<struct TableTag>;
using TreeId = Id<struct TreeTag>;

/** A place in the syntax: every product of this stage knows where it came from. */
struct Origin {
  TreeId tree;
  NodeId node;
};

/** Between what a value must lie: `(min = 0 ohm)`, `(above = 0 s, below = 1 s)`, `(nonzero)`. In symbols of
the class's parameters; None: no bound. */
struct Bounds {
  ExprId min, max;      // may be reached
  ExprId above, below;  // may not
  bool nonzero = false;
  bool rising = false;  // of an array: each element is greater than the one before it

  bool Any() const {
    return !min.IsNone() || !max.IsNone() || !above.IsNone() || !below.IsNone() || nonzero || rising;
  }
};

/** A named quantity: `quantity Torque = N*m`. */
struct Quantity {
  NameId name;
  Dimension dimension;
  KindHint kind = KindHint::kNone;  // by its unit
  std::string unit;                 // as declared: "N*m", "rad"
  std::string display;              // the unit people read: "deg"; empty: the same
  double guess = 0;                 // where the search for an unknown of this quantity begins, in SI
  Bounds bounds;                    // numbers; of every parameter and start of this quantity
  Origin origin;
};

struct Enumeration {
  NameId name;
  std::vector<NameId> values;
  Origin origin;
};

enum class BaseType : uint8_t { kReal, kInteger, kBoolean, kString, kEnumeration };

/** The type of a parameter or variable. */
struct Type {
  BaseType base = BaseType::kReal;
  bool declared = false;      // false: no type was written; the dimension is inferred
  DimensionVector dimension;  // over SI and the class's own generics; meaningless if not declared
  QuantityId quantity;        // if the type is one plain quantity
  KindHint kind = KindHint::kNone;
  EnumerationId enumeration;
  std::string unit;  // a text for people, e.g. "V/rad"; with generics "$b/$a"
};

struct Domain {
  NameId name;
  NameId across, rate, acceleration, through;  // rate, acceleration may be None
  Type across_type, through_type;
  Bounds bounds;         // numbers; of the across variable against the reference
  ExprId power;          // in symbols named as the variables
  bool spatial = false;  // `spatial = frames`: its vertices are frames in space (src/mechanics)
  Origin origin;
};

/** Sizes of an array, in symbols of the class's parameters; empty for a single thing. */
using Shape = std::vector<ExprId>;

struct Terminal {
  NameId name;
  DomainId domain;
  Shape shape;
  bool optional = false;
  Origin origin;
};

struct Parameter {
  NameId name;
  Type type;
  Shape shape;
  ExprId value;  // the default; element-wise in the symbols #1, #2, ... if an array; None: must be given
  Bounds bounds;
  std::string display;       // the unit people read; empty: that of the quantity
  bool has_default = false;  // also where the default was wrong and `value` is none
  bool is_public = false, is_final = false;
  SymbolId symbol;
  Origin origin;
};

enum class VariableRole : uint8_t { kInput, kOutput, kVariable, kState, kExogenous };

/** What is said of a variable that may be a state. */
enum class StateWish : uint8_t { kNone, kPrefer, kAvoid };

struct Variable {
  NameId name;
  VariableRole role;
  bool discrete = false;
  Type type;
  Shape shape;
  ExprId start;  // None: no proposal
  Bounds bounds;
  std::string display;  // the unit people read; empty: that of the quantity
  bool fixed = false;
  StateWish wish = StateWish::kNone;
  SymbolId symbol;
  Origin origin;
};

/** An edge of the terminal graph, from terminal `from` to terminal `to` (None: the reference vertex of the
domain). An edge between arrays of terminals is an array of edges. Its variables are symbols `name.v`,
`name.i`. */
struct Edge {
  NameId name;
  uint32_t from = 0;
  std::optional<uint32_t> to;
  DomainId domain;
  Shape shape;
  SymbolId across, through;
  Origin origin;
};

/** A loop around equations or connections: symbol = from, ..., to (step 1). Loops are never unrolled in the
 * model. */
struct Loop {
  SymbolId symbol;
  ExprId from, to;
};

struct LoopRange {
  uint32_t first = 0;
  uint32_t count = 0;
};

struct Equation {
  ExprId left, right;
  LoopRange loops;  // in ComponentClass::loops, outermost first
  bool initial = false;
  Origin origin;
};

/** `when condition { target = value ... reinit(x, value) }`; elsewhen clauses follow their `when` in order.
 */
struct WhenAction {
  ExprId target;  // a symbol, or an element of one
  ExprId value;
  bool reinit = false;
  LoopRange loops;
  Origin origin;
};
struct WhenClause {
  ExprId condition;
  bool is_elsewhen = false;
  std::vector<WhenAction> actions;
  bool stops = false;  // stop("reason"): the run ends here
  std::string stop_reason;
  LoopRange loops;
  Origin origin;
};

struct Assertion {
  ExprId condition;
  std::string message;
  LoopRange loops;
  Origin origin;
};

/** An index or a slice in a path: one element (`to` None), or from ... to by step. */
struct Subscript {
  ExprId from;
  ExprId to;    // None: a single element
  ExprId step;  // None: 1
};

/** An argument of an instance: a value for a parameter of its class. */
struct Argument {
  uint32_t parameter = 0;      // of the instance's class, or, with a path, of the class at the end of it
  uint32_t path = UINT32_MAX;  // in ComponentClass::paths: instances on the way to a public inner parameter
  ExprId value;                // element-wise in #1, ... where per element or for an array parameter
  bool per_element = false;
  uint8_t inner_rank = 0;  // dimensions of `value` that run over arrays of instances on the path
  NodeId node;
};

struct Instance {
  NameId name;
  ClassId class_id;
  uint32_t first_argument = 0;
  uint16_t argument_count = 0;
  bool is_public = false;
  uint32_t shape = UINT32_MAX;  // in ComponentClass::shapes; none: a single component
  uint32_t first_generic =
      UINT32_MAX;  // dimensions found for its class's generics, in ComponentClass::generic_values
  NodeId node;     // the kName of its declaration
};

/** One end of a connection or association. */
struct Endpoint {
  enum class Kind : uint8_t { kTerminal, kGround, kSignal, kOpen };  // kOpen: an end left open on purpose
  Kind kind = Kind::kTerminal;
  uint32_t instance = UINT32_MAX;  // none: the class's own terminal or signal
  uint32_t member =
      0;  // index of terminal or variable in the class of the instance; for kGround, kOpen the DomainId
  ExprId expression;  // kSignal: what is read; for the writing end, the input
  // In ComponentClass::subscripts. For kSignal: the shape of `expression`, in ComponentClass::shapes, which
  // runs over #1, #2, ...; `member_subscripts` is then its number of dimensions (0: a single signal).
  uint32_t first_subscript = 0;
  uint8_t instance_subscripts = 0, member_subscripts = 0;
  NodeId node;
};

struct Connection {
  uint32_t first_endpoint = 0;
  uint32_t endpoint_count = 0;
  bool signal = false;  // the first endpoint drives the others
  LoopRange loops;
  ExprId condition;  // None: always; otherwise over structural parameters
  NodeId node;
};

struct Association {
  Endpoint exogenous;
  ExprId value;  // element-wise in #1, #2, ... for an array
  LoopRange loops;
  ExprId condition;  // as of a Connection
  NodeId node;
};

struct StartValue {
  ExprId
      target;  // symbol or element, of any order (a rate is an order); element-wise in #1, #2, ... for arrays
  ExprId value;       // in the same #1, #2, ...
  Shape shape;        // of the target
  Shape value_shape;  // of the last dimensions of `shape`; empty: one value for all
  bool fixed = false;
  StateWish wish = StateWish::kNone;
  uint32_t instance = UINT32_MAX;  // given among the arguments of this instance
  Origin origin;
};

/** Something about sizes that can be tested only with the numbers of an instance: two sizes are equal, or an
 * index lies within one. */
struct SizeCheck {
  enum class Kind : uint8_t { kEqual, kInRange } kind;
  ExprId value, bound;
  LoopRange loops;
  NodeId node;
  ExprId condition;                  // None: always; the `if`s around it
  uint32_t default_of = UINT32_MAX;  // about the default of this parameter: void where another value is given
  Origin wanted;                     // what it is to fit, whose documentation helps; None: nothing declared
  std::vector<uint32_t> inside{};    // instances on the way to the class in whose parameters `bound` is
};

/** Which parameters are structural, and why (design §3.9). */
enum class StructuralReason : uint8_t { kNone, kSize, kCondition, kZero };
struct ParameterUse {
  bool sets_size = false;
  bool decides_condition = false;
  std::string zero_effect;  // if not empty: what vanishes when the parameter is exactly 0
};

/** A table of data: one or two arguments. */
struct Table {
  NameId name;
  std::vector<Type> arguments;
  Type result;
  /// kHold: steps, each value up to the next row; of data over time alone, where jumps are known beforehand.
  enum class Interpolation : uint8_t {
    kLinear,
    kMonotone,
    kSpline,
    kHold
  } interpolation = Interpolation::kLinear;
  enum class Extrapolation : uint8_t { kHold, kLinear, kError } extrapolation = Extrapolation::kHold;
  std::vector<double> rows, columns;  // SI; columns only for two arguments
  std::vector<double> values;         // SI, row by row
  std::string file;
  uint64_t file_hash = 0;
  Origin origin;
};

struct OutputGroup {
  std::vector<uint32_t> outputs;  // with equal direct inputs
  std::vector<uint32_t> inputs;
};

/** Two generics of a class between which a plain number stands (`parameter k : $b/$a = 1`): where their
dimensions are equal, so are their kinds. */
struct KindLink {
  uint32_t from = 0, to = 0;        // $a, $b
  uint32_t parameter = UINT32_MAX;  // void where this parameter is given; none: always
};

enum class ClassKind : uint8_t { kComponent, kSoftware, kSystem };

/** A component class with one of its models chosen: what is written once, whatever the number of instances
(design §3.1).

A system is a class too. Names in `members`; instances, connections and arguments are compact arrays, since a
system may spell out millions. Always true after a build without errors: every name is resolved, every
expression is dimensionally right, every endpoint has a terminal or signal. */
struct ComponentClass {
  NameId name;
  NameId package;
  NameId model;  // None: the class has no models
  ClassKind kind = ClassKind::kComponent;
  Origin origin;
  std::string documentation;

  MemberMap members;
  std::vector<Terminal> terminals;
  std::vector<Parameter> parameters;
  std::vector<Variable> variables;
  std::vector<Edge> edges;
  std::vector<Loop> loops;
  std::vector<Equation> equations;
  std::vector<WhenClause> whens;
  std::vector<Assertion> assertions;
  std::vector<StartValue> starts;
  std::vector<TableId> tables;
  ExprId energy, loss;

  std::vector<NameId> generics;  // $a, $b in order of appearance
  LargeVector<Instance> instances;
  LargeVector<Argument> arguments;
  std::vector<std::vector<uint32_t>> paths;
  std::vector<Shape> shapes;
  LargeVector<Connection> connections;
  LargeVector<Endpoint> endpoints;
  std::vector<Subscript> subscripts;
  std::vector<Association> associations;
  std::vector<DimensionVector> generic_values;  // found by inference, per instance and generic of its class
  std::vector<std::string> generic_units;       // beside it: the text for people, e.g. "rad"
  std::vector<KindHint> generic_kinds;          // beside it: the kind, if it is known
  std::vector<KindLink> kind_links;
  std::vector<std::string> inferred_units;  // by variable, then parameter: where no type was declared
  std::vector<SizeCheck> size_checks;
  std::vector<ParameterUse> parameter_uses;  // by parameter

  bool steady = false;    // a system with `initial = steady`
  bool absolute = false;  // a system with `coordinates = absolute`
  NameId spatial;         // `spatial = revolute`: what it is in space (src/mechanics); None: nothing

  // Software components.
  ExprId sample_period;  // None: continuous
  std::vector<OutputGroup> groups;
  std::string external_library, external_function;

  bool IsComposite() const { return !instances.empty(); }
  /// Whether there is something to put together inside: parts, or connections of its own terminals and
  /// signals alone (a `Ground` joins its terminal to the reference).
  bool HasInside() const { return !instances.empty() || !connections.empty(); }
};

/** Elements of an array, by dimension; none: all of it. */
using Selection = std::vector<std::optional<Subscript>>;

/** A value for a parameter from outside the text of its system: by `set` of an experiment, or by an option.
For all of it, or for some elements of it, or of the arrays of instances on the way to it. */
struct Setting {
  struct Step {
    uint32_t instance = 0;
    Selection elements;
    Shape shape;  // of the array of instances, in parameters of the class that has it
  };
  std::string path;  // as it was written: "rack.drive[3].motor.R"
  std::vector<Step> steps;
  uint32_t parameter = 0;  // of the class at the end of the steps
  Selection elements;
  Shape shape;
  ExprId value;  // in parameters of the system; element-wise in #1, #2, ... where it is an array
  Shape value_shape;
  Origin origin;  // the kSet
};

/** `hinge.phi = 0.5 rad*sin(2 rad/s*time)`: a variable that follows an expression of time. */
struct Motion {
  std::string variable;
  ExprId value;
  Origin origin;
};

struct ExperimentSetting {
  ExprId stop, begin, interval, tolerance;
  bool steady = false;
};
struct Experiment {
  NameId name;
  ClassId system;  // with the models that the experiment chooses
  ExperimentSetting settings;
  std::vector<ExprId> plots;
  std::vector<std::string> plot_texts;
  std::vector<Setting> sets;
  std::vector<StartValue> starts;
  std::vector<SizeCheck> size_checks;  // of its plots and starts, in the parameters of the system
  Origin origin;
};

/** The checked description: classes with their equations, systems with their instances and connections, all
names resolved, all dimensions right. It knows no graph and no flattening; later stages read it and never
change it.

Theory: docs/theory/model.md, MO.1, MO.3. */
struct Model {
  SourceFiles files;
  std::vector<std::unique_ptr<SyntaxTree>> trees;
  NamePool names;
  ExprPool expressions;
  UnitTable units;

  std::vector<Quantity> quantities;
  std::vector<Enumeration> enumerations;
  std::vector<Domain> domains;
  std::vector<Table> tables;
  std::vector<ComponentClass> classes;  // in order of completion: a class comes behind those it uses
  std::vector<ClassId> systems;         // of the file given, then of its imports, in order of declaration
  std::vector<ClassId> own_classes;     // components and software of the files given
  std::vector<Experiment> experiments;

  const ComponentClass& operator[](ClassId id) const { return classes[id.index()]; }
  const SyntaxTree& tree(TreeId id) const { return *trees[id.index()]; }
  std::string Text(NameId id) const { return id.IsNone() ? std::string() : std::string(names.Text(id)); }
  Span SpanOf(const Origin& origin) const { return trees[origin.tree.index()]->SpanOf(origin.node); }
};

/// Number of single components, arrays counted with their sizes at default parameter values; 0 where a size
/// is not a number.
double CountComponents(const Model& model, ClassId system);

}  // namespace cotree
