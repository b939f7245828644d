// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/check_json.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/text_table.h"
#include "model/describe_model.h"
#include "pipeline/choose_system.h"
#include "pipeline/count_freedoms.h"
#include "pipeline/load_model.h"
#include "pipeline/release_syntax.h"
#include "pipeline/translate.h"

namespace cotree {
namespace {

// What a system is made of, by class, the most frequent first.
std::string Composition(const Model& model, ClassId id) {
  std::map<std::string, size_t> classes;
  for (const Instance& instance : model[id].instances) {
    if (!instance.class_id.IsNone()) ++classes[model.Text(model[instance.class_id].name)];
  }
  std::vector<std::pair<std::string, size_t>> sorted(classes.begin(), classes.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < sorted.size() && i < 8; ++i) {
    text += (i == 0 ? "" : ", ") +
            (sorted[i].second > 1 ? std::to_string(sorted[i].second) + " " : std::string()) + sorted[i].first;
  }
  if (sorted.size() > 8) text += ", ...";
  return text;
}

// Degrees of freedom first, then what became of parts, joints and loops.
void PrintMechanism(const LoadedModel& loaded, const Translation& t, const Console& console) {
  if (t.mechanism.composites.size() < 2) return;
  const auto name = [&](ComponentId id) { return ComponentName(loaded.model, *t.graph, id); };
  std::string joints;
  size_t count = 0, parts = 0;
  for (const SpatialJoint& joint : t.mechanism.joints) {
    if (joint.in_tree && FreedomsOf(joint.kind) > 0 && ++count <= 8)
      joints += (joints.empty() ? "" : ", ") + JointName(loaded.model, *t.graph, t.mechanism, joint);
  }
  if (count > 8) joints += fmt::format(" and {} more", count - 8);
  for (const CompositeBody& c : t.mechanism.composites) parts += c.bodies.size();
  const uint32_t degrees = CountFreedoms(t), taken = t.motion.degrees - degrees;
  fmt::print(
      "   {}{}{}: {}\n", console.Bold(Plural(degrees, "degree of freedom", "degrees of freedom")),
      t.motion.position_degrees == t.motion.degrees
          ? ""
          : fmt::format(" in velocities, {} in positions", t.motion.position_degrees - taken),
      t.motion.loops.empty() && taken == 0 ? "" : fmt::format(" of {} coordinates", t.motion.freedoms.size()),
      joints);
  if (t.mechanism.gravity.empty() && parts > 0)
    fmt::print("   no `Gravity` among the components: nothing pulls at the bodies\n");
  const size_t moving = t.mechanism.composites.size() - 1;
  fmt::print("   {}{} {}\n", Plural(moving, "rigid body", "rigid bodies"),
             parts > moving ? fmt::format(" of {}", Plural(parts, "part")) : "",
             moving == 1 ? "moves against the ground" : "move against each other and the ground");
  for (uint32_t c = 0; c < t.mechanism.composites.size(); ++c) {
    const CompositeBody& body = t.mechanism.composites[c];
    if (body.bodies.size() < 2 || t.mechanism.composites.size() > 12) continue;
    std::string members;
    for (const ComponentId id : body.bodies) members += (members.empty() ? "" : ", ") + name(id);
    fmt::print("{}\n", console.Dim("   one body: " + members));
  }
  if (!t.mechanism.chords.empty()) {
    std::string chords;
    for (const uint32_t k : t.mechanism.chords)
      chords += (chords.empty() ? "" : ", ") + name(t.mechanism.joints[k].component);
    fmt::print("   {} closed by {}: {}\n", Plural(t.mechanism.chords.size(), "loop"), chords,
               t.motion.freedoms.size() - t.motion.degrees == 1
                   ? "1 condition holds"
                   : fmt::format("{} conditions hold", t.motion.freedoms.size() - t.motion.degrees));
  }
  if (!t.motion.redundant.empty()) {
    fmt::print("   {} from the others, and what they carry is not determined:\n",
               t.motion.redundant.size() == 1 ? "1 more follows"
                                              : fmt::format("{} more follow", t.motion.redundant.size()));
    for (const std::string& r : t.motion.redundant) fmt::print("{}\n", console.Dim("     " + r));
  }
}

void PrintSystems(const LoadedModel& loaded, const std::vector<SystemGraph>& graphs,
                  const std::vector<std::unique_ptr<Translation>>& translations, const Console& console) {
  const Model& model = loaded.model;
  for (const SystemGraph& graph : graphs) {
    const ClassId id = graph.system;
    const ComponentClass& system = model[id];
    size_t signals = 0;
    for (const Connection& c : system.connections) signals += c.signal ? 1 : 0;
    fmt::print("{} {}: {}, {} and {}\n", console.Green("ok"),
               console.Bold("system " + model.Text(system.name)),
               Plural(graph.CountParts(model), "component"),
               Plural(system.connections.size() - signals, "connection"), Plural(signals, "signal"));
    const std::string composition = Composition(model, id);
    if (!composition.empty()) fmt::print("   {}\n", console.Dim(composition));
    for (const auto& t : translations) {
      if (t->graph == &graph) PrintMechanism(loaded, *t, console);
    }
  }
}

void PrintSummary(const Model& model, const Console& console) {
  for (const ClassId id : model.own_classes) {
    const ComponentClass& cls = model[id];
    const std::string name =
        model.Text(cls.name) + (cls.model.IsNone() ? "" : " as " + model.Text(cls.model));
    fmt::print("{} {}: {}, {}, {}\n", console.Green("ok"),
               console.Bold((cls.kind == ClassKind::kSoftware ? "software " : "component ") + name),
               Plural(cls.terminals.size(), "terminal"), Plural(cls.parameters.size(), "parameter"),
               Plural(cls.equations.size(), "equation"));
  }
  for (const Experiment& experiment : model.experiments) {
    fmt::print("{} {} of {}\n", console.Green("ok"),
               console.Bold("experiment " + model.Text(experiment.name)),
               model.Text(model[experiment.system].name));
  }
}

void PrintUnits(const Model& model, const Console& console) {
  std::vector<ClassId> classes = model.systems;
  if (classes.empty()) classes = model.own_classes;
  for (const ClassId id : classes) {
    const auto rows = ListInferredUnits(model, id);
    fmt::print("\n{}\n", console.Bold("inferred dimensions of " + model.Text(model[id].name)));
    if (rows.empty()) fmt::print("  none: everything was declared\n");
    size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.path.size());
    for (const auto& row : rows) fmt::print("  {:<{}} : {}\n", row.path, width, console.Cyan(row.unit));
  }
}

void PrintParameters(Model& model, const Console& console) {
  std::vector<ClassId> classes = model.systems;
  if (classes.empty()) classes = model.own_classes;
  for (const ClassId id : classes) {
    const auto rows = ListParameters(model, id);
    fmt::print("\n{}\n", console.Bold("parameters of " + model.Text(model[id].name)));
    if (rows.empty()) fmt::print("  none\n");
    size_t path_width = 0, value_width = 0;
    for (const auto& row : rows) {
      path_width = std::max(path_width, row.path.size());
      value_width = std::max(value_width, std::min<size_t>(row.value.size(), 28));
    }
    for (const auto& row : rows) {
      fmt::print("  {:<{}}  {:<{}}  {}{}\n", row.path, path_width, row.value, value_width,
                 row.structural ? console.Bold("structural") : std::string("run-time  "),
                 row.reason.empty() ? "" : console.Dim("  " + row.reason));
    }
  }
}

void PrintStatistics(const LoadedModel& loaded) {
  const Model& model = loaded.model;
  const ExprStatistics& s = model.expressions.statistics();
  size_t tokens = 0, nodes = 0;
  for (const auto& tree : model.trees) {
    tokens += tree->tokens.size();
    nodes += tree->nodes.size();
  }
  fmt::print("\nstatistics\n  files {}, tokens {}, syntax nodes {}, names {}\n", model.files.size(), tokens,
             nodes, model.names.size());
  fmt::print("  classes built {} of {} within reach\n", model.classes.size(), loaded.declarations->size());
  fmt::print(
      "  symbolic operations: {} nodes made, {} found again, {} differentiated, {} substituted, {} solved\n",
      s.constructed, s.hits, s.derivatives, s.substitutions, s.solutions);
}

}  // namespace

int RunCheck(const CheckOptions& options, const Console& console) {
  DiskReader reader;
  LoadOptions load;
  load.library = options.library;
  const auto loaded = LoadModel(options.file, reader, load);
  if (!options.statistics) ReleaseLargeSyntax(*loaded);
  CheckExperiments(*loaded);
  const std::vector<SystemGraph> graphs = BuildGraphs(*loaded);
  TranslateOptions translate;
  translate.notes = options.notes;
  std::vector<std::unique_ptr<Translation>> translations;
  for (const SystemGraph& graph : graphs) {
    if (!graph.refused) translations.push_back(TranslateGraph(*loaded, graph, translate));
  }
  const Diagnostics& diagnostics = loaded->diagnostics;
  if (options.json) {
    std::fputs(CheckJson(*loaded, options).c_str(), stdout);
  } else {
    PrintDiagnostics(diagnostics, loaded->model.files, console);
    if (diagnostics.ok()) {
      PrintSystems(*loaded, graphs, translations, console);
      PrintSummary(loaded->model, console);
      if (options.units) PrintUnits(loaded->model, console);
      if (options.parameters) PrintParameters(loaded->model, console);
      if (options.statistics) PrintStatistics(*loaded);
    } else {
      std::fflush(stdout);
      fmt::print(stderr, "{}: {}{}\n", options.file, Plural(diagnostics.errors(), "error"),
                 diagnostics.warnings() > 0 ? ", " + Plural(diagnostics.warnings(), "warning") : "");
    }
  }
  if (!loaded->readable) return kExitForeign;
  return diagnostics.ok() ? kExitOk : kExitModel;
}

}  // namespace cotree
