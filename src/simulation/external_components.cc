// SPDX-License-Identifier: Apache-2.0
#include "simulation/external_components.h"

#include <algorithm>
#include <cmath>

#include "base/visible_text.h"

namespace cotree {
namespace {

std::vector<uint32_t> Inverse(const std::vector<uint32_t>& numbers) {
  std::vector<uint32_t> out(numbers.size());
  for (uint32_t k = 0; k < numbers.size(); ++k) out[numbers[k]] = k;
  return out;
}

}  // namespace

ComponentRequest RequestOf(const Program& program, const Program::External& external) {
  ComponentRequest request{external.library, external.function, external.instance, {}};
  const double* numbers = program.sorted->system->parameters.values.data() + external.parameters;
  for (size_t p = 0; p < external.parameter_names.size(); ++p)
    request.parameters.emplace_back(external.parameter_names[p], numbers[p]);
  return request;
}

bool ExternalComponents::Load() {
  for (const Program::External& e : program_.externals) {
    ComponentFailure failure;
    Instance instance;
    instance.component = LoadSoftwareComponent(RequestOf(program_, e), options_, &failure);
    if (instance.component == nullptr) {
      problem_ = failure.Text();
      return false;
    }
    ComponentInterface own;
    for (const auto& [name, slot] : e.inputs) own.inputs.push_back(name);
    for (const auto& [name, slot] : e.outputs) own.outputs.push_back(name);
    for (const auto& [name, slot] : e.states) own.states.push_back(name);
    for (const auto& [outputs, inputs] : e.groups) own.groups.push_back({outputs, inputs});
    own.sample_period = e.period;
    const ComponentDescription& library = instance.component->description();
    const std::string wrong = BindComponent(own, library, &instance.binding);
    if (!wrong.empty()) {
      problem_ = "`" + e.instance + "` (" +
                 VisibleText(e.library, LineEnds::kKept, ComponentFailure::kMostText) + "): " + wrong;
      return false;
    }
    instance.inputs.resize(library.inputs.size());
    instance.outputs.resize(library.outputs.size());
    instance.states.resize(library.states.size());
    instance.rates.resize(library.states.size());
    instance.input_of = Inverse(instance.binding.inputs);
    instance.output_of = Inverse(instance.binding.outputs);
    instance.state_of = Inverse(instance.binding.states);
    for (size_t k = 0; k < library.states.size(); ++k)
      run_.values[e.states[instance.binding.states[k]].second] = library.states[k].start;
    instances_.push_back(std::move(instance));
  }
  run_.foreign = this;
  return true;
}

bool ExternalComponents::Fail(const Instance& instance) {
  problem_ = instance.component->failure().Text();
  may_go_on_ = instance.component->failure().kind == ComponentFailure::Kind::kReject;
  return false;
}

// States and inputs of an instance, from values by slot.
void ExternalComponents::TakePoint(uint32_t external, std::span<const double> values) {
  Instance& instance = instances_[external];
  const Program::External& of = program_.externals[external];
  for (size_t k = 0; k < instance.inputs.size(); ++k)
    instance.inputs[k] = values[of.inputs[instance.binding.inputs[k]].second];
  for (size_t k = 0; k < instance.states.size(); ++k)
    instance.states[k] = values[of.states[instance.binding.states[k]].second];
}

bool ExternalComponents::Outputs(uint32_t external, double time, bool* changed) {
  if (IsIntegrated(external)) return true;
  Instance& instance = instances_[external];
  TakePoint(external, run_.values);
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
  TakePoint(external, run_.values);
  Instance& instance = instances_[external];
  instance.jacobian_point.clear();
  return instance.component->Update(time, instance.states, instance.inputs) || Fail(instance);
}

bool ExternalComponents::UpdateContinuous(double time, bool* stepped) {
  for (uint32_t k = 0; k < instances_.size(); ++k) {
    if (program_.externals[k].period > 0 || !instances_[k].component->description().has_update) continue;
    *stepped = true;
    if (!Update(k, time)) return false;
  }
  return true;
}

// The group at the point that the instance holds.
bool ExternalComponents::Call(const Program::ForeignGroup& group, double time, std::span<double> results) {
  Instance& instance = instances_[group.external];
  if (group.group == Program::ForeignGroup::kDerivatives) {
    if (!instance.component->Derivatives(time, instance.states, instance.inputs, instance.rates))
      return Fail(instance);
    for (size_t k = 0; k < results.size(); ++k) results[k] = instance.rates[instance.state_of[k]];
    return true;
  }
  for (const uint32_t g : instance.binding.library_groups[group.group]) {
    if (!instance.component->Outputs(g, time, instance.states, instance.inputs, instance.outputs))
      return Fail(instance);
  }
  const auto& numbers = program_.externals[group.external].groups[group.group].first;
  for (size_t k = 0; k < results.size(); ++k) results[k] = instance.outputs[instance.output_of[numbers[k]]];
  return true;
}

bool ExternalComponents::Compute(const Program::ForeignGroup& group, double time,
                                 std::span<const double> values, std::span<double> results) {
  TakePoint(group.external, values);
  return Call(group, time, results);
}

bool ExternalComponents::Partials(const Program::ForeignGroup& group, double time,
                                  std::span<const double> values, std::span<double> matrix) {
  TakePoint(group.external, values);
  return OwnPartials(group, time, matrix) || Differences(group, time, matrix);
}

bool ExternalComponents::OwnPartials(const Program::ForeignGroup& group, double time,
                                     std::span<double> matrix) {
  Instance& instance = instances_[group.external];
  if (!instance.component->description().has_jacobian) return false;
  const size_t states = instance.states.size(), columns = states + instance.inputs.size();
  std::vector<double> point{time};
  point.insert(point.end(), instance.states.begin(), instance.states.end());
  point.insert(point.end(), instance.inputs.begin(), instance.inputs.end());
  if (point != instance.jacobian_point) {
    instance.jacobian_point.clear();
    instance.jacobian.assign((states + instance.outputs.size()) * columns, 0);
    if (!instance.component->Jacobian(time, instance.states, instance.inputs, instance.jacobian))
      return false;
    instance.jacobian_point = std::move(point);
  }
  const bool derivatives = group.group == Program::ForeignGroup::kDerivatives;
  const auto& external = program_.externals[group.external];
  for (size_t r = 0; r < group.results.size(); ++r) {
    const size_t row = derivatives ? instance.state_of[r]
                                   : states + instance.output_of[external.groups[group.group].first[r]];
    const double* from = instance.jacobian.data() + row * columns;
    double* to = matrix.data() + r * group.arguments();
    for (size_t k = 0; k < group.states.size(); ++k) *to++ = from[instance.state_of[k]];
    for (const uint32_t k : group.input_numbers) *to++ = from[states + instance.input_of[k]];
  }
  return true;
}

/* Central differences, where the error of the formula and that of rounding balance: a step of eps^(1/3) of
the argument, at least of one unit. A power of two, so that the argument moves by exactly that. Where one side
has no value, the other does. */
bool ExternalComponents::Differences(const Program::ForeignGroup& group, double time,
                                     std::span<double> matrix) {
  Instance& instance = instances_[group.external];
  const size_t results = group.results.size(), arguments = group.arguments();
  ahead_.resize(results);
  behind_.resize(results);
  here_.clear();
  for (size_t a = 0; a < arguments; ++a) {
    double& argument = a < group.states.size()
                           ? instance.states[instance.state_of[a]]
                           : instance.inputs[instance.input_of[group.input_numbers[a - group.states.size()]]];
    const double at = argument, h = std::ldexp(1.0, std::ilogb(std::max(std::fabs(at), 1.0)) - 17);
    argument = at + h;
    const bool has_ahead = Call(group, time, ahead_);
    argument = at - h;
    const bool has_behind = Call(group, time, behind_);
    argument = at;
    if (!(has_ahead && has_behind) && here_.empty()) {
      here_.resize(results);
      if (!Call(group, time, here_)) return false;
    }
    if (!has_ahead && !has_behind) return false;
    const double width = has_ahead && has_behind ? 2 * h : h;
    const std::vector<double>& last = has_ahead ? ahead_ : here_;
    const std::vector<double>& first = has_behind ? behind_ : here_;
    for (size_t r = 0; r < results; ++r) matrix[r * arguments + a] = (last[r] - first[r]) / width;
  }
  return true;
}

bool ExternalComponents::Exchange(Archive& archive) {
  for (Instance& instance : instances_) {
    std::vector<std::byte> bytes(instance.component->description().discrete_bytes);
    if (!archive.reading() && !instance.component->Save(bytes)) return Fail(instance);
    for (std::byte& b : bytes) archive.Number(b);
    if (archive.reading() && !instance.component->Restore(bytes)) return Fail(instance);
    instance.jacobian_point.clear();
  }
  return true;
}

std::vector<std::string> ExternalComponents::Notes() const {
  std::vector<std::string> out;
  for (const Instance& instance : instances_) {
    const std::string unconfined = instance.component->Unconfined();  // the same for all of this machine
    if (!unconfined.empty() && out.empty()) out.push_back(unconfined);
  }
  for (size_t k = 0; k < instances_.size(); ++k) {
    for (const std::string& note : instances_[k].component->notes())
      out.push_back("`" + program_.externals[k].instance + "`: " + note);
  }
  return out;
}

}  // namespace cotree
