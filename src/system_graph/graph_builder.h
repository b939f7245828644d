// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/evaluate.h"
#include "graph/union_find.h"
#include "system_graph/build_system_graph.h"
#include "system_graph/element_table.h"

namespace cotree {

/** Builds the graph of a system: composites are expanded one after another, from the system inwards; then
vertices and edges get their numbers. Private to this folder. One file per concern:

 | build_system_graph.cc | the run: one composite after another, its instances and then its connections |
 | instantiate_components.cc | instances, values of their parameters, arrays of parameters, keys of elements |
 | decide_structure.cc | conditions, sizes and repetitions from parameters, of instances too |
 | join_terminals.cc | connections of terminals: the slots that an endpoint means, axes of arrays |
 | wire_signals.cc | what a path of signals means, drivers of inputs, associations |
 | number_graph.cc | vertices, edges and their numbers; which terminal names a vertex |

Signals read from inside composites, and associations, wait until every component is there. */
class GraphBuilder {
 public:
  GraphBuilder(Model& model, ClassId system, Diagnostics& diagnostics, const GraphLimits& limits,
               KnownElements* known);

  SystemGraph Run(std::vector<SystemSetting> settings);

 private:
  static constexpr double kUnknownValue = std::numeric_limits<double>::quiet_NaN();

  /** The parameters of a composite while its members are made. */
  struct Values {
    ParameterValues scalars;
    std::vector<ArrayValue<double>> arrays;
    /// From outside, for a parameter further inside: `drive : Drive(motor.R = 1 ohm)`, `--set`; paths from
    /// this composite on. Those without one are for elements of arrays of its own.
    std::vector<SystemSetting> given;
  };
  /** A composite whose members are not made yet, or whose associations are to follow. */
  struct Pending {
    ComponentId component;
    std::shared_ptr<const Values> values;
  };

  // build_system_graph.cc
  void Expand(ComponentId parent, const std::shared_ptr<const Values>& shared);

  // decide_structure.cc
  /// Adds the parameters of instances that decide something in `owner`: `if r1.R > 1 ohm { connect ... }`.
  /// None: there are no such.
  std::shared_ptr<const Values> WithInstances(const ComponentClass& owner, const Values& values);
  void Gather(const ComponentClass& cls, const Values& values, std::span<const uint32_t> path,
              SymbolId parameter, std::vector<size_t>& sizes, std::vector<double>& out);
  /// Whether a condition holds; COT3040 and no where it is not known.
  bool Holds(const ComponentClass& owner, ExprId condition, const Values& values, NodeId node);
  /// Whether the elements that a connection means are known; COT3040 where they are not.
  bool IndicesKnown(const ComponentClass& owner, const Connection& connection,
                    std::span<const ExprId> formulas, std::span<const double> numbers, const Values& seen);
  /// A number that decides the structure; COT3040 and none where it is not known. `what`: "the size of `r`".
  std::optional<double> Known(const ComponentClass& owner, ExprId expr, const Values& values,
                              const std::string& what, NodeId node);

  // instantiate_components.cc
  /** The values of one parameter of an instance for all its elements: one number, or a formula of the
   * indices. */
  struct ValueOf {
    double value = kUnknownValue;
    const Argument* per_element = nullptr;
  };
  // Arrays of parameters that matter here are small; what is larger has no say in the structure.
  static constexpr uint64_t kMostValues = 1'000'000;
  /// At least doubles: asked for often and little by little, exact room would cost the square.
  void ReserveComponents(size_t more) {
    const size_t wanted = graph_.components.size() + more;
    if (wanted > graph_.components.capacity())
      graph_.components.reserve(std::max(wanted, 2 * graph_.components.capacity()));
  }
  void AddComponent(ElementId element, uint32_t scope, uint32_t index);
  void AddInstance(ComponentId parent, const ComponentClass& owner, uint32_t index, const Values& values);
  ElementId ElementOf(ClassId id, const ParameterValues& values);
  bool PlainValue(const ComponentClass& owner, const Instance& instance, uint32_t parameter,
                  const Values& outer, ValueOf& out);
  Values ValuesOf(const ComponentClass& owner, uint32_t instance_index, const Values& outer,
                  std::span<const uint32_t> indices);
  void AddArray(const ComponentClass& cls, const Parameter& parameter, ExprId value, const Values& seen,
                Values& out);
  void Complete(const ComponentClass& cls, Values& values);
  static void Give(const ComponentClass& cls, const SystemSetting& setting, Values& values);
  double Evaluate(ExprId expr, const Values& values, std::span<const uint32_t> indices);
  Environment<double> EnvironmentOf(const Values& values) const;
  static std::vector<uint32_t> IndicesOf(const std::vector<uint32_t>& sizes, uint32_t element);

  // join_terminals.cc
  void FetchAhead(const ComponentClass& owner, const Connection& connection) const;
  void Join(ComponentId parent, const ComponentClass& owner, const Connection& connection,
            const Values& values);
  uint32_t JointOf(uint32_t terminal_slot) const {
    return static_cast<uint32_t>(model_.domains.size()) + terminal_slot;
  }
  void MarkConnected(uint32_t joint);
  const Component& ComponentAt(ComponentId parent, const Endpoint& end) const;
  void Slots(ComponentId parent, const ComponentClass& owner, const Endpoint& end,
             std::span<const double> numbers, std::vector<uint32_t>& out);

  /* Runs over one axis of an array after another; `from:to:step` for each, sizes where no index was given. */
  struct Axis {
    int64_t from = 0, step = 1, count = 1;  // from 0
    int64_t size = 1;
  };
  std::vector<Axis> AxesOf(std::span<const uint32_t> sizes, std::span<const double> numbers, size_t given,
                           bool& ok);
  /// COT2303 for the index that was found outside last, once for a place in the text.
  void ReportOutside(const ComponentClass& owner, NodeId node);
  template <class F>
  static void OverAxes(const std::vector<Axis>& axes, F f) {
    int64_t total = 1;
    for (const Axis& a : axes) total *= a.count;
    if (axes.size() <= 1) {
      const Axis only = axes.empty() ? Axis{} : axes[0];
      for (int64_t i = 0; i < only.count; ++i) f(only.from + i * only.step);
      return;
    }
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i, flat = 0, stride = 1;
      for (size_t k = axes.size(); k-- > 0;) {
        flat += stride * (axes[k].from + axes[k].step * (rest % axes[k].count));
        rest /= axes[k].count;
        stride *= axes[k].size;
      }
      f(flat);
    }
  }

  // wire_signals.cc
  /** What a symbol of a composite's expressions stands for: a variable of one of its parts. */
  struct Place {
    std::vector<uint32_t> instances;  // on the way
    SymbolId symbol;                  // in the class at the end of the way
    uint32_t variable = UINT32_MAX;   // of that class; none: an edge's
    bool ok = false;
  };
  /** An expression of a connection: a symbol, with indices if it or anything on its path is an array. */
  struct Reference {
    SymbolId symbol;
    std::span<const ExprId> indices;
    bool ok = false;
  };
  /** A driver whose source is further inside a composite: looked up when everything is there. */
  struct Later {
    ComponentId parent;
    uint32_t slot;
    Place place;
    std::vector<double> indices;
  };
  void Wire(ComponentId parent, const ComponentClass& owner, const Connection& connection,
            const Values& values);
  void Drive(ComponentId parent, const ComponentClass& owner, const Place& from,
             std::span<const double> from_indices, const Place& to, std::span<const double> to_indices,
             NodeId node);
  void Associate(ComponentId parent, const ComponentClass& owner, const Association& association,
                 const Values& values);
  void ResolveLater();
  const Place& PlaceOf(const ComponentClass& owner, SymbolId symbol);
  Reference ReferenceOf(ExprId expr) const;
  std::optional<std::pair<ComponentId, uint32_t>> Locate(ComponentId parent, const Place& place,
                                                         std::span<const double> indices);
  /// The sizes of all arrays on the way to a place as they are now, its own last; empty: it is not there yet.
  std::vector<uint32_t> SizesOn(ComponentId parent, const Place& place);
  uint32_t FirstOf(ComponentId composite, uint32_t instance);
  uint32_t Slot(const GraphAssociation& a) const;

  // number_graph.cc
  void Number();
  void HoldHousings();
  void NumberFrames();
  void Name(uint32_t terminal, VertexId vertex);

  // Used by several of these files.

  // Runs over the turns of the loops from the k-th on where `condition` holds, setting their symbols in
  // `environment` and in `seen`, which the bounds and the condition see. `node`: what is repeated.
  template <class F>
  void OverLoops(const ComponentClass& owner, LoopRange loops, uint32_t k, ExprId condition, NodeId node,
                 Values& seen, Environment<double>& environment, F&& f) {
    if (k == loops.count) {
      if (condition.IsNone() || Holds(owner, condition, seen, node)) f();
      return;
    }
    const Loop& loop = owner.loops[loops.first + k];
    const auto from = Known(owner, loop.from, seen, "where this `for` begins", node);
    const auto to = Known(owner, loop.to, seen, "where this `for` ends", node);
    if (!from || !to) return;
    if (*to - *from + 1 > static_cast<double>(limits_.most)) turns_ = limits_.most + 1;
    for (double i = *from; i <= *to && turns_ <= limits_.most; ++i) {
      ++turns_;
      environment.scalars[loop.symbol.index()] = i;
      seen.scalars[loop.symbol.value] = i;
      OverLoops(owner, loops, k + 1, condition, node, seen, environment, f);
    }
  }

  // Runs over the elements of a shape, setting #1, #2, ...
  template <class F>
  void OverShape(const std::vector<uint32_t>& sizes, Environment<double>& environment, F&& f) {
    uint64_t total = 1;
    for (const uint32_t s : sizes) total *= s;
    for (uint64_t i = 0; i < total; ++i) {
      uint64_t rest = i;
      for (size_t k = sizes.size(); k-- > 0;) {
        environment.scalars[index_symbols_[k].index()] = static_cast<double>(rest % sizes[k] + 1);
        rest /= sizes[k];
      }
      f();
    }
  }

  Model& model_;
  ExprPool& pool_;
  Diagnostics& diagnostics_;
  const GraphLimits limits_;
  SystemGraph graph_;
  ElementTable table_;
  std::vector<SymbolId> index_symbols_;
  std::vector<uint32_t> domain_order_;     // by DomainId: its place among the names
  std::vector<uint32_t> domains_by_name_;  // the reverse
  std::deque<Pending> pending_;
  UnionFind joints_;                // the grounds of the domains, then all terminal slots
  std::vector<uint32_t> first_of_;  // by instance of the composite at work: its first component
  std::vector<double> key_;
  std::unordered_map<uint32_t, Place> places_;
  std::unordered_map<uint64_t, uint32_t> inner_first_;
  std::vector<Later> later_;
  std::vector<Pending> with_associations_;
  bool all_made_ = false;            // every component is there
  LargeVector<NodeId> driver_node_;  // by input slot: where it is driven
  uint64_t edges_ = 0, terminals_ = 0, inputs_ = 0, turns_ = 0;
  bool too_large_ = false;
  double outside_ = 0, outside_size_ = 0;  // an index that its array does not have, and the size of the array
  std::set<std::pair<uint32_t, uint32_t>> said_outside_;
  bool undecided_ = false;  // what hangs on it would only be said again in other words
};

}  // namespace cotree
