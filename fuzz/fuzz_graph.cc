// SPDX-License-Identifier: Apache-2.0
// Any text as a system: its graph is built and diagnosed without harm, and keeps what system_graph.h
// promises.
#include <string>
#include <string_view>

#include "allocation_limit.h"
#include "pipeline/build_graphs.h"
#include "system_graph/incidence.h"

namespace cotree {
namespace {

void CheckGraph(const Model& model, const SystemGraph& graph) {
  if (graph.refused) return;
  FUZZ_ASSERT(!graph.components.empty() && graph.components[0].scope == UINT32_MAX);
  size_t in_domains = 0;
  for (const DomainGraph& domain : graph.domains) {
    in_domains += domain.edges.size();
    for (const EdgeId id : domain.edges) {
      const GraphEdge& e = graph.edges[id.index()];
      FUZZ_ASSERT(e.from.value >= domain.reference.value &&
                  e.from.value < domain.reference.value + domain.vertex_count);
      FUZZ_ASSERT(e.to.value >= domain.reference.value &&
                  e.to.value < domain.reference.value + domain.vertex_count);
    }
    for (const auto& entry : IncidenceView(graph, domain, true).Entries())
      FUZZ_ASSERT(entry.row + 1 < domain.vertex_count && entry.column < domain.edges.size());
  }
  FUZZ_ASSERT(in_domains == graph.edges.size());
  const size_t shown = std::min<size_t>(graph.edges.size(), 50);
  for (uint32_t e = 0; e < shown; ++e) {
    FUZZ_ASSERT(!EdgeName(model, graph, EdgeId(e)).empty());
    FUZZ_ASSERT(!VertexName(model, graph, graph.edges[e].from).empty());
  }
  const LargeVector<Driver> drivers = ResolveDrivers(model, graph);
  for (uint32_t slot = 0; slot < std::min<size_t>(graph.drivers.size(), 50); ++slot) {
    const Driver& driver = drivers[slot];
    if (!driver.component.IsNone()) FUZZ_ASSERT(!DriverName(model, graph, driver).empty());
  }
}

}  // namespace
}  // namespace cotree

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cotree;
  if (size > 20000) return 0;
  NoReader reader;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto loaded = LoadModelText("input.cot", text, reader, {.library = "", .udunits = false});
  const std::vector<SystemGraph> graphs = BuildGraphs(*loaded, {.most = 2000});
  for (const Diagnostic& d : loaded->diagnostics.list()) RenderText(d, loaded->model.files, false);
  for (const SystemGraph& graph : graphs) CheckGraph(loaded->model, graph);
  return 0;
}
