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

}  // namespace

JacobianPattern FindJacobianPattern(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  const auto n = static_cast<uint32_t>(program.state_slots.size());
  std::vector<Set> of_slot(program.slots);
  for (uint32_t k = 0; k < n; ++k) of_slot[program.state_slots[k]] = {k};
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    Set all;
    for (const uint32_t k : sorted.Block(b)) {
      sorted.OverUses(k, [&](uint32_t v, uint32_t order) { Unite(all, of_slot[sorted.Slot({v, order})]); });
    }
    for (const uint32_t k : sorted.Block(b)) of_slot[sorted.slot_of_equation[k]] = all;
  }
  JacobianPattern out;
  out.rows_of_column.resize(n);
  for (uint32_t i = 0; i < n; ++i) {
    for (const uint32_t j : of_slot[program.derivative_slots[i]]) out.rows_of_column[j].push_back(i);
  }
  for (const auto& rows : out.rows_of_column) out.entries += rows.size();
  // Greedy colouring in the manner of Curtis, Powell and Reid: columns of a colour share no row.
  out.colour_of_column.assign(n, 0);
  std::vector<std::vector<uint32_t>> colours_at_row(n);
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
  return out;
}

}  // namespace cotree
