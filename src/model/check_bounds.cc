// SPDX-License-Identifier: Apache-2.0
#include "model/check_bounds.h"

#include <algorithm>

#include "model/describe_model.h"
#include "model/diagnostics.h"

namespace cotree {

bool HasBounds(const Model& model, const Type& type, const Bounds& bounds) {
  return bounds.Any() || (!type.quantity.IsNone() && model.quantities[type.quantity.index()].bounds.Any());
}

NumberBounds FindBounds(const Model& model, const Type& type, const Bounds& bounds,
                        const ParameterValues& values, std::span<const ArrayValue<double>> arrays) {
  NumberBounds out;
  const auto add = [&](const Bounds& b) {
    const auto number = [&](ExprId expr, double none) {
      return EvaluateConstant(model.expressions, expr, values, arrays).value_or(none);
    };
    out.min = std::max(out.min, number(b.min, out.min));
    out.max = std::min(out.max, number(b.max, out.max));
    out.above = std::max(out.above, number(b.above, out.above));
    out.below = std::min(out.below, number(b.below, out.below));
    out.nonzero = out.nonzero || b.nonzero;
  };
  add(bounds);
  if (!type.quantity.IsNone()) add(model.quantities[type.quantity.index()].bounds);
  return out;
}

std::optional<BrokenBound> FindBroken(const NumberBounds& bounds, double value) {
  if (value < bounds.min) return BrokenBound{"at least", bounds.min};
  if (value > bounds.max) return BrokenBound{"at most", bounds.max};
  if (value <= bounds.above) return BrokenBound{"greater than", bounds.above};
  if (value >= bounds.below) return BrokenBound{"less than", bounds.below};
  if (bounds.nonzero && value == 0) return BrokenBound{"other than", 0};
  return std::nullopt;
}

std::optional<BrokenBound> FindBrokenBound(const Model& model, const Type& type, const Bounds& bounds,
                                           double value, const ParameterValues& values) {
  if (!HasBounds(model, type, bounds)) return std::nullopt;
  return FindBroken(FindBounds(model, type, bounds, values), value);
}

Diagnostic& ReportBroken(const Model& model, const Type& type, std::string_view name, double value,
                         const BrokenBound& broken, Span where, const Origin* declared,
                         Diagnostics& diagnostics) {
  const std::string unit =
      type.unit.empty() || type.unit == "1" || !type.dimension.generics.empty() ? "" : " " + type.unit;
  auto& report = diagnostics.Report(model_messages::kOutOfBounds, where,
                                    {name, NumberText(value) + unit, broken.relation,
                                     NumberText(broken.bound) + unit, name.substr(name.rfind('.') + 1)});
  if (declared != nullptr) report.Also(model.SpanOf(*declared), "declared here with its bounds");
  return report;
}

void CheckBounds(const Model& model, Diagnostics& diagnostics) {
  for (const auto* list : {&model.systems, &model.own_classes}) {
    for (const ClassId id : *list) {
      const ParameterValues values = EvaluateParameters(model, model[id], {});
      for (const Parameter& p : model[id].parameters) {
        const auto value = values.find(p.symbol.value);
        if (value == values.end()) continue;
        if (const auto broken = FindBrokenBound(model, p.type, p.bounds, value->second, values))
          ReportBroken(model, p.type, model.Text(p.name), value->second, *broken, model.SpanOf(p.origin),
                       nullptr, diagnostics);
      }
    }
  }
  std::vector<std::vector<NumberBounds>> bounds(model.classes.size());  // by class and parameter
  for (size_t k = 0; k < model.classes.size(); ++k) {
    for (const Parameter& p : model.classes[k].parameters)
      bounds[k].push_back(FindBounds(model, p.type, p.bounds, {}));
  }
  for (const ComponentClass& cls : model.classes) {
    for (const Instance& instance : cls.instances) {
      for (uint32_t i = 0; i < instance.argument_count && !instance.class_id.IsNone(); ++i) {
        const Argument& argument = cls.arguments[instance.first_argument + i];
        if (argument.path != UINT32_MAX || argument.value.IsNone() ||
            !model.expressions.IsNumber(argument.value))
          continue;
        const double value = model.expressions.NumberValue(argument.value);
        const auto broken = FindBroken(bounds[instance.class_id.index()][argument.parameter], value);
        if (!broken) continue;
        const Parameter& p = model[instance.class_id].parameters[argument.parameter];
        ReportBroken(model, p.type, model.Text(instance.name) + "." + model.Text(p.name), value, *broken,
                     model.tree(cls.origin.tree).SpanOf(argument.node), &p.origin, diagnostics);
      }
    }
  }
}

}  // namespace cotree
