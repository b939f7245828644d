// SPDX-License-Identifier: Apache-2.0
#include "pipeline/translate.h"

#include "program/cancellations.h"

namespace cotree {

std::unique_ptr<Translation> Translate(LoadedModel& loaded, const TranslateOptions& options) {
  auto out = std::make_unique<Translation>();
  out->graphs = BuildGraphs(loaded);
  if (!loaded.diagnostics.ok()) return out;
  Model& model = loaded.model;
  for (const SystemGraph& graph : out->graphs) {
    if (options.system.empty() || model.names.Text(model[graph.system].name) == options.system) {
      out->graph = &graph;
      break;
    }
  }
  if (out->graph == nullptr) return out;
  std::vector<ScalarElement> scalars = MakeScalars(model, *out->graph);
  out->tree = FindNormalTree(model, *out->graph, scalars);
  if (out->tree.singular) return out;
  std::vector<std::string> problems;
  EquationOptions equation_options;
  equation_options.free_inputs = options.free_inputs;
  out->equations = std::make_unique<EquationSystem>(
      BuildEquations(model, *out->graph, std::move(scalars), out->tree, equation_options, &problems));
  // Each round takes one differentiation away, so their number is bounded by that of the equations'.
  for (;;) {
    out->sorted = std::make_shared<SortedSystem>(SortEquations(*out->equations));
    if (out->sorted->singular) return out;
    if (!options.program) break;
    std::string problem;
    out->program = BuildProgram(out->sorted, &problem);
    if (out->program == nullptr) return out;
    const std::vector<Cancellation> cancellations = FindCancellations(*out->program);
    if (cancellations.empty()) break;
    for (const Cancellation& c : cancellations) {
      if (!ReplaceEquation(*out->equations, c.terms, c.cancelled)) return out;
    }
    FindIncidence(*out->equations);
  }
  out->ok = true;
  return out;
}

}  // namespace cotree
