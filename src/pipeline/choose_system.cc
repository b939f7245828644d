// SPDX-License-Identifier: Apache-2.0
#include "pipeline/choose_system.h"

#include <algorithm>

#include "system_graph/evaluate_settings.h"

namespace cotree {
namespace {

std::string Listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

class Chooser {
 public:
  Chooser(LoadedModel& loaded, const SystemRequest& request, const std::string& file)
      : loaded_(loaded), model_(loaded.model), request_(request), file_(file) {}

  SystemChoice Run() {
    const bool found = request_.experiment.empty() ? FindSystem() : FindExperiment();
    if (found)
      Resolve();
    else
      out_.system = ClassId::None();
    return std::move(out_);
  }

 private:
  std::string NameOf(ClassId system) const { return model_.Text(model_[system].name); }
  std::string NameOf(size_t experiment) const { return model_.Text(model_.experiments[experiment].name); }

  bool Refuse(std::string problem) {
    out_.usage = true;
    out_.problem = std::move(problem);
    return false;
  }
  // "there is no system `Foo` in m.cot; did you mean `Fop`?", or all that there are.
  bool Unknown(const std::string& what, const std::string& name, const std::vector<std::string>& names) {
    const std::string none = "there is no " + what + " `" + name + "` in " + file_;
    if (names.empty()) return Refuse(none + ", which has none");
    const std::string hint = Suggestion(name, {names.begin(), names.end()});
    return Refuse(none + "; it has " + Listed(names) + (hint.empty() ? "" : "; " + hint));
  }
  std::vector<std::string> ExperimentsOf(const std::string& system) const {
    std::vector<std::string> names;
    for (size_t k = 0; k < model_.experiments.size(); ++k) {
      if (system.empty() || NameOf(model_.experiments[k].system) == system) names.push_back(NameOf(k));
    }
    return names;
  }

  bool FindExperiment() {
    for (size_t k = 0; k < model_.experiments.size(); ++k) {
      if (NameOf(k) != request_.experiment) continue;
      experiment_ = k;
      out_.system = model_.experiments[k].system;
      const std::string own = NameOf(out_.system);
      if (request_.system.empty() || request_.system == own) return true;
      std::vector<std::string> systems;
      for (const ClassId id : model_.systems) systems.push_back(NameOf(id));
      if (std::find(systems.begin(), systems.end(), request_.system) == systems.end())
        return Unknown("system", request_.system, systems);
      const std::vector<std::string> others = ExperimentsOf(request_.system);
      return Refuse("the experiment `" + request_.experiment + "` is one of `" + own + "`, not of `" +
                    request_.system + "`" +
                    (others.empty() ? ", which has none" : ", which has " + Listed(others)));
    }
    return Unknown("experiment", request_.experiment, ExperimentsOf({}));
  }

  bool FindSystem() {
    std::vector<std::string> names;
    for (const ClassId id : model_.systems) {
      names.push_back(NameOf(id));
      if (out_.system.IsNone() && names.back() == request_.system) out_.system = id;
    }
    if (names.empty()) return Refuse(file_ + " has no system");
    if (!request_.system.empty() && out_.system.IsNone()) return Unknown("system", request_.system, names);
    if (request_.runs) {
      for (size_t k = 0; k < model_.experiments.size() && !experiment_; ++k) {
        if (request_.system.empty() || NameOf(model_.experiments[k].system) == request_.system)
          experiment_ = k;
      }
    }
    if (experiment_) {
      out_.system = model_.experiments[*experiment_].system;
      const std::vector<std::string> all = ExperimentsOf(request_.system);
      if (!request_.system.empty() && all.size() > 1)
        out_.note = "this is the experiment `" + all.front() + "` of `" + request_.system +
                    "`, which has several: " + Listed(all) + "; --experiment chooses one";
      return true;
    }
    if (!out_.system.IsNone()) return true;
    if (names.size() > 1 && !request_.any_system)
      return Refuse(file_ + " has several systems; choose one with --system: " + Listed(names));
    out_.system = model_.systems[0];
    return true;
  }

  void Resolve() {
    ResolvedOptions found = ResolveOptions(*loaded_.builder, out_.system, experiment_, request_.options);
    out_.system = found.system;
    out_.usage = found.malformed;
    out_.settings = std::move(found.settings);
    out_.alternatives = std::move(found.alternatives);
    out_.motions = std::move(found.motions);
    if (experiment_) out_.experiment = &model_.experiments[*experiment_];
    loaded_.diagnostics.Sort();
    if (!loaded_.diagnostics.ok()) out_.system = ClassId::None();
  }

  LoadedModel& loaded_;
  const Model& model_;
  const SystemRequest& request_;
  const std::string& file_;
  std::optional<size_t> experiment_;
  SystemChoice out_;
};

}  // namespace

const SystemChoice& ChooseSystem(LoadedModel& loaded, const SystemRequest& request, const std::string& file) {
  if (loaded.readable && loaded.diagnostics.ok()) loaded.choice = Chooser(loaded, request, file).Run();
  return loaded.choice;
}

std::vector<const Setting*> SettingsOf(const SystemChoice& choice, const std::vector<uint32_t>& chosen) {
  std::vector<const Setting*> out;
  if (choice.experiment != nullptr) {
    for (const Setting& s : choice.experiment->sets) out.push_back(&s);
  }
  for (const Setting& s : choice.settings) out.push_back(&s);
  for (const uint32_t k : chosen) out.push_back(&choice.alternatives[k]);
  return out;
}

void CheckExperiments(LoadedModel& loaded) {
  if (!loaded.readable || !loaded.diagnostics.ok()) return;
  for (const Experiment& experiment : loaded.model.experiments) {
    SystemChoice choice;
    choice.experiment = &experiment;
    std::vector<SystemSetting> numbers;
    EvaluateSettings(loaded.model, experiment.system, SettingsOf(choice, {}), numbers, loaded.diagnostics);
  }
  loaded.diagnostics.Sort();
}

}  // namespace cotree
