// SPDX-License-Identifier: Apache-2.0
#include "derivation/derive.h"

#include <algorithm>
#include <set>

#include "base/plural.h"
#include "derivation/describe_events.h"
#include "derivation/describe_state_space.h"
#include "derivation/solved_equation.h"
#include "drawing/describe_mechanism.h"
#include "model/describe_model.h"
#include "normal_tree/reasons.h"
#include "normal_tree/views.h"
#include "system_graph/incidence.h"

namespace cotree {
namespace {

constexpr size_t kMostComponents = 150, kMostEquations = 1500;
constexpr size_t kWidestMatrix = 30;

std::string OrderText(int8_t order) {
  return order < 0 ? "-" : std::to_string(order);
}

class Steps {
 public:
  Steps(Translation& t, const StateSpace& space, const std::string& picture, Document* document)
      : t_(t),
        model_(*t.equations->model),
        pool_(t.equations->model->expressions),
        graph_(*t.graph),
        sorted_(*t.sorted),
        space_(space),
        picture_(picture),
        document_(document) {}

  std::vector<DocumentSection> Run() {
    Components();
    Graph();
    Mechanism();
    Classes();
    Tree();
    Terminal();
    Topology();
    Substitution();
    Blocks();
    Evaluation();
    return std::move(out_);
  }

 private:
  DocumentSection& Begin(const std::string& id, const std::string& title, const std::string& reason) {
    out_.push_back({id, std::to_string(out_.size() + 1) + ". " + title, {}});
    out_.back().items.emplace_back(TextItem{reason});
    return out_.back();
  }
  std::string Component(ComponentId id) const { return ComponentName(model_, graph_, id); }
  std::string ComponentOfEdge(EdgeId e) const { return Component(graph_.edges[e.index()].component); }
  std::string Edge(EdgeId e) const { return EdgeName(model_, graph_, e); }
  std::string DomainName(DomainId id) const { return model_.Text(model_.domains[id.index()].name); }
  std::string Variable(EdgeId e, bool across) const {
    const GraphEdge& edge = graph_.edges[e.index()];
    const uint32_t local = e.value - graph_.components[edge.component.index()].first_edge;
    return t_.equations->VariableName(t_.equations->parts[edge.component.index()].first_variable + 2 * local +
                                      (across ? 0 : 1));
  }
  // A symbol in the names of the system, known to the page as one of its component.
  ExprId Symbol(const std::string& name, const std::string& component) {
    const ExprId symbol = SymbolOfName(pool_, name);
    document_->component_of.emplace(pool_.symbol(pool_.SymbolOf(symbol)).base.value, component);
    return symbol;
  }
  // All symbols of an expression in the names of the system.
  void Own(ExprId expr) {
    ExprOrder order;
    FindOrder(pool_, std::span(&expr, 1), &order);
    for (const ExprId id : order.nodes) {
      if (!pool_.IsSymbol(id)) continue;
      const SymbolId base = pool_.symbol(pool_.SymbolOf(id)).base;
      std::string name(pool_.SymbolName(base));
      while (!name.empty() && !components_.contains(name)) {
        const size_t dot = name.rfind('.');
        name = dot == std::string::npos ? "" : name.substr(0, dot);
      }
      document_->component_of.emplace(base.value, name);
    }
  }

  void Components();
  void Graph();
  void Mechanism();
  void Classes();
  void Tree();
  void Terminal();
  void Topology();
  void Substitution();
  void Blocks();
  void Evaluation();
  MatrixItem ForestMatrix(const DomainGraph& domain, const ForestView& view, bool circuits) const;

  Translation& t_;
  const Model& model_;
  ExprPool& pool_;
  const SystemGraph& graph_;
  const SortedSystem& sorted_;
  const StateSpace& space_;
  const std::string& picture_;
  Document* document_;
  std::set<std::string> components_;
  std::vector<DocumentSection> out_;
};

void Steps::Components() {
  DocumentSection& s =
      Begin("components", "Components and their terminal graphs",
            "Each component is a small graph: its terminals are vertices, its edges carry one across and one "
            "through variable. Signal components have no edges; they pass values along arrows.");
  TableItem table{{"component", "class", "terminal graph"}, "lll", {}};
  for (uint32_t i = 1; i < graph_.components.size(); ++i) {
    const ComponentId id(i);
    const ElementClass& element = graph_.ElementOf(id);
    components_.insert(Component(id));
    if (element.composite) continue;
    const auto& c = graph_.components[i];
    std::string edges;
    for (uint32_t k = 0; k < element.edges.size(); ++k) {
      const EdgeId e(c.first_edge + k);
      const ElementEdge& edge = element.edges[k];
      const auto terminal = [&](uint32_t slot) {
        std::string name = TerminalName(model_, graph_, id, slot);
        return name.substr(name.rfind('.') + 1);
      };
      const std::string name = Edge(e);
      edges += (edges.empty() ? "" : "; ") + name.substr(std::min(name.size(), Component(id).size() + 1)) +
               (name == Component(id) ? "" : ": ") + terminal(edge.from) + " → " +
               (edge.to == UINT32_MAX ? "reference" : terminal(edge.to)) + " (" + DomainName(edge.domain) +
               ")";
    }
    if (element.edges.empty())
      edges = model_[element.class_id].spatial.IsNone() ? "signals only" : "in space";
    table.rows.push_back(
        {{{Component(id)}, {model_.Text(model_[element.class_id].name)}, {edges}}, Component(id)});
  }
  s.items.emplace_back(std::move(table));
}

void Steps::Graph() {
  DocumentSection& s =
      Begin("graph", "The system graph",
            "Connected terminals become one vertex: the terminal graphs merge into one graph a domain, each "
            "with its reference vertex. " +
                Plural(graph_.vertex_count(), "vertex", "vertices") + ", " +
                Plural(graph_.edges.size(), "edge") + " in " + Plural(graph_.domains.size(), "domain") + ".");
  if (!picture_.empty())
    s.items.emplace_back(PictureItem{"System graph; branches of the normal tree are bold", picture_, ""});
  for (const DomainGraph& domain : graph_.domains) {
    if (domain.edges.empty() || domain.edges.size() > kWidestMatrix || domain.vertex_count > kWidestMatrix)
      continue;
    for (const bool reduced : {false, true}) {
      const IncidenceView view(graph_, domain, reduced);
      MatrixItem matrix;
      matrix.name = reduced ? "A" : "A_full";
      for (uint32_t c = 0; c < view.columns(); ++c)
        matrix.columns.push_back(
            {Edge(view.EdgeOfColumn(c)), ExprId(), ComponentOfEdge(view.EdgeOfColumn(c))});
      for (uint32_t r = 0; r < view.rows(); ++r) {
        matrix.rows.push_back({VertexName(model_, graph_, view.VertexOfRow(r)), ExprId(), ""});
        matrix.entries.emplace_back();
        for (uint32_t c = 0; c < view.columns(); ++c)
          matrix.entries.back().push_back(pool_.Number(view.At(r, c)));
      }
      s.items.emplace_back(TextItem{
          DomainName(domain.domain) +
          (reduced ? ": the same without the reference vertex, whose row is minus the sum of the others"
                   : ": incidence matrix, +1 where an edge leaves a vertex, -1 where it arrives")});
      s.items.emplace_back(std::move(matrix));
    }
  }
}

// What moves in space: rigid bodies, joints, and which of them give coordinates.
void Steps::Mechanism() {
  if (t_.mechanism.empty()) return;
  const cotree::Mechanism& m = t_.mechanism;
  DocumentSection& s = Begin(
      "mechanism", "Bodies and joints",
      "Bodies that are rigidly joined are one. A tree of joints reaches every body from the world: its "
      "joints give the "
      "coordinates; each other joint closes a loop, which adds conditions and the forces that hold them. " +
          Plural(m.composites.size() - 1, "rigid body", "rigid bodies") + ", " +
          Plural(m.joints.size(), "joint") + ", " +
          Plural(t_.motion.degrees, "degree of freedom", "degrees of freedom") + ".");
  const auto body = [&](uint32_t c) { return CompositeName(model_, graph_, m, c); };
  TableItem bodies{{"rigid body", "made of"}, "ll", {}};
  for (uint32_t c = 1; c < m.composites.size(); ++c) {
    std::string members;
    for (const ComponentId id : m.composites[c].bodies)
      members += (members.empty() ? "" : ", ") + Component(id);
    bodies.rows.push_back({{{body(c)}, {members.empty() ? "no mass" : members}}, body(c)});
  }
  s.items.emplace_back(std::move(bodies));
  TableItem joints{{"joint", "kind", "in the tree"}, "lll", {}};
  for (uint32_t k = 0; k < m.joints.size(); ++k) {
    if (m.joints[k].component.IsNone()) continue;
    const ComponentClass& cls = graph_.ClassOf(model_, m.joints[k].component);
    joints.rows.push_back(
        {{{Component(m.joints[k].component)}, {model_.Text(cls.name)}, {RoleText(RoleOf(m, k))}},
         Component(m.joints[k].component)});
  }
  s.items.emplace_back(std::move(joints));
  s.items.emplace_back(
      TextItem{"Their equations: velocities and accelerations of each body from those of the body before it "
               "and of the joint between; mass "
               "matrix M by projecting composite inertias (a body with all that hangs on it) on the axes of "
               "the joints; V and G from Newton's "
               "and Euler's equations with accelerations of the joints 0, from the last body to the first. "
               "All in the axes of the bodies, so "
               "that only relative angles appear. The state space below has them "
               "in closed form."});
}

void Steps::Classes() {
  DocumentSection& s = Begin("classes", "Classes of the edges",
                             "What a tree is good for depends on how often an edge's own variables are "
                             "differentiated in its terminal equation: an edge "
                             "whose across variable has the higher order wants to be a branch, one whose "
                             "through variable has it a chord; drivers of an "
                             "across variable must be branches, drivers of a through variable chords.");
  TableItem table{{"edge", "across", "order", "through", "order", "kinds", "wants to be"}, "llrlrll", {}};
  for (uint32_t i = 0; i < graph_.edges.size(); ++i) {
    const EdgeId e(i);
    const ElementEdge& edge = graph_.ElementEdgeOf(e);
    const bool joint = !graph_.ClassOf(model_, graph_.edges[i].component).spatial.IsNone();
    const std::string wish = joint                                    ? "branch (moves bodies in space)"
                             : edge.fixes_across                      ? "branch (drives its across variable)"
                             : edge.fixes_through                     ? "chord (drives its through variable)"
                             : edge.across_order > edge.through_order ? "branch"
                             : edge.across_order < edge.through_order ? "chord"
                                                                      : "either";
    table.rows.push_back({{{Edge(e)},
                           {Variable(e, true)},
                           {OrderText(edge.across_order)},
                           {Variable(e, false)},
                           {OrderText(edge.through_order)},
                           {joint ? "joint" : KindsText(edge.kinds)},
                           {wish}},
                          ComponentOfEdge(e)});
  }
  if (!table.rows.empty()) s.items.emplace_back(std::move(table));
}

void Steps::Tree() {
  const std::vector<EdgeId> branches = TreeEdges(t_.tree);
  DocumentSection& s =
      Begin("tree", "The normal tree",
            "Among all spanning forests the one in which most storage keeps a state of its own: " +
                Plural(branches.size(), "branch", "branches") + ", " +
                Plural(graph_.edges.size() - branches.size(), "chord") + ", order " +
                std::to_string(t_.tree.degree) +
                ". The across variable of a branch and the through variable of a chord are primary: "
                "equations are written in them.");
  const std::vector<DependentStorage> dependent =
      FindDependentStorage(model_, graph_, t_.equations->scalars, t_.tree);
  TableItem table{{"edge", "in the tree", "primary", "why"}, "llll", {}};
  for (uint32_t i = 0; i < graph_.edges.size(); ++i) {
    const EdgeId e(i);
    const bool across = t_.tree.InTree(e), through = t_.tree.InThroughTree(e);
    const ElementEdge& edge = graph_.ElementEdgeOf(e);
    std::string why;
    const auto found = std::find_if(dependent.begin(), dependent.end(),
                                    [&](const DependentStorage& d) { return d.edge == e; });
    if (found != dependent.end())
      why = "storage without a state of its own: " + found->text;
    else if (!graph_.ClassOf(model_, graph_.edges[i].component).spatial.IsNone())
      why = "coordinate of a joint: stores what the bodies behind it store";
    else if ((edge.kinds & kStores) != 0)
      why = "storage with a state of its own: " + Variable(e, edge.across_order >= edge.through_order);
    else if ((edge.kinds & kDrives) != 0)
      why = "driver";
    else if (edge.kinds == 0)
      why = "sensor: no power";
    else
      why = across ? "joins its vertices to the tree" : "closes a circuit";
    table.rows.push_back(
        {{{Edge(e)},
          {across && through ? "branch"
           : across          ? "branch for circuits"
           : through         ? "branch for cut-sets"
                             : "chord"},
          {across    ? through ? Variable(e, true) : Variable(e, true) + ", " + Variable(e, false)
              : through ? "-"
                     : Variable(e, false)},
          {why}},
         ComponentOfEdge(e)});
  }
  if (!table.rows.empty()) s.items.emplace_back(std::move(table));
}

void Steps::Terminal() {
  DocumentSection& s = Begin("terminal", "Terminal equations in causal form",
                             "Each component's own equations, solved for the unknown that the ordering gave "
                             "them; those in a bracket of unknowns are "
                             "solved together later and stay as they were written.");
  EquationsItem equations;
  for (uint32_t k = 0; k < sorted_.equations.size(); ++k) {
    const SortedEquation& e = sorted_.equations[k];
    const EquationSystem::Source source = t_.equations->SourceOf(e.equation);
    if (source.part == nullptr) continue;
    const uint32_t slot = sorted_.slot_of_equation[k];
    if (t_.equations->IsInner(sorted_.OfSlot(slot).variable) ||
        (!t_.motion.empty() && e.equation < t_.equations->part_equations &&
         t_.equations->PartOfEquation(e.equation) >= graph_.components.size()))
      continue;
    const std::string owner = Component(ComponentId(source.part->component));
    const auto right = SolvedRight(sorted_, k);
    if (!right) {
      const ExprId residual = InSystemNames(
          sorted_, *source.part, sorted_.derived->Get(source.part->scalar, source.local, e.times).residual);
      Own(residual);
      equations.rows.push_back({ExprId(), residual, owner, "cannot be solved for " + sorted_.SlotName(slot)});
      continue;
    }
    Own(*right);
    equations.rows.push_back({Symbol(sorted_.SlotName(slot), owner), *right, owner});
  }
  s.items.emplace_back(std::move(equations));
}

MatrixItem Steps::ForestMatrix(const DomainGraph& domain, const ForestView& view, bool circuits) const {
  const auto inside = [&](EdgeId e) { return &graph_.DomainOf(graph_.edges[e.index()].from) == &domain; };
  MatrixItem matrix;
  matrix.name = circuits ? "[B_T 1]" : "[1 A_C]";
  std::vector<EdgeId> columns;
  for (const auto* list : {&view.branches, &view.chords}) {
    for (const EdgeId e : *list) {
      if (inside(e)) columns.push_back(e);
    }
  }
  for (const EdgeId e : columns) matrix.columns.push_back({Edge(e), ExprId(), ComponentOfEdge(e)});
  const auto& own = circuits ? view.chords : view.branches;
  const auto& rows = circuits ? view.circuits : view.cut_sets;
  for (size_t r = 0; r < own.size(); ++r) {
    if (!inside(own[r])) continue;
    matrix.rows.push_back({Edge(own[r]), ExprId(), ComponentOfEdge(own[r])});
    matrix.entries.emplace_back();
    for (const EdgeId e : columns) {
      int sign = 0;
      for (const SignedEdge& entry : rows[r]) sign = entry.edge == e ? entry.sign : sign;
      matrix.entries.back().push_back(pool_.Number(sign));
    }
  }
  return matrix;
}

void Steps::Topology() {
  DocumentSection& s = Begin(
      "topology", "Cut-sets and circuits",
      "The secondary variables follow by topology alone: the through variable of a branch from its "
      "fundamental cut-set (what flows across a cut sums to zero), the across variable of a chord from its "
      "fundamental circuit (around it they sum to zero).");
  const ForestView circuits = ViewForest(graph_, TreeEdges(t_.tree));
  const ForestView cut_sets = ViewForest(graph_, ThroughTreeEdges(t_.tree));
  for (const DomainGraph& domain : graph_.domains) {
    if (domain.edges.empty() || domain.edges.size() > kWidestMatrix) continue;
    for (const bool around : {false, true}) {
      MatrixItem matrix = ForestMatrix(domain, around ? circuits : cut_sets, around);
      if (matrix.entries.empty()) continue;
      s.items.emplace_back(TextItem{DomainName(domain.domain) +
                                    (around ? ": fundamental circuits, row · across variables = 0"
                                            : ": fundamental cut-sets, row · through variables = 0")});
      s.items.emplace_back(std::move(matrix));
    }
  }
  EquationsItem equations;
  const EquationSystem& system = *t_.equations;
  for (uint32_t row = 0; row < system.row_defined.size(); ++row) {
    std::vector<ExprId> terms;
    for (uint32_t k = system.row_first[row]; k < system.row_first[row + 1]; ++k) {
      const RowEntry& entry = system.row_entries[k];
      const ExprId x = SymbolOfName(pool_, system.VariableName(entry.variable, entry.order));
      terms.push_back(entry.sign < 0 ? pool_.Negate(x) : x);
    }
    const ExprId right = pool_.Sum(terms),
                 left = SymbolOfName(pool_, system.VariableName(system.row_defined[row]));
    Own(right);
    Own(left);
    const std::string component = document_->component_of[pool_.symbol(pool_.SymbolOf(left)).base.value];
    equations.rows.push_back({left, right, component});
  }
  if (!equations.rows.empty()) s.items.emplace_back(std::move(equations));
}

void Steps::Substitution() {
  DocumentSection& s = Begin(
      "state_space", "Substitution: the state space",
      "Everything that is not a state is put in: of " + Plural(sorted_.equations.size(), "equation") + ", " +
          Plural(space_.definitions.size(), "definition") + " and " +
          Plural(space_.derivatives.size(), "derivative") + " remain" +
          (space_.groups.empty()
               ? "."
               : ", and " + Plural(space_.groups.size(), "group") + " of equations that hold together."));
  for (DocumentSection section : {DescribeEquations(pool_, space_), DescribeNames(pool_, space_),
                                  DescribeParameters(pool_, space_, document_->digits)}) {
    for (DocumentItem& item : section.items) s.items.push_back(std::move(item));
  }
}

void Steps::Blocks() {
  DocumentSection& s = Begin(
      "blocks", "The order of computation",
      "Equations and software components are sorted together: each block needs only states and what stands "
      "above it (block lower triangular form). Unknowns that need each other share a block.");
  TableItem table{{"block", "kind", "unknowns", "from"}, "rlll", {}};
  size_t inner = 0;
  for (size_t b = 0; b < sorted_.blocks(); ++b) {
    std::string unknowns, from;
    std::set<std::string> origins;
    for (const uint32_t k : sorted_.Block(b)) {
      unknowns += (unknowns.empty() ? "" : ", ") + sorted_.SlotName(sorted_.slot_of_equation[k]);
      const std::string origin = t_.equations->EquationOrigin(sorted_.equations[k].equation);
      if (origins.insert(origin).second) from += (from.empty() ? "" : ", ") + origin;
    }
    const EquationSystem::Source source =
        t_.equations->SourceOf(sorted_.equations[sorted_.Block(b)[0]].equation);
    if (source.part != nullptr && sorted_.Block(b).size() == 1 &&
        t_.equations->IsInner(sorted_.OfSlot(sorted_.slot_of_equation[sorted_.Block(b)[0]]).variable)) {
      ++inner;
      continue;
    }
    table.rows.push_back({{{std::to_string(b + 1)},
                           {std::string(BlockKindName(t_.program->kind_of_block[b]))},
                           {unknowns},
                           {from}},
                          source.part != nullptr ? Component(ComponentId(source.part->component)) : ""});
  }
  if (inner > 0)
    s.items.emplace_back(
        TextItem{"Numbers are left out where a block computes only an intermediate result of "
                 "the mechanism: " +
                 Plural(inner, "block is", "blocks are") + " not listed."});
  s.items.emplace_back(std::move(table));
  for (DocumentItem& item : DescribePattern(t_)) s.items.push_back(std::move(item));
}

void Steps::Evaluation() {
  DocumentSection& s =
      Begin("evaluation", "One evaluation", "What happens at each minor and major step of the integration:");
  size_t implicit = 0, software = 0;
  for (const BlockKind kind : t_.program->kind_of_block) {
    implicit +=
        kind == BlockKind::kLinearConstant || kind == BlockKind::kLinear || kind == BlockKind::kNonlinear;
    software += kind == BlockKind::kSoftware;
  }
  ListItem list;
  list.items.push_back("the integrator gives the time and " + Plural(sorted_.states.size(), "state"));
  list.items.push_back(
      "the " + Plural(sorted_.blocks(), "block is", "blocks are") + " evaluated from the first to the last" +
      (implicit > 0 ? ", " + Plural(implicit, "of them solves", "of them solve") + " for several unknowns"
                    : "") +
      (software > 0 ? "; outputs of software components are evaluated where they stand in the order (" +
                          Plural(software, "block") + ")"
                    : ""));
  if (!t_.program->foreign.empty())
    list.items.push_back(
        "derivative functions of software components run last: all their inputs are known by then");
  list.items.push_back("the derivatives go back to the integrator");
  if (t_.program->HasEvents())
    list.items.push_back(
        "at events and samples the discrete variables change, and the blocks are evaluated again until "
        "nothing changes");
  s.items.emplace_back(std::move(list));
  for (DocumentItem& item : DescribeEvents(sorted_).items) s.items.push_back(std::move(item));
}

}  // namespace

bool IsSmallEnoughToDerive(const Translation& t) {
  return t.graph->components.size() <= kMostComponents && t.sorted->equations.size() <= kMostEquations;
}

std::vector<DocumentSection> DeriveSteps(Translation& t, const StateSpace& space, const std::string& picture,
                                         Document* document) {
  return Steps(t, space, picture, document).Run();
}

std::vector<DocumentItem> DescribePattern(const Translation& t) {
  constexpr size_t kMost = 1200;
  const SortedSystem& sorted = *t.sorted;
  const size_t n = sorted.equations.size();
  std::vector<DocumentItem> out;
  if (n > kMost || n == 0) return out;
  std::vector<uint32_t> columns(sorted.slots(), UINT32_MAX), rank(n);  // in the order
  for (uint32_t at = 0; at < n; ++at) {
    rank[sorted.block_equations[at]] = at;
    columns[sorted.slot_of_equation[sorted.block_equations[at]]] = at;
  }
  // As written: equations by number, unknowns by slot.
  std::vector<uint32_t> slots(sorted.slot_of_equation.begin(), sorted.slot_of_equation.end());
  std::sort(slots.begin(), slots.end());
  const auto component = [&](uint32_t k) -> std::string {
    const EquationSystem::Source source = sorted.system->SourceOf(sorted.equations[k].equation);
    return source.part == nullptr
               ? ""
               : ComponentName(*sorted.system->model, *t.graph, ComponentId(source.part->component));
  };
  for (const bool after : {false, true}) {
    PatternItem item;
    item.title = after ? "in order: block lower triangular" : "as written";
    for (uint32_t at = 0; at < n; ++at) {
      const uint32_t k = after ? sorted.block_equations[at] : at;
      item.rows.push_back({sorted.EquationText(k), component(k)});
      const uint32_t slot = after ? sorted.slot_of_equation[k] : slots[at];
      item.columns.push_back({sorted.SlotName(slot), ""});
      std::set<uint32_t> used;
      sorted.OverUses(k, [&](uint32_t v, uint32_t order) {
        const uint32_t s = sorted.Slot({v, order});
        if (columns[s] == UINT32_MAX) return;
        used.insert(
            after ? columns[s]
                  : static_cast<uint32_t>(std::lower_bound(slots.begin(), slots.end(), s) - slots.begin()));
      });
      for (const uint32_t c : used) item.cells.emplace_back(at, c);
    }
    if (after) {
      for (size_t b = 0; b < sorted.blocks(); ++b) {
        static constexpr const char* kWords[] = {"explicit",        "sum",    "software",
                                                 "linear_constant", "linear", "nonlinear"};
        item.blocks.push_back({sorted.block_first[b], sorted.block_first[b + 1] - sorted.block_first[b],
                               kWords[static_cast<size_t>(t.program->kind_of_block[b])]});
      }
    }
    out.emplace_back(std::move(item));
  }
  return out;
}

std::vector<DocumentComponent> DescribeComponents(const Translation& t) {
  constexpr size_t kMost = 2000;
  const Model& model = *t.equations->model;
  std::vector<DocumentComponent> out;
  for (uint32_t i = 1; i < t.graph->components.size() && i < kMost; ++i) {
    const ElementClass& element = t.graph->ElementOf(ComponentId(i));
    const ComponentClass& cls = model[element.class_id];
    DocumentComponent c{
        ComponentName(model, *t.graph, ComponentId(i)), model.Text(cls.name), cls.documentation, {}, 0};
    std::set<std::string> domains;
    for (const ElementEdge& edge : element.edges)
      domains.insert(model.Text(model.domains[edge.domain.index()].name));
    if (!cls.spatial.IsNone()) domains.insert("mechanics");
    if (domains.empty() && !element.composite) domains.insert("signal");
    c.domains.assign(domains.begin(), domains.end());
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace cotree
