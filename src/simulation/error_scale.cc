// SPDX-License-Identifier: Apache-2.0
#include "simulation/error_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "simulation/vector_operations.h"

namespace cotree {

std::vector<uint8_t> StateKinds(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  const EquationSystem& system = *sorted.system;
  constexpr uint8_t kTurns = 0, kTurnRates = 1, kPlaces = 2, kSpeeds = 3, kNone = 4;
  std::vector<uint8_t> out(program.state_slots.size(), kNone);
  if (!system.in_space) return out;
  for (size_t k = 0; k < sorted.states.size(); ++k) {
    const VariableRef state = sorted.states[k];
    const uint32_t part = system.PartOfVariable(state.variable);
    const bool joint = part < system.graph->components.size() &&
                       !system.graph->ClassOf(*system.model, ComponentId(part)).spatial.IsNone();
    if (!joint && !system.IsInner(state.variable)) continue;
    std::string name = system.VariableName(state.variable, state.order);
    name = name.substr(name.rfind('.') + 1);
    name = name.substr(0, name.find('['));
    out[k] = name == "phi" || name == "Q" ? kTurns
             : name == "w"                ? kTurnRates
             : name == "s" || name == "r" ? kPlaces
             : name == "v"                ? kSpeeds
                                          : kNone;
  }
  return out;
}

ErrorScale::ErrorScale(const Program& program, const SimulationOptions& options, std::vector<uint32_t> slots)
    : slots_(std::move(slots)), scales_(options.scales), unit_(kSafety * options.rtol) {
  largest_.assign(slots_.size(), 0);
  floor_.assign(slots_.size(), 0);
  if (!program.sorted->system->in_space) return;
  const std::vector<uint8_t> kinds = StateKinds(program);
  std::unordered_map<uint32_t, uint8_t> groups;  // by slot
  for (size_t k = 0; k < kinds.size(); ++k) groups[program.state_slots[k]] = kinds[k];
  group_.assign(slots_.size(), kNoGroup);
  of_free_body_.assign(slots_.size(), false);
  length_ = program.sorted->system->space_length;
  for (size_t k = 0; k < slots_.size(); ++k) {
    const auto at = groups.find(slots_[k]);
    if (at == groups.end()) continue;
    group_[k] = at->second;
    // Of three numbers: r, v.
    if (group_[k] == kPlaces || group_[k] == kSpeeds)
      of_free_body_[k] = program.sorted->SlotName(slots_[k]).ends_with(']');
  }
}

void ErrorScale::Take(const double* y) {
  const bool first = least_.empty();
  if (first) least_.assign(largest_.size(), 1e-6);
  const auto said = [&](size_t k) {  // not the rounding of what was found at the start
    return y[k] != 0 && (of_free_body_.empty() || !of_free_body_[k] || std::fabs(y[k]) > 1e-12 * length_);
  };
  for (size_t k = 0; k < slots_.size(); ++k) {
    if (first && said(k)) least_[k] = std::min(1e-6, 1e-6 * std::fabs(y[k]));
    largest_[k] = std::max(largest_[k], std::fabs(y[k]));
  }
  for (const auto& [slot, size] : scales_) {
    const auto at = std::find(slots_.begin(), slots_.end(), slot);
    if (at != slots_.end()) least_[static_cast<size_t>(at - slots_.begin())] = size;
  }
  FindFloor();
}

void ErrorScale::FindFloor() {
  for (size_t k = 0; k < floor_.size(); ++k) floor_[k] = std::max(1e-2 * largest_[k], least_[k]);
  if (group_.empty()) return;
  std::array<double, kNoGroup + 1> together{};
  for (size_t k = 0; k < group_.size(); ++k)
    together[group_[k]] = std::max(together[group_[k]], kOfItsKind * largest_[k]);
  together[kTurns] = kOfItsKind;  // of 1 rad, whatever the number of turns
  together[kNoGroup] = 0;
  for (size_t k = 0; k < floor_.size(); ++k) floor_[k] = std::max(floor_[k], together[group_[k]]);
  const double rate = together[kTurnRates] / kOfItsKind;
  for (size_t k = 0; k < floor_.size(); ++k) {
    if (of_free_body_[k])
      floor_[k] = std::max(floor_[k], kOfLength * length_ * (group_[k] == kPlaces ? 1 : rate));
  }
}

void ErrorScale::Remember(const double* y) {
  RememberLargest(largest_.data(), floor_.data(), y, 1e-2, largest_.size());
  if (!group_.empty()) FindFloor();
}

void ErrorScale::TakeSizesOf(const ErrorScale& other) {
  if (other.least_.empty()) return;
  std::unordered_map<uint32_t, size_t> places;  // by slot
  for (size_t k = 0; k < other.slots_.size(); ++k) places[other.slots_[k]] = k;
  least_.resize(slots_.size(), 1e-6);
  for (size_t k = 0; k < slots_.size(); ++k) {
    const auto at = places.find(slots_[k]);
    if (at == places.end()) continue;
    largest_[k] = other.largest_[at->second];
    least_[k] = other.least_[at->second];
  }
  FindFloor();
}

void ErrorScale::Exchange(Archive& archive) {
  archive.Numbers(largest_);
  archive.Numbers(least_);
  if (!least_.empty()) FindFloor();
}

}  // namespace cotree
