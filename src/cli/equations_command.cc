// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/block_list.h"
#include "cli/linear_model.h"
#include "cli/solved_equation.h"
#include "cli/system_command.h"
#include "cli/text_table.h"

namespace cotree {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostRows = 300;

std::string More(size_t count) {
  return fmt::format("    ... and {} more equations; --format json has all\n", count);
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

// --- States and their derivatives -------------------------------------------------------------------------

/** Which blocks a variable needs. */
class Needs {
 public:
  explicit Needs(const SortedSystem& sorted)
      : sorted_(sorted), block_of_(sorted.equations.size()), driven_(sorted.blocks(), false) {
    for (uint32_t b = 0; b < sorted.blocks(); ++b) {
      for (const uint32_t k : sorted.Block(b)) {
        block_of_[k] = b;
        if (DependsOnTime(sorted, k)) driven_[b] = true;
      }
    }
  }
  /// The blocks that compute a slot, in order; none for a state or input.
  std::vector<uint32_t> Of(uint32_t slot) const {
    std::vector<bool> seen(sorted_.blocks(), false);
    std::vector<uint32_t> open, out;
    const auto visit = [&](uint32_t s) {
      const uint32_t e = sorted_.equation_of_slot[s];
      if (e == UINT32_MAX || seen[block_of_[e]]) return;
      seen[block_of_[e]] = true;
      open.push_back(block_of_[e]);
    };
    visit(slot);
    while (!open.empty()) {
      const uint32_t b = open.back();
      open.pop_back();
      out.push_back(b);
      for (const uint32_t k : sorted_.Block(b))
        sorted_.OverUses(k, [&](uint32_t v, uint32_t order) { visit(sorted_.Slot({v, order})); });
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  /// Whether a block changes with time by itself.
  bool IsDriven(uint32_t b) const { return driven_[b]; }

 private:
  const SortedSystem& sorted_;
  std::vector<uint32_t> block_of_;  // by sorted equation
  std::vector<bool> driven_;        // by block
};

// "2*a - b"
void AddTerm(std::string* text, double factor, const std::string& name) {
  if (factor == 0) return;
  *text += text->empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
  if (std::abs(factor) != 1) *text += ShortNumber(std::abs(factor)) + " ";
  *text += name;
}

/** x' = right, for people: what changes by itself with time is b(t), with the variables it comes from. */
struct StateEquation {
  std::string state, right;
  double offset = 0;                // of b(t), at the start
  std::vector<std::string> driven;  // the unknowns of blocks in which time occurs
};

std::vector<StateEquation> StateEquations(const SortedSystem& sorted, const LinearStart& start) {
  const LinearModel& m = start.model;
  const Needs needs(sorted);
  std::vector<StateEquation> out;
  for (size_t i = 0; i < m.n(); ++i) {
    StateEquation row{m.states[i], "", start.offset[i], {}};
    for (size_t j = 0; j < m.n(); ++j) AddTerm(&row.right, m.A[i * m.n() + j], m.states[j]);
    for (size_t order = 0; order < m.B.size(); ++order) {
      for (size_t j = 0; j < m.m(); ++j)
        AddTerm(&row.right, m.B[order][i * m.m() + j], m.inputs[j] + std::string(order, '\''));
    }
    for (const uint32_t b : needs.Of(sorted.Slot({sorted.states[i].variable, sorted.states[i].order + 1}))) {
      if (!needs.IsDriven(b)) continue;
      for (const uint32_t k : sorted.Block(b))
        row.driven.push_back(sorted.SlotName(sorted.slot_of_equation[k]));
    }
    if (!row.driven.empty())
      AddTerm(&row.right, 1, fmt::format("b{}(t)", i + 1));
    else if (row.offset != 0)
      row.right += (row.offset < 0      ? row.right.empty() ? "-" : " - "
                    : row.right.empty() ? ""
                                        : " + ") +
                   ShortNumber(std::abs(row.offset));
    if (row.right.empty()) row.right = "0";
    out.push_back(std::move(row));
  }
  return out;
}

std::string LinearText(const SortedSystem& sorted, const LinearStart& start, const Console& console) {
  std::string text = "\n";
  size_t width = 0;
  const std::vector<StateEquation> rows = StateEquations(sorted, start);
  for (const StateEquation& row : rows) width = std::max(width, row.state.size() + 1);
  TextTable driven("lrl");
  driven.Add({"", "at the start", "from"});
  for (size_t i = 0; i < rows.size() && i < kMostRows; ++i) {
    text += fmt::format("    {:<{}} = {}\n", rows[i].state + "'", width, rows[i].right);
    if (rows[i].driven.empty()) continue;
    std::string names;
    for (const std::string& name : rows[i].driven) names += (names.empty() ? "" : ", ") + name;
    driven.Add({fmt::format("b{}(t)", i + 1), ShortNumber(rows[i].offset), names});
  }
  if (rows.size() > kMostRows) text += More(rows.size() - kMostRows);
  if (driven.rows() > 1) {
    text += "\n  " + console.Cyan("driven by time") + console.Dim("; --input NAME makes a signal an input") +
            "\n" + driven.Text("    ", console);
  }
  return text + MatricesText(start.model, console);
}

std::string ChainText(const Translation& t, const Console& console) {
  const SortedSystem& sorted = *t.sorted;
  const CausalTeller causal(t);
  const Needs needs(sorted);
  std::vector<bool> said(sorted.blocks(), false);
  std::string text;
  size_t lines = 0;
  for (const VariableRef s : sorted.states) {
    const uint32_t slot = sorted.Slot({s.variable, s.order + 1});
    text += "\n  " + console.Cyan(sorted.SlotName(sorted.Slot(s)) + "' = " + sorted.SlotName(slot)) + "\n";
    for (const uint32_t b : needs.Of(slot)) {
      if (said[b]) continue;
      said[b] = true;
      if (lines >= kMostRows) return text + More(sorted.equations.size() - lines);
      for (const std::string& line : causal.Lines(b)) text += "    " + line + "\n";
      lines += sorted.Block(b).size();
    }
  }
  return text;
}

Json StateSpaceJson(const Translation& t, const LinearStart* start) {
  const SortedSystem& sorted = *t.sorted;
  const Needs needs(sorted);
  Json equations = Json::array();
  const std::vector<StateEquation> rows =
      start != nullptr ? StateEquations(sorted, *start) : std::vector<StateEquation>(sorted.states.size());
  for (size_t i = 0; i < sorted.states.size(); ++i) {
    const VariableRef s = sorted.states[i];
    const uint32_t slot = sorted.Slot({s.variable, s.order + 1});
    Json chain = Json::array();
    for (const uint32_t b : needs.Of(slot)) chain.push_back(b + 1);
    equations.push_back({{"state", sorted.SlotName(sorted.Slot(s))},
                         {"derivative", sorted.SlotName(slot)},
                         {"right", start != nullptr ? Json(rows[i].right) : Json(nullptr)},
                         {"offset", start != nullptr ? Json(rows[i].offset) : Json(nullptr)},
                         {"driven_by", rows[i].driven},
                         {"blocks", chain}});
  }
  return equations;
}

}  // namespace

int RunEquations(const EquationsOptions& options, const Console& console) {
  TranslateOptions translate;
  translate.free_inputs = options.inputs;
  translate.program = options.form != "system";
  const auto say = [&](Translation& t, const Console& colours, SystemOutput* out) -> int {
    const Model& model = *t.equations->model;
    const bool json = options.format == "json";
    if (json) {
      out->json["name"] = model.Text(model[t.graph->system].name);
      out->json["form"] = options.form;
    } else {
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
    std::optional<LinearStart> linear;
    if (t.program->unsupported.empty() && t.sorted->states.size() <= kMostStates && IsLinear(*t.sorted)) {
      int exit = kExitOk;
      linear = LinearizeAtStart(t, options.outputs, true, ForeignCodeOf(options), &exit);
      if (!linear) return exit;
    }
    if (json) {
      out->json["linear"] = linear.has_value();
      out->json["equations"] = StateSpaceJson(t, linear ? &*linear : nullptr);
      out->json["blocks"] = causal.ToJson();
      out->json["matrices"] = linear ? MatricesJson(linear->model) : Json(nullptr);
    } else {
      out->text += counts + (linear ? ", linear\n" : ": the equations behind each derivative, each once\n") +
                   (linear ? LinearText(*t.sorted, *linear, colours) : ChainText(t, colours));
    }
    return kExitOk;
  };
  return RunOnSystem(options, "cotree.equations/1", translate, console, say);
}

}  // namespace cotree
