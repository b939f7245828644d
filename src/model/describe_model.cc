// SPDX-License-Identifier: Apache-2.0
#include "model/describe_model.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "expr/dependence.h"
#include "expr/differentiate.h"
#include "expr/print_text.h"
#include "expr/substitute.h"
#include "language/lex.h"
#include "model/check_sizes.h"
#include "units/format_dimension.h"

namespace cotree {
namespace {

// `$b/$a` with texts for the generics: V/rad.
std::string PutIn(const std::string& unit, const ComponentClass& cls, const Model& model,
                  const ComponentClass& outer, const Instance& instance) {
  std::string out;
  for (size_t i = 0; i < unit.size();) {
    if (unit[i] != '$') {
      out += unit[i++];
      continue;
    }
    size_t end = i + 1;
    while (end < unit.size() &&
           (std::isalnum(static_cast<unsigned char>(unit[end])) != 0 || unit[end] == '_'))
      ++end;
    const std::string name = unit.substr(i, end - i);
    std::string text = "1";
    for (size_t g = 0; g < cls.generics.size(); ++g) {
      if (model.Text(cls.generics[g]) == name && instance.first_generic != UINT32_MAX)
        text = outer.generic_units[instance.first_generic + g];
    }
    const bool compound = text.find_first_of("*/") != std::string::npos;
    const bool alone = i == 0 && end == unit.size();
    out += compound && !alone ? "(" + text + ")" : text;
    i = end;
  }
  return out;
}

void CollectUnits(const Model& model, const ComponentClass& cls, const std::string& prefix,
                  std::vector<InferredUnit>& out, int depth) {
  if (depth > 20) return;
  for (const Parameter& p : cls.parameters) {
    if (!p.type.declared && p.type.base == BaseType::kReal)
      out.push_back({prefix + model.Text(p.name), p.type.unit.empty() ? "1" : p.type.unit});
  }
  for (const Variable& v : cls.variables) {
    if (!v.type.declared && v.type.base == BaseType::kReal)
      out.push_back({prefix + model.Text(v.name), v.type.unit.empty() ? "1" : v.type.unit});
  }
  for (const Instance& instance : cls.instances) {
    if (instance.class_id.IsNone()) continue;
    const ComponentClass& inner = model[instance.class_id];
    std::string path = prefix + model.Text(instance.name) + ".";
    if (instance.first_generic != UINT32_MAX) {
      for (const Variable& v : inner.variables) {
        const bool signal = v.role == VariableRole::kInput || v.role == VariableRole::kOutput;
        if (signal && !v.type.dimension.generics.empty())
          out.push_back({path + model.Text(v.name), UnitOfInstance(v.type, inner, model, cls, instance)});
      }
      for (const Parameter& p : inner.parameters) {
        if (!p.type.dimension.generics.empty())
          out.push_back({path + model.Text(p.name), UnitOfInstance(p.type, inner, model, cls, instance)});
      }
    }
    if (inner.IsComposite()) CollectUnits(model, inner, path, out, depth + 1);
  }
}

}  // namespace

bool IsAbsoluteTemperature(const Model& model, const Type& type) {
  return !type.quantity.IsNone() &&
         model.names.Text(model.quantities[type.quantity.index()].name) == "Temperature";
}

std::string UnitOfInstance(const Type& type, const ComponentClass& cls, const Model& model,
                           const ComponentClass& outer, const Instance& instance) {
  bool pure = false;
  DimensionVector value = type.dimension.si;
  for (const auto& generic : type.dimension.generics) {
    const size_t at = instance.first_generic + generic.id.index();
    if (instance.first_generic == UINT32_MAX || at >= outer.generic_values.size()) return type.unit;
    pure = pure || outer.generic_units[at] == "1";
    const auto power = Power(outer.generic_values[at], generic.exponent);
    const auto product = power ? Multiply(value, *power) : std::nullopt;
    if (!product) return type.unit;
    value = *product;
  }
  const auto name = [&](GenericId id) { return model.Text(outer.generics[id.index()]); };
  if (pure) return FormatDimension(value, name);
  return SimplifyUnit(PutIn(type.unit, cls, model, outer, instance));
}

namespace {

std::string WholeText(double value) {
  return value >= 0 && value < 1e15 ? std::to_string(static_cast<uint64_t>(value)) : NumberText(value);
}

}  // namespace

std::string NumberText(double value) {
  char buffer[40];
  const double size = value < 0 ? -value : value;
  const bool fixed = size == 0 || (size >= 1e-4 && size < 1e7);
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value,
                                    fixed ? std::chars_format::fixed : std::chars_format::scientific);
  return {buffer, result.ptr};
}

namespace {

// der(rotor.phi) -> rotor.w, der(der(rotor.phi)) -> rotor.alpha, where the domains with this across variable
// agree on the names.
std::string WithRates(const Model& model, const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const int order = text.compare(i, 8, "der(der(") == 0 ? 2 : text.compare(i, 4, "der(") == 0 ? 1 : 0;
    const bool word = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 ||
                                text[i - 1] == '_' || text[i - 1] == '.');
    const size_t begin = i + (order == 2 ? 8 : 4);
    const size_t end = order == 0 || word ? std::string::npos : text.find_first_of("()", begin);
    const size_t dot = end == std::string::npos ? end : text.rfind('.', end);
    const bool plain = end != std::string::npos && dot != std::string::npos && dot > begin &&
                       text.compare(end, order == 2 ? 2 : 1, order == 2 ? "))" : ")") == 0 &&
                       text.substr(begin, end - begin).find_first_of(" *+-/^,") == std::string::npos;
    std::string rate;
    bool agreed = plain;
    for (const Domain& domain : model.domains) {
      if (!plain || model.Text(domain.across) != text.substr(dot + 1, end - dot - 1)) continue;
      const std::string name = model.Text(order == 1 ? domain.rate : domain.acceleration);
      agreed = agreed && !name.empty() && (rate.empty() || rate == name);
      rate = name;
    }
    if (!agreed || rate.empty()) {
      out += text[i++];
      continue;
    }
    out += text.substr(begin, dot + 1 - begin) + rate;
    i = end + static_cast<size_t>(order);
  }
  return out;
}

}  // namespace

std::string ExpressionText(const Model& model, ExprId expr) {
  if (expr.IsNone()) return "?";
  const std::string text = WithRates(model, PrintText(model.expressions, expr));
  // Index symbols carry a number that keeps them apart (`i#3`); people need their names only. Those without a
  // name
  // (`#1`) get letters, each its own.
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto end_of = [&](size_t mark) {
    size_t end = mark + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    return end;
  };
  std::string letters = "ijklmnpq";
  for (size_t i = 0; i < text.size(); ++i) {  // not those of other names
    const bool alone = (i == 0 || !is_word(text[i - 1])) && (i + 1 == text.size() || !is_word(text[i + 1]));
    if (alone) std::erase(letters, text[i]);
  }
  std::map<std::string, char> letter_of;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '#') {
      out += text[i];
      continue;
    }
    const size_t end = end_of(i);
    if (i == 0 || !is_word(text[i - 1])) {
      const size_t next = std::min(letter_of.size(), letters.size() - 1);
      out += letter_of.emplace(text.substr(i, end - i), letters[next]).first->second;
    }
    i = end - 1;
  }
  return out;
}

std::vector<InferredUnit> ListInferredUnits(const Model& model, ClassId id) {
  std::vector<InferredUnit> out;
  CollectUnits(model, model[id], "", out, 0);
  return out;
}

std::string ZeroEffect(Model& model, ClassId id, uint32_t parameter) {
  ExprPool& pool = model.expressions;
  const ComponentClass& cls = model[id];
  const SymbolId symbol = cls.parameters[parameter].symbol;
  std::map<uint32_t, int> occurrences;   // base variable -> number of equations
  std::map<uint32_t, uint32_t> highest;  // base variable -> highest order in the class
  std::vector<std::pair<ExprId, std::vector<Dependence>>> residuals;
  for (const Equation& equation : cls.equations) {
    if (equation.initial) continue;
    const ExprId residual = pool.Subtract(equation.left, equation.right);
    residuals.emplace_back(residual, FindDependence(pool, residual));
    for (const Dependence& d : residuals.back().second) {
      ++occurrences[d.base.value];
      highest[d.base.value] = std::max(highest[d.base.value], d.order);
    }
  }
  for (const auto& [residual, dependences] : residuals) {
    if (!DependsOn(pool, residual, symbol)) continue;
    for (const Dependence& d : dependences) {
      if (pool.kind(d.base) == SymbolKind::kParameter || d.order < highest[d.base.value]) continue;
      const ExprId coefficient =
          Differentiate(pool, residual, pool.SymbolOfOrder(d.base, static_cast<int>(d.order)));
      if (pool.IsZero(coefficient) || !DependsOn(pool, coefficient, symbol)) continue;
      if (!pool.IsZero(Substitute(pool, coefficient, symbol, pool.Zero()))) continue;
      const std::string name = ExpressionText(model, pool.Symbol(d.base, static_cast<int>(d.order)));
      if (d.order > 0) return "it multiplies " + name;
      bool terminal_variable = false;
      for (const Edge& e : cls.edges)
        terminal_variable = terminal_variable || e.across == d.base || e.through == d.base;
      if (terminal_variable && occurrences[d.base.value] == 1) return "it multiplies the only " + name;
    }
  }
  return {};
}

namespace {

class ParameterLister {
 public:
  ParameterLister(Model& model, std::vector<ParameterRow>& out) : model_(model), out_(out) {}

  void List(ClassId id, const std::string& prefix, const ParameterValues& values, int depth) {
    if (depth > 20) return;
    Own(id, prefix, values, nullptr, nullptr);
    for (size_t i = 0; i < model_[id].instances.size(); ++i) {
      const Instance instance = model_[id].instances[i];
      if (instance.class_id.IsNone()) continue;
      std::string path = prefix + model_.Text(instance.name);
      if (instance.shape != UINT32_MAX) {
        path += "[";
        bool first = true;
        for (const ExprId size : model_[id].shapes[instance.shape]) {
          const auto n = EvaluateConstant(model_.expressions, size, values);
          path += (first ? "1:" : ", 1:") + (n ? WholeText(*n) : ExpressionText(model_, size));
          first = false;
        }
        path += "]";
      }
      const ParameterValues inner = ArgumentsOf(model_, model_[id], instance, values);
      if (model_[instance.class_id].IsComposite()) {
        List(instance.class_id, path + ".", inner, depth + 1);
      } else {
        Own(instance.class_id, path + ".", inner, &model_[id], &instance);
      }
    }
  }

 private:
  void Own(ClassId id, const std::string& prefix, const ParameterValues& values, const ComponentClass* outer,
           const Instance* instance) {
    for (uint32_t p = 0; p < model_[id].parameters.size(); ++p) {
      const Parameter parameter = model_[id].parameters[p];
      ParameterRow row;
      row.path = prefix + model_.Text(parameter.name);
      const auto number = values.find(parameter.symbol.value);
      std::string unit = parameter.type.unit;
      if (outer != nullptr && instance != nullptr && !parameter.type.dimension.generics.empty())
        unit = UnitOfInstance(parameter.type, model_[id], model_, *outer, *instance);
      if (unit == "1") unit.clear();
      if (number != values.end()) {
        row.value = parameter.type.base == BaseType::kBoolean ? (number->second != 0 ? "true" : "false")
                    : parameter.type.base == BaseType::kEnumeration
                        ? EnumerationText(parameter.type, number->second)
                        : NumberText(number->second) + (unit.empty() ? "" : " " + unit);
      } else {
        ExprId value = parameter.value;
        if (outer != nullptr && instance != nullptr) {
          for (uint32_t i = 0; i < instance->argument_count; ++i) {
            const Argument& a = outer->arguments[instance->first_argument + i];
            if (a.path == UINT32_MAX && a.parameter == p) value = a.value;
          }
        }
        row.value = ExpressionText(model_, value) + (unit.empty() ? "" : " (" + unit + ")");
      }
      const ParameterUse& use = model_[id].parameter_uses[p];
      const std::string zero = Effect(id, p);
      if (use.sets_size) {
        row.structural = true;
        row.reason = "sets a size";
      } else if (use.decides_condition) {
        row.structural = true;
        row.reason = "decides which equations or connections hold";
      } else if (parameter.is_final) {
        row.reason = "final: folded into the equations";
      } else if (!zero.empty() && number != values.end() && number->second == 0) {
        row.structural = true;
        row.reason = "is exactly 0, and " + zero;
      } else if (!zero.empty()) {
        row.reason = "structural if set to exactly 0: " + zero;
      }
      out_.push_back(std::move(row));
    }
  }

  std::string EnumerationText(const Type& type, double value) const {
    const Enumeration& e = model_.enumerations[type.enumeration.index()];
    const auto k = static_cast<size_t>(value);
    return k >= 1 && k <= e.values.size() ? model_.Text(e.name) + "." + model_.Text(e.values[k - 1])
                                          : NumberText(value);
  }

  const std::string& Effect(ClassId id, uint32_t p) {
    const auto [it, is_new] = effects_.try_emplace({id.value, p});
    if (is_new) it->second = ZeroEffect(model_, id, p);
    return it->second;
  }

  Model& model_;
  std::vector<ParameterRow>& out_;
  std::map<std::pair<uint32_t, uint32_t>, std::string> effects_;
};

}  // namespace

std::vector<ParameterRow> ListParameters(Model& model, ClassId id) {
  std::vector<ParameterRow> out;
  ParameterLister(model, out).List(id, "", EvaluateParameters(model, model[id], {}), 0);
  return out;
}

std::string DocumentationBehind(const Model& model, Origin name) {
  const SyntaxTree& tree = model.tree(name.tree);
  tree.SpanOf(name.node);  // it may have been released
  for (uint32_t t = tree[name.node].last_token + 1; t < tree.tokens.size(); ++t) {
    const TokenKind kind = tree.tokens[t].kind();
    if (tree.tokens[t].starts_line || kind == TokenKind::kRightBrace ||
        (kind >= TokenKind::kTerminal && kind <= TokenKind::kDiscrete))
      break;
    if (kind == TokenKind::kString) return StringValue(tree.TokenText(t));
  }
  return {};
}

void HelpWithMeaning(const Model& model, Origin name, Diagnostic& report) {
  if (name.node.IsNone()) return;
  const std::string meaning = DocumentationBehind(model, name);
  if (meaning.empty()) return;
  const SyntaxTree& tree = model.tree(name.tree);
  report.Help("`" + std::string(tree.Text(name.node)) + "` is: " + meaning);
}

}  // namespace cotree
