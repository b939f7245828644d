// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/graph_json.h"
#include "cli/mechanism_view.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "drawing/draw_graph.h"
#include "model/describe_model.h"
#include "pipeline/build_graphs.h"
#include "system_graph/incidence.h"

namespace cotree {
namespace {

std::string OrderText(int8_t order) {
  return order < 0 ? "-" : std::to_string(order);
}

constexpr size_t kWideMatrix = 26;  // more columns do not fit a terminal

// Rows are vertices, columns edges in the order of the list above.
std::string MatrixText(const Model& model, const SystemGraph& graph, const DomainGraph& domain,
                       const Console& console) {
  const IncidenceView view(graph, domain, false);
  std::string text;
  size_t width = 0;
  for (uint32_t r = 0; r < view.rows(); ++r)
    width = std::max(width, VertexName(model, graph, view.VertexOfRow(r)).size());
  for (uint32_t r = 0; r < view.rows(); ++r) {
    const bool reference = r == 0;
    std::string line = fmt::format("    {:<{}} ", VertexName(model, graph, view.VertexOfRow(r)), width);
    for (uint32_t c = 0; c < view.columns(); ++c) {
      const int sign = view.At(r, c);
      line += sign == 0 ? "  ." : sign > 0 ? " +1" : " -1";
    }
    text += (reference ? console.Dim(line + "   (left out of the reduced matrix)") : line) + "\n";
  }
  return text;
}

std::string GraphText(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                      const Console& console) {
  std::string text = console.Bold("system " + model.Text(model[graph.system].name)) + ": " +
                     Plural(graph.CountParts(model), "component", "components") + ", " +
                     Plural(graph.vertex_count(), "vertex", "vertices") + ", " +
                     Plural(graph.edges.size(), "edge", "edges") + "\n";
  for (const DomainGraph& domain : graph.domains) {
    text += "\n  " + console.Cyan(model.Text(model.domains[domain.domain.index()].name)) + ": " +
            Plural(domain.vertex_count, "vertex", "vertices") + ", " +
            Plural(domain.edges.size(), "edge", "edges") + "\n";
    TextTable rows("llllrrl");
    rows.Add({"edge", "from", "", "to", "across", "through", "kinds"});
    constexpr size_t kMostRows = 2000;
    for (const EdgeId id : domain.edges) {
      if (rows.rows() > kMostRows) break;
      const GraphEdge& e = graph.edges[id.index()];
      const ElementEdge& element = graph.ElementEdgeOf(id);
      rows.Add({EdgeName(model, graph, id), VertexName(model, graph, e.from), "->",
                VertexName(model, graph, e.to), OrderText(element.across_order),
                OrderText(element.through_order), KindsText(element.kinds)});
    }
    text += rows.Text("    ", console);
    if (domain.edges.size() > kMostRows)
      text += fmt::format("    ... and {} more; --format json has all\n", domain.edges.size() - kMostRows);
    if (domain.edges.size() <= kWideMatrix && domain.vertex_count <= 40)
      text += "\n    incidence, columns in this order\n" + MatrixText(model, graph, domain, console);
  }
  text += MechanismText(model, graph, mechanism, console);
  const LargeVector<Driver> drivers = ResolveDrivers(model, graph);
  std::string arcs;
  size_t width = 0, count = 0;
  for (const bool measure : {true, false}) {
    for (uint32_t i = 1; i < graph.components.size(); ++i) {
      const ElementClass& element = graph.ElementOf(ComponentId(i));
      if (element.composite) continue;
      for (uint32_t s = 0; s < element.slot_variable.size(); ++s) {
        const Driver& driver = drivers[graph.components[i].first_input + s];
        if (driver.component.IsNone() || ++count > 4000) continue;
        const std::string from = DriverName(model, graph, driver);
        if (measure)
          width = std::max(width, from.size());
        else
          arcs +=
              fmt::format("    {:<{}}  ->  {}\n", from, width, InputName(model, graph, ComponentId(i), s));
      }
    }
    if (measure) count = 0;
  }
  if (!arcs.empty()) text += "\n  " + console.Cyan("signals") + "\n" + arcs;
  if (count > 4000) text += "    ...; --format json has all\n";
  if (!graph.associations.empty()) {
    text += "\n  " + console.Cyan("associations") + "\n";
    for (const GraphAssociation& a : graph.associations) {
      const ElementClass& element = graph.ElementOf(a.component);
      text += "    " + InputName(model, graph, a.component, element.input_first[a.variable] + a.index) +
              " = " + AssociationText(model, graph, a) + "\n";
    }
  }
  return text;
}

}  // namespace

int RunGraph(const GraphOptions& options, const Console& console) {
  DiskReader reader;
  LoadOptions load;
  load.library = options.library;
  const auto loaded = LoadModel(options.file, reader, load);
  const int may = CheckOutputs({{"-o", options.output}}, InputsOf(options.file, reader, loaded->model));
  if (may != kExitOk) return may;
  const std::vector<SystemGraph> graphs = BuildGraphs(*loaded);
  Model& model = loaded->model;
  std::vector<const SystemGraph*> chosen;
  std::vector<std::string_view> names;
  for (const SystemGraph& graph : graphs) {
    names.push_back(model.names.Text(model[graph.system].name));
    if (options.system.empty() || options.system == names.back()) chosen.push_back(&graph);
  }
  const bool ok = loaded->readable && loaded->diagnostics.ok();
  if (options.format != "json") PrintDiagnostics(loaded->diagnostics, model.files, console);
  if (!loaded->readable) return kExitForeign;
  if (options.format == "json") {
    const int written = WriteOutput(GraphJson(*loaded, chosen, options), options.output);
    return written != kExitOk ? written : ok ? kExitOk : kExitModel;
  }
  if (graphs.empty()) {
    if (ok) fmt::print(stderr, "cotree: {} has no system\n", options.file);
    return ok ? kExitUsage : kExitModel;
  }
  if (chosen.empty()) {
    const std::string_view near = Nearest(options.system, names);
    fmt::print(stderr, "cotree: there is no system `{}` in {}{}\n", options.system, options.file,
               near.empty() ? "" : fmt::format("; did you mean `{}`?", near));
    return kExitUsage;
  }
  std::string text;
  const auto mechanism = [&](const SystemGraph& graph) {
    return ok ? ViewMechanism(model, graph) : Mechanism{};
  };
  if (options.format == "text") {
    for (const SystemGraph* graph : chosen)
      text += (text.empty() ? "" : "\n") + GraphText(model, *graph, mechanism(*graph),
                                                     options.output.empty() ? console : Console::Plain());
  } else {
    if (chosen.size() > 1) {
      std::string list;
      for (const auto& name : names) list += (list.empty() ? "" : ", ") + std::string(name);
      fmt::print(stderr, "cotree: {} has several systems; choose one with --system: {}\n", options.file,
                 list);
      return kExitUsage;
    }
    if (options.format == "dot") {
      text = GraphDot(model, *chosen[0], mechanism(*chosen[0]));
    } else {
      Drawing drawing = DrawGraph(model, *chosen[0], mechanism(*chosen[0]));
      if (!drawing.problem.empty()) {
        fmt::print(stderr, "cotree: {}\n", drawing.problem);
        return kExitForeign;
      }
      text = std::move(drawing.svg);
    }
  }
  const int written = WriteOutput(text, options.output);
  return written != kExitOk ? written : ok ? kExitOk : kExitModel;
}

}  // namespace cotree
