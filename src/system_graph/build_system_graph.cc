// SPDX-License-Identifier: Apache-2.0
#include "system_graph/build_system_graph.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <tuple>

#include "expr/evaluate.h"
#include "expr/substitute.h"
#include "graph/union_find.h"
#include "system_graph/diagnostics.h"
#include "system_graph/element_table.h"

namespace cotree {

namespace messages = system_graph_messages;

namespace {

constexpr double kUnknownValue = std::numeric_limits<double>::quiet_NaN();

/** The parameters of a composite while its members are made. */
struct Values {
  ParameterValues scalars;
  std::vector<ArrayValue<double>> arrays;
  /** A value given from outside for a public parameter further inside: `drive : Drive(motor.R = 1 ohm)`. */
  struct Given {
    std::vector<uint32_t> path;  // instances, from this composite on
    uint32_t parameter;
    double value;
  };
  std::vector<Given> given;
};

/** What a symbol of a composite's expressions stands for: a variable of one of its parts. */
struct Place {
  std::vector<uint32_t> instances;  // on the way
  SymbolId symbol;                  // in the class at the end of the way
  uint32_t variable = UINT32_MAX;   // of that class; none: an edge's
  bool ok = false;
};

class Builder {
 public:
  Builder(Model& model, ClassId system, Diagnostics& diagnostics, const GraphLimits& limits)
      : model_(model),
        pool_(model.expressions),
        diagnostics_(diagnostics),
        limits_(limits),
        table_(model, graph_.elements, limits.most) {
    graph_.system = system;
    for (size_t k = 0; k < 8; ++k)
      index_symbols_.push_back(pool_.DeclareSymbol("#" + std::to_string(k + 1), SymbolKind::kIndex));
    domain_order_.resize(model.domains.size());
    std::vector<uint32_t> by_name(model.domains.size());
    for (uint32_t d = 0; d < by_name.size(); ++d) by_name[d] = d;
    std::sort(by_name.begin(), by_name.end(), [&](uint32_t a, uint32_t b) {
      return CompareNames(model.names.Text(model.domains[a].name), model.names.Text(model.domains[b].name)) <
             0;
    });
    for (uint32_t k = 0; k < by_name.size(); ++k) domain_order_[by_name[k]] = k;
    domains_by_name_ = std::move(by_name);
  }

  SystemGraph Run() {
    Values values;
    Complete(model_[graph_.system], values);
    AddComponent(ElementOf(graph_.system, values.scalars), UINT32_MAX, 0);
    pending_.push_back({ComponentId(0), std::make_shared<Values>(std::move(values))});
    joints_.Grow(model_.domains.size());
    while (!pending_.empty() && !too_large_) {
      const Pending next = pending_.front();
      pending_.pop_front();
      Expand(next.component, next.values);
    }
    graph_.refused = too_large_;
    if (!too_large_) Number();
    graph_.components.shrink_to_fit();
    return std::move(graph_);
  }

 private:
  struct Pending {
    ComponentId component;
    std::shared_ptr<const Values> values;
  };

  // --- Components --------------------------------------------------------------------------------------

  void AddComponent(ElementId element, uint32_t scope, uint32_t index) {
    const ElementClass& cls = graph_.elements[element.index()];
    graph_.components.push_back({element, scope, index, static_cast<uint32_t>(edges_),
                                 static_cast<uint32_t>(terminals_), static_cast<uint32_t>(inputs_)});
    edges_ += cls.edges.size();
    terminals_ += cls.terminals();
    inputs_ += cls.slot_variable.size();
    if (std::max({edges_, terminals_, inputs_, uint64_t{graph_.components.size()}}) > limits_.most)
      too_large_ = true;
  }

  ElementId ElementOf(ClassId id, const ParameterValues& values) {
    const StructuralParameters& structural = table_.ParametersOf(id);
    if (!structural.only.IsNone()) return structural.only;
    std::vector<double> key;
    for (const auto& entry : structural.entries) {
      const auto at = values.find(model_[id].parameters[entry.parameter].symbol.value);
      const double value = at == values.end() ? kUnknownValue : at->second;
      key.push_back(entry.by_value ? value : value == 0 ? 0 : 1);
    }
    return table_.Find(id, key);
  }

  /** The values of one parameter of an instance for all its elements: one number, or a formula of the
   * indices. */
  struct ValueOf {
    double value = kUnknownValue;
    const Argument* per_element = nullptr;
  };

  // The value of a parameter of `instance`, as far as a number in the text gives it. False: it takes more.
  bool PlainValue(const ComponentClass& owner, const Instance& instance, uint32_t parameter,
                  const Values& outer, ValueOf& out) {
    for (uint32_t i = 0; i < instance.argument_count; ++i) {
      const Argument& argument = owner.arguments[instance.first_argument + i];
      if (argument.path != UINT32_MAX || argument.parameter != parameter) continue;
      if (argument.per_element) {
        out.per_element = &argument;
        return true;
      }
      out.value = Evaluate(argument.value, outer, {});
      return true;
    }
    const ExprId standard = model_[instance.class_id].parameters[parameter].value;
    if (standard.IsNone()) return true;
    if (!pool_.IsNumber(standard)) return false;
    out.value = pool_.NumberValue(standard);
    return true;
  }

  // The parameters of `instance` seen from `outer`, with what was given for public ones from further outside.
  Values ValuesOf(const ComponentClass& owner, uint32_t instance_index, const Values& outer,
                  std::span<const uint32_t> indices) {
    const Instance& instance = owner.instances[instance_index];
    const ComponentClass& cls = model_[instance.class_id];
    Values out;
    std::vector<std::pair<const Parameter*, ExprId>> arrays;
    for (uint32_t i = 0; i < instance.argument_count; ++i) {
      const Argument& argument = owner.arguments[instance.first_argument + i];
      const auto own = argument.per_element ? indices : std::span<const uint32_t>();
      if (argument.path == UINT32_MAX && !cls.parameters[argument.parameter].shape.empty()) {
        if (!argument.per_element) arrays.emplace_back(&cls.parameters[argument.parameter], argument.value);
        continue;
      }
      const double value = Evaluate(argument.value, outer, own);
      if (!(value == value)) continue;
      if (argument.path == UINT32_MAX)
        out.scalars[cls.parameters[argument.parameter].symbol.value] = value;
      else
        out.given.push_back({owner.paths[argument.path], argument.parameter, value});
    }
    for (const Values::Given& given : outer.given) {
      if (given.path.front() != instance_index) continue;
      if (given.path.size() == 1)
        out.scalars[cls.parameters[given.parameter].symbol.value] = given.value;
      else
        out.given.push_back({{given.path.begin() + 1, given.path.end()}, given.parameter, given.value});
    }
    out.scalars = EvaluateParameters(model_, cls, std::move(out.scalars));
    for (const auto& [parameter, value] : arrays) AddArray(*parameter, value, outer, out);
    Complete(cls, out);
    return out;
  }

  // Arrays of parameters that matter here are small; what is larger has no say in the structure.
  static constexpr uint64_t kMostValues = 1'000'000;

  // The elements of an array parameter, `value` being element-wise in #1, #2, ... and in the names that
  // `seen` knows.
  void AddArray(const Parameter& parameter, ExprId value, const Values& seen, Values& out) {
    for (const auto& known : out.arrays) {
      if (known.symbol == parameter.symbol) return;
    }
    std::vector<uint32_t> sizes;
    const uint64_t count = CountElements(model_, parameter.shape, out.scalars, &sizes);
    if (count == 0 || count > kMostValues) return;
    const Tape tape(pool_, std::span(&value, 1));
    Environment<double> environment = EnvironmentOf(seen);
    Workspace<double> workspace;
    ArrayValue<double> array{parameter.symbol, {sizes.begin(), sizes.end()}, {}};
    OverShape(sizes, environment, [&] {
      double element = kUnknownValue;
      EvaluateDouble(tape, environment, workspace, std::span(&element, 1));
      array.elements.push_back(element);
    });
    out.arrays.push_back(std::move(array));
  }

  // Fills in what follows from defaults.
  void Complete(const ComponentClass& cls, Values& values) {
    values.scalars = EvaluateParameters(model_, cls, std::move(values.scalars));
    bool arrays = false;
    for (const Parameter& p : cls.parameters) {
      if (p.shape.empty() || p.value.IsNone()) continue;
      arrays = true;
      AddArray(p, p.value, values, values);
    }
    // A number that is an element of an array.
    for (const Parameter& p : cls.parameters) {
      if (!arrays || !p.shape.empty() || p.value.IsNone() || values.scalars.count(p.symbol.value) > 0)
        continue;
      const double value = Evaluate(p.value, values, {});
      if (value == value) values.scalars[p.symbol.value] = value;
    }
  }

  // The value of an expression of parameters, with #1, #2, ... set to indices (from 0); not a number where it
  // has none.
  double Evaluate(ExprId expr, const Values& values, std::span<const uint32_t> indices) {
    if (pool_.IsNumber(expr)) return pool_.NumberValue(expr);
    if (values.arrays.empty() && indices.empty())
      return EvaluateConstant(pool_, expr, values.scalars).value_or(kUnknownValue);
    Environment<double> environment = EnvironmentOf(values);
    for (size_t k = 0; k < indices.size() && k < index_symbols_.size(); ++k)
      environment.scalars[index_symbols_[k].index()] = indices[k] + 1.0;
    return EvaluateDouble(pool_, expr, environment);
  }

  static std::vector<uint32_t> IndicesOf(const std::vector<uint32_t>& sizes, uint32_t element) {
    std::vector<uint32_t> out(sizes.size());
    for (size_t k = sizes.size(); k-- > 0;) {
      out[k] = element % sizes[k];
      element /= sizes[k];
    }
    return out;
  }

  void AddInstance(ComponentId parent, const ComponentClass& owner, uint32_t index, const Values& values) {
    const Instance& instance = owner.instances[index];
    first_of_[index] = static_cast<uint32_t>(graph_.components.size());
    const auto scope = static_cast<uint32_t>(graph_.scopes.size());
    graph_.scopes.push_back({parent, index, UINT32_MAX});
    uint64_t count = 1;
    std::vector<uint32_t> sizes;
    if (instance.shape != UINT32_MAX) {
      count = CountElements(model_, owner.shapes[instance.shape], values.scalars, &sizes);
      graph_.scopes.back().shape = static_cast<uint32_t>(graph_.shapes.size());
      graph_.shapes.push_back(sizes);
      if (count > limits_.most) {
        too_large_ = true;
        return;
      }
      graph_.components.reserve(graph_.components.size() + count);
    }
    const ComponentClass& cls = model_[instance.class_id];
    const StructuralParameters& structural = table_.ParametersOf(instance.class_id);
    bool from_outside = cls.HasInside();
    for (const Values::Given& given : values.given)
      from_outside = from_outside || given.path.front() == index;
    bool per_element = false;
    for (uint32_t i = 0; i < instance.argument_count; ++i)
      per_element = per_element || owner.arguments[instance.first_argument + i].per_element;

    if (from_outside) {
      std::shared_ptr<const Values> shared;
      for (uint32_t k = 0; k < count && !too_large_; ++k) {
        if (!shared || per_element)
          shared = std::make_shared<Values>(ValuesOf(owner, index, values, IndicesOf(sizes, k)));
        AddComponent(ElementOf(instance.class_id, shared->scalars), scope, k);
        if (cls.HasInside()) pending_.push_back({ComponentId(graph_.components.size() - 1), shared});
      }
      return;
    }
    if (!structural.only.IsNone()) {
      for (uint32_t k = 0; k < count && !too_large_; ++k) AddComponent(structural.only, scope, k);
      return;
    }
    // Few parameters matter, most are plain numbers: look at those alone.
    key_.assign(structural.entries.size(), 1);
    bool plain = true;
    std::vector<std::pair<size_t, const Argument*>> varying;
    for (size_t e = 0; e < structural.entries.size() && plain; ++e) {
      ValueOf value;
      plain = PlainValue(owner, instance, structural.entries[e].parameter, values, value);
      if (value.per_element != nullptr)
        varying.emplace_back(e, value.per_element);
      else
        key_[e] = structural.entries[e].by_value ? value.value : value.value == 0 ? 0 : 1;
    }
    if (!plain) {
      ElementId element;
      for (uint32_t k = 0; k < count && !too_large_; ++k) {
        if (element.IsNone() || per_element)
          element = ElementOf(instance.class_id, ValuesOf(owner, index, values, IndicesOf(sizes, k)).scalars);
        AddComponent(element, scope, k);
      }
      return;
    }
    if (varying.empty()) {
      const ElementId element = table_.Find(instance.class_id, key_);
      for (uint32_t k = 0; k < count && !too_large_; ++k) AddComponent(element, scope, k);
      return;
    }
    std::vector<ExprId> formulas;
    for (const auto& [e, argument] : varying) formulas.push_back(argument->value);
    const Tape tape(pool_, formulas);
    Environment<double> environment = EnvironmentOf(values);
    Workspace<double> workspace;
    std::vector<double> results(formulas.size());
    for (uint32_t k = 0; k < count && !too_large_; ++k) {
      uint32_t rest = k;
      for (size_t d = sizes.size(); d-- > 0;) {
        if (d < index_symbols_.size())
          environment.scalars[index_symbols_[d].index()] = static_cast<double>(rest % sizes[d] + 1);
        rest /= sizes[d];
      }
      EvaluateDouble(tape, environment, workspace, results);
      for (size_t v = 0; v < varying.size(); ++v) {
        const size_t e = varying[v].first;
        key_[e] = structural.entries[e].by_value ? results[v] : results[v] == 0 ? 0 : 1;
      }
      AddComponent(table_.Find(instance.class_id, key_), scope, k);
    }
  }

  Environment<double> EnvironmentOf(const Values& values) const {
    Environment<double> environment;
    environment.scalars.assign(pool_.symbol_count(), kUnknownValue);
    for (const auto& [symbol, value] : values.scalars) environment.scalars[symbol] = value;
    environment.arrays = values.arrays;
    return environment;
  }

  void Expand(ComponentId parent, const std::shared_ptr<const Values>& shared) {
    const Values& values = *shared;
    const ComponentClass& owner = model_[graph_.ElementOf(parent).class_id];
    std::vector<NameId> names;
    names.reserve(owner.instances.size());
    for (const Instance& instance : owner.instances) names.push_back(instance.name);
    first_of_.assign(owner.instances.size(), UINT32_MAX);
    const std::vector<uint32_t> order = OrderOfNames(model_.names, names);
    graph_.components.reserve(graph_.components.size() + order.size());
    for (const uint32_t index : order) {
      if (!owner.instances[index].class_id.IsNone()) AddInstance(parent, owner, index, values);
      if (too_large_) {
        auto& report = diagnostics_.Report(messages::kTooLarge,
                                           model_.tree(owner.origin.tree).SpanOf(owner.instances[index].node),
                                           {model_.Text(owner.instances[index].name)});
        report.Note("with it the system has more than " + std::to_string(limits_.most) +
                    " components, terminals or signals");
        return;
      }
    }
    joints_.Grow(model_.domains.size() + terminals_);
    graph_.connected.resize(terminals_, false);
    graph_.drivers.resize(inputs_);
    driver_node_.resize(inputs_);
    places_.clear();
    for (const Connection& connection : owner.connections) {
      // A condition may depend on the loops around it; then each turn decides.
      if (!connection.condition.IsNone() && connection.loops.count == 0 &&
          Evaluate(connection.condition, values, {}) == 0)
        continue;
      if (connection.signal)
        Wire(parent, owner, connection, values);
      else
        Join(parent, owner, connection, values);
      if (turns_ > limits_.most && !too_large_) {
        too_large_ = true;
        const SyntaxTree& tree = model_.tree(owner.origin.tree);
        diagnostics_
            .Report(messages::kTooLarge, tree.SpanOf(connection.node),
                    {std::string(tree.Text(connection.node))})
            .Note("the loops around connections have more than " + std::to_string(limits_.most) + " turns");
      }
      if (too_large_) return;
    }
    if (!owner.associations.empty()) with_associations_.push_back({parent, shared});
  }

  // --- Terminals ---------------------------------------------------------------------------------------

  uint32_t JointOf(uint32_t terminal_slot) const {
    return static_cast<uint32_t>(model_.domains.size()) + terminal_slot;
  }

  void MarkConnected(uint32_t joint) { graph_.connected[joint - model_.domains.size()] = true; }

  void Join(ComponentId parent, const ComponentClass& owner, const Connection& connection,
            const Values& values) {
    const Endpoint* ends = owner.endpoints.data() + connection.first_endpoint;
    bool single = connection.loops.count == 0;
    for (uint32_t k = 0; k < connection.endpoint_count && single; ++k) {
      if (ends[k].kind == Endpoint::Kind::kGround) continue;
      const Instance* instance =
          ends[k].instance == UINT32_MAX ? nullptr : &owner.instances[ends[k].instance];
      single = ends[k].instance_subscripts + ends[k].member_subscripts == 0 &&
               (instance == nullptr || instance->shape == UINT32_MAX);
      if (!single) break;
      const Component& c = ComponentAt(parent, ends[k]);
      single = graph_.elements[c.element.index()].terminal_size[ends[k].member] == 1;
    }
    if (single) {
      uint32_t joined = UINT32_MAX;
      for (uint32_t k = 0; k < connection.endpoint_count; ++k) {
        uint32_t joint;
        if (ends[k].kind == Endpoint::Kind::kGround) {
          joint = domain_order_[ends[k].member];
        } else {
          const Component& c = ComponentAt(parent, ends[k]);
          joint =
              JointOf(c.first_terminal + graph_.elements[c.element.index()].terminal_first[ends[k].member]);
          if (ends[k].instance != UINT32_MAX && connection.endpoint_count > 1) MarkConnected(joint);
        }
        joined = joined == UINT32_MAX ? joint : joints_.Join(joined, joint);
      }
      return;
    }
    // Arrays and loops: subscripts become one tape, run once a turn.
    std::vector<ExprId> formulas;
    for (uint32_t k = 0; k < connection.endpoint_count; ++k) {
      const uint32_t count = ends[k].instance_subscripts + ends[k].member_subscripts;
      for (uint32_t i = 0; i < count; ++i) {
        const Subscript& s = owner.subscripts[ends[k].first_subscript + i];
        formulas.push_back(s.from);
        formulas.push_back(s.to.IsNone() ? s.from : s.to);
        formulas.push_back(s.step.IsNone() ? pool_.One() : s.step);
      }
    }
    if (!connection.condition.IsNone()) formulas.push_back(connection.condition);
    const Tape tape(pool_, formulas);
    Environment<double> environment = EnvironmentOf(values);
    Workspace<double> workspace;
    std::vector<double> numbers(formulas.size());
    OverLoops(owner, connection.loops, 0, values.scalars, environment, [&] {
      if (!formulas.empty()) EvaluateDouble(tape, environment, workspace, numbers);
      if (!connection.condition.IsNone() && numbers.back() == 0) return;
      size_t at = 0;
      std::vector<uint32_t> first_slots, slots;
      for (uint32_t k = 0; k < connection.endpoint_count; ++k) {
        slots.clear();
        Slots(parent, owner, ends[k], std::span(numbers).subspan(at), slots);
        at += size_t{3} * (size_t{ends[k].instance_subscripts} + ends[k].member_subscripts);
        if (slots.empty()) continue;
        if (ends[k].instance != UINT32_MAX && ends[k].kind == Endpoint::Kind::kTerminal) {
          for (const uint32_t joint : slots) MarkConnected(joint);
        }
        if (first_slots.empty()) {
          first_slots.swap(slots);
          continue;
        }
        const size_t count = std::max(first_slots.size(), slots.size());
        if (first_slots.size() != 1 && slots.size() != 1 && first_slots.size() != slots.size()) continue;
        for (size_t i = 0; i < count; ++i)
          joints_.Join(first_slots[first_slots.size() == 1 ? 0 : i], slots[slots.size() == 1 ? 0 : i]);
        // What follows is joined element by element with the longer one.
        if (slots.size() > first_slots.size()) first_slots.swap(slots);
      }
    });
  }

  const Component& ComponentAt(ComponentId parent, const Endpoint& end) const {
    return graph_.components[end.instance == UINT32_MAX ? parent.index() : first_of_[end.instance]];
  }

  /* Runs over one axis of an array after another; `from:to:step` for each, sizes where no index was given. */
  struct Axis {
    int64_t from = 0, step = 1, count = 1;  // from 0
    int64_t size = 1;
  };
  static std::vector<Axis> AxesOf(std::span<const uint32_t> sizes, std::span<const double> numbers,
                                  size_t given, bool& ok) {
    std::vector<Axis> axes;
    for (size_t k = 0; k < sizes.size(); ++k) {
      Axis axis;
      axis.size = sizes[k];
      axis.count = sizes[k];
      if (k < given) {
        const double from = numbers[3 * k], to = numbers[3 * k + 1], step = numbers[3 * k + 2];
        if (!(from == from && to == to && step == step) || step == 0) {
          ok = false;
          return axes;
        }
        axis.from = static_cast<int64_t>(from) - 1;
        axis.step = static_cast<int64_t>(step);
        axis.count =
            std::max<int64_t>(0, (static_cast<int64_t>(to) - static_cast<int64_t>(from)) / axis.step + 1);
        if ((to - from) / step < 0) axis.count = 0;
      }
      const int64_t last = axis.from + axis.step * (axis.count - 1);
      if (axis.count > 0 && (axis.from < 0 || axis.from >= axis.size || last < 0 || last >= axis.size))
        ok = false;
      axes.push_back(axis);
    }
    return axes;
  }
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

  void Slots(ComponentId parent, const ComponentClass& owner, const Endpoint& end,
             std::span<const double> numbers, std::vector<uint32_t>& out) {
    if (end.kind == Endpoint::Kind::kGround) {
      out.push_back(domain_order_[end.member]);
      return;
    }
    bool ok = true;
    std::vector<Axis> elements;
    uint32_t first = static_cast<uint32_t>(parent.index());
    if (end.instance != UINT32_MAX) {
      first = first_of_[end.instance];
      const Instance& instance = owner.instances[end.instance];
      if (instance.shape != UINT32_MAX) {
        const Scope& scope =
            graph_.scopes[graph_.components.size() > first ? graph_.components[first].scope : 0];
        if (graph_.components.size() <= first || scope.instance != end.instance) return;  // an empty array
        elements = AxesOf(graph_.shapes[scope.shape], numbers, end.instance_subscripts, ok);
      }
    }
    const ComponentClass& cls =
        end.instance == UINT32_MAX ? owner : model_[owner.instances[end.instance].class_id];
    const Shape& shape = cls.terminals[end.member].shape;
    const auto member_numbers =
        numbers.subspan(std::min<size_t>(numbers.size(), size_t{3} * end.instance_subscripts));
    OverAxes(elements, [&](int64_t e) {
      if (!ok) return;
      const Component& c = graph_.components[first + static_cast<uint32_t>(e)];
      const ElementClass& element = graph_.elements[c.element.index()];
      const uint32_t base = JointOf(c.first_terminal + element.terminal_first[end.member]);
      if (shape.empty()) {
        out.push_back(base);
        return;
      }
      std::vector<uint32_t> sizes;
      CountElements(model_, shape, element.values, &sizes);
      OverAxes(AxesOf(sizes, member_numbers, end.member_subscripts, ok),
               [&](int64_t t) { out.push_back(base + static_cast<uint32_t>(t)); });
    });
    if (!ok) out.clear();
  }

  template <class F>
  void OverLoops(const ComponentClass& owner, LoopRange loops, uint32_t k, const ParameterValues& values,
                 Environment<double>& environment, F&& f) {
    if (k == loops.count) {
      f();
      return;
    }
    const Loop& loop = owner.loops[loops.first + k];
    ParameterValues inner;
    const ParameterValues* seen = &values;
    if (k > 0) {
      inner = values;
      for (uint32_t i = 0; i < k; ++i) {
        const SymbolId symbol = owner.loops[loops.first + i].symbol;
        inner[symbol.value] = environment.scalars[symbol.index()];
      }
      seen = &inner;
    }
    const double from = EvaluateConstant(pool_, loop.from, *seen).value_or(1);
    const double to = EvaluateConstant(pool_, loop.to, *seen).value_or(0);
    for (double i = from; i <= to && turns_ <= limits_.most; ++i) {
      ++turns_;
      environment.scalars[loop.symbol.index()] = i;
      OverLoops(owner, loops, k + 1, values, environment, f);
    }
  }

  // --- Signals -----------------------------------------------------------------------------------------

  // What the symbol `motor.armature.i` of `owner` is in the class at the end of the path. Once per symbol and
  // composite.
  const Place& PlaceOf(const ComponentClass& owner, SymbolId symbol) {
    const auto [at, fresh] = places_.try_emplace(symbol.value);
    Place& place = at->second;
    if (!fresh) return place;
    const auto order = static_cast<int>(pool_.symbol(symbol).order);
    const std::string_view whole = pool_.SymbolName(symbol);
    const ComponentClass* cls = &owner;
    size_t begin = 0;
    for (;;) {
      const size_t dot = whole.find('.', begin);
      const std::string_view segment = whole.substr(begin, dot == std::string_view::npos ? dot : dot - begin);
      const NameId name = model_.names.Find(segment);
      const auto member = name.IsNone() ? std::nullopt : cls->members.Find(name);
      if (!member) return place;
      if (member->kind == MemberKind::kInstance && dot != std::string_view::npos) {
        const Instance& instance = cls->instances[member->index];
        if (instance.class_id.IsNone()) return place;
        place.instances.push_back(member->index);
        cls = &model_[instance.class_id];
        begin = dot + 1;
        continue;
      }
      if (member->kind == MemberKind::kVariable) {
        place.variable = member->index;
        place.symbol = pool_.SymbolOfOrder(cls->variables[member->index].symbol, order);
        place.ok = true;
      } else if (member->kind == MemberKind::kEdge && dot != std::string_view::npos) {
        const Edge& edge = cls->edges[member->index];
        const Domain& domain = model_.domains[edge.domain.index()];
        const bool through = whole.substr(dot + 1) == model_.names.Text(domain.through);
        place.symbol = pool_.SymbolOfOrder(through ? edge.through : edge.across, order);
        place.ok = true;
      } else if (member->kind == MemberKind::kParameter) {
        place.symbol = cls->parameters[member->index].symbol;
        place.ok = true;
      }
      return place;
    }
  }

  /** An expression of a connection: a symbol, with indices if it or anything on its path is an array. */
  struct Reference {
    SymbolId symbol;
    std::span<const ExprId> indices;
    bool ok = false;
  };
  Reference ReferenceOf(ExprId expr) const {
    if (pool_.IsSymbol(expr)) return {pool_.SymbolOf(expr), {}, true};
    if (pool_.op(expr) != Op::kElement || !pool_.IsSymbol(pool_.operand(expr, 0))) return {};
    return {pool_.SymbolOf(pool_.operand(expr, 0)), pool_.operands(expr).subspan(1), true};
  }

  // The component and flat element index a reference means, its indices being numbers (from 1).
  std::optional<std::pair<ComponentId, uint32_t>> Locate(ComponentId parent, const Place& place,
                                                         std::span<const double> indices) {
    ComponentId at = parent;
    size_t used = 0;
    const auto flat = [&](std::span<const uint32_t> sizes) -> std::optional<uint32_t> {
      uint64_t out = 0;
      for (const uint32_t size : sizes) {
        if (used >= indices.size()) return std::nullopt;
        const double i = indices[used++];
        if (!(i >= 1 && i <= size)) return std::nullopt;
        out = out * size + static_cast<uint64_t>(i) - 1;
      }
      return static_cast<uint32_t>(out);
    };
    for (size_t k = 0; k < place.instances.size(); ++k) {
      const uint32_t first =
          k == 0 && !all_made_ ? first_of_[place.instances[0]] : FirstOf(at, place.instances[k]);
      if (first == UINT32_MAX || first >= graph_.components.size()) return std::nullopt;
      const Scope& scope = graph_.scopes[graph_.components[first].scope];
      uint32_t element = 0;
      if (scope.shape != UINT32_MAX) {
        const auto e = flat(graph_.shapes[scope.shape]);
        if (!e) return std::nullopt;
        element = *e;
      }
      at = ComponentId(first + element);
    }
    std::vector<uint32_t> sizes;
    const ElementClass& element = graph_.ElementOf(at);
    const ComponentClass& cls = model_[element.class_id];
    const SymbolId base = pool_.symbol(place.symbol).base;
    if (place.variable != UINT32_MAX) {
      CountElements(model_, cls.variables[place.variable].shape, element.values, &sizes);
    } else {
      for (const Edge& e : cls.edges) {
        if (e.across == base || e.through == base) CountElements(model_, e.shape, element.values, &sizes);
      }
    }
    const auto e = flat(sizes);
    if (!e) return std::nullopt;
    return std::pair(at, *e);
  }

  // The first component of an instance inside `composite`. Its members are made after those of its owner, so
  // a path that reaches into a composite is looked up when everything is there.
  uint32_t FirstOf(ComponentId composite, uint32_t instance) {
    const auto at = inner_first_.find((uint64_t{composite.value} << 32) | instance);
    return at == inner_first_.end() ? UINT32_MAX : at->second;
  }

  struct Later {
    ComponentId parent;
    uint32_t slot;
    Place place;
    std::vector<double> indices;
  };

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

  void Wire(ComponentId parent, const ComponentClass& owner, const Connection& connection,
            const Values& values) {
    const Endpoint* ends = owner.endpoints.data() + connection.first_endpoint;
    const Reference source = ReferenceOf(ends[0].expression);
    if (!source.ok) return;
    const Place from = PlaceOf(owner, source.symbol);
    if (!from.ok) return;
    for (uint32_t k = 1; k < connection.endpoint_count; ++k) {
      const Reference target = ReferenceOf(ends[k].expression);
      if (!target.ok) continue;
      const Place to = PlaceOf(owner, target.symbol);
      if (!to.ok || to.variable == UINT32_MAX) continue;
      if (connection.loops.count == 0 && source.indices.empty() && target.indices.empty()) {
        Drive(parent, owner, from, {}, to, {}, ends[k].node);
        continue;
      }
      std::vector<ExprId> formulas(source.indices.begin(), source.indices.end());
      formulas.insert(formulas.end(), target.indices.begin(), target.indices.end());
      if (!connection.condition.IsNone()) formulas.push_back(connection.condition);
      const Tape tape(pool_, formulas);
      Environment<double> environment = EnvironmentOf(values);
      Workspace<double> workspace;
      std::vector<double> numbers(formulas.size());
      std::vector<uint32_t> sizes;
      OverLoops(owner, connection.loops, 0, values.scalars, environment, [&] {
        if (ends[k].member_subscripts > 0) {
          sizes.clear();
          ParameterValues seen = values.scalars;
          for (uint32_t l = 0; l < connection.loops.count; ++l) {
            const SymbolId symbol = owner.loops[connection.loops.first + l].symbol;
            seen[symbol.value] = environment.scalars[symbol.index()];
          }
          CountElements(model_, owner.shapes[ends[k].first_subscript], seen, &sizes);
        }
        OverShape(sizes, environment, [&] {
          if (!formulas.empty()) EvaluateDouble(tape, environment, workspace, numbers);
          if (!connection.condition.IsNone() && numbers.back() == 0) return;
          const std::span<const double> all(numbers);
          Drive(parent, owner, from, all.subspan(0, source.indices.size()), to,
                all.subspan(source.indices.size(), target.indices.size()), ends[k].node);
        });
      });
    }
  }

  void Drive(ComponentId parent, const ComponentClass& owner, const Place& from,
             std::span<const double> from_indices, const Place& to, std::span<const double> to_indices,
             NodeId node) {
    const auto target = Locate(parent, to, to_indices);
    if (!target) return;
    const Component& c = graph_.components[target->first.index()];
    const uint32_t first = graph_.elements[c.element.index()].input_first[to.variable];
    if (first == UINT32_MAX) return;
    const uint32_t slot = c.first_input + first + target->second;
    Driver& driver = graph_.drivers[slot];
    if (!driver_node_[slot].IsNone()) {
      const SyntaxTree& tree = model_.tree(owner.origin.tree);
      diagnostics_
          .Report(messages::kInputDrivenTwice, tree.SpanOf(node),
                  {InputName(model_, graph_, target->first, first + target->second)})
          .Also(tree.SpanOf(driver_node_[slot]), "first driven here");
      return;
    }
    driver_node_[slot] = node;
    if (from.instances.size() > 1) {
      later_.push_back({parent, slot, from, {from_indices.begin(), from_indices.end()}});
      return;
    }
    const auto source = Locate(parent, from, from_indices);
    if (source) driver = {source->first, from.symbol, source->second};
  }

  void Associate(ComponentId parent, const ComponentClass& owner, const Association& association,
                 const Values& values) {
    const Reference target = ReferenceOf(association.exogenous.expression);
    if (!target.ok || association.value.IsNone()) return;
    const Place to = PlaceOf(owner, target.symbol);
    if (!to.ok || to.variable == UINT32_MAX) return;
    const Reference source = ReferenceOf(association.value);
    const Place from = source.ok ? PlaceOf(owner, source.symbol) : Place{};
    std::vector<ExprId> formulas(target.indices.begin(), target.indices.end());
    formulas.insert(formulas.end(), source.indices.begin(), source.indices.end());
    Environment<double> environment = EnvironmentOf(values);
    Workspace<double> workspace;
    const Tape tape(pool_, formulas);
    std::vector<double> numbers(formulas.size());
    OverLoops(owner, association.loops, 0, values.scalars, environment, [&] {
      if (!formulas.empty()) EvaluateDouble(tape, environment, workspace, numbers);
      const std::span<const double> all(numbers);
      const auto at = Locate(parent, to, all.subspan(0, target.indices.size()));
      if (!at) return;
      std::vector<Replacement> turn;
      for (uint32_t k = 0; k < association.loops.count; ++k) {
        const SymbolId symbol = owner.loops[association.loops.first + k].symbol;
        turn.emplace_back(symbol, pool_.Number(environment.scalars[symbol.index()]));
      }
      GraphAssociation out{at->first, to.variable, at->second, parent, association.value, {}};
      if (!turn.empty()) out.value = Substitute(pool_, out.value, turn);
      if (from.ok) {
        const auto place = Locate(parent, from, all.subspan(target.indices.size()));
        if (place) out.source = {place->first, from.symbol, place->second};
      }
      graph_.associations.push_back(out);
    });
  }

  // --- Vertices and edges ------------------------------------------------------------------------------

  void Number() {
    ResolveLater();
    const size_t domain_count = model_.domains.size();
    std::vector<bool> used(domain_count, false);
    LargeVector<uint32_t> vertex_of_joint(domain_count + terminals_, UINT32_MAX);
    // Only what an edge touches is a vertex.
    std::vector<uint32_t> count(domain_count, 0);
    for (const Component& c : graph_.components) {
      for (const ElementEdge& e : graph_.elements[c.element.index()].edges)
        used[domain_order_[e.domain.index()]] = true;
    }
    for (uint32_t d = 0; d < domain_count; ++d) {
      if (used[d]) vertex_of_joint[d] = count[d]++;
    }
    const auto touch = [&](uint32_t slot, uint32_t domain) {
      const uint32_t root = joints_.Find(JointOf(slot));
      if (vertex_of_joint[root] == UINT32_MAX) vertex_of_joint[root] = count[domain]++;
    };
    for (const Component& c : graph_.components) {
      for (const ElementEdge& e : graph_.elements[c.element.index()].edges) {
        const uint32_t domain = domain_order_[e.domain.index()];
        touch(c.first_terminal + e.from, domain);
        if (e.to != UINT32_MAX) touch(c.first_terminal + e.to, domain);
      }
    }
    std::vector<uint32_t> first(domain_count + 1, 0);
    for (uint32_t d = 0; d < domain_count; ++d) first[d + 1] = first[d] + count[d];
    std::vector<uint32_t> graph_of(domain_count, UINT32_MAX);
    for (uint32_t d = 0; d < domain_count; ++d) {
      if (!used[d]) continue;
      graph_of[d] = static_cast<uint32_t>(graph_.domains.size());
      graph_.domains.push_back({DomainId(domains_by_name_[d]), VertexId(first[d]), count[d], {}});
    }
    graph_.edges.reserve(edges_);
    graph_.vertex_of_terminal.assign(terminals_, VertexId::None());
    graph_.first_terminal_of_vertex.assign(first.back(), UINT32_MAX);
    std::vector<size_t> edge_count(domain_count, 0);
    for (const Component& c : graph_.components) {
      for (const ElementEdge& e : graph_.elements[c.element.index()].edges)
        ++edge_count[domain_order_[e.domain.index()]];
    }
    for (uint32_t d = 0; d < domain_count; ++d) {
      if (graph_of[d] != UINT32_MAX) graph_.domains[graph_of[d]].edges.reserve(edge_count[d]);
    }
    for (uint32_t i = 0; i < graph_.components.size(); ++i) {
      const Component& c = graph_.components[i];
      for (const ElementEdge& e : graph_.elements[c.element.index()].edges) {
        const uint32_t d = domain_order_[e.domain.index()];
        const auto vertex = [&](uint32_t slot) {
          return VertexId(first[d] + vertex_of_joint[joints_.Find(JointOf(c.first_terminal + slot))]);
        };
        const VertexId from = vertex(e.from);
        const VertexId to = e.to == UINT32_MAX ? VertexId(first[d]) : vertex(e.to);
        graph_.domains[graph_of[d]].edges.push_back(EdgeId(graph_.edges.size()));
        graph_.edges.push_back({ComponentId(i), from, to});
        Name(c.first_terminal + e.from, from);
        if (e.to != UINT32_MAX) Name(c.first_terminal + e.to, to);
      }
      // Terminals of composites, and of parts without an edge there.
      const ElementClass& element = graph_.elements[c.element.index()];
      if (!element.composite) continue;
      for (uint32_t slot = 0; slot < element.terminals(); ++slot) {
        const Terminal& terminal = model_[element.class_id].terminals[element.slot_terminal[slot]];
        const uint32_t local = vertex_of_joint[joints_.Find(JointOf(c.first_terminal + slot))];
        if (local != UINT32_MAX)
          Name(c.first_terminal + slot, VertexId(first[domain_order_[terminal.domain.index()]] + local));
      }
    }
  }

  void Name(uint32_t terminal, VertexId vertex) {
    graph_.vertex_of_terminal[terminal] = vertex;
    uint32_t& name = graph_.first_terminal_of_vertex[vertex.index()];
    name = std::min(name, terminal);
  }

  uint32_t Slot(const GraphAssociation& a) const {
    return graph_.ElementOf(a.component).input_first[a.variable] + a.index;
  }

  // Signals read from inside composites, and associations: when everything is there.
  void ResolveLater() {
    if (later_.empty() && with_associations_.empty()) return;
    for (uint32_t i = 0; i < graph_.components.size(); ++i) {
      const Component& c = graph_.components[i];
      if (c.scope == UINT32_MAX || c.index != 0) continue;
      const Scope& scope = graph_.scopes[c.scope];
      inner_first_[(uint64_t{scope.parent.value} << 32) | scope.instance] = i;
    }
    all_made_ = true;
    for (const Later& later : later_) {
      const auto source = Locate(later.parent, later.place, later.indices);
      if (source) graph_.drivers[later.slot] = {source->first, later.place.symbol, source->second};
    }
    for (const Pending& next : with_associations_) {
      const ComponentClass& owner = model_[graph_.ElementOf(next.component).class_id];
      places_.clear();
      for (const Association& association : owner.associations)
        Associate(next.component, owner, association, *next.values);
    }
    std::sort(graph_.associations.begin(), graph_.associations.end(),
              [this](const GraphAssociation& a, const GraphAssociation& b) {
                return std::tuple(a.component, Slot(a)) < std::tuple(b.component, Slot(b));
              });
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
};

}  // namespace

SystemGraph BuildSystemGraph(Model& model, ClassId system, Diagnostics& diagnostics,
                             const GraphLimits& limits) {
  return Builder(model, system, diagnostics, limits).Run();
}

}  // namespace cotree
