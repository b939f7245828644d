// SPDX-License-Identifier: Apache-2.0
#include "pipeline/foreign_states.h"

#include <set>

#include "simulation/external_components.h"

namespace cotree {

bool AddForeignStates(LoadedModel& loaded, const Translation& translation, const ComponentOptions& options) {
  if (translation.program == nullptr) return false;
  Model& model = loaded.model;
  std::set<uint32_t> asked;
  bool added = false;
  for (const Program::External& external : translation.program->externals) {
    const ClassId id = translation.graph->ElementOf(ComponentId(external.component)).class_id;
    if (!external.states.empty() || !asked.insert(id.value).second) continue;
    ComponentFailure failure;
    const auto component =
        LoadSoftwareComponent(RequestOf(*translation.program, external), options, &failure);
    if (component == nullptr) continue;
    ComponentClass& cls = model.classes[id.index()];
    for (const ComponentDescription::Variable& state : component->description().states) {
      Variable variable{};
      variable.name = model.names.Intern(state.name);
      variable.role = VariableRole::kState;
      variable.type.declared = true;
      variable.symbol = model.expressions.DeclareSymbol(state.name, SymbolKind::kVariable);
      variable.origin = cls.origin;
      const auto number = static_cast<uint32_t>(cls.variables.size());
      if (!cls.members.Insert(variable.name, {MemberKind::kVariable, number})) continue;
      cls.variables.push_back(std::move(variable));
      added = true;
    }
  }
  return added;
}

}  // namespace cotree
