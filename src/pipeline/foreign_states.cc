// SPDX-License-Identifier: Apache-2.0
#include "pipeline/foreign_states.h"

#include <algorithm>
#include <set>

#include "base/visible_text.h"
#include "block_triangular/diagnostics.h"
#include "model/declared_states.h"
#include "simulation/external_components.h"
#include "software_component/foreign_consent.h"
#include "software_component/library_copy.h"

namespace cotree {
namespace {

namespace messages = block_triangular_messages;

ClassId ClassOf(const Translation& translation, const Program::External& external) {
  return translation.graph->ElementOf(ComponentId(external.component)).class_id;
}

// The line that names the library.
Span PlaceOf(const Model& model, const ComponentClass& cls) {
  const Span all = model.SpanOf(cls.origin);
  const SyntaxTree& tree = model.tree(cls.origin.tree);
  const NodeId line = tree.Child(cls.origin.node, NodeKind::kExternal);
  return line.IsNone() ? all : tree.SpanOf(line);
}

bool AddStates(Model& model, ComponentClass& cls, const std::vector<std::string>& states) {
  bool added = false;
  for (const std::string& state : states) {
    Variable variable{};
    variable.name = model.names.Intern(state);
    variable.role = VariableRole::kState;
    variable.type.declared = true;
    variable.symbol = model.expressions.DeclareSymbol(state, SymbolKind::kVariable);
    variable.origin = cls.origin;
    const auto number = static_cast<uint32_t>(cls.variables.size());
    if (!cls.members.Insert(variable.name, {MemberKind::kVariable, number})) continue;
    cls.variables.push_back(std::move(variable));
    added = true;
  }
  return added;
}

// What the library describes, asked for now.
bool Ask(const ComponentRequest& request, const ComponentOptions& options, Translation& translation,
         std::vector<std::string>* states) {
  ComponentFailure failure;
  const auto component = LoadSoftwareComponent(request, options, &failure);
  if (component == nullptr) {
    translation.foreign_problem = failure.Text();
    return false;
  }
  for (const ComponentDescription::Variable& state : component->description().states)
    states->push_back(state.name);
  KnownStates{component->sha256(), request.function, request.parameters}.Write(*states);
  return true;
}

}  // namespace

bool HasUnknownStates(const Model& model, const SystemGraph& graph) {
  return std::any_of(graph.elements.begin(), graph.elements.end(), [&](const ElementClass& element) {
    const ComponentClass& cls = model[element.class_id];
    return !cls.external_library.empty() && !DeclaresStates(model, cls);
  });
}

bool CheckConsent(LoadedModel& loaded, const Translation& translation, const ComponentOptions& options) {
  if (options.allow) return true;
  std::set<std::string> asked;
  bool all = true;
  for (const Program::External& external : translation.program->externals) {
    if (!asked.insert(external.library).second) continue;
    const std::string hash = HashLibrary(external.library);
    if (hash.empty() || HasConsent(hash)) continue;  // that it cannot be read, the run says
    all = false;
    loaded.diagnostics
        .Report(messages::kForeignConsent,
                PlaceOf(loaded.model, loaded.model[ClassOf(translation, external)]),
                {external.instance,
                 VisibleText(external.library, LineEnds::kKept, ComponentFailure::kMostText), hash})
        .Help(HowToConsent(external.library, hash));
  }
  return all;
}

bool AddForeignStates(LoadedModel& loaded, const TranslateOptions& options, Translation& translation) {
  Model& model = loaded.model;
  std::set<uint32_t> asked;
  bool added = false;
  for (const Program::External& external : translation.program->externals) {
    const ClassId id = ClassOf(translation, external);
    if (!asked.insert(id.value).second || DeclaresStates(model, model[id])) continue;
    const ComponentRequest request = RequestOf(*translation.program, external);
    std::vector<std::string> states;
    if (options.foreign == ForeignAccess::kRun) {
      if (!Ask(request, options.components, translation, &states)) {
        translation.ok = false;
        translation.foreign = true;
        return false;
      }
    } else if (const std::string hash = HashLibrary(request.library);
               hash.empty() || !KnownStates{hash, request.function, request.parameters}.Read(&states)) {
      translation.ok = false;
      loaded.diagnostics.Report(
          messages::kForeignStates, PlaceOf(model, model[id]),
          {external.instance, model.Text(model[id].name),
           VisibleText(external.library, LineEnds::kKept, ComponentFailure::kMostText)});
    }
    added = AddStates(model, model.classes[id.index()], states) || added;
  }
  return added && translation.ok;
}

}  // namespace cotree
