// SPDX-License-Identifier: Apache-2.0
// Blocks solved by their tears beside the same blocks solved as a whole, one evaluation of the program each.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "pipeline/translate.h"
#include "program/run_program.h"

namespace cotree {
namespace {

/* A ladder of resistors with one diode at its end: one nonlinear block that hangs by one unknown. */
std::string Ladder(int cells) {
  std::string text = "system S {\n  v : VoltageSource(V = 5 V)\n  d : Diode\n", before = "v.p";
  for (int k = 1; k <= cells; ++k) {
    const std::string n = std::to_string(k);
    text += "  r" + n + " : Resistor(R = 10 ohm)\n  g" + n + " : Resistor(R = 1 kohm)\n";
    text += "  connect " + before + " -- r" + n + ".p\n  connect r" + n + ".n -- g" + n + ".p\n  connect g" +
            n + ".n -- electrical.ground\n";
    before = "r" + n + ".n";
  }
  return text + "  connect " + before + " -- d.p\n  connect d.n -- v.n -- electrical.ground\n}\n";
}

// Seconds of one evaluation from values of zero, the best of five.
double Time(const Program& program) {
  ProgramRun run(program);
  constexpr int kTimes = 200;
  double best = 1e9;
  for (int turn = 0; turn < 5; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < kTimes; ++k) {
      for (const ImplicitBlock& block : program.blocks) {
        for (const uint32_t slot : block.unknowns) run.values[slot] = 0;
      }
      if (!run.Run(0)) fmt::print("failed: {}\n", run.FailureText());
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    best = std::min(best, passed.count() / kTimes);
  }
  return best;
}

void Measure(int cells) {
  NoReader reader;
  const auto loaded = LoadModelText("ladder.cot", Ladder(cells), reader);
  const auto translation = Translate(*loaded);
  if (!translation->ok) {
    for (const Diagnostic& d : loaded->diagnostics.list())
      fmt::print("{}\n", RenderText(d, loaded->model.files, false));
    return;
  }
  Program& program = *translation->program;
  size_t unknowns = 0, tears = 0;
  for (const ImplicitBlock& block : program.blocks) {
    unknowns = std::max(unknowns, block.unknowns.size());
    tears = std::max(tears, block.tearing.tears.size());
  }
  const double torn = Time(program);
  for (ImplicitBlock& block : program.blocks) block.tearing = {};
  for (ImplicitBlock& block : program.blocks) block.tearing.tears.resize(block.unknowns.size());
  const double whole = Time(program);
  fmt::print("{:>8} {:>8} {:>12.2f} {:>12.2f} {:>8.2f}\n", unknowns, tears, torn * 1e6, whole * 1e6,
             whole / torn);
}

}  // namespace
}  // namespace cotree

int main() {
  fmt::print("{:>8} {:>8} {:>12} {:>12} {:>8}\n", "unknowns", "tears", "torn, us", "whole, us", "ratio");
  for (const int cells : {2, 5, 10, 20, 50, 100, 300}) cotree::Measure(cells);
  return 0;
}
