// SPDX-License-Identifier: Apache-2.0
#include "system_graph/scalar_element.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "expr/dependence.h"
#include "expr/substitute.h"
#include "expr/walk.h"
#include "system_graph/element_table.h"
#include "system_graph/operating_points.h"

namespace cotree {
namespace {

// A class with more turns of loops, elements or terms than this is not written out.
constexpr uint64_t kMostScalars = 4'000'000;

/* Writes the expressions of one element class out. */
class Writer {
 public:
  Writer(Model& model, const ElementClass& element)
      : model_(model), pool_(model.expressions), element_(element), cls_(model[element.class_id]) {}

  ScalarElement Run();

 private:
  struct Array {
    std::vector<uint32_t> sizes;  // empty: a single thing
  };
  void Own(ScalarVariable::Role role, uint32_t index, uint32_t element, SymbolId base, const Shape& shape);
  void AddVariables();
  void AddParameters();
  void AddEquations();
  void AddForeign();
  void AddWhens();
  void AddStarts();
  SymbolId ElementSymbol(SymbolId base, const std::vector<uint32_t>& sizes, uint32_t element);
  ExprId Scalar(ExprId expr);
  ExprId ScalarNode(ExprId id, std::span<const ExprId> operands);
  ExprId ElementOf(ExprId array, std::span<const ExprId> indices);
  uint32_t VariableOf(SymbolId base);
  uint32_t InnerVariable(SymbolId base, std::vector<uint32_t> indices);
  void Uses(ScalarEquation& equation);
  void ReadAtEvents(ExprId expr, std::span<const SymbolId> except = {});
  void AddSamples();
  void SortActions(ScalarElement::When& when);
  template <class F>
  void OverLoops(LoopRange loops, uint32_t k, std::vector<Replacement>& turn, F&& f);
  bool HoldsBetweenSamples() const;
  double Number(ExprId expr) const { return EvaluateConstant(pool_, expr, element_.values).value_or(0); }

  Model& model_;
  ExprPool& pool_;
  const ElementClass& element_;
  const ComponentClass& cls_;
  ScalarElement out_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> sizes_;  // by base symbol of an array: its sizes
  std::unordered_map<uint32_t, uint32_t> variable_of_;         // by scalar base symbol
  std::unordered_map<uint32_t, uint32_t> memo_;                // expression -> scalar expression
  std::map<uint32_t, uint32_t> event_orders_;                  // by variable
  uint64_t turns_ = 0;
};

SymbolId Writer::ElementSymbol(SymbolId base, const std::vector<uint32_t>& sizes, uint32_t element) {
  if (sizes.empty()) return base;
  std::string index;
  for (size_t k = sizes.size(); k-- > 0;) {
    index = std::to_string(element % sizes[k] + 1) + (index.empty() ? "" : ",") + index;
    element /= sizes[k];
  }
  return pool_.DeclareSymbol(std::string(pool_.SymbolName(base)) + "[" + index + "]", pool_.kind(base));
}

void Writer::Own(ScalarVariable::Role role, uint32_t index, uint32_t element, SymbolId base,
                 const Shape& shape) {
  std::vector<uint32_t> sizes;
  if (!shape.empty()) {
    CountElements(model_, shape, element_.values, &sizes);
    sizes_[base.value] = sizes;
  }
  const SymbolId symbol = ElementSymbol(base, sizes, element);
  variable_of_[symbol.value] = static_cast<uint32_t>(out_.variables.size());
  const bool edge = role == ScalarVariable::Role::kAcross || role == ScalarVariable::Role::kThrough;
  out_.variables.push_back({role, index, edge ? 0 : element, symbol});
}

// A sampled component computes at samples alone; foreign code that has states is integrated between them.
bool Writer::HoldsBetweenSamples() const {
  const bool has_states = std::any_of(cls_.variables.begin(), cls_.variables.end(),
                                      [](const Variable& v) { return v.role == VariableRole::kState; });
  return !cls_.sample_period.IsNone() && (cls_.external_library.empty() || !has_states);
}

void Writer::AddVariables() {
  using Role = ScalarVariable::Role;
  for (uint32_t k = 0; k < element_.edges.size(); ++k) {
    const ElementEdge& e = element_.edges[k];
    const Edge& edge = cls_.edges[e.edge];
    Own(Role::kAcross, k, e.index, edge.across, edge.shape);
    Own(Role::kThrough, k, e.index, edge.through, edge.shape);
  }
  std::vector<bool> in_when(cls_.variables.size(), false);
  for (const WhenClause& when : cls_.whens) {
    for (const WhenAction& action : when.actions) {
      if (action.reinit) continue;
      const ExprId target = pool_.IsSymbol(action.target) ? action.target : pool_.operand(action.target, 0);
      for (uint32_t v = 0; v < cls_.variables.size(); ++v)
        in_when[v] = in_when[v] || cls_.variables[v].symbol == pool_.symbol(pool_.SymbolOf(target)).base;
    }
  }
  std::vector<NameId> names;
  for (const Variable& v : cls_.variables) names.push_back(v.name);
  const std::vector<uint32_t> by_name = OrderOfNames(model_.names, names);
  const bool sampled = HoldsBetweenSamples();
  for (const bool discrete : {false, true}) {
    if (discrete) out_.continuous = static_cast<uint32_t>(out_.variables.size());
    for (const uint32_t v : by_name) {
      const Variable& variable = cls_.variables[v];
      if (element_.input_first[v] != UINT32_MAX && variable.role != VariableRole::kOutput) continue;
      // What only events change; a Boolean that follows a condition is computed like any other variable.
      const bool held = in_when[v] || sampled || (variable.discrete && variable.type.base == BaseType::kReal);
      if (held != discrete) continue;
      const auto count = static_cast<uint32_t>(
          std::min(CountElements(model_, variable.shape, element_.values), kMostScalars));
      for (uint32_t k = 0; k < count; ++k)
        Own(discrete ? Role::kDiscrete : Role::kVariable, v, k, variable.symbol, variable.shape);
    }
  }
  out_.owned = static_cast<uint32_t>(out_.variables.size());
  for (uint32_t slot = 0; slot < element_.slot_variable.size(); ++slot) {
    const uint32_t v = element_.slot_variable[slot];
    const Variable& variable = cls_.variables[v];
    if (variable.role == VariableRole::kOutput) continue;
    Own(Role::kInput, slot, slot - element_.input_first[v], variable.symbol, variable.shape);
    out_.variables.back().element = slot - element_.input_first[v];
  }
}

void Writer::AddParameters() {
  for (uint32_t p = 0; p < cls_.parameters.size(); ++p) {
    const Parameter& parameter = cls_.parameters[p];
    std::vector<uint32_t> sizes;
    const auto count = static_cast<uint32_t>(
        std::min(CountElements(model_, parameter.shape, element_.values, &sizes), kMostScalars));
    if (!parameter.shape.empty()) sizes_[parameter.symbol.value] = sizes;
    for (uint32_t k = 0; k < count; ++k)
      out_.parameters.push_back({p, k, ElementSymbol(parameter.symbol, sizes, k)});
  }
}

uint32_t Writer::InnerVariable(SymbolId base, std::vector<uint32_t> indices) {
  std::string name(pool_.SymbolName(base));
  name += "[";
  for (const uint32_t i : indices) name += std::to_string(i) + ",";
  const SymbolId symbol = indices.empty() ? base : pool_.DeclareSymbol(name + "]", pool_.kind(base));
  const auto [at, fresh] = variable_of_.try_emplace(symbol.value, out_.variables.size());
  if (fresh) {
    out_.variables.push_back(
        {ScalarVariable::Role::kInner, static_cast<uint32_t>(out_.inner.size()), 0, symbol});
    out_.inner.push_back({base, std::move(indices)});
  }
  return at->second;
}

ExprId Writer::ElementOf(ExprId array, std::span<const ExprId> indices) {
  if (!pool_.IsSymbol(array)) return pool_.Element(array, indices);
  const SymbolId symbol = pool_.SymbolOf(array);
  const SymbolInfo info = pool_.symbol(symbol);
  const auto known = sizes_.find(info.base.value);
  std::vector<uint32_t> numbers;
  for (size_t k = 0; k < indices.size(); ++k) {
    const auto number = pool_.AsInteger(indices[k]);
    if (number && *number >= 1 && *number <= UINT32_MAX) {
      numbers.push_back(static_cast<uint32_t>(*number));
      continue;
    }
    if (known == sizes_.end() || k >= known->second.size()) {
      out_.refused = "an index that varies cannot be followed into parts";
      return pool_.Zero();
    }
    // An index that varies: one branch an element.
    ExprId chain = pool_.Zero();
    std::vector<ExprId> with(indices.begin(), indices.end());
    turns_ += known->second[k];
    if (turns_ > kMostScalars) out_.refused = "it has too many elements to be written out";
    for (uint32_t i = known->second[k]; i >= 1 && out_.refused.empty(); --i) {
      with[k] = pool_.Number(i);
      const ExprId value = ElementOf(array, with);
      chain = i == known->second[k] ? value : pool_.If(pool_.LessEqual(indices[k], with[k]), value, chain);
    }
    return chain;
  }
  if (known == sizes_.end()) {
    const uint32_t v = InnerVariable(info.base, numbers);
    return pool_.Symbol(out_.variables[v].symbol, static_cast<int>(info.order));
  }
  uint64_t flat = 0;
  for (size_t k = 0; k < numbers.size() && k < known->second.size(); ++k)
    flat = flat * known->second[k] + numbers[k] - 1;
  return pool_.Symbol(ElementSymbol(info.base, known->second, static_cast<uint32_t>(flat)),
                      static_cast<int>(info.order));
}

ExprId Writer::ScalarNode(ExprId id, std::span<const ExprId> operands) {
  switch (pool_.op(id)) {
    case Op::kElement:
      return ElementOf(pool_.operand(id, 0), operands.subspan(1));
    case Op::kSumOver: {
      const double from = Number(operands[0]), to = Number(operands[1]);
      std::vector<ExprId> terms;
      turns_ += to >= from ? static_cast<uint64_t>(to - from + 1) : 0;
      if (turns_ > kMostScalars) {
        out_.refused = "it has too many terms to be written out";
        return pool_.Zero();
      }
      for (double i = from; i <= to; ++i)
        terms.push_back(Scalar(Substitute(pool_, pool_.operand(id, 2), pool_.SymbolOf(id), pool_.Number(i))));
      return pool_.Sum(terms);
    }
    default:
      return pool_.Rebuild(id, operands);
  }
}

/* Loops, not recursion, but for sums within sums. */
ExprId Writer::Scalar(ExprId root) {
  if (root.IsNone()) return root;
  std::vector<ExprId> stack{root};
  std::vector<ExprId> operands;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    if (memo_.count(id.value) > 0) {
      stack.pop_back();
      continue;
    }
    if (pool_.operands(id).empty()) {
      memo_[id.value] = id.value;
      stack.pop_back();
      continue;
    }
    const auto below = pool_.operands(id);
    const size_t first = pool_.op(id) == Op::kElement && pool_.IsSymbol(below[0]) ? 1 : 0;
    const size_t end = pool_.op(id) == Op::kSumOver ? 2 : below.size();
    bool ready = true;
    for (size_t k = first; k < end; ++k) {
      if (memo_.count(below[k].value) == 0) {
        stack.push_back(below[k]);
        ready = false;
      }
    }
    if (!ready) continue;
    operands.assign(below.begin(), below.end());
    bool same = pool_.op(id) != Op::kElement && pool_.op(id) != Op::kSumOver;
    for (size_t k = first; k < end; ++k) {
      operands[k] = ExprId(memo_[below[k].value]);
      same = same && operands[k] == below[k];
    }
    const std::vector<ExprId> own = operands;
    const ExprId value = same ? id : ScalarNode(id, own);
    memo_[id.value] = value.value;
    stack.pop_back();
  }
  return ExprId(memo_[root.value]);
}

template <class F>
void Writer::OverLoops(LoopRange loops, uint32_t k, std::vector<Replacement>& turn, F&& f) {
  if (k == loops.count) {
    f();
    return;
  }
  const Loop& loop = cls_.loops[loops.first + k];
  const double from = Number(Substitute(pool_, loop.from, turn));
  const double to = Number(Substitute(pool_, loop.to, turn));
  for (double i = from; i <= to && out_.refused.empty(); ++i) {
    if (++turns_ > kMostScalars) out_.refused = "it has too many equations to be written out";
    turn.emplace_back(loop.symbol, pool_.Number(i));
    OverLoops(loops, k + 1, turn, f);
    turn.pop_back();
  }
}

uint32_t Writer::VariableOf(SymbolId base) {
  const auto at = variable_of_.find(base.value);
  if (at != variable_of_.end()) return at->second;
  return InnerVariable(base, {});
}

void Writer::Uses(ScalarEquation& equation) {
  std::map<uint32_t, uint32_t> orders;
  const std::vector<ExprId> held = FindHeld(pool_, std::span(&equation.residual, 1));
  const std::vector<SymbolId> between = FindSymbolsBetweenEvents(pool_, equation.residual, held);
  ReadAtEvents(equation.residual, between);
  for (const SymbolId symbol : between) {
    const SymbolInfo info = pool_.symbol(symbol);
    const SymbolKind kind = pool_.kind(info.base);
    if (kind == SymbolKind::kParameter || kind == SymbolKind::kIndex) continue;
    const uint32_t v = VariableOf(info.base);
    if (out_.variables[v].role == ScalarVariable::Role::kDiscrete) continue;
    orders[v] = std::max(orders[v], info.order);
  }
  for (const auto& [v, order] : orders) equation.uses.push_back({v, order});
}

// Everything that occurs, in conditions and in pre(...) and delay(...), too: it must have a value.
void Writer::ReadAtEvents(ExprId expr, std::span<const SymbolId> except) {
  if (expr.IsNone()) return;
  ExprOrder order;
  FindOrder(pool_, std::span(&expr, 1), &order);
  for (const ExprId id : order.nodes) {
    if (!pool_.IsSymbol(id)) continue;
    const SymbolInfo info = pool_.symbol(pool_.SymbolOf(id));
    const SymbolKind kind = pool_.kind(info.base);
    if (kind == SymbolKind::kParameter || kind == SymbolKind::kIndex) continue;
    const uint32_t variable = VariableOf(info.base);
    if (std::find(except.begin(), except.end(), pool_.SymbolOf(id)) != except.end()) continue;
    uint32_t& highest = event_orders_[variable];
    highest = std::max(highest, info.order);
  }
}

void Writer::AddEquations() {
  const bool sampled = HoldsBetweenSamples();
  std::vector<Replacement> turn;
  const auto add = [&](const Equation& equation, uint32_t number, bool initial) {
    uint32_t count = 0;
    OverLoops(equation.loops, 0, turn, [&] {
      ScalarEquation row;
      row.left = Scalar(turn.empty() ? equation.left : Substitute(pool_, equation.left, turn));
      row.right = Scalar(turn.empty() ? equation.right : Substitute(pool_, equation.right, turn));
      row.residual = pool_.Subtract(row.left, row.right);
      row.equation = number;
      row.turn = count++;
      row.initial = initial;
      Uses(row);
      out_.equations.push_back(std::move(row));
    });
  };
  if (!sampled) {
    for (uint32_t k = 0; k < element_.equations.size(); ++k) add(element_.equations[k], k, false);
    if (!cls_.external_library.empty()) AddForeign();
  }
  out_.always = static_cast<uint32_t>(out_.equations.size());
  std::vector<Replacement> known;
  for (const uint32_t p : element_.zero_parameters)
    known.emplace_back(cls_.parameters[p].symbol, pool_.Zero());
  for (const Parameter& p : cls_.parameters) {
    const auto value = element_.values.find(p.symbol.value);
    if (value == element_.values.end()) continue;
    known.emplace_back(p.symbol, p.type.base == BaseType::kBoolean ? pool_.Boolean(value->second != 0)
                                                                   : pool_.Number(value->second));
  }
  for (Equation equation : cls_.equations) {
    if (!equation.initial) continue;
    equation.left = Substitute(pool_, equation.left, known);
    equation.right = Substitute(pool_, equation.right, known);
    // An `if` without `else` whose condition is false.
    if (equation.left != equation.right) add(equation, UINT32_MAX, true);
  }
  if (cls_.kind == ClassKind::kSoftware) {
    for (uint32_t g = 0; g < cls_.groups.size(); ++g) {
      for (const uint32_t output : cls_.groups[g].outputs) {
        for (uint32_t e = 0; e < out_.always; ++e) {
          // The equation that is solved for this output: by the left side.
          ScalarEquation& row = out_.equations[e];
          if (row.foreign) continue;
          for (const ScalarUse& use : row.uses) {
            const ScalarVariable& v = out_.variables[use.variable];
            if (v.role == ScalarVariable::Role::kVariable && v.index == output && row.group == UINT32_MAX &&
                pool_.IsSymbol(element_.equations[row.equation].left) &&
                pool_.SymbolOf(element_.equations[row.equation].left) == cls_.variables[output].symbol)
              row.group = g;
          }
        }
      }
    }
  }
}

/* The equations of foreign code that is computed between events: y = f.y(time, x, u) with the direct inputs
of its group, der(x) = f.der_x(time, x, u) with all inputs. */
void Writer::AddForeign() {
  std::vector<ExprId> point{pool_.Time()};
  for (uint32_t v = 0; v < out_.continuous; ++v) {
    const ScalarVariable& own = out_.variables[v];
    if (own.role == ScalarVariable::Role::kVariable && cls_.variables[own.index].role == VariableRole::kState)
      point.push_back(pool_.Symbol(own.symbol));
  }
  const auto add = [&](const ScalarVariable& of, uint32_t group, bool is_state) {
    std::vector<ExprId> arguments = point;
    for (uint32_t v = out_.owned; v < out_.variables.size(); ++v) {
      const ScalarVariable& input = out_.variables[v];
      if (input.role != ScalarVariable::Role::kInput) continue;
      const uint32_t number = element_.slot_variable[input.index];
      if (is_state ||
          std::count(cls_.groups[group].inputs.begin(), cls_.groups[group].inputs.end(), number) > 0)
        arguments.push_back(pool_.Symbol(input.symbol));
    }
    ScalarEquation row;
    row.left = pool_.Symbol(of.symbol, is_state ? 1 : 0);
    row.right = pool_.Call(
        cls_.external_function + (is_state ? ".der_" : ".") + std::string(pool_.SymbolName(of.symbol)),
        arguments);
    row.residual = pool_.Subtract(row.left, row.right);
    row.equation = UINT32_MAX;
    row.group = group;
    row.foreign = true;
    Uses(row);
    out_.equations.push_back(std::move(row));
  };
  const auto groups = static_cast<uint32_t>(cls_.groups.size());
  for (uint32_t v = 0; v < out_.continuous; ++v) {
    const ScalarVariable own = out_.variables[v];
    if (own.role != ScalarVariable::Role::kVariable) continue;
    if (cls_.variables[own.index].role == VariableRole::kState) {
      add(own, groups, true);
      continue;
    }
    for (uint32_t g = 0; g < groups; ++g) {
      const auto& outputs = cls_.groups[g].outputs;
      if (std::count(outputs.begin(), outputs.end(), own.index) > 0) add(own, g, false);
    }
  }
}

void Writer::AddWhens() {
  std::vector<Replacement> turn;
  for (const WhenClause& clause : cls_.whens) {
    OverLoops(clause.loops, 0, turn, [&] {
      ScalarElement::When when;
      when.condition = Scalar(Substitute(pool_, clause.condition, turn));
      when.is_elsewhen = clause.is_elsewhen;
      when.stops = clause.stops;
      when.stop_reason = clause.stop_reason;
      when.origin = clause.origin;
      for (const WhenAction& action : clause.actions) {
        // Loops of an action include those of its clause.
        LoopRange inner = action.loops;
        inner.first += clause.loops.count;
        inner.count -= std::min(inner.count, clause.loops.count);
        OverLoops(inner, 0, turn, [&] {
          const ExprId target = Scalar(Substitute(pool_, action.target, turn));
          if (!pool_.IsSymbol(target)) return;
          const SymbolInfo info = pool_.symbol(pool_.SymbolOf(target));
          when.actions.push_back({VariableOf(info.base), info.order,
                                  Scalar(Substitute(pool_, action.value, turn)), action.reinit});
        });
      }
      SortActions(when);
      out_.whens.push_back(std::move(when));
    });
  }
  AddSamples();
  for (const ScalarElement::When& when : out_.whens) {
    ReadAtEvents(when.condition);
    for (const auto& action : when.actions) ReadAtEvents(action.value);
  }
  for (const Assertion& assertion : cls_.assertions) {
    OverLoops(assertion.loops, 0, turn, [&] {
      out_.assertions.emplace_back(Scalar(Substitute(pool_, assertion.condition, turn)), assertion.message);
      ReadAtEvents(out_.assertions.back().first);
    });
  }
  std::vector<ExprId> roots;
  for (uint32_t e = 0; e < out_.always; ++e) roots.push_back(out_.equations[e].residual);
  for (const ScalarElement::When& when : out_.whens) roots.push_back(when.condition);
  for (const auto& [condition, message] : out_.assertions) roots.push_back(condition);
  out_.held = FindHeld(pool_, roots);
  for (const auto& [variable, order] : event_orders_) out_.event_uses.push_back({variable, order});
}

// The code of a sampled component is one `when` at its samples.
void Writer::AddSamples() {
  if (cls_.sample_period.IsNone() || !cls_.external_library.empty()) return;
  ScalarElement::When when;
  when.condition = pool_.Call("sample", {pool_.Zero(), Scalar(cls_.sample_period)});
  when.origin = cls_.origin;
  std::vector<Replacement> turn;
  for (const Equation& equation : element_.equations) {
    OverLoops(equation.loops, 0, turn, [&] {
      const ExprId target = Scalar(Substitute(pool_, equation.left, turn));
      if (!pool_.IsSymbol(target)) {
        out_.refused = "an equation of a sampled component must give one variable: `name = value`";
        return;
      }
      const SymbolInfo info = pool_.symbol(pool_.SymbolOf(target));
      when.actions.push_back(
          {VariableOf(info.base), info.order, Scalar(Substitute(pool_, equation.right, turn)), false});
    });
  }
  SortActions(when);
  out_.whens.push_back(std::move(when));
}

// Each after those whose results it reads; what was written first comes first otherwise.
void Writer::SortActions(ScalarElement::When& when) {
  auto& actions = when.actions;
  std::map<uint32_t, size_t> sets;
  for (size_t k = 0; k < actions.size(); ++k) {
    if (!actions[k].reinit) sets.emplace(actions[k].variable, k);
  }
  std::vector<ScalarElement::When::Action> sorted;
  std::vector<uint8_t> state(actions.size(), 0);
  const auto visit = [&](auto&& self, size_t k) -> void {
    if (state[k] != 0) return;
    state[k] = 1;
    for (const SymbolId symbol : FindSymbols(pool_, actions[k].value)) {
      const auto variable = variable_of_.find(pool_.symbol(symbol).base.value);
      if (variable == variable_of_.end()) continue;
      const auto at = sets.find(variable->second);
      if (at != sets.end()) self(self, at->second);
    }
    sorted.push_back(actions[k]);
  };
  for (size_t k = 0; k < actions.size(); ++k) visit(visit, k);
  actions = std::move(sorted);
}

void Writer::AddStarts() {
  // #1, #2, ... at an element of an array.
  const auto at = [&](const std::vector<uint32_t>& sizes, uint32_t element) {
    std::vector<Replacement> out;
    for (size_t k = sizes.size(); k-- > 0;) {
      out.emplace_back(pool_.DeclareSymbol("#" + std::to_string(k + 1), SymbolKind::kIndex),
                       pool_.Number(element % sizes[k] + 1));
      element /= sizes[k];
    }
    return out;
  };
  for (uint32_t v = 0; v < out_.owned; ++v) {
    const ScalarVariable& own = out_.variables[v];
    if (own.role != ScalarVariable::Role::kVariable && own.role != ScalarVariable::Role::kDiscrete) continue;
    const Variable& variable = cls_.variables[own.index];
    if (variable.start.IsNone() && variable.wish == StateWish::kNone) continue;
    ExprId value = variable.start.IsNone() ? pool_.Zero() : variable.start;
    if (!variable.shape.empty())
      value = Substitute(pool_, value, at(sizes_[variable.symbol.value], own.element));
    out_.starts.push_back({v, 0, Scalar(value), variable.fixed, variable.wish, !variable.start.IsNone()});
  }
  if (cls_.HasInside()) return;  // those may be about parts: the equation stage follows the paths
  for (const StartValue& start : cls_.starts) {
    std::vector<uint32_t> sizes;
    const uint64_t count = CountElements(model_, start.shape, element_.values, &sizes);
    for (uint32_t k = 0; k < count; ++k) {
      const std::vector<Replacement> turn = at(sizes, k);
      const ExprId target = Scalar(Substitute(pool_, start.target, turn));
      if (!pool_.IsSymbol(target)) continue;
      const SymbolInfo info = pool_.symbol(pool_.SymbolOf(target));
      const auto own = variable_of_.find(info.base.value);
      if (own == variable_of_.end() || own->second >= out_.owned) continue;
      out_.starts.push_back(
          {own->second, info.order, Scalar(Substitute(pool_, start.value, turn)), start.fixed, start.wish});
    }
  }
}

ScalarElement Writer::Run() {
  AddVariables();
  AddParameters();
  AddEquations();
  AddWhens();
  AddStarts();
  out_.energy = Scalar(element_.energy);
  out_.loss = Scalar(element_.loss);
  for (uint32_t k = 0; k < element_.edges.size(); ++k) {
    const Edge& edge = cls_.edges[element_.edges[k].edge];
    ExprId index;
    if (!edge.shape.empty()) index = pool_.Number(element_.edges[k].index + 1.0);
    out_.power.push_back(Scalar(EdgePower(model_, edge, index)));
  }
  return std::move(out_);
}

}  // namespace

ScalarElement MakeScalar(Model& model, const ElementClass& element) {
  return Writer(model, element).Run();
}

std::vector<ScalarElement> MakeScalars(Model& model, const SystemGraph& graph) {
  std::vector<ScalarElement> out;
  out.reserve(graph.elements.size());
  for (const ElementClass& element : graph.elements) out.push_back(MakeScalar(model, element));
  return out;
}

std::string ScalarName(const Model& model, const SystemGraph& graph, const ScalarElement& scalar,
                       ComponentId component, uint32_t variable, uint32_t order) {
  using Role = ScalarVariable::Role;
  const ScalarVariable& v = scalar.variables[variable];
  const ComponentClass& cls = graph.ClassOf(model, component);
  std::string name = ComponentName(model, graph, component);
  const auto wrapped = [](std::string text, uint32_t times) {
    for (uint32_t k = 0; k < times; ++k) text = "der(" + text + ")";
    return text;
  };
  if (v.role == Role::kAcross || v.role == Role::kThrough) {
    const Component& c = graph.components[component.index()];
    const Domain& domain = model.domains[graph.ElementOf(component).edges[v.index].domain.index()];
    const std::string edge = EdgeName(model, graph, EdgeId(c.first_edge + v.index));
    // "block.v" is the component's own v, where it has one; its only edge's is then "block.e.v".
    const auto of_edge = [&](NameId id) {
      const auto member = cls.members.Find(id);
      const bool taken = edge == name && member && member->kind == MemberKind::kVariable;
      return edge + "." + (taken ? model.Text(cls.edges[0].name) + "." : "") + model.Text(id);
    };
    if (v.role == Role::kThrough) return wrapped(of_edge(domain.through), order);
    const NameId names[] = {domain.across, domain.rate, domain.acceleration};
    uint32_t named = std::min(order, 2u);
    while (named > 0 && names[named].IsNone()) --named;
    return wrapped(of_edge(names[named]), order - named);
  }
  if (v.role == Role::kInner)
    return wrapped((name.empty() ? name : name + ".") + std::string(model.expressions.SymbolName(v.symbol)),
                   order);
  const uint32_t index = v.role == Role::kInput ? graph.ElementOf(component).slot_variable[v.index] : v.index;
  std::string own = model.Text(cls.variables[index].name);
  const std::string_view whole = model.expressions.SymbolName(v.symbol);
  const size_t bracket = whole.rfind('[');
  if (!cls.variables[index].shape.empty() && bracket != std::string_view::npos)
    own += std::string(whole.substr(bracket));
  return wrapped((name.empty() ? name : name + ".") + own, order);
}

}  // namespace cotree
