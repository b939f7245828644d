// SPDX-License-Identifier: Apache-2.0
#include "pipeline/build_graphs.h"

#include <fmt/core.h>

#include "base/available_memory.h"
#include "system_graph/diagnose_graph.h"

namespace cotree {

GraphLimits LimitsOfMemory() {
  // What a translation takes for each: a resistor 470 bytes (two terminals), a cell of a ladder 1,300 (five).
  constexpr uint64_t kBytes = 250;
  GraphLimits out;
  const uint64_t free = AvailableMemory();
  if (free / kBytes >= out.most) return out;
  out.most = free / kBytes;
  out.reason = fmt::format(": each takes some {} bytes, and {:.2g} GB of memory are free", kBytes,
                           static_cast<double>(free) / 1e9);
  return out;
}

std::vector<SystemGraph> BuildGraphs(LoadedModel& loaded, const GraphLimits& limits, ClassId only,
                                     std::vector<SystemSetting> settings,
                                     const std::vector<std::string>& given) {
  std::vector<SystemGraph> graphs;
  Model& model = loaded.model;
  if (!loaded.readable || !loaded.diagnostics.ok()) return graphs;
  for (const ClassId system : model.systems) {
    if (!only.IsNone() && system != only) continue;
    graphs.push_back(BuildSystemGraph(model, system, loaded.diagnostics, limits, settings));
    const SystemGraph& graph = graphs.back();
    if (graph.refused) continue;
    DiagnoseClasses(model, graph.elements, loaded.diagnostics);
    DiagnoseGraph(model, graph, loaded.diagnostics);
    DiagnoseSignals(model, graph, loaded.diagnostics, given);
  }
  DiagnoseUnusedClasses(model, loaded.diagnostics);
  loaded.diagnostics.Sort();
  return graphs;
}

}  // namespace cotree
