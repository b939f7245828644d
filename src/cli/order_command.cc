// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "cli/block_list.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "drawing/draw_order.h"
#include "simulation/initialize.h"

namespace cotree {
namespace {

constexpr size_t kMostRows = 300;

std::map<std::string, size_t> CountKinds(const Program& program) {
  std::map<std::string, size_t> counts;
  for (const BlockKind kind : program.kind_of_block) ++counts[BlockKindWord(kind)];
  return counts;
}

size_t LargestBlock(const SortedSystem& sorted) {
  size_t largest = 0;
  for (size_t b = 0; b < sorted.blocks(); ++b) largest = std::max(largest, sorted.Block(b).size());
  return largest;
}

std::string StatesText(const SortedSystem& sorted, const Console& console) {
  const EquationSystem& system = *sorted.system;
  std::string text;
  if (!sorted.states.empty()) {
    text += "\n  " + console.Cyan("states") + "\n";
    TextTable table("lll");
    table.Add({"state", "", "integrates"});
    for (size_t k = 0; k < sorted.states.size() && k < kMostRows; ++k) {
      const VariableRef s = sorted.states[k];
      table.Add(
          {system.VariableName(s.variable, s.order), "<-", system.VariableName(s.variable, s.order + 1)});
    }
    text += table.Text("    ", console);
    if (sorted.states.size() > kMostRows)
      text += fmt::format("    ... and {} more; --format json has all\n", sorted.states.size() - kMostRows);
  }
  const auto list = [&](const char* title, std::vector<std::string> names) {
    if (names.empty()) return;
    const size_t more = names.size() > kMostRows ? names.size() - kMostRows : 0;
    names.resize(names.size() - more);
    text += "\n  " + console.Cyan(title) + "\n" + WrapNames(names, "    ");
    if (more > 0) text += fmt::format("    ... and {} more; --format json has all\n", more);
  };
  list("differentiated, but no states: they follow from the others", DependentNames(sorted));
  list("free inputs", system.input_names);
  return text;
}

/* The order of the run, or with --initial that of its beginning. */
struct ShownOrder {
  const Program* program = nullptr;
  std::unique_ptr<Program> initial;
  std::vector<std::string> given;  // what is known at the beginning, for people
};

ShownOrder FindShown(const Translation& t, bool initial) {
  ShownOrder out;
  out.program = t.program.get();
  if (!initial) return out;
  const bool steady = (*t.equations->model)[t.graph->system].steady;
  const InitialValues values = FindInitialValues(*t.program, t.starts, steady);
  const SortedSystem& run = *t.sorted;
  for (size_t k = 0; k < values.pinned.size(); ++k)
    out.given.push_back(fmt::format("{} = {:.6g}", run.SlotName(values.demands.pinned[k]), values.pinned[k]));
  auto sorted = std::make_shared<SortedSystem>(SortInitial(run, values.demands).sorted);
  out.initial = BuildInitialProgram(std::move(sorted), *t.program);
  out.program = out.initial.get();
  return out;
}

std::string OrderText(const Translation& t, const ShownOrder& shown, const Console& console,
                      bool statistics) {
  const Program& program = *shown.program;
  const SortedSystem& sorted = *program.sorted;
  const EquationSystem& system = *t.equations;
  std::string text = SystemHeading(t, console) + ": " + Plural(sorted.equations.size(), "equation") + " in " +
                     Plural(sorted.blocks(), "block") + ", " + Plural(sorted.states.size(), "state") +
                     fmt::format("; the largest block has {}\n", Plural(LargestBlock(sorted), "equation"));
  if (shown.initial != nullptr) {
    text += "\n  " + console.Cyan("at the beginning") + "\n";
    std::vector<std::string> kept;
    for (const VariableRef s : sorted.states) kept.push_back(system.VariableName(s.variable, s.order));
    text +=
        "    given: " + (shown.given.empty() ? "nothing" : fmt::format("{}", fmt::join(shown.given, ", ")));
    text += "\n    states that keep their start: " +
            (kept.empty() ? "none" : fmt::format("{}", fmt::join(kept, ", "))) + "\n";
  } else {
    text += StatesText(sorted, console);
  }
  text += "\n  " + console.Cyan("order of computation") + "\n";
  TextTable table("rllll");
  table.Add({"block", "kind", "unknown", "from", "equation"});
  const BlockList blocks(program);
  bool torn = false;
  for (size_t b = 0; b < sorted.blocks() && table.rows() <= kMostRows; ++b) {
    const auto equations = sorted.Block(b);
    for (size_t k = 0; k < equations.size(); ++k) {
      if (table.rows() > kMostRows) break;
      const uint32_t slot = sorted.slot_of_equation[equations[k]];
      const bool tear = blocks.IsTear(b, slot);
      torn = torn || tear;
      table.Add({k == 0 ? std::to_string(b + 1) : "", k == 0 ? BlockKindWord(program.kind_of_block[b]) : "",
                 blocks.Bracket(b, k) + sorted.SlotName(slot) + (tear ? " *" : ""),
                 system.EquationOrigin(sorted.equations[equations[k]].equation),
                 sorted.EquationText(equations[k])});
    }
  }
  text += table.Text("    ", console);
  if (torn) text += "    * torn: once it is guessed, the others of its block follow one after another\n";
  if (sorted.equations.size() + 1 > table.rows())
    text += fmt::format("    ... and {}; --format json has all\n",
                        Plural(sorted.equations.size() + 1 - table.rows(), "more equation"));
  if (statistics) {
    std::string kinds;
    for (const auto& [kind, count] : CountKinds(program))
      kinds += (kinds.empty() ? "" : ", ") + kind + " " + std::to_string(count);
    text += fmt::format(
        "\nstatistics\n  blocks: {}\n  equations the tree left open {}{}\n  kernels {}, steps {}\n", kinds,
        sorted.offsets.augmentations, sorted.offsets.from_scratch ? ", matched from scratch" : "",
        program.kernels(), program.steps.size());
    const BlockCertificates& proof = t.certificates;
    text += fmt::format("  implicit blocks {}: {} proven regular by exact elimination{}\n", proof.blocks,
                        proof.regular,
                        proof.too_large > 0 ? fmt::format(", {} too large for it", proof.too_large) : "");
  }
  return text;
}

Json OrderJson(const Translation& t, const ShownOrder& shown, bool statistics) {
  const Program& program = *shown.program;
  const SortedSystem& sorted = *program.sorted;
  const EquationSystem& system = *t.equations;
  const Model& model = *system.model;
  Json out;
  out["name"] = model.Text(model[t.graph->system].name);
  out["equations"] = sorted.equations.size();
  out["states"] = StatesJson(sorted);
  out["dependent"] = DependentNames(sorted);
  out["inputs"] = system.input_names;
  if (shown.initial != nullptr) out["given"] = shown.given;
  const BlockList blocks(program);
  Json list = Json::array();
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    Json unknowns = Json::array(), equations = Json::array(), tears = Json::array();
    for (const uint32_t k : sorted.Block(b)) {
      const uint32_t slot = sorted.slot_of_equation[k];
      unknowns.push_back(sorted.SlotName(slot));
      if (blocks.IsTear(b, slot)) tears.push_back(sorted.SlotName(slot));
      equations.push_back({{"text", sorted.EquationText(k)},
                           {"origin", system.EquationOrigin(sorted.equations[k].equation)},
                           {"differentiated", sorted.equations[k].times}});
    }
    list.push_back({{"number", b + 1},
                    {"kind", BlockKindWord(program.kind_of_block[b])},
                    {"unknowns", unknowns},
                    {"equations", equations},
                    {"tears", tears}});
  }
  out["blocks"] = list;
  if (statistics) {
    Json kinds = Json::array();
    for (const auto& [kind, count] : CountKinds(program))
      kinds.push_back({{"kind", kind}, {"blocks", count}});
    out["statistics"] = {{"kinds", kinds},
                         {"largest_block", LargestBlock(sorted)},
                         {"augmentations", sorted.offsets.augmentations},
                         {"from_scratch", sorted.offsets.from_scratch},
                         {"kernels", program.kernels()},
                         {"steps", program.steps.size()}};
  }
  return out;
}

}  // namespace

int RunOrder(const SystemOptions& options, const Console& console) {
  return RunOnSystem(options, "cotree.order/1", {}, console,
                     [&](Translation& t, const Console& colours, SystemOutput* out) -> int {
                       const ShownOrder shown = FindShown(t, options.initial);
                       if (options.format == "json") {
                         out->json = OrderJson(t, shown, options.statistics);
                       } else if (options.format == "svg") {
                         Drawing drawing = DrawOrder(*shown.program);
                         if (!drawing.problem.empty()) {
                           fmt::print(stderr, "cotree: {}\n", drawing.problem);
                           return kExitForeign;
                         }
                         out->text = std::move(drawing.svg);
                       } else {
                         out->text = OrderText(t, shown, colours, options.statistics);
                       }
                       return kExitOk;
                     });
}

}  // namespace cotree
