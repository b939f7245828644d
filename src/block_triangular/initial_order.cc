// SPDX-License-Identifier: Apache-2.0
#include "block_triangular/initial_order.h"

#include <algorithm>

namespace cotree {
namespace {

constexpr uint32_t kKnown = UINT32_MAX, kFree = UINT32_MAX - 1, kNone = UINT32_MAX;

class InitialSorter {
 public:
  InitialSorter(const SortedSystem& run, const InitialDemands& demands) : run_(run), demands_(demands) {
    out_.sorted = run;
  }

  InitialOrder Run() {
    for (uint32_t k = 0; k < run_.system->initial.size(); ++k) {
      open_.push_back(static_cast<uint32_t>(sorted_.equations.size()));
      sorted_.equations.push_back({run_.system->equation_count() + k, 0});
      sorted_.slot_of_equation.push_back(kNone);
    }
    for (const uint32_t slot : demands_.pinned) Pin(slot);
    Match();
    for (const uint32_t slot : demands_.proposed) Propose(slot);
    KeepStates();
    DropRedundant();
    FindBlocks(sorted_);
    return std::move(out_);
  }

 private:
  void Pin(uint32_t slot);
  void Match();
  void Release(InitialDemands::Start wanted);
  void Propose(uint32_t slot);
  bool Augment(uint32_t root);
  void KeepStates();
  void DropRedundant();
  uint32_t StateSlot(size_t state) const { return run_.Slot(run_.states[state]); }

  const SortedSystem& run_;
  const InitialDemands& demands_;
  InitialOrder out_;
  SortedSystem& sorted_ = out_.sorted;
  std::vector<uint32_t> open_;  // equations without an unknown
  LargeVector<uint8_t> dead_;   // by slot: no state can be reached from it, as long as none is added
};

void InitialSorter::Pin(uint32_t slot) {
  const uint32_t equation = sorted_.equation_of_slot[slot];
  sorted_.equation_of_slot[slot] = kKnown;
  if (equation == kKnown) return;
  sorted_.slot_of_equation[equation] = kNone;
  open_.push_back(equation);
}

// A path from an equation without unknown over unknowns and their equations to a state that is free.
bool InitialSorter::Augment(uint32_t root) {
  struct Level {
    uint32_t equation;
    std::vector<uint32_t> slots;
    size_t next;
  };
  std::vector<uint32_t> seen;
  const auto level = [&](uint32_t equation) {
    Level out{equation, {}, 0};
    sorted_.OverUses(equation, [&](uint32_t v, uint32_t order) {
      const uint32_t slot = sorted_.first_slot[v] + order;
      if (slot < sorted_.first_slot[v + 1] && sorted_.equation_of_slot[slot] != kKnown)
        out.slots.push_back(slot);
    });
    // States that are free come first: the path ends here if it can.
    std::stable_partition(out.slots.begin(), out.slots.end(),
                          [&](uint32_t slot) { return sorted_.equation_of_slot[slot] == kFree; });
    return out;
  };
  std::vector<Level> path;
  path.push_back(level(root));
  while (!path.empty()) {
    Level& last = path.back();
    if (last.next == last.slots.size()) {
      path.pop_back();
      continue;
    }
    const uint32_t slot = last.slots[last.next++];
    if (dead_[slot] != 0) continue;
    dead_[slot] = 1;
    seen.push_back(slot);
    const uint32_t equation = sorted_.equation_of_slot[slot];
    if (equation != kFree) {
      path.push_back(level(equation));
      continue;
    }
    for (const Level& on_path : path) {
      const uint32_t take = on_path.slots[on_path.next - 1];
      sorted_.slot_of_equation[on_path.equation] = take;
      sorted_.equation_of_slot[take] = on_path.equation;
    }
    for (const uint32_t s : seen) dead_[s] = 0;
    return true;
  }
  return false;  // everything seen stays dead
}

// States of this kind may be found from demands.
void InitialSorter::Release(InitialDemands::Start wanted) {
  for (size_t k = 0; k < run_.states.size(); ++k) {
    uint32_t& equation = sorted_.equation_of_slot[StateSlot(k)];
    const bool pinned = std::binary_search(demands_.pinned.begin(), demands_.pinned.end(), StateSlot(k));
    if (demands_.start[k] == wanted && !pinned && equation == kKnown) equation = kFree;
  }
  dead_.assign(sorted_.equation_of_slot.size(), 0);
}

void InitialSorter::Match() {
  using Start = InitialDemands::Start;
  for (const Start wanted : {Start::kDependent, Start::kFree, Start::kProposed, Start::kPreferred}) {
    if (open_.empty()) break;
    Release(wanted);
    std::erase_if(open_, [&](uint32_t equation) { return Augment(equation); });
  }
  if (demands_.proposed.empty()) return;
  // Those that keep their start do so; only states without one are left to be found.
  for (size_t k = 0; k < run_.states.size(); ++k) {
    uint32_t& equation = sorted_.equation_of_slot[StateSlot(k)];
    if (equation == kFree) equation = kKnown;
  }
  Release(Start::kFree);
}

void InitialSorter::Propose(uint32_t slot) {
  const uint32_t equation = sorted_.equation_of_slot[slot];
  if (equation == kKnown || equation == kFree) return;
  sorted_.equation_of_slot[slot] = kKnown;
  if (Augment(equation)) return;
  sorted_.equation_of_slot[slot] = equation;
  sorted_.slot_of_equation[equation] = slot;
  dead_[slot] = 1;
}

void InitialSorter::KeepStates() {
  sorted_.states.clear();
  for (uint32_t k = 0; k < run_.states.size(); ++k) {
    uint32_t& equation = sorted_.equation_of_slot[StateSlot(k)];
    if (equation == kFree) equation = kKnown;
    if (equation == kKnown) {
      sorted_.states.push_back(run_.states[k]);
    } else {
      out_.determined.push_back(k);
    }
  }
}

void InitialSorter::DropRedundant() {
  if (open_.empty()) return;
  uint32_t kept = 0;
  std::fill(sorted_.first_equation.begin(), sorted_.first_equation.end(), 0);
  for (uint32_t k = 0; k < sorted_.equations.size(); ++k) {
    const uint32_t slot = sorted_.slot_of_equation[k];
    if (slot == kNone) {
      out_.redundant.push_back(sorted_.equations[k]);
      continue;
    }
    sorted_.equations[kept] = sorted_.equations[k];
    sorted_.slot_of_equation[kept] = slot;
    sorted_.equation_of_slot[slot] = kept++;
    const uint32_t after = sorted_.equations[k].equation + 1;
    if (after < sorted_.first_equation.size()) ++sorted_.first_equation[after];
  }
  for (size_t e = 1; e < sorted_.first_equation.size(); ++e)
    sorted_.first_equation[e] += sorted_.first_equation[e - 1];
  sorted_.equations.resize(kept);
  sorted_.slot_of_equation.resize(kept);
}

}  // namespace

InitialOrder SortInitial(const SortedSystem& run, const InitialDemands& demands) {
  return InitialSorter(run, demands).Run();
}

}  // namespace cotree
