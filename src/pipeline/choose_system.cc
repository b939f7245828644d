// SPDX-License-Identifier: Apache-2.0
#include "pipeline/choose_system.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "system_graph/evaluate_settings.h"

namespace cotree {
namespace {

std::string Listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/* A file's own systems and experiments come first; those of the files that it imports count by name, or where
it has none of its own. */
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
  const Origin& OriginOf(ClassId system) const { return model_[system].origin; }
  const Origin& OriginOf(size_t experiment) const { return model_.experiments[experiment].origin; }
  FileId FileOf(const Origin& origin) const { return model_.tree(origin.tree).file; }
  bool IsOwn(const Origin& origin) const { return FileOf(origin) == loaded_.declarations->own_files()[0]; }
  static bool Same(const Origin& a, const Origin& b) { return a.tree == b.tree && a.node == b.node; }

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
  template <class T>
  std::vector<std::string> NamesOf(const std::vector<T>& list) const {
    std::vector<std::string> names;
    for (const T& one : list) names.push_back(NameOf(one));
    return names;
  }

  // The one that a name means: the file's own, with a note where an imported file has one, too.
  template <class T>
  bool Choose(const std::string& what, const std::vector<T>& named, T& out) {
    out = named.front();
    std::vector<std::string> others;
    for (const T& other : named) {
      if (FileOf(OriginOf(other)) != FileOf(OriginOf(out)))
        others.push_back(model_.files[FileOf(OriginOf(other))].path());
    }
    if (others.empty()) return true;
    const std::string both =
        "the " + what + " `" + NameOf(out) + "` of " + model_.files[FileOf(OriginOf(out))].path();
    if (!IsOwn(OriginOf(out)))
      return Refuse(both + " has the name of one of " + Listed(others) +
                    "; rename one of them, or import one of the files only");
    out_.note = "this is " + both + "; there is another one in " + Listed(others);
    return true;
  }

  std::vector<size_t> Experiments() const {
    std::vector<size_t> all(model_.experiments.size());
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }
  std::vector<size_t> ExperimentsOf(ClassId system) const {
    std::vector<size_t> out = Experiments();
    std::erase_if(out,
                  [&](size_t k) { return !Same(OriginOf(model_.experiments[k].system), OriginOf(system)); });
    return out;
  }
  // What counts where no name is said: the file's own, or, where it has none, all.
  template <class T>
  std::vector<T> Candidates(std::vector<T> all) const {
    const auto own = [&](const T& one) { return IsOwn(OriginOf(one)); };
    if (std::any_of(all.begin(), all.end(), own)) std::erase_if(all, std::not_fn(own));
    return all;
  }

  bool FindExperiment() {
    std::vector<size_t> named = Experiments();
    std::erase_if(named, [&](size_t k) { return NameOf(k) != request_.experiment; });
    if (named.empty()) return Unknown("experiment", request_.experiment, NamesOf(Experiments()));
    const auto other_system = [&](size_t k) {
      return !request_.system.empty() && NameOf(model_.experiments[k].system) != request_.system;
    };
    const std::string own = NameOf(model_.experiments[named.front()].system);
    std::erase_if(named, other_system);
    if (named.empty()) {
      for (const ClassId id : model_.systems) {
        if (NameOf(id) != request_.system) continue;
        const std::vector<std::string> others = NamesOf(ExperimentsOf(id));
        return Refuse("the experiment `" + request_.experiment + "` is one of `" + own + "`, not of `" +
                      request_.system + "`" +
                      (others.empty() ? ", which has none" : ", which has " + Listed(others)));
      }
      return Unknown("system", request_.system, NamesOf(model_.systems));
    }
    experiment_ = 0;
    if (!Choose("experiment", named, *experiment_)) return false;
    out_.system = model_.experiments[*experiment_].system;
    return true;
  }

  bool FindSystem() {
    if (model_.systems.empty()) return Refuse(file_ + " has no system");
    std::vector<ClassId> systems = Candidates(model_.systems);
    std::vector<size_t> experiments = Candidates(Experiments());
    if (!request_.system.empty()) {
      systems = model_.systems;
      std::erase_if(systems, [&](ClassId id) { return NameOf(id) != request_.system; });
      if (systems.empty()) return Unknown("system", request_.system, NamesOf(model_.systems));
      if (!Choose("system", systems, out_.system)) return false;
      experiments = Candidates(ExperimentsOf(out_.system));
      if (request_.runs && experiments.size() > 1)
        out_.note += (out_.note.empty() ? "" : "; ") + std::string("this is the experiment `") +
                     NameOf(experiments.front()) + "` of `" + request_.system +
                     "`, which has several: " + Listed(NamesOf(experiments)) + "; --experiment chooses one";
    } else if (IsOwn(OriginOf(systems.front()))) {
      // Imported experiments are of imported systems.
      std::erase_if(experiments, [&](size_t k) { return !IsOwn(OriginOf(k)); });
    }
    if (request_.runs && !experiments.empty()) {
      if (request_.system.empty() && experiments.size() > 1 && !IsOwn(OriginOf(experiments.front())))
        return Refuse(file_ +
                      " has no experiment of its own and imports several; choose one with --experiment: " +
                      Listed(NamesOf(experiments)));
      experiment_ = experiments.front();
      out_.system = model_.experiments[*experiment_].system;
      return true;
    }
    if (!out_.system.IsNone()) return true;
    if (systems.size() > 1 && !request_.any_system)
      return Refuse(file_ + " has several systems; choose one with --system: " + Listed(NamesOf(systems)));
    out_.system = systems.front();
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
    if (EvaluateSettings(loaded.model, experiment.system, SettingsOf(choice, {}), numbers,
                         loaded.diagnostics))
      CheckSizes(loaded.model, experiment.system, &experiment, numbers, loaded.diagnostics);
  }
  loaded.diagnostics.Sort();
}

}  // namespace cotree
