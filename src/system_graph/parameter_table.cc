// SPDX-License-Identifier: Apache-2.0
#include "system_graph/parameter_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>

#include "expr/dependence.h"
#include "expr/evaluate.h"
#include "expr/print_text.h"
#include "expr/walk.h"
#include "system_graph/element_table.h"
#include "system_graph/inner_settings.h"

namespace cotree {
namespace {

// Where a parameter gets its value: the argument, or else the instance; of the system itself, its
// declaration.
Span ParameterPlace(const Model& model, const SystemGraph& graph, ComponentId id, uint32_t parameter) {
  const Component& c = graph.components[id.index()];
  if (c.scope == UINT32_MAX) return model.SpanOf(graph.ClassOf(model, id).parameters[parameter].origin);
  const Scope& scope = graph.scopes[c.scope];
  const ComponentClass& outer = graph.ClassOf(model, scope.parent);
  const Instance& instance = outer.instances[scope.instance];
  for (uint32_t i = 0; i < instance.argument_count; ++i) {
    const Argument& argument = outer.arguments[instance.first_argument + i];
    if (argument.path == UINT32_MAX && argument.parameter == parameter)
      return model.tree(outer.origin.tree).SpanOf(argument.node);
  }
  return ComponentPlace(model, graph, id);
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/* Components come parents first, so the values of the surroundings are there when they are asked for. */
class Filler {
 public:
  Filler(const Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars, bool share)
      : model_(model), pool_(model.expressions), graph_(graph), scalars_(scalars), share_(share) {
    outer_.scalars.assign(pool_.symbol_count(), kNone);
    inner_.scalars.assign(pool_.symbol_count(), kNone);
    outer_.call = inner_.call = TableCalls(model);
    for (const SystemSetting& s : graph.settings) {
      if (!s.path.empty()) given_[0].push_back(s);
    }
    for (uint32_t k = 1; k <= 8; ++k) {
      const auto symbol = pool_.FindSymbol("#" + std::to_string(k));
      index_symbols_.push_back(symbol.value_or(SymbolId::None()));
    }
    layouts_.resize(graph.elements.size());
  }

  ParameterTable Run();

 private:
  /** How the parameters of an element class lie, and in which order defaults can be evaluated. */
  struct Layout {
    bool made = false;
    std::vector<uint32_t> first, count;  // by parameter, in the block
    std::vector<uint32_t> order;
    bool plain = true;                 // all defaults are numbers
    bool bounded = false;              // some parameter has bounds
    bool same_bounds = true;           // they are numbers, and these:
    std::vector<NumberBounds> bounds;  // by place in the block
    std::vector<std::vector<size_t>> sizes;
  };
  static void Give(const Layout& layout, const SystemSetting& setting, std::vector<double>& block);
  const Layout& LayoutOf(ElementId id);
  void Enter(ComponentId parent);
  void Show(Environment<double>& environment, ElementId element, std::span<const double> block, bool clear);
  const Tape& TapeOf(ExprId expr);
  double Evaluate(ExprId expr, Environment<double>& environment);
  void SetIndices(Environment<double>& environment, const std::vector<size_t>& sizes, uint32_t element);
  void FillBlock(ComponentId id, const Layout& layout, std::vector<double>& block);
  void FillDefaults(ElementId element, const Layout& layout, std::vector<double>& block);
  void FindMissingIn(ComponentId id, const Layout& layout, const std::vector<double>& block);
  void FindBrokenIn(ComponentId id, const Layout& layout, const std::vector<double>& block);
  void FetchAhead(size_t component) const;
  uint32_t Store(ElementId element, const std::vector<double>& block);

  const Model& model_;
  const ExprPool& pool_;
  const SystemGraph& graph_;
  const std::vector<ScalarElement>& scalars_;
  bool share_;
  std::vector<SymbolId> index_symbols_;
  std::vector<Layout> layouts_;
  std::unordered_map<uint32_t, std::unique_ptr<Tape>> tapes_;
  std::unordered_map<uint32_t, std::vector<SystemSetting>> given_;  // by composite
  std::unordered_map<uint64_t, uint32_t> blocks_;
  Environment<double> outer_, inner_;
  Workspace<double> workspace_;
  ComponentId entered_;
  ParameterTable out_;
};

const Filler::Layout& Filler::LayoutOf(ElementId id) {
  Layout& layout = layouts_[id.index()];
  if (layout.made) return layout;
  layout.made = true;
  const ElementClass& element = graph_.elements[id.index()];
  const ComponentClass& cls = model_[element.class_id];
  const size_t n = cls.parameters.size();
  layout.first.assign(n, 0);
  layout.count.assign(n, 0);
  layout.sizes.resize(n);
  const auto& scalar = scalars_[id.index()].parameters;
  for (uint32_t k = 0; k < scalar.size(); ++k) {
    if (layout.count[scalar[k].parameter]++ == 0) layout.first[scalar[k].parameter] = k;
  }
  std::unordered_map<uint32_t, uint32_t> of_symbol;
  for (uint32_t p = 0; p < n; ++p) {
    of_symbol[cls.parameters[p].symbol.value] = p;
    std::vector<uint32_t> sizes;
    CountElements(model_, cls.parameters[p].shape, element.values, &sizes);
    layout.sizes[p].assign(sizes.begin(), sizes.end());
  }
  for (const Parameter& p : cls.parameters) {
    layout.bounded =
        layout.bounded || HasBounds(model_, p.type, p.bounds) || p.type.base == BaseType::kInteger;
    layout.same_bounds = layout.same_bounds && !p.bounds.rising;
    for (const ExprId bound : {p.bounds.min, p.bounds.max, p.bounds.above, p.bounds.below})
      layout.same_bounds = layout.same_bounds && (bound.IsNone() || pool_.IsNumber(bound));
  }
  if (layout.bounded && layout.same_bounds)
    layout.bounds = FindBlockBounds(model_, cls, scalars_[id.index()], {});
  std::vector<uint8_t> done(n, 0);
  for (uint32_t p = 0; p < n; ++p) {
    std::vector<uint32_t> stack{p};
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      if (done[at] == 2) {
        stack.pop_back();
        continue;
      }
      const ExprId value = cls.parameters[at].value;
      if (done[at] == 0 && !value.IsNone() && !pool_.IsNumber(value)) {
        layout.plain = false;
        done[at] = 1;
        for (const Dependence& d : FindDependence(pool_, value)) {
          const auto other = of_symbol.find(d.base.value);
          if (other != of_symbol.end() && done[other->second] == 0) stack.push_back(other->second);
        }
        if (stack.back() != at) continue;
      }
      done[at] = 2;
      layout.order.push_back(at);
      stack.pop_back();
    }
  }
  return layout;
}

// Makes the parameters of a component visible to expressions, or hides them again.
void Filler::Show(Environment<double>& environment, ElementId element, std::span<const double> block,
                  bool clear) {
  const ComponentClass& cls = model_[graph_.elements[element.index()].class_id];
  const Layout& layout = LayoutOf(element);
  if (clear) environment.arrays.clear();
  for (uint32_t p = 0; p < cls.parameters.size(); ++p) {
    const SymbolId symbol = cls.parameters[p].symbol;
    if (layout.sizes[p].empty()) {
      environment.scalars[symbol.index()] = clear || layout.count[p] == 0 ? kNone : block[layout.first[p]];
    } else if (!clear) {
      const auto part = block.subspan(layout.first[p], layout.count[p]);
      environment.arrays.push_back({symbol, layout.sizes[p], {part.begin(), part.end()}});
    }
  }
}

void Filler::Enter(ComponentId parent) {
  if (entered_ == parent) return;
  if (!entered_.IsNone()) Show(outer_, graph_.components[entered_.index()].element, {}, true);
  const ElementId element = graph_.components[parent.index()].element;
  Show(outer_, element, out_.Of(parent, scalars_[element.index()]), false);
  entered_ = parent;
}

const Tape& Filler::TapeOf(ExprId expr) {
  auto& tape = tapes_[expr.value];
  if (!tape) tape = std::make_unique<Tape>(pool_, std::span(&expr, 1));
  return *tape;
}

double Filler::Evaluate(ExprId expr, Environment<double>& environment) {
  // [a, b, c][#1]: the element alone, or n elements would cost n * n.
  while (pool_.op(expr) == Op::kElement && pool_.op(pool_.operand(expr, 0)) == Op::kArray &&
         pool_.operands(expr).size() == 2 && pool_.IsSymbol(pool_.operand(expr, 1))) {
    const ExprId list = pool_.operand(expr, 0);
    const double index = environment.scalars[pool_.SymbolOf(pool_.operand(expr, 1)).index()];
    if (!(index >= 1 && index <= static_cast<double>(pool_.operands(list).size()))) return kNone;
    expr = pool_.operand(list, static_cast<size_t>(index) - 1);
  }
  if (pool_.IsNumber(expr)) return pool_.NumberValue(expr);
  double value = kNone;
  EvaluateDouble(TapeOf(expr), environment, workspace_, std::span(&value, 1));
  return value;
}

void Filler::SetIndices(Environment<double>& environment, const std::vector<size_t>& sizes,
                        uint32_t element) {
  for (size_t k = sizes.size(); k-- > 0;) {
    if (k < index_symbols_.size() && !index_symbols_[k].IsNone())
      environment.scalars[index_symbols_[k].index()] = static_cast<double>(element % sizes[k] + 1);
    element /= static_cast<uint32_t>(sizes[k]);
  }
}

void Filler::FillDefaults(ElementId element, const Layout& layout, std::vector<double>& block) {
  const ComponentClass& cls = model_[graph_.elements[element.index()].class_id];
  if (!layout.plain) Show(inner_, element, block, false);
  for (const uint32_t p : layout.order) {
    const Parameter& parameter = cls.parameters[p];
    if (!parameter.value.IsNone()) {
      for (uint32_t k = 0; k < layout.count[p]; ++k) {
        if (!std::isnan(block[layout.first[p] + k])) continue;
        if (!layout.sizes[p].empty()) SetIndices(inner_, layout.sizes[p], k);
        block[layout.first[p] + k] = Evaluate(parameter.value, inner_);
      }
    }
    if (layout.plain) continue;
    if (layout.sizes[p].empty()) {
      if (layout.count[p] > 0) inner_.scalars[parameter.symbol.index()] = block[layout.first[p]];
    } else {
      for (auto& array : inner_.arrays) {
        if (array.symbol != parameter.symbol) continue;
        for (uint32_t k = 0; k < layout.count[p]; ++k) array.elements[k] = block[layout.first[p] + k];
      }
    }
  }
  if (!layout.plain) Show(inner_, element, {}, true);
}

void Filler::Give(const Layout& layout, const SystemSetting& setting, std::vector<double>& block) {
  const uint32_t p = setting.parameter;
  for (uint32_t k = 0; k < layout.count[p]; ++k) {
    if (setting.elements.Has(k, layout.sizes[p])) block[layout.first[p] + k] = setting.value;
  }
}

void Filler::FillBlock(ComponentId id, const Layout& layout, std::vector<double>& block) {
  const Component& c = graph_.components[id.index()];
  if (c.scope != UINT32_MAX) {
    const Scope& scope = graph_.scopes[c.scope];
    const ComponentClass& owner = graph_.ClassOf(model_, scope.parent);
    const Instance& instance = owner.instances[scope.instance];
    if (instance.argument_count > 0) Enter(scope.parent);
    std::vector<size_t> own_sizes;
    if (scope.shape != UINT32_MAX)
      own_sizes.assign(graph_.shapes[scope.shape].begin(), graph_.shapes[scope.shape].end());
    for (uint32_t i = 0; i < instance.argument_count; ++i) {
      const Argument& argument = owner.arguments[instance.first_argument + i];
      if (argument.path != UINT32_MAX) {
        if (argument.per_element) SetIndices(outer_, own_sizes, c.index);
        const size_t first = argument.per_element ? own_sizes.size() : 0;
        for (SystemSetting& inner : InnerSettings(
                 model_, model_[instance.class_id], graph_.elements[c.element.index()].values,
                 owner.paths[argument.path], argument, [&](const std::vector<uint32_t>& element) {
                   for (size_t k = 0; k < element.size() && first + k < index_symbols_.size(); ++k) {
                     if (!index_symbols_[first + k].IsNone())
                       outer_.scalars[index_symbols_[first + k].index()] = element[k] + 1.0;
                   }
                   return Evaluate(argument.value, outer_);
                 }))
          given_[id.value].push_back(std::move(inner));
        continue;
      }
      const uint32_t p = argument.parameter;
      for (uint32_t k = 0; k < layout.count[p]; ++k) {
        // The indices of the instance come before those of the parameter.
        std::vector<size_t> sizes;
        uint32_t element = k;
        if (argument.per_element) {
          sizes = own_sizes;
          uint32_t inside = 1;
          for (const size_t s : layout.sizes[p]) {
            sizes.push_back(s);
            inside *= static_cast<uint32_t>(s);
          }
          element = c.index * inside + k;
        } else {
          sizes = layout.sizes[p];
        }
        if (!sizes.empty()) SetIndices(outer_, sizes, element);
        block[layout.first[p] + k] = Evaluate(argument.value, outer_);
      }
    }
    const auto from_outside = given_.find(scope.parent.value);
    if (from_outside != given_.end()) {
      const std::vector<SystemSetting> all = from_outside->second;
      for (const SystemSetting& g : all) {
        if (g.path.front().instance != scope.instance || !g.path.front().elements.Has(c.index, own_sizes))
          continue;
        if (g.path.size() > 1)
          given_[id.value].push_back(WithoutFirst(g));
        else
          Give(layout, g, block);
      }
    }
  }
  if (id.value == 0) {
    for (const SystemSetting& s : graph_.settings) {
      if (s.path.empty()) Give(layout, s, block);
    }
  }
  FillDefaults(c.element, layout, block);
}

// The first number that is none, and what in its formula is to blame: the innermost that has no value though
// all that it is made of have one.
void Filler::FindMissingIn(ComponentId id, const Layout& layout, const std::vector<double>& block) {
  const Component& c = graph_.components[id.index()];
  const ComponentClass& cls = graph_.ClassOf(model_, id);
  const auto& parameters = scalars_[c.element.index()].parameters;
  uint32_t k = 0;
  while (k < block.size() &&
         (std::isfinite(block[k]) || cls.parameters[parameters[k].parameter].type.base == BaseType::kString))
    ++k;
  if (k == block.size()) return;
  const uint32_t p = parameters[k].parameter;
  const std::string owner_name = ComponentName(model_, graph_, id);
  out_.missing = (owner_name.empty() ? owner_name : owner_name + ".") + model_.Text(cls.parameters[p].name);
  out_.missing_place = model_.SpanOf(cls.parameters[p].origin);
  ExprId formula = cls.parameters[p].value;
  Environment<double>* seen = &inner_;
  std::vector<size_t> sizes = layout.sizes[p];
  uint32_t element = k - layout.first[p];
  if (c.scope != UINT32_MAX) {
    const Scope& scope = graph_.scopes[c.scope];
    const ComponentClass& owner = graph_.ClassOf(model_, scope.parent);
    const Instance& instance = owner.instances[scope.instance];
    out_.missing_place = ComponentPlace(model_, graph_, id);
    for (uint32_t i = 0; i < instance.argument_count; ++i) {
      const Argument& argument = owner.arguments[instance.first_argument + i];
      if (argument.path != UINT32_MAX || argument.parameter != p) continue;
      formula = argument.value;
      out_.missing_place = model_.tree(owner.origin.tree).SpanOf(argument.node);
      seen = &outer_;
      Enter(scope.parent);
      if (!argument.per_element) continue;
      element += c.index * layout.count[p];
      if (scope.shape != UINT32_MAX)
        sizes.insert(sizes.begin(), graph_.shapes[scope.shape].begin(), graph_.shapes[scope.shape].end());
    }
  }
  if (formula.IsNone()) return;
  if (seen == &inner_) Show(inner_, c.element, block, false);
  SetIndices(*seen, sizes, element);
  ExprOrder order;
  FindOrder(pool_, std::span(&formula, 1), &order);
  std::vector<bool> finite;
  for (const ExprId node : order.nodes) {
    const double value = Evaluate(node, *seen);
    const bool array = pool_.op(node) == Op::kArray ||
                       (pool_.IsSymbol(node) &&
                        std::any_of(seen->arrays.begin(), seen->arrays.end(),
                                    [&](const auto& known) { return known.symbol == pool_.SymbolOf(node); }));
    finite.push_back(std::isfinite(value) || array);
    bool inside = true;
    for (const ExprId operand : pool_.operands(node)) inside = inside && finite[order.PositionOf(operand)];
    if (finite.back() || !inside || pool_.IsSymbol(node)) continue;
    // 1/0, 0^-1.
    const Op op = pool_.op(node);
    const bool divides = (op == Op::kDivide && Evaluate(pool_.operand(node, 1), *seen) == 0) ||
                         (op == Op::kPower && Evaluate(pool_.operand(node, 0), *seen) == 0);
    out_.missing_reason = "`" + PrintText(pool_, node) + "` " +
                          (std::isnan(value) ? "is not a number"
                           : divides         ? "divides by zero"
                                             : "is beyond the largest number");
    break;
  }
  if (seen == &inner_) Show(inner_, c.element, {}, true);
}

void Filler::FindBrokenIn(ComponentId id, const Layout& layout, const std::vector<double>& block) {
  constexpr size_t kMostBroken = 100;
  if (!layout.bounded || out_.broken.size() >= kMostBroken) return;
  const ScalarElement& scalar = scalars_[graph_.components[id.index()].element.index()];
  std::vector<NumberBounds> own;
  if (!layout.same_bounds) own = FindBlockBounds(model_, graph_.ClassOf(model_, id), scalar, block);
  const std::vector<NumberBounds>& bounds = layout.same_bounds ? layout.bounds : own;
  for (uint32_t k = 0; k < block.size() && out_.broken.size() < kMostBroken; ++k) {
    if (const auto broken = FindBroken(bounds[k], block[k]))
      out_.broken.push_back({id, k, block[k], *broken});
  }
}

// With settings nothing is shared by chance: other settings change the numbers, never the places.
uint32_t Filler::Store(ElementId element, const std::vector<double>& block) {
  const auto first = static_cast<uint32_t>(out_.values.size());
  if (!graph_.settings.empty()) {
    out_.values.insert(out_.values.end(), block.begin(), block.end());
    return first;
  }
  uint64_t hash = element.value * 0x9E3779B97F4A7C15ull + block.size();
  for (const double v : block) {
    hash ^= std::bit_cast<uint64_t>(v);
    hash *= 0xFF51AFD7ED558CCDull;
    hash ^= hash >> 32;
  }
  const auto [at, fresh] = blocks_.try_emplace(hash, static_cast<uint32_t>(out_.values.size()));
  if (share_ && !fresh && at->second + block.size() <= out_.values.size()) {
    bool equal = true;
    for (size_t k = 0; k < block.size(); ++k)
      equal =
          equal && std::bit_cast<uint64_t>(out_.values[at->second + k]) == std::bit_cast<uint64_t>(block[k]);
    if (equal) return at->second;
  }
  out_.values.insert(out_.values.end(), block.begin(), block.end());
  return first;
}

// The text may have any order: the declarations of components that come soon are fetched now.
void Filler::FetchAhead(size_t i) const {
  const auto instance = [&](size_t at, const ComponentClass** owner) -> const Instance* {
    if (at >= graph_.components.size() || graph_.components[at].scope == UINT32_MAX) return nullptr;
    const Scope& scope = graph_.scopes[graph_.components[at].scope];
    *owner = &graph_.ClassOf(model_, scope.parent);
    return &(*owner)->instances[scope.instance];
  };
  const ComponentClass* owner = nullptr;
  if (const Instance* far = instance(i + 32, &owner)) __builtin_prefetch(far);
  if (const Instance* near = instance(i + 16, &owner); near != nullptr && near->argument_count > 0)
    __builtin_prefetch(&owner->arguments[near->first_argument]);
}

ParameterTable Filler::Run() {
  out_.first.resize(graph_.components.size());
  std::vector<double> block;
  uint32_t last_scope = UINT32_MAX - 1;
  bool shared = false;
  for (uint32_t i = 0; i < graph_.components.size(); ++i) {
    const Component& c = graph_.components[i];
    FetchAhead(i);
    if (i > 0 && c.scope == last_scope && shared && c.element == graph_.components[i - 1].element) {
      out_.first[i] = out_.first[i - 1];
      continue;
    }
    const Layout& layout = LayoutOf(c.element);
    const auto& parameters = scalars_[c.element.index()].parameters;
    block.assign(parameters.size(), kNone);
    FillBlock(ComponentId(i), layout, block);
    if (c.scope != last_scope) {
      last_scope = c.scope;
      shared = share_ && c.scope != UINT32_MAX;
      if (shared) {
        const Scope& scope = graph_.scopes[c.scope];
        const ComponentClass& owner = graph_.ClassOf(model_, scope.parent);
        const Instance& instance = owner.instances[scope.instance];
        // A composite passes values on to its own parts, so each one is looked at.
        shared = !model_[instance.class_id].HasInside();
        for (uint32_t k = 0; k < instance.argument_count; ++k)
          shared = shared && !owner.arguments[instance.first_argument + k].per_element;
        if (const auto given = given_.find(scope.parent.value); given != given_.end()) {
          for (const SystemSetting& g : given->second)
            shared = shared && (g.path.front().instance != scope.instance || g.path.front().elements.empty());
        }
      }
    }
    if (out_.missing.empty()) FindMissingIn(ComponentId(i), layout, block);
    FindBrokenIn(ComponentId(i), layout, block);
    out_.first[i] = Store(c.element, block);
  }
  return std::move(out_);
}

}  // namespace

ParameterTable FindParameters(const Model& model, const SystemGraph& graph,
                              const std::vector<ScalarElement>& scalars, bool share) {
  return Filler(model, graph, scalars, share).Run();
}

std::vector<NumberBounds> FindBlockBounds(const Model& model, const ComponentClass& cls,
                                          const ScalarElement& scalar, std::span<const double> block) {
  ParameterValues values;
  for (size_t k = 0; k < block.size(); ++k) {
    const Parameter& p = cls.parameters[scalar.parameters[k].parameter];
    if (p.shape.empty()) values[p.symbol.value] = block[k];
  }
  std::vector<ArrayValue<double>> arrays;
  for (size_t k = 0; k < block.size(); ++k) {
    const Parameter& p = cls.parameters[scalar.parameters[k].parameter];
    if (p.shape.empty()) continue;
    if (scalar.parameters[k].element == 0) {
      std::vector<uint32_t> sizes;
      CountElements(model, p.shape, values, &sizes);
      arrays.push_back({p.symbol, {sizes.begin(), sizes.end()}, {}});
    }
    arrays.back().elements.push_back(block[k]);
  }
  std::vector<NumberBounds> out;
  out.reserve(scalar.parameters.size());
  for (const ScalarParameter& own : scalar.parameters) {
    const Parameter& p = cls.parameters[own.parameter];
    out.push_back(HasBounds(model, p.type, p.bounds) ? FindBounds(model, p.type, p.bounds, values, arrays)
                                                     : NumberBounds{});
    const size_t k = out.size() - 1;
    if (p.type.base == BaseType::kInteger) {  // which are counted exactly below 2^53
      out[k].above = std::max(out[k].above, -0x1p53);
      out[k].below = std::min(out[k].below, 0x1p53);
    }
    if (p.bounds.rising && k > 0 && scalar.parameters[k - 1].parameter == own.parameter)
      out[k].above = std::max(out[k].above, block[k - 1]);
  }
  return out;
}

void ReportBroken(const Model& model, const SystemGraph& graph, const std::vector<ScalarElement>& scalars,
                  const ParameterTable& table, Diagnostics& diagnostics) {
  for (const ParameterTable::Broken& broken : table.broken) {
    const Component& c = graph.components[broken.component.index()];
    const ComponentClass& cls = graph.ClassOf(model, broken.component);
    const ScalarParameter& own = scalars[c.element.index()].parameters[broken.parameter];
    const Parameter& p = cls.parameters[own.parameter];
    const std::string owner = ComponentName(model, graph, broken.component);
    const std::string name =
        (owner.empty() ? owner : owner + ".") + std::string(model.expressions.SymbolName(own.symbol));
    const Span where = ParameterPlace(model, graph, broken.component, own.parameter);
    ReportBroken(model, p.type, name, broken.value, broken.bound, where,
                 c.scope == UINT32_MAX ? nullptr : &p.origin, diagnostics);
  }
}

}  // namespace cotree
