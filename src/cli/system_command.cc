// SPDX-License-Identifier: Apache-2.0
#include "cli/system_command.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "cli/check_json.h"
#include "cli/files.h"
#include "pipeline/choose_system.h"
#include "system_graph/evaluate_settings.h"

namespace cotree {
namespace {

// What is free may be a parameter, which is none of the inputs.
void TakeOutParameters(const LoadedModel& loaded, TranslateOptions* translate) {
  std::erase_if(translate->free_inputs, [&](const std::string& name) {
    return FindParameter(loaded.model, loaded.choice.system, name).has_value();
  });
}

// Everything that may be made a free input: inputs, and what drives them.
std::vector<std::string> InputCandidates(const Model& model, const SystemGraph& graph) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < graph.components.size(); ++i) {
    const ElementClass& element = graph.ElementOf(ComponentId(i));
    for (uint32_t slot = 0; slot < element.slot_variable.size(); ++slot)
      names.push_back(InputName(model, graph, ComponentId(i), slot));
  }
  for (const Driver& driver : ResolveDrivers(model, graph)) {
    if (!driver.component.IsNone()) names.push_back(DriverName(model, graph, driver));
  }
  return names;
}

}  // namespace

std::vector<InputFile> InputsOf(const std::string& file, const DiskReader& reader, const Model& model) {
  std::vector<InputFile> inputs = reader.files();
  AddInput(file, &inputs);
  for (const ComponentClass& cls : model.classes) {
    if (!cls.external_library.empty())
      AddInput(PathBeside(model.files[model.SpanOf(cls.origin).file].path(), cls.external_library), &inputs);
  }
  return inputs;
}

std::string UnknownInput(const Model& model, const Translation& translation, const std::string& name) {
  const std::vector<std::string> names = InputCandidates(model, *translation.graph);
  const std::string hint = Suggestion(name, {names.begin(), names.end()}, "there are");
  return fmt::format("there is no input or output `{}` in the system{}{}", name, hint.empty() ? "" : "; ",
                     hint);
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string_view near = Nearest(word, {candidates.begin(), candidates.end()});
  return near.empty() ? "" : fmt::format("; did you mean `{}`?", near);
}

SystemRequest RequestOf(const SystemOptions& options) {
  SystemRequest out;
  out.system = options.system;
  out.experiment = options.experiment;
  out.runs = false;
  out.options.settings = options.settings;
  return out;
}

std::string UnknownVariable(const Translation& translation, const std::string& name) {
  std::vector<std::string> all, beside;
  const std::string owner = name.substr(0, name.rfind('.') + 1);
  for (uint32_t slot = 0; slot < translation.sorted->slots(); ++slot) {
    all.push_back(translation.sorted->SlotName(slot));
    if (!owner.empty() && all.back().starts_with(owner)) beside.push_back(all.back());
  }
  // What the component itself has comes before names that merely look alike.
  const auto suggest = [&](const std::vector<std::string>& names, const std::string& list) {
    return Suggestion(name, {names.begin(), names.end()}, list);
  };
  std::string hint =
      beside.empty() ? suggest(all, "") : suggest(beside, "`" + owner.substr(0, owner.size() - 1) + "` has");
  return fmt::format("there is no variable `{}` in the system{}{}", name, hint.empty() ? "" : "; ", hint);
}

ComponentOptions ForeignCodeOf(const ForeignOptions& options) {
  ComponentOptions out;
  out.allow = options.allow;
  out.in_process = options.in_process;
  out.network = options.network;
  out.write = options.write;
  return out;
}

InitializeOptions BeginningOf(const Translation& translation) {
  const Model& model = *translation.equations->model;
  InitializeOptions out;
  out.steady = model[translation.graph->system].steady;
  if (translation.experiment == nullptr) return out;
  const ExperimentSetting& settings = translation.experiment->settings;
  out.steady = out.steady || settings.steady;
  const SystemGraph& graph = *translation.graph;
  if (!settings.begin.IsNone())
    out.time = EvaluateConstant(model.expressions, settings.begin,
                                SystemParameters(model, graph.system, graph.settings))
                   .value_or(0);
  return out;
}

std::string NamesOf(const Translation& translation, const std::set<uint32_t>& components) {
  std::string text;
  for (const uint32_t c : components)
    text += (text.empty() ? "`" : ", `") +
            ComponentName(*translation.equations->model, *translation.graph, ComponentId(c)) + "`";
  return text;
}

std::string SystemHeading(const Translation& translation, const Console& console) {
  const Model& model = *translation.equations->model;
  return console.Bold("system " + model.Text(model[translation.graph->system].name));
}

bool FindOutputs(const Translation& translation, const std::vector<std::string>& names,
                 std::vector<VariableRef>* outputs) {
  std::string problem;
  if (FindOutputs(translation, names, outputs, &problem)) return true;
  fmt::print(stderr, "cotree: {}\n", problem);
  return false;
}

bool FindOutputs(const Translation& translation, const std::vector<std::string>& names,
                 std::vector<VariableRef>* outputs, std::string* problem) {
  const EquationSystem& system = *translation.equations;
  const NameFinder finder(*system.model, *system.graph);
  for (const std::string& name : names) {
    const VariableRef ref = FindVariable(system, finder, name);
    if (translation.sorted->HasSlot(ref)) {
      outputs->push_back(ref);
      continue;
    }
    if (ref.variable != UINT32_MAX) {
      *problem = fmt::format("`{}` is not computed: no equation needs so high a derivative of `{}`", name,
                             system.VariableName(ref.variable));
      return false;
    }
    *problem = UnknownVariable(translation, name);
    return false;
  }
  return true;
}

int RunOnSystem(const SystemOptions& options, const char* schema, TranslateOptions translate,
                const Console& console,
                const std::function<int(Translation&, const Console&, SystemOutput*)>& say) {
  const bool json = options.format == "json";
  DiskReader reader;
  LoadOptions load;
  load.library = options.library;
  const auto loaded = LoadModel(options.file, reader, load);
  std::vector<NamedOutput> outputs = options.written;
  outputs.push_back({"-o", options.output});
  const int may = CheckOutputs(outputs, InputsOf(options.file, reader, loaded->model));
  if (may != kExitOk) return may;
  std::unique_ptr<Translation> translation;
  const SystemChoice& choice = ChooseSystem(*loaded, RequestOf(options), options.file);
  if (!choice.problem.empty()) {
    fmt::print(stderr, "cotree: {}\n", choice.problem);
    return kExitUsage;
  }
  if (loaded->readable && loaded->diagnostics.ok()) {
    if (translate.own_parameters) TakeOutParameters(*loaded, &translate);
    if (translate.foreign == ForeignAccess::kNone) translate.foreign = ForeignAccess::kKnown;
    translate.components = ForeignCodeOf(options.foreign);
    translation = Translate(*loaded, translate);
    for (const std::string& name : translation->unknown_inputs)
      fmt::print(stderr, "cotree: {}\n", UnknownInput(loaded->model, *translation, name));
    for (const std::string& name : translation->unknown_preferences)
      fmt::print(stderr,
                 "cotree: --prefer {}: that is no variable of an edge; say currents, voltages, across, "
                 "through, or a "
                 "variable as `R1.i`\n",
                 name);
    if (!translation->unknown_preferences.empty()) return kExitUsage;
    if (!translation->unknown_inputs.empty()) return kExitUsage;
  }
  const bool ok = translation != nullptr && translation->ok && loaded->diagnostics.ok();
  if (!json) PrintDiagnostics(loaded->diagnostics, loaded->model.files, console);
  Json system;
  SystemOutput out{{}, system};
  const bool foreign = !loaded->readable || (translation != nullptr && translation->foreign);
  int exit = foreign ? kExitForeign : choice.usage ? kExitUsage : kExitModel;
  if (ok) {
    exit = say(*translation, options.output.empty() ? console : Console::Plain(), &out);
    if (exit != kExitOk) return exit;
  } else {
    if (translation != nullptr && !translation->foreign_problem.empty())
      fmt::print(stderr, "cotree: {}\n", translation->foreign_problem);
    else if (loaded->diagnostics.ok())
      fmt::print(stderr, "cotree: {} cannot be translated\n", options.file);
    if (!json) return exit;
  }
  if (json) {
    Json document = JsonHead(schema, options.file, *loaded);
    document["ok"] = ok;
    document["system"] = std::move(system);
    out.text = DumpJson(document);
  }
  const int written = WriteOutput(out.text, options.output);
  return written != kExitOk ? written : exit;
}

}  // namespace cotree
