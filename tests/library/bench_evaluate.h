// SPDX-License-Identifier: Apache-2.0
// The evaluation of a class's expressions on the test bench, behind probe.h: plain recursion over the
// nodes, in numbers with one directional derivative. Deliberately not the product's own evaluator.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "expr/print_text.h"
#include "model/model.h"

namespace cotree::test {

/** A number and its derivative along one direction. */
struct Slope {
  double value = 0, slope = 0;
};
inline Slope operator+(Slope a, Slope b) {
  return {a.value + b.value, a.slope + b.slope};
}
inline Slope operator*(Slope a, Slope b) {
  // 0*inf is no slope: where nothing moves, nothing is added.
  const double left = a.slope == 0 ? 0 : a.slope * b.value, right = b.slope == 0 ? 0 : a.value * b.slope;
  return {a.value * b.value, left + right};
}
inline Slope Chain(double value, double derivative, Slope inner) {
  return {value, inner.slope == 0 ? 0 : derivative * inner.slope};
}

/** One scalar of the bench: a variable with derivative order and indices, `pre` of one, or a call that is set
under its text. */
struct Scalar {
  std::string path;
  int order = 0;
  std::vector<int> indices;
  bool before = false;
  auto operator<=>(const Scalar&) const = default;
};

/** Thrown where an expression reads a scalar that has no value. */
struct NoValue : std::runtime_error {
  explicit NoValue(Scalar s) : std::runtime_error("no value"), scalar(std::move(s)) {}
  Scalar scalar;
};

/** A class in its place: its own names become paths by `prefix`, and its members elements by `indices`. */
struct Part {
  const ComponentClass* cls = nullptr;
  std::string prefix;        // "" or "x." or "x.inner."
  std::vector<int> indices;  // of the arrays of instances on the way
};

/** Where an expression stands: in a part, inside some loops. */
struct Scope {
  Part part;
  std::map<uint32_t, double> locals;  // by symbol
};

/// "[1,2]" behind a name; nothing for no indices.
inline std::string IndexText(const std::vector<int>& indices) {
  std::string text;
  for (const int i : indices) text += (text.empty() ? "[" : ",") + std::to_string(i);
  return text.empty() ? text : text + "]";
}

/** Values of a table between its points. */
class TableCurve {
 public:
  TableCurve(const std::vector<double>& x, const std::vector<double>& y, Table::Interpolation kind)
      : x_(x), y_(y), linear_(kind == Table::Interpolation::kLinear) {
    if (kind == Table::Interpolation::kMonotone) FindMonotoneSlopes();
    if (kind == Table::Interpolation::kSpline) FindSplineSlopes();
  }

  Slope At(Slope at, Table::Extrapolation beyond) const {
    const double low = x_.front(), high = x_.back();
    if (x_.size() == 1) return {y_[0], 0};
    if (at.value < low || at.value > high) {
      if (beyond == Table::Extrapolation::kError) throw std::runtime_error("beyond the ends of a table");
      const double end = at.value < low ? low : high;
      const Slope there = Inside({end, 1});
      if (beyond == Table::Extrapolation::kHold) return {there.value, 0};
      return Chain(there.value + there.slope * (at.value - end), there.slope, at);
    }
    return Inside(at);
  }

 private:
  double Step(size_t i) const { return x_[i + 1] - x_[i]; }
  double Secant(size_t i) const { return (y_[i + 1] - y_[i]) / Step(i); }

  Slope Inside(Slope at) const {
    size_t i = 0;
    while (i + 2 < x_.size() && at.value >= x_[i + 1]) ++i;
    const double h = Step(i), t = (at.value - x_[i]) / h;
    if (linear_) return Chain(y_[i] + t * (y_[i + 1] - y_[i]), Secant(i), at);
    // Cubic Hermite between the two points.
    const double a = y_[i], b = y_[i + 1], da = h * slopes_[i], db = h * slopes_[i + 1];
    const double c2 = 3 * (b - a) - 2 * da - db, c3 = 2 * (a - b) + da + db;
    return Chain(a + t * (da + t * (c2 + t * c3)), (da + t * (2 * c2 + t * 3 * c3)) / h, at);
  }

  // Fritsch, Carlson: Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17 (1980).
  void FindMonotoneSlopes() {
    const size_t n = x_.size();
    slopes_.assign(n, 0);
    if (n < 2) return;
    slopes_[0] = Secant(0);
    slopes_[n - 1] = Secant(n - 2);
    for (size_t i = 1; i + 1 < n; ++i) {
      const double a = Secant(i - 1), b = Secant(i);
      slopes_[i] = a * b > 0 ? (a + b) / 2 : 0;
    }
    for (size_t i = 0; i + 1 < n; ++i) {
      const double s = Secant(i);
      if (s == 0) {
        slopes_[i] = slopes_[i + 1] = 0;
        continue;
      }
      const double a = slopes_[i] / s, b = slopes_[i + 1] / s, r = std::hypot(a, b);
      if (r > 3) {
        slopes_[i] = 3 / r * a * s;
        slopes_[i + 1] = 3 / r * b * s;
      }
    }
  }

  // The natural spline: second derivative continuous, and 0 at the ends. Thomas's algorithm for the slopes.
  void FindSplineSlopes() {
    const size_t n = x_.size();
    slopes_.assign(n, 0);
    if (n < 2) return;
    std::vector<double> upper(n), right(n);
    for (size_t i = 0; i < n; ++i) {
      const double before = i > 0 ? 1 / Step(i - 1) : 0, behind = i + 1 < n ? 1 / Step(i) : 0;
      const double r = 3 * ((i > 0 ? Secant(i - 1) * before : 0) + (i + 1 < n ? Secant(i) * behind : 0));
      const double pivot = 2 * (before + behind) - (i > 0 ? before * upper[i - 1] : 0);
      upper[i] = behind / pivot;
      right[i] = (r - (i > 0 ? before * right[i - 1] : 0)) / pivot;
    }
    slopes_[n - 1] = right[n - 1];
    for (size_t i = n - 1; i-- > 0;) slopes_[i] = right[i] - upper[i] * slopes_[i + 1];
  }

  const std::vector<double>&x_, &y_;
  std::vector<double> slopes_;
  bool linear_;
};

/** Evaluates expressions. Variables are read through `read`, which throws NoValue; parameters, loops, sizes
and tables are found here. */
class Evaluator {
 public:
  using Read = std::function<Slope(const Scalar&)>;

  Evaluator(const Model& model, Part root)
      : model_(model), pool_(model.expressions), root_(std::move(root)) {}

  Read read;
  bool pre_is_now = false;  // in when clauses: pre(x) that was not set is x

  Slope Evaluate(ExprId id, const Scope& scope) { return EvaluateElement(id, scope, {}); }

  /// The value, if nothing in it is without one.
  std::optional<double> Try(ExprId id, const Scope& scope) {
    try {
      return Evaluate(id, scope).value;
    } catch (const NoValue&) {
      return std::nullopt;
    }
  }

  int Whole(ExprId id, const Scope& scope) {
    const double value = Evaluate(id, scope).value;
    if (value != std::floor(value) || std::abs(value) > 1e6)
      throw std::runtime_error("`" + PrintText(pool_, id) + "` is " + std::to_string(value) +
                               " and not a size or an index");
    return static_cast<int>(value);
  }

  std::vector<int> Sizes(const Shape& shape, const Scope& scope) {
    std::vector<int> sizes;
    for (const ExprId size : shape) sizes.push_back(Whole(size, scope));
    return sizes;
  }

  /// Calls f once for each turn of the loops.
  void ForEach(const ComponentClass& cls, LoopRange loops, const Scope& scope,
               const std::function<void(const Scope&)>& f, uint32_t at = 0) {
    if (at == loops.count) return f(scope);
    const Loop& loop = cls.loops[loops.first + at];
    const int from = Whole(loop.from, scope), to = Whole(loop.to, scope);
    for (int i = from; i <= to; ++i) {
      Scope inner = scope;
      inner.locals[loop.symbol.value] = i;
      ForEach(cls, loops, inner, f, at + 1);
    }
  }

  /// The scalar meant by a symbol with indices, as seen from a part.
  Scalar ScalarOf(ExprId symbol, const Scope& scope, const std::vector<int>& indices) const {
    const SymbolInfo& info = pool_.symbol(pool_.SymbolOf(symbol));
    Scalar out;
    out.path = scope.part.prefix + std::string(pool_.SymbolName(pool_.SymbolOf(symbol)));
    out.order = static_cast<int>(info.order);
    out.indices = scope.part.indices;
    out.indices.insert(out.indices.end(), indices.begin(), indices.end());
    return out;
  }

  /// The scalar behind a call that is set under its text.
  Scalar ScalarOfCall(ExprId call, const Scope& scope) {
    const std::string name(pool_.FunctionName(pool_.FunctionOf(call)));
    if (name == "pre") {
      Scalar inner = ScalarOfPath(pool_.operand(call, 0), scope);
      inner.before = true;
      return inner;
    }
    Scalar out;
    out.path =
        scope.part.prefix + (name == "delay" ? "delay(" + PrintText(pool_, pool_.operand(call, 0)) + ")"
                                             : PrintText(pool_, call));
    out.indices = scope.part.indices;
    return out;
  }

  /// The scalar of a symbol or of an element of one.
  Scalar ScalarOfPath(ExprId id, const Scope& scope) {
    std::vector<int> indices;
    while (pool_.op(id) == Op::kElement) {
      std::vector<int> own;
      for (size_t k = 1; k < pool_.operands(id).size(); ++k)
        own.push_back(Whole(pool_.operand(id, k), scope));
      indices.insert(indices.begin(), own.begin(), own.end());
      id = pool_.operand(id, 0);
    }
    if (!pool_.IsSymbol(id)) throw std::runtime_error("`" + PrintText(pool_, id) + "` is not a variable");
    return ScalarOf(id, scope, indices);
  }

  /// A parameter by its path from the root. An argument counts before the default.
  double Parameter(const std::string& path, const std::vector<int>& indices) {
    const auto key = std::make_pair(path, indices);
    if (const auto known = parameters_.find(key); known != parameters_.end()) return known->second;
    if (!busy_.insert({key, true}).second) throw std::runtime_error("parameters in a circle at " + path);
    const double value = FindParameter(path, indices);
    busy_.erase(key);
    return parameters_[key] = value;
  }

  /// The instance of a name, or nothing.
  const Instance* FindInstance(const ComponentClass& cls, std::string_view name) const {
    for (const Instance& i : cls.instances) {
      if (model_.names.Text(i.name) == name) return &i;
    }
    return nullptr;
  }
  size_t Dimensions(const ComponentClass& cls, const Instance& instance) const {
    return instance.shape == UINT32_MAX ? 0 : cls.shapes[instance.shape].size();
  }

  const ExprPool& pool() const { return pool_; }
  const Model& model() const { return model_; }

  // Of an expression with further indices, as in {a, b}[2] or x[i].
  Slope EvaluateElement(ExprId id, const Scope& scope, std::vector<int> indices) {
    const auto operand = [&](size_t k) { return Evaluate(pool_.operand(id, k), scope); };
    const size_t count = pool_.operands(id).size();
    const Op op = pool_.op(id);
    switch (op) {
      case Op::kNumber:
        return {pool_.NumberValue(id), 0};
      case Op::kBoolean:
        return {pool_.BooleanValue(id) ? 1.0 : 0.0, 0};
      case Op::kTime:
        return read(Scalar{"time", 0, {}, false});
      case Op::kSymbol:
        return Symbol(id, scope, indices);
      case Op::kElement: {
        std::vector<int> own;
        for (size_t k = 1; k < count; ++k) own.push_back(Whole(pool_.operand(id, k), scope));
        own.insert(own.end(), indices.begin(), indices.end());
        return EvaluateElement(pool_.operand(id, 0), scope, own);
      }
      case Op::kArray: {
        if (indices.empty())
          throw std::runtime_error("an array where a number is wanted: " + PrintText(pool_, id));
        const int first = indices[0];
        if (first < 1 || static_cast<size_t>(first) > count) throw std::runtime_error("index out of range");
        indices.erase(indices.begin());
        return EvaluateElement(pool_.operand(id, static_cast<size_t>(first) - 1), scope, indices);
      }
      case Op::kIf:
        return EvaluateElement(pool_.operand(id, operand(0).value != 0 ? 1 : 2), scope, indices);
      case Op::kSumOver: {
        Slope sum;
        const int from = Whole(pool_.operand(id, 0), scope), to = Whole(pool_.operand(id, 1), scope);
        Scope inner = scope;
        for (int i = from; i <= to; ++i) {
          inner.locals[pool_.SymbolOf(id).value] = i;
          sum = sum + Evaluate(pool_.operand(id, 2), inner);
        }
        return sum;
      }
      case Op::kCall:
        return Call(id, scope);
      case Op::kAdd: {
        Slope sum;
        for (size_t k = 0; k < count; ++k) sum = sum + operand(k);
        return sum;
      }
      case Op::kMultiply: {
        Slope product{1, 0};
        for (size_t k = 0; k < count; ++k) product = product * operand(k);
        return product;
      }
      case Op::kAnd:
      case Op::kOr: {
        // One operand may decide although another has no value.
        const bool deciding = op == Op::kOr;
        std::optional<NoValue> missing;
        for (size_t k = 0; k < count; ++k) {
          try {
            if ((operand(k).value != 0) == deciding) return {deciding ? 1.0 : 0.0, 0};
          } catch (const NoValue& e) {
            missing = e;
          }
        }
        if (missing) throw *missing;
        return {deciding ? 0.0 : 1.0, 0};
      }
      default:
        return count == 1 ? Unary(op, operand(0)) : Binary(op, operand(0), operand(1));
    }
  }

 private:
  Slope Symbol(ExprId id, const Scope& scope, const std::vector<int>& indices) {
    const SymbolId symbol = pool_.SymbolOf(id);
    if (const auto local = scope.locals.find(symbol.value); local != scope.locals.end())
      return {local->second, 0};
    const Scalar scalar = ScalarOf(id, scope, indices);
    if (pool_.kind(symbol) == SymbolKind::kIndex) throw std::runtime_error("a loop variable without a value");
    if (pool_.kind(symbol) == SymbolKind::kParameter)
      return {scalar.order > 0 ? 0 : Parameter(scalar.path, scalar.indices), 0};
    return read(scalar);
  }

  static Slope Unary(Op op, Slope x) {
    const double v = x.value;
    switch (op) {
      case Op::kSin:
        return Chain(std::sin(v), std::cos(v), x);
      case Op::kCos:
        return Chain(std::cos(v), -std::sin(v), x);
      case Op::kTan:
        return Chain(std::tan(v), 1 / (std::cos(v) * std::cos(v)), x);
      case Op::kAsin:
        return Chain(std::asin(v), 1 / std::sqrt(1 - v * v), x);
      case Op::kAcos:
        return Chain(std::acos(v), -1 / std::sqrt(1 - v * v), x);
      case Op::kAtan:
        return Chain(std::atan(v), 1 / (1 + v * v), x);
      case Op::kSinh:
        return Chain(std::sinh(v), std::cosh(v), x);
      case Op::kCosh:
        return Chain(std::cosh(v), std::sinh(v), x);
      case Op::kTanh:
        return Chain(std::tanh(v), 1 / (std::cosh(v) * std::cosh(v)), x);
      case Op::kExp:
        return Chain(std::exp(v), std::exp(v), x);
      case Op::kLog:
        return Chain(std::log(v), 1 / v, x);
      case Op::kLog10:
        return Chain(std::log10(v), 1 / (v * std::log(10.0)), x);
      case Op::kSqrt:
        return Chain(std::sqrt(v), 0.5 / std::sqrt(v), x);
      case Op::kAbs:
        return Chain(std::abs(v), v < 0 ? -1 : 1, x);
      case Op::kSign:
        return {v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0, 0};
      case Op::kFloor:
        return {std::floor(v), 0};
      case Op::kCeil:
        return {std::ceil(v), 0};
      case Op::kNot:
        return {v == 0 ? 1.0 : 0.0, 0};
      default:
        throw std::runtime_error("the bench does not know " + std::string(OpName(op)));
    }
  }

  static Slope Binary(Op op, Slope a, Slope b) {
    const auto truth = [](bool holds) { return Slope{holds ? 1.0 : 0.0, 0}; };
    switch (op) {
      case Op::kDivide:
        return a * Chain(1 / b.value, -1 / (b.value * b.value), b);
      case Op::kPower: {
        const double value = std::pow(a.value, b.value);
        double slope = 0;
        if (a.slope != 0 && b.value != 0) slope += b.value * std::pow(a.value, b.value - 1) * a.slope;
        if (b.slope != 0 && value != 0) slope += value * std::log(a.value) * b.slope;
        return {value, slope};
      }
      case Op::kAtan2: {
        const double r2 = a.value * a.value + b.value * b.value;
        return {std::atan2(a.value, b.value), (a.slope * b.value - a.value * b.slope) / r2};
      }
      case Op::kMin:
        return a.value <= b.value ? a : b;
      case Op::kMax:
        return a.value >= b.value ? a : b;
      case Op::kMod: {
        const double turns = std::floor(a.value / b.value);
        return {a.value - b.value * turns, a.slope - b.slope * turns};
      }
      case Op::kLess:
        return truth(a.value < b.value);
      case Op::kLessEqual:
        return truth(a.value <= b.value);
      case Op::kEqual:
        return truth(a.value == b.value);
      case Op::kNotEqual:
        return truth(a.value != b.value);
      default:
        throw std::runtime_error("the bench does not know " + std::string(OpName(op)));
    }
  }

  Slope Call(ExprId id, const Scope& scope) {
    const FunctionInfo& function = pool_.function(pool_.FunctionOf(id));
    const std::string name(pool_.FunctionName(pool_.FunctionOf(id)));
    if (name == "noevent") return Evaluate(pool_.operand(id, 0), scope);
    if (name == "smooth") return Evaluate(pool_.operand(id, 1), scope);
    if (name == "pre" && pool_.op(pool_.operand(id, 0)) != Op::kSymbol &&
        pool_.op(pool_.operand(id, 0)) != Op::kElement) {
      throw std::runtime_error("pre of what is no variable: " + PrintText(pool_, id));
    }
    const Scalar scalar = IsTable(name, scope) ? Scalar{} : ScalarOfCall(id, scope);
    if (name == "pre") {
      if (!pre_is_now) return read(scalar);
      try {
        return read(scalar);
      } catch (const NoValue&) {
        Scalar now = scalar;
        now.before = false;
        return read(now);
      }
    }
    if (IsTable(name, scope)) return TableValue(id, scope, FindTable(name, scope), function.orders);
    if (name == "delay") return read(scalar);
    // sample, initial, terminal, edge, change
    try {
      return read(scalar);
    } catch (const NoValue&) {
      return {0, 0};
    }
  }

  bool IsTable(const std::string& name, const Scope& scope) const {
    for (const TableId id : scope.part.cls->tables) {
      if (model_.Text(model_.tables[id.index()].name) == name) return true;
    }
    return std::any_of(model_.tables.begin(), model_.tables.end(),
                       [&](const Table& t) { return model_.Text(t.name) == name; });
  }
  const Table& FindTable(const std::string& name, const Scope& scope) const {
    for (const TableId id : scope.part.cls->tables) {
      if (model_.Text(model_.tables[id.index()].name) == name) return model_.tables[id.index()];
    }
    return *std::find_if(model_.tables.begin(), model_.tables.end(),
                         [&](const Table& t) { return model_.Text(t.name) == name; });
  }

  Slope TableValue(ExprId id, const Scope& scope, const Table& table, const std::vector<uint32_t>& orders) {
    uint32_t derivatives = 0;
    for (const uint32_t order : orders) derivatives += order;
    std::vector<Slope> at;
    for (const ExprId argument : pool_.operands(id)) at.push_back(Evaluate(argument, scope));
    if (derivatives == 0) return TableAt(table, at);
    if (derivatives > 1) throw std::runtime_error("the bench takes only first derivatives of tables");
    // The slope of the table along one argument; its own slope by a central difference.
    const auto slope_at = [&](double shift) {
      std::vector<Slope> there;
      for (size_t k = 0; k < at.size(); ++k)
        there.push_back({at[k].value + shift * at[k].slope, k < orders.size() ? double(orders[k]) : 0.0});
      return TableAt(table, there).slope;
    };
    return {slope_at(0), (slope_at(1e-6) - slope_at(-1e-6)) / 2e-6};
  }

  static Slope TableAt(const Table& table, const std::vector<Slope>& at) {
    if (at.size() == 1)
      return TableCurve(table.rows, table.values, table.interpolation).At(at[0], table.extrapolation);
    if (table.interpolation != Table::Interpolation::kLinear)
      throw std::runtime_error("the bench interpolates tables of two arguments linearly only");
    // Along the columns in each row, then along the rows.
    const size_t width = table.columns.size();
    std::vector<double> value, slope;
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const std::vector<double> row(table.values.begin() + static_cast<std::ptrdiff_t>(r * width),
                                    table.values.begin() + static_cast<std::ptrdiff_t>((r + 1) * width));
      const Slope s = TableCurve(table.columns, row, table.interpolation).At(at[1], table.extrapolation);
      value.push_back(s.value);
      slope.push_back(s.slope);
    }
    const Slope along = TableCurve(table.rows, value, table.interpolation).At(at[0], table.extrapolation);
    const Slope across =
        TableCurve(table.rows, slope, table.interpolation).At({at[0].value, 0}, table.extrapolation);
    return {along.value, along.slope + across.value};
  }

  double FindParameter(const std::string& path, const std::vector<int>& indices) {
    // Down the instances named by the path, from the root.
    struct Level {
      Part part;
      const Instance* instance;  // by which one goes on
    };
    std::vector<Level> levels;
    Part part = root_;
    size_t begin = 0, used = 0;
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
      const Instance* instance = FindInstance(*part.cls, path.substr(begin, dot - begin));
      if (instance == nullptr) throw std::runtime_error("no instance on the way to " + path);
      levels.push_back({part, instance});
      const size_t dimensions = Dimensions(*part.cls, *instance);
      for (size_t k = 0; k < dimensions; ++k) part.indices.push_back(indices.at(used++));
      part.prefix = path.substr(0, dot + 1);
      part.cls = &model_[instance->class_id];
      begin = dot + 1;
    }
    const std::string name = path.substr(begin);
    uint32_t index = 0;
    while (index < part.cls->parameters.size() && model_.Text(part.cls->parameters[index].name) != name)
      ++index;
    if (index == part.cls->parameters.size()) throw std::runtime_error("no parameter " + path);
    const cotree::Parameter& parameter = part.cls->parameters[index];
    const std::vector<int> own(indices.begin() + static_cast<std::ptrdiff_t>(used), indices.end());

    // The outermost argument wins; then the instance's own one; then the default.
    for (size_t level = 0; level < levels.size(); ++level) {
      const auto& [owner, instance] = levels[level];
      for (uint32_t a = 0; a < instance->argument_count; ++a) {
        const Argument& argument = owner.cls->arguments[instance->first_argument + a];
        if (argument.parameter != index ||
            !Leads(argument, *owner.cls, levels.size() - level - 1, [&](size_t k) {
              return levels[level + 1 + k].instance - levels[level + 1 + k].part.cls->instances.data();
            }))
          continue;
        std::vector<int> at;
        if (argument.per_element)
          at.assign(part.indices.begin() + static_cast<std::ptrdiff_t>(owner.indices.size()),
                    part.indices.end());
        at.insert(at.end(), own.begin(), own.end());
        return Evaluate(argument.value, AtElement({owner, {}}, at)).value;
      }
    }
    if (parameter.value.IsNone()) throw std::runtime_error("parameter " + path + " has no value");
    return Evaluate(parameter.value, AtElement({part, {}}, own)).value;
  }

  // Whether the argument goes through these further instances.
  template <class InstanceAt>
  static bool Leads(const Argument& argument, const ComponentClass& owner, size_t further, InstanceAt at) {
    if (argument.path == UINT32_MAX) return further == 0;
    const std::vector<uint32_t>& path = owner.paths[argument.path];
    if (path.size() != further) return false;
    for (size_t k = 0; k < further; ++k) {
      if (static_cast<std::ptrdiff_t>(path[k]) != at(k)) return false;
    }
    return true;
  }

  // With #1, #2, ... set.
  Scope AtElement(Scope scope, const std::vector<int>& indices) const {
    for (size_t k = 0; k < indices.size(); ++k) {
      if (const auto symbol = pool_.FindSymbol("#" + std::to_string(k + 1)))
        scope.locals[symbol->value] = indices[k];
    }
    return scope;
  }

  const Model& model_;
  const ExprPool& pool_;
  Part root_;
  std::map<std::pair<std::string, std::vector<int>>, double> parameters_;
  std::map<std::pair<std::string, std::vector<int>>, bool> busy_;
};

}  // namespace cotree::test
