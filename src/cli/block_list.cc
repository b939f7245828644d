// SPDX-License-Identifier: Apache-2.0
#include "cli/block_list.h"

#include <algorithm>

#include "base/json.h"

namespace cotree {

std::string BlockKindWord(BlockKind kind) {
  return kind == BlockKind::kLinearConstant ? "linear_constant" : std::string(BlockKindName(kind));
}

BlockList::BlockList(const Program& program)
    : sorted_(*program.sorted), implicit_(sorted_.blocks(), nullptr) {
  program.OverImplicit([&](const ImplicitBlock& block) { implicit_[block.block] = &block; });
  several_ = sorted_.blocks() < sorted_.equations.size();
}

bool BlockList::IsTear(size_t block, uint32_t slot) const {
  const ImplicitBlock* b = implicit_[block];
  return b != nullptr && b->tearing.tears.size() < b->unknowns.size() &&
         std::any_of(b->tearing.tears.begin(), b->tearing.tears.end(),
                     [&](uint32_t t) { return b->unknowns[t] == slot; });
}

std::string BlockList::Bracket(size_t block, size_t line) const {
  const size_t count = sorted_.Block(block).size();
  if (count == 1) return several_ ? "  " : "";
  return line == 0 ? "┌ " : line + 1 == count ? "└ " : "│ ";
}

std::vector<std::string> DependentNames(const SortedSystem& sorted) {
  std::vector<std::string> names;
  for (uint32_t v = 0; v + 1 < sorted.first_slot.size(); ++v) {
    const uint32_t d = sorted.offsets.variable[v];
    for (uint32_t order = 0; order < d; ++order) {
      const uint32_t equation = sorted.equation_of_slot[sorted.Slot({v, order})];
      if (equation != UINT32_MAX) names.push_back(sorted.system->VariableName(v, order));
    }
  }
  return names;
}

Json StatesJson(const SortedSystem& sorted) {
  Json out = Json::array();
  for (const VariableRef s : sorted.states)
    out.push_back({{"name", sorted.system->VariableName(s.variable, s.order)},
                   {"derivative", sorted.system->VariableName(s.variable, s.order + 1)}});
  return out;
}

}  // namespace cotree
