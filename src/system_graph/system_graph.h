// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/large_vector.h"
#include "model/check_sizes.h"
#include "model/model.h"
#include "model/system_setting.h"

namespace cotree {

using ComponentId = Id<struct ComponentTag>;   // a single component of the flat system
using EdgeId = Id<struct GraphEdgeTag>;        // an edge of the system graph
using VertexId = Id<struct VertexTag>;         // a vertex of the system graph
using ElementId = Id<struct ElementClassTag>;  // a class with its structural parameters put in

/** What an edge is physically (design §3.3): any number of these. Derived from the domain's power and the
component's `energy` and `loss`, never declared.

 - stores: `energy` depends on the edge's own variables, all other edges at rest;
 - dissipates: `loss` does; or, where the component declares neither, the power into the edge is never
negative;
 - drives: the component declares neither, and the power into the edge may be negative: it comes from outside;
 - couples: the edge shares terminal equations with another edge.

An ideal sensor is nothing of the four: no power goes into it. */
enum EdgeKind : uint8_t { kStores = 1, kDissipates = 2, kDrives = 4, kCouples = 8 };
/// "stores, couples"; "none" for an ideal sensor.
std::string KindsText(uint8_t kinds);

/** One edge of an element class. */
struct ElementEdge {
  uint32_t edge = 0;         // of ComponentClass::edges
  uint32_t index = 0;        // element of an array of edges, row by row
  uint32_t from = 0;         // terminal slot of the component
  uint32_t to = UINT32_MAX;  // terminal slot; none: the reference vertex
  DomainId domain;
  // The structural class: the highest order in which the edge's own across and through variable occur in the
  // terminal equations of its group (design §3.3); -1: it does not occur.
  int8_t across_order = -1;
  int8_t through_order = -1;
  uint8_t kinds = 0;
  uint32_t group = 0;  // edges with the same number share terminal equations
  // An equation fixes the variable by itself, whatever the rest of the system does: drivers, and ideal
  // sensors.
  bool fixes_across = false, fixes_through = false;
};

/** A component class with its structural parameters put in: sizes, conditions, and which parameters are
exactly zero (design §3.9). All components with the same key share it. */
struct ElementClass {
  ClassId class_id;
  bool composite = false;  // something is put together inside
  // Slots are numbered by the names of terminals and variables, edges by theirs: the order of declaration
  // does not matter.
  std::vector<uint32_t> terminal_first;  // by terminal: its first slot
  std::vector<uint32_t> terminal_size;   // by terminal: how many
  std::vector<uint32_t> slot_terminal;   // by slot: the terminal
  std::vector<uint32_t> input_first;  // by variable: first input slot of inputs, exogenous variables and, in
                                      // a composite, outputs; UINT32_MAX for other variables
  std::vector<uint32_t> slot_variable;  // by input slot: the variable
  std::vector<ElementEdge> edges;
  std::vector<uint32_t> zero_parameters;  // those that are exactly zero and matter for it
  std::vector<Equation> equations;        // those that hold, with zeros and conditions put in
  ExprId energy, loss;                    // likewise; none where not declared
  ParameterValues values;                 // of the structural parameters that count by value
  uint32_t groups = 0;

  uint32_t terminals() const { return static_cast<uint32_t>(slot_terminal.size()); }
};

/** Where the declaration of a component stands: an instance of the class of component `parent`, `sizes` if an
 * array. */
struct Scope {
  ComponentId parent;
  uint32_t instance = 0;
  uint32_t shape = UINT32_MAX;  // in SystemGraph::shapes
};

/** One component of the flat system: 24 bytes. */
struct Component {
  ElementId element;
  uint32_t scope = 0;
  uint32_t index = 0;  // in its array, row by row
  uint32_t first_edge = 0;
  uint32_t first_terminal = 0;  // in SystemGraph::vertex_of_terminal
  uint32_t first_input = 0;     // in SystemGraph::drivers
};

/** An edge: its component and element edge, its vertices: 12 bytes. */
struct GraphEdge {
  ComponentId component;
  VertexId from, to;
};

/** What drives an input: a variable of a component, as its class names it. */
struct Driver {
  ComponentId component;  // none: nothing (or an association)
  SymbolId symbol;        // with its order: load.w is order 1 of e.phi
  uint32_t index = 0;     // element of an array
};

/** `associate motor.theta = load.phi`: the exogenous variable of a component is an expression of `owner`'s
 * variables. */
struct GraphAssociation {
  ComponentId component;
  uint32_t variable = 0;
  uint32_t index = 0;
  ComponentId owner;
  ExprId value;
  Driver source;  // if the value is one variable of a component: that; otherwise its component is none
};

/** The part of the graph that belongs to one domain: its vertices and edges are numbered on. */
struct DomainGraph {
  DomainId domain;
  VertexId reference;  // the first of its vertices
  uint32_t vertex_count = 0;
  LargeVector<EdgeId> edges;
};

/** The linear graph of a system (paper 000 §2-3.1): terminal graphs of all components, merged at their
terminals.

Components are numbered breadth-first from the system (component 0, itself a composite), the members of a
composite by name, array elements by index: nothing depends on the order of declaration. Composites stay in
the list, since they may own variables and equations; their terminals are merged with those inside.

Vertices are numbered by domain (in the order of the domains' names), the reference vertex first, the others
by their first terminal. All islands of a domain share its reference vertex, so a graph without findings is
one connected graph a domain, and the system graph their direct sum. The signal graph is directed and lies
beside it: `drivers` says for each input slot what drives it.

Flat arrays of integers; what belongs to a class is stored once (design §3.1).

Theory: docs/theory/system_graph.md, SG.1, SG.4. */
struct SystemGraph {
  ClassId system;
  std::vector<SystemSetting> settings;  // values given from outside the text
  bool refused = false;                 // too large, or not decided by parameters; it is not whole
  std::vector<ElementClass> elements;
  LargeVector<Component> components;
  LargeVector<Scope> scopes;
  std::vector<std::vector<uint32_t>> shapes;
  LargeVector<GraphEdge> edges;
  LargeVector<VertexId> vertex_of_terminal;
  std::vector<DomainGraph> domains;
  LargeVector<uint32_t>
      first_terminal_of_vertex;  // UINT32_MAX: a reference vertex that no terminal is joined to
  std::vector<bool> connected;   // by terminal slot: joined from outside its component
  LargeVector<Driver> drivers;   // by input slot, as connected: composites not yet looked through
  std::vector<GraphAssociation> associations;
  /// By terminal slot: its frame in space, counted on from the world's, 0; UINT32_MAX for terminals of other
  /// domains. Empty where the system has nothing in space (src/mechanics).
  LargeVector<uint32_t> frame_of_terminal;
  uint32_t frame_count = 0;

  const ElementClass& ElementOf(ComponentId id) const {
    return elements[components[id.index()].element.index()];
  }
  const ElementEdge& ElementEdgeOf(EdgeId id) const {
    const Component& c = components[edges[id.index()].component.index()];
    return elements[c.element.index()].edges[id.index() - c.first_edge];
  }
  const ComponentClass& ClassOf(const Model& model, ComponentId id) const {
    return model[ElementOf(id).class_id];
  }
  size_t vertex_count() const { return first_terminal_of_vertex.size(); }
  const DomainGraph& DomainOf(VertexId v) const;
  bool IsReference(VertexId v) const { return DomainOf(v).reference == v; }
  /// Components without parts.
  size_t CountParts(const Model& model) const;
  size_t bytes() const;
};

// --- Names for people --------------------------------------------------------------------------------------

/// "rack.drive[3].motor"; empty for the system itself.
std::string ComponentName(const Model& model, const SystemGraph& graph, ComponentId id);
/// "motor.armature", or "load" where it is the component's only edge.
std::string EdgeName(const Model& model, const SystemGraph& graph, EdgeId id);
/// "motor.p", "bus.t[2]".
std::string TerminalName(const Model& model, const SystemGraph& graph, ComponentId id, uint32_t slot);
/// "electrical.ground" for a reference vertex, otherwise the name of its first terminal.
std::string VertexName(const Model& model, const SystemGraph& graph, VertexId id);
/// "pid.u", "sum.u[2]".
std::string InputName(const Model& model, const SystemGraph& graph, ComponentId id, uint32_t slot);
/// "load.w", "pid.y": as the user would write it.
std::string DriverName(const Model& model, const SystemGraph& graph, const Driver& driver);
/// The right side of an association: "load.phi", or an expression in the names of its owner.
std::string AssociationText(const Model& model, const SystemGraph& graph,
                            const GraphAssociation& association);
/// Where the component was declared.
Span ComponentPlace(const Model& model, const SystemGraph& graph, ComponentId id);
/// A number for the declaration of a component: the same for all elements of an array, and for all instances
/// of the composite it stands in. What is wrong there is said once.
uint64_t DeclarationKey(const SystemGraph& graph, ComponentId id);
/// The component a terminal slot or an input slot belongs to.
ComponentId ComponentOfTerminal(const SystemGraph& graph, uint32_t slot);
ComponentId ComponentOfInput(const SystemGraph& graph, uint32_t slot);

/// The input slot of a composite that a driver stands for: its own input, or an output that a connection
/// inside drives; none (UINT32_MAX) if it is a variable of a part, or of the composite's own equations.
uint32_t CompositeSlot(const Model& model, const SystemGraph& graph, const Driver& driver);
/// By input slot: the driver, looked up through the inputs and outputs of composites. Its component is none
/// where an input on the way has no driver, or where connections run in a circle. Linear.
LargeVector<Driver> ResolveDrivers(const Model& model, const SystemGraph& graph);

}  // namespace cotree
