// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/block_list.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "drawing/draw_order.h"

namespace cotree {
namespace {

using Json = nlohmann::ordered_json;

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

std::string OrderText(const Translation& t, const Console& console, bool statistics) {
  const SortedSystem& sorted = *t.sorted;
  const EquationSystem& system = *t.equations;
  std::string text = SystemHeading(t, console) + ": " + Plural(sorted.equations.size(), "equation") + " in " +
                     Plural(sorted.blocks(), "block") + ", " + Plural(sorted.states.size(), "state") +
                     fmt::format("; the largest block has {}\n", Plural(LargestBlock(sorted), "equation"));
  text += StatesText(sorted, console);
  text += "\n  " + console.Cyan("order of computation") + "\n";
  TextTable table("rllll");
  table.Add({"block", "kind", "unknown", "from", "equation"});
  const BlockList blocks(*t.program);
  bool torn = false;
  for (size_t b = 0; b < sorted.blocks() && table.rows() <= kMostRows; ++b) {
    const auto equations = sorted.Block(b);
    for (size_t k = 0; k < equations.size(); ++k) {
      if (table.rows() > kMostRows) break;
      const uint32_t slot = sorted.slot_of_equation[equations[k]];
      const bool tear = blocks.IsTear(b, slot);
      torn = torn || tear;
      table.Add({k == 0 ? std::to_string(b + 1) : "",
                 k == 0 ? BlockKindWord(t.program->kind_of_block[b]) : "",
                 blocks.Bracket(b, k) + sorted.SlotName(slot) + (tear ? " *" : ""),
                 system.EquationOrigin(sorted.equations[equations[k]].equation),
                 sorted.EquationText(equations[k])});
    }
  }
  text += table.Text("    ", console);
  if (torn) text += "    * torn: once it is guessed, the others of its block follow one after another\n";
  if (sorted.equations.size() + 1 > table.rows())
    text += fmt::format("    ... and {} more equations; --format json has all\n",
                        sorted.equations.size() + 1 - table.rows());
  if (statistics) {
    std::string kinds;
    for (const auto& [kind, count] : CountKinds(*t.program))
      kinds += (kinds.empty() ? "" : ", ") + kind + " " + std::to_string(count);
    text += fmt::format(
        "\nstatistics\n  blocks: {}\n  equations the tree left open {}{}\n  kernels {}, steps {}\n", kinds,
        sorted.offsets.augmentations, sorted.offsets.from_scratch ? ", matched from scratch" : "",
        t.program->kernels(), t.program->steps.size());
    const BlockCertificates& proof = t.certificates;
    text += fmt::format("  implicit blocks {}: {} proven regular by exact elimination{}\n", proof.blocks,
                        proof.regular,
                        proof.too_large > 0 ? fmt::format(", {} too large for it", proof.too_large) : "");
  }
  return text;
}

Json OrderJson(const Translation& t, bool statistics) {
  const SortedSystem& sorted = *t.sorted;
  const EquationSystem& system = *t.equations;
  const Model& model = *system.model;
  Json out;
  out["name"] = model.Text(model[t.graph->system].name);
  out["equations"] = sorted.equations.size();
  out["states"] = StatesJson(sorted);
  out["dependent"] = DependentNames(sorted);
  out["inputs"] = system.input_names;
  const BlockList blocks(*t.program);
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
                    {"kind", BlockKindWord(t.program->kind_of_block[b])},
                    {"unknowns", unknowns},
                    {"equations", equations},
                    {"tears", tears}});
  }
  out["blocks"] = list;
  if (statistics) {
    Json kinds = Json::array();
    for (const auto& [kind, count] : CountKinds(*t.program))
      kinds.push_back({{"kind", kind}, {"blocks", count}});
    out["statistics"] = {{"kinds", kinds},
                         {"largest_block", LargestBlock(sorted)},
                         {"augmentations", sorted.offsets.augmentations},
                         {"from_scratch", sorted.offsets.from_scratch},
                         {"kernels", t.program->kernels()},
                         {"steps", t.program->steps.size()}};
  }
  return out;
}

}  // namespace

int RunOrder(const SystemOptions& options, const Console& console) {
  return RunOnSystem(options, "cotree.order/1", {}, console,
                     [&](Translation& t, const Console& colours, SystemOutput* out) -> int {
                       if (options.format == "json") {
                         out->json = OrderJson(t, options.statistics);
                       } else if (options.format == "svg") {
                         Drawing drawing = DrawOrder(*t.program);
                         if (!drawing.problem.empty()) {
                           fmt::print(stderr, "cotree: {}\n", drawing.problem);
                           return kExitForeign;
                         }
                         out->text = std::move(drawing.svg);
                       } else {
                         out->text = OrderText(t, colours, options.statistics);
                       }
                       return kExitOk;
                     });
}

}  // namespace cotree
