// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulation/simulate.h"

namespace cotree {
namespace {

using Set = std::vector<uint32_t>;  // sorted numbers of states

void Unite(Set& into, const Set& from) {
  if (from.empty()) return;
  if (into.empty()) {
    into = from;
    return;
  }
  Set merged;
  merged.reserve(into.size() + from.size());
  std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(merged));
  into.swap(merged);
}

void UniteUses(const SortedSystem& sorted, const std::vector<Set>& of_slot, uint32_t equation, Set& all) {
  sorted.OverUses(equation, [&](uint32_t v, uint32_t order) {
    Unite(all, of_slot[sorted.Slot({v, order})]);
  });
}

/* The states that each slot depends on; unknowns of open blocks stand behind the states, `columns` counts
both. */
std::vector<Set> StatesOfSlots(const Program& program, std::span<const uint32_t> open, uint32_t* columns) {
  const SortedSystem& sorted = *program.sorted;
  auto n = static_cast<uint32_t>(program.state_slots.size());
  std::vector<Set> of_slot(program.slots);
  for (uint32_t k = 0; k < n; ++k) of_slot[program.state_slots[k]] = {k};
  std::vector<bool> is_open(sorted.blocks(), false);
  for (const uint32_t b : open) {
    is_open[program.blocks[b].block] = true;
    for (const uint32_t slot : program.blocks[b].unknowns) of_slot[slot] = {n++};
  }
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    if (is_open[b]) continue;
    Set all;
    for (const uint32_t k : sorted.Block(b)) UniteUses(sorted, of_slot, k, all);
    for (const uint32_t k : sorted.Block(b)) of_slot[sorted.slot_of_equation[k]] = all;
  }
  *columns = n;
  return of_slot;
}

// Greedy colouring in the manner of Curtis, Powell and Reid: columns of a colour share no row.
void Colour(JacobianPattern& out, size_t rows) {
  for (const auto& column : out.rows_of_column) out.entries += column.size();
  const auto n = static_cast<uint32_t>(out.rows_of_column.size());
  out.colour_of_column.assign(n, 0);
  std::vector<std::vector<uint32_t>> colours_at_row(rows);
  std::vector<uint32_t> taken;
  uint32_t stamp = 0;
  for (uint32_t j = 0; j < n; ++j) {
    ++stamp;
    for (const uint32_t i : out.rows_of_column[j]) {
      for (const uint32_t c : colours_at_row[i]) {
        if (taken.size() <= c) taken.resize(c + 1, 0);
        taken[c] = stamp;
      }
    }
    uint32_t colour = 0;
    while (colour < taken.size() && taken[colour] == stamp) ++colour;
    out.colour_of_column[j] = colour;
    out.colours = std::max(out.colours, colour + 1);
    for (const uint32_t i : out.rows_of_column[j]) colours_at_row[i].push_back(colour);
  }
}

}  // namespace

JacobianPattern FindPatternOf(const Program& program, std::span<const uint32_t> slots) {
  uint32_t n = 0;
  const std::vector<Set> of_slot = StatesOfSlots(program, {}, &n);
  JacobianPattern out;
  out.rows_of_column.resize(n);
  for (uint32_t row = 0; row < slots.size(); ++row) {
    for (const uint32_t j : of_slot[slots[row]]) out.rows_of_column[j].push_back(row);
  }
  Colour(out, slots.size());
  return out;
}

std::vector<uint32_t> BlocksToOpen(const Program& program, size_t least) {
  std::vector<uint32_t> out;
  for (uint32_t b = 0; b < program.blocks.size(); ++b) {
    const ImplicitBlock& block = program.blocks[b];
    if (block.kind != BlockKind::kLinearConstant && block.unknowns.size() >= least) out.push_back(b);
  }
  return out;
}

JacobianPattern FindJacobianPattern(const Program& program, std::span<const uint32_t> open, bool diagonal) {
  const SortedSystem& sorted = *program.sorted;
  uint32_t n = 0;
  const std::vector<Set> of_slot = StatesOfSlots(program, open, &n);
  JacobianPattern out;
  out.rows_of_column.resize(n);
  uint32_t row = 0;
  for (const uint32_t slot : program.derivative_slots) {
    Set all = of_slot[slot];
    if (diagonal) Unite(all, {row});
    for (const uint32_t j : all) out.rows_of_column[j].push_back(row);
    ++row;
  }
  for (const uint32_t b : open) {
    for (const uint32_t k : sorted.Block(program.blocks[b].block)) {
      Set all;
      UniteUses(sorted, of_slot, k, all);
      for (const uint32_t j : all) out.rows_of_column[j].push_back(row);
      ++row;
    }
  }
  Colour(out, n);
  return out;
}

}  // namespace cotree
