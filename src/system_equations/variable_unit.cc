// SPDX-License-Identifier: Apache-2.0
#include "system_equations/variable_unit.h"

#include "model/describe_model.h"

namespace cotree {

namespace {

// The type that its class or its domain declares; null: it has none.
const Type* TypeOf(const EquationSystem& system, VariableRef ref) {
  if (ref.variable >= system.part_variables) return nullptr;
  const uint32_t number = system.PartOfVariable(ref.variable);
  if (number >= system.graph->components.size()) return nullptr;
  const Part& part = system.parts[number];
  const ScalarVariable& v = system.scalars[part.scalar].variables[ref.variable - part.first_variable];
  const ElementClass& element = system.graph->ElementOf(ComponentId(part.component));
  if (v.role == ScalarVariable::Role::kAcross || v.role == ScalarVariable::Role::kThrough) {
    const Domain& domain = system.model->domains[element.edges[v.index].domain.index()];
    return v.role == ScalarVariable::Role::kAcross ? &domain.across_type : &domain.through_type;
  }
  return &(*system.model)[element.class_id].variables[v.index].type;
}

}  // namespace

bool MayBeInCelsius(const EquationSystem& system, VariableRef ref) {
  const Type* type = TypeOf(system, ref);
  if (type == nullptr || ref.order > 0) return false;
  return IsAbsoluteTemperature(*system.model, *type) || !type->declared || !type->dimension.generics.empty();
}

std::string UnitOf(const EquationSystem& system, VariableRef ref) {
  const Type* type = TypeOf(system, ref);
  if (type == nullptr) return {};
  const Part& part = system.parts[system.PartOfVariable(ref.variable)];
  const ElementClass& element = system.graph->ElementOf(ComponentId(part.component));
  const ComponentClass& cls = (*system.model)[element.class_id];
  std::string unit = type->unit;
  if (!type->quantity.IsNone()) unit = system.model->quantities[type->quantity.index()].unit;
  const Component& c = system.graph->components[part.component];
  if (unit.find('$') != std::string::npos && c.scope != UINT32_MAX) {
    const Scope& scope = system.graph->scopes[c.scope];
    const ComponentClass& outer = system.graph->ClassOf(*system.model, scope.parent);
    unit = UnitOfInstance(*type, cls, *system.model, outer, outer.instances[scope.instance]);
  }
  if (unit.find('$') != std::string::npos) return {};
  if (ref.order == 1) unit = unit.empty() || unit == "1" ? "1/s" : unit + "/s";
  if (ref.order >= 2)
    unit = (unit.empty() || unit == "1" ? std::string("1") : unit) + "/s^" + std::to_string(ref.order);
  return unit == "1" ? "" : unit;
}

}  // namespace cotree
