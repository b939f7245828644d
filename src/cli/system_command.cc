// SPDX-License-Identifier: Apache-2.0
#include "cli/system_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/check_json.h"
#include "cli/files.h"

namespace cotree {
namespace {

// The one system that is meant; empty, with a message, if that cannot be said.
std::string ChooseSystem(const Model& model, const SystemOptions& options) {
  std::vector<std::string> names;
  for (const ClassId id : model.systems) names.push_back(model.Text(model[id].name));
  if (names.empty()) {
    fmt::print(stderr, "cotree: {} has no system\n", options.file);
    return {};
  }
  if (options.system.empty()) {
    if (names.size() == 1) return names[0];
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    fmt::print(stderr, "cotree: {} has several systems; choose one with --system: {}\n", options.file, list);
    return {};
  }
  if (std::find(names.begin(), names.end(), options.system) != names.end()) return options.system;
  fmt::print(stderr, "cotree: there is no system `{}` in {}{}\n", options.system, options.file,
             DidYouMean(options.system, names));
  return {};
}

// The experiment that is meant, null if none; false, with a message, if it is not there.
bool ChooseExperiment(const Model& model, const SystemOptions& options, const Experiment** out) {
  if (options.experiment.empty()) return true;
  std::vector<std::string> names;
  for (const Experiment& e : model.experiments) {
    const std::string name = model.Text(e.name), system = model.Text(model[e.system].name);
    if (name != kSettingsExperiment) names.push_back(name);
    if (name != options.experiment) continue;
    *out = &e;
    if (options.system.empty() || options.system == system) return true;
    fmt::print(stderr, "cotree: the experiment `{}` is one of `{}`, not of `{}`\n", name, system,
               options.system);
    return false;
  }
  fmt::print(stderr, "cotree: there is no experiment `{}` in {}{}\n", options.experiment, options.file,
             DidYouMean(options.experiment, names));
  return false;
}

// What is free may be a parameter, which is none of the inputs.
void TakeOutParameters(const Model& model, TranslateOptions* translate) {
  ClassId system;
  for (const ClassId id : model.systems) {
    if (model.Text(model[id].name) == translate->system) system = id;
  }
  for (const Experiment& e : model.experiments) {
    if (model.Text(e.name) == translate->experiment) system = e.system;
  }
  std::string ignored;
  std::erase_if(translate->free_inputs, [&](const std::string& name) {
    return FindParameter(model, system, name, &ignored).has_value();
  });
}

bool CheckSettings(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals != std::string::npos && setting.find_first_not_of(' ') < equals &&
        setting.find_first_not_of(' ', equals + 1) != std::string::npos)
      continue;
    fmt::print(stderr,
               "cotree: --set wants `parameter = value`, as in --set \"motor.R = 0.3 ohm\"; got `{}`\n",
               setting);
    return false;
  }
  return true;
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
  return fmt::format("there is no input or output `{}` in the system{}", name,
                     DidYouMean(name, InputCandidates(model, *translation.graph)));
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string_view near = Nearest(word, {candidates.begin(), candidates.end()});
  return near.empty() ? "" : fmt::format("; did you mean `{}`?", near);
}

ComponentOptions ForeignCodeOf(const SystemOptions& options) {
  ComponentOptions out;
  out.in_process = options.in_process;
  return out;
}

InitializeOptions BeginningOf(const Translation& translation) {
  const Model& model = *translation.equations->model;
  InitializeOptions out;
  out.steady = model[translation.graph->system].steady;
  if (translation.experiment == nullptr) return out;
  const ExperimentSetting& settings = translation.experiment->settings;
  out.steady = out.steady || settings.steady;
  if (!settings.begin.IsNone())
    out.time = EvaluateConstant(model.expressions, settings.begin, {}).value_or(0);
  return out;
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
    std::vector<std::string> candidates;
    for (uint32_t slot = 0; slot < translation.sorted->slots(); ++slot)
      candidates.push_back(translation.sorted->SlotName(slot));
    *problem = fmt::format("there is no variable `{}` in the system{}", name, DidYouMean(name, candidates));
    return false;
  }
  return true;
}

int RunOnSystem(const SystemOptions& options, const char* schema, TranslateOptions translate,
                const Console& console,
                const std::function<int(Translation&, const Console&, SystemOutput*)>& say) {
  const bool json = options.format == "json";
  if (!CheckSettings(options.settings)) return kExitUsage;
  DiskReader reader;
  LoadOptions load;
  load.library = options.library;
  load.settings = options.settings;
  load.system = options.system;
  const auto loaded = LoadModel(options.file, reader, load);
  std::vector<NamedOutput> outputs = options.written;
  outputs.push_back({"-o", options.output});
  const int may = CheckOutputs(outputs, InputsOf(options.file, reader, loaded->model));
  if (may != kExitOk) return may;
  std::unique_ptr<Translation> translation;
  if (loaded->readable && loaded->diagnostics.ok()) {
    const Experiment* experiment = nullptr;
    if (!ChooseExperiment(loaded->model, options, &experiment)) return kExitUsage;
    if (experiment != nullptr)
      translate.experiment = options.experiment;
    else
      translate.system = ChooseSystem(loaded->model, options);
    if (translate.system.empty() && experiment == nullptr) return kExitUsage;
    if (translate.own_parameters) TakeOutParameters(loaded->model, &translate);
    translate.components = ForeignCodeOf(options);
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
  nlohmann::ordered_json system;
  SystemOutput out{{}, system};
  int exit = !loaded->readable ? kExitForeign : kExitModel;
  if (ok) {
    exit = say(*translation, options.output.empty() ? console : Console::Plain(), &out);
    if (exit != kExitOk) return exit;
  } else {
    if (loaded->diagnostics.ok()) fmt::print(stderr, "cotree: {} cannot be translated\n", options.file);
    if (!json) return exit;
  }
  if (json) {
    nlohmann::ordered_json document = JsonHead(schema, options.file, *loaded);
    document["ok"] = ok;
    document["system"] = std::move(system);
    out.text = DumpJson(document);
  }
  const int written = WriteOutput(out.text, options.output);
  return written != kExitOk ? written : exit;
}

}  // namespace cotree
