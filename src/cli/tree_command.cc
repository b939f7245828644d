// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "cli/draw_tree.h"
#include "cli/mechanism_view.h"
#include "cli/system_command.h"
#include "cli/text_table.h"
#include "normal_tree/reasons.h"
#include "normal_tree/views.h"

namespace cotree {
namespace {

constexpr size_t kMostRows = 300;
constexpr size_t kWideMatrix = 26;        // more columns do not fit a terminal
constexpr size_t kLargestMatrices = 400;  // edges; beyond, JSON has no matrices either

/** What both formats say about a tree. */
class TreeTeller {
 public:
  explicit TreeTeller(const Translation& t)
      : system_(*t.equations),
        model_(*system_.model),
        graph_(*t.graph),
        tree_(t.tree),
        mechanism_(t.mechanism),
        states_(t.sorted->states.size()) {
    storage_ = FindDependentStorage(model_, graph_, system_.scalars, tree_);
    if (graph_.edges.size() > kLargestMatrices) return;
    circuits_ = ViewForest(graph_, TreeEdges(tree_));
    cut_sets_ = ViewForest(graph_, ThroughTreeEdges(tree_));
  }

  std::string Text(const Console& console, bool statistics) const;
  Json ToJson(bool statistics) const;

 private:
  std::string Name(EdgeId e) const { return EdgeName(model_, graph_, e); }
  std::string Variable(EdgeId e, bool across) const {
    const GraphEdge& edge = graph_.edges[e.index()];
    const uint32_t local = e.value - graph_.components[edge.component.index()].first_edge;
    return system_.VariableName(system_.parts[edge.component.index()].first_variable + 2 * local +
                                (across ? 0 : 1));
  }
  // A branch of both forests, of neither, or of one only.
  const char* Role(EdgeId e) const {
    const bool across = tree_.InTree(e), through = tree_.InThroughTree(e);
    return across && through ? "branch" : across ? "branch across" : through ? "branch through" : "chord";
  }
  bool Differs(EdgeId e) const { return tree_.InTree(e) != tree_.InThroughTree(e); }
  std::string Primary(EdgeId e, bool primary) const {
    const bool across = tree_.InTree(e) == primary, through = tree_.InThroughTree(e) != primary;
    if (across && through) return Variable(e, true) + ", " + Variable(e, false);
    return across ? Variable(e, true) : through ? Variable(e, false) : "-";
  }
  std::string DomainText(const DomainGraph& domain, const Console& console) const;
  std::string MatrixText(const DomainGraph& domain, const ForestView& view, bool circuits,
                         const Console& console) const;
  Json MatrixJson(const std::vector<EdgeId>& own, const std::vector<std::vector<SignedEdge>>& rows) const;

  const EquationSystem& system_;
  const Model& model_;
  const SystemGraph& graph_;
  const NormalTree& tree_;
  const Mechanism& mechanism_;
  size_t states_;
  std::vector<DependentStorage> storage_;
  ForestView circuits_, cut_sets_;  // empty where the system is too large for them
};

// Columns: branches, then chords, so that one part is the unit matrix.
std::string TreeTeller::MatrixText(const DomainGraph& domain, const ForestView& view, bool circuits,
                                   const Console& console) const {
  const auto inside = [&](EdgeId e) { return &graph_.DomainOf(graph_.edges[e.index()].from) == &domain; };
  std::vector<EdgeId> columns;
  size_t branches = 0;
  for (const EdgeId e : view.branches) {
    if (inside(e)) columns.push_back(e);
  }
  branches = columns.size();
  for (const EdgeId e : view.chords) {
    if (inside(e)) columns.push_back(e);
  }
  const auto& own = circuits ? view.chords : view.branches;
  const auto& rows = circuits ? view.circuits : view.cut_sets;
  TextTable table("l" + std::string(columns.size() + 1, 'r'));
  const auto with_bar = [&](std::vector<std::string> cells) {
    cells.insert(cells.begin() + static_cast<ptrdiff_t>(1 + branches), "|");
    return cells;
  };
  std::vector<std::string> heading{""};
  for (const EdgeId e : columns) heading.push_back(Name(e));
  table.Add(with_bar(heading));
  for (size_t r = 0; r < own.size(); ++r) {
    if (!inside(own[r])) continue;
    std::vector<std::string> cells{Name(own[r])};
    for (const EdgeId e : columns) {
      int sign = 0;
      for (const SignedEdge& entry : rows[r]) sign = entry.edge == e ? entry.sign : sign;
      cells.emplace_back(sign == 0 ? "." : sign > 0 ? "+1" : "-1");
    }
    table.Add(with_bar(cells));
  }
  if (table.rows() < 2) return {};
  return std::string("\n    ") +
         (circuits ? "fundamental circuits, in the across variables: row * x = 0"
                   : "fundamental cut-sets, in the through variables: row * y = 0") +
         "\n" + table.Text("      ", console);
}

std::string TreeTeller::DomainText(const DomainGraph& domain, const Console& console) const {
  std::vector<EdgeId> edges(domain.edges.begin(), domain.edges.end());
  std::stable_sort(edges.begin(), edges.end(),
                   [&](EdgeId a, EdgeId b) { return tree_.InTree(a) > tree_.InTree(b); });
  const auto branches = static_cast<size_t>(
      std::count_if(edges.begin(), edges.end(), [&](EdgeId e) { return tree_.InTree(e); }));
  std::string text = "\n  " + console.Cyan(model_.Text(model_.domains[domain.domain.index()].name)) + ": " +
                     Plural(branches, "branch", "branches") + ", " +
                     Plural(edges.size() - branches, "chord") + "\n";
  TextTable table("lllll");
  table.Add({"edge", "in the tree", "primary", "secondary", "kinds"});
  bool differ = false;
  for (const EdgeId e : edges) {
    if (table.rows() > kMostRows) break;
    differ = differ || Differs(e);
    table.Add(
        {Name(e), Role(e), Primary(e, true), Primary(e, false), KindsText(graph_.ElementEdgeOf(e).kinds)});
  }
  text += table.Text("    ", console);
  if (edges.size() > kMostRows)
    text += fmt::format("    ... and {} more; --format json has all\n", edges.size() - kMostRows);
  if (differ)
    text +=
        "    The trees differ: `branch across` counts for circuits only, `branch through` for cut-sets "
        "only.\n";
  if (edges.size() <= kWideMatrix && !circuits_.branches.empty()) {
    text += MatrixText(domain, circuits_, true, console);
    text += MatrixText(domain, cut_sets_, false, console);
  }
  return text;
}

std::string TreeTeller::Text(const Console& console, bool statistics) const {
  const size_t branches = TreeEdges(tree_).size();
  std::string text =
      console.Bold("system " + model_.Text(model_[graph_.system].name)) + ": " +
      Plural(graph_.edges.size(), "edge") + ", " + Plural(branches, "branch", "branches") + ", " +
      Plural(graph_.edges.size() - branches, "chord") +
      fmt::format("; order {} by the tree, {} with signals\n", tree_.degree, Plural(states_, "state"));
  for (const DomainGraph& domain : graph_.domains) {
    if (!domain.edges.empty()) text += DomainText(domain, console);
  }
  text += MechanismText(model_, graph_, mechanism_, console);
  if (!storage_.empty()) {
    text += "\n  " + console.Cyan("storage without a state of its own") + "\n";
    for (size_t k = 0; k < storage_.size() && k < kMostRows; ++k) text += "    " + storage_[k].text + "\n";
    if (storage_.size() > kMostRows)
      text += fmt::format("    ... and {} more; --format json has all\n", storage_.size() - kMostRows);
  }
  if (statistics) {
    const NormalTree::Statistics& s = tree_.statistics;
    text += fmt::format(
        "\nstatistics\n  islands {} (coupled {}, solved once for several {}), augmentations {}, cycles {}\n",
        s.islands, s.coupled_islands, s.copied_islands, s.augmentations, s.cycles);
  }
  return text;
}

Json TreeTeller::MatrixJson(const std::vector<EdgeId>& own,
                            const std::vector<std::vector<SignedEdge>>& rows) const {
  Json entries = Json::array();
  for (uint32_t r = 0; r < rows.size(); ++r) {
    for (const SignedEdge& entry : rows[r]) entries.push_back({r, entry.edge.value, entry.sign});
  }
  Json names = Json::array();
  for (const EdgeId e : own) names.push_back(Name(e));
  return {{"rows", names}, {"columns", graph_.edges.size()}, {"entries", entries}};
}

Json TreeTeller::ToJson(bool statistics) const {
  Json out;
  out["name"] = model_.Text(model_[graph_.system].name);
  out["order"] = tree_.degree;
  out["states"] = states_;
  Json edges = Json::array();
  for (uint32_t i = 0; i < graph_.edges.size(); ++i) {
    const EdgeId e(i);
    edges.push_back({{"id", i},
                     {"name", Name(e)},
                     {"domain", model_.Text(model_.domains[graph_.ElementEdgeOf(e).domain.index()].name)},
                     {"across", Variable(e, true)},
                     {"through", Variable(e, false)},
                     {"across_primary", tree_.InTree(e)},
                     {"through_primary", !tree_.InThroughTree(e)}});
  }
  out["edges"] = edges;
  Json storage = Json::array();
  for (const DependentStorage& s : storage_) {
    Json with = Json::array();
    for (const EdgeId e : s.with) with.push_back(Name(e));
    storage.push_back({{"edge", Name(s.edge)},
                       {"variable", Variable(s.edge, s.across)},
                       {"with", with},
                       {"reason", s.text}});
  }
  out["dependent_storage"] = storage;
  const bool small = graph_.edges.size() <= kLargestMatrices;
  out["circuits"] = small ? MatrixJson(circuits_.chords, circuits_.circuits) : Json(nullptr);
  out["cut_sets"] = small ? MatrixJson(cut_sets_.branches, cut_sets_.cut_sets) : Json(nullptr);
  out["mechanism"] = MechanismJson(model_, graph_, mechanism_);
  if (statistics) {
    const NormalTree::Statistics& s = tree_.statistics;
    out["statistics"] = {{"islands", s.islands},
                         {"coupled_islands", s.coupled_islands},
                         {"copied_islands", s.copied_islands},
                         {"augmentations", s.augmentations},
                         {"cycles", s.cycles}};
  }
  return out;
}

}  // namespace

int RunTree(const SystemOptions& options, const Console& console) {
  TranslateOptions translate;
  translate.program = false;
  return RunOnSystem(options, "cotree.tree/1", translate, console,
                     [&](Translation& translation, const Console& colours, SystemOutput* out) -> int {
                       if (options.format == "svg") {
                         Drawing drawing = DrawTree(translation);
                         out->text = std::move(drawing.svg);
                         if (drawing.problem.empty()) return kExitOk;
                         fmt::print(stderr, "cotree: {}\n", drawing.problem);
                         return kExitForeign;
                       }
                       const TreeTeller teller(translation);
                       if (options.format == "json")
                         out->json = teller.ToJson(options.statistics);
                       else
                         out->text = teller.Text(colours, options.statistics);
                       return kExitOk;
                     });
}

}  // namespace cotree
