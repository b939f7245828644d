// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/prepare_run.h"
#include "cli/system_command.h"
#include "cli/write_form.h"
#include "closed_form/fraction.h"
#include "derivation/describe_state_space.h"
#include "pipeline/choose_system.h"
#include "simulation/initialize.h"
#include "simulation/linearize.h"

namespace cotree {
namespace {

// Inputs of the system that a signal drives, as the user may write them.
std::vector<std::string> InputsOf(const LoadedModel& loaded, const SystemGraph& graph) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < graph.components.size(); ++i) {
    const ElementClass& element = graph.ElementOf(ComponentId(i));
    const ComponentClass& cls = loaded.model[element.class_id];
    for (uint32_t slot = 0; slot < element.slot_variable.size(); ++slot) {
      if (cls.variables[element.slot_variable[slot]].role == VariableRole::kInput && !cls.edges.empty())
        names.push_back(InputName(loaded.model, graph, ComponentId(i), slot));
    }
  }
  return names;
}

std::string Joined(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t k = 0; k < names.size() && k < most; ++k) text += (k > 0 ? ", " : "") + names[k];
  return names.size() > most ? text + fmt::format(" and {} more", names.size() - most) : text;
}

// How often motions are differentiated, and what moves on its own while they are followed.
void SayDegrees(const PreparedRun& p) {
  const Translation& t = *p.translation;
  for (uint32_t e = 0; e < t.equations->part_equations; ++e) {
    if (t.equations->EquationOrigin(e) != "prescribed motion") continue;
    const std::string text = t.equations->EquationText(e);
    fmt::print("  {}: relative degree {}\n", text.substr(0, text.find(" = ")),
               static_cast<int>(t.sorted->offsets.equation[e]));
  }
  ProgramRun run(*t.program);
  InitializeOptions beginning;
  beginning.time = p.simulation.start;
  if (!Initializer(run, *t.program, t.starts, beginning).Solve(false).ok) return;
  const LinearModel linear = Linearize(run, *t.program, {}, p.simulation.start);
  if (linear.n() == 0) {
    fmt::print("  nothing moves on its own: no zeros\n");
    return;
  }
  bool unstable = false;
  std::string zeros;
  for (const std::complex<double>& z : linear.poles) {
    unstable = unstable || z.real() > 1e-9 * (1 + std::abs(z));
    if (z.imag() < 0) continue;
    zeros +=
        (zeros.empty() ? "" : ", ") + (z.imag() == 0 ? fmt::format("{:.6g}", z.real())
                                                     : fmt::format("{:.6g} ± {:.6g}i", z.real(), z.imag()));
  }
  fmt::print("  {} own; zeros at the start: {} 1/s\n",
             Plural(linear.n(), "state moves on its", "states move on their"), zeros);
  if (unstable)
    fmt::print(
        "  warning: the zero dynamics are unstable: what moves on its own runs away while the motion is "
        "followed; prescribe another variable, or take the result for short times only\n");
}

// What is asked for as formulas of time and parameters, where nothing has to be integrated or iterated.
void SayClosedForm(const PreparedRun& p, const std::vector<std::string>& shown, const Console& console) {
  Translation& t = *p.translation;
  constexpr size_t kMostEquations = 1500;
  constexpr uint64_t kMostOperations = 600;  // of all formulas: a page
  StateSpaceOptions how;
  std::string problem;
  if (!t.sorted->states.empty() || t.sorted->equations.size() > kMostEquations ||
      !t.program->externals.empty() || !FindOutputs(t, shown, &how.outputs, &problem))
    return;
  ExprPool& pool = t.equations->model->expressions;
  const StateSpace space = FindStateSpace(*t.sorted, how);
  uint64_t operations = 0;
  for (const auto* list : {&space.definitions, &space.outputs}) {
    for (const ReadableEquation& e : *list) operations += SizeOf(pool, e.right).operations;
  }
  if (!space.groups.empty() || operations > kMostOperations) return;
  Document document;
  SetOwners(pool, space, &document);
  document.sections = {DescribeEquations(pool, space), DescribeNames(pool, space),
                       DescribeParameters(pool, space, document.digits)};
  document.sections[0].title = "In closed form";
  std::string text;
  if (WriteForm(document, "text", console, &text)) fmt::print("\n{}\n", text);
}

}  // namespace

int RunInverse(const SimulateOptions& given, const Console& console) {
  SimulateOptions options = given;
  DiskReader reader;
  {
    // What is wrong with the motions themselves comes before the count of inputs.
    const auto loaded = LoadModel(options.file, reader, {.library = options.library});
    const SystemChoice& choice = ChooseSystem(*loaded, RequestOf(options), options.file);
    if (!choice.problem.empty() || !loaded->diagnostics.ok()) {
      PrintDiagnostics(loaded->diagnostics, loaded->model.files, console);
      if (!choice.problem.empty()) fmt::print(stderr, "cotree: {}\n", choice.problem);
      return !loaded->readable ? kExitForeign : choice.usage ? kExitUsage : kExitModel;
    }
  }
  {
    // Names in --find that are inputs are freed.
    SimulateOptions plain = options;
    plain.motions.clear();
    plain.freed.clear();
    const PreparedRun p = PrepareRun(plain, reader);
    // (An input that nothing drives is no system by itself, but its graph is there.)
    if (p.translation != nullptr && !p.translation->graphs.empty()) {
      const std::vector<std::string> inputs = InputsOf(*p.loaded, p.translation->graphs.front());
      for (const std::string& name : options.shown) {
        const bool known = std::find(inputs.begin(), inputs.end(), name) != inputs.end();
        const bool already =
            std::find(options.freed.begin(), options.freed.end(), name) != options.freed.end();
        if (known && !already) options.freed.push_back(name);
      }
      if (p.exit == kExitOk && options.freed.size() != options.motions.size()) {
        fmt::print(stderr, "cotree: {} prescribed, so as many inputs must be free, but {}; {}\n",
                   Plural(options.motions.size(), "motion is", "motions are"),
                   options.freed.empty() ? "none is" : Plural(options.freed.size(), "is", "are"),
                   inputs.empty() ? "the system has no input that could be: add what drives the motion, as a "
                                    "SignalTorqueSource or SignalForceSource at the joint"
                                  : "name them with --free or --find; there are " + Joined(inputs, 12));
        return kExitUsage;
      }
    }
  }
  PreparedRun p = PrepareRun(options, reader);
  if (p.exit != kExitOk) {
    SayPrepared(p, console);
    return p.exit;
  }
  SayDegrees(p);
  for (const std::string& name : options.freed) {
    if (std::find(options.shown.begin(), options.shown.end(), name) == options.shown.end())
      options.shown.push_back(name);
  }
  SayClosedForm(p, options.shown, console);
  return RunSimulate(options, console);
}

}  // namespace cotree
