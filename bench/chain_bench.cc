// SPDX-License-Identifier: Apache-2.0
// Ours on the reference chain (bench/speed/mechanics/chain_states.h): accelerations from a state that is
// another one at every call, by the interpreter and by machine code. Prints lines of JSON as the peers do,
// and what the program is made of. Usage: chain_bench [links ...]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../tests/run_support.h"
#include "program/evaluate_fused.h"
#include "speed/mechanics/chain_states.h"

namespace {

std::string Chain(int n) {
  const char* axes[] = {"[0, 1, 0]", "[1, 0, 0]", "[0, 0, 1]"};
  std::string text = "system Chain {\n  gravity : Gravity(g = [0, 0, -9.81] m/s^2)\n";
  for (int i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i);
    text += "  j" + k + " : Revolute(n = " + axes[(i - 1) % 3] + ")\n  b" + k +
            " : Body(m = 1 kg, center = [0.02, 0.01, -0.25] m, I = [0.021, 0.022, 0.004, 0, 0, 0] kg*m^2)\n";
    if (i > 1)
      text += "  arm" + k + " : Arm(r = [0, 0, -0.5] m)\n  connect j" + std::to_string(i - 1) + ".b -- arm" +
              k + ".a\n  connect arm" + k + ".b -- j" + k + ".a\n";
    else
      text += "  connect mechanics.ground -- j1.a\n";
    text += "  connect j" + k + ".b -- b" + k + ".a\n";
  }
  return text + "}\n";
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Measure(int n, cotree::ProgramTier tier) {
  cotree::TranslateOptions options;
  options.motion_form = cotree::MotionForm::kRecursive;
  const cotree::test::RunOf run(Chain(n), options);
  const cotree::Program& program = *run.translation->program;
  cotree::ProgramRun values(program);
  const double began = Now();
  cotree::FusedEvaluation right(values, cotree::FuseDerivatives(program), tier);
  const double prepared = Now() - began;
  // Where each joint's angle, speed and acceleration stand.
  std::vector<size_t> angle, speed;
  const auto& slots = right.program().state_slots;
  for (int i = 1; i <= n; ++i) {
    for (const char* name : {"phi", "w"}) {
      const cotree::VariableRef ref =
          cotree::FindVariable(*run.translation->equations, *run.names, "j" + std::to_string(i) + "." + name);
      const uint32_t slot = run.translation->sorted->Slot(ref);
      const auto at = static_cast<size_t>(std::find(slots.begin(), slots.end(), slot) - slots.begin());
      (name[0] == 'p' ? angle : speed).push_back(at);
    }
  }
  const chain::States states(n);
  std::vector<std::vector<double>> y(chain::kStates, std::vector<double>(slots.size()));
  for (size_t s = 0; s < y.size(); ++s) {
    for (size_t i = 0; i < angle.size(); ++i) {
      y[s][angle[i]] = states.positions[s][i];
      y[s][speed[i]] = states.velocities[s][i];
    }
  }
  std::vector<double> slopes(slots.size()), qdd(angle.size());
  size_t instructions = 0;
  for (const cotree::FusedRun& r : right.program().runs)
    instructions += r.count * right.program().kernels[r.kernel].code.instructions.size();
  std::fprintf(stderr, "%d links: %zu steps, %zu kernels, %zu instructions, %s, prepared in %.4f s\n", n,
               right.program().steps.size(), right.program().kernels.size(), instructions,
               right.Description().c_str(), prepared);
  chain::Time("cotree", tier == cotree::ProgramTier::kInterpreter ? "interpreter" : "machine code", n,
              [&](int s) -> const double* {
                if (!right.Evaluate(0, y[static_cast<size_t>(s)].data(), slopes.data())) std::exit(1);
                for (size_t i = 0; i < speed.size(); ++i) qdd[i] = slopes[speed[i]];
                return qdd.data();
              });
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<int> sizes;
  for (int k = 1; k < count; ++k) sizes.push_back(std::atoi(arguments[k]));
  if (sizes.empty()) sizes = {2, 7, 30, 100, 300};
  for (const int n : sizes) {
    Measure(n, cotree::ProgramTier::kInterpreter);
    Measure(n, cotree::ProgramTier::kCompiled);
  }
}
