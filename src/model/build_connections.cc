// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/class_builder.h"

namespace cotree {

namespace messages = model_messages;

namespace {

std::string Article(const std::string& domain) {
  return (std::string("aeiou").find(domain.empty() ? 'x' : domain[0]) != std::string::npos ? "an " : "a ") +
         domain;
}

}  // namespace

/* A terminal: `p`, `r.p`, `r[2:n].p[1]`, `electrical.ground`. Spelled out by the million, so nothing is built
 * that is not needed. */
bool ClassBuilder::ResolveTerminal(NodeId path, Endpoint& endpoint, DomainId& domain, bool joined) {
  endpoint.node = path;
  endpoint.first_subscript = static_cast<uint32_t>(class_.subscripts.size());
  const NodeId first = (*tree_)[path].first_child;
  const NodeId second = (*tree_)[first].next_sibling;
  const NameId name = builder_.Intern(tree_->Name(first));
  const auto member = class_.members.Find(name);
  const auto subscripts = [&](NodeId segment, const Shape& shape, const Chain& chain, uint8_t& count) {
    if ((*tree_)[segment].first_child.IsNone()) return true;
    PathDimensions dims;
    if (!TakeSegment(segment, shape, chain, dims, true)) return false;
    for (size_t k = 0; k < dims.sizes.size(); ++k) {
      class_.subscripts.push_back(
          dims.subscripts[k].value_or(Subscript{pool_.One(), dims.sizes[k], ExprId::None()}));
      ++count;
    }
    return true;
  };
  const char* op = joined ? "--" : "->";
  if (!member) {
    const auto found = builder_.DomainNamed(name, tree_->file);
    const std::string_view place = second.IsNone() ? std::string_view() : tree_->Name(second);
    if (found && (place == "ground" || place == "open") && (*tree_)[second].next_sibling.IsNone()) {
      endpoint.kind = place == "open" ? Endpoint::Kind::kOpen : Endpoint::Kind::kGround;
      endpoint.member = found->value;
      domain = *found;
      return true;
    }
    if (found && !second.IsNone()) {
      auto& report = builder_.diagnostics.Report(
          messages::kUnknownName, tree_->NameSpan(second),
          {tree_->Name(second), "domain `" + std::string(tree_->Name(first)) + "`"});
      const std::string domain_name(tree_->Name(first));
      report.Help("the reference vertex is `" + domain_name + ".ground`, an end that is left open `" +
                  domain_name + ".open`");
      return false;
    }
    Unknown(first, class_, true);
    return false;
  }
  const auto not_terminal = [&](const std::string& text, const std::string& what) {
    auto& report = Report(messages::kSignalAndTerminal, path, {text, what, op});
    if (what == "an input" || what == "an output")
      report.Help("signals are connected by `->`, from an output to inputs");
    return false;
  };
  if (member->kind == MemberKind::kTerminal) {
    const Terminal& terminal = class_.terminals[member->index];
    if (!second.IsNone()) {
      Unknown(second, class_, true);
      return false;
    }
    endpoint.member = member->index;
    domain = terminal.domain;
    return subscripts(first, terminal.shape, {}, endpoint.member_subscripts);
  }
  if (member->kind == MemberKind::kVariable && second.IsNone()) {
    const VariableRole role = class_.variables[member->index].role;
    return not_terminal(TextOf(path), role == VariableRole::kInput    ? "an input"
                                      : role == VariableRole::kOutput ? "an output"
                                                                      : "a variable");
  }
  if (member->kind != MemberKind::kInstance) {
    return not_terminal(TextOf(path), member->kind == MemberKind::kParameter ? "a parameter"
                                      : member->kind == MemberKind::kEdge    ? "an edge"
                                                                             : "not a terminal");
  }
  const Instance& instance = class_.instances[member->index];
  endpoint.instance = member->index;
  if (instance.class_id.IsNone()) return false;  // reported at its declaration
  static const Shape kSingle;
  const Shape& shape = instance.shape == UINT32_MAX ? kSingle : class_.shapes[instance.shape];
  if (!subscripts(first, shape, {}, endpoint.instance_subscripts)) return false;
  const ComponentClass& cls = builder_.model[instance.class_id];
  if (second.IsNone()) {
    auto& report = Report(messages::kSignalAndTerminal, path, {TextOf(path), "a component", op});
    std::string all;
    for (const Terminal& t : cls.terminals)
      all += (all.empty() ? "" : ", ") + TextOf(path) + "." + builder_.NameText(t.name);
    if (!all.empty()) report.Help("name a terminal of it: " + all);
    return false;
  }
  const auto inner = cls.members.Find(builder_.Intern(tree_->Name(second)));
  const NodeId third = (*tree_)[second].next_sibling;
  if (inner && inner->kind == MemberKind::kTerminal && third.IsNone()) {
    const Terminal& terminal = cls.terminals[inner->index];
    endpoint.member = inner->index;
    domain = terminal.domain;
    return subscripts(second, terminal.shape, {&instance}, endpoint.member_subscripts);
  }
  if (inner && inner->kind == MemberKind::kInstance && !third.IsNone()) {
    Report(messages::kInnerTerminal, path,
           {TextOf(path), builder_.NameText(instance.name), builder_.NameText(cls.name)});
    return false;
  }
  if (inner && inner->kind == MemberKind::kVariable) {
    const VariableRole role = cls.variables[inner->index].role;
    return not_terminal(TextOf(path), role == VariableRole::kInput    ? "an input"
                                      : role == VariableRole::kOutput ? "an output"
                                                                      : "a variable");
  }
  if (inner && inner->kind == MemberKind::kParameter) return not_terminal(TextOf(path), "a parameter");
  // No such terminal.
  auto& report = builder_.diagnostics.Report(messages::kNoTerminal, tree_->NameSpan(second),
                                             {tree_->Name(second), builder_.NameText(instance.name)});
  std::vector<std::string_view> names;
  std::string all;
  for (const Terminal& t : cls.terminals) {
    names.push_back(builder_.model.names.Text(t.name));
    all += (all.empty() ? "" : ", ") + std::string(names.back());
  }
  const std::string_view near = Nearest(tree_->Name(second), names);
  report.message += ", a " + builder_.NameText(cls.name);
  if (!near.empty())
    report.Help("did you mean `" + std::string(near) + "`?");
  else
    report.Help(names.empty() ? "it has no terminals" : "its terminals are " + all);
  return false;
}

bool ClassBuilder::ResolveEndpoint(NodeId path, Endpoint& endpoint, bool signal, bool target,
                                   DomainId& domain, Resolved& resolved) {
  if (!signal) return ResolveTerminal(path, endpoint, domain, true);
  endpoint.kind = Endpoint::Kind::kSignal;
  endpoint.node = path;
  resolved = ResolvePath(path);
  if (!resolved.ok) return false;
  if (resolved.kind != Resolved::Kind::kValue) {
    const bool terminal =
        resolved.kind == Resolved::Kind::kTerminal || resolved.kind == Resolved::Kind::kGround;
    auto& report = Report(messages::kSignalAndTerminal, path,
                          {TextOf(path),
                           terminal                                     ? "a terminal"
                           : resolved.kind == Resolved::Kind::kInstance ? "a component"
                                                                        : "an edge",
                           "->"});
    if (terminal) {
      report.Help(
          "terminals are joined by `--`; a sensor turns a physical variable into a signal, a source driven "
          "by a signal does the reverse");
    } else if (resolved.kind == Resolved::Kind::kInstance && resolved.instance != UINT32_MAX &&
               !class_.instances[resolved.instance].class_id.IsNone()) {
      std::string all;
      for (const Variable& v : builder_.model[class_.instances[resolved.instance].class_id].variables) {
        const bool fits = target ? v.role == VariableRole::kInput : v.role == VariableRole::kOutput;
        if (fits) all += (all.empty() ? "" : ", ") + TextOf(path) + "." + builder_.NameText(v.name);
      }
      if (!all.empty()) report.Help("name a signal of it: " + all);
    }
    return false;
  }
  endpoint.expression = resolved.value.expr;
  endpoint.instance = resolved.instance;
  endpoint.member = resolved.member;
  if (!resolved.value.shape.empty()) {
    endpoint.first_subscript = static_cast<uint32_t>(class_.shapes.size());
    endpoint.member_subscripts = static_cast<uint8_t>(resolved.value.shape.size());
    class_.shapes.push_back(resolved.value.shape);
  }
  if (!target) return true;
  // An input of an inner component, or an output of this one.
  const bool inner_input =
      resolved.variable != nullptr && !resolved.own && resolved.variable->role == VariableRole::kInput;
  const bool own_output =
      resolved.variable != nullptr && resolved.own && resolved.variable->role == VariableRole::kOutput;
  if (!inner_input && !own_output) {
    auto& report = Report(messages::kNotAnInput, path, {TextOf(path)});
    if (resolved.variable != nullptr && resolved.variable->role == VariableRole::kOutput)
      report.Help("it is an output; turn the connection round");
    else if (resolved.parameter != nullptr)
      report.Help("it is a parameter and keeps one value; use a variable element with an input");
    return false;
  }
  // Two segments: only what the component shows.
  size_t segments = 0;
  for ([[maybe_unused]] const NodeId s : tree_->Children(path)) ++segments;
  if (segments > 2) {
    const Instance& instance = class_.instances[resolved.instance];
    Report(messages::kInnerTerminal, path,
           {TextOf(path), builder_.NameText(instance.name),
            builder_.NameText(builder_.model[instance.class_id].name)});
    return false;
  }
  return true;
}

// The `if`s around a statement; None: none.
ExprId ClassBuilder::CurrentCondition() {
  ExprId condition;
  for (const ExprId c : condition_stack_) condition = condition.IsNone() ? c : pool_.And(condition, c);
  return condition;
}

void ClassBuilder::DefineConnection(NodeId node) {
  if (class_.kind == ClassKind::kSoftware || tree_->Has(node, kFlagBroken)) return;
  Connection connection{};
  connection.first_endpoint = static_cast<uint32_t>(class_.endpoints.size());
  connection.signal = tree_->Has(node, kFlagSignal);
  connection.node = node;
  connection.loops = CurrentLoops();
  connection.condition = CurrentCondition();
  DomainId domain, first_domain;
  NodeId first_path;
  Resolved source;
  Type source_type;
  bool ok = true, first = true;
  for (const NodeId path : tree_->Children(node)) {
    if (tree_->kind(path) != NodeKind::kPath) continue;
    Endpoint endpoint{};
    Resolved resolved;
    domain = DomainId::None();
    const size_t messages_before = builder_.diagnostics.list().size();
    if (!ResolveEndpoint(path, endpoint, connection.signal, !first, domain, resolved)) {
      ok = false;
      // The wrong one of -- and ->: once is enough.
      const bool said = builder_.diagnostics.list().size() > messages_before;
      if (said && builder_.diagnostics.list().back().info == &messages::kSignalAndTerminal) break;
    } else if (connection.signal) {
      if (first) {
        source = resolved;
        first_path = path;
      } else if (source.ok) {
        Value value = source.value;
        DimExpr dim = resolved.value.dim;
        Type type = resolved.type;
        if (value.shape.size() != resolved.value.shape.size() && !value.shape.empty() &&
            !resolved.value.shape.empty()) {
          Report(messages::kArrayWanted, path,
                 {TextOf(path), std::to_string(value.shape.size()),
                  std::to_string(resolved.value.shape.size())});
        } else if (!value.shape.empty() && resolved.value.shape.empty()) {
          Report(messages::kArrayHere, first_path, {TextOf(first_path)});
        } else {
          for (size_t k = 0; k < std::min(value.shape.size(), resolved.value.shape.size()); ++k) {
            AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[k], resolved.value.shape[k], path);
          }
        }
        // The message is about the pair, so it stands at the input and names both.
        if (type.base == BaseType::kReal &&
            (value.base == BaseType::kReal || value.base == BaseType::kInteger) && !value.bare) {
          const auto equated = Equate(dim, value.dim, path, first_path);
          if (equated == Equated::kMismatch) {
            auto& report = Report(
                messages::kWrongDimension, path,
                {TextOf(first_path), UnitText(value), "`" + TextOf(path) + "`", UnitText(resolved.value)});
            report.Help("a `Gain` between them turns one into the other; its `k` is in `" + TextOf(path) +
                        "` per `" + TextOf(first_path) + "`");
          } else if (equated == Equated::kYes) {
            if (const auto clash = JoinKinds(KindedOf(resolved.value), KindedOf(value), {path, first_path})) {
              ReportClash(path, TextOf(first_path), "`" + TextOf(path) + "`", *clash, value.dim);
            } else {
              Hint(KindedOf(resolved.value), value.unit);
              Hint(KindedOf(value), resolved.value.unit);
            }
          }
        } else {
          Fit(value, first_path, type, dim, "`" + TextOf(path) + "`");
        }
        bool single = resolved.value.shape.empty() && connection.loops.count == 0 && condition_stack_.empty();
        for (const NodeId segment : tree_->Children(path)) {
          if (!(*tree_)[segment].first_child.IsNone()) single = false;
        }
        if (single) driven_.push_back({{resolved.instance, resolved.member}, path});
      }
    } else if (!domain.IsNone()) {
      if (first_domain.IsNone()) {
        first_domain = domain;
        first_path = path;
      } else if (domain != first_domain) {
        const auto text = [&](DomainId d) {
          return builder_.NameText(builder_.model.domains[d.index()].name);
        };
        Report(messages::kDifferentDomains, path,
               {TextOf(first_path), text(first_domain), TextOf(path), text(domain)})
            .Label("this is " + Article(text(domain)) + " terminal");
        ok = false;
      }
      for (uint32_t i = connection.first_endpoint; i < class_.endpoints.size(); ++i) {
        const Endpoint& other = class_.endpoints[i];
        if (other.kind == endpoint.kind && other.instance == endpoint.instance &&
            other.member == endpoint.member &&
            endpoint.instance_subscripts + endpoint.member_subscripts == 0 &&
            other.instance_subscripts + other.member_subscripts == 0) {
          Report(messages::kConnectedToItself, path, {TextOf(path)});
        }
      }
    }
    class_.endpoints.push_back(endpoint);
    ++connection.endpoint_count;
    first = false;
  }
  if (ok)
    class_.connections.push_back(connection);
  else
    connection_failed_ = true;
}

// associate motor.theta = load.phi
void ClassBuilder::DefineAssociation(NodeId node) {
  const NodeId left = (*tree_)[node].first_child;
  const NodeId right = left.IsNone() ? NodeId::None() : (*tree_)[left].next_sibling;
  if (right.IsNone()) return;
  Resolved target = ResolvePath(left);
  Value value = Lower(right);
  if (!target.ok) return;
  if (target.variable == nullptr || target.variable->role != VariableRole::kExogenous || target.own) {
    Report(messages::kNotExogenous, left, {TextOf(left)});
    return;
  }
  if (tree_->CountChildren(left) > 2) {
    const Instance& instance = class_.instances[target.instance];
    auto& report =
        Report(messages::kInnerTerminal, left, {TextOf(left), builder_.NameText(instance.name), ""});
    report.helps.assign(1, "give `" + builder_.NameText(builder_.model[instance.class_id].name) +
                               "` an exogenous variable of its own and associate it inside");
    return;
  }
  Association association{};
  association.exogenous.kind = Endpoint::Kind::kSignal;
  association.exogenous.instance = target.instance;
  association.exogenous.member = target.member;
  association.exogenous.expression = target.value.expr;
  association.exogenous.node = left;
  association.condition = CurrentCondition();
  association.node = node;
  if (value.ok && Fit(value, right, target.type, target.value.dim, "`" + TextOf(left) + "`")) {
    Shape shape;
    if (value.shape.size() > target.value.shape.size())
      Report(messages::kArrayHere, right, {TextOf(right)});
    else if (SameShape(target.value, value, left, right, shape))
      association.value = value.expr;
  }
  // Arrays element by element; one value goes with all elements.
  if (!association.value.IsNone())
    association.loops = LoopsFor(target.value.shape, &association.exogenous.expression, &association.value);
  class_.associations.push_back(association);
}

void ClassBuilder::CheckDrivenTwice() {
  std::stable_sort(driven_.begin(), driven_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 1; i < driven_.size(); ++i) {
    if (driven_[i].first != driven_[i - 1].first) continue;
    Report(messages::kDrivenTwice, driven_[i].second, {TextOf(driven_[i].second)})
        .Also(tree_->SpanOf(driven_[i - 1].second), "first driven here");
  }
}

}  // namespace cotree
