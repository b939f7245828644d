// SPDX-License-Identifier: Apache-2.0
#include "simulation/external_components.h"

namespace cotree {

bool ExternalComponents::Load() {
  for (const Program::External& e : program_.externals) {
    ComponentRequest request{e.library, e.function, e.instance, {}};
    const double* numbers = program_.sorted->system->parameters.values.data() + e.parameters;
    for (size_t p = 0; p < e.parameter_names.size(); ++p)
      request.parameters.emplace_back(e.parameter_names[p], numbers[p]);
    ComponentFailure failure;
    Instance instance;
    instance.component = LoadSoftwareComponent(request, options_, &failure);
    if (instance.component == nullptr) {
      problem_ = failure.Text();
      return false;
    }
    ComponentInterface own;
    for (const auto& [name, slot] : e.inputs) own.inputs.push_back(name);
    for (const auto& [name, slot] : e.outputs) own.outputs.push_back(name);
    for (const auto& [outputs, inputs] : e.groups) own.groups.push_back({outputs, inputs});
    own.sample_period = e.period;
    const std::string wrong = BindComponent(own, instance.component->description(), &instance.binding);
    if (!wrong.empty()) {
      problem_ = "`" + e.instance + "` (" + e.library + "): " + wrong;
      return false;
    }
    instance.inputs.resize(instance.binding.inputs.size());
    instance.outputs.resize(instance.binding.outputs.size());
    instances_.push_back(std::move(instance));
  }
  return true;
}

bool ExternalComponents::Fail(const Instance& instance) {
  problem_ = instance.component->failure().Text();
  return false;
}

void ExternalComponents::TakeInputs(uint32_t external) {
  Instance& instance = instances_[external];
  const auto& slots = program_.externals[external].inputs;
  for (size_t k = 0; k < instance.inputs.size(); ++k)
    instance.inputs[k] = run_.values[slots[instance.binding.inputs[k]].second];
}

bool ExternalComponents::Outputs(uint32_t external, double time, bool* changed) {
  Instance& instance = instances_[external];
  TakeInputs(external);
  for (const auto& groups : instance.binding.library_groups) {
    for (const uint32_t g : groups) {
      if (!instance.component->Outputs(g, time, {}, instance.inputs, instance.outputs)) return Fail(instance);
    }
  }
  const auto& slots = program_.externals[external].outputs;
  for (size_t k = 0; k < instance.outputs.size(); ++k) {
    double& value = run_.values[slots[instance.binding.outputs[k]].second];
    *changed = *changed || value != instance.outputs[k];
    value = instance.outputs[k];
  }
  return true;
}

bool ExternalComponents::Update(uint32_t external, double time) {
  TakeInputs(external);
  Instance& instance = instances_[external];
  return instance.component->Update(time, {}, instance.inputs) || Fail(instance);
}

bool ExternalComponents::Exchange(Archive& archive) {
  for (Instance& instance : instances_) {
    std::vector<std::byte> bytes(instance.component->description().discrete_bytes);
    if (!archive.reading() && !instance.component->Save(bytes)) return Fail(instance);
    for (std::byte& b : bytes) archive.Number(b);
    if (archive.reading() && !instance.component->Restore(bytes)) return Fail(instance);
  }
  return true;
}

std::vector<std::string> ExternalComponents::Notes() const {
  std::vector<std::string> out;
  for (size_t k = 0; k < instances_.size(); ++k) {
    for (const std::string& note : instances_[k].component->notes())
      out.push_back("`" + program_.externals[k].instance + "`: " + note);
  }
  return out;
}

}  // namespace cotree
