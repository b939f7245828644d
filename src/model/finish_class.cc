// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "expr/dependence.h"
#include "model/class_builder.h"
#include "model/declared_states.h"

namespace cotree {

namespace messages = model_messages;

void ClassBuilder::Finish() {
  class_.parameter_uses.resize(class_.parameters.size());
  CheckTerminalGraph();
  CheckParameterCycles();
  CheckWhens();
  CheckDrivenTwice();
  CheckExogenous();
  BlameContradictions();
  SettleKinds();
  StoreInferred();
  if (class_.kind == ClassKind::kSoftware) CheckSoftware();
}

/* The terminal graph is a forest (design §7): an edge that joins what is joined already closes a circuit. The
reference vertices count as one vertex a domain. */
void ClassBuilder::CheckTerminalGraph() {
  const size_t terminals = class_.terminals.size();
  std::vector<uint32_t> parent(terminals + builder_.model.domains.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::vector<bool> used(terminals, false);
  std::vector<const Edge*> by_name;  // so that another order of the declarations blames the same edge
  for (const Edge& edge : class_.edges) by_name.push_back(&edge);
  std::sort(by_name.begin(), by_name.end(), [&](const Edge* a, const Edge* b) {
    return builder_.NameText(a->name) < builder_.NameText(b->name);
  });
  for (const Edge* next : by_name) {
    const Edge& edge = *next;
    used[edge.from] = true;
    if (edge.to) used[*edge.to] = true;
    const uint32_t a = root(edge.from);
    const uint32_t b = root(edge.to ? *edge.to : static_cast<uint32_t>(terminals + edge.domain.index()));
    if (a == b) {
      Report(messages::kTerminalCircuit, edge.origin.node, {ClassText(), builder_.NameText(edge.name)});
      return;
    }
    parent[a] = b;
  }
  for (const Endpoint& endpoint : class_.endpoints) {
    if (endpoint.kind == Endpoint::Kind::kTerminal && endpoint.instance == UINT32_MAX &&
        endpoint.member < terminals)
      used[endpoint.member] = true;
  }
  for (size_t t = 0; t < terminals; ++t) {
    const Terminal& terminal = class_.terminals[t];
    if (used[t] || terminal.optional || terminal.domain.IsNone()) continue;
    if (!class_.spatial.IsNone() && builder_.model.domains[terminal.domain.index()].spatial) continue;
    // A broken edge or connection has its own message.
    bool mentioned = connection_failed_ || builder_.IsBroken(class_.name, NameId::None());
    for (const NodeId member : members_) {
      const NodeKind kind = tree_->kind(member);
      if (kind != NodeKind::kEdge && kind != NodeKind::kConnect && kind != NodeKind::kFor &&
          kind != NodeKind::kIf && kind != NodeKind::kError)
        continue;
      for (uint32_t k = (*tree_)[member].first_token; k <= (*tree_)[member].last_token && !mentioned; ++k) {
        mentioned = tree_->TokenText(k) == builder_.model.names.Text(terminal.name);
      }
    }
    if (mentioned) continue;
    Report(messages::kTerminalWithoutEdge, terminal.origin.node,
           {builder_.NameText(terminal.name), ClassText()});
  }
  if (class_.edges.size() != 1) return;
  const Domain& domain = builder_.model.domains[class_.edges[0].domain.index()];
  for (const Terminal& terminal : class_.terminals) {
    const bool clash = terminal.name == domain.across || terminal.name == domain.through ||
                       terminal.name == domain.rate || terminal.name == domain.acceleration;
    if (!clash) continue;
    Report(messages::kTerminalShadowsVariable, terminal.origin.node,
           {builder_.NameText(terminal.name), builder_.NameText(class_.edges[0].name)});
  }
}

void ClassBuilder::CheckParameterCycles() {
  const size_t count = class_.parameters.size();
  std::vector<uint8_t> state(count, 0);  // 0 new, 1 on the way, 2 done
  std::vector<std::vector<uint32_t>> uses(count);
  std::unordered_map<uint32_t, uint32_t> of_symbol;
  for (uint32_t p = 0; p < count; ++p) of_symbol.emplace(class_.parameters[p].symbol.value, p);
  for (size_t p = 0; p < count; ++p) {
    if (class_.parameters[p].value.IsNone()) continue;
    for (const SymbolId symbol : FindSymbols(pool_, class_.parameters[p].value)) {
      const auto at = of_symbol.find(symbol.value);
      if (at != of_symbol.end()) uses[p].push_back(at->second);
    }
  }
  for (uint32_t start = 0; start < count; ++start) {
    if (state[start] != 0) continue;
    std::vector<std::pair<uint32_t, size_t>> stack{{start, 0}};
    state[start] = 1;
    while (!stack.empty()) {
      auto& [p, next] = stack.back();
      if (next == uses[p].size()) {
        state[p] = 2;
        stack.pop_back();
        continue;
      }
      const uint32_t q = uses[p][next++];
      if (state[q] == 0) {
        state[q] = 1;
        stack.emplace_back(q, 0);
      } else if (state[q] == 1) {
        std::vector<std::string> names;
        bool in_circle = false;
        for (const auto& entry : stack) {
          in_circle = in_circle || entry.first == q;
          if (in_circle) names.push_back(builder_.NameText(class_.parameters[entry.first].name));
        }
        std::sort(names.begin(), names.end());
        std::string text;
        for (size_t i = 0; i < names.size(); ++i)
          text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + ("`" + names[i] + "`");
        if (names.size() == 1) text += " and itself";
        Report(messages::kCyclicParameters, class_.parameters[q].origin.node, {text});
        for (const auto& entry : stack) class_.parameters[entry.first].value = ExprId::None();
        return;
      }
    }
  }
}

void ClassBuilder::CheckWhens() {
  // Two `when`s (not branches of one) that set the same variable.
  std::vector<std::pair<SymbolId, const WhenClause*>> set;
  for (const WhenClause& clause : class_.whens) {
    for (const WhenAction& action : clause.actions) {
      if (action.reinit) continue;
      ExprId target = action.target;
      if (pool_.op(target) == Op::kElement) continue;
      if (!pool_.IsSymbol(target)) continue;
      for (const auto& [symbol, other] : set) {
        if (symbol == pool_.SymbolOf(target) && other->origin.node != clause.origin.node) {
          Report(messages::kSetTwice, action.origin.node, {pool_.SymbolName(symbol)})
              .Also(tree_->SpanOf(other->origin.node), "set here too");
        }
      }
      set.emplace_back(pool_.SymbolOf(target), &clause);
    }
  }
  if (class_.kind == ClassKind::kSoftware) return;
  // Discrete variables change in `when` only. A Boolean may also follow a condition.
  for (const Equation& equation : class_.equations) {
    if (equation.initial) continue;
    ExprId left = equation.left;
    if (pool_.op(left) == Op::kElement) left = pool_.operand(left, 0);
    if (!pool_.IsSymbol(left) || pool_.kind(pool_.SymbolOf(left)) != SymbolKind::kDiscrete) continue;
    for (const Variable& variable : class_.variables) {
      if (variable.symbol != pool_.SymbolOf(left) || variable.type.base == BaseType::kBoolean) continue;
      Report(messages::kAssignedOutsideWhen, equation.origin.node, {builder_.NameText(variable.name)});
    }
  }
}

void ClassBuilder::CheckExogenous() {
  if (class_.instances.empty()) return;
  std::unordered_map<uint32_t, bool> has;  // by class
  std::set<std::pair<uint32_t, uint32_t>> given;
  for (const Association& a : class_.associations) {
    // An array is associated by a slice or a loop; that every element is, is seen on the graph.
    if (!given.insert({a.exogenous.instance, a.exogenous.member}).second && a.loops.count == 0 &&
        pool_.op(a.exogenous.expression) != Op::kElement) {
      auto& report = Report(messages::kDrivenTwice, a.exogenous.node, {TextOf(a.exogenous.node)});
      report.message = "the exogenous variable `" + TextOf(a.exogenous.node) + "` is associated twice";
      report.helps.assign(1, "remove one of the two");
    }
  }
  for (uint32_t i = 0; i < class_.instances.size(); ++i) {
    const Instance& instance = class_.instances[i];
    if (instance.class_id.IsNone()) continue;
    const auto [it, is_new] = has.try_emplace(instance.class_id.value, false);
    const ComponentClass& cls = builder_.model[instance.class_id];
    // What moves in space gets its exogenous variables from the mechanism.
    if (is_new && cls.spatial.IsNone())
      it->second = std::any_of(cls.variables.begin(), cls.variables.end(),
                               [](const Variable& v) { return v.role == VariableRole::kExogenous; });
    if (!it->second) continue;
    for (uint32_t v = 0; v < cls.variables.size(); ++v) {
      if (cls.variables[v].role != VariableRole::kExogenous || given.count({i, v}) > 0) continue;
      Report(messages::kNotAssociated, instance.node,
             {builder_.NameText(cls.variables[v].name), builder_.NameText(instance.name)});
    }
  }
}

// What the dimensions came to. What nothing fixes is a pure number, and what depends on it follows.
void ClassBuilder::StoreInferred() {
  const auto text_of = [&](const DimensionVector& value, DimVarId var) {
    const std::string& hint = hints_[UnknownRoot(var.value)];
    if (!hint.empty() && hint.find('$') == std::string::npos) return hint;
    if (!value.generics.empty())
      return FormatDimension(value,
                             [&](GenericId id) { return builder_.NameText(class_.generics[id.index()]); });
    return value.IsOne() ? std::string("1") : builder_.DimensionText(value.si);
  };
  class_.generic_values.reserve(generic_vars_.size());
  class_.generic_units.reserve(generic_vars_.size());
  class_.generic_kinds.reserve(generic_vars_.size());
  for (const DimVarId var : generic_vars_) {
    const DimensionVector value = dimensions_.Find(var).value;
    class_.generic_units.push_back(text_of(value, var));
    class_.generic_values.push_back(value);
    class_.generic_kinds.push_back(KindOf({KindHint::kNone, var}));
  }
  const auto settle = [&](Type& type, MemberKind kind, uint32_t index) {
    const auto known = undeclared_.find((static_cast<uint64_t>(kind) << 32) | index);
    if (known == undeclared_.end()) return;
    type.dimension = dimensions_.Find(known->second).value;
    type.unit = text_of(type.dimension, known->second);
    type.kind = KindOf({KindHint::kNone, known->second});
  };
  for (uint32_t i = 0; i < class_.variables.size(); ++i) {
    if (!class_.variables[i].type.declared) settle(class_.variables[i].type, MemberKind::kVariable, i);
  }
  for (uint32_t i = 0; i < class_.parameters.size(); ++i) {
    if (!class_.parameters[i].type.declared) settle(class_.parameters[i].type, MemberKind::kParameter, i);
  }
}

/* The code of a software component is causal: each equation gives an output, a variable, a state at a sample,
or the derivative of a state. From it follows which outputs depend directly on which inputs (design §5). */
void ClassBuilder::CheckSoftware() {
  const bool external = !class_.external_library.empty();
  if (external && !class_.equations.empty()) {
    Report(messages::kSoftwareCode, class_.origin.node, {ClassText(), "both equations and external code"})
        .Help("keep one of the two");
  }
  const auto none = std::find_if(members_.begin(), members_.end(),
                                 [&](NodeId member) { return IsStateNone(*tree_, member); });
  const auto some = std::find_if(class_.variables.begin(), class_.variables.end(),
                                 [](const Variable& v) { return v.role == VariableRole::kState; });
  if (none != members_.end() && some != class_.variables.end()) {
    Report(messages::kSoftwareCode, *none,
           {ClassText(), "both `state none` and the state `" + builder_.NameText(some->name) + "`"})
        .Help("keep one of the two");
  }
  std::vector<std::string> inputs, outputs;
  for (const Variable& v : class_.variables) {
    if (v.role == VariableRole::kInput) inputs.push_back(builder_.NameText(v.name));
    if (v.role == VariableRole::kOutput) outputs.push_back(builder_.NameText(v.name));
  }
  if (!external && class_.equations.empty() && !outputs.empty()) {
    builder_.diagnostics
        .Report(messages::kSoftwareCode, tree_->NameSpan(class_.origin.node), {ClassText(), "no code"})
        .Help("write equations for its outputs, or `external \"library.so\" \"function\"`");
    return;
  }
  // Which equation gives which symbol.
  std::unordered_map<uint32_t, ExprId> given;
  for (const Equation& equation : class_.equations) {
    ExprId left = equation.left;
    if (pool_.op(left) == Op::kElement) left = pool_.operand(left, 0);
    if (!pool_.IsSymbol(left) || pool_.kind(pool_.SymbolOf(left)) == SymbolKind::kInput ||
        pool_.kind(pool_.SymbolOf(left)) == SymbolKind::kParameter) {
      Report(messages::kSoftwareCode, equation.origin.node,
             {ClassText(),
              "an equation whose left side is not an output, a variable or the derivative of a state"})
          .Help("software is computed from top to bottom: write `y = ...` or `der(x) = ...`");
      return;
    }
    given[pool_.SymbolOf(left).value] = equation.right;
  }
  // Direct inputs of each output, through variables (and through states set at the same sample).
  const auto direct = [&](const Variable& output) {
    std::set<std::string> found;
    std::set<uint32_t> seen;
    std::vector<SymbolId> open{output.symbol};
    while (!open.empty()) {
      const SymbolId symbol = open.back();
      open.pop_back();
      if (!seen.insert(symbol.value).second) continue;
      if (pool_.kind(symbol) == SymbolKind::kInput) found.insert(std::string(pool_.SymbolName(symbol)));
      const auto it = given.find(symbol.value);
      if (it == given.end()) continue;
      for (const SymbolId next : FindSymbols(pool_, it->second)) open.push_back(next);
    }
    return found;
  };
  std::vector<std::set<std::string>> tables(class_.variables.size());
  std::vector<bool> declared(class_.variables.size(), false);
  std::vector<NodeId> declared_at(class_.variables.size());
  for (const NodeId node : feedthrough_nodes_) {
    const auto member = class_.members.Find(builder_.Intern(tree_->Name(node)));
    if (!member || member->kind != MemberKind::kVariable ||
        class_.variables[member->index].role != VariableRole::kOutput) {
      auto& report = builder_.diagnostics.Report(messages::kFeedthroughName, tree_->NameSpan(node),
                                                 {tree_->Name(node), "an output", ClassText()});
      const std::vector<std::string_view> names(outputs.begin(), outputs.end());
      const std::string_view near = Nearest(tree_->Name(node), names);
      if (!near.empty()) report.Help("did you mean `" + std::string(near) + "`?");
      continue;
    }
    declared[member->index] = true;
    declared_at[member->index] = node;
    for (const NodeId path : tree_->Children(node)) {
      const std::string name(tree_->Text(path));
      if (std::count(inputs.begin(), inputs.end(), name) == 0) {
        auto& report = Report(messages::kFeedthroughName, path, {name, "an input", ClassText()});
        const std::vector<std::string_view> names(inputs.begin(), inputs.end());
        const std::string_view near = Nearest(name, names);
        if (!near.empty()) report.Help("did you mean `" + std::string(near) + "`?");
        continue;
      }
      tables[member->index].insert(name);
    }
  }
  for (uint32_t v = 0; v < class_.variables.size(); ++v) {
    const Variable& variable = class_.variables[v];
    if (variable.role != VariableRole::kOutput) continue;
    std::set<std::string> depends =
        external ? std::set<std::string>(inputs.begin(), inputs.end()) : direct(variable);
    if (declared[v]) {
      if (!external) {
        for (const std::string& input : depends) {
          if (tables[v].count(input) == 0)
            Report(messages::kFeedthrough, declared_at[v], {builder_.NameText(variable.name), input});
        }
      }
      depends = tables[v];
    }
    std::vector<uint32_t> indices;
    for (uint32_t i = 0; i < class_.variables.size(); ++i) {
      if (class_.variables[i].role == VariableRole::kInput &&
          depends.count(builder_.NameText(class_.variables[i].name)) > 0)
        indices.push_back(i);
    }
    bool joined = false;
    for (OutputGroup& group : class_.groups) {
      if (group.inputs != indices) continue;
      group.outputs.push_back(v);
      joined = true;
      break;
    }
    if (!joined) class_.groups.push_back({{v}, indices});
  }
}

}  // namespace cotree
