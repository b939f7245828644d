// SPDX-License-Identifier: Apache-2.0
#include <cotree/cotree.h>

#include "pipeline/choose_system.h"
#include "pipeline/translate.h"
#include "simulation/simulate.h"

namespace cotree {

struct Simulation::Impl {
  std::string path, text, system;  // a path, or a text
  ForeignRights rights;
  std::map<std::string, std::string> settings;
  std::unique_ptr<LoadedModel> loaded;
  std::unique_ptr<Translation> translation;
  Trajectory trajectory;
  std::map<std::string, size_t> column_of_name;

  ComponentOptions Components() const {
    ComponentOptions out;
    out.allow = rights.allow;
    out.in_process = rights.in_process;
    out.network = rights.network;
    out.write = rights.write;
    return out;
  }

  // Reads and translates with what is set.
  void Prepare() {
    SystemRequest request;
    request.system = system;
    request.runs = false;
    request.any_system = true;
    for (const auto& [name, value] : settings)
      request.options.settings.push_back(name + (value.starts_with("as ") ? " " : " = ") + value);
    DiskReader disk;
    NoReader none;
    const std::string file = path.empty() ? "text.cot" : path;
    loaded = path.empty() ? LoadModelText(file, text, none) : LoadModel(file, disk);
    const SystemChoice& choice = ChooseSystem(*loaded, request, file);
    if (!choice.problem.empty()) throw Error(choice.problem);
    TranslateOptions how;
    how.rates = how.keep_constraints = true;
    how.foreign = ForeignAccess::kRun;
    how.components = Components();
    translation = Translate(*loaded, how);
    if (loaded->diagnostics.ok() && translation->ok) return;
    std::string all = translation->foreign_problem;
    for (const Diagnostic& d : loaded->diagnostics.list())
      all += RenderText(d, loaded->model.files, false) + "\n";
    throw Error(all.empty() ? "the system cannot be translated" : all);
  }
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation::Simulation(const std::string& path, const std::string& system, const ForeignRights& foreign)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->system = system;
  impl_->rights = foreign;
  impl_->Prepare();
}

Simulation Simulation::FromText(const std::string& text, const std::string& system,
                                const ForeignRights& foreign) {
  auto impl = std::make_unique<Impl>();
  impl->text = text;
  impl->system = system;
  impl->rights = foreign;
  impl->Prepare();
  return Simulation(std::move(impl));
}

void Simulation::Set(const std::string& parameter, const std::string& value) {
  const auto before = impl_->settings;
  impl_->settings[parameter] = value;
  try {
    impl_->Prepare();
  } catch (const Error&) {
    impl_->settings = before;
    impl_->Prepare();
    throw;
  }
}

void Simulation::Run(const RunOptions& options) {
  SimulationOptions how;
  how.start = options.start;
  how.stop = options.stop;
  how.interval = options.interval;
  how.rtol = options.rtol;
  how.method = MethodOf(options.solver);
  how.components = impl_->Components();
  impl_->trajectory = Simulate(*impl_->translation->program, impl_->translation->starts, how);
  impl_->column_of_name.clear();
  for (size_t k = 0; k < impl_->trajectory.slots.size(); ++k)
    impl_->column_of_name[impl_->translation->sorted->SlotName(impl_->trajectory.slots[k])] = k;
  if (!impl_->trajectory.ok) throw Error("the run failed " + impl_->trajectory.problem);
}

const std::vector<double>& Simulation::Times() const {
  return impl_->trajectory.times;
}

const std::vector<double>& Simulation::Column(const std::string& name) const {
  auto at = impl_->column_of_name.find(name);
  if (at == impl_->column_of_name.end()) {
    // As users write it: "load.w" for the rate of "load.phi".
    const NameFinder finder(impl_->loaded->model, *impl_->translation->graph);
    const VariableRef ref = FindVariable(*impl_->translation->equations, finder, name);
    if (impl_->translation->sorted->HasSlot(ref))
      at = impl_->column_of_name.find(
          impl_->translation->sorted->SlotName(impl_->translation->sorted->Slot(ref)));
  }
  if (at == impl_->column_of_name.end()) {
    std::vector<std::string_view> names;
    for (const auto& [own, column] : impl_->column_of_name) names.push_back(own);
    const std::string hint = Suggestion(name, names);
    throw Error("there is no variable `" + name + "` in the run" + (hint.empty() ? "" : "; " + hint));
  }
  return impl_->trajectory.columns[at->second];
}

std::vector<std::string> Simulation::Names() const {
  std::vector<std::string> out;
  for (const auto& [name, column] : impl_->column_of_name) out.push_back(name);
  return out;
}

}  // namespace cotree
