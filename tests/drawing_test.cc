// SPDX-License-Identifier: Apache-2.0
// Drawings of system graphs, read back by a machine: everything is there once, lines join what they should,
// and no text hides another.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "base/text_metric.h"
#include "cli/mechanism_view.h"
#include "drawing/describe_mechanism.h"
#include "drawing/draw_graph.h"
#include "drawing/run_dot.h"
#include "pipeline/load_model.h"
#include "product_support.h"
#include "system_graph/build_system_graph.h"

namespace cotree::test {
namespace {

// --- XML, as much of it as a drawing needs
// --------------------------------------------------------------------

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  int parent = -1;

  std::string Get(const std::string& key) const {
    const auto at = attributes.find(key);
    return at == attributes.end() ? "" : at->second;
  }
  double Number(const std::string& key) const { return std::stod(Get(key)); }
};

struct Xml {
  std::vector<Element> elements;
  std::string error;  // empty: well-formed
};

bool Unescape(std::string_view text, std::string* out) {
  static const std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '<') return false;
    if (text[i] != '&') {
      *out += text[i++];
      continue;
    }
    bool known = false;
    for (const auto& [entity, c] : kEntities) {
      if (text.substr(i, entity.size()) != entity) continue;
      *out += c;
      i += entity.size();
      known = true;
      break;
    }
    if (!known) return false;
  }
  return true;
}

Xml ParseXml(const std::string& text) {
  Xml xml;
  std::vector<int> open;
  size_t at = 0;
  const auto fail = [&](const std::string& why) {
    xml.error = why + " at " + std::to_string(at) + ": " + text.substr(at, 60);
    return xml;
  };
  while (at < text.size()) {
    if (text[at] != '<') {
      const size_t end = std::min(text.find('<', at), text.size());
      std::string plain;
      if (!Unescape(std::string_view(text).substr(at, end - at), &plain)) return fail("bad entity");
      if (!open.empty()) {
        xml.elements[static_cast<size_t>(open.back())].text += plain;
      } else if (plain.find_first_not_of(" \n") != std::string::npos) {
        return fail("text outside the root");
      }
      at = end;
      continue;
    }
    if (text[at + 1] == '/') {
      const size_t end = text.find('>', at);
      if (end == std::string::npos || open.empty()) return fail("stray end tag");
      if (xml.elements[static_cast<size_t>(open.back())].name != text.substr(at + 2, end - at - 2))
        return fail("end tag of another element");
      open.pop_back();
      at = end + 1;
      continue;
    }
    if (open.empty() && !xml.elements.empty()) return fail("second root");
    Element element;
    element.parent = open.empty() ? -1 : open.back();
    ++at;
    while (at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0)
      element.name += text[at++];
    if (element.name.empty()) return fail("no name");
    for (;;) {
      const size_t blank = at;
      while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
      if (text.compare(at, 2, "/>") == 0 || text.compare(at, 1, ">") == 0) break;
      if (at == blank) return fail("no blank before an attribute");
      const size_t equals = text.find("=\"", at);
      if (equals == std::string::npos) return fail("no attribute");
      const std::string key = text.substr(at, equals - at);
      if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != std::string::npos)
        return fail("bad attribute");
      const size_t end = text.find('"', equals + 2);
      if (end == std::string::npos) return fail("open quote");
      std::string value;
      if (!Unescape(std::string_view(text).substr(equals + 2, end - equals - 2), &value))
        return fail("bad value");
      if (!element.attributes.emplace(key, value).second) return fail("attribute given twice");
      at = end + 1;
    }
    const bool closed = text[at] == '/';
    at += closed ? 2 : 1;
    xml.elements.push_back(std::move(element));
    if (!closed) open.push_back(static_cast<int>(xml.elements.size()) - 1);
  }
  if (!open.empty()) return fail("element not closed");
  return xml;
}

// --- A drawing and what must hold of it
// -----------------------------------------------------------------------

struct Room {
  double left, top, right, bottom;
  std::string what;

  bool Overlaps(const Room& o) const {
    return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
  }
};

std::vector<double> Numbers(const std::string& text) {
  std::vector<double> out;
  const char* at = text.c_str();
  while (*at != 0) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at) {
      ++at;
      continue;
    }
    out.push_back(value);
    at = end;
  }
  return out;
}

Room RoomOfText(const Element& e) {
  const double size = e.Number("font-size"), x = e.Number("x"), y = e.Number("y");
  const double width = TextWidth(e.text, size, e.Get("font-weight") == "bold");
  const double left = e.Get("text-anchor") == "middle" ? x - width / 2 : x;
  return {left, y - 0.8 * size, left + width, y + 0.24 * size, "`" + e.text + "`"};
}

Room RoomOfRect(const Element& e, const std::string& what) {
  const double x = e.Number("x"), y = e.Number("y");
  return {x, y, x + e.Number("width"), y + e.Number("height"), what};
}

// Joints and what exerts forces are lines between the right bodies, each there once, by its role.
void CheckSpace(const Model& model, const SystemGraph& graph, const Mechanism& mechanism, const Xml& xml,
                const Room& world) {
  std::vector<Room> bodies{world};
  std::map<std::string, std::pair<std::string, std::vector<double>>> lines;  // by component: role, path
  for (const Element& e : xml.elements) {
    const Element& parent = e.parent < 0 ? e : xml.elements[static_cast<size_t>(e.parent)];
    const std::string group = parent.Get("class");
    if (e.name == "rect" && group == "body") {
      const double x = e.Number("x"), y = e.Number("y");
      bodies.push_back({x, y, x + e.Number("width"), y + e.Number("height"), "body"});
    }
    if (e.name == "path" && e.Get("fill") == "none" &&
        (group == "branch" || group == "chord" || group == "left-out" || group == "force")) {
      EXPECT_TRUE(lines.emplace(parent.Get("data-component"), std::pair(group, Numbers(e.Get("d")))).second);
    }
  }
  ASSERT_EQ(bodies.size(), mechanism.composites.size());
  const auto expect = [&](ComponentId id, const char* role, uint32_t from, uint32_t to) {
    const std::string name = ComponentName(model, graph, id);
    ASSERT_TRUE(lines.count(name) == 1) << name;
    const auto& [drawn, d] = lines[name];
    EXPECT_EQ(drawn, role) << name;
    const auto touches = [&](double x, double y, const Room& room) {
      return x > room.left - 3 && x < room.right + 3 && y > room.top - 3 && y < room.bottom + 3;
    };
    EXPECT_TRUE(touches(d[0], d[1], bodies[from])) << name;
    EXPECT_TRUE(touches(d[d.size() - 2], d[d.size() - 1], bodies[to])) << name;
    lines.erase(name);
  };
  for (uint32_t k = 0; k < mechanism.joints.size(); ++k) {
    const SpatialJoint& joint = mechanism.joints[k];
    const bool chord =
        std::find(mechanism.chords.begin(), mechanism.chords.end(), k) != mechanism.chords.end();
    expect(joint.component,
           joint.in_tree ? "branch"
           : chord       ? "chord"
                         : "left-out",
           mechanism.frames[joint.a].composite, mechanism.frames[joint.b].composite);
  }
  for (const SpatialElement& element : mechanism.elements) {
    const std::string about = model.Text(graph.ClassOf(model, element.component).name);
    if (about.find("Sensor") != std::string::npos || about == "Accelerometer") continue;
    const uint32_t a = mechanism.frames[element.a].composite;
    const bool two = element.b != UINT32_MAX;
    expect(element.component, "force", two ? a : 0, two ? mechanism.frames[element.b].composite : a);
  }
  EXPECT_TRUE(lines.empty()) << lines.begin()->first;
}

void CheckDrawing(const Model& model, const SystemGraph& graph, const Mechanism& mechanism,
                  const std::string& svg) {
  const Xml xml = ParseXml(svg);
  ASSERT_EQ(xml.error, "");
  ASSERT_FALSE(xml.elements.empty());
  ASSERT_EQ(xml.elements[0].name, "svg");
  const std::vector<double> view = Numbers(xml.elements[0].Get("viewBox"));
  ASSERT_EQ(view.size(), 4u);

  std::map<uint32_t, Room> circles;
  std::map<uint32_t, std::vector<double>> paths;
  std::multiset<std::string> components;
  std::string vertex_titles;
  std::vector<Room> rooms, frames;
  std::set<size_t> vertex_texts;  // of rooms
  size_t connections = 0;
  std::map<std::string, int> edges_seen;
  for (size_t i = 0; i < xml.elements.size(); ++i) {
    const Element& e = xml.elements[i];
    const Element& parent = e.parent < 0 ? e : xml.elements[static_cast<size_t>(e.parent)];
    const std::string group = parent.Get("class");
    if (e.name == "text") rooms.push_back(RoomOfText(e));
    if (group.rfind("vertex", 0) == 0 && (e.name == "circle" || e.name == "rect")) {
      const auto id = static_cast<uint32_t>(std::stoul(parent.Get("data-vertex")));
      const std::string what = "vertex " + std::to_string(id);
      const Room room = e.name == "rect"
                            ? RoomOfRect(e, what)
                            : Room{e.Number("cx") - e.Number("r"), e.Number("cy") - e.Number("r"),
                                   e.Number("cx") + e.Number("r"), e.Number("cy") + e.Number("r"), what};
      EXPECT_TRUE(circles.emplace(id, room).second);
    }
    if (e.name == "rect" && group == "domain") frames.push_back(RoomOfRect(e, parent.Get("data-domain")));
    // A vertex has the name that texts and matrices give it.
    if (e.name == "text" && group == "vertex") {
      const auto id = static_cast<uint32_t>(std::stoul(parent.Get("data-vertex")));
      if (id < graph.vertex_count()) {
        EXPECT_EQ(e.text, VertexName(model, graph, VertexId(id)));
      }
      vertex_texts.insert(rooms.size() - 1);
    }
    if (e.name == "title" && group.rfind("vertex", 0) == 0) vertex_titles += e.text + "\n";
    if (e.Get("class") == "edge" || e.Get("class") == "signal") components.insert(e.Get("data-component"));
    if (e.Get("class") == "connection") ++connections;
    if (group == "edge") {
      const auto id = static_cast<uint32_t>(std::stoul(parent.Get("data-edge")));
      ASSERT_LT(id, graph.edges.size());
      const std::string name = EdgeName(model, graph, EdgeId(id));
      if (e.name == "text") {
        EXPECT_EQ(e.text, name);
        ++edges_seen[name];
        EXPECT_EQ(parent.Get("data-name"), name);
        EXPECT_EQ(parent.Get("data-kinds"), KindsText(graph.ElementEdgeOf(EdgeId(id)).kinds));
        EXPECT_EQ(parent.Get("data-component"), ComponentName(model, graph, graph.edges[id].component));
      }
      if (e.name == "title") {
        EXPECT_NE(e.text.find(model.Text(graph.ClassOf(model, graph.edges[id].component).name)),
                  std::string::npos);
        EXPECT_NE(e.text.find(graph.ClassOf(model, graph.edges[id].component).documentation),
                  std::string::npos);
      }
      if (e.name == "path" && e.Get("fill") == "none" && paths.count(id) == 0)
        paths[id] = Numbers(e.Get("d"));
    }
  }

  if (!mechanism.empty()) {
    const auto world = static_cast<uint32_t>(graph.vertex_count());
    ASSERT_TRUE(circles.count(world) == 1);
    CheckSpace(model, graph, mechanism, xml, circles.at(world));
  }
  // Vertices and edges once each.
  EXPECT_EQ(circles.size(), graph.vertex_count() + (mechanism.empty() ? 0 : 1));
  EXPECT_EQ(edges_seen.size(), graph.edges.size());
  for (const auto& [name, count] : edges_seen) EXPECT_EQ(count, 1) << name;
  // Lines go from their first to their second vertex.
  ASSERT_EQ(paths.size(), graph.edges.size());
  for (const auto& [id, d] : paths) {
    ASSERT_GE(d.size(), 4u);
    const auto touches = [&](double x, double y, VertexId v) {
      const Room& c = circles.at(v.value);
      return x > c.left - 3 && x < c.right + 3 && y > c.top - 3 && y < c.bottom + 3;
    };
    EXPECT_TRUE(touches(d[0], d[1], graph.edges[id].from)) << EdgeName(model, graph, EdgeId(id));
    EXPECT_TRUE(touches(d[d.size() - 2], d[d.size() - 1], graph.edges[id].to))
        << EdgeName(model, graph, EdgeId(id));
  }
  // Components: by their edges or their box; those that only name a vertex, by its terminals.
  size_t arcs = 0;
  const LargeVector<Driver> drivers = ResolveDrivers(model, graph);
  for (uint32_t i = 1; i < graph.components.size(); ++i) {
    const ElementClass& element = graph.ElementOf(ComponentId(i));
    if (element.composite) continue;
    // Frames in space are no vertices of this graph.
    if (!model[element.class_id].spatial.IsNone() && element.edges.empty()) continue;
    const std::string name = ComponentName(model, graph, ComponentId(i));
    EXPECT_TRUE(components.count(name) > 0 || vertex_titles.find("\n" + name + ".") != std::string::npos)
        << name;
    for (uint32_t s = 0; s < element.slot_variable.size(); ++s) {
      if (!drivers[graph.components[i].first_input + s].component.IsNone()) ++arcs;
    }
  }
  EXPECT_GE(connections, arcs);  // more where a composite has equations of its own
  // Texts inside the picture, apart from each other and from the vertices, but for the vertices' own numbers.
  for (size_t i = 0; i < rooms.size(); ++i) {
    EXPECT_GE(rooms[i].left, view[0]) << rooms[i].what;
    EXPECT_GE(rooms[i].top, view[1]) << rooms[i].what;
    EXPECT_LE(rooms[i].right, view[0] + view[2]) << rooms[i].what;
    EXPECT_LE(rooms[i].bottom, view[1] + view[3]) << rooms[i].what;
    for (size_t j = i + 1; j < rooms.size(); ++j)
      EXPECT_FALSE(rooms[i].Overlaps(rooms[j])) << rooms[i].what << " over " << rooms[j].what;
    for (const auto& [id, circle] : circles) {
      const bool own = vertex_texts.count(i) == 1 && id < graph.vertex_count() &&
                       rooms[i].what == "`" + VertexName(model, graph, VertexId(id)) + "`" &&
                       rooms[i].left > circle.left && rooms[i].right < circle.right;
      EXPECT_TRUE(own || !rooms[i].Overlaps(circle)) << rooms[i].what << " over " << circle.what;
    }
  }
  // Frames stand apart.
  for (size_t i = 0; i < frames.size(); ++i) {
    for (size_t j = i + 1; j < frames.size(); ++j)
      EXPECT_FALSE(frames[i].Overlaps(frames[j])) << frames[i].what << " over " << frames[j].what;
    const double name = TextWidth(frames[i].what, 12, true);
    EXPECT_GE(frames[i].right - frames[i].left, name) << frames[i].what << " is narrower than its name";
  }
}

bool GraphvizIsThere() {
  return RunDot("digraph {}").problem.empty();
}

// Every system of a loaded model, drawn and checked.
void CheckSystems(LoadedModel& loaded) {
  ASSERT_TRUE(loaded.diagnostics.ok()) << Render(loaded.diagnostics, loaded.model.files);
  for (const ClassId system : loaded.model.systems) {
    SCOPED_TRACE(loaded.model.Text(loaded.model[system].name));
    Diagnostics diagnostics;
    const SystemGraph graph = BuildSystemGraph(loaded.model, system, diagnostics);
    const Mechanism mechanism = ViewMechanism(loaded.model, graph);
    EXPECT_EQ(mechanism.empty(), graph.frame_of_terminal.empty());
    const Drawing drawing = DrawGraph(loaded.model, graph, mechanism);
    ASSERT_EQ(drawing.problem, "");
    CheckDrawing(loaded.model, graph, mechanism, drawing.svg);
    EXPECT_EQ(DrawGraph(loaded.model, graph, mechanism).svg, drawing.svg) << "not the same bytes again";
    const DotAnswer answer = RunDot(GraphDot(loaded.model, graph, mechanism));
    EXPECT_EQ(answer.problem, "");
  }
}

void CheckText(const std::string& text) {
  NoReader reader;
  const auto loaded = LoadModelText("drawn.cot", text, reader);
  CheckSystems(*loaded);
}

constexpr const char* kPart =
    "component Part \"a & b < c > \\\"d\\\"\" { terminal p, n : electrical  parameter R : Resistance = 1 "
    "ohm\n"
    "  edge e : p -> n  equation e.v = R*e.i }\n";

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string Ladder(int sections) {
  const std::string n = std::to_string(sections), m = std::to_string(sections - 1);
  return "system Ladder {\n  r : Resistor[" + n + "](R = 1 ohm)\n  c : Capacitor[" + n +
         "](C = 1 uF)\n  connect r[1:" + m + "].n -- r[2:" + n + "].p\n  connect r[1:" + n +
         "].n -- c[1:" + n + "].p\n  connect r[1].p -- electrical.ground\n  for k in 1:" + n +
         " { connect c[k].n -- electrical.ground }\n}\n";
}

TEST(Drawing, Examples) {
  if (!GraphvizIsThere()) GTEST_SKIP() << "graphviz is not installed";
  for (const fs::path& path : FilesBelow("examples", ".cot")) {
    SCOPED_TRACE(path.string());
    DiskReader reader;
    const auto loaded = LoadModel(path.string(), reader);
    CheckSystems(*loaded);
  }
}

TEST(Drawing, Ladder) {
  if (!GraphvizIsThere()) GTEST_SKIP() << "graphviz is not installed";
  CheckText(Ladder(30));
}

TEST(Drawing, ParallelEdgesLoopsAndLongNames) {
  if (!GraphvizIsThere()) GTEST_SKIP() << "graphviz is not installed";
  CheckText(std::string(kPart) +
            "system Parallel \"x & y <z> \\\"w\\\"\" {\n"
            "  a_name_that_has_exactly_forty_characters, b, c, d, e, loop, far : Part\n"
            "  connect a_name_that_has_exactly_forty_characters.p -- b.p -- c.n -- d.p -- far.p\n"
            "  connect a_name_that_has_exactly_forty_characters.n -- b.n -- c.p -- d.n -- e.p\n"
            "  connect e.n -- electrical.ground\n  connect loop.p -- loop.n -- far.n\n}\n"
            "system LoopAtReference { a : Part  g : Ground  connect a.p -- a.n -- g.p }\n"
            "system Floating { a, b : Part  connect a.p -- b.p  connect a.n -- b.n }\n"
            "system Nothing { }\n");
}

TEST(Drawing, OwnDomainsCouplingsAndAssociations) {
  if (!GraphvizIsThere()) GTEST_SKIP() << "graphviz is not installed";
  const std::string text =
      "domain magnetic { across V : Current  through Phi : Voltage  power = V*Phi }\n"
      "component Reluctance { terminal a, b : magnetic  edge e : a -> b  equation e.V = e.Phi*(1 S) }\n"
      "component Winding { terminal p, n : electrical  terminal a, b : magnetic  edge w : p -> n  edge m : a "
      "-> b\n"
      "  equation w.v = m.Phi  w.i = m.V }\n"
      "component Follower { terminal a : rotational  exogenous theta : Angle  edge e : a -> reference\n"
      "  equation e.tau = (1 N*m/rad)*(e.phi - theta) }\n"
      "system Core { u : SineVoltageSource(amplitude = 1 V, frequency = 50 Hz)  w : Winding  r : Reluctance\n"
      "  connect u.p -- w.p  connect u.n -- w.n -- electrical.ground\n"
      "  connect w.a -- r.a  connect w.b -- r.b -- magnetic.ground }\n"
      "system Followed { one, two : Inertia(J = 1 kg*m^2)  follower : Follower  connect follower.a -- two.a\n"
      "  associate follower.theta = one.phi }\n";
  CheckText(text);
  NoReader reader;
  const auto loaded = LoadModelText("drawn.cot", text, reader);
  for (const ClassId system : loaded->model.systems) {
    Diagnostics diagnostics;
    const SystemGraph graph = BuildSystemGraph(loaded->model, system, diagnostics);
    const std::string svg = DrawGraph(loaded->model, graph).svg;
    // A coupling and an association are not the same: each has its own line, and its own row of the legend.
    const std::string name = loaded->model.Text(loaded->model[system].name);
    const bool follows = name == "Followed";
    EXPECT_EQ(Count(svg, "class=\"tie\""), follows ? 0u : 1u) << name;
    EXPECT_EQ(Count(svg, "class=\"association\""), follows ? 1u : 0u) << name;
    EXPECT_EQ(Count(svg, "edges of one component"), follows ? 0u : 1u) << name;
    EXPECT_EQ(Count(svg, "association: follows a variable"), follows ? 1u : 0u) << name;
  }
}

// Networks with parallel edges and loops, sensors and sources joined by gains, at random.
TEST(Drawing, RandomNetworks) {
  if (!GraphvizIsThere()) GTEST_SKIP() << "graphviz is not installed";
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    const uint32_t parts = 3 + below(25), vertices = 2 + below(parts / 2 + 1);
    std::vector<std::vector<std::string>> joined(vertices);
    std::string text = std::string(kPart) + "system Random {\n";
    const auto add = [&](const std::string& name, const std::string& what) {
      text += "  " + name + " : " + what + "\n";
      joined[below(vertices)].push_back(name + ".p");
      joined[below(vertices)].push_back(name + ".n");
    };
    for (uint32_t i = 0; i < parts; ++i)
      add("part_" + std::string(below(20), 'x') + std::to_string(i), "Part");
    for (uint32_t i = 0; i < below(5); ++i) {
      const std::string k = std::to_string(i);
      add("meter" + k, "VoltageSensor");
      add("source" + k, "SignalVoltageSource");
      text += "  gain" + k + " : Gain(k = 2)\n  connect meter" + k + ".y -> gain" + k + ".u\n  connect gain" +
              k + ".y -> source" + k + ".u\n";
    }
    joined[0].push_back("electrical.ground");
    for (const auto& list : joined) {
      for (size_t i = 1; i < list.size(); ++i) text += "  connect " + list[0] + " -- " + list[i] + "\n";
    }
    SCOPED_TRACE(text);
    CheckText(text + "}\n");
  }
}

// Bodies that hang in space, drives of one dimension on their joints, and narrow domains beside them, at
// random.
TEST(Drawing, RandomMechanismsWithDrives) {
  if (!GraphvizIsThere()) GTEST_SKIP() << "graphviz is not installed";
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    std::string text = "system Random {\n";
    const uint32_t bodies = 1 + below(4);
    for (uint32_t i = 0; i < bodies; ++i) {
      const std::string k = std::to_string(i);
      text += "  j" + k + " : Revolute  body" + k +
              " : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)\n  connect j" + k + ".b -- body" + k + ".a\n";
      text += "  connect j" + k + ".a -- " +
              (i == 0 || below(2) == 0 ? "mechanics.ground" : "body" + std::to_string(below(i)) + ".a") +
              "\n";
      switch (below(4)) {
        case 0:
          text += "  d" + k + " : RotationalDamper(d = 1 N*m*s/rad)\n  connect d" + k + ".a -- j" + k +
                  ".axis\n  connect d" + k + ".b -- j" + k + ".housing -- rotational.ground\n";
          break;
        case 1:
          text += "  m" + k + " : DCMotor(Kt = 0.1 N*m/A)  u" + k + " : VoltageSource(V = 1 V)\n  connect m" +
                  k + ".shaft -- j" + k + ".axis\n  connect m" + k + ".housing -- j" + k +
                  ".housing -- rotational.ground\n  connect u" + k + ".p -- m" + k + ".p\n  connect u" + k +
                  ".n -- m" + k + ".n -- electrical.ground\n";
          break;
        default:
          break;
      }
    }
    if (below(2) == 0)
      text +=
          "  heat : HeatCapacity(C = 1 J/K)  wall : ThermalResistor(R = 1 K/W)\n"
          "  connect heat.a -- wall.a  connect wall.b -- thermal.ground\n";
    SCOPED_TRACE(text);
    CheckText(text + "}\n");
  }
}

// An inductor has a coil, a capacitor plates, a mass a block; a hinge that nothing drives does not drive.
TEST(Drawing, SignsAreThoseOfTheKind) {
  if (!GraphvizIsThere()) GTEST_SKIP() << "graphviz is not installed";
  const char* const kPlates = "h4.5m0-5v10m3 0v-10m0 5h4.5";
  const char* const kBlock = "h2m0-4h8v8h-8zm8 4h2";
  const char* const kCoil = "a2 2.4 0 0 1 4 0a2 2.4 0 0 1 4 0a2 2.4 0 0 1 4 0";
  const char* const kRing = "a5 5 0 1 0 10 0";
  struct Row {
    const char* parts;
    const char* sign;
    size_t plates, blocks, coils, rings;  // with the legend: two of each sign that is there
  };
  const Row rows[] = {
      {"x : Inductor(L = 1 H)  connect x.p -- x.n -- electrical.ground", "coil", 0, 0, 2, 0},
      {"x : Capacitor(C = 1 F)  connect x.p -- x.n -- electrical.ground", "plates", 2, 0, 0, 0},
      {"x : Mass(m = 1 kg)", "block", 0, 2, 0, 0},
      {"x : Inertia(J = 1 kg*m^2)", "block", 0, 2, 0, 0},
      {"x : Spring(k = 1 N/m)  m : Mass(m = 1 kg)  connect x.a -- m.a  connect x.b -- translational.ground",
       "coil and block", 0, 2, 2, 0},
      {"j : Revolute  b : Body(m = 1 kg, I = [1, 1, 1, 0, 0, 0] kg*m^2)  connect j.a -- mechanics.ground  "
       "connect j.b -- b.a",
       "no ring", 0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.parts);
    NoReader reader;
    const auto loaded = LoadModelText("drawn.cot", "system S { " + std::string(row.parts) + " }", reader);
    ASSERT_TRUE(loaded->diagnostics.ok()) << Render(loaded->diagnostics, loaded->model.files);
    Diagnostics diagnostics;
    const SystemGraph graph = BuildSystemGraph(loaded->model, loaded->model.systems[0], diagnostics);
    const std::string svg = DrawGraph(loaded->model, graph, ViewMechanism(loaded->model, graph)).svg;
    EXPECT_EQ(Count(svg, kPlates), row.plates);
    EXPECT_EQ(Count(svg, kBlock), row.blocks);
    EXPECT_EQ(Count(svg, kCoil), row.coils);
    EXPECT_EQ(Count(svg, kRing), row.rings);
  }
}

TEST(Drawing, SaysWhyThereIsNone) {
  NoReader reader;
  const auto loaded = LoadModelText("drawn.cot", Ladder(201), reader);
  ASSERT_TRUE(loaded->diagnostics.ok()) << Render(loaded->diagnostics, loaded->model.files);
  Diagnostics diagnostics;
  const SystemGraph graph = BuildSystemGraph(loaded->model, loaded->model.systems[0], diagnostics);
  const Drawing drawing = DrawGraph(loaded->model, graph);
  EXPECT_EQ(drawing.svg, "");
  EXPECT_NE(drawing.problem.find("402 edges"), std::string::npos) << drawing.problem;
  EXPECT_NE(drawing.problem.find("--format json"), std::string::npos) << drawing.problem;

  const DotAnswer missing = RunDot("digraph {}", 60, "no_such_program_as_dot");
  EXPECT_EQ(missing.json, "");
  EXPECT_NE(missing.problem.find("apt-get install graphviz"), std::string::npos) << missing.problem;

  const TemporaryFolder folder;
  WriteText(folder / "slow", "#!/bin/sh\nexec sleep 30\n");
  WriteText(folder / "failing", "#!/bin/sh\necho 'Error: no places today' >&2\nexit 3\n");
  for (const char* name : {"slow", "failing"}) fs::permissions(folder / name, fs::perms::owner_all);
  EXPECT_NE(RunDot("digraph {}", 1, (folder / "slow").c_str()).problem.find("within 1 s"), std::string::npos);
  EXPECT_NE(RunDot("digraph {}", 60, (folder / "failing").c_str()).problem.find("no places today"),
            std::string::npos);
}

}  // namespace
}  // namespace cotree::test
