// SPDX-License-Identifier: Apache-2.0
// The order of kernels, sums and blocks: runs of one code as long as there are instances ready.
#include <deque>

#include "program/program_builder.h"

namespace cotree {

// Blocks that need each block; the number of blocks each one waits for.
void ProgramBuilder::FindSuccessors() {
  const auto count = static_cast<uint32_t>(sorted_->blocks());
  constexpr uint32_t kNone = UINT32_MAX;  // it is in no block: only a part of the system is computed
  block_of_equation_.assign(sorted_->equations.size(), kNone);
  for (uint32_t b = 0; b < count; ++b) {
    for (const uint32_t k : sorted_->Block(b)) block_of_equation_[k] = b;
  }
  successor_first_.assign(count + 1, 0);
  open_.assign(count, 0);
  const auto over = [&](auto&& f) {
    for (uint32_t k = 0; k < sorted_->equations.size(); ++k) {
      const uint32_t own = block_of_equation_[k];
      if (own == kNone) continue;
      sorted_->OverUses(k, [&](uint32_t v, uint32_t order) {
        const uint32_t e = sorted_->equation_of_slot[sorted_->first_slot[v] + order];
        if (e == UINT32_MAX) return;
        const uint32_t needed = block_of_equation_[e];
        if (needed != own) f(needed, own);
      });
    }
  };
  over([&](uint32_t needed, uint32_t own) {
    ++successor_first_[needed + 1];
    ++open_[own];
  });
  for (uint32_t b = 0; b < count; ++b) successor_first_[b + 1] += successor_first_[b];
  successors_.resize(successor_first_.back());
  LargeVector<uint32_t> at(successor_first_.begin(), successor_first_.end() - 1);
  over([&](uint32_t needed, uint32_t own) { successors_[at[needed]++] = own; });
}

void ProgramBuilder::Emit(uint32_t number) {
  const Unit& unit = units_[number];
  Program& p = *out_;
  switch (unit.kind) {
    case Step::Kind::kSums:
      if (p.steps.empty() || p.steps.back().kind != Step::Kind::kSums)
        p.steps.push_back({Step::Kind::kSums, static_cast<uint32_t>(p.sums.size()), 0});
      ++p.steps.back().count;
      p.sums.push_back(sums_[unit.index]);
      return;
    case Step::Kind::kBlock:
    case Step::Kind::kForeign:
      p.steps.push_back({unit.kind, unit.index, 0});
      return;
    case Step::Kind::kKernel:
      break;
  }
  const uint32_t code = unit.key - 1;
  const Instance& instance = instances_[unit.index];
  if (p.steps.empty() || p.steps.back().kind != Step::Kind::kKernel || p.runs.back().code != code) {
    p.steps.push_back({Step::Kind::kKernel, static_cast<uint32_t>(p.runs.size()), 0});
    p.runs.push_back({code, static_cast<uint32_t>(p.locals.size()), static_cast<uint32_t>(p.targets.size()),
                      static_cast<uint32_t>(p.bases.size()), 0});
  }
  ++p.runs.back().count;
  const Code& c = p.codes[code];
  for (uint32_t k = 0; k < c.locals; ++k) p.locals.push_back(locals_[instance.first_local + k]);
  for (uint32_t k = 0; k < c.results.size(); ++k) p.targets.push_back(targets_[instance.first_target + k]);
  p.bases.push_back(instance.base);
}

/* Units with the same key are taken one after the other as long as there are any that are ready, those that
become ready on the way included: one run for a whole level, and one for a whole chain. */
void ProgramBuilder::Schedule() {
  FindSuccessors();
  EmitNumbers();
  const auto count = static_cast<uint32_t>(sorted_->blocks());
  std::unordered_map<uint32_t, uint32_t> queue_of_key;
  std::vector<std::vector<uint32_t>> queues;
  std::vector<size_t> taken;
  std::deque<uint32_t> waiting;
  std::vector<bool> listed;
  const auto ready = [&](uint32_t unit) {
    const auto [at, fresh] = queue_of_key.try_emplace(units_[unit].key, static_cast<uint32_t>(queues.size()));
    if (fresh) {
      queues.emplace_back();
      taken.push_back(0);
      listed.push_back(false);
    }
    queues[at->second].push_back(unit);
    if (!listed[at->second]) {
      listed[at->second] = true;
      waiting.push_back(at->second);
    }
  };
  for (uint32_t b = 0; b < count; ++b) {
    if (open_[b] == 0) ready(b);
  }
  while (!waiting.empty()) {
    const uint32_t queue = waiting.front();
    waiting.pop_front();
    while (taken[queue] < queues[queue].size()) {
      const uint32_t unit = queues[queue][taken[queue]++];
      Emit(unit);
      if (units_[unit].next != UINT32_MAX) {
        ready(units_[unit].next);
        continue;
      }
      const uint32_t block = unit < count ? unit : units_[unit].block;
      for (uint32_t k = successor_first_[block]; k < successor_first_[block + 1]; ++k) {
        if (--open_[successors_[k]] == 0) ready(successors_[k]);
      }
    }
    listed[queue] = false;
    queues[queue].clear();
    taken[queue] = 0;
  }
}

}  // namespace cotree
