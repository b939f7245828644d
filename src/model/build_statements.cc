// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/visible_text.h"
#include "expr/builtins.h"
#include "expr/dependence.h"
#include "expr/print_text.h"
#include "expr/substitute.h"
#include "expr/walk.h"
#include "language/lex.h"
#include "model/class_builder.h"

namespace cotree {

namespace messages = model_messages;

LoopRange ClassBuilder::CurrentLoops() {
  if (loop_stack_.empty()) return {};
  // The loops of one body are stored once: the last range is reused where it is the same.
  const auto count = static_cast<uint32_t>(loop_stack_.size());
  if (cls_->loops.size() >= count) {
    const size_t at = cls_->loops.size() - count;
    bool same = true;
    for (size_t i = 0; i < count; ++i) {
      const Loop &a = cls_->loops[at + i], &b = loop_stack_[i];
      same = same && a.symbol == b.symbol && a.from == b.from && a.to == b.to;
    }
    if (same) return {static_cast<uint32_t>(at), count};
  }
  const LoopRange range{static_cast<uint32_t>(cls_->loops.size()), count};
  cls_->loops.insert(cls_->loops.end(), loop_stack_.begin(), loop_stack_.end());
  return range;
}

// The loops around an equation between arrays: those of `for`, then one per dimension; #1, ... become their
// symbols.
LoopRange ClassBuilder::LoopsFor(const Shape& shape, ExprId* left, ExprId* right) {
  if (shape.empty()) return CurrentLoops();
  std::vector<ExprId> indices;
  for (const ExprId size : shape) {
    const SymbolId symbol = pool_.DeclareSymbol("#e" + std::to_string(++loop_counter_), SymbolKind::kIndex);
    loop_stack_.push_back({symbol, pool_.One(), size});
    indices.push_back(pool_.Symbol(symbol));
  }
  *left = AtIndices(*left, indices);
  *right = AtIndices(*right, indices);
  const LoopRange range = CurrentLoops();
  loop_stack_.resize(loop_stack_.size() - shape.size());
  return range;
}

ClassBuilder::Range ClassBuilder::LowerRange(NodeId node) {
  Range range;
  std::vector<NodeId> parts;
  if (tree_->kind(node) == NodeKind::kRange) {
    for (const NodeId child : tree_->Children(node)) parts.push_back(child);
  } else {
    parts.push_back(node);
  }
  std::vector<ExprId> values;
  const bool was_structural = structural_scope_;
  structural_scope_ = true;
  for (const NodeId part : parts) {
    const Value value = LowerScalar(part);
    if (!value.ok) break;
    const bool whole = value.base == BaseType::kInteger ||
                       (value.bare && (pool_.AsInteger(value.expr) || !pool_.IsNumber(value.expr)));
    if (!whole) {
      Report(messages::kIndexNotInteger, part, {TextOf(part)});
      break;
    }
    values.push_back(value.expr);
  }
  structural_scope_ = was_structural;
  if (values.size() != parts.size() || values.empty()) return range;
  range.ok = true;
  range.from = values.size() == 1 ? pool_.One() : values[0];
  range.to = values.back();
  if (values.size() == 3) {
    range.step = values[1];
    if (const auto step = pool_.AsInteger(values[1]); step && *step == 0) {
      Report(messages::kBadStep, parts[1], {"0"});
      range.ok = false;
    }
  }
  return range;
}

void ClassBuilder::DefineStatement(NodeId node) {
  switch (tree_->kind(node)) {
    case NodeKind::kEquation:
      DefineEquation(node);
      break;
    case NodeKind::kFor:
      DefineFor(node);
      break;
    case NodeKind::kIf:
      DefineIf(node);
      break;
    case NodeKind::kWhen:
      DefineWhen(node);
      break;
    case NodeKind::kAssert:
      DefineAssert(node);
      break;
    case NodeKind::kConnect:
      DefineConnection(node);
      break;
    case NodeKind::kAssociate:
      DefineAssociation(node);
      break;
    case NodeKind::kReinit:
    case NodeKind::kStop:
      Report(messages::kReinitOutsideWhen, node,
             {tree_->kind(node) == NodeKind::kReinit ? "reinit" : "stop"});
      break;
    default:
      break;
  }
}

bool ClassBuilder::LowerSides(NodeId node, Value& left, Value& right) {
  const NodeId left_node = (*tree_)[node].first_child;
  const NodeId right_node = left_node.IsNone() ? NodeId::None() : (*tree_)[left_node].next_sibling;
  if (right_node.IsNone()) return false;
  left = Lower(left_node);
  right = Lower(right_node);
  if (!left.ok || !right.ok) return false;
  const auto number = [](const Value& v) {
    return v.base == BaseType::kReal || v.base == BaseType::kInteger;
  };
  if (!number(left) || !number(right)) {
    if (left.base == right.base && left.enumeration == right.enumeration) return true;
    Report(messages::kWrongBaseType, right_node,
           {TextOf(left_node), BaseTypeText(left.base),
            "`" + TextOf(right_node) + "`, " + BaseTypeText(right.base)});
    return false;
  }
  Shape shape;
  if (!SameShape(left, right, left_node, right_node, shape)) return false;
  if (left.bare != right.bare) {
    const Value& other = left.bare ? right : left;
    const Value& bare = left.bare ? left : right;
    const NodeId bare_node = left.bare ? left_node : right_node,
                 other_node = left.bare ? right_node : left_node;
    if (!pool_.IsZero(bare.expr) && other.dim.known() && other.dim.constant.generics.empty() &&
        !other.dim.IsOne()) {
      Report(messages::kMissingUnit, bare_node,
             {TextOf(bare_node), "`" + TextOf(other_node) + "`", UnitText(other)});
      return false;
    }
  } else if (!left.bare) {
    switch (Equate(left.dim, right.dim, node)) {
      case Equated::kReported:
        return false;
      case Equated::kMismatch: {
        auto& report = Report(messages::kEquationDimensions, node, {UnitText(left), UnitText(right)});
        const DimExpr ratio = DimTimes(left.dim, right.dim, node, -1);
        if (ratio.known())
          report.Help("left divided by right is in " + DimText(ratio) +
                      ": a factor of this kind is missing on the right, or too much on the left");
        HelpWithUnits(report, node);
        return false;
      }
      case Equated::kYes:
        break;
    }
    if (const auto clash = JoinKinds(KindedOf(left), KindedOf(right), {node, NodeId::None()})) {
      ReportClash(right_node, TextOf(right_node), "`" + TextOf(left_node) + "`", *clash, right.dim);
      return false;
    }
    Hint(KindedOf(left), right.unit);
    Hint(KindedOf(right), left.unit);
  }
  left.shape = shape;
  return true;
}

void ClassBuilder::DefineEquation(NodeId node) {
  Value left, right;
  if (!LowerSides(node, left, right)) return;
  Equation equation{};
  equation.left = left.expr;
  equation.right = right.expr;
  equation.loops = LoopsFor(left.shape, &equation.left, &equation.right);
  equation.origin = At(node);
  equation.initial = in_initial_section_;
  bool varies = false;
  for (const ExprId side : {equation.left, equation.right}) {
    for (const Dependence& dependence : FindDependence(pool_, side))
      varies = varies || pool_.kind(dependence.base) != SymbolKind::kParameter;
  }
  if (!varies && !equation.initial) {
    Report(messages::kConstantEquation, node);
    return;
  }
  class_.equations.push_back(equation);
}

void ClassBuilder::DefineFor(NodeId node) {
  const NodeId range_node = (*tree_)[node].first_child;
  const NodeId body = tree_->Child(node, NodeKind::kBranch);
  if (range_node.IsNone() || body.IsNone() || range_node == body) return;
  Range range = LowerRange(range_node);
  if (!range.ok) return;
  if (!range.step.IsNone() && !pool_.IsOne(range.step)) {
    // for i in a:s:b  ->  k = 1 ... n, i = a + (k - 1)*s
    const SymbolId count = pool_.DeclareSymbol("#k" + std::to_string(++loop_counter_), SymbolKind::kIndex);
    Value local = Number(0, false);
    local.base = BaseType::kInteger;
    local.expr =
        pool_.Add(range.from, pool_.Multiply(range.step, pool_.Subtract(pool_.Symbol(count), pool_.One())));
    const ExprId n = pool_.Add(
        pool_.Unary(Op::kFloor, pool_.Divide(pool_.Subtract(range.to, range.from), range.step)), pool_.One());
    locals_.push_back({builder_.Intern(tree_->Name(node)), local});
    loop_stack_.push_back({count, pool_.One(), n});
  } else {
    Value local = Number(0, false);
    local.base = BaseType::kInteger;
    const SymbolId index = pool_.DeclareSymbol(
        std::string(tree_->Name(node)) + "#" + std::to_string(++loop_counter_), SymbolKind::kIndex);
    local.expr = pool_.Symbol(index);
    locals_.push_back({builder_.Intern(tree_->Name(node)), local});
    loop_stack_.push_back({index, range.from, range.to});
  }
  for (const NodeId statement : tree_->Children(body)) DefineStatement(statement);
  loop_stack_.pop_back();
  locals_.pop_back();
}

// Whether a `for` or `if` holds connections alone: inside a branch it stands under that condition, too.
static bool OnlyConnects(const SyntaxTree& tree, NodeId node) {
  if (tree.kind(node) == NodeKind::kConnect || tree.kind(node) == NodeKind::kAssociate) return true;
  if (tree.kind(node) != NodeKind::kIf && tree.kind(node) != NodeKind::kFor) return false;
  bool any = false;
  for (const NodeId branch : tree.Children(node)) {
    if (tree.kind(branch) != NodeKind::kBranch) continue;
    for (const NodeId statement : tree.Children(branch)) {
      if (!OnlyConnects(tree, statement)) return false;
      any = true;
    }
  }
  return any;
}

void ClassBuilder::CollectEquations(NodeId branch,
                                    std::vector<std::pair<NodeId, std::pair<Value, Value>>>& out) {
  for (const NodeId statement : tree_->Children(branch)) {
    switch (tree_->kind(statement)) {
      case NodeKind::kEquation: {
        Value left, right;
        const bool ok = LowerSides(statement, left, right);
        left.ok = ok;
        out.push_back({statement, {left, right}});
        break;
      }
      default:
        if (OnlyConnects(*tree_, statement)) break;
        Report(messages::kNotHere, statement, {"this statement", "a branch of `if`"})
            .Help("use conditional expressions: `x = if c then a else b`");
    }
  }
}

// Whether a condition can change during a run: it hangs on variables, on time, or on what happens at events.
static bool VariesInTime(const ExprPool& pool, ExprId condition) {
  ExprOrder order;
  FindOrder(pool, std::span(&condition, 1), &order);
  return std::any_of(order.nodes.begin(), order.nodes.end(), [&](ExprId id) {
    if (pool.IsSymbol(id)) {
      const SymbolKind kind = pool.kind(pool.SymbolOf(id));
      return kind != SymbolKind::kParameter && kind != SymbolKind::kIndex;
    }
    if (pool.op(id) == Op::kTime) return true;
    const Builtin builtin =
        pool.op(id) == Op::kCall ? FindBuiltin(pool.FunctionName(pool.FunctionOf(id))) : Builtin::kNone;
    return IsDiscreteBuiltin(builtin) || IsPastBuiltin(builtin);
  });
}

/* Equations in the branches of an `if` are paired in order: the k-th equations l1 = r1, l2 = r2 become
(if c then l1 - r1 else l2 - r2) = 0. Connections in branches carry the condition, which must be structural.
*/
void ClassBuilder::DefineIf(NodeId node) {
  std::vector<ExprId> conditions;
  std::vector<NodeId> condition_nodes, branches;
  bool ok = true;
  for (const NodeId child : tree_->Children(node)) {
    if (tree_->kind(child) == NodeKind::kBranch) {
      branches.push_back(child);
    } else {
      conditions.push_back(LowerCondition(child));
      condition_nodes.push_back(child);
      ok = ok && !conditions.back().IsNone();
    }
  }
  if (!ok || branches.empty()) return;
  bool has_connections = false;
  for (const NodeId branch : branches) {
    for (const NodeId s : tree_->Children(branch))
      has_connections = has_connections || OnlyConnects(*tree_, s);
  }
  bool structural = true;
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (!VariesInTime(pool_, conditions[i])) continue;
    structural = false;
    if (has_connections) {
      Report(messages::kConditionNotStructural, condition_nodes[i], {TextOf(condition_nodes[i])});
      return;
    }
  }
  if (structural) {
    cls_->parameter_uses.resize(cls_->parameters.size());
    for (const ExprId condition : conditions) {
      for (const SymbolId symbol : FindSymbols(pool_, condition)) {
        for (size_t p = 0; p < cls_->parameters.size(); ++p) {
          if (cls_->parameters[p].symbol == symbol) cls_->parameter_uses[p].decides_condition = true;
        }
      }
    }
  }
  std::vector<std::vector<std::pair<NodeId, std::pair<Value, Value>>>> equations(branches.size());
  ExprId none_before = pool_.True();
  for (size_t b = 0; b < branches.size(); ++b) {
    const ExprId own = b < conditions.size() ? conditions[b] : pool_.True();
    condition_stack_.push_back(pool_.And(none_before, own));
    for (const NodeId s : tree_->Children(branches[b])) {
      if (OnlyConnects(*tree_, s)) DefineStatement(s);
    }
    condition_stack_.pop_back();
    none_before = pool_.And(none_before, pool_.Not(own));
    CollectEquations(branches[b], equations[b]);
  }
  const size_t count = equations[0].size();
  for (size_t b = 1; b < branches.size(); ++b) {
    if (equations[b].size() == count) continue;
    Report(messages::kBranchesDiffer, node, {std::to_string(count), std::to_string(equations[b].size())});
    return;
  }
  if (count > 0 && branches.size() == conditions.size() && !structural) {
    Report(messages::kBranchesDiffer, node, {std::to_string(count), "0"}).Help("add an `else` branch");
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    ExprId residual;
    bool lowered = true;
    Shape shape;
    for (size_t b = branches.size(); b-- > 0;) {
      const auto& [left, right] = equations[b][k].second;
      if (!left.ok) {
        lowered = false;
        break;
      }
      shape = left.shape;
      const ExprId difference = pool_.Subtract(left.expr, right.expr);
      if (residual.IsNone() && b < conditions.size())
        residual = pool_.Zero();  // no `else`: then there is no equation
      residual = residual.IsNone() ? difference : pool_.If(conditions[b], difference, residual);
    }
    if (!lowered) continue;
    Equation equation{};
    equation.left = residual;
    equation.right = pool_.Zero();
    equation.loops = LoopsFor(shape, &equation.left, &equation.right);
    equation.origin = At(equations[0][k].first);
    equation.initial = in_initial_section_;
    class_.equations.push_back(equation);
  }
}

void ClassBuilder::DefineWhen(NodeId node) {
  ExprId condition;
  bool first = true, ok = false;
  const size_t whens = class_.whens.size();
  std::vector<std::pair<NodeId, ExprId>> conditions;
  for (const NodeId child : tree_->Children(node)) {
    if (tree_->kind(child) != NodeKind::kBranch) {
      condition = LowerWhenCondition(child);
      ok = !condition.IsNone();
      if (ok) conditions.emplace_back(child, condition);
      continue;
    }
    WhenClause clause{};
    clause.condition = condition;
    clause.is_elsewhen = !first;
    clause.loops = CurrentLoops();
    clause.origin = At(node);
    first = false;
    for (const NodeId statement : tree_->Children(child)) DefineWhenAction(statement, clause);
    if (ok) class_.whens.push_back(std::move(clause));
  }
  for (const auto& [at, of] : conditions) CheckReadsOwn(at, of, whens);
}

// What a `when` sets decides nothing of the same `when`: it would be true and false at one moment.
void ClassBuilder::CheckReadsOwn(NodeId node, ExprId condition, size_t first_when) {
  std::vector<ExprId> open{condition};
  ExprMap seen;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!seen.Insert(id, 0)) continue;
    if (pool_.op(id) == Op::kCall && IsPastBuiltin(FindBuiltin(pool_.FunctionName(pool_.FunctionOf(id)))))
      continue;
    for (size_t w = first_when; w < class_.whens.size(); ++w) {
      for (const WhenAction& action : class_.whens[w].actions) {
        if (action.reinit || !(action.target == id)) continue;
        Report(messages::kConditionReadsOwn, node, {PrintText(pool_, id)});
        return;
      }
    }
    open.insert(open.end(), pool_.operands(id).begin(), pool_.operands(id).end());
  }
}

void ClassBuilder::DefineWhenAction(NodeId node, WhenClause& clause) {
  const NodeKind kind = tree_->kind(node);
  if (kind == NodeKind::kStop) {
    const NodeId reason = (*tree_)[node].first_child;
    clause.stops = true;
    if (!reason.IsNone())
      clause.stop_reason = VisibleText(StringValue(tree_->Name(reason)), LineEnds::kShown);
    return;
  }
  if (kind != NodeKind::kEquation && kind != NodeKind::kReinit) {
    Report(messages::kNotInWhen, node, {kind == NodeKind::kConnect ? "a connection" : "this statement"});
    return;
  }
  const NodeId target_node = (*tree_)[node].first_child;
  const NodeId value_node = target_node.IsNone() ? NodeId::None() : (*tree_)[target_node].next_sibling;
  if (value_node.IsNone()) return;
  if (tree_->kind(target_node) != NodeKind::kPath) {
    Report(messages::kNotInWhen, target_node, {"an equation whose left side is not a variable"});
    return;
  }
  const Resolved target = ResolvePath(target_node);
  Value value = Lower(value_node);
  if (!target.ok || !value.ok) return;
  const bool discrete = target.variable != nullptr &&
                        (target.variable->discrete || target.variable->type.base != BaseType::kReal ||
                         (target.variable->role == VariableRole::kState && !cls_->sample_period.IsNone()));
  const bool continuous = target.edge_variable || (target.variable != nullptr && !discrete &&
                                                   target.variable->role != VariableRole::kInput &&
                                                   target.variable->role != VariableRole::kExogenous);
  const char* what = target.kind != Resolved::Kind::kValue ? "not a variable"
                     : target.parameter != nullptr         ? "a parameter"
                     : continuous                          ? "continuous"
                     : discrete                            ? "discrete"
                                                           : "an input";
  if (kind == NodeKind::kReinit ? !continuous : !(discrete || (continuous && target.variable != nullptr))) {
    auto& report = Report(messages::kNoVariableToSet, target_node, {TextOf(target_node), what});
    report.helps.clear();
    if (target.parameter != nullptr)
      report.Help("a parameter keeps its value; declare a `discrete variable` for what changes");
    else
      report.Help(kind == NodeKind::kReinit
                      ? "`reinit` sets continuous variables; set discrete ones with `=`"
                      : "set discrete variables with `=`, continuous ones with `reinit`");
    return;
  }
  if (kind == NodeKind::kEquation && continuous) {
    auto& report = Report(messages::kNoVariableToSet, target_node, {TextOf(target_node), what});
    report.helps.assign(
        1, "declare it `discrete variable`, or write `reinit(" + TextOf(target_node) + ", ...)`");
    return;
  }
  if (!Fit(value, value_node, target.type, target.value.dim, "`" + TextOf(target_node) + "`")) return;
  WhenAction action{};
  action.target = target.value.expr;
  action.value = value.expr;
  action.reinit = kind == NodeKind::kReinit;
  action.loops = LoopsFor(target.value.shape, &action.target, &action.value);
  action.origin = At(node);
  clause.actions.push_back(action);
}

void ClassBuilder::DefineAssert(NodeId node) {
  const NodeId condition_node = (*tree_)[node].first_child;
  if (condition_node.IsNone()) return;
  const NodeId text = (*tree_)[condition_node].next_sibling;
  Assertion assertion{};
  assertion.condition = LowerCondition(condition_node);
  if (!text.IsNone() && tree_->kind(text) == NodeKind::kString)
    assertion.message = VisibleText(StringValue(tree_->Name(text)), LineEnds::kShown);
  else if (!text.IsNone())
    Report(messages::kWrongBaseType, text, {"the message", "a string", "`" + TextOf(text) + "`"});
  assertion.loops = CurrentLoops();
  assertion.origin = At(node);
  if (!assertion.condition.IsNone()) class_.assertions.push_back(assertion);
}

void ClassBuilder::DefineStart(NodeId node) {
  StartOf(node, UINT32_MAX, class_.starts);
}

// start path = value [fixed] [prefer]; for an instance the path begins inside it.
void ClassBuilder::StartOf(NodeId node, uint32_t instance, std::vector<StartValue>& out) {
  const NodeId path = (*tree_)[node].first_child;
  const NodeId value_node = path.IsNone() ? NodeId::None() : (*tree_)[path].next_sibling;
  if (value_node.IsNone()) return;
  Resolved target;
  if (instance == UINT32_MAX) {
    target = ResolvePath(path);
  } else {
    const Instance& inside = cls_->instances[instance];
    if (inside.class_id.IsNone()) return;
    Chain chain{&inside};
    PathDimensions dims;
    if (inside.shape != UINT32_MAX) {
      for (const ExprId size : cls_->shapes[inside.shape]) {
        dims.sizes.push_back(size);
        dims.subscripts.emplace_back();
      }
    }
    target = ResolveIn(builder_.model[inside.class_id], path, (*tree_)[path].first_child,
                       InstanceText(instance) + ".", dims, chain, rechosen_.count(instance) == 0);
  }
  Value value = Lower(value_node);
  if (!target.ok) return;
  if (target.kind != Resolved::Kind::kValue || target.parameter != nullptr ||
      (target.variable != nullptr && target.variable->role == VariableRole::kInput)) {
    const char* what = target.parameter != nullptr  ? "a parameter"
                       : target.variable != nullptr ? "an input"
                                                    : "not a variable";
    Report(messages::kStartOfParameter, path, {TextOf(path), what});
    return;
  }
  if (!value.ok || !Fit(value, value_node, target.type, target.value.dim, "`" + TextOf(path) + "`")) return;
  // One value for all, or an array for the last dimensions: its #1, ... move up to theirs.
  const size_t rank = target.value.shape.size(), given = value.shape.size();
  if (given > rank) {
    Report(messages::kArrayWanted, value_node,
           {TextOf(value_node), std::to_string(rank), std::to_string(given)});
    return;
  }
  std::vector<ExprId> moved;
  for (size_t k = 0; k < given; ++k) {
    moved.push_back(pool_.Symbol(builder_.IndexSymbol(rank - given + k)));
    AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[k], target.value.shape[rank - given + k], value_node);
  }
  StartValue start{};
  start.target = target.value.expr;
  start.value = AtIndices(value.expr, moved);
  start.shape = target.value.shape;
  // Whole arrays inside are as long as they are then.
  if (rank > 0 && !target.own && TextOf(path).find(':') == std::string::npos)
    start.shape.assign(rank, ExprId::None());
  start.value_shape = value.shape;
  start.fixed = tree_->Has(node, kFlagFixed);
  if (tree_->Has(node, kFlagPrefer)) start.wish = StateWish::kPrefer;
  if (tree_->Has(node, kFlagAvoid)) start.wish = StateWish::kAvoid;
  start.instance = instance;
  start.origin = At(node);
  out.push_back(start);
}

}  // namespace cotree
