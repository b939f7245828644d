// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/reasons.h"

#include <algorithm>

#include "base/plural.h"
#include "expr/dependence.h"

namespace cotree {

namespace {

constexpr size_t kNamesShown = 8;

// "A, B and C"; beyond the limit "A, B, ... and 17 others".
std::string ListEdges(const Model& model, const SystemGraph& graph, const std::vector<EdgeId>& edges) {
  const bool all = edges.size() <= kNamesShown;
  const size_t shown = all ? edges.size() : kNamesShown - 1;
  std::string out;
  for (size_t k = 0; k < shown; ++k) {
    if (k > 0) out += all && k + 1 == shown ? " and " : ", ";
    out += EdgeName(model, graph, edges[k]);
  }
  if (!all) out += " and " + Plural(edges.size() - shown, "other");
  return out;
}

std::string TextOf(const Model& model, const SystemGraph& graph, const DependentStorage& storage) {
  const std::string name = EdgeName(model, graph, storage.edge);
  const std::string others = ListEdges(model, graph, storage.with);
  if (storage.across)
    return others.empty() ? name + " has both its ends at one vertex"
                          : name + " closes a circuit with " + others;
  return others.empty() ? name + " is in no circuit" : name + " is in a cut-set with " + others + " only";
}

// The chords in the cut-sets of some branches of T': read from the circuits of all chords.
void FindCutSets(const SystemGraph& graph, const NormalTree& tree, std::vector<DependentStorage>* storages) {
  std::vector<uint32_t> wanted(graph.edges.size(), UINT32_MAX);
  std::vector<bool> in_forest(graph.edges.size());
  bool any = false;
  for (uint32_t k = 0; k < storages->size(); ++k) {
    if ((*storages)[k].across) continue;
    wanted[(*storages)[k].edge.index()] = k;
    any = true;
  }
  if (!any) return;
  for (uint32_t e = 0; e < graph.edges.size(); ++e) in_forest[e] = tree.InThroughTree(EdgeId(e));
  const RootedForest forest = RootForest(graph, in_forest);
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    if (in_forest[e]) continue;
    for (const SignedEdge& branch : FundamentalCircuit(graph, forest, EdgeId(e))) {
      const uint32_t k = wanted[branch.edge.index()];
      if (k != UINT32_MAX) (*storages)[k].with.emplace_back(e);
    }
  }
}

void FindCircuits(const SystemGraph& graph, const NormalTree& tree, std::vector<DependentStorage>* storages) {
  if (std::none_of(storages->begin(), storages->end(), [](const auto& s) { return s.across; })) return;
  std::vector<bool> in_forest(graph.edges.size());
  for (uint32_t e = 0; e < graph.edges.size(); ++e) in_forest[e] = tree.InTree(EdgeId(e));
  const RootedForest forest = RootForest(graph, in_forest);
  for (DependentStorage& storage : *storages) {
    if (!storage.across) continue;
    for (const SignedEdge& branch : FundamentalCircuit(graph, forest, storage.edge))
      storage.with.push_back(branch.edge);
    std::sort(storage.with.begin(), storage.with.end());
  }
}

// Power is the across variable times the through variable, or its rate times that. Storage in the across
// variable moves the order of the through variable one above that of the power: C*der(v), J*der(w). What
// stays below is a spring with its damper, whose energy the positions of others decide.
std::vector<int> StorageOrders(const Model& model) {
  std::vector<int> out;
  for (const Domain& domain : model.domains) {
    int order = 1;
    for (const SymbolId symbol : FindSymbols(model.expressions, domain.power)) {
      const std::string_view name = model.expressions.SymbolName(symbol);
      const bool rate = !domain.rate.IsNone() && name == model.names.Text(domain.rate);
      const bool derivative =
          name == model.names.Text(domain.across) && model.expressions.symbol(symbol).order > 0;
      if (rate || derivative) order = 2;
    }
    out.push_back(order);
  }
  return out;
}

}  // namespace

std::vector<DependentStorage> FindDependentStorage(const Model& model, const SystemGraph& graph,
                                                   const std::vector<ScalarElement>&,
                                                   const NormalTree& tree) {
  const std::vector<int> storage_orders = StorageOrders(model);
  std::vector<DependentStorage> out;
  for (const Component& component : graph.components) {
    const auto& edges = graph.elements[component.element.index()].edges;
    for (uint32_t k = 0; k < edges.size(); ++k) {
      const EdgeId e(component.first_edge + k);
      if ((edges[k].kinds & kStores) == 0) continue;
      const int needed = storage_orders[edges[k].domain.index()];
      if (edges[k].across_order >= std::max(needed, edges[k].through_order + 1) && !tree.InTree(e))
        out.push_back({e, true, {}, ""});
      if (edges[k].through_order > edges[k].across_order && tree.InThroughTree(e))
        out.push_back({e, false, {}, ""});
    }
  }
  FindCircuits(graph, tree, &out);
  FindCutSets(graph, tree, &out);
  for (DependentStorage& storage : out) storage.text = TextOf(model, graph, storage);
  return out;
}

}  // namespace cotree
