// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "derivation/derive.h"
#include "expr/print_text.h"
#include "expr/solve.h"

namespace cotree {
namespace {

std::string Count(size_t n) {
  std::string digits = std::to_string(n), out;
  for (size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) out += ",";
    out += digits[k];
  }
  return out;
}

}  // namespace

std::vector<DocumentSection> DeriveByClass(Translation& t, Document* document) {
  const Model& model = *t.equations->model;
  ExprPool& pool = t.equations->model->expressions;
  document->pool = &pool;
  const SystemGraph& graph = *t.graph;
  const EquationSystem& system = *t.equations;
  const SortedSystem& sorted = *t.sorted;
  std::vector<DocumentSection> out;
  const auto begin = [&](const std::string& id, const std::string& title,
                         const std::string& reason) -> DocumentSection& {
    out.push_back({id, std::to_string(out.size() + 1) + ". " + title, {}});
    out.back().items.emplace_back(TextItem{reason});
    return out.back();
  };
  const auto name = [&](uint32_t element) {
    return model.Text(model[graph.elements[element].class_id].name);
  };

  // 1. and 2.
  std::vector<size_t> members(graph.elements.size(), 0);
  for (const Component& c : graph.components) ++members[c.element.index()];
  DocumentSection& components =
      begin("components", "Components and their terminal graphs",
            "The system has " + Count(graph.components.size() - 1) +
                " components, too many to list; each step is told per component class. Components of one "
                "class with the same structural "
                "parameters share everything that is derived once: equations, solved forms, code.");
  TableItem classes{{"class", "components", "edges of one", "equations of one"}, "lrrr", {}};
  for (uint32_t k = 0; k < graph.elements.size(); ++k) {
    if (members[k] == 0 || graph.elements[k].class_id == graph.system) continue;
    classes.rows.push_back({{{name(k)},
                             {Count(members[k])},
                             {std::to_string(graph.elements[k].edges.size())},
                             {std::to_string(system.scalars[k].always)}}});
  }
  components.items.emplace_back(std::move(classes));
  DocumentSection& merged = begin("graph", "The system graph", "Connected terminals become one vertex.");
  TableItem domains{{"domain", "vertices", "edges"}, "lrr", {}};
  for (const DomainGraph& d : graph.domains)
    domains.rows.push_back({{{model.Text(model.domains[d.domain.index()].name)},
                             {Count(d.vertex_count)},
                             {Count(d.edges.size())}}});
  merged.items.emplace_back(std::move(domains));

  // 3. and 4.
  std::map<std::pair<uint32_t, uint32_t>, std::array<size_t, 2>> by_edge;  // element, edge: branches, chords
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    const auto& c = graph.components[graph.edges[e].component.index()];
    ++by_edge[{c.element.value, e - c.first_edge}][t.tree.InTree(EdgeId(e)) ? 0 : 1];
  }
  DocumentSection& tree = begin("tree", "Classes of the edges and the normal tree",
                                "Orders are those of the across and through variable in the terminal "
                                "equation; the normal tree gives most "
                                "storage a state of its own. Order by the tree: " +
                                    Count(static_cast<size_t>(std::max<int64_t>(t.tree.degree, 0))) + ".");
  TableItem edges{{"class", "edge", "across", "through", "kinds", "branches", "chords"}, "llrrlrr", {}};
  for (const auto& [key, counts] : by_edge) {
    const ElementClass& element = graph.elements[key.first];
    const ElementEdge& edge = element.edges[key.second];
    const auto order = [](int8_t n) { return n < 0 ? std::string("-") : std::to_string(n); };
    edges.rows.push_back({{{name(key.first)},
                           {model.Text(model[element.class_id].edges[edge.edge].name)},
                           {order(edge.across_order)},
                           {order(edge.through_order)},
                           {KindsText(edge.kinds)},
                           {Count(counts[0])},
                           {Count(counts[1])}}});
  }
  tree.items.emplace_back(std::move(edges));

  // 5. to 7.: equations of classes by the unknown they are solved for.
  struct Key {
    uint32_t scalar, local, times, variable, order;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, size_t> forms;
  std::map<RowKind, std::pair<size_t, size_t>> rows;  // count, entries
  std::vector<bool> alone(sorted.equations.size(), false);
  for (size_t b = 0; b < sorted.blocks(); ++b) {
    if (sorted.Block(b).size() == 1) alone[sorted.Block(b)[0]] = true;
  }
  for (uint32_t k = 0; k < sorted.equations.size(); ++k) {
    const SortedEquation& e = sorted.equations[k];
    const EquationSystem::Source source = system.SourceOf(e.equation);
    if (source.part == nullptr) {
      auto& [count, entries] = rows[system.row_kind[source.local]];
      ++count;
      entries += system.row_first[source.local + 1] - system.row_first[source.local];
      continue;
    }
    Key key{source.part->scalar, source.local, e.times, UINT32_MAX, 0};
    const uint32_t slot = sorted.slot_of_equation[k];
    for (const ScalarUse& use : sorted.derived->Get(key.scalar, key.local, key.times).uses) {
      const VariableRef ref = system.Resolve(*source.part, use.variable);
      if (ref.variable == UINT32_MAX || sorted.Slot({ref.variable, ref.order + use.order}) != slot) continue;
      if (alone[k]) key.variable = use.variable, key.order = use.order;
      break;
    }
    ++forms[key];
  }
  DocumentSection& causal =
      begin("terminal", "Terminal equations in causal form",
            "Equations of one class solved for the same unknown are one line, in the names of the class.");
  TableItem solved{{"class", "times", "equation"}, "lrl", {}};
  for (const auto& [key, count] : forms) {
    constexpr size_t kMostRows = 400;
    if (solved.rows.size() >= kMostRows) break;
    const DerivedEquation& derived = sorted.derived->Get(key.scalar, key.local, key.times);
    PrintOptions print;
    print.unicode = true;
    print.digits = 6;
    print.limit = 400;
    std::string text = "0 = " + PrintText(pool, derived.residual, print) + " (in a block)";
    if (key.variable != UINT32_MAX) {
      const SymbolId symbol = pool.SymbolOfOrder(system.scalars[key.scalar].variables[key.variable].symbol,
                                                 static_cast<int>(key.order));
      if (const auto solution = SolveFor(pool, derived.residual, symbol))
        text = PrintText(pool, pool.Symbol(symbol), print) + " = " + PrintText(pool, solution->value, print);
    }
    solved.rows.push_back(
        {{{key.scalar < graph.elements.size() ? name(key.scalar) : "added"}, {Count(count)}, {text}}});
  }
  causal.items.emplace_back(std::move(solved));
  DocumentSection& topology =
      begin("topology", "Cut-sets and circuits",
            "Secondary variables by topology alone, in their true dependences; long ones share sums.");
  TableItem shape{{"kind", "equations", "terms on average"}, "lrr", {}};
  for (const auto& [kind, counts] : rows) {
    const char* word = kind == RowKind::kCircuit   ? "circuits"
                       : kind == RowKind::kCutSet  ? "cut-sets"
                       : kind == RowKind::kSegment ? "shared sums"
                                                   : "signals of composites";
    const double mean = static_cast<double>(counts.second) / static_cast<double>(counts.first);
    shape.rows.push_back({{{word}, {Count(counts.first)}, {FormatNumber(mean, 3)}}});
  }
  topology.items.emplace_back(std::move(shape));

  // 8. and 9.
  std::map<std::string, size_t> states;
  for (const VariableRef s : sorted.states) {
    std::string owner = "sums";
    std::string variable;
    if (s.variable < system.part_variables) {
      const uint32_t part = system.PartOfVariable(s.variable);
      if (part < graph.components.size()) {
        owner = name(graph.components[part].element.value);
        const ScalarElement& scalar = system.scalars[system.parts[part].scalar];
        PrintOptions print;
        print.unicode = true;
        variable =
            "." + PrintText(pool,
                            pool.Symbol(pool.SymbolOfOrder(
                                scalar.variables[s.variable - system.parts[part].first_variable].symbol,
                                static_cast<int>(s.order))),
                            print);
      } else {
        owner = "added";
      }
    }
    ++states[owner + variable];
  }
  DocumentSection& space = begin("state_space", "States",
                                 Count(sorted.states.size()) + " states; " + Count(sorted.dependent.size()) +
                                     " variables are differentiated but follow from others.");
  TableItem owners{{"state", "times"}, "lr", {}};
  for (const auto& [who, count] : states) owners.rows.push_back({{{who}, {Count(count)}}});
  space.items.emplace_back(std::move(owners));
  std::map<std::pair<int, size_t>, size_t> blocks;
  for (size_t b = 0; b < sorted.blocks(); ++b)
    ++blocks[{static_cast<int>(t.program->kind_of_block[b]), sorted.Block(b).size()}];
  DocumentSection& order =
      begin("blocks", "The order of computation",
            Count(sorted.equations.size()) + " equations in " + Count(sorted.blocks()) + " blocks, " +
                Count(t.program->kernels()) + " kernels: runs of the same code over many components.");
  TableItem sizes{{"kind", "equations", "blocks"}, "lrr", {}};
  for (const auto& [key, count] : blocks)
    sizes.rows.push_back({{{std::string(BlockKindName(static_cast<BlockKind>(key.first)))},
                           {Count(key.second)},
                           {Count(count)}}});
  order.items.emplace_back(std::move(sizes));
  return out;
}

}  // namespace cotree
