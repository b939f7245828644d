// SPDX-License-Identifier: Apache-2.0
#include "model/check_sizes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "expr/walk.h"
#include "model/describe_model.h"
#include "model/diagnostics.h"

namespace cotree {

namespace messages = model_messages;

std::optional<double> EvaluateConstant(const ExprPool& pool, ExprId expr, const ParameterValues& values) {
  if (expr.IsNone()) return std::nullopt;
  if (pool.IsNumber(expr)) return pool.NumberValue(expr);
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  std::vector<double> results(order.nodes.size(), std::nan(""));
  for (size_t i = 0; i < order.nodes.size(); ++i) {
    const ExprId id = order.nodes[i];
    const auto operand = [&](size_t k) { return results[order.PositionOf(pool.operand(id, k))]; };
    double r = std::nan("");
    switch (pool.op(id)) {
      case Op::kNumber:
        r = pool.NumberValue(id);
        break;
      case Op::kBoolean:
        r = pool.BooleanValue(id) ? 1 : 0;
        break;
      case Op::kSymbol: {
        const auto it = values.find(pool.SymbolOf(id).value);
        if (it != values.end()) r = it->second;
        break;
      }
      case Op::kAdd:
        r = 0;
        for (size_t k = 0; k < pool.operands(id).size(); ++k) r += operand(k);
        break;
      case Op::kMultiply:
        r = 1;
        for (size_t k = 0; k < pool.operands(id).size(); ++k) r *= operand(k);
        break;
      case Op::kDivide:
        r = operand(0) / operand(1);
        break;
      case Op::kPower:
        r = std::pow(operand(0), operand(1));
        break;
      case Op::kFloor:
        r = std::floor(operand(0));
        break;
      case Op::kCeil:
        r = std::ceil(operand(0));
        break;
      case Op::kAbs:
        r = std::abs(operand(0));
        break;
      case Op::kSqrt:
        r = std::sqrt(operand(0));
        break;
      case Op::kSin:
        r = std::sin(operand(0));
        break;
      case Op::kCos:
        r = std::cos(operand(0));
        break;
      case Op::kExp:
        r = std::exp(operand(0));
        break;
      case Op::kLog:
        r = std::log(operand(0));
        break;
      case Op::kMin:
        r = std::min(operand(0), operand(1));
        break;
      case Op::kMax:
        r = std::max(operand(0), operand(1));
        break;
      case Op::kMod:
        r = operand(0) - operand(1) * std::floor(operand(0) / operand(1));
        break;
      case Op::kLess:
        r = operand(0) < operand(1) ? 1 : 0;
        break;
      case Op::kLessEqual:
        r = operand(0) <= operand(1) ? 1 : 0;
        break;
      case Op::kEqual:
        r = operand(0) == operand(1) ? 1 : 0;
        break;
      case Op::kNotEqual:
        r = operand(0) != operand(1) ? 1 : 0;
        break;
      case Op::kNot:
        r = operand(0) != 0 ? 0 : 1;
        break;
      case Op::kAnd:
        r = 1;
        for (size_t k = 0; k < pool.operands(id).size(); ++k) r = r != 0 && operand(k) != 0 ? 1 : 0;
        break;
      case Op::kOr:
        r = 0;
        for (size_t k = 0; k < pool.operands(id).size(); ++k) r = r != 0 || operand(k) != 0 ? 1 : 0;
        break;
      case Op::kElement: {
        // Of an array that is written out.
        ExprId array = pool.operand(id, 0);
        size_t k = 1;
        for (; k < pool.operands(id).size() && pool.op(array) == Op::kArray; ++k) {
          const double index = operand(k);
          if (!(index >= 1 && index <= static_cast<double>(pool.operands(array).size()))) break;
          array = pool.operand(array, static_cast<size_t>(index) - 1);
        }
        if (k == pool.operands(id).size() && pool.op(array) != Op::kArray)
          r = results[order.PositionOf(array)];
        break;
      }
      case Op::kIf:
        r = std::isnan(operand(0)) ? operand(0) : operand(0) != 0 ? operand(1) : operand(2);
        break;
      default:
        break;
    }
    results[i] = r;
  }
  const double result = results[order.PositionOf(expr)];
  return std::isnan(result) ? std::nullopt : std::optional(result);
}

ParameterValues EvaluateParameters(const Model& model, const ComponentClass& cls, ParameterValues given) {
  // Defaults may depend on each other in any order; a round settles at least one, or none is left that can
  // be.
  bool progress = true;
  for (size_t round = 0; progress && round <= cls.parameters.size(); ++round) {
    progress = false;
    for (const Parameter& p : cls.parameters) {
      if (!p.shape.empty() || p.value.IsNone() || given.count(p.symbol.value) > 0) continue;
      if (const auto value = EvaluateConstant(model.expressions, p.value, given)) {
        given[p.symbol.value] = *value;
        progress = true;
      }
    }
  }
  return given;
}

ParameterValues ArgumentsOf(const Model& model, const ComponentClass& outer, const Instance& instance,
                            const ParameterValues& values) {
  ParameterValues inner;
  const ComponentClass& cls = model[instance.class_id];
  for (uint32_t i = 0; i < instance.argument_count; ++i) {
    const Argument& argument = outer.arguments[instance.first_argument + i];
    if (argument.path != UINT32_MAX || argument.per_element) continue;
    const Parameter& p = cls.parameters[argument.parameter];
    if (!p.shape.empty()) continue;
    if (const auto value = EvaluateConstant(model.expressions, argument.value, values))
      inner[p.symbol.value] = *value;
  }
  return EvaluateParameters(model, cls, std::move(inner));
}

namespace {

std::string Whole(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  std::string text = std::to_string(value);
  return text;
}

std::string ShapeText(const std::vector<double>& shape) {
  std::string text;
  for (const double n : shape) text += (text.empty() ? "" : "x") + Whole(n);
  return text + (shape.size() == 1 && shape[0] == 1 ? " element" : " elements");
}

std::string WantedText(const std::vector<double>& shape) {
  std::string text;
  for (const double n : shape) text += (text.empty() ? "" : "x") + Whole(n);
  return text + (shape.size() == 1 && shape[0] == 1 ? " is" : " are");
}

}  // namespace

bool CheckSize(const ExprPool& pool, const SyntaxTree& tree, const SizeCheck& check,
               const ParameterValues& values, Diagnostics& diagnostics) {
  if (!check.condition.IsNone() && EvaluateConstant(pool, check.condition, values).value_or(1) == 0)
    return false;
  const auto value = EvaluateConstant(pool, check.value, values),
             bound = EvaluateConstant(pool, check.bound, values);
  if (!value || !bound) return false;
  if (check.kind == SizeCheck::Kind::kEqual) {
    if (*value == *bound) return false;
    diagnostics.Report(messages::kSizesDiffer, tree.SpanOf(check.node),
                       {tree.Text(check.node), ShapeText({*value}), WantedText({*bound})});
    return true;
  }
  if (*value >= 1 && *value <= *bound) return false;
  // An empty slice at the end (1:0) is no error.
  if (tree.kind(check.node) == NodeKind::kRange && *value == 0) return false;
  auto& report =
      diagnostics.Report(messages::kIndexOutOfRange, tree.SpanOf(check.node), {Whole(*value), Whole(*bound)});
  if (tree.Text(check.node) != Whole(*value)) report.Label("this is " + Whole(*value));
  return true;
}

namespace {

class SizeChecker {
 public:
  SizeChecker(const Model& model, Diagnostics& diagnostics)
      : model_(model), pool_(model.expressions), diagnostics_(diagnostics) {}

  // `given`: the parameters whose values stand at the instance.
  void Check(ClassId id, const ParameterValues& values, const std::set<uint32_t>& given = {}) {
    const ComponentClass& cls = model_[id];
    if (!Interesting(id) || depth_ > 100) return;
    std::vector<double> key{static_cast<double>(id.value)};
    for (const Parameter& p : cls.parameters) {
      const auto it = values.find(p.symbol.value);
      if (p.type.base != BaseType::kReal) key.push_back(it == values.end() ? std::nan("") : it->second);
    }
    for (const uint32_t p : given) {
      if (!cls.parameters[p].shape.empty()) key.push_back(-1.0 - p);
    }
    for (double& k : key) k = std::isnan(k) ? -1e99 : k;
    if (!seen_.insert(key).second || seen_.size() > kMostVariants) return;
    ++depth_;
    const SyntaxTree& tree = model_.tree(cls.origin.tree);
    CheckShapes(cls, tree, values);
    for (const SizeCheck& check : cls.size_checks) {
      if (check.default_of == UINT32_MAX || given.count(check.default_of) == 0)
        CheckOne(cls, tree, check, values);
    }
    for (const Connection& connection : cls.connections) {
      if (!connection.signal) CheckConnection(cls, tree, connection, values);
    }
    for (const Instance& instance : cls.instances) {
      if (instance.class_id.IsNone() || !Interesting(instance.class_id)) continue;
      const ParameterValues inner = ArgumentsOf(model_, cls, instance, values);
      CheckBounds(model_[instance.class_id], tree, instance.node, inner);
      std::set<uint32_t> inner_given;
      for (uint32_t i = 0; i < instance.argument_count; ++i) {
        const Argument& argument = cls.arguments[instance.first_argument + i];
        if (argument.path == UINT32_MAX) inner_given.insert(argument.parameter);
      }
      Check(instance.class_id, inner, inner_given);
    }
    --depth_;
  }

  // Bounds of parameters, with the numbers of an instance. `node` is the instance; none: at
  // the parameter itself.
  void CheckBounds(const ComponentClass& cls, const SyntaxTree& tree, NodeId node,
                   const ParameterValues& values) {
    for (const Parameter& p : cls.parameters) {
      if (p.min.IsNone() && p.max.IsNone()) continue;
      const auto value = values.find(p.symbol.value);
      if (value == values.end()) continue;
      const auto low = EvaluateConstant(pool_, p.min, values), high = EvaluateConstant(pool_, p.max, values);
      const bool below = low && value->second < *low, above = high && value->second > *high;
      if (!below && !above) continue;
      const std::string unit = p.type.unit.empty() || p.type.unit == "1" || !p.type.dimension.generics.empty()
                                   ? ""
                                   : " " + p.type.unit;
      auto& report =
          diagnostics_.Report(messages::kOutOfBounds, tree.SpanOf(node.IsNone() ? p.origin.node : node),
                              {model_.Text(p.name), NumberText(value->second) + unit,
                               below ? "at least" : "at most", NumberText(below ? *low : *high) + unit});
      if (!node.IsNone()) report.Also(model_.SpanOf(p.origin), "declared here with its bounds");
    }
  }

 private:
  // Whether anything in a class or below it has a size or a bound.
  bool Interesting(ClassId id) {
    const auto known = interesting_.find(id.value);
    if (known != interesting_.end()) return known->second;
    interesting_[id.value] = false;
    const ComponentClass& cls = model_[id];
    bool result = !cls.size_checks.empty() || !cls.shapes.empty();
    for (const Terminal& t : cls.terminals) result = result || !t.shape.empty();
    for (const Variable& v : cls.variables) result = result || !v.shape.empty();
    for (const Parameter& p : cls.parameters)
      result = result || !p.shape.empty() || !p.min.IsNone() || !p.max.IsNone();
    for (size_t i = 0; i < cls.instances.size() && !result; ++i) {
      if (!cls.instances[i].class_id.IsNone()) result = Interesting(cls.instances[i].class_id);
    }
    interesting_[id.value] = result;
    return result;
  }

  void CheckShape(const Shape& shape, NodeId node, const SyntaxTree& tree, const ParameterValues& values) {
    for (const ExprId size : shape) {
      const auto n = EvaluateConstant(pool_, size, values);
      if (!n || (*n >= 0 && *n == std::floor(*n) && *n <= 4e9)) continue;
      auto& report = diagnostics_.Report(messages::kBadSize, tree.SpanOf(node), {tree.Text(node), Whole(*n)});
      if (*n > 4e9) report.Help("at most four thousand million elements");
    }
  }

  void CheckShapes(const ComponentClass& cls, const SyntaxTree& tree, const ParameterValues& values) {
    for (const Terminal& t : cls.terminals) CheckShape(t.shape, t.origin.node, tree, values);
    for (const Parameter& p : cls.parameters) CheckShape(p.shape, p.origin.node, tree, values);
    for (const Variable& v : cls.variables) CheckShape(v.shape, v.origin.node, tree, values);
    if (cls.shapes.empty()) return;
    for (const Instance& i : cls.instances) {
      if (i.shape != UINT32_MAX) CheckShape(cls.shapes[i.shape], i.node, tree, values);
    }
  }

  // All combinations of the ends of the loops: sizes and indices are affine in them as a rule.
  template <class F>
  void AtLoopEnds(const ComponentClass& cls, LoopRange loops, ParameterValues values, F f) {
    if (loops.count == 0) return f(values);
    const uint32_t count = std::min(loops.count, 4u);
    for (uint32_t bits = 0; bits < (1u << count); ++bits) {
      ParameterValues at = values;
      bool empty = false;
      for (uint32_t k = 0; k < loops.count && !empty; ++k) {
        const Loop& loop = cls.loops[loops.first + k];
        const auto from = EvaluateConstant(pool_, loop.from, at), to = EvaluateConstant(pool_, loop.to, at);
        empty = !from || !to || *to < *from;
        if (!empty) at[loop.symbol.value] = k < count && (bits >> k & 1u) != 0 ? *to : *from;
      }
      if (!empty) f(at);
    }
  }

  void CheckOne(const ComponentClass& cls, const SyntaxTree& tree, const SizeCheck& check,
                const ParameterValues& values) {
    bool reported = false;
    AtLoopEnds(cls, check.loops, values, [&](const ParameterValues& at) {
      reported = reported || CheckSize(pool_, tree, check, at, diagnostics_);
    });
  }

  // The sizes of an end after its indices; single elements drop out.
  std::optional<std::vector<double>> Extent(const ComponentClass& cls, const Endpoint& end,
                                            const ParameterValues& values) {
    std::vector<double> out;
    const auto add = [&](const Shape& shape, uint8_t given, size_t first, const ParameterValues& inner) {
      for (size_t k = 0; k < shape.size(); ++k) {
        if (k < given) {
          const Subscript& s = cls.subscripts[first + k];
          if (s.to.IsNone()) continue;
          const auto from = EvaluateConstant(pool_, s.from, values),
                     to = EvaluateConstant(pool_, s.to, values);
          const auto step = s.step.IsNone() ? std::optional(1.0) : EvaluateConstant(pool_, s.step, values);
          if (!from || !to || !step || *step == 0) return false;
          out.push_back(std::max(0.0, std::floor((*to - *from) / *step) + 1));
        } else {
          const auto n = EvaluateConstant(pool_, shape[k], inner);
          if (!n) return false;
          out.push_back(*n);
        }
      }
      return true;
    };
    if (end.kind != Endpoint::Kind::kTerminal) return out;
    if (end.instance == UINT32_MAX) {
      if (!add(cls.terminals[end.member].shape, end.member_subscripts, end.first_subscript, values))
        return std::nullopt;
      return out;
    }
    const Instance& instance = cls.instances[end.instance];
    if (instance.shape != UINT32_MAX &&
        !add(cls.shapes[instance.shape], end.instance_subscripts, end.first_subscript, values))
      return std::nullopt;
    const Shape& shape = model_[instance.class_id].terminals[end.member].shape;
    if (!shape.empty() && !add(shape, end.member_subscripts, end.first_subscript + end.instance_subscripts,
                               ArgumentsOf(model_, cls, instance, values))) {
      return std::nullopt;
    }
    return out;
  }

  void CheckConnection(const ComponentClass& cls, const SyntaxTree& tree, const Connection& connection,
                       const ParameterValues& values) {
    bool arrays = false;
    for (uint32_t i = 0; i < connection.endpoint_count; ++i) {
      const Endpoint& end = cls.endpoints[connection.first_endpoint + i];
      if (end.kind != Endpoint::Kind::kTerminal) continue;
      if (end.instance == UINT32_MAX)
        arrays = arrays || !cls.terminals[end.member].shape.empty();
      else
        arrays = arrays || cls.instances[end.instance].shape != UINT32_MAX ||
                 !model_[cls.instances[end.instance].class_id].terminals[end.member].shape.empty();
    }
    if (!arrays) return;
    bool reported = false;
    AtLoopEnds(cls, connection.loops, values, [&](const ParameterValues& at) {
      if (reported || (!connection.condition.IsNone() &&
                       EvaluateConstant(pool_, connection.condition, at).value_or(1) == 0))
        return;
      std::vector<double> first;
      const Endpoint* first_end = nullptr;
      for (uint32_t i = 0; i < connection.endpoint_count; ++i) {
        const Endpoint& end = cls.endpoints[connection.first_endpoint + i];
        const auto extent = Extent(cls, end, at);
        if (!extent || extent->empty()) continue;
        if (first_end == nullptr) {
          first = *extent;
          first_end = &end;
        } else if (*extent != first) {
          diagnostics_
              .Report(messages::kSizesDiffer, tree.SpanOf(end.node),
                      {tree.Text(end.node), ShapeText(*extent), WantedText(first)})
              .Also(tree.SpanOf(first_end->node), "joined with " + ShapeText(first))
              .Help(
                  "arrays are joined element by element, so their sizes must agree; a single terminal joins "
                  "all");
          reported = true;
          return;
        }
      }
    });
  }

  const Model& model_;
  const ExprPool& pool_;
  Diagnostics& diagnostics_;
  std::unordered_map<uint32_t, bool> interesting_;
  std::set<std::vector<double>> seen_;
  static constexpr size_t kMostVariants = 20000;  // of classes by their sizes; keeps hostile nesting finite
  int depth_ = 0;
};

}  // namespace

void CheckSizes(const Model& model, Diagnostics& diagnostics) {
  SizeChecker checker(model, diagnostics);
  for (const auto* list : {&model.systems, &model.own_classes}) {
    for (const ClassId id : *list) {
      const ParameterValues values = EvaluateParameters(model, model[id], {});
      checker.CheckBounds(model[id], model.tree(model[id].origin.tree), NodeId::None(), values);
      checker.Check(id, values);
    }
  }
}

namespace {

double CountIn(const Model& model, ClassId id, const ParameterValues& values, int depth) {
  const ComponentClass& cls = model[id];
  if (depth > 50) return 0;
  double total = 0;
  for (const Instance& instance : cls.instances) {
    if (instance.class_id.IsNone()) continue;
    double n = 1;
    if (instance.shape != UINT32_MAX) {
      for (const ExprId size : cls.shapes[instance.shape])
        n *= EvaluateConstant(model.expressions, size, values).value_or(0);
    }
    const ComponentClass& inner = model[instance.class_id];
    total += n * (inner.IsComposite() ? CountIn(model, instance.class_id,
                                                ArgumentsOf(model, cls, instance, values), depth + 1)
                                      : 1);
  }
  return total;
}

}  // namespace

double CountComponents(const Model& model, ClassId system) {
  return CountIn(model, system, EvaluateParameters(model, model[system], {}), 0);
}

}  // namespace cotree
