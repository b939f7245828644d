// SPDX-License-Identifier: Apache-2.0
// Text to system graph with all its diagnoses, by arrays and spelled out, at several sizes; beside it, where
// it is installed, ngspice reading the same ladder as a netlist. Prints a table and `result NAME N seconds
// megabytes`. Usage: system_graph_bench [largest number of spelled-out lines, default 1000000]
#include <filesystem>
#include <fstream>

#include "bench_models.h"
#include "measure.h"
#include "pipeline/build_graphs.h"

namespace {

using namespace cotree::bench;

bool report_bytes = false;

void Graph(std::string text) {
  cotree::NoReader reader;
  auto* loaded = cotree::LoadModelText("bench.cot", std::move(text), reader).release();
  const auto* graphs = new std::vector<cotree::SystemGraph>(cotree::BuildGraphs(*loaded));
  if (!loaded->diagnostics.ok()) {
    std::fputs(cotree::RenderText(loaded->diagnostics.list().front(), loaded->model.files, false).c_str(),
               stderr);
    _exit(1);
  }
  if (report_bytes) {
    const cotree::SystemGraph& graph = graphs->front();
    std::printf("graph: %zu components, %zu edges, %zu vertices, %.1f bytes a component\n",
                graph.components.size(), graph.edges.size(), graph.vertex_count(),
                static_cast<double>(graph.bytes()) / static_cast<double>(graph.components.size()));
    std::fflush(stdout);
  }
}

std::string LadderNetlist(size_t n) {
  std::string text = "ladder\nv1 n0 0 1\n";
  for (size_t i = 1; i <= n / 4; ++i)
    text += "r" + N(i) + " n" + N(i - 1) + " n" + N(i) + " 1\nc" + N(i) + " n" + N(i) + " 0 1n\n";
  return text + ".end\n";
}

// ngspice reads the netlist and builds its circuit; no analysis is asked for.
void Spice(std::string text) {
  char name[] = "/tmp/cotree_bench_XXXXXX";
  const int file = mkstemp(name);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(1);
  close(file);
  const int status = std::system(("ngspice -b " + std::string(name) + " >/dev/null 2>&1").c_str());
  std::filesystem::remove(name);
  (void)status;  // it complains that no analysis was asked for
}

}  // namespace

int main(int argc, char** argv) {
  const size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  std::printf(
      "Text to system graph, diagnosed; the best of several runs, each in a fresh process; memory: the "
      "largest resident "
      "size of the process, text included.\n");
  const std::vector<size_t> arrays{1000, 10000, 100000, 1000000}, lines = LineCounts(largest);
  Family("ladder_arrays", "components", LadderArrays, Graph, arrays);
  Family("chain_arrays", "components", ChainArrays, Graph, arrays);
  Family("motors_arrays", "components", MotorArrays, Graph, arrays);
  Family("composite_arrays", "components", CompositeArrays, Graph, arrays);
  Family("ladder_lines", "lines", LadderLines, Graph, lines);
  Family("chain_lines", "lines", ChainLines, Graph, lines);
  Family("motors_lines", "lines", MotorLines, Graph, lines);
  std::fflush(stdout);  // the child inherits what is not yet written
  report_bytes = true;
  Measure(LadderArrays, Graph, 1000000);
  report_bytes = false;
  if (std::system("command -v ngspice >/dev/null 2>&1") == 0) {
    const size_t n = std::min<size_t>(largest, 100000);
    const double ours = Best(LadderLines, Graph, n).seconds, theirs = Best(LadderNetlist, Spice, n).seconds;
    std::printf("result ngspice_ratio %zu %.2f 0\n", n, theirs / ours);
    std::printf("ngspice needs %.2f s to read the ladder of %zu lines, %.1f times as long\n", theirs, n,
                theirs / ours);
  }
}
