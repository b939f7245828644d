// SPDX-License-Identifier: Apache-2.0
// The only place where the oracle meets the program.
#include "oracle/ask.h"

#include <cstdio>

#include "pipeline/translate.h"
#include "simulation/linearize.h"

namespace cotree::oracle {

Answer AskCotree(const std::string& model_text) {
  Answer out;
  NoReader reader;
  const auto loaded = LoadModelText("network.cot", model_text, reader);
  const auto translation = Translate(*loaded);
  for (const Diagnostic& d : loaded->diagnostics.list()) {
    out.codes.push_back("COT" + std::to_string(d.info->code));
    out.messages += d.message + "\n";
  }
  if (!loaded->diagnostics.ok() || !translation->ok) {
    out.refused = true;
    return out;
  }
  ProgramRun run(*translation->program);
  run.switch_time = 0.5e-9;
  if (!run.Run(0)) {
    out.refused = true;
    out.messages += run.FailureText();
    out.codes.push_back("RUN");
    return out;
  }
  const LinearModel linear = Linearize(run, *translation->program, {}, 0);
  out.order = static_cast<int>(linear.n());
  out.poles = linear.poles;
  out.states = linear.states;
  const SortedSystem& sorted = *translation->sorted;
  char number[40];
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    out.block_sizes.push_back(sorted.Block(b).size());
    for (const uint32_t k : sorted.Block(b)) out.bits += sorted.EquationText(k) + "\n";
    out.bits += "--\n";
  }
  for (uint32_t e = 0; e < translation->graph->edges.size(); ++e) {
    out.edges.push_back(EdgeName(loaded->model, *translation->graph, EdgeId(e)));
    if (translation->tree.InTree(EdgeId(e))) out.branches.push_back(out.edges.back());
    if (translation->tree.InThroughTree(EdgeId(e))) out.through_branches.push_back(out.edges.back());
  }
  for (const std::string& state : out.states) out.bits += state + "\n";
  for (const double a : linear.A) {
    std::snprintf(number, sizeof number, "%a ", a);
    out.bits += number;
  }
  return out;
}

}  // namespace cotree::oracle
