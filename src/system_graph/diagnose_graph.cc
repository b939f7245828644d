// SPDX-License-Identifier: Apache-2.0
#include "system_graph/diagnose_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "expr/dependence.h"
#include "graph/union_find.h"
#include "system_graph/diagnostics.h"
#include "system_graph/words.h"

namespace cotree {

namespace messages = system_graph_messages;

namespace {

/** What to recommend in a domain; the library's own names. */
struct Remedy {
  const char* domain;
  const char* in_circuit;  // breaks a circuit of across drivers
  const char* at_joint;    // determines the potential where only through drivers meet
};
constexpr Remedy kRemedies[] = {
    {"electrical", "a `Resistor` (every real source has an internal resistance)",
     "a `Resistor` or a `Capacitor`"},
    {"rotational", "a `TorsionSpring` or a `RotationalDamper` (no real shaft is rigid)",
     "an `Inertia`, a `TorsionSpring` or a `RotationalDamper`"},
    {"translational", "a `Spring` or a `Damper` (no real rod is rigid)",
     "a `Mass`, a `Spring` or a `Damper`"},
    {"hydraulic", "a `LaminarResistance` (every real line has one)", "a `Chamber` or a `LaminarResistance`"},
    {"thermal", "a `ThermalResistor`", "a `HeatCapacity` or a `ThermalResistor`"},
};

class GraphDoctor {
 public:
  GraphDoctor(const Model& model, const SystemGraph& graph, Diagnostics& diagnostics)
      : model_(model), graph_(graph), diagnostics_(diagnostics) {}

  void Run() {
    Terminals();
    for (const DomainGraph& domain : graph_.domains) {
      ShortCircuits(domain);
      Islands(domain);
      AcrossCircuits(domain);
      ThroughCutSets(domain);
    }
  }

 private:
  static constexpr size_t kMostOfAKind = 20;

  std::string DomainName(const DomainGraph& domain) const {
    return model_.Text(model_.domains[domain.domain.index()].name);
  }
  std::string NameOf(ComponentId id) const { return ComponentName(model_, graph_, id); }
  ComponentId ComponentOf(EdgeId id) const { return graph_.edges[id.index()].component; }
  const Remedy* RemedyFor(const DomainGraph& domain) const {
    const std::string name = DomainName(domain);
    for (const Remedy& remedy : kRemedies) {
      if (name == remedy.domain) return &remedy;
    }
    return nullptr;
  }
  // Inside a composite the place is the class's text, so say which component it is about.
  void SayWhere(Diagnostic& report, ComponentId id) const {
    const Component& c = graph_.components[id.index()];
    if (c.scope == UINT32_MAX) return;
    const ComponentId parent = graph_.scopes[c.scope].parent;
    if (parent.index() == 0) return;
    report.Note("inside `" + NameOf(parent) + "`, a " + model_.Text(graph_.ClassOf(model_, parent).name));
  }
  std::vector<std::string> ComponentNames(const std::vector<EdgeId>& edges) const {
    std::vector<std::string> names;
    std::set<ComponentId> seen;
    for (const EdgeId e : edges) {
      if (seen.insert(ComponentOf(e)).second) names.push_back(NameOf(ComponentOf(e)));
    }
    return names;
  }

  // --- Terminals ---------------------------------------------------------------------------------------

  void Terminals() {
    silent_.assign(graph_.components.size(), false);
    // Arrays are told once: by declaration and terminal.
    std::map<std::pair<uint64_t, size_t>, std::pair<Diagnostic*, size_t>> told;
    std::map<uint64_t, std::pair<Diagnostic*, size_t>> told_whole;
    for (uint32_t i = 1; i < graph_.components.size(); ++i) {
      const Component& c = graph_.components[i];
      const ElementClass& element = graph_.elements[c.element.index()];
      const uint32_t count = element.terminals();
      uint32_t open = 0;
      for (uint32_t t = 0; t < count; ++t) open += graph_.connected[c.first_terminal + t] ? 0u : 1u;
      if (open == 0) continue;
      const ComponentClass& cls = model_[element.class_id];
      const ComponentId id(i);
      if (open == count && !AllOptional(cls) && !HasFrames(cls)) {
        silent_[i] = true;
        auto& [report, more] = told_whole[DeclarationKey(graph_, id)];
        if (report == nullptr) {
          report = &diagnostics_.Report(messages::kUnconnectedComponent, ComponentPlace(model_, graph_, id),
                                        {NameOf(id)});
          report->Label(count == 1 ? "its terminal is `" + model_.Text(cls.terminals[0].name) + "`"
                                   : "its terminals are " + TerminalList(cls));
          SayWhere(*report, id);
        } else {
          ++more;
        }
        continue;
      }
      for (uint32_t t = 0; t < count; ++t) {
        const uint32_t terminal = element.slot_terminal[t];
        if (graph_.connected[c.first_terminal + t] || cls.terminals[terminal].optional ||
            model_.domains[cls.terminals[terminal].domain.index()].spatial)
          continue;
        auto& [report, more] = told[{DeclarationKey(graph_, id), terminal}];
        if (report != nullptr) {
          ++more;
          continue;
        }
        const std::string name = TerminalName(model_, graph_, id, t);
        report =
            &diagnostics_.Report(messages::kUnconnectedTerminal, ComponentPlace(model_, graph_, id), {name});
        report->Label("`" + model_.Text(cls.terminals[terminal].name) + "` is missing");
        SayWhere(*report, id);
        const DomainId domain = cls.terminals[terminal].domain;
        const std::string domain_name = model_.Text(model_.domains[domain.index()].name);
        if (open < count && element.edges.size() == 1)
          report->Note("`" + NameOf(id) + "` is connected on one side only, so no " +
                       ThroughWord(model_, domain) + " can pass");
        report->Help("connect it to what it belongs to: `connect " + Local(id, t) +
                     " -- ...`, or to the reference: `connect " + Local(id, t) + " -- " + domain_name +
                     ".ground`; an end that is meant to be open: `connect " + Local(id, t) + " -- " +
                     domain_name + ".open`");
      }
    }
    for (const auto& [key, entry] : told) {
      if (entry.second > 0) entry.first->Note("and " + std::to_string(entry.second) + " more like it");
    }
    for (const auto& [key, entry] : told_whole) {
      if (entry.second > 0) entry.first->Note("and " + std::to_string(entry.second) + " more like it");
    }
    // A source that nothing reads, where something could. What neither takes nor gives anything is complete.
    const bool company =
        std::any_of(graph_.components.begin() + 1, graph_.components.end(), [&](const Component& c) {
          const ElementClass& element = graph_.elements[c.element.index()];
          return element.terminals() > 0 || !element.slot_variable.empty();
        });
    std::vector<bool> read(graph_.components.size(), false);
    for (const Driver& driver : graph_.drivers) {
      if (!driver.component.IsNone()) read[driver.component.index()] = true;
    }
    std::set<uint64_t> lonely;
    for (uint32_t i = 1; company && i < graph_.components.size(); ++i) {
      const Component& c = graph_.components[i];
      const ElementClass& element = graph_.elements[c.element.index()];
      if (element.composite || element.terminals() > 0 || read[i] || !element.slot_variable.empty() ||
          !model_[element.class_id].spatial.IsNone() || !HasOutput(model_[element.class_id]))
        continue;
      if (!lonely.insert(DeclarationKey(graph_, ComponentId(i))).second) continue;
      if (Mentioned(graph_.scopes[c.scope])) continue;
      auto& report = diagnostics_.Report(
          messages::kLonelySignal, ComponentPlace(model_, graph_, ComponentId(i)), {NameOf(ComponentId(i))});
      SayWhere(report, ComponentId(i));
    }
  }

  // Whether an equation or a plot reads the instance. What a class reads is collected once.
  bool Mentioned(const Scope& scope) {
    const ClassId id = graph_.ElementOf(scope.parent).class_id;
    const ComponentClass& owner = model_[id];
    const auto [at, fresh] = mentioned_.try_emplace(id.value);
    if (fresh) {
      const ExprPool& pool = model_.expressions;
      const auto read = [&, &names = at->second](ExprId expr) {
        if (expr.IsNone()) return;
        for (const Dependence& d : FindDependence(pool, expr)) {
          const std::string_view name = pool.SymbolName(d.base);
          names.insert(name.substr(0, name.find('.')));
        }
      };
      for (const Equation& e : owner.equations) {
        read(e.left);
        read(e.right);
      }
      for (const Association& a : owner.associations) read(a.value);
      for (const Experiment& experiment : model_.experiments) {
        if (experiment.system != id) continue;
        for (const ExprId plot : experiment.plots) read(plot);
      }
    }
    return at->second.count(model_.names.Text(owner.instances[scope.instance].name)) > 0;
  }

  // A frame may lead to nothing: what is massless is found by mechanics.
  bool HasFrames(const ComponentClass& cls) const {
    return std::any_of(cls.terminals.begin(), cls.terminals.end(),
                       [&](const Terminal& t) { return model_.domains[t.domain.index()].spatial; });
  }
  static bool HasOutput(const ComponentClass& cls) {
    return std::any_of(cls.variables.begin(), cls.variables.end(),
                       [](const Variable& v) { return v.role == VariableRole::kOutput; });
  }
  static bool AllOptional(const ComponentClass& cls) {
    return std::all_of(cls.terminals.begin(), cls.terminals.end(),
                       [](const Terminal& t) { return t.optional; });
  }
  std::string TerminalList(const ComponentClass& cls) const {
    std::vector<std::string> names;
    for (const Terminal& t : cls.terminals) names.push_back(model_.Text(t.name));
    return ListNames(names);
  }
  // A terminal as the text that contains its component would write it.
  std::string Local(ComponentId id, uint32_t slot) const {
    const std::string whole = TerminalName(model_, graph_, id, slot);
    const Component& c = graph_.components[id.index()];
    const std::string parent = c.scope == UINT32_MAX ? "" : NameOf(graph_.scopes[c.scope].parent);
    return parent.empty() ? whole : whole.substr(parent.size() + 1);
  }

  // Whether a source follows a signal that comes from the graph itself: then it prescribes nothing by itself
  // (a voltage source that follows its own current is a resistor).
  bool Follows(ComponentId id) {
    if (graph_.ElementOf(id).slot_variable.empty()) return false;
    if (follows_.empty()) {
      follows_.assign(graph_.components.size(), false);
      const LargeVector<Driver> drivers = ResolveDrivers(model_, graph_);
      std::vector<std::vector<uint32_t>> readers(graph_.components.size());
      std::vector<uint32_t> work;
      for (uint32_t i = 0; i < graph_.components.size(); ++i) {
        const Component& c = graph_.components[i];
        for (size_t s = 0; s < graph_.elements[c.element.index()].slot_variable.size(); ++s) {
          const ComponentId from = drivers[c.first_input + s].component;
          if (from.IsNone()) continue;
          if (!graph_.ElementOf(from).edges.empty() || graph_.ElementOf(from).composite) {
            if (!follows_[i]) work.push_back(i);
            follows_[i] = true;
          } else {
            readers[from.index()].push_back(i);
          }
        }
      }
      while (!work.empty()) {
        const uint32_t at = work.back();
        work.pop_back();
        for (const uint32_t next : readers[at]) {
          if (follows_[next]) continue;
          follows_[next] = true;
          work.push_back(next);
        }
      }
    }
    return follows_[id.index()];
  }

  // --- Edges whose ends are joined ---------------------------------------------------------------------

  void ShortCircuits(const DomainGraph& domain) {
    size_t errors = 0, warnings = 0;
    for (const EdgeId id : domain.edges) {
      const GraphEdge& edge = graph_.edges[id.index()];
      const ElementEdge& e = graph_.ElementEdgeOf(id);
      if (edge.from != edge.to) continue;
      if (e.fixes_across && !Follows(edge.component)) {
        if (++errors > kMostOfAKind) continue;
        auto& report =
            diagnostics_.Report(messages::kAcrossShort, ComponentPlace(model_, graph_, edge.component),
                                {EdgeName(model_, graph_, id), AcrossWord(model_, domain.domain)});
        SayWhere(report, edge.component);
        const ElementClass& element = graph_.ElementOf(edge.component);
        if (!element.zero_parameters.empty()) {
          const std::string zero =
              model_.Text(model_[element.class_id].parameters[element.zero_parameters[0]].name);
          report.Note("it does so because `" + zero + "` is 0");
          report.Help("remove it, or give `" + zero + "` a value");
        } else if (e.kinds == 0) {
          report.Note("so nothing tells how large the " + ThroughWord(model_, domain.domain) +
                      " through it is");
          report.Help("put it in series with what it measures: connect its ends to different places");
        } else if (const Remedy* remedy = RemedyFor(domain))
          report.Help(std::string("connect its ends to different places, with ") + remedy->in_circuit +
                      " between them");
        continue;
      }
      if ((e.kinds & kCouples) != 0 || ++warnings > kMostOfAKind) continue;
      auto& report =
          diagnostics_.Report(messages::kShortCircuited, ComponentPlace(model_, graph_, edge.component),
                              {EdgeName(model_, graph_, id)});
      if (e.to == UINT32_MAX) {
        report.message =
            "`" + EdgeName(model_, graph_, id) + "` is joined to the reference, so it does nothing";
        report.helps.assign(1, "remove it, or connect it elsewhere");
      }
      SayWhere(report, edge.component);
    }
  }

  // --- Islands without a reference ---------------------------------------------------------------------

  uint32_t LocalVertex(const DomainGraph& domain, VertexId v) const {
    return v.value - domain.reference.value;
  }

  void Islands(const DomainGraph& domain) {
    islands_ = UnionFind(domain.vertex_count);
    for (const EdgeId id : domain.edges) {
      const GraphEdge& e = graph_.edges[id.index()];
      islands_.Join(LocalVertex(domain, e.from), LocalVertex(domain, e.to));
    }
    bool whole = true;
    for (uint32_t v = 0; v < domain.vertex_count && whole; ++v) whole = islands_.Find(v) == 0;
    if (whole) return;
    std::map<uint32_t, std::vector<EdgeId>> edges;
    for (const EdgeId id : domain.edges) {
      const uint32_t root = islands_.Find(LocalVertex(domain, graph_.edges[id.index()].from));
      if (root != 0) edges[root].push_back(id);
    }
    size_t reports = 0;
    for (const auto& [root, island] : edges) {
      const bool alone = std::all_of(island.begin(), island.end(),
                                     [&](EdgeId e) { return silent_[ComponentOf(e).index()]; });
      if (alone || ++reports > kMostOfAKind) continue;
      ReportIsland(domain, island);
    }
  }

  // The line to add, and the command that adds it.
  void HelpConnect(Diagnostic& report, ComponentId owner, const std::string& a, const std::string& b) const {
    report.Help("add `connect " + a + " -- " + b + "`");
    if (report.where.file.IsNone()) return;  // too many findings to be kept
    const ComponentClass& scope =
        graph_.ClassOf(model_, graph_.scopes[graph_.components[owner.index()].scope].parent);
    report.Help("or let it be added: `cotree edit-text " + model_.files[report.where.file].path() +
                " connect " + a + " " + b + " --in " + model_.Text(scope.name) + "`");
  }

  void ReportIsland(const DomainGraph& domain, const std::vector<EdgeId>& island) {
    // Where a reference belongs: behind a source, else where most meets.
    std::map<VertexId, size_t> degree;
    const EdgeId* source = nullptr;
    for (const EdgeId& id : island) {
      const GraphEdge& e = graph_.edges[id.index()];
      ++degree[e.from];
      ++degree[e.to];
      const ElementEdge& element = graph_.ElementEdgeOf(id);
      if (source == nullptr && element.fixes_across && (element.kinds & kDrives) != 0 &&
          element.to != UINT32_MAX)
        source = &id;
    }
    VertexId vertex = graph_.edges[island[0].index()].to;
    if (source != nullptr) {
      vertex = graph_.edges[source->index()].to;
    } else {
      for (const auto& [v, n] : degree) {
        if (n > degree[vertex]) vertex = v;
      }
    }
    uint32_t slot = graph_.first_terminal_of_vertex[vertex.index()];
    ComponentId owner = ComponentOfTerminal(graph_, slot);
    if (source != nullptr) {
      const ComponentId c = ComponentOf(*source);
      const auto parent_of = [&](ComponentId id) {
        return graph_.scopes[graph_.components[id.index()].scope].parent;
      };
      if (parent_of(c) == parent_of(owner)) {
        owner = c;
        slot = graph_.components[c.index()].first_terminal + graph_.ElementEdgeOf(*source).to;
      }
    }
    const std::string name = DomainName(domain);
    auto& report = diagnostics_.Report(messages::kNoReference, ComponentPlace(model_, graph_, owner),
                                       {name, ListNames(ComponentNames(island), 5)});
    const std::string terminal = Local(owner, slot - graph_.components[owner.index()].first_terminal);
    report.Label("`" + terminal + "` would be a good place for it");
    report.Note("every " + AcrossWord(model_, domain.domain) +
                " is a difference; somewhere it has to be called 0");
    SayWhere(report, owner);
    if (const ComponentId coupler = CouplerTo(domain, island, vertex); !coupler.IsNone())
      report.Note("`" + NameOf(coupler) +
                  "` passes power between its sides, but does not connect them: each side needs a reference");
    HelpConnect(report, owner, terminal, name + ".ground");
  }

  // A component of the island that has an edge of the same domain elsewhere; it gives power, not a reference.
  ComponentId CouplerTo(const DomainGraph& domain, const std::vector<EdgeId>& island, VertexId inside) {
    for (const EdgeId id : island) {
      const Component& c = graph_.components[ComponentOf(id).index()];
      const auto count = static_cast<uint32_t>(graph_.ElementOf(ComponentOf(id)).edges.size());
      for (uint32_t k = 0; k < count; ++k) {
        const EdgeId other(c.first_edge + k);
        if (graph_.ElementEdgeOf(other).domain != domain.domain) continue;
        const VertexId v = graph_.edges[other.index()].from;
        if (!islands_.Same(LocalVertex(domain, v), LocalVertex(domain, inside))) return ComponentOf(id);
      }
    }
    return ComponentId::None();
  }

  // --- Circuits of across drivers ----------------------------------------------------------------------

  void AcrossCircuits(const DomainGraph& domain) {
    UnionFind forest(domain.vertex_count);
    std::map<uint32_t, std::vector<EdgeId>> tree;  // by vertex: edges of the forest
    size_t reports = 0;
    std::vector<EdgeId> closing;
    for (const EdgeId id : domain.edges) {
      const GraphEdge& e = graph_.edges[id.index()];
      if (!graph_.ElementEdgeOf(id).fixes_across || Follows(e.component)) continue;
      if (e.from == e.to) continue;
      bool joined = false;
      forest.Join(LocalVertex(domain, e.from), LocalVertex(domain, e.to), &joined);
      if (!joined) closing.push_back(id);
    }
    if (closing.empty()) return;
    forest = UnionFind(domain.vertex_count);
    for (const EdgeId id : domain.edges) {
      const GraphEdge& e = graph_.edges[id.index()];
      if (!graph_.ElementEdgeOf(id).fixes_across || Follows(e.component)) continue;
      bool joined = false;
      forest.Join(LocalVertex(domain, e.from), LocalVertex(domain, e.to), &joined);
      if (!joined) continue;
      tree[e.from.value].push_back(id);
      tree[e.to.value].push_back(id);
    }
    for (const EdgeId id : closing) {
      if (++reports > kMostOfAKind) break;
      ReportCircuit(domain, Path(tree, graph_.edges[id.index()].from, graph_.edges[id.index()].to), id);
    }
  }

  // The edges of a forest from one vertex to another.
  std::vector<EdgeId> Path(const std::map<uint32_t, std::vector<EdgeId>>& tree, VertexId from,
                           VertexId to) const {
    std::map<uint32_t, EdgeId> reached{{from.value, EdgeId::None()}};
    std::deque<VertexId> queue{from};
    while (!queue.empty() && reached.count(to.value) == 0) {
      const VertexId v = queue.front();
      queue.pop_front();
      const auto edges = tree.find(v.value);
      if (edges == tree.end()) continue;
      for (const EdgeId id : edges->second) {
        const GraphEdge& e = graph_.edges[id.index()];
        const VertexId other = e.from == v ? e.to : e.from;
        if (reached.try_emplace(other.value, id).second) queue.push_back(other);
      }
    }
    std::vector<EdgeId> path;
    for (VertexId v = to; v != from;) {
      const EdgeId id = reached.at(v.value);
      path.push_back(id);
      const GraphEdge& e = graph_.edges[id.index()];
      v = e.from == v ? e.to : e.from;
    }
    return path;
  }

  // An ideal sensor among the edges of a circuit; empty: none.
  std::string SensorIn(const std::vector<EdgeId>& circuit) const {
    for (const EdgeId id : circuit) {
      const bool zero = !graph_.ElementOf(ComponentOf(id)).zero_parameters.empty();
      if (graph_.ElementEdgeOf(id).kinds == 0 && !zero) return NameOf(ComponentOf(id));
    }
    return {};
  }

  void ReportCircuit(const DomainGraph& domain, std::vector<EdgeId> circuit, EdgeId closing) {
    circuit.push_back(closing);
    std::sort(circuit.begin(), circuit.end());
    std::vector<std::string> names;
    bool all_sensors = true;
    for (const EdgeId id : circuit) {
      names.push_back(EdgeName(model_, graph_, id));
      all_sensors = all_sensors && graph_.ElementEdgeOf(id).kinds == 0;
    }
    const std::string across = AcrossWord(model_, domain.domain),
                      through = ThroughWord(model_, domain.domain);
    auto& report =
        diagnostics_.Report(messages::kAcrossCircuit, ComponentPlace(model_, graph_, ComponentOf(circuit[0])),
                            {ListNames(names, 8), across});
    for (size_t k = 1; k < circuit.size() && k < 8; ++k)
      report.Also(ComponentPlace(model_, graph_, ComponentOf(circuit[k])), "also in the circuit");
    for (const EdgeId id : circuit) {
      const ElementClass& element = graph_.ElementOf(ComponentOf(id));
      if (element.zero_parameters.empty()) continue;
      const ComponentClass& cls = model_[element.class_id];
      report.Note("`" + NameOf(ComponentOf(id)) + "` prescribes it because `" +
                  model_.Text(cls.parameters[element.zero_parameters[0]].name) + "` is 0");
    }
    const std::string sensor = SensorIn(circuit);
    if (all_sensors) {
      report.Note("they all say that the " + across + " is 0, so nothing tells how the " + through +
                  " divides between them");
      report.Help("leave one of them out");
      return;
    }
    report.Note(
        "around a circuit they must add up to 0, so they contradict each other, or agree only by chance; and "
        "the " +
        through + " around it is not determined");
    if (!sensor.empty()) {
      report.Help("`" + sensor + "` measures the " + through + " that passes it and lets no " + across +
                  " stand: put it in series with what it measures, not beside it");
      return;
    }
    if (const Remedy* remedy = RemedyFor(domain))
      report.Help(std::string("put ") + remedy->in_circuit + " into the circuit");
    else
      report.Help("put an element with a resistance into the circuit");
  }

  // --- Cut-sets of through drivers ---------------------------------------------------------------------

  void ThroughCutSets(const DomainGraph& domain) {
    UnionFind parts(domain.vertex_count);
    bool any = false;
    for (const EdgeId id : domain.edges) {
      const GraphEdge& e = graph_.edges[id.index()];
      if (graph_.ElementEdgeOf(id).fixes_through && !Follows(e.component))
        any = true;
      else
        parts.Join(LocalVertex(domain, e.from), LocalVertex(domain, e.to));
    }
    if (!any) return;
    std::map<uint32_t, std::vector<EdgeId>> cuts;  // by part: the drivers that lead into it
    for (const EdgeId id : domain.edges) {
      const GraphEdge& e = graph_.edges[id.index()];
      if (!graph_.ElementEdgeOf(id).fixes_through || Follows(e.component)) continue;
      const uint32_t a = parts.Find(LocalVertex(domain, e.from)), b = parts.Find(LocalVertex(domain, e.to));
      if (a == b) continue;
      for (const uint32_t part : {a, b}) {
        if (part != 0 && islands_.Find(part) == 0) cuts[part].push_back(id);
      }
    }
    size_t reports = 0;
    for (auto& [part, drivers] : cuts) {
      const bool alone = drivers.size() == 1 && OpenEnd(domain, part, drivers[0]);
      if (alone || ++reports > kMostOfAKind) continue;
      ReportCut(domain, parts, part, drivers);
    }
  }

  // A part that is one terminal which nothing is connected to: that has been said.
  bool OpenEnd(const DomainGraph& domain, uint32_t part, EdgeId driver) const {
    const GraphEdge& e = graph_.edges[driver.index()];
    const ElementEdge& element = graph_.ElementEdgeOf(driver);
    const Component& c = graph_.components[e.component.index()];
    const bool from = LocalVertex(domain, e.from) == part;
    const uint32_t slot = from ? element.from : element.to;
    return slot != UINT32_MAX && !graph_.connected[c.first_terminal + slot];
  }

  void ReportCut(const DomainGraph& domain, UnionFind& parts, uint32_t part, std::vector<EdgeId> drivers) {
    std::sort(drivers.begin(), drivers.end());
    std::vector<std::string> names;
    bool all_sensors = true;
    for (const EdgeId id : drivers) {
      names.push_back(EdgeName(model_, graph_, id));
      all_sensors = all_sensors && graph_.ElementEdgeOf(id).kinds == 0;
    }
    // What is inside: components, or the place where the drivers meet.
    std::vector<std::string> inside;
    std::set<ComponentId> seen;
    for (const EdgeId id : domain.edges) {
      const GraphEdge& e = graph_.edges[id.index()];
      if (graph_.ElementEdgeOf(id).fixes_through && !Follows(e.component)) continue;
      if (parts.Find(LocalVertex(domain, e.from)) != part) continue;
      if (seen.insert(e.component).second && inside.size() < 50) inside.push_back(NameOf(e.component));
    }
    std::string where;
    if (inside.empty()) {
      const VertexId v(domain.reference.value + part);
      where = "the joint at `" + VertexName(model_, graph_, v) + "`";
    } else {
      where = "the part with " + ListNames(inside, 4);
    }
    const std::string across = AcrossWord(model_, domain.domain),
                      through = ThroughWord(model_, domain.domain);
    auto& report =
        diagnostics_.Report(messages::kThroughCutSet, ComponentPlace(model_, graph_, ComponentOf(drivers[0])),
                            {ListNames(names, 8), through, where});
    if (drivers.size() == 1)
      report.message = ListNames(names) + " alone prescribes the " + through + " into " + where;
    for (size_t k = 1; k < drivers.size() && k < 8; ++k)
      report.Also(ComponentPlace(model_, graph_, ComponentOf(drivers[k])), "also leads there");
    SayWhere(report, ComponentOf(drivers[0]));
    for (const EdgeId id : drivers) {
      const ElementClass& element = graph_.ElementOf(ComponentOf(id));
      if (!element.zero_parameters.empty())
        report.Note("`" + NameOf(ComponentOf(id)) + "` does so because `" +
                    model_.Text(model_[element.class_id].parameters[element.zero_parameters[0]].name) +
                    "` is 0");
    }
    report.Note(all_sensors ? "an ideal sensor lets no " + through + " pass, so nothing determines the " +
                                  across + " there"
                            : "their sum must be 0 there, so they contradict each other, or agree only by "
                              "chance; and nothing "
                              "determines the " +
                                  across);
    const Remedy* remedy = RemedyFor(domain);
    std::string help = std::string("connect ") +
                       (remedy != nullptr ? remedy->at_joint : "an element that takes up what is left") +
                       " there as well";
    if (all_sensors && !inside.empty()) {
      const VertexId v(domain.reference.value + part);
      help += " that leads to the rest, or give the part a reference: `connect " +
              VertexName(model_, graph_, v) + " -- " + DomainName(domain) + ".ground`";
    }
    report.Help(help);
  }

  const Model& model_;
  const SystemGraph& graph_;
  Diagnostics& diagnostics_;
  std::vector<bool> silent_;  // by component: reported as connected to nothing
  std::map<uint32_t, std::set<std::string_view>> mentioned_;  // by class: the instances that it reads
  std::vector<bool> follows_;  // by component: its inputs depend on the graph; empty: not asked yet
  UnionFind islands_;          // of the domain at work: vertices joined by edges
};

}  // namespace

void DiagnoseGraph(const Model& model, const SystemGraph& graph, Diagnostics& diagnostics) {
  GraphDoctor(model, graph, diagnostics).Run();
}

}  // namespace cotree
