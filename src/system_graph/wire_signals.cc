// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "expr/substitute.h"
#include "model/diagnostics.h"
#include "system_graph/diagnostics.h"
#include "system_graph/graph_builder.h"

namespace cotree {

namespace messages = system_graph_messages;

// What the symbol `motor.armature.i` of `owner` is in the class at the end of the path. Once per symbol and
// composite.
const GraphBuilder::Place& GraphBuilder::PlaceOf(const ComponentClass& owner, SymbolId symbol) {
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

GraphBuilder::Reference GraphBuilder::ReferenceOf(ExprId expr) const {
  if (pool_.IsSymbol(expr)) return {pool_.SymbolOf(expr), {}, true};
  if (pool_.op(expr) != Op::kElement || !pool_.IsSymbol(pool_.operand(expr, 0))) return {};
  return {pool_.SymbolOf(pool_.operand(expr, 0)), pool_.operands(expr).subspan(1), true};
}

// The component and flat element index a reference means, its indices being numbers (from 1).
std::optional<std::pair<ComponentId, uint32_t>> GraphBuilder::Locate(ComponentId parent, const Place& place,
                                                                     std::span<const double> indices) {
  ComponentId at = parent;
  size_t used = 0;
  const auto flat = [&](std::span<const uint32_t> sizes) -> std::optional<uint32_t> {
    uint64_t out = 0;
    for (const uint32_t size : sizes) {
      if (used >= indices.size()) return std::nullopt;
      const double i = indices[used++];
      if (!(i >= 1 && i <= size)) {
        outside_ = i;
        outside_size_ = size;
        return std::nullopt;
      }
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

std::vector<uint32_t> GraphBuilder::SizesOn(ComponentId parent, const Place& place) {
  std::vector<uint32_t> sizes;
  if (place.instances.size() > 1 && !all_made_) return sizes;
  ComponentId at = parent;
  for (const uint32_t instance : place.instances) {
    const uint32_t first = all_made_ ? FirstOf(at, instance) : first_of_[instance];
    if (first >= graph_.components.size()) return {};
    const Scope& scope = graph_.scopes[graph_.components[first].scope];
    if (scope.instance != instance) return {};  // an empty array
    if (scope.shape != UINT32_MAX)
      sizes.insert(sizes.end(), graph_.shapes[scope.shape].begin(), graph_.shapes[scope.shape].end());
    at = ComponentId(first);
  }
  const ElementClass& element = graph_.ElementOf(at);
  const ComponentClass& cls = model_[element.class_id];
  const SymbolId base = pool_.symbol(place.symbol).base;
  if (place.variable != UINT32_MAX)
    CountElements(model_, cls.variables[place.variable].shape, element.values, &sizes);
  for (const Edge& e : cls.edges) {
    if (e.across == base || e.through == base) CountElements(model_, e.shape, element.values, &sizes);
  }
  return sizes;
}

// The first component of an instance inside `composite`. Its members are made after those of its owner, so
// a path that reaches into a composite is looked up when everything is there.
uint32_t GraphBuilder::FirstOf(ComponentId composite, uint32_t instance) {
  const auto at = inner_first_.find((uint64_t{composite.value} << 32) | instance);
  return at == inner_first_.end() ? UINT32_MAX : at->second;
}

void GraphBuilder::Wire(ComponentId parent, const ComponentClass& owner, const Connection& connection,
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
    const Tape tape(pool_, formulas);
    Environment<double> environment = EnvironmentOf(values);
    Workspace<double> workspace;
    std::vector<double> numbers(formulas.size());
    std::vector<uint32_t> sizes;
    Values seen = values;
    OverLoops(owner, connection.loops, 0, connection.condition, connection.node, seen, environment, [&] {
      if (ends[k].member_subscripts > 0) {
        sizes.clear();
        CountElements(model_, owner.shapes[ends[k].first_subscript], seen.scalars, &sizes, seen.arrays);
        // Whole arrays are as long as they are now, whatever the text alone would make them; slices as they
        // say.
        const SyntaxTree& tree = model_.tree(owner.origin.tree);
        const auto whole = [&](NodeId node) { return tree.Text(node).find(':') == std::string_view::npos; };
        const bool both = whole(ends[0].node) && whole(ends[k].node);
        const std::vector<uint32_t> to_sizes = both ? SizesOn(parent, to) : std::vector<uint32_t>();
        const std::vector<uint32_t> from_sizes = both ? SizesOn(parent, from) : std::vector<uint32_t>();
        for (size_t d = 0; d < sizes.size(); ++d) {
          const ExprId running = pool_.Symbol(index_symbols_[d]);
          for (size_t i = 0; i < target.indices.size() && i < to_sizes.size(); ++i) {
            if (target.indices[i] == running) sizes[d] = to_sizes[i];
          }
          for (size_t i = 0; i < source.indices.size() && i < from_sizes.size(); ++i) {
            if (source.indices[i] != running || from_sizes[i] == sizes[d]) continue;
            undecided_ = true;
            ReportSizes(tree, ends[k].node, {static_cast<double>(sizes[d])},
                        {static_cast<double>(from_sizes[i])}, diagnostics_);
            return;
          }
        }
      }
      OverShape(sizes, environment, [&] {
        if (!formulas.empty()) EvaluateDouble(tape, environment, workspace, numbers);
        if (!IndicesKnown(owner, connection, formulas, numbers, seen)) return;
        const std::span<const double> all(numbers);
        Drive(parent, owner, from, all.subspan(0, source.indices.size()), to,
              all.subspan(source.indices.size(), target.indices.size()), ends[k].node);
      });
    });
  }
}

void GraphBuilder::Drive(ComponentId parent, const ComponentClass& owner, const Place& from,
                         std::span<const double> from_indices, const Place& to,
                         std::span<const double> to_indices, NodeId node) {
  outside_ = kUnknownValue;
  const auto target = Locate(parent, to, to_indices);
  if (!target) {
    if (outside_ == outside_) ReportOutside(owner, node);
    return;
  }
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
  if (!source && outside_ == outside_) ReportOutside(owner, node);
  if (source) driver = {source->first, from.symbol, source->second};
}

void GraphBuilder::Associate(ComponentId parent, const ComponentClass& owner, const Association& association,
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
  Values seen = values;
  OverLoops(owner, association.loops, 0, association.condition, association.node, seen, environment, [&] {
    if (!formulas.empty()) EvaluateDouble(tape, environment, workspace, numbers);
    const std::span<const double> all(numbers);
    outside_ = kUnknownValue;
    const auto at = Locate(parent, to, all.subspan(0, target.indices.size()));
    if (!at) {
      if (outside_ == outside_) ReportOutside(owner, association.node);
      return;
    }
    std::vector<Replacement> turn;
    for (uint32_t k = 0; k < association.loops.count; ++k) {
      const SymbolId symbol = owner.loops[association.loops.first + k].symbol;
      turn.emplace_back(symbol, pool_.Number(environment.scalars[symbol.index()]));
    }
    GraphAssociation out{at->first, to.variable, at->second, parent, association.value, {}};
    if (!turn.empty()) out.value = Substitute(pool_, out.value, turn);
    if (from.ok) {
      const auto place = Locate(parent, from, all.subspan(target.indices.size()));
      if (!place && outside_ == outside_) ReportOutside(owner, association.node);
      if (place) out.source = {place->first, from.symbol, place->second};
    }
    graph_.associations.push_back(out);
  });
}

uint32_t GraphBuilder::Slot(const GraphAssociation& a) const {
  return graph_.ElementOf(a.component).input_first[a.variable] + a.index;
}

// Signals read from inside composites, and associations: when everything is there.
void GraphBuilder::ResolveLater() {
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
  // An array of which some elements are associated needs all of them to be.
  for (size_t k = 0; k < graph_.associations.size();) {
    const GraphAssociation& first = graph_.associations[k];
    size_t count = 0;
    while (k < graph_.associations.size() && graph_.associations[k].component == first.component &&
           graph_.associations[k].variable == first.variable) {
      ++count;
      ++k;
    }
    const auto& slots = graph_.ElementOf(first.component).slot_variable;
    if (count >= static_cast<size_t>(std::count(slots.begin(), slots.end(), first.variable))) continue;
    undecided_ = true;
    diagnostics_.Report(model_messages::kNotAssociated, ComponentPlace(model_, graph_, first.component),
                        {model_.Text(graph_.ClassOf(model_, first.component).variables[first.variable].name) +
                             "[" + std::to_string(count + 1) + "]",
                         ComponentName(model_, graph_, first.component)});
  }
}

}  // namespace cotree
