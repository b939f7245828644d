// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "cli/block_list.h"
#include "cli/readable_equations.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "derivation/solved_equation.h"

namespace cotree {
namespace {

constexpr size_t kMostRows = 300;

std::string More(size_t count) {
  return fmt::format("    ... and {}; --format json has all\n", Plural(count, "more equation"));
}

std::string ListNames(const std::vector<std::string>& names) {
  constexpr size_t kMostNames = 5;
  std::string text;
  for (size_t k = 0; k < names.size() && k < kMostNames; ++k) text += (k == 0 ? "" : ", ") + names[k];
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

// --- As they are computed ---------------------------------------------------------------------------------

class CausalTeller {
 public:
  explicit CausalTeller(const Translation& t) : program_(*t.program), sorted_(*t.sorted), blocks_(program_) {
    for (size_t b = 0; b < sorted_.blocks() && sorted_.block_first[b] < kMostRows; ++b) {
      if (blocks_.IsImplicit(b)) continue;
      for (const uint32_t k : sorted_.Block(b)) width_ = std::max(width_, Unknown(k).size());
    }
    width_ = std::min(width_, kWidestName);
  }

  // The lines of a block: solved one by one, or a bracket around equations that hold together.
  std::vector<std::string> Lines(size_t b) const {
    std::vector<std::string> lines;
    const auto equations = sorted_.Block(b);
    if (blocks_.IsImplicit(b)) {
      std::vector<std::string> unknowns;
      for (const uint32_t k : equations) unknowns.push_back(Unknown(k));
      lines.push_back(
          fmt::format("solve for {} ({}):", ListNames(unknowns), BlockKindName(program_.kind_of_block[b])));
      for (size_t k = 0; k < equations.size(); ++k)
        lines.push_back(blocks_.Bracket(b, k) + sorted_.EquationText(equations[k]));
      return lines;
    }
    for (const uint32_t k : equations) {
      const auto right = SolvedText(sorted_, k);
      lines.push_back(right ? fmt::format("{:<{}} = {}", Unknown(k), width_, *right)
                            : sorted_.EquationText(k));
    }
    return lines;
  }

  std::string Text() const {
    std::string text;
    size_t lines = 0;
    for (size_t b = 0; b < sorted_.blocks(); ++b) {
      if (lines >= kMostRows) {
        text += More(sorted_.equations.size() - sorted_.block_first[b]);
        break;
      }
      for (const std::string& line : Lines(b)) text += "    " + line + "\n";
      lines += sorted_.Block(b).size();
    }
    return text;
  }

  Json ToJson(size_t b) const {
    Json equations = Json::array();
    for (const uint32_t k : sorted_.Block(b)) {
      const auto right = blocks_.IsImplicit(b) ? std::nullopt : SolvedText(sorted_, k);
      equations.push_back({{"unknown", Unknown(k)},
                           {"solved", right ? Json(*right) : Json(nullptr)},
                           {"text", sorted_.EquationText(k)},
                           {"origin", sorted_.system->EquationOrigin(sorted_.equations[k].equation)}});
    }
    return {{"number", b + 1}, {"kind", BlockKindWord(program_.kind_of_block[b])}, {"equations", equations}};
  }
  Json ToJson() const {
    Json out = Json::array();
    for (size_t b = 0; b < sorted_.blocks(); ++b) out.push_back(ToJson(b));
    return out;
  }

 private:
  static constexpr size_t kWidestName = 32;  // longer ones stick out
  std::string Unknown(uint32_t k) const { return sorted_.SlotName(sorted_.slot_of_equation[k]); }

  const Program& program_;
  const SortedSystem& sorted_;
  BlockList blocks_;
  size_t width_ = 0;  // of the unknowns
};

// --- As they were written ---------------------------------------------------------------------------------

struct EquationGroup {
  std::string kind, name;
  std::vector<uint32_t> equations;
};

std::vector<EquationGroup> GroupEquations(const EquationSystem& system) {
  std::vector<EquationGroup> groups;
  EquationGroup circuits{"circuits", "circuits", {}}, cut_sets{"cut_sets", "cut-sets", {}},
      sums{"sums", "sums that several circuits and cut-sets share", {}},
      signals{"signals", "signals of composites", {}};
  for (uint32_t e = 0; e < system.equation_count(); ++e) {
    if (system.IsRow(e)) {
      const RowKind kind = system.row_kind[e - system.part_equations];
      (kind == RowKind::kCircuit   ? circuits
       : kind == RowKind::kCutSet  ? cut_sets
       : kind == RowKind::kSegment ? sums
                                   : signals)
          .equations.push_back(e);
      continue;
    }
    std::string origin = system.EquationOrigin(e);
    if (groups.empty() || groups.back().name != origin) {
      const bool own =
          e < system.part_equations && system.PartOfEquation(e) < system.graph->components.size();
      groups.push_back({own ? "component" : "added", std::move(origin), {}});
    }
    groups.back().equations.push_back(e);
  }
  for (EquationGroup* group : {&signals, &circuits, &cut_sets, &sums}) {
    if (!group->equations.empty()) groups.push_back(std::move(*group));
  }
  return groups;
}

std::string SystemText(const EquationSystem& system, const Console& console) {
  std::string text;
  size_t lines = 0;
  for (const EquationGroup& group : GroupEquations(system)) {
    if (lines >= kMostRows) {
      text += More(system.equation_count() - lines);
      break;
    }
    text += "\n  " + console.Cyan(group.name) + "\n";
    for (const uint32_t e : group.equations) {
      if (lines >= kMostRows) break;
      text += "    " + system.EquationText(e) + "\n";
      ++lines;
    }
  }
  return text;
}

Json SystemJson(const EquationSystem& system) {
  Json out = Json::array();
  for (const EquationGroup& group : GroupEquations(system)) {
    Json equations = Json::array();
    for (const uint32_t e : group.equations) equations.push_back(system.EquationText(e));
    out.push_back({{"kind", group.kind}, {"name", group.name}, {"equations", equations}});
  }
  return out;
}

}  // namespace

int RunEquations(const EquationsOptions& given, const Console& console) {
  EquationsOptions options = given;
  const bool plain = options.format == "text" || options.format == "json";
  if (options.form.empty()) options.form = plain ? "causal" : "state-space";
  const bool by_program = options.form == "causal" || options.form == "system";
  if (!plain && by_program) {
    fmt::print(stderr, "cotree: --format {} needs --form state-space, accelerations or linear\n",
               options.format);
    return kExitUsage;
  }
  if (by_program && (options.expand || !options.symbolic.empty())) {
    fmt::print(stderr, "cotree: {} needs --form state-space, accelerations or linear\n",
               options.expand ? "--expand" : "--symbolic");
    return kExitUsage;
  }
  if (options.form == "linear" && (options.format == "sympy" || options.format == "modelica")) {
    fmt::print(stderr, "cotree: --format {} needs --form state-space or accelerations\n", options.format);
    return kExitUsage;
  }
  TranslateOptions translate;
  // An input that is named twice is one.
  for (const std::string& input : options.inputs) {
    if (std::find(translate.free_inputs.begin(), translate.free_inputs.end(), input) ==
        translate.free_inputs.end())
      translate.free_inputs.push_back(input);
  }
  translate.program = options.form != "system";
  translate.outputs = options.outputs;
  translate.prefer = options.prefer;
  const auto say = [&](Translation& t, const Console& colours, SystemOutput* out) -> int {
    const Model& model = *t.equations->model;
    const bool json = options.format == "json";
    if (json) {
      out->json["name"] = model.Text(model[t.graph->system].name);
      out->json["form"] = options.form;
    } else if (options.format == "text") {
      out->text = SystemHeading(t, colours) + ": ";
    }
    if (options.form == "system") {
      if (json)
        out->json["groups"] = SystemJson(*t.equations);
      else
        out->text += Plural(t.equations->equation_count(), "equation") + ", as they stand\n" +
                     SystemText(*t.equations, colours);
      return kExitOk;
    }
    const std::string counts =
        Plural(t.sorted->states.size(), "state") + ", " + Plural(t.sorted->equations.size(), "equation");
    const CausalTeller causal(t);
    if (options.form == "causal") {
      if (json) {
        out->json["states"] = StatesJson(*t.sorted);
        out->json["blocks"] = causal.ToJson();
      } else {
        out->text += counts + " in the order of computation\n\n" + causal.Text();
      }
      return kExitOk;
    }
    return SayReadable(options, t, colours, out);
  };
  return RunOnSystem(options, "cotree.equations/2", translate, console, say);
}

}  // namespace cotree
