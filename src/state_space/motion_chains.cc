// SPDX-License-Identifier: Apache-2.0
#include "state_space/motion_chains.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "graph/union_find.h"

namespace cotree {
namespace {

// The component whose variable it is, if that is a joint; none otherwise.
ComponentId JointOf(const EquationSystem& system, uint32_t part) {
  if (part >= system.graph->components.size()) return ComponentId();
  const ComponentId id(system.parts[part].component);
  const ComponentClass& cls = system.graph->ClassOf(*system.model, id);
  if (cls.spatial.IsNone()) return ComponentId();
  const auto kind = SpatialKindNamed(system.model->Text(cls.spatial));
  return kind && IsJoint(*kind) ? id : ComponentId();
}

bool IsRate(const SortedSystem& sorted, VariableRef ref) {
  return ref.order > 0 && sorted.IsState({ref.variable, ref.order - 1});
}

}  // namespace

std::vector<std::vector<ComponentId>> FindChains(const Mechanism& mechanism) {
  const auto count = static_cast<uint32_t>(mechanism.composites.size());
  std::vector<std::vector<ComponentId>> out;
  if (count == 0) return out;
  UnionFind chains(count);
  for (uint32_t c = 1; c < count; ++c) {
    const uint32_t parent = mechanism.composites[c].parent;
    if (parent != 0 && parent != UINT32_MAX) chains.Join(c, parent);
  }
  for (const uint32_t chord : mechanism.chords) {
    const uint32_t a = mechanism.frames[mechanism.joints[chord].a].composite,
                   b = mechanism.frames[mechanism.joints[chord].b].composite;
    if (a != 0 && b != 0) chains.Join(a, b);
  }
  std::vector<uint32_t> number(count, UINT32_MAX);
  for (uint32_t c = 1; c < count; ++c) {
    const uint32_t joint = mechanism.composites[c].joint;
    if (joint == UINT32_MAX || mechanism.joints[joint].component.IsNone()) continue;
    uint32_t& own = number[chains.Find(c)];
    if (own == UINT32_MAX) {
      own = static_cast<uint32_t>(out.size());
      out.emplace_back();
    }
    out[own].push_back(mechanism.joints[joint].component);
  }
  return out;
}

std::map<uint32_t, uint32_t> FindGaps(const SortedSystem& sorted) {
  std::map<uint32_t, uint32_t> out;
  for (const EquationSystem::Invariant& invariant : sorted.system->invariants) {
    if (!invariant.projected) continue;
    out.emplace(invariant.variable, invariant.multiplier);
    // It is a copy of what the equations have.
    if (!sorted.HasSlot({invariant.variable, 0})) continue;
    const uint32_t by = sorted.equation_of_slot[sorted.Slot({invariant.variable, 0})];
    if (by == UINT32_MAX) continue;
    std::set<uint32_t> others;
    sorted.OverUses(by, [&](uint32_t variable, uint32_t order) {
      if (variable != invariant.variable) others.insert(order == 0 ? variable : UINT32_MAX);
    });
    if (others.size() == 1 && *others.begin() != UINT32_MAX && sorted.system->IsInner(*others.begin()))
      out.emplace(*others.begin(), invariant.multiplier);
  }
  return out;
}

MotionRows FindMotionRows(const SortedSystem& sorted, const std::vector<std::vector<ComponentId>>& chains,
                          std::span<const uint32_t> equations) {
  const EquationSystem& system = *sorted.system;
  const ExprPool& pool = system.model->expressions;
  struct Load {
    std::string name;
    uint32_t equation;
    uint32_t own = UINT32_MAX;  // acceleration that stands in it
  };
  std::map<uint32_t, std::vector<Load>> loads;                                 // by joint
  std::map<uint32_t, std::vector<std::pair<std::string, uint32_t>>> unknowns;  // accelerations by joint
  const auto is_coordinate = [&](ComponentId joint) {
    return std::any_of(chains.begin(), chains.end(), [&](const std::vector<ComponentId>& chain) {
      return std::find(chain.begin(), chain.end(), joint) != chain.end();
    });
  };
  MotionRows out;
  std::vector<uint32_t> slots;
  for (const uint32_t k : equations) slots.push_back(sorted.slot_of_equation[k]);
  for (const uint32_t slot : slots) {
    const VariableRef ref = sorted.OfSlot(slot);
    if (!IsRate(sorted, ref) || ref.variable >= system.part_variables) continue;
    const uint32_t part = system.PartOfVariable(ref.variable);
    if (part >= system.graph->components.size()) return {};  // the place of a body as a coordinate
    const ComponentId joint = JointOf(system, part);
    if (!joint.IsNone() && !is_coordinate(joint)) continue;  // it is measured, and follows
    out.rates.push_back(slot);
    if (!joint.IsNone()) unknowns[joint.value].emplace_back(sorted.SlotName(slot), slot);
  }
  if (out.rates.empty()) return {};
  const std::map<uint32_t, uint32_t> gaps = FindGaps(sorted);
  for (const uint32_t k : equations) {
    const SortedEquation& e = sorted.equations[k];
    const EquationSystem::Source source = system.SourceOf(e.equation);
    if (source.part == nullptr || e.equation >= system.part_equations) continue;
    const uint32_t part = system.PartOfEquation(e.equation);
    const ComponentId joint = JointOf(system, part);
    if (!joint.IsNone()) {
      Load load{"", k};
      for (const ScalarUse& use : sorted.derived->Get(source.part->scalar, source.local, e.times).uses) {
        const ScalarVariable& v = system.scalars[source.part->scalar].variables[use.variable];
        const std::string_view name = pool.SymbolName(v.symbol);
        if (name.starts_with("load")) load.name = name;
        const VariableRef ref = system.Resolve(*source.part, use.variable);
        const VariableRef at{ref.variable, ref.order + use.order};
        if (at.order > 0 && sorted.HasSlot(at) && at.variable < system.part_variables &&
            system.PartOfVariable(at.variable) == part &&
            std::find(slots.begin(), slots.end(), sorted.Slot(at)) != slots.end())
          load.own = sorted.Slot(at);
      }
      if (!load.name.empty() && is_coordinate(joint) &&
          (load.own != UINT32_MAX || unknowns.contains(joint.value)))
        loads[joint.value].push_back(std::move(load));
      continue;
    }
    if (part < system.graph->components.size()) continue;
    uint32_t multiplier = UINT32_MAX;
    if (gaps.contains(sorted.OfSlot(sorted.slot_of_equation[k]).variable)) continue;
    sorted.OverUses(k, [&](uint32_t variable, uint32_t) {
      const auto gap = gaps.find(variable);
      if (gap != gaps.end()) multiplier = gap->second;
    });
    if (multiplier == UINT32_MAX || !sorted.HasSlot({multiplier, 0})) continue;
    const uint32_t slot = sorted.Slot({multiplier, 0});
    if (std::find(slots.begin(), slots.end(), slot) != slots.end()) out.conditions.push_back({k, slot});
  }
  for (auto& [joint, own] : loads) {
    std::vector<std::pair<std::string, uint32_t>>& rates = unknowns[joint];
    std::stable_sort(rates.begin(), rates.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::stable_sort(own.begin(), own.end(), [](const Load& a, const Load& b) { return a.name < b.name; });
    // Those that stand in their equation, then the rest in order: load[2] is that of w[2].
    std::vector<uint32_t> rest;
    for (const auto& [name, slot] : rates) {
      if (std::none_of(own.begin(), own.end(), [&, s = slot](const Load& l) { return l.own == s; }))
        rest.push_back(slot);
    }
    size_t next = 0;
    for (const Load& load : own) {
      if (load.own == UINT32_MAX && next >= rest.size()) return {};
      out.motion.push_back({load.equation, load.own != UINT32_MAX ? load.own : rest[next++]});
    }
    if (next != rest.size()) return {};
  }
  if (out.motion.size() != out.rates.size()) return {};
  return out;
}

std::vector<std::vector<uint32_t>> JoinMotion(const SortedSystem& sorted,
                                              const std::vector<std::vector<ComponentId>>& chains) {
  const EquationSystem& system = *sorted.system;
  const size_t count = sorted.blocks();
  std::vector<std::vector<uint32_t>> plain(count);
  for (size_t b = 0; b < count; ++b) plain[b].assign(sorted.Block(b).begin(), sorted.Block(b).end());
  if (chains.empty()) return plain;
  std::vector<size_t> block_of(sorted.equations.size());
  for (size_t b = 0; b < count; ++b) {
    for (const uint32_t k : plain[b]) block_of[k] = b;
  }
  std::vector<std::vector<size_t>> needs(count);
  std::vector<std::vector<ComponentId>> moved(count);  // joints
  for (size_t b = 0; b < count; ++b) {
    for (const uint32_t k : plain[b]) {
      sorted.OverUses(k, [&](uint32_t variable, uint32_t order) {
        const uint32_t by = sorted.equation_of_slot[sorted.Slot({variable, order})];
        if (by != UINT32_MAX && block_of[by] < b) needs[b].push_back(block_of[by]);
      });
    }
    for (const MotionRows::Row& row : FindMotionRows(sorted, chains, plain[b]).motion)
      moved[b].push_back(JointOf(system, system.PartOfEquation(sorted.equations[row.equation].equation)));
  }
  std::vector<size_t> home(count);  // the last block of those that are one
  for (size_t b = 0; b < count; ++b) home[b] = b;
  for (const std::vector<ComponentId>& chain : chains) {
    std::vector<bool> from(count, false), to(count, false);
    size_t first = count, last = 0, members = 0;
    for (size_t b = 0; b < count; ++b) {
      if (std::none_of(moved[b].begin(), moved[b].end(), [&](ComponentId joint) {
            return std::find(chain.begin(), chain.end(), joint) != chain.end();
          }))
        continue;
      from[b] = to[b] = true;
      first = std::min(first, b);
      last = b;
      ++members;
    }
    if (members < 2) continue;
    // What follows from one of them and leads to another belongs to them.
    for (size_t b = first; b <= last; ++b)
      from[b] = from[b] || std::any_of(needs[b].begin(), needs[b].end(), [&](size_t n) { return from[n]; });
    for (size_t b = last + 1; b-- > first;) {
      if (!to[b]) continue;
      for (const size_t n : needs[b]) to[n] = true;
    }
    std::vector<size_t> joined;
    for (size_t b = first; b <= last; ++b) {
      if (from[b] && to[b]) joined.push_back(b);
    }
    if (std::any_of(joined.begin(), joined.end(), [&](size_t b) { return home[b] != b; })) continue;
    for (const size_t b : joined) home[b] = last;
  }
  // In the order of the blocks, each after all that it needs.
  std::vector<std::vector<size_t>> leads(count), members(count);
  std::vector<size_t> open(count, 0);
  for (size_t b = 0; b < count; ++b) {
    members[home[b]].push_back(b);
    for (const size_t n : needs[b]) {
      if (home[n] == home[b]) continue;
      leads[home[n]].push_back(home[b]);
      ++open[home[b]];
    }
  }
  std::set<size_t> ready;
  for (size_t b = 0; b < count; ++b) {
    if (home[b] == b && open[b] == 0) ready.insert(b);
  }
  std::vector<std::vector<uint32_t>> out;
  size_t done = 0;
  while (!ready.empty()) {
    const size_t b = *ready.begin();
    ready.erase(ready.begin());
    out.emplace_back();
    for (const size_t member : members[b])
      out.back().insert(out.back().end(), plain[member].begin(), plain[member].end());
    done += members[b].size();
    for (const size_t next : leads[b]) {
      if (--open[next] == 0) ready.insert(next);
    }
  }
  return done == count ? out : plain;
}

}  // namespace cotree
