// SPDX-License-Identifier: Apache-2.0
// Text to checked Model: an RC ladder, a mass-spring chain and an array of motors, by arrays and spelled out,
// at several sizes. Prints a table, and for `evidence/` one line per measurement: `result NAME N seconds
// megabytes`. Usage: front_end_bench [largest number of spelled-out lines, default 1000000]
#include "bench_models.h"
#include "measure.h"
#include "pipeline/load_model.h"

namespace {

void Load(std::string text) {
  cotree::NoReader reader;
  // Never freed: the process ends here, and what the user waits for is the model.
  const auto* loaded = cotree::LoadModelText("bench.cot", std::move(text), reader).release();
  if (loaded->diagnostics.ok()) return;
  std::fputs(cotree::RenderText(loaded->diagnostics.list().front(), loaded->model.files, false).c_str(),
             stderr);
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cotree::bench;
  const size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  std::printf(
      "Text to checked model; the best of several runs, each in a fresh process; memory: the largest "
      "resident size of the process, text included.\n");
  const std::vector<size_t> arrays{1000, 10000, 100000, 1000000}, lines = LineCounts(largest);
  Family("ladder_arrays", "components", LadderArrays, Load, arrays);
  Family("chain_arrays", "components", ChainArrays, Load, arrays);
  Family("motors_arrays", "components", MotorArrays, Load, arrays);
  Family("ladder_lines", "lines", LadderLines, Load, lines);
  Family("chain_lines", "lines", ChainLines, Load, lines);
  Family("motors_lines", "lines", MotorLines, Load, lines);
}
