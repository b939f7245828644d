// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/plural.h"
#include "expr/builtins.h"
#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/substitute.h"
#include "expr/walk.h"
#include "model/class_builder.h"

namespace cotree {

namespace messages = model_messages;

namespace {

enum class Rule : uint8_t { kPureNumber, kSame, kRoot, kSign, kTwoSame, kArctangent };
struct Elementary {
  std::string_view name;
  Op op;
  size_t arguments;
  Rule rule;
};
constexpr std::array kElementary = {
    Elementary{"sin", Op::kSin, 1, Rule::kPureNumber},
    Elementary{"cos", Op::kCos, 1, Rule::kPureNumber},
    Elementary{"tan", Op::kTan, 1, Rule::kPureNumber},
    Elementary{"asin", Op::kAsin, 1, Rule::kPureNumber},
    Elementary{"acos", Op::kAcos, 1, Rule::kPureNumber},
    Elementary{"atan", Op::kAtan, 1, Rule::kPureNumber},
    Elementary{"sinh", Op::kSinh, 1, Rule::kPureNumber},
    Elementary{"cosh", Op::kCosh, 1, Rule::kPureNumber},
    Elementary{"tanh", Op::kTanh, 1, Rule::kPureNumber},
    Elementary{"exp", Op::kExp, 1, Rule::kPureNumber},
    Elementary{"log", Op::kLog, 1, Rule::kPureNumber},
    Elementary{"log10", Op::kLog10, 1, Rule::kPureNumber},
    Elementary{"sqrt", Op::kSqrt, 1, Rule::kRoot},
    Elementary{"abs", Op::kAbs, 1, Rule::kSame},
    Elementary{"sign", Op::kSign, 1, Rule::kSign},
    Elementary{"floor", Op::kFloor, 1, Rule::kPureNumber},
    Elementary{"ceil", Op::kCeil, 1, Rule::kPureNumber},
    Elementary{"min", Op::kMin, 2, Rule::kTwoSame},
    Elementary{"max", Op::kMax, 2, Rule::kTwoSame},
    Elementary{"mod", Op::kMod, 2, Rule::kTwoSame},
    Elementary{"atan2", Op::kAtan2, 2, Rule::kArctangent},
};

constexpr std::array<std::string_view, 14> kOthers = {"der",    "pre",     "sum",      "size",    "sample",
                                                      "edge",   "initial", "terminal", "noevent", "smooth",
                                                      "change", "assert",  "reinit",   "delay"};

std::string Count(size_t n) {
  return Plural(n, "argument");
}

}  // namespace

bool ClassBuilder::WantCount(NodeId node, size_t least, size_t most) {
  const size_t given = tree_->CountChildren(node);
  if (given >= least && given <= most) return true;
  const std::string wanted = least == most ? Count(least) : std::to_string(least) + " to " + Count(most);
  Report(messages::kArgumentCount, node,
         {tree_->Name(node), wanted, given == 1 ? "1 is" : std::to_string(given) + " are"});
  return false;
}

Value ClassBuilder::LowerDer(NodeId node, NodeId argument) {
  Value value = Lower(argument);
  if (!Numeric(value, argument)) return Failed();
  if (value.base == BaseType::kInteger && !value.bare) {
    Report(messages::kDerivativeOfDiscrete, argument, {TextOf(argument)});
    return Failed();
  }
  ExprId bare = value.expr;
  if (pool_.op(bare) == Op::kElement) bare = pool_.operand(bare, 0);
  if (pool_.IsSymbol(bare) && pool_.kind(pool_.SymbolOf(bare)) == SymbolKind::kDiscrete) {
    Report(messages::kDerivativeOfDiscrete, argument, {TextOf(argument)});
    return Failed();
  }
  value.dim = DimTimes(value.dim, {Dimension::Of(0, 0, 1), {}}, node, -1);
  const bool angle = value.kind == KindHint::kAngle;
  value.kind = CountedKind(value.kind);
  value.unit = angle ? "rad/s" : "";
  value.bare = value.temperature = value.absolute = false;
  value.expr = TimeDerivative(pool_, value.expr);
  return value;
}

// What an expression was before the event: the same of what its variables were; none where a condition on the
// motion or the time decides, since what that was is not kept.
ExprId ClassBuilder::PreOf(ExprId expr) {
  ExprOrder order;
  FindOrder(pool_, std::span(&expr, 1), &order);
  std::vector<Replacement> before;
  std::vector<bool> moves(order.nodes.size(), false);  // hangs on the motion or the time
  for (size_t k = 0; k < order.nodes.size(); ++k) {
    const ExprId id = order.nodes[k];
    const Op op = pool_.op(id);
    if (op == Op::kCall && FindBuiltin(pool_.FunctionName(pool_.FunctionOf(id))) != Builtin::kNone)
      return ExprId::None();
    if (op == Op::kElement || op == Op::kSumOver || op == Op::kArray) return ExprId::None();
    moves[k] = op == Op::kTime;
    if (pool_.IsSymbol(id)) {
      const SymbolKind kind = pool_.kind(pool_.SymbolOf(id));
      if (kind == SymbolKind::kParameter || kind == SymbolKind::kIndex) continue;
      moves[k] = kind != SymbolKind::kDiscrete;
      before.push_back({pool_.SymbolOf(id), pool_.Call("pre", {id})});
    }
    for (const ExprId operand : pool_.operands(id)) moves[k] = moves[k] || moves[order.PositionOf(operand)];
    const bool jumps =
        IsRelation(op) || op == Op::kFloor || op == Op::kCeil || op == Op::kSign || op == Op::kMod;
    if (jumps && moves[k]) return ExprId::None();
  }
  return Substitute(pool_, expr, before);
}

// pre(x), edge(b), change(x).
Value ClassBuilder::LowerPre(NodeId node, NodeId argument) {
  const std::string name(tree_->Name(node));
  Value value = name == "pre" ? Lower(argument) : LowerScalar(argument);
  if (!value.ok) return value;
  if (name == "edge" && value.base != BaseType::kBoolean) {
    Report(messages::kConditionWanted, argument, {TextOf(argument), BaseTypeText(value.base)});
    return Failed();
  }
  ExprId variable = value.expr;
  if (pool_.op(variable) == Op::kElement) variable = pool_.operand(variable, 0);
  ExprId expr;
  if (pool_.IsSymbol(variable) && pool_.kind(pool_.SymbolOf(variable)) != SymbolKind::kParameter) {
    expr = pool_.Call(name, {value.expr});
  } else {
    const ExprId before = PreOf(value.expr);
    if (before.IsNone()) {
      auto& report = Report(messages::kRemembersVariables, argument, {TextOf(argument), name});
      if (value.base != BaseType::kBoolean)
        report.helps.assign(
            1, "give it a variable of its own: `x = " + TextOf(argument) + "`, then `" + name + "(x)`");
      return Failed();
    }
    expr = name == "pre"    ? before
           : name == "edge" ? pool_.And(value.expr, pool_.Not(before))
                            : pool_.NotEqual(value.expr, before);
  }
  if (name != "pre") {
    value = Number(0, false);
    value.base = BaseType::kBoolean;
  }
  value.expr = expr;
  value.bare = false;
  return value;
}

// `when edge(c)` acts as `when c` does: where c becomes true.
ExprId ClassBuilder::LowerWhenCondition(NodeId node) {
  const NodeId argument = (*tree_)[node].first_child;
  if (tree_->kind(node) == NodeKind::kCall && tree_->Name(node) == "edge" && !argument.IsNone() &&
      (*tree_)[argument].next_sibling.IsNone() && tree_->kind(argument) != NodeKind::kPath)
    return LowerCondition(argument);
  return LowerCondition(node);
}

Value ClassBuilder::LowerCall(NodeId node) {
  const std::string_view name = tree_->Name(node);
  std::vector<NodeId> arguments;
  for (const NodeId child : tree_->Children(node)) arguments.push_back(child);
  for (const Elementary& f : kElementary) {
    if (f.name != name) continue;
    if (!WantCount(node, f.arguments, f.arguments)) return Failed();
    Value a = Lower(arguments[0]);
    if (!Numeric(a, arguments[0])) return Failed();
    if (f.arguments == 1) {
      Value out = a;
      out.expr = pool_.Unary(f.op, a.expr);
      out.base = f.op == Op::kFloor || f.op == Op::kCeil ? BaseType::kInteger : BaseType::kReal;
      out.kind = KindHint::kNone;
      out.follows = DimVarId::None();
      out.temperature = a.temperature && f.rule == Rule::kSame;
      if (a.absolute) {
        Report(messages::kAbsoluteTemperature, arguments[0], {"degC", TextOf(arguments[0])});
        return Failed();
      }
      switch (f.rule) {
        case Rule::kPureNumber: {
          out.bare = false;
          const auto equated = a.bare ? Equated::kYes : Equate(a.dim, One(), arguments[0]);
          if (equated == Equated::kMismatch) {
            Report(messages::kNotANumber, arguments[0],
                   {TextOf(arguments[0]), UnitText(a), "divide it by a value of the same dimension"});
          }
          if (equated != Equated::kYes) return Failed();
          out.dim = One();
          const bool angle = f.op == Op::kAsin || f.op == Op::kAcos || f.op == Op::kAtan;
          out.unit = angle ? "rad" : "1";
          if (angle) out.kind = KindHint::kAngle;
          break;
        }
        case Rule::kRoot:
          out.dim = DimPower(a.dim, *Rational::Make(1, 2), node);
          out.unit.clear();
          break;
        case Rule::kSign:
          out.bare = false;
          out.dim = One();
          out.unit = "1";
          break;
        default:
          out.kind = a.kind;
          out.follows = a.follows;
          break;
      }
      return out;
    }
    Value b = Lower(arguments[1]);
    if (!Numeric(b, arguments[1])) return Failed();
    Value out = Additive(NodeKind::kLess, node, a, b, arguments[0], arguments[1]);
    if (!out.ok) return out;
    out.expr = pool_.Binary(f.op, a.expr, b.expr);
    if (f.rule == Rule::kArctangent) {
      out.absolute = out.temperature = false;
      out.dim = One();
      out.bare = false;
      out.unit = "rad";
      out.kind = KindHint::kAngle;
      out.follows = DimVarId::None();
    }
    return out;
  }
  if (name == "der") return WantCount(node, 1, 1) ? LowerDer(node, arguments[0]) : Failed();
  if (name == "sum") return WantCount(node, 1, 1) ? LowerSum(node, arguments[0]) : Failed();
  if (name == "pre" || name == "edge" || name == "change")
    return WantCount(node, 1, 1) ? LowerPre(node, arguments[0]) : Failed();
  if (name == "noevent") {
    if (!WantCount(node, 1, 1)) return Failed();
    Value value = Lower(arguments[0]);
    if (!value.ok) return value;
    value.expr = pool_.Call(name, {value.expr});
    value.bare = false;
    return value;
  }
  if (name == "smooth") {
    if (!WantCount(node, 2, 2)) return Failed();
    const auto order = ConstantNumber(arguments[0]);
    Value value = Lower(arguments[1]);
    if (!order || !value.ok) return Failed();
    value.expr = pool_.Call(name, {pool_.Number(*order), value.expr});
    value.bare = false;
    return value;
  }
  if (name == "size") {
    if (!WantCount(node, 1, 2)) return Failed();
    Value value = Lower(arguments[0]);
    if (!value.ok) return value;
    double k = 1;
    if (arguments.size() == 2) {
      const auto given = ConstantNumber(arguments[1]);
      if (!given) return Failed();
      k = *given;
    }
    if (!(k >= 1 && k <= static_cast<double>(value.shape.size()))) {
      Report(messages::kTooManyIndices, node,
             {TextOf(arguments[0]), Plural(value.shape.size(), "dimension"),
              "number " + std::to_string(static_cast<long>(std::min(k, 1e9))) + " is"});
      return Failed();
    }
    Value out = Number(0, true);
    out.expr = value.shape[static_cast<size_t>(k) - 1];
    out.base = BaseType::kInteger;
    return out;
  }
  Value condition = Number(0, false);
  condition.base = BaseType::kBoolean;
  if (name == "initial" || name == "terminal") {
    if (!WantCount(node, 0, 0)) return Failed();
    condition.expr = pool_.Call(name, {});
    return condition;
  }
  Type time;
  time.declared = true;
  time.dimension = Dimension::Of(0, 0, 1);
  time.unit = "s";
  if (name == "delay") {
    if (!WantCount(node, 2, 2)) return Failed();
    Value value = Lower(arguments[0]);
    Value by = LowerScalar(arguments[1]);
    if (!Numeric(value, arguments[0]) || !by.ok || !Fit(by, arguments[1], time, DimOf(time), "a time"))
      return Failed();
    bool constant = pool_.IsZero(TimeDerivative(pool_, by.expr));
    for (const Dependence& dependence : FindDependence(pool_, by.expr))
      constant = constant && pool_.kind(dependence.base) == SymbolKind::kParameter;
    if (!constant) {
      Report(messages::kNotConstant, arguments[1], {TextOf(arguments[1])})
          .helps.assign(1, "the time of a delay is a number or made of parameters");
      return Failed();
    }
    value.expr = pool_.Call(name, {value.expr, by.expr});
    value.bare = false;
    return value;
  }
  if (name == "sample") {
    if (!WantCount(node, 1, 2)) return Failed();
    std::vector<ExprId> times;
    for (const NodeId argument : arguments) {
      Value value = LowerScalar(argument);
      if (!value.ok || !Fit(value, argument, time, DimOf(time), "a time")) return Failed();
      times.push_back(value.expr);
    }
    if (times.size() == 1) times.insert(times.begin(), pool_.Zero());
    condition.expr = pool_.Call(name, times);
    return condition;
  }
  // Tables of this class, then functions and tables of the files.
  if (const auto member = cls_->members.Find(builder_.Intern(name));
      member && member->kind == MemberKind::kTable) {
    return CallTable(node, cls_->tables[member->index]);
  }
  const auto lookup = builder_.declarations.Find(
      NameId::None(), builder_.Intern(name), tree_->file,
      [](NodeKind k) { return k == NodeKind::kFunction || k == NodeKind::kTable; });
  if (!lookup.found.empty()) {
    const DeclarationId id = lookup.found[0];
    if (builder_.declarations[id].kind == NodeKind::kTable) {
      const auto table = builder_.TableNamed(id);
      return table ? CallTable(node, *table) : Failed();
    }
    FunctionDefinition* function = builder_.FunctionNamed(id);
    if (function == nullptr) {
      Report(messages::kRecursiveFunction, node, {name});
      return Failed();
    }
    return CallFunction(node, *function, name);
  }
  if (builder_.IsBroken(cls_->name, builder_.Intern(name)) || builder_.declarations.lacks_files())
    return Failed();
  auto& report = builder_.diagnostics.Report(messages::kUnknownFunction, tree_->NameSpan(node), {name});
  std::vector<std::string_view> candidates = builder_.declarations.Names(
      [](NodeKind k) { return k == NodeKind::kFunction || k == NodeKind::kTable; });
  for (const Elementary& f : kElementary) candidates.push_back(f.name);
  for (const std::string_view other : kOthers) candidates.push_back(other);
  const std::string_view near = Nearest(name, candidates);
  if (!near.empty())
    report.Help("did you mean `" + std::string(near) + "`?");
  else if (const auto member = cls_->members.Find(builder_.Intern(name)); member)
    report.Help("`" + std::string(name) + "` is a member here, not a function; write `*` to multiply");
  return Failed();
}

Value ClassBuilder::CallFunction(NodeId node, FunctionDefinition& function, std::string_view name) {
  if (!WantCount(node, function.parameters.size(), function.parameters.size())) return Failed();
  std::vector<DimVarId> generics;
  for (size_t g = 0; g < function.generic_count; ++g) generics.push_back(NewDimension());
  const auto mapped = [&](const DimensionVector& inner) {
    DimExpr out{inner.si, {}};
    for (const auto& generic : inner.generics) {
      out = DimTimes(out, {{}, {{generics[generic.id.index()], 1}}}, node, generic.exponent);
    }
    return out;
  };
  std::vector<Replacement> replacements;
  bool ok = function.ok;
  size_t i = 0;
  for (const NodeId argument : tree_->Children(node)) {
    Value value = LowerScalar(argument);
    const Type& type = function.parameters[i];
    const std::string what = "argument " + std::to_string(i + 1) + " of `" + std::string(name) + "`";
    if (!value.ok || !Fit(value, argument, type, mapped(type.dimension), what)) {
      ok = false;
    } else {
      replacements.emplace_back(function.symbols[i], value.expr);
    }
    ++i;
  }
  if (!ok) return Failed();
  Value out = function.result;
  out.dim = mapped(function.result.dim.constant);
  // What the declared type of the result says: f(x : $a) : $a.
  if (function.declared && out.kind == KindHint::kNone) out.follows = CountedUnknownOf(out.dim);
  out.expr = Substitute(pool_, function.result.expr, replacements);
  return out;
}

Value ClassBuilder::CallTable(NodeId node, TableId id) {
  const Table table = builder_.model.tables[id.index()];
  if (!WantCount(node, table.arguments.size(), table.arguments.size())) return Failed();
  std::vector<ExprId> arguments;
  size_t i = 0;
  for (const NodeId argument : tree_->Children(node)) {
    Value value = LowerScalar(argument);
    const std::string what =
        "argument " + std::to_string(i + 1) + " of `" + std::string(tree_->Name(node)) + "`";
    if (!value.ok || !Fit(value, argument, table.arguments[i], DimOf(table.arguments[i]), what))
      return Failed();
    arguments.push_back(value.expr);
    ++i;
  }
  Value out;
  out.ok = true;
  out.dim = DimOf(table.result);
  out.kind = table.result.kind;
  out.unit = table.result.unit;
  out.expr = pool_.Call(tree_->Name(node), arguments);
  return out;
}

}  // namespace cotree
