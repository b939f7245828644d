// SPDX-License-Identifier: Apache-2.0
#include "cli/run_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "cli/quantities.h"
#include "model/describe_model.h"
#include "program/find_aliases.h"

namespace cotree {
namespace {

bool IsDiscrete(const EquationSystem& system, VariableRef ref) {
  if (ref.variable >= system.part_variables) return false;
  const Part& part = system.parts[system.PartOfVariable(ref.variable)];
  return system.scalars[part.scalar].variables[ref.variable - part.first_variable].role ==
         ScalarVariable::Role::kDiscrete;
}

}  // namespace

// FNV-1a with 64 bits.
std::string HashOfTexts(const std::vector<std::string_view>& texts) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const std::string_view text : texts) {
    for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
    hash = (hash ^ 0xFFu) * 0x100000001B3u;  // no text holds it
  }
  return fmt::format("{:016x}", hash);
}

std::string HashOfModel(const SourceFiles& files, const std::vector<std::string>& settings) {
  std::vector<std::string_view> texts;
  for (uint32_t k = 0; k < files.size(); ++k) {
    if (!files[FileId(k)].is_option()) texts.push_back(files[FileId(k)].text());
  }
  texts.insert(texts.end(), settings.begin(), settings.end());
  return HashOfTexts(texts);
}

namespace {

// What the text says of a variable, or else of the component it belongs to.
std::string DescriptionOf(const EquationSystem& system, VariableRef ref) {
  if (ref.variable >= system.part_variables) return {};
  const uint32_t number = system.PartOfVariable(ref.variable);
  if (number >= system.graph->components.size()) return {};
  const Part& part = system.parts[number];
  const ComponentClass& cls = (*system.model)[system.graph->ElementOf(ComponentId(part.component)).class_id];
  const ScalarVariable& v = system.scalars[part.scalar].variables[ref.variable - part.first_variable];
  std::string own;
  if (v.role != ScalarVariable::Role::kAcross && v.role != ScalarVariable::Role::kThrough)
    own = DocumentationBehind(*system.model, cls.variables[v.index].origin);
  return own.empty() && cls.kind != ClassKind::kSystem ? cls.documentation : own;
}

// Variables that equations make equal or opposite: the one that is computed is stored, or else the first.
void MarkAliases(const Program& program, const std::vector<uint32_t>& slots,
                 std::vector<ResultColumn>& columns) {
  const std::vector<SlotAlias> aliases = FindAliases(program);
  struct Stored {
    size_t column;
    double sign;
  };
  std::unordered_map<uint32_t, Stored> stored;  // by the slot they all equal
  for (size_t k = 0; k < slots.size(); ++k) {
    if (aliases[slots[k]].slot == slots[k]) stored[slots[k]] = {k, 1};
  }
  for (size_t k = 0; k < slots.size(); ++k) {
    const SlotAlias& alias = aliases[slots[k]];
    const Stored& source = stored.try_emplace(alias.slot, Stored{k, alias.sign}).first->second;
    if (source.column == k || columns[source.column].stepwise != columns[k].stepwise) continue;
    columns[k].alias_of = columns[source.column].name;
    columns[k].alias_sign = alias.sign * source.sign;
  }
}

}  // namespace

std::string ColumnOf(const LoadedModel& loaded, const Translation& translation, const std::string& name) {
  const NameFinder finder(loaded.model, *translation.graph);
  const VariableRef ref = FindVariable(*translation.equations, finder, name);
  return translation.sorted->HasSlot(ref) ? translation.sorted->SlotName(translation.sorted->Slot(ref))
                                          : std::string();
}

std::optional<std::vector<uint32_t>> SlotsNamed(const LoadedModel& loaded, const Translation& translation,
                                                const std::vector<std::string>& names) {
  const NameFinder finder(loaded.model, *translation.graph);
  const SortedSystem& sorted = *translation.sorted;
  std::vector<uint32_t> slots;
  for (const std::string& name : names) {
    const VariableRef ref = FindVariable(*translation.equations, finder, name);
    if (!sorted.HasSlot(ref) || ref.variable >= translation.equations->part_variables) return std::nullopt;
    slots.push_back(sorted.Slot(ref));
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

std::vector<uint32_t> SlotsOfComponents(const Translation& translation) {
  std::vector<uint32_t> slots(translation.sorted->first_slot[translation.equations->part_variables]);
  std::iota(slots.begin(), slots.end(), 0);
  if (!translation.motion.empty()) {
    std::erase_if(slots, [&](uint32_t slot) {
      return translation.equations->IsInner(translation.sorted->OfSlot(slot).variable);
    });
  }
  return slots;
}

ResultHeader HeaderOfRun(const LoadedModel& loaded, const Translation& translation,
                         const SimulationOptions& options, const std::vector<uint32_t>& slots,
                         const std::vector<std::string>& settings) {
  const SortedSystem& sorted = *translation.sorted;
  const Model& model = loaded.model;
  ResultHeader header;
  header.model = model.Text(model[translation.graph->system].name);
  header.model_hash = HashOfModel(model.files, settings);
  header.version = COTREE_VERSION;
  header.tolerance = fmt::format("rtol {:g}, {}", options.rtol, MethodName(options.method));
  for (const uint32_t slot : slots) {
    const VariableRef ref = sorted.OfSlot(slot);
    header.columns.push_back({sorted.SlotName(slot), UnitOf(*translation.equations, ref),
                              DescriptionOf(*translation.equations, ref),
                              IsDiscrete(*translation.equations, ref)});
  }
  MarkAliases(*translation.program, slots, header.columns);
  if (translation.experiment != nullptr) {
    header.experiment = model.names.Text(translation.experiment->name);
    for (const std::string& text : PlotNames(translation)) {
      std::string name = ColumnOf(loaded, translation, text);
      if (!name.empty()) header.plots.push_back(std::move(name));
    }
  }
  if (header.plots.empty()) {
    constexpr size_t kMostPlots = 100;  // nobody looks at more
    for (const VariableRef& state : sorted.states) {
      if (header.plots.size() == kMostPlots) break;
      header.plots.push_back(sorted.SlotName(sorted.Slot(state)));
    }
  }
  return header;
}

std::vector<uint32_t> PlottedColumns(const ResultHeader& header) {
  const auto by_name = header.ByName();
  std::set<uint32_t> columns;
  for (const std::string& name : header.plots) {
    const auto at = by_name.find(name);
    if (at == by_name.end()) continue;
    const ResultColumn& column = header.columns[at->second];
    columns.insert(static_cast<uint32_t>(column.stored() ? at->second : by_name.at(column.alias_of)));
  }
  return {columns.begin(), columns.end()};
}

Result ResultOfRun(ResultHeader header, const Trajectory& trajectory) {
  Result result;
  result.header = std::move(header);
  result.times = trajectory.times;
  result.columns = trajectory.columns;
  for (size_t k = 0; k < result.columns.size(); ++k) {
    if (!result.header.columns[k].stored()) result.columns[k].clear();
  }
  for (const Trajectory::Extreme& e : trajectory.extremes) {
    if (result.header.columns[e.column].stored()) result.extremes.push_back({e.column, e.time, e.value});
  }
  for (const double time : trajectory.switch_times) result.events.push_back({time, "switch"});
  result.status = trajectory.ok ? std::string(kComplete) : "the run failed " + trajectory.problem;
  return result;
}

}  // namespace cotree
