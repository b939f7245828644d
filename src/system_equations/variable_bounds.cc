// SPDX-License-Identifier: Apache-2.0
#include "system_equations/variable_bounds.h"

#include <cmath>

#include "model/describe_model.h"
#include "model/diagnostics.h"

namespace cotree {
namespace {

/** A variable of a component, as its class declares it. */
struct Declared {
  const Part* part = nullptr;  // none: a variable of the system as a whole
  const ScalarVariable* variable = nullptr;
  const Type* type = nullptr;
  const Bounds* bounds = nullptr;  // none: a difference in a domain
};

Declared DeclarationOf(const EquationSystem& system, VariableRef ref) {
  Declared out;
  if (ref.order != 0 || ref.variable >= system.part_variables) return out;
  const uint32_t number = system.PartOfVariable(ref.variable);
  if (number >= system.graph->components.size()) return out;
  out.part = &system.parts[number];
  out.variable = &system.scalars[out.part->scalar].variables[ref.variable - out.part->first_variable];
  const ComponentId id(out.part->component);
  const ElementClass& element = system.graph->ElementOf(id);
  if (out.variable->role == ScalarVariable::Role::kVariable) {
    const Variable& variable = (*system.model)[element.class_id].variables[out.variable->index];
    out.type = &variable.type;
    out.bounds = &variable.bounds;
  } else if (out.variable->role == ScalarVariable::Role::kAcross) {
    const Domain& domain = system.model->domains[element.edges[out.variable->index].domain.index()];
    out.type = &domain.across_type;
    if (!HasBounds(*system.model, *out.type, domain.bounds)) return out;
    const GraphEdge& edge =
        system.graph->edges[system.graph->components[id.index()].first_edge + out.variable->index];
    if (system.graph->IsReference(edge.to) && edge.from != edge.to) out.bounds = &domain.bounds;
  }
  return out;
}

}  // namespace

NumberBounds BoundsOf(const EquationSystem& system, VariableRef ref) {
  const Declared declared = DeclarationOf(system, ref);
  if (declared.bounds == nullptr || !HasBounds(*system.model, *declared.type, *declared.bounds)) return {};
  const ComponentId id(declared.part->component);
  const ComponentClass& cls = system.graph->ClassOf(*system.model, id);
  const ScalarElement& scalar = system.scalars[declared.part->scalar];
  const auto block = system.parameters.Of(id, scalar);
  ParameterValues values;
  for (size_t k = 0; k < block.size(); ++k) {
    const Parameter& p = cls.parameters[scalar.parameters[k].parameter];
    if (p.shape.empty()) values[p.symbol.value] = block[k];
  }
  return FindBounds(*system.model, *declared.type, *declared.bounds, values);
}

bool CheckStarts(const EquationSystem& system, const std::vector<StartEntry>& starts,
                 Diagnostics& diagnostics) {
  bool ok = true;
  for (const StartEntry& start : starts) {
    if (!start.given) continue;
    if (!std::isfinite(start.value)) {  // start = log(0)
      ok = false;
      const uint32_t part = system.PartOfVariable(start.variable.variable);
      const std::string name = system.VariableName(start.variable.variable, start.variable.order);
      diagnostics
          .Report(model_messages::kOutOfBounds,
                  ComponentPlace(*system.model, *system.graph, ComponentId(system.parts[part].component)),
                  {name, std::isnan(start.value) ? "no number" : NumberText(start.value), "a finite",
                   "number", name})
          .helps.assign(1, "its start value divides by 0, or is outside of a function; give another one");
      continue;
    }
    const auto broken = FindBroken(BoundsOf(system, start.variable), start.value);
    if (!broken) continue;
    ok = false;
    const Declared declared = DeclarationOf(system, start.variable);
    ReportBroken(*system.model, *declared.type,
                 system.VariableName(start.variable.variable, start.variable.order), start.value, *broken,
                 ComponentPlace(*system.model, *system.graph, ComponentId(declared.part->component)), nullptr,
                 diagnostics)
        .helps.assign(1, "a start value, too, keeps the bounds of its variable");
  }
  return ok;
}

}  // namespace cotree
