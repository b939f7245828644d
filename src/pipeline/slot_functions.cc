// SPDX-License-Identifier: Apache-2.0
#include "pipeline/slot_functions.h"

#include <algorithm>

namespace cotree {

SlotFunctions::SlotFunctions(std::shared_ptr<const SortedSystem> sorted, const Program& program)
    : sorted_(std::move(sorted)),
      program_(program),
      values_(program.slots, 0.0),
      block_of_(sorted_->equations.size(), UINT32_MAX),
      seen_(sorted_->slots(), 0) {
  for (size_t b = 0; b < sorted_->blocks(); ++b) {
    for (const uint32_t equation : sorted_->Block(b)) block_of_[equation] = static_cast<uint32_t>(b);
  }
}

// f(slot) once for each slot that one needs, itself included; blocks are computed as a whole.
template <class F>
void SlotFunctions::OverNeeded(uint32_t slot, F&& f) const {
  const SortedSystem& sorted = *sorted_;
  ++walk_;
  std::vector<uint32_t> open{slot};
  seen_[slot] = walk_;
  const auto reach = [&](uint32_t next) {
    if (seen_[next] == walk_) return;
    seen_[next] = walk_;
    open.push_back(next);
  };
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    f(at);
    const uint32_t equation = sorted.equation_of_slot[at];
    if (equation == UINT32_MAX) continue;
    for (const uint32_t e : sorted.Block(block_of_[equation])) {
      reach(sorted.slot_of_equation[e]);
      sorted.OverUses(e, [&](uint32_t v, uint32_t order) { reach(sorted.first_slot[v] + order); });
    }
  }
}

SlotFunctions::Reach SlotFunctions::ReachOf(uint32_t slot, const std::vector<bool>& forbidden) const {
  Reach out;
  OverNeeded(slot, [&](uint32_t s) {
    out.allowed = out.allowed && !forbidden[s];
    if (sorted_->equation_of_slot[s] == UINT32_MAX && sorted_->IsState(sorted_->OfSlot(s)))
      out.states.push_back(s);
  });
  std::sort(out.states.begin(), out.states.end());
  return out;
}

void SlotFunctions::Compute(const std::vector<uint32_t>& slots) {
  std::vector<bool> needed(sorted_->blocks(), false);
  for (const uint32_t slot : slots) {
    OverNeeded(slot, [&](uint32_t s) {
      const uint32_t equation = sorted_->equation_of_slot[s];
      if (equation != UINT32_MAX) needed[block_of_[equation]] = true;
    });
  }
  auto part = std::make_shared<SortedSystem>(*sorted_);
  part->block_first.clear();
  part->block_equations.clear();
  part->block_first.push_back(0);
  for (size_t b = 0; b < needed.size(); ++b) {
    if (!needed[b]) continue;
    for (const uint32_t equation : sorted_->Block(b)) part->block_equations.push_back(equation);
    part->block_first.push_back(static_cast<uint32_t>(part->block_equations.size()));
  }
  own_ = BuildInitialProgram(part, program_);
  own_->state_slots = program_.state_slots;  // along which derivatives are taken
  run_ = std::make_unique<ProgramRun>(*own_);
}

bool SlotFunctions::Run(double time) {
  std::copy(values_.begin(), values_.end(), run_->values.begin());
  if (!run_->Run(time)) return false;
  std::copy(run_->values.begin(), run_->values.begin() + static_cast<std::ptrdiff_t>(values_.size()),
            values_.begin());
  return true;
}

void SlotFunctions::Differentiate(const std::vector<std::pair<uint32_t, double>>& direction, double time) {
  std::fill(run_->tangents.begin(), run_->tangents.end(), 0.0);
  for (const auto& [slot, part] : direction) run_->tangents[slot] = part;
  run_->RunTangent(time);
}

}  // namespace cotree
