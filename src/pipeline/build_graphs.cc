// SPDX-License-Identifier: Apache-2.0
#include "pipeline/build_graphs.h"

#include "system_graph/diagnose_graph.h"

namespace cotree {

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
