// SPDX-License-Identifier: Apache-2.0
#include "model/check_sizes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "expr/builtins.h"
#include "expr/dependence.h"
#include "expr/evaluate.h"
#include "expr/walk.h"
#include "model/describe_model.h"
#include "model/diagnostics.h"

namespace cotree {

namespace messages = model_messages;

namespace {

// The elements of an array that is written out, or of one with values.
double ElementOf(const ExprPool& pool, ExprId array, std::span<const double> indices, const ExprOrder& order,
                 std::span<const double> results, std::span<const ArrayValue<double>> arrays) {
  if (pool.IsSymbol(array)) {
    for (const ArrayValue<double>& known : arrays) {
      if (known.symbol != pool.SymbolOf(array) || known.sizes.size() != indices.size()) continue;
      size_t flat = 0;
      for (size_t k = 0; k < indices.size(); ++k) {
        if (!(indices[k] >= 1 && indices[k] <= static_cast<double>(known.sizes[k]))) return std::nan("");
        flat = flat * known.sizes[k] + static_cast<size_t>(indices[k]) - 1;
      }
      return known.elements[flat];
    }
    return std::nan("");
  }
  for (const double index : indices) {
    if (pool.op(array) != Op::kArray ||
        !(index >= 1 && index <= static_cast<double>(pool.operands(array).size())))
      return std::nan("");
    array = pool.operand(array, static_cast<size_t>(index) - 1);
  }
  return pool.op(array) == Op::kArray ? std::nan("") : results[order.PositionOf(array)];
}

// A sum or a function that only the evaluator of expressions knows; nothing in it may be unknown.
double EvaluateWhole(const ExprPool& pool, ExprId expr, const ParameterValues& values,
                     std::span<const ArrayValue<double>> arrays, const TableCall& call) {
  Environment<double> environment;
  environment.scalars.assign(pool.symbol_count(), std::nan(""));
  for (const auto& [symbol, value] : values) environment.scalars[symbol] = value;
  environment.arrays.assign(arrays.begin(), arrays.end());
  environment.call = call;
  return EvaluateDouble(pool, expr, environment);
}

double EvaluateUnary(Op op, double x) {
  switch (op) {
    case Op::kSin:
      return std::sin(x);
    case Op::kCos:
      return std::cos(x);
    case Op::kTan:
      return std::tan(x);
    case Op::kAsin:
      return std::asin(x);
    case Op::kAcos:
      return std::acos(x);
    case Op::kAtan:
      return std::atan(x);
    case Op::kSinh:
      return std::sinh(x);
    case Op::kCosh:
      return std::cosh(x);
    case Op::kTanh:
      return std::tanh(x);
    case Op::kExp:
      return std::exp(x);
    case Op::kLog:
      return std::log(x);
    case Op::kLog10:
      return std::log10(x);
    case Op::kSqrt:
      return std::sqrt(x);
    case Op::kAbs:
      return std::abs(x);
    case Op::kSign:
      return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0));
    case Op::kFloor:
      return std::floor(x);
    case Op::kCeil:
      return std::ceil(x);
    default:
      return std::nan("");
  }
}

double EvaluateBinary(Op op, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  switch (op) {
    case Op::kDivide:
      return a / b;
    case Op::kPower:
      return std::pow(a, b);
    case Op::kAtan2:
      return std::atan2(a, b);
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
    case Op::kMod:
      return a - b * std::floor(a / b);
    case Op::kLess:
      return a < b ? 1 : 0;
    case Op::kLessEqual:
      return a <= b ? 1 : 0;
    case Op::kEqual:
      return a == b ? 1 : 0;
    case Op::kNotEqual:
      return a != b ? 1 : 0;
    default:
      return std::nan("");
  }
}

}  // namespace

std::optional<double> EvaluateConstant(const ExprPool& pool, ExprId expr, const ParameterValues& values,
                                       std::span<const ArrayValue<double>> arrays, const TableCall& call) {
  if (expr.IsNone()) return std::nullopt;
  if (pool.IsNumber(expr)) return pool.NumberValue(expr);
  ExprOrder order;
  FindOrder(pool, std::span(&expr, 1), &order);
  std::vector<double> results(order.nodes.size(), std::nan(""));
  for (size_t i = 0; i < order.nodes.size(); ++i) {
    const ExprId id = order.nodes[i];
    const Op op = pool.op(id);
    const auto operand = [&](size_t k) { return results[order.PositionOf(pool.operand(id, k))]; };
    double r = std::nan("");
    switch (op) {
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
      case Op::kNot:
        r = std::isnan(operand(0)) ? operand(0) : operand(0) != 0 ? 0 : 1;
        break;
      case Op::kAnd:
      case Op::kOr: {
        const bool decides = op == Op::kOr;
        r = decides ? 0 : 1;
        for (size_t k = 0; k < pool.operands(id).size(); ++k) {
          const double x = operand(k);
          if (!std::isnan(x) && (x != 0) == decides) {
            r = decides ? 1 : 0;
            break;
          }
          if (std::isnan(x)) r = x;
        }
        break;
      }
      case Op::kElement: {
        std::vector<double> indices;
        for (size_t k = 1; k < pool.operands(id).size(); ++k) indices.push_back(operand(k));
        r = ElementOf(pool, pool.operand(id, 0), indices, order, results, arrays);
        break;
      }
      case Op::kSumOver:
        r = EvaluateWhole(pool, id, values, arrays, call);
        break;
      case Op::kCall: {
        const std::string_view name = pool.FunctionName(pool.FunctionOf(id));
        const Builtin builtin = FindBuiltin(name);
        std::vector<double> arguments;
        for (size_t k = 0; k < pool.operands(id).size(); ++k) arguments.push_back(operand(k));
        if (builtin == Builtin::kNoEvent || builtin == Builtin::kSmooth)
          r = arguments.back();
        else if (call && builtin == Builtin::kNone)
          r = call(name, pool.function(pool.FunctionOf(id)), arguments);
        break;
      }
      case Op::kIf:
        r = std::isnan(operand(0)) ? operand(0) : operand(0) != 0 ? operand(1) : operand(2);
        break;
      default:
        if (IsUnaryFunction(op))
          r = EvaluateUnary(op, operand(0));
        else if (pool.operands(id).size() == 2)
          r = EvaluateBinary(op, operand(0), operand(1));
    }
    results[i] = r;
  }
  const double result = results[order.PositionOf(expr)];
  return std::isnan(result) ? std::nullopt : std::optional(result);
}

ParameterValues EvaluateParameters(const Model& model, const ComponentClass& cls, ParameterValues given) {
  const ExprPool& pool = model.expressions;
  // Defaults may depend on each other in any order: what one needs comes before it.
  std::unordered_map<uint32_t, uint32_t>
      formulas;  // by symbol: the parameter whose default is to be computed
  for (uint32_t p = 0; p < cls.parameters.size(); ++p) {
    const Parameter& parameter = cls.parameters[p];
    const uint32_t symbol = parameter.symbol.value;
    if (!parameter.shape.empty() || parameter.value.IsNone() || given.count(symbol) > 0) continue;
    if (pool.IsNumber(parameter.value))
      given[symbol] = pool.NumberValue(parameter.value);
    else
      formulas[symbol] = p;
  }
  if (formulas.empty()) return given;
  const TableCall calls = TableCalls(model);
  const auto settle = [&](uint32_t p) {
    const auto value = EvaluateConstant(pool, cls.parameters[p].value, given, {}, calls);
    if (value) given[cls.parameters[p].symbol.value] = *value;
    return value.has_value();
  };
  std::vector<uint8_t> seen(cls.parameters.size(),
                            0);  // 1: what it needs is looked at, 2: settled or given up
  std::vector<uint32_t> left;
  for (uint32_t first = 0; first < cls.parameters.size(); ++first) {
    const auto formula = formulas.find(cls.parameters[first].symbol.value);
    if (formula == formulas.end() || formula->second != first) continue;
    std::vector<uint32_t> stack{first};
    while (!stack.empty()) {
      const uint32_t p = stack.back();
      if (seen[p] == 0) {
        seen[p] = 1;
        for (const SymbolId symbol : FindSymbols(pool, cls.parameters[p].value)) {
          const auto other = formulas.find(symbol.value);
          if (other != formulas.end() && seen[other->second] == 0) stack.push_back(other->second);
        }
        continue;
      }
      stack.pop_back();
      if (seen[p] == 1 && !settle(p)) left.push_back(p);
      seen[p] = 2;
    }
  }
  // A circle that a condition breaks is settled once the others are.
  for (size_t before = left.size() + 1; left.size() < before;) {
    before = left.size();
    std::erase_if(left, settle);
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
    if (const auto value = EvaluateConstant(model.expressions, argument.value, values, {}, TableCalls(model)))
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

Diagnostic& ReportSizes(const SyntaxTree& tree, NodeId node, const std::vector<double>& given,
                        const std::vector<double>& wanted, Diagnostics& diagnostics) {
  return diagnostics.Report(messages::kSizesDiffer, tree.SpanOf(node),
                            {tree.Text(node), ShapeText(given), WantedText(wanted)});
}

namespace {

// One test with the numbers of its class, and of the class that its bound belongs to; true: it failed, and
// that was reported.
bool CheckSize(const Model& model, const SyntaxTree& tree, const SizeCheck& check,
               const ParameterValues& values, const ParameterValues& bound_values, Diagnostics& diagnostics) {
  const ExprPool& pool = model.expressions;
  if (!check.condition.IsNone() && EvaluateConstant(pool, check.condition, values).value_or(1) == 0)
    return false;
  const auto value = EvaluateConstant(pool, check.value, values),
             bound = EvaluateConstant(pool, check.bound, bound_values);
  if (!value || !bound) return false;
  if (check.kind == SizeCheck::Kind::kEqual) {
    if (*value == *bound) return false;
    HelpWithMeaning(model, check.wanted, ReportSizes(tree, check.node, {*value}, {*bound}, diagnostics));
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

class SizeChecker {
 public:
  SizeChecker(const Model& model, Diagnostics& diagnostics)
      : model_(model), pool_(model.expressions), diagnostics_(diagnostics) {
    FindInteresting();
  }

  /** A class as it stands in a system. */
  struct Place {
    ParameterValues values;
    std::set<uint32_t> given;                    // parameters whose defaults are void
    std::vector<const SystemSetting*> settings;  // for what is further inside
    size_t depth = 0;                            // steps of their paths that lead here
  };

  Place PlaceOf(ClassId system, std::span<const SystemSetting> settings) {
    Place place;
    for (const SystemSetting& setting : settings) Give(model_[system], setting, 0, place);
    Finish(model_[system], place);
    return place;
  }

  void Check(ClassId id, const Place& place) {
    const ComponentClass& cls = model_[id];
    if (!Interesting(id) || depth_ > 100) return;
    std::vector<double> key{static_cast<double>(id.value)};
    for (const Parameter& p : cls.parameters) {
      const auto it = place.values.find(p.symbol.value);
      if (p.type.base != BaseType::kReal) key.push_back(it == place.values.end() ? std::nan("") : it->second);
    }
    for (const uint32_t p : place.given) {
      if (!cls.parameters[p].shape.empty()) key.push_back(-1.0 - p);
    }
    for (double& k : key) k = std::isnan(k) ? -1e99 : k;
    if (place.settings.empty() && !seen_.insert(key).second) return;
    if (seen_.size() + visits_++ > kMostVariants) return;
    ++depth_;
    const SyntaxTree& tree = model_.tree(cls.origin.tree);
    CheckShapes(cls, tree, place.values);
    for (const SizeCheck& check : cls.size_checks) {
      if (check.default_of == UINT32_MAX || place.given.count(check.default_of) == 0)
        CheckOne(cls, tree, check, place);
    }
    for (const Connection& connection : cls.connections) {
      if (!connection.signal) CheckConnection(cls, tree, connection, place);
    }
    if (!place.settings.empty()) CheckReadArrays(cls, place);
    for (uint32_t i = 0; i < cls.instances.size(); ++i) {
      const Instance& instance = cls.instances[i];
      if (instance.class_id.IsNone() || !Interesting(instance.class_id)) continue;
      for (const std::vector<uint32_t>& element : ElementsOf(cls, i, place))
        Check(instance.class_id, Inside(cls, i, place, element));
    }
    --depth_;
  }

  void CheckOne(const ComponentClass& cls, const SyntaxTree& tree, const SizeCheck& check,
                const Place& place) {
    Place inner = check.inside.empty() ? Place{} : place;
    const ComponentClass* owner = &cls;
    for (const uint32_t instance : check.inside) {
      inner = Inside(*owner, instance, inner, {});
      owner = &model_[owner->instances[instance].class_id];
    }
    bool reported = false;
    AtLoopEnds(cls, check.loops, place.values, [&](const ParameterValues& at) {
      reported = reported ||
                 CheckSize(model_, tree, check, at, check.inside.empty() ? at : inner.values, diagnostics_);
    });
  }

 private:
  // A setting, seen from the class that `depth` steps of its path lead to.
  void Give(const ComponentClass& cls, const SystemSetting& setting, size_t depth, Place& place) {
    if (setting.path.size() > depth) {
      place.settings.push_back(&setting);
      return;
    }
    const Parameter& own = cls.parameters[setting.parameter];
    if (own.shape.empty())
      place.values[own.symbol.value] = setting.value;
    else
      listed_.push_back(&setting);
  }

  // Defaults, and arrays of which settings give every element.
  void Finish(const ComponentClass& cls, Place& place) {
    place.values = EvaluateParameters(model_, cls, std::move(place.values));
    std::map<uint32_t, std::set<uint64_t>> elements;
    for (const SystemSetting* setting : listed_) {
      std::vector<uint32_t> sizes;
      uint64_t count = 1;
      for (const ExprId size : cls.parameters[setting->parameter].shape) {
        sizes.push_back(static_cast<uint32_t>(
            std::clamp(EvaluateConstant(pool_, size, place.values).value_or(0), 0., 1e5)));
        count *= sizes.back();
      }
      std::set<uint64_t>& covered = elements[setting->parameter];
      for (uint32_t k = 0; k < std::min<uint64_t>(count, 100'000); ++k) {
        if (setting->elements.Has(k, sizes)) covered.insert(k);
      }
      if (covered.size() == count) place.given.insert(setting->parameter);
    }
    listed_.clear();
  }

  // The elements of an array of instances that may differ in their sizes; one for all where none does.
  std::vector<std::vector<uint32_t>> ElementsOf(const ComponentClass& cls, uint32_t index,
                                                const Place& place) {
    const Instance& instance = cls.instances[index];
    bool differ = false;
    for (uint32_t i = 0; i < instance.argument_count; ++i)
      differ = differ || cls.arguments[instance.first_argument + i].per_element;
    for (const SystemSetting* setting : place.settings)
      differ = differ ||
               (setting->path[place.depth].instance == index && !setting->path[place.depth].elements.empty());
    std::vector<std::vector<uint32_t>> out(1);
    if (!differ || instance.shape == UINT32_MAX) return out;
    for (const ExprId size : cls.shapes[instance.shape]) {
      const double n = EvaluateConstant(pool_, size, place.values).value_or(0);
      if (!(n >= 0 && n * static_cast<double>(out.size()) <= kMostVariants)) return {{}};
      std::vector<std::vector<uint32_t>> longer;
      for (const std::vector<uint32_t>& head : out) {
        for (uint32_t k = 0; k < static_cast<uint32_t>(n); ++k) {
          longer.push_back(head);
          longer.back().push_back(k);
        }
      }
      out = std::move(longer);
    }
    return out;
  }

  // The class of an instance, as the text and the settings leave it; `element`: of an array, counted from 0.
  Place Inside(const ComponentClass& cls, uint32_t index, const Place& place,
               const std::vector<uint32_t>& element) {
    const Instance& instance = cls.instances[index];
    const ComponentClass& inner = model_[instance.class_id];
    Place out;
    ParameterValues seen = place.values;
    for (size_t k = 0; k < element.size(); ++k) {
      if (const auto symbol = pool_.FindSymbol("#" + std::to_string(k + 1)))
        seen[symbol->value] = element[k] + 1.0;
    }
    for (uint32_t i = 0; i < instance.argument_count; ++i) {
      const Argument& argument = cls.arguments[instance.first_argument + i];
      if (argument.path != UINT32_MAX) continue;
      out.given.insert(argument.parameter);
      if (!inner.parameters[argument.parameter].shape.empty()) continue;
      // What is given but not known here is unknown: its default is void.
      const auto value = argument.per_element && element.empty()
                             ? std::nullopt
                             : EvaluateConstant(pool_, argument.value, seen, {}, TableCalls(model_));
      out.values[inner.parameters[argument.parameter].symbol.value] = value.value_or(std::nan(""));
    }
    out.depth = place.depth + 1;
    for (const SystemSetting* setting : place.settings) {
      const SystemSetting::Step& step = setting->path[place.depth];
      bool meant = step.instance == index && (step.elements.empty() || !element.empty());
      for (size_t k = 0; k < element.size() && k < step.elements.size(); ++k)
        meant = meant && step.elements[k].Has(element[k]);
      if (meant) Give(inner, *setting, out.depth, out);
    }
    Finish(inner, out);
    return out;
  }

  // The sizes of all arrays on the way to `q.x`, its own last.
  std::vector<double> SizesOn(const ComponentClass& cls, Place place, std::string_view path) {
    std::vector<double> out;
    const ComponentClass* owner = &cls;
    for (;;) {
      const size_t dot = path.find('.');
      const NameId name = model_.names.Find(path.substr(0, dot));
      const auto member = name.IsNone() ? std::nullopt : owner->members.Find(name);
      if (!member) return out;
      static const Shape kSingle;
      const Shape* shape = &kSingle;
      if (member->kind == MemberKind::kVariable) shape = &owner->variables[member->index].shape;
      if (member->kind == MemberKind::kEdge) shape = &owner->edges[member->index].shape;
      if (member->kind == MemberKind::kParameter) shape = &owner->parameters[member->index].shape;
      const bool inside = member->kind == MemberKind::kInstance && dot != std::string_view::npos;
      if (inside && owner->instances[member->index].shape != UINT32_MAX)
        shape = &owner->shapes[owner->instances[member->index].shape];
      for (const ExprId size : *shape)
        out.push_back(EvaluateConstant(pool_, size, place.values).value_or(-1));
      if (!inside || owner->instances[member->index].class_id.IsNone()) return out;
      place = Inside(*owner, member->index, place, {});
      owner = &model_[owner->instances[member->index].class_id];
      path.remove_prefix(dot + 1);
    }
  }

  // Equations read whole arrays inside with the sizes of the text: a setting may not give them others.
  void CheckReadArrays(const ComponentClass& cls, const Place& place) {
    Place text = place;
    text.settings.clear();
    for (const Equation& equation : cls.equations) {
      ExprOrder order;
      const ExprId sides[] = {equation.left, equation.right};
      FindOrder(pool_, sides, &order);
      for (const ExprId node : order.nodes) {
        if (pool_.op(node) != Op::kElement || !pool_.IsSymbol(pool_.operand(node, 0))) continue;
        const auto indices = pool_.operands(node).subspan(1);
        const std::string_view name = pool_.SymbolName(pool_.SymbolOf(pool_.operand(node, 0)));
        if (name.find('.') == std::string_view::npos ||
            std::all_of(indices.begin(), indices.end(), [&](ExprId i) { return pool_.IsNumber(i); }))
          continue;
        const std::vector<double> now = SizesOn(cls, place, name), then = SizesOn(cls, text, name);
        if (now == then) continue;
        ReportSizes(model_.tree(equation.origin.tree), equation.origin.node, then, now, diagnostics_)
            .helps.assign(1, "it reads `" + std::string(name) +
                                 "` with the size in the text; give the size there, among the arguments");
        break;
      }
    }
  }

  // Whether anything in a class or below it has a size.
  bool Interesting(ClassId id) const { return interesting_[id.index()]; }

  // A class comes behind those it is made of.
  void FindInteresting() {
    interesting_.reserve(model_.classes.size());
    for (const ComponentClass& cls : model_.classes) {
      bool result = !cls.size_checks.empty() || !cls.shapes.empty();
      for (const Terminal& t : cls.terminals) result = result || !t.shape.empty();
      for (const Variable& v : cls.variables) result = result || !v.shape.empty();
      for (const Parameter& p : cls.parameters) result = result || !p.shape.empty();
      for (size_t i = 0; i < cls.instances.size() && !result; ++i) {
        const ClassId inner = cls.instances[i].class_id;
        result = !inner.IsNone() && inner.index() < interesting_.size() && interesting_[inner.index()];
      }
      interesting_.push_back(result);
    }
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

  // The sizes of an end after its indices; single elements drop out.
  std::optional<std::vector<double>> Extent(const ComponentClass& cls, const Endpoint& end,
                                            const ParameterValues& values, const Place& place) {
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
                               Inside(cls, end.instance, place, {}).values)) {
      return std::nullopt;
    }
    return out;
  }

  void CheckConnection(const ComponentClass& cls, const SyntaxTree& tree, const Connection& connection,
                       const Place& place) {
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
    AtLoopEnds(cls, connection.loops, place.values, [&](const ParameterValues& at) {
      if (reported || (!connection.condition.IsNone() &&
                       EvaluateConstant(pool_, connection.condition, at).value_or(1) == 0))
        return;
      std::vector<double> first;
      const Endpoint* first_end = nullptr;
      for (uint32_t i = 0; i < connection.endpoint_count; ++i) {
        const Endpoint& end = cls.endpoints[connection.first_endpoint + i];
        const auto extent = Extent(cls, end, at, place);
        if (!extent || extent->empty()) continue;
        if (first_end == nullptr) {
          first = *extent;
          first_end = &end;
        } else if (*extent != first) {
          ReportSizes(tree, end.node, *extent, first, diagnostics_)
              .Also(tree.SpanOf(first_end->node), "joined with " + ShapeText(first))
              .helps.assign(1,
                            "arrays are joined element by element, so their sizes must agree; a single "
                            "terminal joins all");
          reported = true;
          return;
        }
      }
    });
  }

  const Model& model_;
  const ExprPool& pool_;
  Diagnostics& diagnostics_;
  std::vector<bool> interesting_;  // by class
  std::set<std::vector<double>> seen_;
  std::vector<const SystemSetting*> listed_;  // for arrays of the class at hand
  size_t visits_ = 0;
  static constexpr size_t kMostVariants = 20000;  // of classes by their sizes; keeps hostile nesting finite
  int depth_ = 0;
};

}  // namespace

void CheckSizes(const Model& model, Diagnostics& diagnostics) {
  SizeChecker checker(model, diagnostics);
  for (const auto* list : {&model.systems, &model.own_classes}) {
    for (const ClassId id : *list) {
      checker.Check(id, checker.PlaceOf(id, {}));
    }
  }
}

bool CheckSizes(const Model& model, ClassId system, std::span<const SystemSetting> settings,
                std::span<const SizeCheck> more, TreeId tree, Diagnostics& diagnostics) {
  const size_t before = diagnostics.errors();
  SizeChecker checker(model, diagnostics);
  const SizeChecker::Place place = checker.PlaceOf(system, settings);
  if (!settings.empty()) checker.Check(system, place);
  for (const SizeCheck& check : more) checker.CheckOne(model[system], model.tree(tree), check, place);
  return diagnostics.errors() == before;
}

bool CheckSizes(const Model& model, ClassId system, const Experiment* experiment,
                std::span<const SystemSetting> settings, Diagnostics& diagnostics) {
  if (experiment == nullptr) return CheckSizes(model, system, settings, {}, TreeId::None(), diagnostics);
  return CheckSizes(model, system, settings, experiment->size_checks, experiment->origin.tree, diagnostics);
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
