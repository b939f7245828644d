// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/describe_model.h"
#include "model/diagnostics.h"
#include "system_graph/graph_builder.h"

namespace cotree {

void GraphBuilder::MarkConnected(uint32_t joint) {
  graph_.connected[joint - model_.domains.size()] = true;
}

// Where the ends of later connections lead, three steps of memory one after the other.
void GraphBuilder::FetchAhead(const ComponentClass& owner, const Connection& connection) const {
  const auto end = [&](size_t ahead) -> const Endpoint* {
    const size_t at = connection.first_endpoint + ahead;
    if (at >= owner.endpoints.size()) return nullptr;
    const Endpoint& e = owner.endpoints[at];
    return e.kind == Endpoint::Kind::kTerminal && e.instance != UINT32_MAX ? &e : nullptr;
  };
  const auto component = [&](const Endpoint& e) -> const Component* {
    const uint32_t first = first_of_[e.instance];
    return first < graph_.components.size() ? &graph_.components[first] : nullptr;
  };
  for (size_t k = 0; k < connection.endpoint_count; ++k) {
    if (const Endpoint* e = end(48 + k)) __builtin_prefetch(&first_of_[e->instance]);
    if (const Endpoint* e = end(32 + k)) {
      if (const Component* c = component(*e)) __builtin_prefetch(c);
    }
    if (const Endpoint* e = end(16 + k)) {
      if (const Component* c = component(*e)) joints_.Prefetch(JointOf(c->first_terminal));
    }
  }
}

void GraphBuilder::Join(ComponentId parent, const ComponentClass& owner, const Connection& connection,
                        const Values& values) {
  const Endpoint* ends = owner.endpoints.data() + connection.first_endpoint;
  bool single = connection.loops.count == 0;
  for (uint32_t k = 0; k < connection.endpoint_count && single; ++k) {
    if (ends[k].kind != Endpoint::Kind::kTerminal) continue;
    const Instance* instance = ends[k].instance == UINT32_MAX ? nullptr : &owner.instances[ends[k].instance];
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
      if (ends[k].kind == Endpoint::Kind::kOpen) continue;
      if (ends[k].kind == Endpoint::Kind::kGround) {
        joint = domain_order_[ends[k].member];
      } else {
        const Component& c = ComponentAt(parent, ends[k]);
        joint = JointOf(c.first_terminal + graph_.elements[c.element.index()].terminal_first[ends[k].member]);
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
  const Tape tape(pool_, formulas);
  Environment<double> environment = EnvironmentOf(values);
  Workspace<double> workspace;
  std::vector<double> numbers(formulas.size());
  Values seen = values;
  OverLoops(owner, connection.loops, 0, connection.condition, connection.node, seen, environment, [&] {
    if (!formulas.empty()) EvaluateDouble(tape, environment, workspace, numbers);
    if (!IndicesKnown(owner, connection, formulas, numbers, seen)) return;
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
      if (first_slots.size() != 1 && slots.size() != 1 && first_slots.size() != slots.size()) {
        undecided_ = true;
        ReportSizes(model_.tree(owner.origin.tree), ends[k].node, {static_cast<double>(slots.size())},
                    {static_cast<double>(first_slots.size())}, diagnostics_);
        return;
      }
      for (size_t i = 0; i < count; ++i)
        joints_.Join(first_slots[first_slots.size() == 1 ? 0 : i], slots[slots.size() == 1 ? 0 : i]);
      // What follows is joined element by element with the longer one.
      if (slots.size() > first_slots.size()) first_slots.swap(slots);
    }
  });
}

const Component& GraphBuilder::ComponentAt(ComponentId parent, const Endpoint& end) const {
  return graph_.components[end.instance == UINT32_MAX ? parent.index() : first_of_[end.instance]];
}

std::vector<GraphBuilder::Axis> GraphBuilder::AxesOf(std::span<const uint32_t> sizes,
                                                     std::span<const double> numbers, size_t given,
                                                     bool& ok) {
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
    if (axis.count > 0 && (axis.from < 0 || axis.from >= axis.size || last < 0 || last >= axis.size)) {
      ok = false;
      outside_ = static_cast<double>(axis.from < 0 || axis.from >= axis.size ? axis.from : last) + 1;
      outside_size_ = static_cast<double>(axis.size);
    }
    axes.push_back(axis);
  }
  return axes;
}

void GraphBuilder::Slots(ComponentId parent, const ComponentClass& owner, const Endpoint& end,
                         std::span<const double> numbers, std::vector<uint32_t>& out) {
  if (end.kind == Endpoint::Kind::kOpen) return;
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
  if (ok) return;
  out.clear();
  ReportOutside(owner, end.node);
}

void GraphBuilder::ReportOutside(const ComponentClass& owner, NodeId node) {
  undecided_ = true;
  if (!said_outside_.insert({owner.origin.tree.value, node.value}).second) return;
  const SyntaxTree& tree = model_.tree(owner.origin.tree);
  diagnostics_.Report(model_messages::kIndexOutOfRange, tree.SpanOf(node),
                      {NumberText(outside_), NumberText(outside_size_)});
}

}  // namespace cotree
