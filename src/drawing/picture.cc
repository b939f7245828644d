// SPDX-License-Identifier: Apache-2.0
#include "drawing/picture.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "base/text_metric.h"
#include "drawing/describe_mechanism.h"
#include "expr/dependence.h"

namespace cotree {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr const char* kSpace = "mechanics, in space";
constexpr size_t kMostBodies = 6;  // named in one composite

std::string ColourOf(const std::string& domain, size_t* further) {
  static constexpr std::pair<const char*, const char*> kKnown[] = {
      {"electrical", "#1f6fd6"}, {"translational", "#3c8c2a"}, {"rotational", "#e07b00"},
      {"hydraulic", "#0a8f8f"},  {"thermal", "#d23b2f"},       {kSpace, "#4d6470"}};
  static constexpr const char* kFurther[] = {"#7a3fc4", "#8a5a2b", "#a08a00", "#2b3f8f", "#a83f6b"};
  for (const auto& [name, colour] : kKnown) {
    if (domain == name) return colour;
  }
  return kFurther[(*further)++ % std::size(kFurther)];
}

// "rack.drive[3].e" -> "rack.drive.e"
std::string WithoutIndices(const std::string& path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    inside = inside || c == '[';
    if (!inside) out += c;
    inside = inside && c != ']';
  }
  return out;
}

// The signs of an edge. Where the across variable has a rate (positions), what has inertia stores by motion,
// what has stiffness by its through variable; elsewhere the variable that is differentiated tells.
std::vector<Glyph> GlyphsOf(const Domain& domain, const ElementEdge& edge) {
  std::vector<Glyph> out;
  if ((edge.kinds & kStores) != 0) {
    if (!domain.rate.IsNone()) {
      out.push_back(edge.across_order >= 2 ? Glyph::kBlock : Glyph::kCoil);
    } else {
      if (edge.through_order >= 1) out.push_back(Glyph::kCoil);
      if (edge.through_order < 1 || edge.across_order >= 1) out.push_back(Glyph::kPlates);
    }
  }
  if ((edge.kinds & kDissipates) != 0) out.push_back(Glyph::kDissipates);
  if ((edge.kinds & kDrives) != 0) out.push_back(Glyph::kDrives);
  if ((edge.kinds & kCouples) != 0) out.push_back(Glyph::kCouples);
  if (out.empty()) out.push_back(Glyph::kMeasures);
  return out;
}

double WidthOf(const std::string& lines) {
  double width = 0;
  for (const std::string& line : LinesOf(lines)) width = std::max(width, TextWidth(line, kLabelSize));
  return width;
}

// The dot is the centre, its name stands below (or, sideways, to the right); the same room opposite is for
// the lines that arrive there.
void SetReferenceSize(PictureNode* node, bool sideways) {
  const double width = WidthOf(node->text),
               height = kLabelSize * (kTextAscent + kTextDescent) +
                        kLineHeight * static_cast<double>(LinesOf(node->text).size() - 1);
  node->width = sideways ? 2 * (kReferenceRadius + 14 + width) : width + 8;
  node->height = sideways ? std::max(2 * kReferenceRadius, height) + 8 : 2 * (kReferenceRadius + 12 + height);
}

class PictureBuilder {
 public:
  PictureBuilder(const Model& model, const SystemGraph& graph, const Mechanism& mechanism)
      : model_(model), graph_(graph), mechanism_(mechanism) {}

  Picture Build() {
    picture_.title = TitleOf(model_, graph_);
    size_t further = 0;
    for (const DomainGraph& d : graph_.domains) {
      const std::string name = model_.Text(model_.domains[d.domain.index()].name);
      picture_.domains.push_back({name, ColourOf(name, &further)});
    }
    FindLevels();
    AddVertices();
    AddEdges();
    if (!mechanism_.empty()) AddSpace(ColourOf(kSpace, &further));
    AddSignals();
    AddCouplings();
    AddAssociations();
    return std::move(picture_);
  }

 private:
  uint32_t DomainIndex(VertexId v) const {
    return static_cast<uint32_t>(&graph_.DomainOf(v) - graph_.domains.data());
  }

  // The number of edges between each vertex and its reference, breadth-first; a part that does not reach it
  // starts from its first vertex.
  void FindLevels() {
    const size_t n = graph_.vertex_count();
    std::vector<std::vector<uint32_t>> neighbours(n);
    for (const GraphEdge& e : graph_.edges) {
      neighbours[e.from.index()].push_back(e.to.value);
      neighbours[e.to.index()].push_back(e.from.value);
      ++parallels_[std::minmax(e.from, e.to)];
    }
    for (const auto& list : neighbours) degree_.push_back(static_cast<uint32_t>(list.size()));
    level_.assign(n, kNone);
    // A domain's reference comes before its other vertices, so one pass in the order of ids is enough.
    for (uint32_t root = 0; root < n; ++root) {
      if (level_[root] != kNone) continue;
      level_[root] = 0;
      for (std::deque<uint32_t> queue{root}; !queue.empty(); queue.pop_front()) {
        for (const uint32_t w : neighbours[queue.front()]) {
          if (level_[w] != kNone) continue;
          level_[w] = level_[queue.front()] + 1;
          queue.push_back(w);
        }
      }
    }
  }

  // -1: `a` stands below `b`; 0: side by side. Of equally distant vertices that several edges join, one is
  // put above the other, so that these edges lie side by side without crossing.
  int CompareHeights(VertexId a, VertexId b) const {
    if (a == b) return 0;
    if (level_[a.index()] != level_[b.index()]) return level_[a.index()] < level_[b.index()] ? -1 : 1;
    if (parallels_.at(std::minmax(a, b)) < 2) return 0;
    const auto key = [&](VertexId v) { return std::pair(degree_[v.index()], UINT32_MAX - v.value); };
    return key(a) > key(b) ? -1 : 1;
  }

  void AddVertices() {
    std::vector<std::string> terminals(graph_.vertex_count());
    for (uint32_t i = 1; i < graph_.components.size(); ++i) {
      const uint32_t count = graph_.ElementOf(ComponentId(i)).terminals();
      for (uint32_t t = 0; t < count; ++t) {
        const VertexId v = graph_.vertex_of_terminal[graph_.components[i].first_terminal + t];
        if (!v.IsNone()) terminals[v.index()] += "\n" + TerminalName(model_, graph_, ComponentId(i), t);
      }
    }
    for (uint32_t i = 0; i < graph_.vertex_count(); ++i) {
      const VertexId v(i);
      PictureNode node;
      node.id = i;
      node.domain = DomainIndex(v);
      const std::string name = VertexName(model_, graph_, v);
      node.tooltip = name + "\nvertex " + std::to_string(i) + ", " + picture_.domains[node.domain].name +
                     (terminals[i].empty() ? "" : "; joins" + terminals[i]);
      if (graph_.IsReference(v)) {
        node.kind = PictureNode::Kind::kReference;
        node.text = name;
        SetReferenceSize(&node, false);
      } else {
        node.kind = PictureNode::Kind::kVertex;
        node.text = name;
        node.width = std::max(TextWidth(name, kVertexSize) + 12, kVertexHeight);
        node.height = kVertexHeight;
      }
      picture_.nodes.push_back(std::move(node));
    }
  }

  // Rigid bodies, the higher the more joints of the tree lie between them and the world.
  void AddSpace(const std::string& colour) {
    const auto domain = static_cast<uint32_t>(picture_.domains.size());
    picture_.domains.push_back({kSpace, colour});
    std::vector<uint32_t> depth;
    const auto first_body = static_cast<uint32_t>(picture_.nodes.size());
    for (uint32_t c = 0; c < mechanism_.composites.size(); ++c) {
      const CompositeBody& composite = mechanism_.composites[c];
      depth.push_back(composite.parent == kNone ? 0 : depth[composite.parent] + 1);
      PictureNode node;
      node.id = static_cast<uint32_t>(graph_.vertex_count()) + c;
      node.domain = domain;
      const std::string name = CompositeName(model_, graph_, mechanism_, c);
      node.text = c == 0 ? name : composite.bodies.empty() ? name + "\n(no mass)" : "";
      node.tooltip = c == 0 ? "the world" : "one rigid body";
      std::vector<ComponentId> listed = composite.bodies;
      if (c == 0) listed.insert(listed.end(), mechanism_.gravity.begin(), mechanism_.gravity.end());
      for (size_t k = 0; k < listed.size(); ++k) {
        node.tooltip += "\n" + Heading(listed[k]);
        if (k > kMostBodies || (k == kMostBodies && listed.size() > kMostBodies + 1)) continue;
        node.text += (node.text.empty() ? "" : "\n") + NameOf(listed[k]);
      }
      if (listed.size() > kMostBodies + 1)
        node.text += "\nand " + std::to_string(listed.size() - kMostBodies) + " more";
      if (c == 0) {
        node.kind = PictureNode::Kind::kReference;
        SetReferenceSize(&node, false);
      } else {
        node.kind = PictureNode::Kind::kBody;
        node.width = std::max(WidthOf(node.text) + 18, 40.0);
        node.height = kLineHeight * static_cast<double>(LinesOf(node.text).size()) + 10;
      }
      picture_.nodes.push_back(std::move(node));
    }
    const auto add = [&](ComponentId id, EdgeStyle style, uint32_t a, uint32_t b, const std::string& what) {
      const auto edge = static_cast<uint32_t>(picture_.edge_names.size());
      const auto label = static_cast<uint32_t>(picture_.nodes.size());
      PictureNode node;
      node.kind = PictureNode::Kind::kEdgeLabel;
      node.id = edge;
      node.domain = domain;
      node.text = NameOf(id);
      node.tooltip = Heading(id) + "\n" + what + ": " + CompositeName(model_, graph_, mechanism_, a) +
                     " to " + CompositeName(model_, graph_, mechanism_, b);
      node.width = TextWidth(node.text, kLabelSize) + 6;
      node.height = kLabelSize * (kTextAscent + kTextDescent) + 4;
      picture_.edge_names.push_back(node.text);
      picture_.edge_components.push_back(node.text);
      picture_.edge_kinds.push_back(0);
      picture_.edge_glyphs.emplace_back();
      picture_.edge_styles.push_back(style);
      picture_.nodes.push_back(std::move(node));
      space_label_.emplace(id.value, label);
      AddHalves(edge, first_body + a, label, first_body + b,
                depth[a] == depth[b]  ? 0
                : depth[a] < depth[b] ? -1
                                      : 1);
      // What moves or measures it in one dimension.
      const Component& c = graph_.components[id.index()];
      for (uint32_t k = 0; k < graph_.ElementOf(id).edges.size(); ++k) {
        const GraphEdge& e = graph_.edges[c.first_edge + k];
        if (degree_[e.from.index()] > 1 && degree_[e.to.index()] > 1)
          AddTie(first_label_ + c.first_edge + k, label, NameOf(id) + " in one dimension and in space");
      }
    };
    for (uint32_t k = 0; k < mechanism_.joints.size(); ++k) {
      const SpatialJoint& joint = mechanism_.joints[k];
      if (joint.component.IsNone()) continue;  // only coordinates
      const JointRole role = RoleOf(mechanism_, k);
      add(joint.component,
          role == JointRole::kBranch  ? EdgeStyle::kBranch
          : role == JointRole::kChord ? EdgeStyle::kChord
                                      : EdgeStyle::kLeftOut,
          mechanism_.frames[joint.a].composite, mechanism_.frames[joint.b].composite,
          std::string("joint, ") + RoleText(role));
    }
    for (const SpatialElement& element : mechanism_.elements) {
      if (!Exerts(model_, graph_, element)) continue;
      const auto [a, b] = EndsOf(mechanism_, element);
      add(element.component, EdgeStyle::kForce, a, b, "exerts forces");
    }
  }

  std::string ClassName(ComponentId id) const {
    const ComponentClass& cls = graph_.ClassOf(model_, id);
    return model_.Text(cls.name) + (cls.model.IsNone() ? "" : " as " + model_.Text(cls.model));
  }

  std::string NameOf(ComponentId id) const {
    const std::string name = ComponentName(model_, graph_, id);
    return name.empty() ? model_.Text(model_[graph_.system].name) : name;
  }

  std::string Heading(ComponentId id) const {
    const std::string& about = graph_.ClassOf(model_, id).documentation;
    return NameOf(id) + " : " + ClassName(id) + (about.empty() ? "" : "\n" + about);
  }

  static std::string OrderText(int8_t order) {
    return order < 0 ? "absent" : "order " + std::to_string(static_cast<int>(order));
  }

  void AddEdges() {
    first_label_ = static_cast<uint32_t>(picture_.nodes.size());
    for (uint32_t i = 0; i < graph_.edges.size(); ++i) {
      const GraphEdge& edge = graph_.edges[i];
      const ElementEdge& element = graph_.ElementEdgeOf(EdgeId(i));
      PictureNode node;
      node.kind = PictureNode::Kind::kEdgeLabel;
      node.id = i;
      node.domain = DomainIndex(edge.from);
      node.text = EdgeName(model_, graph_, EdgeId(i));
      node.tooltip =
          Heading(edge.component) + "\nedge " + node.text + ": " + VertexName(model_, graph_, edge.from) +
          " to " + VertexName(model_, graph_, edge.to) + "\n" +
          (element.kinds == 0 ? "neither stores nor dissipates nor drives" : KindsText(element.kinds)) +
          "\nacross variable: " + OrderText(element.across_order) +
          ", through variable: " + OrderText(element.through_order);
      picture_.edge_glyphs.push_back(GlyphsOf(model_.domains[element.domain.index()], element));
      node.width = TextWidth(node.text, kLabelSize) +
                   static_cast<double>(picture_.edge_glyphs.back().size()) * kGlyphWidth + 6;
      node.height = kLabelSize * (kTextAscent + kTextDescent) + 4;
      picture_.edge_names.push_back(node.text);
      picture_.edge_components.push_back(NameOf(edge.component));
      picture_.edge_kinds.push_back(element.kinds);
      picture_.edge_styles.push_back(EdgeStyle::kLinear);
      picture_.nodes.push_back(std::move(node));
      AddHalves(i, edge.from.value, first_label_ + i, edge.to.value, CompareHeights(edge.from, edge.to));
    }
  }

  // `compared` < 0: `from` stands below `to`.
  void AddHalves(uint32_t edge, uint32_t from, uint32_t label, uint32_t to, int compared) {
    PictureLink half;
    half.edge = edge;
    half.kind = PictureLink::Kind::kFromHalf;
    half.tail = from;
    half.head = label;
    half.upwards = compared <= 0;
    picture_.links.push_back(half);
    half.kind = PictureLink::Kind::kToHalf;
    half.tail = label;
    half.head = to;
    half.upwards = compared < 0;
    picture_.links.push_back(half);
  }

  // The node that stands for a component where signals arrive: its box, what it is in space, else the first
  // edge in whose equations the variable occurs.
  uint32_t NodeOf(ComponentId id, SymbolId symbol) {
    const ElementClass& element = graph_.ElementOf(id);
    const Component& c = graph_.components[id.index()];
    if (element.edges.empty()) {
      const auto at = space_label_.find(id.value);
      return at != space_label_.end() ? at->second : BoxOf(id);
    }
    const SymbolId base = symbol.IsNone() ? symbol : model_.expressions.symbol(symbol).base;
    const ComponentClass& cls = model_[element.class_id];
    for (const Equation& equation : element.equations) {
      std::vector<SymbolId> symbols;
      for (const ExprId side : {equation.left, equation.right}) {
        if (side.IsNone()) continue;
        for (const Dependence& d : FindDependence(model_.expressions, side)) symbols.push_back(d.base);
      }
      if (base.IsNone() || std::find(symbols.begin(), symbols.end(), base) == symbols.end()) continue;
      for (uint32_t k = 0; k < element.edges.size(); ++k) {
        const Edge& edge = cls.edges[element.edges[k].edge];
        for (const SymbolId s : symbols) {
          if (s == edge.across || s == edge.through) return first_label_ + c.first_edge + k;
        }
      }
    }
    return first_label_ + c.first_edge;
  }

  // The node a signal leaves from: the edge it belongs to, if it is an edge's variable.
  uint32_t NodeOf(const Driver& driver) {
    const ElementClass& element = graph_.ElementOf(driver.component);
    const ComponentClass& cls = model_[element.class_id];
    const SymbolId base = model_.expressions.symbol(driver.symbol).base;
    for (uint32_t k = 0; k < element.edges.size(); ++k) {
      const Edge& edge = cls.edges[element.edges[k].edge];
      if ((edge.across == base || edge.through == base) && element.edges[k].index == driver.index)
        return first_label_ + graph_.components[driver.component.index()].first_edge + k;
    }
    return NodeOf(driver.component, driver.symbol);
  }

  uint32_t BoxOf(ComponentId id) {
    const auto [at, is_new] = boxes_.emplace(id.value, static_cast<uint32_t>(picture_.nodes.size()));
    if (is_new) {
      PictureNode node;
      node.kind = PictureNode::Kind::kSignalBox;
      node.id = id.value;
      node.text = NameOf(id);
      node.tooltip = Heading(id);
      node.width = std::max(TextWidth(node.text, kLabelSize) + 16, 40.0);
      node.height = 24;
      picture_.nodes.push_back(std::move(node));
    }
    return at->second;
  }

  // Signal components are boxes. A composite is looked through, unless it has equations of its own.
  void AddSignals() {
    const auto looked_through = [&](const ElementClass& element) {
      return element.composite && element.equations.empty();
    };
    for (uint32_t i = 0; i < graph_.components.size(); ++i) {
      const ElementClass& element = graph_.ElementOf(ComponentId(i));
      const bool shown = std::find(mechanism_.gravity.begin(), mechanism_.gravity.end(), ComponentId(i)) !=
                         mechanism_.gravity.end();
      if (element.edges.empty() && element.terminals() == 0 && !looked_through(element) && !shown)
        BoxOf(ComponentId(i));
    }
    const LargeVector<Driver> drivers = ResolveDrivers(model_, graph_);
    for (uint32_t i = 0; i < graph_.components.size(); ++i) {
      const ElementClass& element = graph_.ElementOf(ComponentId(i));
      if (looked_through(element)) continue;
      for (uint32_t s = 0; s < element.slot_variable.size(); ++s) {
        const Variable& variable = model_[element.class_id].variables[element.slot_variable[s]];
        if (element.composite && variable.role == VariableRole::kOutput) continue;
        const Driver& driver = drivers[graph_.components[i].first_input + s];
        if (driver.component.IsNone()) continue;
        PictureLink link;
        link.kind = PictureLink::Kind::kSignal;
        link.tail = NodeOf(driver);
        link.head = NodeOf(ComponentId(i), variable.symbol);
        // Signal boxes stand above the physical system: signals flow down into it, and go back up from its
        // sensors.
        if (picture_.nodes[link.tail].kind == PictureNode::Kind::kEdgeLabel) {
          link.upwards = picture_.nodes[link.head].kind == PictureNode::Kind::kSignalBox;
          link.loose = !link.upwards;
        }
        const std::string input = InputName(model_, graph_, ComponentId(i), s);
        link.text = input.substr(input.rfind('.') + 1);
        link.tooltip = DriverName(model_, graph_, driver) + " -> " + input;
        picture_.links.push_back(std::move(link));
      }
    }
  }

  void AddTie(uint32_t a, uint32_t b, const std::string& tooltip,
              PictureLink::Kind kind = PictureLink::Kind::kTie) {
    if (a == b || !tied_.insert({std::minmax(a, b), kind}).second) return;
    PictureLink link;
    link.kind = kind;
    link.tail = kind == PictureLink::Kind::kTie ? std::min(a, b) : a;
    link.head = kind == PictureLink::Kind::kTie ? std::max(a, b) : b;
    link.loose = true;
    link.tooltip = tooltip;
    picture_.links.push_back(std::move(link));
  }

  // Edges of one component that share equations, or stand in different domains.
  void AddCouplings() {
    for (uint32_t i = 0; i < graph_.components.size(); ++i) {
      const ElementClass& element = graph_.ElementOf(ComponentId(i));
      for (uint32_t k = 1; k < element.edges.size(); ++k) {
        for (uint32_t j = k; j-- > 0;) {
          if (element.edges[j].group != element.edges[k].group &&
              element.edges[j].domain == element.edges[k].domain)
            continue;
          const uint32_t first = first_label_ + graph_.components[i].first_edge;
          AddTie(first + j, first + k, NameOf(ComponentId(i)) + " couples its edges");
          break;
        }
      }
    }
  }

  void AddAssociations() {
    if (graph_.associations.empty()) return;
    std::map<std::string, uint32_t> label_of;  // by the path of the edge; the first of an array stands for it
    for (uint32_t i = 0; i < graph_.edges.size(); ++i) {
      const ComponentId component = graph_.edges[i].component;
      const ComponentClass& cls = graph_.ClassOf(model_, component);
      const std::string name = WithoutIndices(ComponentName(model_, graph_, component));
      label_of.emplace((name.empty() ? "" : name + ".") +
                           model_.Text(cls.edges[graph_.ElementEdgeOf(EdgeId(i)).edge].name),
                       first_label_ + i);
    }
    for (const GraphAssociation& a : graph_.associations) {
      const Variable& variable = graph_.ClassOf(model_, a.component).variables[a.variable];
      const std::string owner = WithoutIndices(ComponentName(model_, graph_, a.owner));
      for (const Dependence& d : FindDependence(model_.expressions, a.value)) {
        const std::string path =
            (owner.empty() ? "" : owner + ".") + std::string(model_.expressions.SymbolName(d.base));
        const auto at = label_of.find(path.substr(0, path.rfind('.')));
        if (at == label_of.end()) continue;
        // From what is read to what follows it.
        AddTie(at->second, NodeOf(a.component, variable.symbol),
               "associate " + NameOf(a.component) + "." + model_.Text(variable.name) + " = " + path,
               PictureLink::Kind::kAssociation);
      }
    }
  }

  const Model& model_;
  const SystemGraph& graph_;
  const Mechanism& mechanism_;
  Picture picture_;
  std::map<std::pair<VertexId, VertexId>, uint32_t> parallels_;  // the number of edges between two vertices
  std::vector<uint32_t> degree_;                                 // by vertex
  std::vector<uint32_t> level_;                                  // by vertex
  uint32_t first_label_ = 0;                                     // node of edge 0
  std::map<uint32_t, uint32_t> boxes_;                           // by component
  std::map<uint32_t, uint32_t> space_label_;                     // node of what a component is in space
  std::set<std::pair<std::pair<uint32_t, uint32_t>, PictureLink::Kind>> tied_;
};

}  // namespace

std::string TitleOf(const Model& model, const SystemGraph& graph) {
  const ComponentClass& system = model[graph.system];
  return model.Text(system.name) + (system.documentation.empty() ? "" : ": " + system.documentation);
}

Picture Sideways(Picture picture) {
  picture.sideways = true;
  for (PictureNode& node : picture.nodes) {
    if (node.kind == PictureNode::Kind::kReference) SetReferenceSize(&node, true);
  }
  return picture;
}

Picture BuildPicture(const Model& model, const SystemGraph& graph, const Mechanism& mechanism) {
  return PictureBuilder(model, graph, mechanism).Build();
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> out{""};
  for (const char c : text) {
    if (c == '\n')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

}  // namespace cotree
